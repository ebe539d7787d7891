"""Verdicts that this suite would not give on the scores of the reference suite, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ...results import published
from ...results.judge import judge
from ...spec import Benchmark, Criterion
from .suite import criteria

COLUMNS = (
    "target",
    "model",
    "model_version",
    "test",
    "data",
    "condition",
    "metric",
    "label",
    "value",
)
#: what the columns beside those of a row hold
ADDED = ("criterion", "verdict", "criterion_here", "verdict_here", "why")
REVERSED = "fault A5 of the reference: it compares the absolute value, so a reversed ranking passes"
MISSING = "fault A16 of the reference: a missing value fails there; here it is skipped"
OTHER = "the suite has another threshold"
ROUNDED = (
    "fault A4 of the reference: the score was rounded onto the bound before it was judged; unrounded, "
    "it may lie on the other side"
)


def different(rows: pd.DataFrame, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Rows on which the criteria of the suite give another verdict, or cannot be sure of it.

    Args:
        rows: result rows of :func:`common.results.published.load`
        benchmark: suite with its criteria
    """
    return list(_different(rows, benchmark))


def _different(rows: pd.DataFrame, benchmark: Benchmark) -> Iterator[dict[str, Any]]:
    uses = criteria(benchmark)
    names = [*COLUMNS, "criterion", "status"]
    for row in rows[names].to_dict("records"):
        kind = benchmark.targets[row["target"]].kind
        use = uses.get((kind, row["test"], row["metric"]))
        if use is None or use.criterion.is_simulated:
            continue
        value = float(row["value"])
        here = judge(value, use.criterion).status
        why = _why(value, str(row["criterion"]), str(row["status"]), here, use.criterion)
        if why:
            yield {
                **{name: row[name] for name in COLUMNS},
                "criterion": row["criterion"],
                "verdict": row["status"],
                "criterion_here": str(use.criterion),
                "verdict_here": here,
                "why": why,
            }


def _why(value: float, there: str, status: str, here: str, criterion: Criterion) -> str:
    """Why a verdict differs or is unsure; empty if it does not."""
    if math.isnan(value):
        return MISSING if status != here else ""
    bound = published.bound_of(there)
    if status == here:
        on_bound = value == bound or (there.startswith("|x|") and -value == bound)
        return ROUNDED if on_bound else ""
    if criterion.threshold != f"{bound:g}":
        return OTHER
    return REVERSED
