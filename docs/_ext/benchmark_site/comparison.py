"""Comparison pages: a baseline beside candidates, on the cells that all of them are judged on.

Scores, and whether they differ, are those of the ranking; where own models meet published ones,
the same is computed on the cells that these models share. Cells are joined by what they are
(test, metric, data, condition, label), never by their place in a table, and verdicts are compared
only where both models have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import pandas as pd

from benchmark_site import cells, datasetpages, tables
from benchmark_site.content import Board, Content, words
from benchmark_site.naming import metric_names
from benchmark_site.page import Page, Section, anchor, slug
from benchmark_site.render import comparison_doc, model_doc, render, target_doc, test_doc
from benchmark_site.scores import Cells
from benchmark_site.sources import Model
from common.core.display import number, signed
from common.reports.summary import Key, Standing, Standings, WideCell, standings

#: both verdicts by intervals that leave no doubt
CERTAIN = {"passes", "fails"}
#: own models are compared with this many of the best published ones
PEERS = 3
#: at most so many own models stand side by side
MOST = 6
#: smaller p values are shown as smaller than this
SMALLEST_P = 0.001
METHOD = "method/ranking"


@dataclass(frozen=True)
class Plan:
    """A comparison page to be made; what it shows is computed when it is asked for.

    Args:
        doc: name of the document
        models: baseline first, each with the board that it stands on
        ranking: where the scores stand, an anchor on the page of the target; empty: nowhere else,
            as only cells that all models have are counted
    """

    doc: str
    models: tuple[tuple[Board, Model], ...]
    ranking: str = ""

    @property
    def shared(self) -> bool:
        """Whether only cells that all models have are counted."""
        return not self.ranking

    @property
    def title(self) -> str:
        """Heading."""
        return " vs. ".join(model.label for _, model in self.models)

    @cached_property
    def sides(self) -> tuple[tuple[Model, Cells], ...]:
        """Models and their cells."""
        columns = [board.scores.cells(model.id) for board, model in self.models]
        if self.shared:
            common = set.intersection(*map(set, columns))
            columns = [{key: column[key] for key in column if key in common} for column in columns]
        return tuple(
            (model, column) for (_, model), column in zip(self.models, columns, strict=True)
        )

    @cached_property
    def standings(self) -> Standings:
        """Those of the ranking, or of the shared cells."""
        board, _ = self.models[0]
        if not self.shared:
            return board.standings
        # the same name may stand for a model of both boards, and a dataset has a name in each
        first = self.sides[0][1]
        rows = [
            _row(board.target, str(place), first[cell].dataset, cell, score)
            for place, (_, column) in enumerate(self.sides)
            for cell, score in column.items()
        ]
        if not rows:
            return Standings(())
        families = {
            test: family for other, _ in self.models for test, family in other.families.items()
        }
        return standings(pd.DataFrame(rows), board.target, families)

    @cached_property
    def lines(self) -> tuple[Standing | None, ...]:
        """Line of each model in the standings; None: it has no row."""
        if not self.shared:
            return tuple(board.standing(model) for board, model in self.models)
        lines = {line.model: line for line in self.standings.lines}
        return tuple(lines.get(str(place)) for place in range(len(self.models)))

    @property
    def present(self) -> set[str]:
        """Tests that any of the models has."""
        return {test for _, scores in self.sides for test, _, _ in scores}

    @property
    def telling(self) -> bool:
        """Whether there is a cell to compare on."""
        return not self.shared or bool(self.present)

    @property
    def scores(self) -> tuple[Fraction | None, ...]:
        """Score of each model."""
        return tuple(line.score if line else None for line in self.lines)


def planned(content: Content, target: str) -> list[Plan]:
    """Comparisons of a target: those of the paper, then own models, then both together.

    Those of the last kind may turn out to have no cell in common, and make no page then.
    """
    papers = [board for board in content.boards[target] if board.published]
    runs = [board for board in content.boards[target] if not board.published]
    plans = [plan for board in papers for plan in _of_paper(content, board)]
    plans += [plan for board in runs for plan in _of_run(board)]
    plans += [plan for run in runs for paper in papers for plan in _with_paper(run, paper)]
    return plans


def are_there(content: Content, target: str) -> bool:
    """Whether a target has a comparison with a cell to compare on."""
    return any(plan.telling for plan in planned(content, target))


def _of_paper(content: Content, board: Board) -> list[Plan]:
    models = {model.id: model for model in board.models}
    return [
        _plan(slug("_".join(line.models)), board, [models[name] for name in line.models])
        for line in content.comparisons
        if line.target == board.target and all(name in models for name in line.models)
    ]


def _of_run(board: Board) -> list[Plan]:
    best = board.scored[:MOST]
    return [_plan(board.name, board, best)] if len(best) > 1 else []


def _with_paper(run: Board, paper: Board) -> list[Plan]:
    """Each own model beside the best published ones, on the cells that all of them have."""
    best = paper.scored[:PEERS]
    return [
        Plan(
            comparison_doc(run.target, f"{run.name}-{line.model.slug}"),
            ((paper, best[0]), (run, line.model), *((paper, peer) for peer in best[1:])),
        )
        for line in run.ranking
        if best and not line.model.chance
    ]


def _plan(name: str, board: Board, models: Sequence[Model]) -> Plan:
    """Models of one ranking, as it has them."""
    sides = tuple((board, model) for model in models)
    return Plan(comparison_doc(board.target, name), sides, board.name)


def _row(
    target: str, model: str, dataset: str, cell: tuple[str, str, Key], score: WideCell
) -> dict[str, str]:
    test, metric, key = cell
    return {
        **{"target": target, "model": model, "model_version": "", "test": test, "metric": metric},
        **{"dataset": dataset, **key._asdict()},
        **{"status": score.status, "cause": score.cause},
    }


def page(content: Content, target: str, plan: Plan) -> Page:
    """Comparison page."""
    page = Page(plan.doc, f"{content.label(target)}: {plan.title}")
    page.html = render(
        "comparison.j2",
        models=[
            {"label": model.label, "href": page.href(model_doc(target, model))}
            for model, _ in plan.sides
        ],
        shared=plan.shared,
        cells=plan.standings.cells,
        compared=len(plan.standings.compared),
        reason=plan.standings.reason,
        differences=_differences(plan),
        ranking=f"{page.href(target_doc(target))}#{plan.ranking}" if plan.ranking else "",
        method=page.href(METHOD) if METHOD in content.method_pages else "",
        groups=_shares(content, page, target, plan),
    )
    baseline, before = plan.sides[0]
    for model, after in plan.sides[1:]:
        change = _changes(content, page, target, before, after)
        html = render("changed.j2", baseline=baseline.label, candidate=model.label, **change)
        title = f"{model.label}: cells with another verdict than {baseline.label}"
        page.sections.append(Section(anchor("changed", model.slug), title, html))
    return page


def _differences(plan: Plan) -> list[dict[str, Any]]:
    """Whether each candidate is told apart from the baseline."""
    before = plan.lines[0]
    entries = []
    for (model, _), after in zip(plan.sides[1:], plan.lines[1:], strict=True):
        if before is None or after is None or before.score is None or after.score is None:
            entries.append({"label": model.label, "known": False})
            continue
        difference = plan.standings.differences.get((before.key, after.key))
        entries.append(
            {
                "label": model.label,
                "known": True,
                "points": _change(before.score, after.score) or "0.0",
                "better": after.score > before.score,
                "apart": bool(difference and difference.apart),
                "p": _p(difference.p) if difference else "",
            }
        )
    return entries


def _p(value: float) -> str:
    r"""P value as text with spaces that do not break.

    >>> [_p(value).replace("\u00a0", " ") for value in (0.0005, 0.25, 1.0)]
    ['p < 0.001', 'p = 0.250', 'p = 1.000']
    """
    text = f"p < {SMALLEST_P:g}" if value < SMALLEST_P else f"p = {number(value, '< 0.05')}"
    return text.replace(" ", "\u00a0")


def _shares(content: Content, page: Page, target: str, plan: Plan) -> list[dict[str, Any]]:
    """Score, and below it the share of common cells that each model passes in each test."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for test in _tests(plan):
        facts = content.tests[test]
        outcomes = [line.tests.get(test) if line else None for line in plan.lines]
        shares = [outcome.share if outcome else None for outcome in outcomes]
        entries = [
            {
                "share": share,
                "hint": f"{outcome.passed} of {outcome.cells} cells passed"
                if outcome
                else "no common cell",
                "change": _change(shares[0], share),
            }
            for outcome, share in zip(outcomes, shares, strict=True)
        ]
        row = {"label": facts.title, "href": page.href(test_doc(target, test)), "cells": entries}
        groups.setdefault(words(facts.family), []).append(row)
    scores = [
        {"share": share, "hint": "", "change": _change(plan.scores[0], share)}
        for share in plan.scores
    ]
    overall = {"label": "Score", "href": "", "cells": scores}
    rest = [{"title": title, "rows": rows} for title, rows in groups.items()]
    return [{"title": "", "rows": [overall]}, *rest]


def _change(baseline: Fraction | None, share: Fraction | None) -> str:
    """Difference of shares in percentage points as text; empty if there is none."""
    if baseline is None or share is None or share == baseline:
        return ""
    return signed(float(100 * (share - baseline)), 1)


def _tests(plan: Plan) -> list[str]:
    order = dict.fromkeys(test for board, _ in plan.models for test in board.tests)
    present = plan.present
    return [test for test in order if test in present]


def _changes(
    content: Content, page: Page, target: str, before: Cells, after: Cells
) -> dict[str, Any]:
    """Cells whose verdict differs between two models, and how many have one."""
    judged = [
        {k for k, s in entries.items() if s.status in cells.VERDICTS} for entries in (before, after)
    ]
    both = judged[0] & judged[1]
    entries: dict[str, list[dict[str, Any]]] = {verdict: [] for verdict in cells.VERDICTS}
    certain, pairs = 0, 0
    named = datasetpages.sources(
        content, page, ((key.data, score.dataset) for (_, _, key), score in before.items())
    )
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
                    "source": named.get(key.data),
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
