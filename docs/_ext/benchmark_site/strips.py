"""Models between chance and people: one line per dataset, drawn without a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from benchmark_site import cells
from benchmark_site.columns import SideBySide
from benchmark_site.content import Board
from benchmark_site.naming import metric_names
from common.core.display import number
from common.metrics import METRICS
from common.reports.summary import Key, WideCell


def strips(board: Board, test: str) -> list[dict[str, Any]]:
    """Lines of the metrics of a test that are better the higher they are.

    A line reaches from 0, or the lowest score, to 1. It holds the chance models, the models and
    the interval of single raters; none without raters.
    """
    lines = []
    for metric, raters in board.raters.get(test, {}).items():
        table = board.scores.of_test(test).get(metric)
        if table is None or metric not in METRICS or METRICS.get(metric).direction != "higher":
            continue
        for key, rater in raters.items():
            if not key.label and not math.isnan(rater.value):
                lines.append(_strip(board, metric, table, key, rater))
    return lines


def _strip(
    board: Board, metric: str, table: SideBySide, key: Key, rater: WideCell
) -> dict[str, Any]:
    scores = _scores(board, table, key)
    low = min(0.0, rater.value, *(score for _, _, score in scores))
    high = max(1.0, rater.value)

    def place(value: float) -> str:
        return f"{100 * (min(max(value, low), high) - low) / (high - low):.2f}%"

    ends = [rater.value, rater.value] if math.isnan(rater.ci_low) else [rater.ci_low, rater.ci_high]
    best = max((entry for entry in scores if not entry[1]), key=lambda e: e[2], default=None)
    chance = max((score for _, dice, score in scores if dice), default=math.nan)
    parts = [
        "" if math.isnan(chance) else f"chance {number(chance)}",
        f"best model {number(best[2])} ({best[0]})" if best else "",
        f"one rater {number(rater.value)} ({cells.cell(rater, digits=3).interval})",
    ]
    return {
        "title": f"{metric_names(metric)[0]}, {key.data}",
        "text": ", ".join(filter(None, parts)),
        "note": rater.note,
        "rater": {"left": place(ends[0]), "right": place(ends[1]), "at": place(rater.value)},
        "marks": [
            {"css": "chance" if dice else "model", "at": place(score), "label": label}
            for label, dice, score in scores
        ],
    }


def _scores(board: Board, table: SideBySide, key: Key) -> list[tuple[str, bool, float]]:
    """Label, whether it is a chance model, and score of each model with a value."""
    models: Mapping[str, Any] = {model.id: model for model in board.models}
    return [
        (models[owner.model].label, models[owner.model].chance, value)
        for owner, column in zip(table.owners, table.columns, strict=True)
        if column is not None and not math.isnan(value := column.values.get(key, math.nan))
    ]
