"""What there is to do: which (target, model, test, dataset) exist, and which are up to date.

Planning reads YAML, manifests and hashes only. It imports no model runtime, opens no audio
and computes nothing, so that an up-to-date benchmark is recognised at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .. import models
from ..core import provenance
from ..core.errors import BenchmarkError, ConfigError, MissingDependency
from ..core.paths import Paths
from ..designs import design_of
from ..models import permit
from ..perturbations import Library, corpus_of
from ..results.keys import CellKey
from ..results.manifest import FORMAT, Manifest
from ..samples import datasets, demo
from ..spec import Benchmark, Dataset, Model, Target, Test
from ..spec.cell import Cell
from . import intact
from .identity import figure_code, prediction_code, scoring_code


@dataclass(frozen=True)
class Filters:
    """Selection by id; empty means all."""

    models: Sequence[str] = ()
    targets: Sequence[str] = ()
    tests: Sequence[str] = ()
    datasets: Sequence[str] = ()

    def check(self, benchmark: Benchmark) -> None:
        """Raise ConfigError with the nearest id for an id that does not exist."""
        for what in ("models", "targets", "tests", "datasets"):
            for name in getattr(self, what):
                benchmark.find(what, name, f"--{what.removesuffix('s')}")


@dataclass
class Plan:
    """Cells by what is to be done with them.

    Args:
        todo: missing or stale cells that can be computed
        done: cells whose rows, sums and figures are there and current
        not_run: cells whose dataset is not available, with the reason
        broken: cells of models that cannot even be opened, with the reason
        failed: such models of which nobody knows what they predict, with the reason
        selected: (target, model) pairs that the filters select
        order: (target, test) -> ids of its datasets in the order of the rows
    """

    todo: list[Cell] = field(default_factory=list)
    done: list[Cell] = field(default_factory=list)
    not_run: list[tuple[Cell, str]] = field(default_factory=list)
    broken: list[tuple[Cell, str]] = field(default_factory=list)
    failed: list[tuple[Model, str]] = field(default_factory=list)
    selected: list[tuple[Target, Model]] = field(default_factory=list)
    order: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is neither a cell nor a model that cannot be opened."""
        return not (self.todo or self.done or self.not_run or self.broken or self.failed)


def needs(test: Test, target: Target) -> tuple[str, ...]:
    """Columns that a dataset must have to take part in a test for a target."""
    return tuple(design_of(test).needs(target))


def missing_columns(test: Test, target: Target, dataset: Dataset) -> list[str]:
    """Needed columns that the dataset does not declare."""
    declared = datasets.declared_columns(dataset)
    return [column for column in needs(test, target) if column not in declared]


def participants(benchmark: Benchmark, test: Test, target: Target) -> list[Dataset]:
    """Datasets of a test for a target, in the order of the rows.

    Those that the test names, then the user's own that meet its needs
    (spec/interface.md, section 4). A dataset of the user that perturbations draw from is noise
    and no speech: it takes part only where its ``tests`` say so.
    """
    named = [benchmark.find("datasets", name, f"{test.origin}: datasets") for name in test.datasets]
    user_datasets = [
        d for d in benchmark.datasets.values() if not d.builtin and d.id not in test.datasets
    ]
    noise = {corpus_of(entry) for entry in benchmark.perturbations.values()}
    user_datasets = [d for d in user_datasets if d.id not in noise or d.tests is not None]
    return [
        dataset
        for dataset in (*named, *user_datasets)
        if (dataset.tests is None or test.id in dataset.tests)
        and not missing_columns(test, target, dataset)
    ]


def conditions(test: Test, target: Target) -> Mapping[str, str]:
    """Condition -> id of its perturbation, of a test for a target, as the test names it."""
    return design_of(test).conditions(target)


def made_of(
    test: Test,
    target: Target,
    dataset: Dataset,
    data: str,
    seed: int,
    perturbations: Mapping[str, str],
    code: Mapping[str, str],
) -> dict[str, Any]:
    """All that decides about the rows of a cell besides the model, part by part.

    ``perturbations`` has a digest for each condition, ``code`` the hashes of the code that
    scores the test and of the code that draws its figures.
    """
    uses = [use.model_dump() for use in test.uses_on(target.kind, dataset.id)]
    figure = test.figures.get(target.kind, "")
    unsaid = {
        "label",
        "description",
        "source",
        "cite",
        "license",
        "version",
        "tests",
        "path",
        "ratings",
    }
    return {
        "format": FORMAT,
        "test": provenance.digest([test.design, uses, figure, test.bounds]),
        "target": provenance.digest(
            target.model_dump(include={"id", "kind", "range", "labels", "detection"})
        ),
        "dataset": provenance.digest(dataset.model_dump(exclude=unsaid)),
        "dataset_version": dataset.version,
        "data": data,
        **code,
        "perturbations": dict(perturbations),
        "seed": seed,
    }


