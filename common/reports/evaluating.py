"""Predictions scored and judged without a catalog, for notebooks and training loops.

A small catalog is written to a temporary folder and the engine runs on it, so that every number is
the one that ``run`` would give. Figures and sums are not made, nothing is kept.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ..core.errors import ConfigError, DataError, ModelError
from ..core.paths import Paths
from ..core.rng import DEFAULT_SEED
from ..engine.plan import Filters
from ..engine.publish import Publisher
from ..engine.run import Engine
from ..metrics import reasons
from ..results import tables
from ..samples.base import KEYS
from ..samples.folder_adapter import METADATA
from ..samples.importing import conventions, import_dataset
from ..spec import load_benchmark
from ..spec.cell import Cell
from ..spec.kinds import of as kind_of
from ..spec.view import View

#: ids in the temporary catalog
MODEL, DATASET = "predictions", "dataset"
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


def evaluate(
    predictions: Table,
    dataset: Table,
    *,
    tests: Collection[str] = (),
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
        seed: of all draws
        workers: parallel workers

    Returns:
        one row per score, with the columns of result files: ``target``, ``test``, ``condition``, ``metric``,
        ``label``, ``value``, ``ci_low``, ``ci_high``, ``n``, ``criterion``, ``status`` (pass, fail, skip, error) and more;
        ``attrs["not_run"]`` says which cells were not run and why

    Raises:
        ConfigError: if a test or target is not known
        DataError: if a table cannot be used
        ModelError: if predictions are not what the suite wants, such as an unknown class
    """
    if isinstance(tests, str):
        raise ConfigError(f"tests: expected several ids, such as ['{tests}'], found '{tests}'")
    with tempfile.TemporaryDirectory(prefix="speechproof-") as name:
        folder = Path(name)
        catalog = folder / "catalog"
        import_dataset(_dataset(dataset, folder), DATASET, None, catalog)
        _write_model(predictions, catalog)
        benchmark = load_benchmark([catalog])
        folders = Paths(output=folder / "output", cache=folder / "cache")
        engine = _Evaluation(benchmark, folders, seed=seed, workers=workers)
        filters = Filters(models=[MODEL], targets=[], tests=list(tests), datasets=[DATASET])
        report = engine.run(filters)
        if MODEL in report.errors:
            raise ModelError(f"predictions: {report.errors[MODEL]}")
        return _answer(sorted(folders.method_tests.glob(f"*/{MODEL}/*.csv")), report.not_run)


def _dataset(dataset: Table, folder: Path) -> Path:
    if isinstance(dataset, str | os.PathLike):
        return Path(dataset)
    audio = folder / "data"
    audio.mkdir()
    _columns(dataset, "dataset").to_csv(audio / METADATA, index=False)
    return audio


def _write_model(predictions: Table, catalog: Path) -> None:
    """The entry of the predictions; classes may have names that are known for those of the suite."""
    entry: dict[str, Any] = {"id": MODEL, "version": "1.0.0", "adapter": "predictions"}
    if isinstance(predictions, str | os.PathLike):
        entry["path"] = str(Path(predictions).resolve())
    else:
        table = _columns(predictions, "predictions")
        entry |= {
            "path": "predictions.csv",
            "outputs": _outputs(table, [str(name) for name in table.columns]),
        }
        table.to_csv(catalog / entry["path"], index=False)
    (catalog / "models.yaml").write_text(yaml.safe_dump([entry]), "utf-8")


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
