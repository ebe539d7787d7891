"""The one loop: plan -> samples -> predictions -> scores -> verdicts -> rows and figures.

A cell that fails becomes rows with status ``error`` and the rest goes on. Rows, figures and
manifests are written source by source, so that an interrupted run keeps what it computed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from common import models
from common.core.errors import BenchmarkError, DatasetUnavailable, ModelError
from common.core.paths import Paths
from common.designs import Score, Selection
from common.designs.selecting import Selector
from common.engine.identity import prediction_code
from common.engine.plan import Filters, Plan, Planner, stale_files
from common.engine.publish import Publisher
from common.engine.scoring import decoded, evaluate, view_of
from common.metrics.reasons import DATA, MODEL, Cause
from common.models.lazy import Lazy
from common.predictions.array_store import ArrayStore
from common.predictions.attributes import Context
from common.predictions.inputs import Request, Source, description, store_folder
from common.predictions.perturbing import Perturbing
from common.predictions.predict import NOT_TRIED, Predictor
from common.predictions.store import PredictionStore
from common.results.criteria import write_criteria
from common.results.rows import rows
from common.samples import datasets
from common.samples.base import Samples
from common.spec import Benchmark, Dataset, Model, kinds
from common.spec.cell import Cell
from common.spec.view import ORIGINAL
from common.uncertainty.simulation import Bounds

logger = logging.getLogger(__name__)
#: (stage, done, total) -> None
Progress = Callable[[str, int, int], None]


@dataclass
class Report:
    """What a run did.

    Args:
        computed: number of cells that were computed
        current: number of cells that were up to date
        errors: cell -> message
        not_run: cell -> reason
        calls: number of signals that were given to models
        distinct: number of distinct (model, segment, condition) that were asked for
    """

    computed: int = 0
    current: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    calls: int = 0
    distinct: int = 0


@dataclass
class _Work:
    """A cell with its samples and, later, its predictions."""

    cell: Cell
    selection: Selection
    requests: dict[str, Request] = field(default_factory=dict)
    error: str = ""


class Engine:
    """Runs the cells of a plan.

    Args:
        benchmark: declarations
        folders: where results and caches are
        seed: seed of the run
        workers: number of threads and processes
        download: whether remote data may be fetched
        device: auto, cpu or cuda
        progress: told how far it is
    """

    #: what writes the results, and whether the criteria of all tests are written beside them
    publisher: type[Publisher] = Publisher
    criteria_tables = True

    def __init__(
        self,
        benchmark: Benchmark,
        folders: Paths,
        *,
        seed: int = 0,
        workers: int = 1,
        download: bool = False,
        device: str = "auto",
        progress: Progress | None = None,
    ):
        self.benchmark = benchmark
        self.folders = folders
        self.seed = seed
        self.workers = workers
        self.device = device
        self.progress = progress or (lambda stage, done, total: None)
        self.planner = Planner(benchmark, folders, seed=seed, download=download)
        self.library = self.planner.library
        self.perturbing = Perturbing(self.library, workers)
        self._loaded: dict[str, Lazy] = {}
        self._named: set[str] = set()
        self._codes: dict[tuple[str, str], str] = {}
        self._facts: dict[str, tuple[tuple[str, ...], str]] = {}

    def run(self, filters: Filters | None = None, *, force: bool = False) -> Report:
        """Compute what is missing or stale among the selected cells.

        Raises:
            ConfigError: if a declaration or a filter is wrong
            OutputError: if results cannot be written
        """
        filters = filters or Filters()
        filters.check(self.benchmark)
        self.planner.prepare(
            filters,
            workers=self.workers,
            progress=lambda done, total: self.progress("synthesise embedded data", done, total),
        )
        plan = self.planner.plan(filters, force=force)
        if self.criteria_tables:
            write_criteria(self.benchmark, self.folders)
        report = Report(current=len(plan.done))
        self._named = set(filters.datasets)
        publisher = self.publisher(self.folders, plan, seed=self.seed, workers=self.workers)
        for model, reason in plan.failed:
            report.errors[model.id] = reason
        for cell, reason in plan.not_run:
            self._skip(publisher, report, cell, reason)
        for path in stale_files(plan, self.folders):
            path.unlink()
        with closing(publisher), closing(self.perturbing):
            try:
                for work in self._sources(plan, publisher, report):
                    self._run_source(*work, force, publisher, report)
                    publisher.write()
            finally:
                publisher.finish()
        return report

    def _skip(self, publisher: Publisher, report: Report, cell: Cell, reason: str) -> None:
        report.not_run[f"{cell.target.id}/{cell.model.id}/{cell.key}"] = reason
        publisher.not_run(cell, f"dataset unavailable: {reason}")

    def _sources(
        self, plan: Plan, publisher: Publisher, report: Report
    ) -> list[tuple[Source, list[_Work]]]:
        """Load the sample tables and group the cells by database."""
        by_dataset: dict[str, list[Cell]] = {}
        for cell in plan.todo:
            by_dataset.setdefault(cell.dataset.id, []).append(cell)
        sources: dict[tuple[str, ...], tuple[Source, list[_Work]]] = {}
        for number, (_, cells) in enumerate(by_dataset.items()):
            self.progress("load", number, len(by_dataset))
            dataset = cells[0].dataset
            try:
                samples = datasets.load(
                    dataset,
                    self.folders.cache,
                    self.benchmark.targets,
                    download=self.planner.download or dataset.id in self._named,
                )
            except DatasetUnavailable as error:
                for cell in cells:
                    self._skip(publisher, report, cell, str(error))
                continue
            except BenchmarkError as error:
                for cell in cells:
                    self._fail(publisher, report, cell, str(error), DATA)
                continue
            works = self._select(cells, samples, publisher, report)
            key = _source_key(dataset, samples)
            source, collected = sources.setdefault(key, (Source(samples), []))
            source.add(dataset.id, samples.table)
            collected += works
        for source, _ in sources.values():
            source.freeze()
        return list(sources.values())

    def _select(
        self, cells: list[Cell], samples: Samples, publisher: Publisher, report: Report
    ) -> list[_Work]:
        def tell(done: int, total: int) -> None:
            self.progress(f"attributes of {samples.dataset.id}", done, total)

        select = Selector(samples, self.seed, Context(self.folders.cache, self.workers, tell))
        works = []
        for cell in cells:
            try:
                works.append(_Work(cell, select(cell.test, cell.target)))
            except DatasetUnavailable as error:
                self._skip(publisher, report, cell, str(error))
            except BenchmarkError as error:
                self._fail(publisher, report, cell, str(error), DATA)
        return works

    def _run_source(
        self,
        source: Source,
        works: list[_Work],
        force: bool,
        publisher: Publisher,
        report: Report,
    ) -> None:
        requests: dict[tuple[str, str], Request] = {}
        asked, works = works, []
        for work in asked:
            try:
                self._ask(work, source, requests, report)
                works.append(work)
            except BenchmarkError as error:
                self._fail(publisher, report, work.cell, str(error))
        total = f"{source.database} {source.version}"

        def tell(done: int, wanted: int) -> None:
            self.progress(f"predict {total}", done, wanted)
            publisher.poll()

        predictor = Predictor(
            source,
            list(requests.values()),
            workers=self.workers,
            perturbing=self.perturbing,
            progress=tell,
        )
        try:
            predictor.run()
        except DatasetUnavailable as error:
            for work in works:
                self._skip(publisher, report, work.cell, str(error))
            return
        finally:
            report.calls += sum(request.calls for request in requests.values())
            report.distinct += sum(int(request.wanted.sum()) for request in requests.values())
        for number, work in enumerate(works):
            self.progress(f"score {total}", number, len(works))
            self._evaluate(work, source, publisher, report)

    def _ask(
        self,
        work: _Work,
        source: Source,
        requests: dict[tuple[str, str], Request],
        report: Report,
    ) -> None:
        """Note which predictions a cell wants; conditions that cannot be had are set aside."""
        cell, samples = work.cell, work.selection.samples
        if samples.empty:
            return
        wanted = cell.conditions
        never = {n: self.library.unfit(cell.target, used) for n, used in wanted.items()}
        lacks = partial(
            models.unanswered,
            cell.model,
            targets=self.benchmark.targets,
            cache=self.folders.cache,
        )
        reasons = {
            n: never[n] or lacks(used) or self.library.prepare(used) for n, used in wanted.items()
        }
        missing = {name: reason for name, reason in reasons.items() if reason}
        work.cell = cell = replace(cell, missing=missing)
        for name, reason in missing.items():
            if never[name]:
                continue  # so it is meant
            report.not_run[f"{cell.target.id}/{cell.model.id}/{cell.key}/{name}"] = reason
        if wanted and len(missing) == len(wanted):
            return
        ids = source.ids(cell.dataset.id, samples.index)
        for name, used in {ORIGINAL: ORIGINAL, **wanted}.items():
            if name in missing:
                continue
            key = (cell.model.id, used)
            if key not in requests:
                requests[key] = self._request(cell.model, used, source)
            requests[key].wanted[ids] = True
            work.requests[name] = requests[key]

    def _asked(self, model: Model) -> tuple[tuple[str, ...], str]:
        """Targets and fingerprint of a model, which are found out once."""
        if model.id not in self._facts:
            cache = self.folders.cache
            offered = models.offered_targets(model, self.benchmark.targets, cache=cache)
            self._facts[model.id] = offered, models.fingerprint(model, cache=cache)
        return self._facts[model.id]

    def _code(self, model: Model, dataset: Dataset) -> str:
        key = (model.adapter, dataset.adapter)
        if key not in self._codes:
            self._codes[key] = prediction_code(model, dataset)
        return self._codes[key]

    def _request(self, model: Model, condition: str, source: Source) -> Request:
        """Request for predictions in a condition: the original or the id of a perturbation."""
        offered, fingerprint = self._asked(model)
        chosen = [self.benchmark.targets[name] for name in offered]
        columns = [column for target in chosen for column in target.columns]
        described = description(
            model,
            fingerprint,
            source.samples,
            condition,
            perturbation="" if condition == ORIGINAL else self.library.digest(condition),
            seed=self.seed,
            code=self._code(model, source.samples.dataset),
        )
        described["columns"] = columns
        ragged = {t.id: kinds.get(t.kind).layout(t) for t in chosen if kinds.get(t.kind).is_ragged}
        if ragged:
            described["layouts"] = ragged
        folder = store_folder(self.folders.predictions, described)
        lazy = self._loaded.setdefault(
            model.id,
            Lazy(
                lambda: models.load(
                    model,
                    self.benchmark.targets,
                    seed=self.seed,
                    device=self.device,
                    cache=self.folders.cache,
                )
            ),
        )
        return Request(
            model=lazy,
            name=model.id,
            condition=condition,
            columns=columns,
            wanted=np.zeros(len(source.keys), dtype=bool),
            store=(ArrayStore if ragged else PredictionStore)(folder, described),
        )

    def _evaluate(self, work: _Work, source: Source, publisher: Publisher, report: Report) -> None:
        cell, samples = work.cell, work.selection.samples
        try:
            predictions = {}
            for condition, request in work.requests.items():
                ids = source.ids(cell.dataset.id, samples.index)
                lost = [int(i) for i in ids if int(i) in request.failed]
                if lost:
                    reasons = [request.failed[i] for i in lost]
                    first = next((r for r in reasons if not r.startswith(NOT_TRIED)), reasons[0])
                    raise ModelError(
                        f"no prediction for {len(lost)} of {len(ids)} samples; first: {first}"
                    )
                values = request.values[ids]
                predictions[condition] = decoded(cell.target, values, request.columns, samples)
            view = view_of(cell, work.selection, predictions, self.seed)
            bounds = Bounds(self.folders.cache)
            found = evaluate(cell, view, work.selection.reason, bounds)
        except BenchmarkError as error:
            self._fail(publisher, report, cell, str(error))
            return
        # metrics and designs may be the user's own: whatever they raise is a fault of the cell
        except Exception as error:
            message = f"scoring raised {type(error).__name__}: {' '.join(str(error).split())}"
            logger.debug("%s", message, exc_info=True)
            self._fail(publisher, report, cell, message)
            return
        publisher.cell(cell, found, replace(view, rows=found) if predictions else None)
        report.computed += 1

    @staticmethod
    def _fail(
        publisher: Publisher, report: Report, cell: Cell, message: str, cause: Cause = MODEL
    ) -> None:
        name = f"{cell.target.id}/{cell.model.id}/{cell.key}"
        logger.debug("%s: %s", name, message)
        report.errors[name] = message
        uses = cell.test.uses(cell.target.kind)
        failed = [
            {**row, "status": "error", "reason": message, "cause": cause}
            for row in rows(cell, [Score(use.metric, float("nan"), 0) for use in uses])
        ]
        publisher.cell(cell, failed, None, error=message)


def _source_key(dataset: Dataset, samples: Samples) -> tuple[str, ...]:
    return (
        dataset.adapter,
        dataset.database,
        dataset.version,
        str(dataset.embedded),
        samples.media_fingerprint,
    )
