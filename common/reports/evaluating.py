"""Predictions scored and judged without a catalog, for notebooks and training loops.

A small catalog is written to a temporary folder and the engine runs on it, so that every number is
the one that ``run`` would give. Figures and sums are not made, nothing is kept.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ..core import leftovers
from ..core.documents import read_yaml
from ..core.errors import BenchmarkError, ConfigError, DataError, ModelError
from ..core.paths import Paths
from ..core.rng import DEFAULT_SEED
from ..engine.plan import Filters
from ..engine.publish import Publisher
from ..engine.run import Engine
from ..metrics import reasons
from ..models import prediction_table
from ..models.outside import far_outside
from ..results import tables
from ..samples import datasets
from ..samples.base import KEYS
from ..samples.folder_adapter import METADATA
from ..samples.importing import conventions, import_dataset
from ..spec import Target, load_benchmark
from ..spec.cell import Cell
from ..spec.kinds import of as kind_of
from ..spec.view import View

#: ids in the temporary catalog
MODEL, DATASET = "predictions", "dataset"
#: file of predictions in the temporary catalog
TABLE = "predictions.csv"
#: columns of a row that say nothing here, as there is one model and one dataset
SAME = ("model", "model_version", "dataset", "dataset_version", "data")
#: what a table may be given as: a file or folder, or the table itself
Table = str | os.PathLike[str] | pd.DataFrame | pd.Series


class _RowsOnly(Publisher):
    """Writes rows and nothing that is made from views of cells."""

    def cell(
        self,
        cell: Cell,
        rows: list[dict[str, Any]],
        view: View | None,
        error: str = "",
        sums: Callable[[], pd.DataFrame] | None = None,
    ) -> None:
        """Take the rows of a cell."""
        super().cell(cell, rows, None, error)


class _Evaluation(Engine):
    """Computes rows alone."""

    publisher = _RowsOnly
    criteria_tables = False
    describes = False
    may_be_empty = True


def evaluate(
    predictions: Table,
    dataset: Table,
    *,
    tests: Collection[str] = (),
    scale: tuple[float, float] | None = None,
    truth_scale: tuple[float, float] | None = None,
    seed: int = DEFAULT_SEED,
    workers: int = 1,
) -> pd.DataFrame:
    """All tests that predictions can take on a dataset, scored and judged.

    These are the tests of the suite that need no model, such as correctness and fairness; which
    of them apply depends on the columns of the dataset.

    Args:
        predictions: table or CSV or parquet file with a column or index ``file`` (and ``start``, ``end``:
            seconds or timedelta), and one column for each target: numbers in its range
            (``arousal``), class names (``emotion``), or scores of classes (``emotion/anger``, ...); a Series has the
            name of its target. Paths are those of the dataset.
        dataset: table with ``file`` (and ``start``, ``end``), truths, and attributes of the samples such as
            ``speaker``, ``sex``, ``language``; or a folder with ``metadata.csv``, an audformat database or a download
            that ``import`` recognises. Audio need not be there, but for tests that measure it.
        tests: ids of tests; empty: all
        scale: range of predicted numbers, such as ``(1, 7)``, if it is not that of their targets (0 to 1)
        truth_scale: the same for the annotated numbers
        seed: of all draws
        workers: parallel workers

    Returns:
        one row per score, with the columns of result files: ``target``, ``test``, ``condition``, ``metric``,
        ``label``, ``value``, ``ci_low``, ``ci_high``, ``n``, ``criterion``, ``status`` (pass, fail, skip, error) and more;
        ``attrs["not_run"]`` says which cells were not run and why

    Raises:
        ConfigError: if a test or target is not known
        DataError: if a table cannot be used, or numbers lie far outside their scale
        ModelError: if predictions are not what the suite wants, such as an unknown class
    """
    if isinstance(tests, str):
        raise ConfigError(f"tests: expected several ids, such as ['{tests}'], found '{tests}'")
    with tempfile.TemporaryDirectory(prefix=leftovers.prefix()) as name:
        folder = Path(name)
        catalog = folder / "catalog"
        with _plain_names(folder):
            import_dataset(_dataset(dataset, folder), DATASET, None, catalog)
            _set_truth_scale(catalog / "datasets.yaml", truth_scale)
            _write_model(predictions, catalog, scale)
            benchmark = load_benchmark([catalog])
            folders = Paths(output=folder / "output", cache=folder / "cache")
            datasets.load(benchmark.datasets[DATASET], folders.cache, benchmark.targets)
            engine = _Evaluation(benchmark, folders, seed=seed, workers=workers)
            filters = Filters(models=[MODEL], targets=[], tests=list(tests), datasets=[DATASET])
            report = engine.run(filters)
            if MODEL in report.errors:
                raise ModelError(report.errors[MODEL])
            files = sorted(folders.method_tests.glob(f"*/{MODEL}/*.csv"))
            return _answer(files, report.not_run)


@contextmanager
def _plain_names(folder: Path) -> Iterator[None]:
    """Errors that name what was given, not the files of the temporary catalog."""
    try:
        yield
    except BenchmarkError as error:
        text = _plain(str(error), folder)
        if text == str(error):
            raise
        raise type(error)(text) from None


def _plain(text: str, folder: Path) -> str:
    catalog = folder / "catalog"
    for written, name in (
        (f"{catalog / 'datasets.yaml'}: {DATASET}", DATASET),
        (str(folder / "data" / METADATA), DATASET),
        (f"models.yaml: model '{MODEL}': {TABLE}", MODEL),
        (f"models.yaml: model '{MODEL}'", MODEL),
        (f"model '{MODEL}': {TABLE}: ", ""),
        (
            "'scale: [min, max]' in the entry sets the range",
            "truth_scale=(min, max) sets the range",
        ),
        (
            "; --columns file=NAME says which one has the paths",
            "; name the one that has the paths 'file'",
        ),
        ("--test: ", "tests: "),
        (f"{folder}{os.sep}", ""),
    ):
        text = text.replace(written, name)
    return text


def _set_truth_scale(path: Path, scale: tuple[float, float] | None) -> None:
    if scale is not None:
        entries = read_yaml(path)
        entries[-1]["scale"] = list(_range(scale, "truth_scale"))
        path.write_text(yaml.safe_dump(entries), "utf-8")


def _range(scale: tuple[float, float], what: str) -> tuple[float, float]:
    """A scale; raises ConfigError if it is none."""
    try:
        low, high = map(float, scale)
    except (TypeError, ValueError):
        low = high = 0.0
    if not -math.inf < low < high < math.inf:
        raise ConfigError(f"{what}: expected (low, high), such as (1, 7), found {scale!r:.60}")
    return low, high


def _dataset(dataset: Table, folder: Path) -> Path:
    if isinstance(dataset, str | os.PathLike):
        return Path(dataset)
    audio = folder / "data"
    audio.mkdir()
    _columns(dataset, "dataset").to_csv(audio / METADATA, index=False)
    return audio


def _write_model(predictions: Table, catalog: Path, scale: tuple[float, float] | None) -> None:
    """The entry of the predictions; classes may have names that are known for those of the suite."""
    entry: dict[str, Any] = {"id": MODEL, "version": "1.0.0", "adapter": "predictions"}
    if isinstance(predictions, str | os.PathLike):
        entry["path"] = str(Path(predictions).resolve())
        table = prediction_table.read(Path(predictions), MODEL)
        if scale is not None:
            entry["outputs"] = _outputs(table, [str(name) for name in table.columns])
    else:
        table = _columns(predictions, MODEL)
        entry |= {
            "path": TABLE,
            "outputs": _outputs(table, [str(name) for name in table.columns]),
        }
        table.to_csv(catalog / entry["path"], index=False)
    for target in load_benchmark().targets.values():
        if target.id in table and not kind_of(target).has_classes and target.range:
            if scale is None:
                _check_range(table[target.id], target)
            else:
                entry["outputs"][target.id] = {"scale": list(_range(scale, "scale"))}
    (catalog / "models.yaml").write_text(yaml.safe_dump([entry]), "utf-8")


def _check_range(column: pd.Series, target: Target) -> None:
    """Refuse numbers that must be on another scale."""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=math.nan)
    span = far_outside(numbers, target)
    if span is not None:
        low, high = target.range or (0.0, 1.0)
        raise DataError(
            f"predictions: {target.id}: values from {span.least:g} to {span.most:g}, expected {low:g} to "
            f"{high:g}; scale=(min, max) says what they range over, such as (1, 7), or ({low:g}, {high:g}) if "
            "they are meant as they are"
        )


def _outputs(table: pd.DataFrame, names: Sequence[str]) -> dict[str, Any]:
    """Targets that a table has columns for, with the labels that are called otherwise."""
    outputs: dict[str, Any] = {}
    for target in load_benchmark().targets.values():
        if target.id in names and kind_of(target).has_classes:
            labels = table[target.id].dropna().astype(str).unique()
            outputs[target.id] = {"mapping": conventions.load().mapping(target.id, labels)}
        elif any(name.partition("/")[0] == target.id for name in names):
            outputs[target.id] = {}
    if not outputs:
        target_ids = ", ".join(load_benchmark().targets)
        raise ConfigError(f"predictions: no column is named as a target. Known: {target_ids}")
    return outputs


def _columns(table: pd.DataFrame | pd.Series, what: str) -> pd.DataFrame:
    """A table whose keys are columns."""
    if not isinstance(table, pd.DataFrame | pd.Series):
        raise DataError(f"{what}: expected a data frame or a file, found {type(table).__name__}")
    frame = table.to_frame() if isinstance(table, pd.Series) else table
    levels = [name for name in frame.index.names if name in KEYS and name not in frame]
    frame = frame.reset_index(level=levels) if levels else frame.copy()
    if "file" not in frame:
        raise DataError(f"{what}: no column or index 'file'. Columns: {', '.join(map(str, frame))}")
    return frame.reset_index(drop=True)


def _answer(files: Sequence[Path], not_run: dict[str, str]) -> pd.DataFrame:
    parts = [tables.read_csv(path) for path in files] or [tables.frame([])]
    frame = pd.concat(parts, ignore_index=True).drop(columns=list(SAME))
    frame = frame[frame["cause"] != reasons.NOT_RUN].reset_index(drop=True)
    faults = frame.loc[(frame["status"] == "error") & (frame["cause"] == reasons.MODEL), "reason"]
    if len(faults):
        raise ModelError(str(faults.iloc[0]))
    frame.attrs["not_run"] = dict(not_run)
    return frame
