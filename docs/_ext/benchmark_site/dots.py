"""Dot plots of the pages of tests: models against threshold and chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from benchmark_site import tables
from benchmark_site.content import Board, metric_names
from benchmark_site.page import anchor
from benchmark_site.sources import Model
from common.figures.dots import DotRow, dots_svg, finding
from common.figures.text import count
from common.reports.summary import Matrix, WideCell


def of_test(board: Board, models: Sequence[Model], test: str) -> list[dict[str, Any]]:
    """A drawing for each metric with a value that was judged.

    Args:
        board: results that may be compared
        models: models in the order of the page
        test: the test
    """
    drawn = []
    for metric, matrix in board.scores.of_test(test).items():
        scores = [cell for line in matrix.cells for cell in line if _judged(cell)]
        rows = [row for row in _rows(matrix, models) if row.values]
        if not rows:
            continue
        title, short = metric_names(metric)
        rule = tables.rule(metric, scores)
        lines = sum(any(_judged(cell) for cell in line) for line in matrix.cells)
        about = f"{title} of {count(len(rows), 'model')} in {count(lines, 'cell')}"
        about += f", which passes if {rule}." if rule else "."
        criteria = sorted({cell.criterion for cell in scores if cell})
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


def _judged(cell: WideCell | None) -> bool:
    return cell is not None and cell.status in ("pass", "fail") and not math.isnan(cell.value)


def _rows(matrix: Matrix, models: Sequence[Model]) -> list[DotRow]:
    """Models in their order, chance models at the end."""
    columns = {column.model: place for place, column in enumerate(matrix.columns)}
    rows = []
    for model in sorted(models, key=lambda model: model.chance):
        if model.id not in columns:
            continue
        line = [cells[columns[model.id]] for cells in matrix.cells]
        scores = [cell for cell in line if cell is not None and _judged(cell)]
        passed = tuple(cell.value for cell in scores if cell.status == "pass")
        failed = tuple(cell.value for cell in scores if cell.status == "fail")
        rows.append(DotRow(model.label, model.chance, passed, failed))
    return rows
