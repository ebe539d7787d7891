"""A cell again from the prediction cache: samples, truths and predictions of all conditions.

The steps are those of a run (:mod:`common.designs.selecting`, :mod:`common.engine.scoring`), but
no model is ever called: predictions that are not in the cache are an error that says what to run.
Models are known by what their manifest says, so an earlier version, or a model of other results,
needs no entry in the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core import advice
from ..core.documents import parse_json
from ..core.errors import DataError, NotCached
from ..core.paths import Paths
from ..designs import Selection
from ..designs.selecting import Selector
from ..engine.plan import Planner
from ..engine.requests import wanted
from ..engine.scoring import Evaluation, decoded, evaluate, view_of
from ..predictions.array_store import store_of
from ..predictions.attributes import Context
from ..predictions.inputs import description
from ..predictions.recent import RecentReads
from ..predictions.store import DESCRIPTION, PredictionStore
from ..results.keys import CellKey
from ..samples import datasets
from ..samples.base import Samples
from ..spec import Benchmark, Model
from ..spec.cell import Cell
from ..spec.view import View


class Rebuilder:
    """Rebuilds cells; keeps what several of them share.

    Args:
        benchmark: declarations
        folders: where caches are
        workers: number of threads and processes for attributes that are not in the cache

    Attributes:
        context: what computing an attribute may use
        samples: id of a dataset -> its sample table, loaded once
    """

    def __init__(self, benchmark: Benchmark, folders: Paths, *, workers: int = 1):
        self.benchmark = benchmark
        self.folders = folders
        self.context = Context(folders.cache, workers)
        self.samples = cache(self._load)
        self._selector = cache(self._selector_of)
        self._planner = cache(self._planner_of)
        self._descriptions = cache(_descriptions_in)
        self._reads = RecentReads()

    def __call__(self, key: CellKey, noted: Mapping[str, Any], *, chance: bool) -> Evaluation:
        """A cell with its scores; arguments and errors are those of :meth:`answered`."""
        return evaluate(*self._with_predictions(key, noted, chance=chance))

    def answered(
        self, key: CellKey, noted: Mapping[str, Any], *, chance: bool
    ) -> tuple[Cell, View]:
        """A cell, its samples and predictions.

        Args:
            key: which cell
            noted: what its manifest says about it
            chance: whether it is of a chance model

        Raises:
            ConfigError: if target, test or dataset are not declared
            DataError: if the rows were made from other data than those that are here
            NotCached: if predictions are not in the cache
        """
        cell, selection, predictions = self._with_predictions(key, noted, chance=chance)
        return cell, view_of(cell, selection, predictions)

    def _with_predictions(
        self, key: CellKey, noted: Mapping[str, Any], *, chance: bool
    ) -> tuple[Cell, Selection, dict[str, Any]]:
        """A cell, its samples, and condition -> its predictions."""
        cell, selection = self._prepared(key, noted, chance=chance)
        predictions = {}
        for name, of in self._wanted(cell, selection):
            columns = cell.target.columns
            values = self._stored(cell, selection, of)[1]
            predictions[name] = decoded(cell.target, values, columns, selection.samples)
        return cell, selection, predictions

    def stores(self, key: CellKey, noted: Mapping[str, Any], *, chance: bool) -> Iterator[Path]:
        """Folders of the cache that hold the predictions of a cell.

        Args:
            key: which cell
            noted: what its manifest says about it
            chance: whether it is of a chance model

        Raises:
            ConfigError: if target, test or dataset are not declared
            DataError: if the rows were made from other data than those that are here
            NotCached: if predictions are not in the cache
        """
        cell, selection = self._prepared(key, noted, chance=chance)
        for _, of in self._wanted(cell, selection):
            yield self._stored(cell, selection, of)[0]

    @staticmethod
    def _wanted(cell: Cell, selection: Selection) -> list[tuple[str, str]]:
        """Conditions of a cell, each with what its predictions are stored under."""
        return [] if selection.samples.empty else list(wanted(cell))

    def _prepared(
        self, key: CellKey, noted: Mapping[str, Any], *, chance: bool
    ) -> tuple[Cell, Selection]:
        """A cell and its samples."""
        parts: Mapping[str, Any] = noted.get("made_of") or {}
        find = self.benchmark.find
        target, test = find("targets", key.target), find("tests", key.test)
        dataset = find("datasets", key.dataset)
        if not parts:
            raise DataError(f"{key}: made by an older version of the program; run it again")
        if parts["dataset_version"] != dataset.version:
            raise DataError(
                f"{key}: made with version {parts['dataset_version']} of the dataset, the catalog "
                f"has {dataset.version}; run it again"
            )
        version, adapter = str(parts["model_version"]), "chance" if chance else "predictions"
        model = Model(id=key.model, version=version, adapter=adapter)
        seed = int(parts["seed"])
        selection = self._selector(key.dataset, seed)(test, target)
        planner = self._planner(seed)
        used = planner.conditions(test, target, dataset)
        cell = Cell(target, model, test, dataset, str(noted["hash"]), parts=parts, conditions=used)
        cell = replace(cell, remarks=planner.remarks(used))
        if not selection.samples.empty:
            cell = replace(cell, missing=self._missing(cell, noted, planner))
        return cell, selection

    def _missing(self, cell: Cell, noted: Mapping[str, Any], planner: Planner) -> dict[str, str]:
        """Conditions that the run could not have, with the reasons of today if there are any."""
        missing = {}
        for name in noted.get("missing", ()):
            if name in cell.conditions:
                entry, used = self.benchmark.models.get(cell.model.id), cell.conditions[name]
                lacks = planner.lacking(entry, used) if entry else planner.library.missing(used)
                missing[name] = lacks or "it was not available when the cell was run"
        return missing

    def _load(self, dataset: str) -> Samples:
        entry = self.benchmark.find("datasets", dataset)
        folder, targets = self.folders.cache, self.benchmark.targets
        return datasets.load(entry, folder, targets, download=False)

    def _selector_of(self, dataset: str, seed: int) -> Selector:
        return Selector(self.samples(dataset), seed, self.context)

    def _planner_of(self, seed: int) -> Planner:
        return Planner(self.benchmark, self.folders, seed=seed)

    def _stored(self, cell: Cell, selection: Selection, condition: str) -> tuple[Path, np.ndarray]:
        """Predictions of the selected samples in a condition, and the folder that holds them."""
        described = description(
            cell.model,
            str(cell.parts["fingerprint"]),
            self.samples(cell.dataset.id),
            condition,
            library=self._planner(int(cell.parts["seed"])).library,
            code=str(cell.parts.get("prediction", "")),
        )
        table, places = self.samples(cell.dataset.id).table, selection.samples.index.to_numpy()
        best = 0
        columns = cell.target.columns
        for store in self._stores(described):
            if not set(columns) <= set(store.description["columns"]):
                continue
            stored = self._reads.read(store, cell.dataset.id, table, places, columns)
            if stored.found.all():
                return store.folder, stored.values
            best = max(best, int(stored.found.sum()))
        raise NotCached(
            f"{cell.model.id} {cell.model.version}: {len(places) - best} of {len(places)} predictions "
            f"on {cell.dataset.id} ({condition}) are not in the cache {self.folders.cache}; "
            f"make them with: {rerun(cell)}"
        )

    def _stores(self, described: Mapping[str, Any]) -> Iterator[PredictionStore]:
        """Stores of these predictions, whatever other targets the model had then."""
        folder = (
            self.folders.predictions
            / f"{described['model']}-{described['version']}"
            / f"{described['database']}-{described['database_version']}"
        )
        for path, content in self._descriptions(folder):
            if all(
                name in content and content[name] == described[name]
                for name in described
                if name != "columns"
            ):
                yield store_of(path, content, reads_only=True)


def _descriptions_in(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Stores of a model on a database, and what each is about."""
    stores = []
    for path in sorted(folder.glob(f"*/{DESCRIPTION}")):
        with suppress(OSError, ValueError):
            content = parse_json(path.read_text("utf-8"))
            if isinstance(content, dict) and isinstance(content.get("columns"), list):
                stores.append((path.parent, content))
    return stores


def rerun(cell: Cell) -> str:
    """Command that makes the predictions of a cell."""
    what = {"model": cell.model, "target": cell.target, "test": cell.test, "dataset": cell.dataset}
    named = [word for name, entry in what.items() for word in (f"--{name}", entry.id)]
    seed = int(cell.parts.get("seed", 0))
    return advice.command("run", "--force", *named, *(("--seed", seed) if seed else ()))
