"""Where a number comes from: rows of a cell, what they were made of, and the value once more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .. import results
from ..core import advice, provenance
from ..core.environment import environment
from ..core.errors import BenchmarkError, ConfigError
from ..core.paths import Paths
from ..designs import Score
from ..engine.scoring import Evaluation
from ..engine.staleness import stale_cell
from ..metrics import METRICS
from ..results import history, keys
from ..results.history import KeptVersion
from ..results.keys import CellKey
from ..spec import Benchmark
from ..spec.view import ORIGINAL, View
from ..uncertainty.simulation import Bounds
from .rebuild import Rebuilder

#: so many samples are named, and so many of the worst
FIRST = 3
WORST = 10
#: columns that a recomputation must give again, besides those that name the row
REPEATED = (
    *("value", "reference_value", "n", "ci_low", "ci_high", "clusters", "mde_above", "mde_below"),
    *("p_adjusted", "fairness", "criterion", "bound", "status", "certain", "reason", "note"),
)
#: columns that tell the rows of a cell apart
OWN = ("data", "condition", "reference", "metric", "label")


@dataclass(frozen=True)
class Answer:
    """What is known about the rows below a key.

    Args:
        content: for JSON
        equal: whether every row was computed again and is the same
    """

    content: dict[str, Any]
    equal: bool


def explain(
    benchmark: Benchmark, folders: Paths, key: str, *, samples: bool = False, workers: int = 1
) -> Answer:
    """Explain the rows below a key.

    Args:
        benchmark: declarations
        folders: where results and caches are
        key: see :mod:`common.results.keys`
        samples: whether to list all samples
        workers: for attributes that are not in the cache

    Raises:
        ConfigError: if there is no such row, with the nearest keys
        DataError: if results are of a format that this program does not read
    """
    cell, version, row_key = keys.split(key)
    snapshot, rows = _find(folders, cell, version, row_key)
    noted = snapshot.manifest.cells.get(f"{cell.test}/{cell.dataset}")
    if noted is None:
        raise ConfigError(
            f"{key}: the manifest in {snapshot.folder} does not list this cell; run it again"
        )
    old = version not in ("", _newest_version(folders, cell))
    stale = None if old else stale_cell(benchmark, folders, cell, noted)
    rebuilt, reason = None, ""
    try:
        chance = bool(snapshot.manifest.model.get("chance"))
        rebuilt = Rebuilder(benchmark, folders, workers=workers)(cell, noted, chance=chance)
    except BenchmarkError as error:
        reason = str(error)
    listed = compared(rows, rebuilt, folders)
    content = {
        "key": row_key,
        "rows": listed,
        "stale": [] if stale is None else list(stale.reasons),
        "earlier_version": old,
        "recomputed": rebuilt is not None,
        "not_recomputed": reason,
        **_origin(benchmark, snapshot, cell, noted),
        "samples": None if rebuilt is None else _samples(rebuilt, rows, every=samples),
    }
    return Answer(content, rebuilt is not None and all(row["equal"] for row in listed))


def _newest_version(folders: Paths, cell: CellKey) -> str:
    """Version of the newest results of a model."""
    newest = history.current(folders, cell.target, cell.model)
    return newest.version if newest else ""


def _find(
    folders: Paths, cell: CellKey, version: str, row_key: str
) -> tuple[KeptVersion, pd.DataFrame]:
    """The results that hold the rows below a key, and these rows."""
    snapshots: list[KeptVersion] = (
        history.versions(folders, cell.target, cell.model) if version else []
    )
    newest = history.current(folders, cell.target, cell.model)
    if version:
        names = [snapshot.version for snapshot in snapshots]
        if snapshots and version not in names:
            raise ConfigError(
                f"{cell.target}/{cell.model}: no results of version '{version}'. "
                f"Known: {', '.join(names)}"
            )
        newest = next((snapshot for snapshot in snapshots if snapshot.version == version), None)
    if newest is not None:
        match = [keys.matches(keys.row_key(row), row_key) for row in newest.rows.to_dict("records")]
        rows = newest.rows[match]
        if len(rows):
            return newest, rows
    table = results.read_all(folders.method_tests)
    if table.empty:
        raise ConfigError(
            f"no results in {folders.method_tests}; make them with: {advice.command('run')}"
        )
    near = keys.nearest(row_key, (keys.row_key(row) for row in table.to_dict("records")))
    summary = f" '{advice.command('summary')}' lists what there is"
    hint = f" Nearest keys: {', '.join(near)}" if near else summary
    raise ConfigError(f"no row has the key '{row_key}'.{hint}")


def compared(
    rows: pd.DataFrame, rebuilt: Evaluation | None, folders: Paths
) -> list[dict[str, Any]]:
    """Recorded rows, each with the same row computed again and what differs.

    Args:
        rows: result rows of a cell
        rebuilt: the same cell once more; None: it could not be computed
        folders: where simulated bounds are kept

    Returns:
        for each row ``key``, ``row``, ``recomputed``, ``equal`` and ``differences`` (texts)
    """
    again: dict[tuple[str, ...], dict[str, Any]] = {}
    if rebuilt is not None:
        table = results.frame(rebuilt.rows(Bounds(folders.cache)))
        again = {_place(row): plain(row) for row in table.to_dict("records")}
    entries = []
    for row in rows.to_dict("records"):
        new = again.get(_place(row))
        changes = [] if new is None else [_change(n, row[n], new[n]) for n in REPEATED]
        differences = [text for text in changes if text]
        if rebuilt is not None and new is None:
            differences = ["the test has no such row any more"]
        entries.append(
            {
                "key": keys.row_key(row),
                "row": plain(row),
                "recomputed": new,
                "equal": new is not None and not differences,
                "differences": differences,
            }
        )
    return entries


def _place(row: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in OWN)


def _change(name: str, before: Any, after: Any) -> str:
    """What differs between two values, as text; empty if nothing does."""
    before, after = _bare(before), _bare(after)
    return "" if before == after else f"{name}: recorded {before!r}, recomputed {after!r}"


def _bare(value: Any) -> Any:
    """Value as JSON has it: None for what is missing."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Row as JSON has it."""
    return {str(name): _bare(value) for name, value in row.items()}