class Planner:
    """Builds plans; keeps what is asked more than once.

    Args:
        benchmark: declarations
        folders: where results and caches are
        seed: seed of the run
        download: whether remote data may be fetched; datasets named in the filters always may
    """

    def __init__(
        self, benchmark: Benchmark, folders: Paths, *, seed: int = 0, download: bool = False
    ):
        self.benchmark = benchmark
        self.folders = folders
        self.seed = seed
        self.download = download
        self._data: dict[str, tuple[str, str]] = {}
        self._parts: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._tables: dict[Path, str] = {}
        self._missing_parts: dict[str, str] = {}
        self._named: set[str] = set()
        self.library = Library(benchmark, folders.cache, seed=seed, download=self.may_fetch)

    def may_fetch(self, dataset: str) -> bool:
        """Whether data may be fetched from a remote repository."""
        return self.download or dataset in self._named

    def prepare(
        self, filters: Filters, *, workers: int, progress: Callable[[int, int], None]
    ) -> None:
        """Make the embedded data of the selected cells that are not there, noises included.

        Without the synthesiser of speech what needs it is not run, with the reason.

        Raises:
            ConfigError: for unknown ids, or if data had to be made for code that may not be run
        """
        filters.check(self.benchmark)
        names = {dataset.database for dataset in self._needed(filters) if dataset.embedded}
        if not names:
            return
        if demo.missing(self.folders.cache, names):  # speech takes a minute
            self._permit_new(filters)
        try:
            demo.ensure(self.folders.cache, names, workers=workers, progress=progress)
        except MissingDependency as error:
            self._missing_parts = dict.fromkeys(demo.missing(self.folders.cache, names), str(error))

    def _permit_new(self, filters: Filters) -> None:
        """Refuse selected models without results whose code nobody has allowed to run."""
        targets = [target.id for target in _chosen(self.benchmark.targets, filters.targets)]
        for model in _chosen(self.benchmark.models, filters.models):
            if not any(self.folders.manifest(target, model.id).is_file() for target in targets):
                permit(model)

    def _needed(self, filters: Filters) -> Iterator[Dataset]:
        """Datasets of the selected cells and of their recordings, some more than once."""
        for target in _chosen(self.benchmark.targets, filters.targets):
            for test in self.benchmark.applicable(target.id):
                if not filters.tests or test.id in filters.tests:
                    for dataset in participants(self.benchmark, test, target):
                        if not filters.datasets or dataset.id in filters.datasets:
                            yield dataset
                            yield from self._recordings(test, target, dataset)

    def conditions(self, test: Test, target: Target, dataset: Dataset) -> dict[str, str]:
        """Condition -> id of its perturbation, with the corpora that the dataset wants."""
        used = conditions(test, target).items()
        return {name: self.library.variant(of, dataset.corpora) for name, of in used}

    def _recordings(self, test: Test, target: Target, dataset: Dataset) -> Iterator[Dataset]:
        for name in self.conditions(test, target, dataset).values():
            recordings = self.library.recordings(name)
            if recordings is not None:
                yield recordings

    def plan(self, filters: Filters | None = None, *, force: bool = False) -> Plan:
        """Plan for the selected cells.

        Args:
            filters: selection
            force: whether cells that are up to date are computed again

        Raises:
            ConfigError: for unknown ids, or if nothing is selected
        """
        filters = filters or Filters()
        filters.check(self.benchmark)
        self._named = set(filters.datasets)
        plan = Plan()
        offers: list[str] = []
        for model in _chosen(self.benchmark.models, filters.models):
            try:
                fingerprint = models.fingerprint(model, cache=self.folders.cache)
                offered = models.offered_targets(
                    model, self.benchmark.targets, cache=self.folders.cache
                )
            except ConfigError:
                raise
            except BenchmarkError as error:
                self._add_broken(plan, model, str(error), filters)
                offers.append(str(error))
                continue
            offers.append(f"{model.id} predicts {', '.join(offered)}")
            for target in _chosen(self.benchmark.targets, filters.targets):
                if target.id in offered:
                    plan.selected.append((target, model))
                    self._add(plan, target, model, fingerprint, filters, force)
        if not (plan.selected or plan.failed or plan.broken):
            what = f"target ({', '.join(filters.targets)})" if filters.targets else "cell"
            raise ConfigError(f"no model offers a selected {what}: {'; '.join(offers):.300}")
        return plan

    def _add_broken(self, plan: Plan, model: Model, fault: str, filters: Filters) -> None:
        """Cells of a model that cannot be opened: of targets that its entry names, or that it has results for."""
        cell_targets = [
            target
            for target in self.benchmark.targets.values()
            if target.id in model.outputs
            or (not model.outputs and self.folders.manifest(target.id, model.id).is_file())
        ]
        if not cell_targets:
            plan.failed.append((model, fault))
        for target in cell_targets:
            if not filters.targets or target.id in filters.targets:
                self._add(plan, target, model, "", filters, force=True, fault=fault)

    def _add(
        self,
        plan: Plan,
        target: Target,
        model: Model,
        fingerprint: str,
        filters: Filters,
        force: bool,
        fault: str = "",
    ) -> None:
        """Cells of a model and a target; ``fault`` says why the model cannot be opened, if it cannot."""
        manifest = Manifest.read(self.folders.manifest(target.id, model.id))
        for test in self.benchmark.applicable(target.id):
            chosen = participants(self.benchmark, test, target)
            plan.order[target.id, test.id] = [dataset.id for dataset in chosen]
            if filters.tests and test.id not in filters.tests:
                continue
            for dataset in chosen:
                if filters.datasets and dataset.id not in filters.datasets:
                    continue
                _, reason = self.data(dataset, named=dataset.id in filters.datasets)
                parts = self.made_of(model, fingerprint, test, target, dataset)
                used = self.conditions(test, target, dataset)
                missing = {} if fault else self._where(used, partial(self.lacking, model))
                missing |= self._where(used, partial(self.library.unfit, target))
                remarks = self.remarks(used)
                digest = provenance.digest(parts)
                cell = Cell(target, model, test, dataset, digest, missing, parts, used, remarks)
                if not force and self.is_current(cell, manifest):
                    plan.done.append(cell)
                elif reason:
                    plan.not_run.append((cell, reason))
                elif fault:
                    plan.broken.append((cell, fault))
                else:
                    plan.todo.append(cell)

    def lacking(self, model: Model, name: str) -> str:
        """Why there are no predictions of a model after a perturbation; empty: there can be."""
        targets, cache = self.benchmark.targets, self.folders.cache
        return models.unanswered(model, name, targets, cache=cache) or self.library.missing(name)

    def remarks(self, used: Mapping[str, str]) -> dict[str, str]:
        """Condition -> which recordings its perturbation draws from."""
        return self._where(used, self.library.remark)

    @staticmethod
    def _where(used: Mapping[str, str], text: Callable[[str], str]) -> dict[str, str]:
        """Conditions about whose perturbation there is something to say."""
        remarks = {condition: text(name) for condition, name in used.items()}
        return {condition: said for condition, said in remarks.items() if said}

    def data(self, dataset: Dataset, *, named: bool = False) -> tuple[str, str]:
        """Fingerprint of the data and, if they are not available, the reason."""
        if dataset.id not in self._data:
            cache = self.folders.cache
            reason = self._missing_parts.get(dataset.database, "") if dataset.embedded else ""
            may = self.download or named
            reason = reason or datasets.availability(dataset, cache, download=may)
            data = "" if reason else datasets.fingerprint(dataset, cache)
            self._data[dataset.id] = (data, reason)
        return self._data[dataset.id]

    def made_of(
        self, model: Model, fingerprint: str, test: Test, target: Target, dataset: Dataset
    ) -> dict[str, Any]:
        """All that decides about the rows of a cell, part by part."""
        key = (test.id, target.id, dataset.id)
        if key not in self._parts:
            used = self.conditions(test, target, dataset).items()
            digests = {condition: self.library.digest(name) for condition, name in used}
            code = {"code": scoring_code(test, target), "figures": figure_code(test, target)}
            data = self.data(dataset)[0]
            self._parts[key] = made_of(test, target, dataset, data, self.seed, digests, code)
        model_parts = {
            "model": model.id,
            "model_version": model.version,
            "fingerprint": fingerprint,
            "prediction": prediction_code(model, dataset),
        }
        return {**model_parts, **self._parts[key]}

    def is_current(self, cell: Cell, manifest: Manifest | None) -> bool:
        """Whether rows, sums and figures of a cell are as they were written, from what is there now.

        A condition that could not be run and now can makes it stale; one that could be run and
        now cannot does not, so that results are never replaced by nothing.
        """
        if manifest is None:
            return False
        entry = manifest.cells.get(cell.key)
        if entry is None or entry["hash"] != cell.hash or entry.get("status") == "error":
            return False
        if entry.get("made_of") != cell.parts:  # pages show it
            return False
        if not set(entry.get("missing", ())) <= set(cell.missing):
            return False
        ids = (cell.target.id, cell.model.id, cell.test.id)
        table = self._table(self.folders.results(*ids))
        if table != manifest.tables.get(cell.test.id, ""):
            return False
        return intact.is_intact(entry, self.folders, CellKey(*ids, cell.dataset.id))

    def _table(self, path: Path) -> str:
        if path not in self._tables:
            self._tables[path] = provenance.file_digest(path) if path.exists() else "missing"
        return self._tables[path]


def _chosen(items: Mapping[str, Any], names: Collection[str]) -> list[Any]:
    return [item for name, item in items.items() if not names or name in names]
