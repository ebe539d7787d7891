"""Which results no longer belong to what is declared and present, and why.

A manifest says part by part what the rows of a cell were made of
(:func:`common.engine.plan.made_of`). Here the same parts are made of what is there now and compared.
Nothing is computed and no model runtime is needed, so pages can mark stale rows without
making them anew. What cannot be looked up here, such as a model that is not in the catalog or
data that are on another machine, is not called stale.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import models
from ..core.errors import BenchmarkError
from ..core.paths import Paths
from ..results import altered
from ..results.keys import CellKey
from ..spec import Benchmark, Dataset, Target, Test
from .plan import Planner, participants

#: part of a cell -> what it is called when it changed
PARTS = {
    "format": "the format of the results",
    "model_version": "the version of the model",
    "fingerprint": "the model",
    "test": "the test",
    "target": "the target",
    "dataset_version": "the version of the dataset",
    "dataset": "the entry of the dataset",
    "data": "the data",
    "prediction": "the code that predicts",
    "code": "the code that scores",
    "figures": "the code that draws the figures",
}
#: parts that change with another one and say nothing more
IMPLIED = {"fingerprint": "model_version", "dataset": "dataset_version", "data": "dataset_version"}


@dataclass(frozen=True)
class Stale:
    """Why rows of a cell are stale.

    Args:
        reasons: what changed
        conditions: conditions whose rows are concerned; empty: all rows
    """

    reasons: tuple[str, ...]
    conditions: frozenset[str] = field(default_factory=frozenset)


def stale(
    benchmark: Benchmark, folders: Paths, noted: altered.Noted | None = None
) -> dict[CellKey, Stale]:
    """Stale cells among all results; of those whose manifest cannot be read nobody can tell.

    The seed does not count: results of any seed are results.

    Args:
        benchmark: declarations
        folders: where results and caches are
        noted: manifests, if they were read already
    """
    look = _Look(benchmark, folders)
    stale_cells = {}
    for path, manifest in (altered.manifests(folders) if noted is None else noted).items():
        for name, cell in manifest.cells.items() if manifest else ():
            test, _, dataset = name.partition("/")
            key = CellKey(path.parent.parent.name, path.parent.name, test, dataset)
            answer = look(key, cell)
            if answer is not None:
                stale_cells[key] = answer
    return stale_cells


def stale_cell(
    benchmark: Benchmark, folders: Paths, key: CellKey, noted: Mapping[str, Any]
) -> Stale | None:
    """Why one cell is stale; None if it is not.

    Args:
        benchmark: declarations
        folders: where results and caches are
        key: the cell
        noted: what its manifest says about it
    """
    return _Look(benchmark, folders)(key, noted)


class _Look:
    """Compares cells with what is there now; keeps what is asked more than once."""

    def __init__(self, benchmark: Benchmark, folders: Paths):
        self._benchmark, self._folders = benchmark, folders
        self._planner = Planner(benchmark, folders)
        self._fingerprints: dict[str, str] = {}

    def __call__(self, key: CellKey, noted: Mapping[str, Any]) -> Stale | None:
        benchmark = self._benchmark
        if (
            key.target not in benchmark.targets
            or key.model not in benchmark.models
            or key.test not in benchmark.tests
            or key.dataset not in benchmark.datasets
        ):
            return None
        origin: Mapping[str, Any] | None = noted.get("made_of")
        if not origin:
            return Stale(("made by an older version of the program",))
        target, test = benchmark.targets[key.target], benchmark.tests[key.test]
        dataset = benchmark.datasets[key.dataset]
        if dataset not in participants(benchmark, test, target):
            return Stale(("the dataset no longer takes part in the test",))
        # a website can be built where the packages that read data are not installed
        with contextlib.suppress(ImportError):
            now = self._planner.made_of(
                benchmark.models[key.model], self._fingerprint(key.model), test, target, dataset
            )
            unknown = self._unknown_conditions(test, target, dataset)
            now["perturbations"] = {**now["perturbations"], **dict.fromkeys(unknown, "")}
            return compared(origin, now)
        return None

    def _unknown_conditions(self, test: Test, target: Target, dataset: Dataset) -> set[str]:
        """Conditions with recordings that are not here, so that nobody can tell if these changed.

        Those of a repository elsewhere are known by their version. A digest says in one of a change,
        its parameters and its recordings, so where these are away nothing is said of the others either.
        """
        planner = self._planner
        names = planner.conditions(test, target, dataset)
        drawn = {condition: planner.library.recordings(name) for condition, name in names.items()}
        return {
            condition
            for condition, recordings in drawn.items()
            if recordings
            and (recordings.embedded or recordings.path)
            and planner.data(recordings)[1]
        }

    def _fingerprint(self, name: str) -> str:
        """Fingerprint of a model; empty if it is not here."""
        if name not in self._fingerprints:
            try:
                fingerprint = models.fingerprint(
                    self._benchmark.models[name], cache=self._folders.cache
                )
            except BenchmarkError:
                fingerprint = ""
            self._fingerprints[name] = fingerprint
        return self._fingerprints[name]


def compared(origin: Mapping[str, Any], now: Mapping[str, Any]) -> Stale | None:
    """Why rows are stale that were made of something else; None if they are not.

    Args:
        origin: parts that they were made of
        now: the same parts of today; an empty ``fingerprint``, ``data`` or digest of a
            perturbation: not known
    """
    changed = [
        part
        for part in PARTS
        if origin.get(part) != now.get(part)
        and not (part in ("fingerprint", "data") and not now.get(part))
    ]
    changed = [part for part in changed if IMPLIED.get(part) not in changed]
    before, after = origin.get("perturbations", {}), now.get("perturbations", {})
    conditions = frozenset(
        c for c in {**before, **after} if before.get(c) != after.get(c) and after.get(c) != ""
    )
    reasons = [_told(part, origin.get(part), now.get(part)) for part in changed]
    if conditions:
        reasons.append(f"the perturbation of {', '.join(sorted(conditions))} changed")
    if not reasons:
        return None
    return Stale(tuple(reasons), frozenset() if changed else conditions)


def _told(part: str, before: object, after: object) -> str:
    if part.endswith("version"):
        return f"{PARTS[part]} changed from {before} to {after}"
    return f"{PARTS[part]} changed"