def _origin(
    benchmark: Benchmark, snapshot: KeptVersion, cell: CellKey, noted: Mapping[str, Any]
) -> dict[str, Any]:
    """Seed, versions, hashes and files."""
    parts = dict(noted.get("made_of") or {})
    now = environment()
    declared = {"test": ("tests", cell.test), "dataset": ("datasets", cell.dataset)}
    origins = {
        name: str(entries[entry].origin)
        for name, (what, entry) in declared.items()
        if entry in (entries := getattr(benchmark, what))
    }
    return {
        "seed": parts.get("seed", snapshot.manifest.seed),
        "model": {
            "id": cell.model,
            "version": parts.get("model_version", snapshot.version),
            "fingerprint": parts.get("fingerprint", ""),
        },
        "dataset": {
            "id": cell.dataset,
            "version": parts.get("dataset_version", ""),
            "fingerprint": parts.get("data", ""),
        },
        "hashes": {
            "cell": noted.get("hash", ""),
            **{name: parts.get(name, "") for name in ("test", "target", "dataset", "code")},
            "perturbations": parts.get("perturbations", {}),
        },
        "environment": snapshot.manifest.environment,
        "environment_changed": {
            name: {"then": then, "now": now.get(name, "")}
            for name, then in snapshot.manifest.environment.items()
            if now.get(name, "") != then
        },
        "files": {**origins, "rows": str(snapshot.folder / f"{cell.test}.csv")},
    }


