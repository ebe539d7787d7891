"""Dot plots of the pages of tests: models against threshold and chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from benchmark_site import tables
from benchmark_site.columns import SideBySide
from benchmark_site.content import Board
from benchmark_site.naming import metric_names
from benchmark_site.page import anchor
from benchmark_site.sources import Model
from common.figures.dots import DotRow, dots_svg, finding
from common.figures.text import count


def of_test(board: Board, models: Sequence[Model], test: str) -> list[dict[str, Any]]:
    """A drawing for each metric with a value that was judged.

    Args:
        board: results that may be compared
        models: models in the order of the page
        test: the test
    """
    drawn = []
    for metric, scores in board.scores.of_test(test).items():
        rows = [row for row in _rows(scores, models) if row.values]
        if not rows:
            continue
        title, short = metric_names(metric)
        rules = {rule for column in scores.filled for rule in column.facts.judged}
        rule = tables.rule_of(metric, rules)
        lines = len(frozenset().union(*(column.judged for column in scores.filled)))
        about = f"{title} of {count(len(rows), 'model')} in {count(lines, 'cell')}"
        about += f", which passes if {rule}." if rule else "."
        criteria = sorted({criterion for criterion, _ in rules})
        drawn.append(
            {
                "title": title,
                "href": f"#{anchor(board.name, metric)}",
                "rule": _beside(title, short, rule),
                "finding": finding(rows),
                "svg": Markup(dots_svg(rows, criteria, title=about)),
            }
        )
    return drawn


def _beside(title: str, short: str, rule: str) -> str:
    """What stands beside the title of a metric: when it passes, without its name once more.

    >>> _beside("Change UAR", "Change UAR", "Change UAR > -0.05")
    '> -0.05'
    >>> _beside("Unweighted Average Recall", "UAR", "|Δ UAR| < 0.1"), _beside("Share", "Part", "")
    ('|Δ UAR| < 0.1', 'Part')
    """
    if rule.count(short) == 1:
        rule = rule.removeprefix(f"{short} ")
    return rule or ("" if short == title else short)


def _rows(scores: SideBySide, models: Sequence[Model]) -> list[DotRow]:
    """Models in their order, chance models at the end."""
    pairs = zip(scores.owners, scores.columns, strict=True)
    columns = {owner.model: column for owner, column in pairs if column is not None}
    return [
        DotRow(model.label, model.chance, columns[model.id].passed, columns[model.id].failed)
        for model in sorted(models, key=lambda model: model.chance)
        if model.id in columns
    ]
