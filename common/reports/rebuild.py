"""A cell again from the prediction cache: samples, truths and predictions of all conditions.

Uses the same steps as a run (:mod:`common.designs.selecting`, :mod:`common.engine.scoring`,
:mod:`common.results.rows`), but never calls a model: predictions that are not in the cache are an
error that says what to run. Models are known by what their manifest says, so an earlier
version, or a model of other results, needs no entry in the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from common import models
from common.core import advice
from common.core.documents import parse_json
from common.core.errors import DataError, NotCached
from common.core.paths import Paths
from common.designs import Score, Selection
from common.designs.selecting import Selector
from common.engine.plan import conditions
from common.engine.scoring import decoded, judged, scores_of, view_of
from common.perturbations import Library
from common.predictions.array_store import ArrayStore
from common.predictions.attributes import Context
from common.predictions.inputs import description
from common.predictions.store import DESCRIPTION, PredictionStore
from common.results.keys import CellKey
from common.samples import datasets
from common.samples.base import Samples
from common.spec import Benchmark, Model
from common.spec.cell import Cell
from common.spec.view import ORIGINAL, View
from common.uncertainty.simulation import Bounds


@dataclass(frozen=True)
class Rebuilt:
    """A cell, its aligned arrays and its scores.

    Args:
        cell: test, target, model and dataset
        view: samples and predictions
        scores: by the design of the test
        reason: why there is no sample; empty if there are
    """

    cell: Cell
    view: View
    scores: list[Score]
    reason: str = ""

    def rows(self, cache: Path) -> list[dict[str, Any]]:
        """Result rows, as a run writes them."""
        return judged(self.cell, self.scores, self.view, Bounds(cache))


class Rebuilder:
    """Rebuilds cells; keeps what several of them share.

    Args:
        benchmark: declarations
        folders: where caches are
        workers: number of threads and processes for attributes that are not in the cache
    """

    def __init__(self, benchmark: Benchmark, folders: Paths, *, workers: int = 1):
        self.benchmark = benchmark
        self.folders = folders
        self._context = Context(folders.cache, workers, lambda done, total: None)
        self._samples: dict[str, Samples] = {}
        self._selectors: dict[tuple[str, int], Selector] = {}
        self._libraries: dict[int, Library] = {}

    def __call__(self, key: CellKey, noted: Mapping[str, Any], *, chance: bool) -> Rebuilt:
        """A cell with its scores.

        Args:
            key: which cell
            noted: what its manifest says about it
            chance: whether it is of a chance model

        Raises:
            ConfigError: if target, test or dataset are not declared
            DataError: if the rows were made from other data than those that are here
            NotCached: if predictions are not in the cache
        """
        made: Mapping[str, Any] = noted.get("made_of") or {}
        find = self.benchmark.find
        target, test = find("targets", key.target), find("tests", key.test)
        dataset = find("datasets", key.dataset)
        if not made:
            raise DataError(f"{key}: made by an older version of the program; run it again")
        if made["dataset_version"] != dataset.version:
            raise DataError(
                f"{key}: made with version {made['dataset_version']} of the dataset, the catalog "
                f"has {dataset.version}; run it again"
            )
        model = Model(
            id=key.model,
            version=str(made["model_version"]),
            adapter="chance" if chance else "predictions",
        )
        samples = self._table(key.dataset)
        selection = self._select(key, int(made["seed"]))
        cell = Cell(target, model, test, dataset, str(noted["hash"]), parts=made)
        found: dict[str, Any] = {}
        missing: dict[str, str] = {}
        library = self._library(int(made["seed"]))
        used = {
            name: library.variant(of, dataset.corpora)
            for name, of in conditions(cell.test, cell.target).items()
        }
        remarks = {name: said for name, of in used.items() if (said := library.remark(of))}
        if not selection.samples.empty:
            for name, of in self._wanted(cell, noted, used, missing):
                found[name] = self._predictions(cell, samples, selection, of)
        cell = replace(cell, missing=missing, conditions=used, remarks=remarks)
        view = view_of(cell, selection, found, int(made["seed"]))
        reason = selection.reason
        return Rebuilt(cell, view, scores_of(cell, view, reason), reason)

    def _wanted(
        self,
        cell: Cell,
        noted: Mapping[str, Any],
        wanted: Mapping[str, str],
        missing: dict[str, str],
    ) -> Iterator[tuple[str, str]]:
        """Conditions and their perturbations; those that a run could not have are set aside."""
        for name in noted.get("missing", ()):
            if name in wanted:
                entry, used = self.benchmark.models.get(cell.model.id), wanted[name]
                targets, cache = self.benchmark.targets, self.folders.cache
                lacks = models.unanswered(entry, used, targets, cache=cache) if entry else ""
                reason = lacks or self._library(int(cell.parts["seed"])).missing(used)
                missing[name] = reason or "it was not available when the cell was run"
        if not wanted or len(missing) < len(wanted):
            yield ORIGINAL, ORIGINAL
        yield from ((name, used) for name, used in wanted.items() if name not in missing)

    def _table(self, dataset: str) -> Samples:
        if dataset not in self._samples:
            entry = self.benchmark.find("datasets", dataset)
            self._samples[dataset] = datasets.load(
                entry, self.folders.cache, self.benchmark.targets, download=False
            )
        return self._samples[dataset]

    def _select(self, key: CellKey, seed: int) -> Selection:
        if (key.dataset, seed) not in self._selectors:
            samples = self._table(key.dataset)
            self._selectors[key.dataset, seed] = Selector(samples, seed, self._context)
        find = self.benchmark.find
        return self._selectors[key.dataset, seed](
            find("tests", key.test), find("targets", key.target)
        )

    def _library(self, seed: int) -> Library:
        if seed not in self._libraries:
            self._libraries[seed] = Library(self.benchmark, self.folders.cache, seed=seed)
        return self._libraries[seed]

    def _predictions(
        self, cell: Cell, samples: Samples, selection: Selection, condition: str
    ) -> Any:
        """Predictions of the selected samples in a condition, from the cache only."""
        seed = int(cell.parts["seed"])
        digest = "" if condition == ORIGINAL else self._library(seed).digest(condition)
        wanted = description(
            cell.model,
            str(cell.parts["fingerprint"]),
            samples,
            condition,
            perturbation=digest,
            seed=seed,
            code=str(cell.parts.get("prediction", "")),
        )
        keys = selection.samples[["file", "start", "end"]]
        best = 0
        columns = cell.target.columns
        for store in self._stores(wanted):
            if not set(columns) <= set(store.description["columns"]):
                continue
            stored = store.read(keys, columns)
            if stored.found.all():
                return decoded(cell.target, stored.values, columns, selection.samples)
            best = max(best, int(stored.found.sum()))
        raise NotCached(
            f"{cell.model.id} {cell.model.version}: {len(keys) - best} of {len(keys)} predictions "
            f"on {cell.dataset.id} ({condition}) are not in the cache {self.folders.cache}; "
            f"make them with: {rerun(cell)}"
        )

    def _stores(self, wanted: Mapping[str, Any]) -> Iterator[PredictionStore]:
        """Stores of these predictions, whatever other targets the model had then."""
        folder = (
            self.folders.predictions
            / f"{wanted['model']}-{wanted['version']}"
            / f"{wanted['database']}-{wanted['database_version']}"
        )
        for path in sorted(folder.glob(f"*/{DESCRIPTION}")):
            try:
                content = parse_json(path.read_text("utf-8"))
                same = all(content[name] == wanted[name] for name in wanted if name != "columns")
            except (OSError, ValueError, KeyError, TypeError):
                continue
            if same:
                store = ArrayStore if content.get("layouts") else PredictionStore
                yield store(path.parent, content)


def rerun(cell: Cell) -> str:
    """Command that makes the predictions of a cell."""
    what = {"model": cell.model, "target": cell.target, "test": cell.test, "dataset": cell.dataset}
    named = [word for name, entry in what.items() for word in (f"--{name}", entry.id)]
    seed = int(cell.parts.get("seed", 0))
    return advice.command("run", "--force", *named, *(("--seed", seed) if seed else ()))
