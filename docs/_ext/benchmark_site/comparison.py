"""Comparison pages: a baseline beside candidates, cell by cell.

Cells are joined by what they are (test, metric, data, condition, label), never by their
place in a table, and verdicts are compared only where both models have one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from benchmark_site import cells, tables
from benchmark_site.content import Board, Content, metric_names, words
from benchmark_site.page import Page, Section, anchor, slug
from benchmark_site.render import comparison_doc, model_doc, render, test_doc
from benchmark_site.sources import Model
from common.core.display import signed
from common.metrics.reasons import DATA, NOT_RUN
from common.reports import summary
from common.reports.summary import Key, Outcome, VerdictCounts, WideCell
from common.results import STATUSES

VERDICTS = ("pass", "fail")
#: both verdicts by intervals that leave no doubt
CERTAIN = {"passes", "fails"}
#: own models are compared with this many of the best published ones
PEERS = 3
#: at most so many own models stand side by side
MOST = 6
#: test, metric and line of a cell -> its score
Cells = dict[tuple[str, str, Key], WideCell]


@dataclass(frozen=True)
class Plan:
    """A comparison page to be made.

    Args:
        doc: name of the document
        sides: models and their cells, baseline first
        scores: score of each model: in the ranking, or on the shared cells
        shared: whether only cells that all models have are counted
    """

    doc: str
    sides: tuple[tuple[Model, Cells], ...]
    scores: tuple[Fraction | None, ...]
    shared: bool = False

    @property
    def title(self) -> str:
        """Heading."""
        return " vs. ".join(model.label for model, _ in self.sides)

    @property
    def present(self) -> set[str]:
        """Tests that any of the models has."""
        return {test for _, scores in self.sides for test, _, _ in scores}


def planned(content: Content, target: str) -> list[Plan]:
    """Comparisons of a target: those of the paper, then own models, then both together."""
    papers = [board for board in content.boards[target] if board.published]
    runs = [board for board in content.boards[target] if not board.published]
    plans = [plan for board in papers for plan in _of_paper(content, board)]
    plans += [plan for board in runs for plan in _of_run(board)]
    plans += [plan for run in runs for paper in papers for plan in _with_paper(run, paper)]
    return plans


def _of_paper(content: Content, board: Board) -> list[Plan]:
    models = {model.id: model for model in board.models}
    return [
        _plan(slug("_".join(line.models)), [(board, models[name]) for name in line.models])
        for line in content.comparisons
        if line.target == board.target and all(name in models for name in line.models)
    ]


def _of_run(board: Board) -> list[Plan]:
    best = [line.model for line in board.ranked][:MOST]
    return [_plan(board.name, [(board, model) for model in best])] if len(best) > 1 else []


def _with_paper(run: Board, paper: Board) -> list[Plan]:
    """Each own model beside the best published ones, on the cells that all of them have."""
    best = [line.model for line in paper.ranked][:PEERS]
    plans = []
    for model in [line.model for line in run.ranking if not line.model.chance]:
        sides = [(paper, best[0]), (run, model), *((paper, peer) for peer in best[1:])]
        plan = _plan(f"{run.name}-{model.slug}", sides, shared=True)
        if plan.present:
            plans.append(plan)
    return plans


def _plan(name: str, sides: list[tuple[Board, Model]], *, shared: bool = False) -> Plan:
    columns = [
        {
            (test, metric, key): score
            for test, metrics in board.scores.get(model.id, {}).items()
            for metric, lines in metrics.items()
            for key, score in lines.items()
        }
        for board, model in sides
    ]
    if shared:
        common = set.intersection(*map(set, columns))
        columns = [{key: cells[key] for key in cells if key in common} for cells in columns]
    models = [model for _, model in sides]
    doc = comparison_doc(sides[0][0].target, name)
    families = {test: family for board, _ in sides for test, family in board.families.items()}
    scores = _scores(columns, families) if shared else [b.score(model) for b, model in sides]
    return Plan(doc, tuple(zip(models, columns, strict=True)), tuple(scores), shared)


def _scores(columns: Sequence[Cells], families: Mapping[str, str]) -> list[Fraction | None]:
    """Score of each model as in a ranking, on cells that all have and the data allow."""
    never = {DATA, NOT_RUN}
    possible = {
        key for key in columns[0] if not any(column[key].cause in never for column in columns)
    }
    sums = []
    for column in columns:
        tests: dict[str, list[bool]] = {}
        for key in possible:
            tests.setdefault(key[0], []).append(column[key].status == "pass")
        cells = {test: Outcome(sum(passed), len(passed)) for test, passed in tests.items()}
        sums.append(summary.score(cells, families))
    return sums


def page(content: Content, target: str, plan: Plan) -> Page:
    """Comparison page."""
    page = Page(plan.doc, plan.title)
    page.html = render(
        "comparison.j2",
        models=[
            {"label": model.label, "href": page.href(model_doc(target, model))}
            for model, _ in plan.sides
        ],
        shared=plan.shared,
        groups=_shares(content, page, target, plan),
    )
    baseline, before = plan.sides[0]
    for model, after in plan.sides[1:]:
        change = _changes(content, page, target, before, after)
        html = render("changed.j2", baseline=baseline.label, candidate=model.label, **change)
        title = f"{model.label}: cells with another verdict than {baseline.label}"
        page.sections.append(Section(anchor("changed", model.slug), title, html))
    return page


def _shares(content: Content, page: Page, target: str, plan: Plan) -> list[dict[str, Any]]:
    """Share of executed cells per test, below the score."""

    def entries(tests: set[str]) -> list[dict[str, Any]]:
        tallies = [
            _tally(score for (test, _, _), score in cells.items() if test in tests)
            for _, cells in plan.sides
        ]
        return [
            {
                "share": tally.share,
                "hint": f"{tally.passed} of {tally.executed} passed, {tally.skipped} skipped",
                "change": _change(tallies[0].share, tally.share),
            }
            for tally in tallies
        ]

    groups: dict[str, list[dict[str, Any]]] = {}
    for test in _tests(content, target, plan):
        facts = content.tests[test]
        href = page.href(test_doc(target, test))
        row = {"label": facts.title, "href": href, "cells": entries({test})}
        groups.setdefault(words(facts.family), []).append(row)
    scores = [
        {"share": share, "hint": "", "change": _change(plan.scores[0], share)}
        for share in plan.scores
    ]
    overall = {"label": "Score", "href": "", "cells": scores}
    rest = [{"title": title, "rows": rows} for title, rows in groups.items()]
    return [{"title": "", "rows": [overall]}, *rest]


def _tally(scores: Iterable[WideCell]) -> VerdictCounts:
    count = dict.fromkeys(STATUSES, 0)
    for score in scores:
        count[score.status] += 1
    return VerdictCounts(*count.values())


def _change(baseline: Fraction | None, share: Fraction | None) -> str:
    """Difference of shares in percentage points as text; empty if there is none."""
    if baseline is None or share is None or share == baseline:
        return ""
    return signed(float(100 * (share - baseline)), 1)


def _tests(content: Content, target: str, plan: Plan) -> list[str]:
    order = dict.fromkeys(test for board in content.boards[target] for test in board.tests)
    present = plan.present
    return [test for test in order if test in present]


def _changes(
    content: Content, page: Page, target: str, before: Cells, after: Cells
) -> dict[str, Any]:
    """Cells whose verdict differs between two models, and how many have one."""
    judged = [
        {k for k, s in entries.items() if s.status in VERDICTS} for entries in (before, after)
    ]
    both = judged[0] & judged[1]
    entries: dict[str, list[dict[str, Any]]] = {verdict: [] for verdict in VERDICTS}
    certain, pairs = 0, 0
    for place in (place for place in before if place in both):
        old, new = before[place], after[place]
        if old.status != new.status:
            test, metric, key = place
            pairs += bool(old.certain and new.certain)
            certain += {old.certain, new.certain} == CERTAIN
            entries[new.status].append(
                {
                    "test": content.tests[test].title,
                    "href": page.href(test_doc(target, test)),
                    "data": key.data,
                    "part": tables.part(key.condition, key.label, key.data),
                    "metric": metric_names(metric)[0],
                    "before": cells.cell(old),
                    "after": cells.cell(new),
                    "rule": tables.rule(metric, [new]),
                }
            )
    return {
        "shared": len(both),
        "gained": entries["pass"],
        "lost": entries["fail"],
        "certain": certain,
        "known": pairs,
        "only": [len(keys - both) for keys in judged],
    }
