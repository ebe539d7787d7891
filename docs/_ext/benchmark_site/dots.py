"""Dot plots of the pages of tests: models against threshold and chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from markupsafe import Markup

from benchmark_site import axes, tables
from benchmark_site.columns import Rule, SideBySide, judged
from benchmark_site.content import Board
from benchmark_site.naming import metric_names
from benchmark_site.page import anchor
from benchmark_site.sources import Model
from common.figures.dots import DotRow, dots_svg, finding, finite_bounds
from common.figures.text import count


class _Plot(NamedTuple):
    """What is drawn of a metric.

    Args:
        metric: its id
        rows: models from top to bottom
        rules: criteria, and whether scores are compared with a reference
        cells: number of cells with a value and a verdict
    """

    metric: str
    rows: list[DotRow]
    rules: set[Rule]
    cells: int

    @property
    def criteria(self) -> list[str]:
        """When a score passes."""
        return sorted({criterion for criterion, _ in self.rules})

    @property
    def is_two_sided(self) -> bool:
        """Whether scores pass on both sides of 0."""
        return any(text.startswith(axes.TWO_SIDED) for text in self.criteria)

    @property
    def kind(self) -> str:
        """What it has in common with plots on the same axis."""
        return axes.kind(self.metric, self.is_two_sided)

    @property
    def values(self) -> Iterator[float]:
        """Scores, and the bounds of the criteria."""
        yield from chain.from_iterable(row.values for row in self.rows)
        yield from finite_bounds(self.criteria)


def of_test(board: Board, models: Sequence[Model], test: str) -> list[dict[str, Any]]:
    """A drawing for each metric with a value that was judged; those of a kind have one axis.

    Args:
        board: results that may be compared
        models: models in the order of the page
        test: the test
    """
    plots = list(_plots(board, models, test))
    spans = axes.spans((plot.kind, plot.values, plot.is_two_sided) for plot in plots)
    return [_drawn(board, plot, spans[plot.kind]) for plot in plots]


def _plots(board: Board, models: Sequence[Model], test: str) -> Iterator[_Plot]:
    for metric, scores in board.scores.of_test(test).items():
        rows = [row for row in _rows(scores, models) if row.values]
        if rows:
            rules = {rule for column in scores.filled for rule in column.facts.judged}
            yield _Plot(metric, rows, rules, len(judged(scores.filled)))


def _drawn(board: Board, plot: _Plot, span: tuple[float, float]) -> dict[str, Any]:
    title, short = metric_names(plot.metric)
    rule = tables.rule_of(plot.metric, plot.rules)
    about = f"{title} of {count(len(plot.rows), 'model')} in {count(plot.cells, 'cell')}"
    about += f", which passes if {rule}." if rule else "."
    return {
        "title": title,
        "href": f"#{anchor(board.name, plot.metric)}",
        "rule": _beside(title, short, rule),
        "finding": finding(plot.rows),
        "svg": Markup(dots_svg(plot.rows, plot.criteria, span=span, title=about)),
    }


def _beside(title: str, short: str, rule: str) -> str:
    """What stands beside the title of a metric: when it passes, without its name once more.

    >>> _beside("Change UAR", "Change UAR", "Change UAR > -0.05")
    '> -0.05'
    >>> _beside("Unweighted Average Recall", "UAR", "|Δ UAR| < 0.1"), _beside("Share", "Part", "")
    ('|Δ UAR| < 0.1', 'Part')
    >>> _beside("Mean Value", "Mean Value", "|Mean Value| < 0.1"), _beside("F", "F", "|Δ F| < 0.1")
    ('|x| < 0.1', '|Δ| < 0.1')
    """
    if rule.count(short) == 1:
        rule = rule.removeprefix(f"{short} ")
        if short == title:
            rule = rule.replace(f"Δ {short}", "Δ").replace(short, "x")
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
