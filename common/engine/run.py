"""The flow of a run: plan -> samples -> predictions -> scores -> verdicts -> rows and figures.

:meth:`Engine.run` names the stages. A cell that fails becomes rows with status ``error`` and the
rest goes on. Rows, figures and manifests are written database by database, so that an interrupted
run keeps what it computed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ..core import files
from ..core.errors import AudioError, BenchmarkError, DatasetUnavailable
from ..core.paths import Paths
from ..core.stages import StageTimes
from ..designs.selecting import Selector
from ..metrics.reasons import DATA
from ..models import permit
from ..predictions.attributes import Context
from ..predictions.attributes.f0_models import METHODS
from ..predictions.cluster import Cluster
from ..predictions.inputs import Request, Source
from ..predictions.perturbing import Perturbing
from ..predictions.predict import Predictor
from ..predictions.remote import Setting
from ..predictions.schedulers import Scheduler
from ..results.criteria import criteria_files, write_criteria
from ..samples import datasets
from ..samples.base import Samples
from ..spec import Benchmark, Dataset, Target
from ..spec.cell import Cell
from ..uncertainty.simulation import Bounds
from .choosing import nothing_selected
from .describing import describe
from .journal import Journal, Report, about_of
from .plan import Filters, Plan, Planner
from .publish import Publisher
from .requests import Asking, Work, by_database
from .scoring import evaluate
from .settling import (
    damaged_facts,
    describe_again,
    describe_lost,
    is_settled,
    lost_facts,
    stale_files,
)

__all__ = ["Engine", "Report"]

logger = logging.getLogger(__name__)
#: (stage, done, total) -> None
Progress = Callable[[str, int, int], None]
T = TypeVar("T")


class Engine:
    """Runs the cells of a plan.

    Args:
        benchmark: declarations
        folders: where results and caches are
        seed: seed of the run
        workers: number of threads and processes
        download: whether remote data may be fetched
        device: auto, cpu or cuda
        scheduler: cluster that computes predictions; None: this process does
        progress: told how far it is
        finished: told in one line what a test found on a dataset, as soon as it is known
        times: measures the stages
    """

    #: what writes the results, and whether the criteria of all tests and what datasets are like are
    #: written beside them
    publisher: type[Publisher] = Publisher
    criteria_tables = True
    describes = True
    #: whether a selection without any cell is fine, and not a mistake of who made it
    may_be_empty = False

    def __init__(
        self,
        benchmark: Benchmark,
        folders: Paths,
        *,
        seed: int = 0,
        workers: int = 1,
        download: bool = False,
        device: str = "auto",
        scheduler: Scheduler | None = None,
        progress: Progress | None = None,
        finished: Callable[[str], None] | None = None,
        times: StageTimes | None = None,
    ):
        self.benchmark = benchmark
        self.folders = folders
        self.workers = workers
        self.progress = progress or (lambda stage, done, total: None)
        self.finished = finished or (lambda line: None)
        self.times = times or StageTimes()
        #: what the last run did, or has done so far
        self.report = Report(settled=True)
        self.planner = Planner(benchmark, folders, seed=seed, download=download)
        self.library = self.planner.library
        self.perturbing = Perturbing(self.library, workers, METHODS)
        self.asking = Asking(self.planner, device)
        self.cluster: Cluster | None = None
        if scheduler is not None:
            setting = Setting.of(benchmark, folders.cache, seed, device)
            self.cluster = Cluster(scheduler, setting)

    def run(self, filters: Filters | None = None, *, force: bool = False) -> Report:
        """Compute what is missing or stale among the selected cells.

        Args:
            filters: selection
            force: whether cells that are up to date are computed again

        Raises:
            ConfigError: if a declaration or a filter is wrong, nothing is selected, or code of a
                catalog may not be run
            OutputError: if results cannot be written
        """
        self.folders.stay_inside()
        filters = filters or Filters()
        progress = partial(self.progress, "synthesise embedded data")
        with self.times("synthesis"):
            self.planner.prepare(filters, workers=self.workers, progress=progress)
        with self.times("plan"):
            plan = self.planner.plan(filters, force=force)
            if plan.is_empty and not self.may_be_empty:
                raise nothing_selected(self.benchmark, filters, plan)
        self._describe_again(lost_facts(plan, self.folders), describe_lost)
        with self.times("compare"):
            texts = criteria_files(self.benchmark, self.folders) if self.criteria_tables else {}
            settled = is_settled(plan, self.folders, texts)
            report = self.report = Report.of(plan, settled=settled)
        if report.settled:
            return report
        for cell in plan.todo:
            permit(cell.model)
        with self._journal(plan, report) as journal:
            selected = [
                (samples, self._select(samples, cells, journal))
                for samples, cells in self._load(plan.todo, journal)
            ]
            jobs = [
                (source, *self._ask(works, source, journal))
                for source, works in by_database(selected)
            ]
            self.asking.look_ahead([(source, requests) for source, _, requests in jobs])
            self._describe_again(damaged_facts(plan, self.folders), describe_again)
            while jobs:  # the values of a database go with its turn
                source, works, requests = jobs.pop(0)
                works = self._predict(works, source, requests, journal)
                self._describe(source, [samples for samples, _ in selected])
                for work in self._told(f"score {source.name}", works):
                    self._evaluate(work, source, journal)
                with self.times("figures"):
                    journal.publisher.write()
                for line in journal.outcomes():
                    self.finished(line)
        return report

    @contextmanager
    def _journal(self, plan: Plan, report: Report) -> Iterator[Journal]:
        """Where the outcome goes; all of it is written at the end, however that comes."""
        if self.criteria_tables:
            write_criteria(self.benchmark, self.folders)
        seed, workers = self.planner.seed, self.workers
        publisher = self.publisher(self.folders, plan, seed=seed, workers=workers)
        publisher.progress = partial(self.progress, "figures")
        journal = Journal(report, publisher)
        for cell, reason in plan.not_run:
            journal.skip(cell, reason)
        for cell, reason in plan.broken:
            journal.fail(cell, reason)
        for path in stale_files(plan, self.folders):
            files.discard(path)
        cluster = closing(self.cluster) if self.cluster else nullcontext()
        with closing(publisher), closing(self.perturbing), cluster:
            try:
                yield journal
            finally:
                with self.times("figures"):
                    publisher.finish()

    def _load(
        self, todo: Sequence[Cell], journal: Journal
    ) -> Iterator[tuple[Samples, Sequence[Cell]]]:
        """The sample table of each dataset with its cells."""
        by_dataset: dict[str, list[Cell]] = {}
        for cell in todo:
            by_dataset.setdefault(cell.dataset.id, []).append(cell)
        for name, cells in self._told("load", list(by_dataset.items())):
            cache, targets = self.folders.cache, self.benchmark.targets
            samples = None
            with self.times("load", dataset=name), journal.guarding(*cells, cause=DATA):
                may = self.planner.may_fetch(name)
                samples = datasets.load(cells[0].dataset, cache, targets, download=may)
                kin = datasets.kin(samples, self.benchmark.datasets.values())
                samples = replace(samples, kin=kin)
            if samples is not None:
                yield samples, cells

    def _select(self, samples: Samples, cells: Sequence[Cell], journal: Journal) -> list[Work]:
        """Cells with their samples."""
        progress = partial(self.progress, f"attributes of {samples.dataset.id}")
        context = Context(self.folders.cache, self.workers, progress, self.perturbing)
        select = Selector(samples, self.planner.seed, context)
        works = []
        for cell in cells:
            about = self.times("attributes", **about_of(cell))
            with about, journal.guarding(cell, cause=DATA):
                works.append(Work(cell, select(cell.test, cell.target)))
        return works

    def _ask(
        self, works: Sequence[Work], source: Source, journal: Journal
    ) -> tuple[list[Work], list[Request]]:
        """Cells with their requests, and each distinct request once."""
        jobs: list[Work] = []
        requests: dict[tuple[str, str], Request] = {}
        for work in works:
            with journal.guarding(work.cell):
                jobs.append(self.asking.ask(work, source, requests))
        for work in jobs:
            journal.lack(work.cell, work.lacking)
        return jobs, list(requests.values())

    def _predict(
        self, works: list[Work], source: Source, requests: Sequence[Request], journal: Journal
    ) -> list[Work]:
        """Fulfil the requests; without the media no cell is left."""

        def told(done: int, total: int) -> None:
            self.progress(f"predict {source.name}", done, total)
            journal.publisher.poll()

        try:
            with self.times("predict", dataset=source.database):
                Predictor(
                    source,
                    requests,
                    workers=self.workers,
                    perturbing=self.perturbing,
                    progress=told,
                    executor=self.cluster,
                    cache=self.folders.cache,
                ).run()
        except DatasetUnavailable as error:
            for work in works:
                journal.skip(work.cell, str(error))
            return []
        finally:
            journal.predicted(source.name, requests)
            journal.look(works)
        return works

    def _describe(self, source: Source, selected: Sequence[Samples]) -> None:
        """Write what the datasets of a source are like."""
        source.complete_peaks()
        for samples in selected if self.describes else ():
            if source.has(samples.dataset.id):
                progress = partial(self.progress, f"describe {samples.dataset.id}")
                with self.times("describe", dataset=samples.dataset.id):
                    describe(samples, source, self.benchmark.targets, self.folders, progress)

    def _describe_again(
        self,
        lacking: Sequence[Dataset],
        make: Callable[[Dataset, Mapping[str, Target], Paths], None],
    ) -> None:
        """Make again what was written about datasets and was damaged or removed since."""
        for dataset in lacking if self.describes else ():
            with self.times("describe", dataset=dataset.id):
                try:
                    make(dataset, self.benchmark.targets, self.folders)
                except BenchmarkError as error:
                    logger.warning("%s: cannot be described again: %s", dataset.id, error)

    def _evaluate(self, work: Work, source: Source, journal: Journal) -> None:
        """Score and judge a cell and write what came out."""
        about = {"cell": work.cell.name, **about_of(work.cell)}
        try:
            with self.times("score", **about):
                evaluation = evaluate(work.cell, work.selection, work.predictions(source))
            with self.times("intervals", **about):
                rows = evaluation.rows(Bounds(self.folders.cache))
        except AudioError as error:
            journal.fail(work.cell, str(error), DATA)
        except BenchmarkError as error:
            journal.fail(work.cell, str(error))
        # metrics and designs may be the user's own: whatever they raise is a fault of the cell
        except Exception as error:
            message = f"scoring raised {type(error).__name__}: {' '.join(str(error).split())}"
            logger.debug("%s", message, exc_info=True)
            journal.fail(work.cell, message)
        else:
            with self.times("write", **about):
                journal.publish(evaluation, rows)

    def _told(self, stage: str, items: Sequence[T]) -> Iterator[T]:
        """Items one after the other, with the progress of a stage."""
        for number, item in enumerate(items):
            self.progress(stage, number, len(items))
            yield item