def _samples(rebuilt: Evaluation, rows: pd.DataFrame, *, every: bool) -> dict[str, Any]:
    """Which samples stand behind the rows, and the worst of them."""
    view = rebuilt.view
    used = _used(rebuilt.scores, rows, len(view.samples))
    conditions, by_change = _shown(view, rows), _by_change(rows)
    listed = [_sample(view, number, conditions, by_change=by_change) for number in used]
    places = [[s["file"], s["start"], s["end"]] for s in listed]
    order = sorted(range(len(listed)), key=lambda n: (-listed[n]["error"], places[n]))
    worst = [listed[n] for n in order if listed[n]["error"] > 0][:WORST]
    summary = {
        "n": len(listed),
        "hash": provenance.digest(places),
        "first": [sample["id"] for sample in listed[:FIRST]],
        "worst": worst,
    }
    return {**summary, "all": listed} if every else summary


def _used(scores: Iterable[Score], rows: pd.DataFrame, count: int) -> list[int]:
    """Numbers of the samples that the scores of the rows were computed of.

    Scores of units such as speakers rest on all samples of the cell.
    """
    places = {_place(row)[1:] for row in rows.to_dict("records")}
    used: set[int] = set()
    for score in scores:
        if (score.condition, score.reference, score.metric, score.label) not in places:
            continue
        if score.recipe is None or score.recipe.units is not None:
            return list(range(count))
        for part in score.recipe.term.rows:
            used.update(int(number) for number in part)
    return sorted(used)


def _shown(view: View, rows: pd.DataFrame) -> list[str]:
    """Conditions whose predictions are listed: the original and those of the rows."""
    conditions = set(rows["condition"])
    return [name for name in view.predictions if name == ORIGINAL or name in conditions]


def _by_change(rows: pd.DataFrame) -> bool:
    """Whether rows say how answers after a change agree with those before, whatever is annotated."""
    changed = (rows["condition"] != ORIGINAL) & (rows["reference"] == ORIGINAL)
    return bool(changed.all()) and not any(
        METRICS.get(metric).takes == "change" for metric in rows["metric"].unique()
    )


def _sample(view: View, number: int, conditions: list[str], *, by_change: bool) -> dict[str, Any]:
    """One sample with its truth, its predictions, and how wrong the last of them is.

    Without a truth, or ``by_change``, a prediction in a condition is as wrong as it differs from the original.
    """
    row = view.samples.iloc[number]
    entry: dict[str, Any] = {
        "id": sample_id(row["file"], int(row["start"]), int(row["end"])),
        "file": row["file"],
        "start": int(row["start"]),
        "end": int(row["end"]),
    }
    predictions = {name: single(view.predictions[name], number) for name in conditions}
    truth = single(view.truth, number) if view.target.id in view.samples else None
    base = predictions.get(ORIGINAL) if by_change or truth is None else truth
    last = predictions[conditions[-1]] if conditions else None
    return {**entry, "truth": truth, "predictions": predictions, "error": distance(base, last)}


def single(values: Any, number: int) -> Any:
    """Annotation or prediction of one sample; of several events their number, as text."""
    if hasattr(values, "events"):
        return f"{int((values.events.file == number).sum())} events"
    return _bare(values[number])


def distance(truth: Any, prediction: Any) -> float:
    """How wrong a prediction is: absolute error, or 1 for a wrong label; 0 if nothing is known.

    >>> distance(0.5, 0.25), distance("anger", "neutral"), distance(None, 0.3)
    (0.25, 1.0, 0.0)
    """
    if truth is None or prediction is None:
        return 0.0
    if isinstance(truth, str) or isinstance(prediction, str):
        return float(truth != prediction)
    return abs(float(prediction) - float(truth))


def sample_id(file: str, start: int, end: int) -> str:
    """Name of a sample: its file, and its times in seconds unless it is the whole file.

    >>> sample_id("a.wav", 0, -1), sample_id("a.wav", 500_000_000, 1_250_000_000)
    ('a.wav', 'a.wav [0.5-1.25 s]')
    """
    if start == 0 and end < 0:
        return file
    return f"{file} [{start / 1e9:g}-{f'{end / 1e9:g} s' if end >= 0 else 'end'}]"
