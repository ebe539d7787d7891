"""What became of the cells of a run: rows, errors with their rows, and what was not run."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.errors import BenchmarkError, DatasetUnavailable
from ..designs import Score
from ..metrics.reasons import MODEL, Cause
from ..models.outside import Span, far_outside, warning
from ..predictions.inputs import Request
from ..results.rows import rows
from ..spec import kinds
from ..spec.cell import Cell
from ..spec.view import ORIGINAL
from .plan import Plan
from .publish import Publisher
from .requests import Work
from .scoring import Evaluation

logger = logging.getLogger(__name__)


@dataclass
class Report:
    """What a run did.

    Args:
        computed: number of cells that were computed
        current: number of cells that were up to date
        errors: cell -> message
        not_run: cell -> reason
        calls: number of signals that were given to models
        distinct: number of distinct (model, segment, condition) that were asked for; the same audio in
            two versions of a database counts once for a model that listens
        settled: whether there was nothing to do
        predictions: of each model, condition and dataset how many predictions were asked for (distinct),
            how many of them the store had, how many signals were given to the model, how many failed
        warnings: what was computed as it is, but is hardly meant so
    """

    computed: int = 0
    current: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    calls: int = 0
    distinct: int = 0
    settled: bool = False
    predictions: list[dict[str, str | int]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan, *, settled: bool) -> Report:
        """What is known before anything is computed."""
        errors = {model.id: reason for model, reason in plan.failed}
        not_run = {cell.name: reason for cell, reason in plan.not_run}
        return cls(current=len(plan.done), errors=errors, not_run=not_run, settled=settled)


def about_of(cell: Cell) -> dict[str, str]:
    """Target, model, test and dataset of a cell, for the log."""
    parts = {"target": cell.target, "model": cell.model, "test": cell.test, "dataset": cell.dataset}
    return {name: entry.id for name, entry in parts.items()}


class Journal:
    """Notes what becomes of cells, in a report and in the results.

    Args:
        report: filled in place
        publisher: writes rows, figures and manifests
    """

    def __init__(self, report: Report, publisher: Publisher):
        self.report = report
        self.publisher = publisher
        #: test and dataset -> model -> outcome of its rows, of cells that were not told about yet
        self._news: dict[tuple[str, str], dict[str, _Outcome]] = {}
        #: model and target -> from where to where numbers are that are far outside
        self._spans: dict[tuple[str, str], Span] = {}
        self._warnings: dict[tuple[str, str], str] = {}

    def skip(self, cell: Cell, reason: str) -> None:
        """A cell whose dataset is not available; its earlier rows are kept."""
        self.report.not_run[cell.name] = reason
        self.publisher.not_run(cell, f"dataset unavailable: {reason}")

    def fail(self, cell: Cell, message: str, cause: Cause = MODEL) -> None:
        """A cell that ended in an error; it becomes rows that say so."""
        logger.debug("%s: %s", cell.name, message, extra={"about": about_of(cell)})
        self.report.errors[cell.name] = message
        uses = cell.test.uses(cell.target.kind)
        failed = [
            {**row, "status": "error", "reason": message, "cause": cause}
            for row in rows(cell, [Score(use.metric, float("nan"), 0) for use in uses])
        ]
        self.publisher.cell(cell, failed, None, error=message)
        self._note(cell, failed)

    @contextmanager
    def guarding(self, *cells: Cell, cause: Cause = MODEL) -> Iterator[None]:
        """Let a fault become one of some cells, so that the run goes on with the others.

        Args:
            cells: those that cannot be computed then
            cause: what causes errors; data that are not there are none
        """
        try:
            yield
        except DatasetUnavailable as error:
            for cell in cells:
                self.skip(cell, str(error))
        except BenchmarkError as error:
            for cell in cells:
                self.fail(cell, str(error), cause)

    def lack(self, cell: Cell, conditions: Mapping[str, str]) -> None:
        """Conditions of a cell that cannot be had here, with the reasons."""
        for condition, reason in conditions.items():
            self.report.not_run[f"{cell.name}/{condition}"] = reason

    def predicted(self, dataset: str, requests: Iterable[Request]) -> None:
        """How many predictions on a dataset were asked for, stored, and made."""
        for request in requests:
            if not request.wanted.any():
                continue
            distinct = int(request.wanted.sum()) - request.repeated
            self.report.calls += request.calls
            self.report.distinct += distinct
            self.report.predictions.append(
                {
                    "model": request.name,
                    "condition": request.condition,
                    "dataset": dataset,
                    "distinct": distinct,
                    "stored": request.stored,
                    "calls": request.calls,
                    "failed": len(request.failed),
                }
            )

    def look(self, works: Iterable[Work]) -> None:
        """Note which predictions of unchanged signals lie far outside the range of their target."""
        for key, work in {(w.cell.model.id, w.cell.target.id): w for w in works}.items():
            model, target, request = work.cell.model, work.cell.target, work.requests.get(ORIGINAL)
            if request is None or not kinds.of(target).is_number or not len(request.values):
                continue
            values = request.values[request.wanted, request.columns.index(target.id)]
            span = far_outside(values.astype(np.float64), target)
            if span is not None:
                before = self._spans.get(key, span)
                span = Span(min(span.least, before.least), max(span.most, before.most))
                self._spans[key] = span
                self._warnings[key] = warning(model, target, span)
        self.report.warnings = list(filter(None, self._warnings.values()))

    def publish(self, evaluation: Evaluation, rows: list[dict[str, Any]]) -> None:
        """A cell that was computed, with its rows."""
        view = replace(evaluation.view, rows=rows) if evaluation.view.predictions else None
        self.publisher.cell(evaluation.cell, rows, view, sums=evaluation.sums)
        self.report.computed += 1
        self._note(evaluation.cell, rows)

    def _note(self, cell: Cell, rows: Iterable[Mapping[str, Any]]) -> None:
        models = self._news.setdefault((cell.test.id, cell.dataset.id), {})
        models.setdefault(cell.model.id, _Outcome()).add(rows)

    def outcomes(self) -> list[str]:
        """What tests found since this was last asked for: passed of executed rows of each model.

        A line says for example ``fairness_sex, demo-emotion: baseline 66/72 passed,
        random-gaussian 54/54``, which models had errors, or why nothing could be judged.
        """
        lines = []
        for (test, dataset), models in sorted(self._news.items()):
            shares = [
                f"{model} {outcome.passed}/{outcome.executed}"
                for model, outcome in models.items()
                if outcome.executed
            ]
            parts = [f"{shares[0]} passed{', '.join(['', *shares[1:]])}"] if shares else []
            reasons: dict[str, list[str]] = {}
            failed = [model for model, outcome in models.items() if outcome.has_error]
            parts += [f"{', '.join(failed)} error"] if failed else []
            for model, outcome in models.items():
                if not outcome.executed and not outcome.has_error:
                    reasons.setdefault(outcome.reason, []).append(model)
            parts += [
                f"{', '.join(names)} nothing to judge: {why}" for why, names in reasons.items()
            ]
            lines.append(f"{test}, {dataset}: {'; '.join(parts)}")
        self._news.clear()
        return lines


class _Outcome:
    """Verdicts on the rows of a model in a test on a dataset, and why rows have none."""

    def __init__(self) -> None:
        self.passed = self.executed = 0
        self.has_error = False
        self._reasons: Counter[str] = Counter()

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Count rows."""
        for row in rows:
            self.passed += row["status"] == "pass"
            self.executed += row["status"] in ("pass", "fail")
            self.has_error |= row["status"] == "error"
            if row["status"] == "skip":
                self._reasons[str(row["reason"])] += 1

    @property
    def reason(self) -> str:
        """The reason of most skipped rows."""
        return self._reasons.most_common(1)[0][0] if self._reasons else "no score"
