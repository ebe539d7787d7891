"""Scores of a cell -> result rows with criteria and verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..designs import Score
from ..designs.groups import remark
from ..metrics import METRICS
from ..metrics.reasons import DATA
from ..spec import Criterion, Dataset, Model, Target
from ..spec.cell import Cell
from ..uncertainty import (
    Effects,
    Interval,
    Permuted,
    fairness_of,
    verdict_on_share,
    verdict_with_power,
)
from ..uncertainty.simulation import Bounds
from .judge import Verdict, judge


def rows(
    cell: Cell,
    scores: Sequence[Score],
    bounds: Bounds | None = None,
    intervals: Sequence[Interval | None] = (),
    permuted: Sequence[Permuted | None] = (),
    gaps: Sequence[Interval | None] = (),
) -> list[dict[str, Any]]:
    """Result rows of a cell: scores with their criteria and verdicts.

    Args:
        cell: test, target, model and dataset
        scores: of the cell
        bounds: simulates the bounds of criteria that say so
        intervals: of the scores; none: no score has one
        permuted: outcomes of their permutation tests; none: there was no test
        gaps: intervals of differences from the other group; none: no score has one

    Returns:
        columns of :data:`common.results.tables.COLUMNS`; and, where the bound was simulated, ``null``,
        the absolute scores by chance, for figures
    """
    metric_uses = cell.test.uses_on(cell.target.kind, cell.dataset.id)
    uses = {use.metric: use for use in metric_uses}
    out: list[dict[str, Any]] = []
    effects = Effects()
    nothing = [None] * len(scores)
    together = zip(scores, intervals or nothing, permuted or nothing, gaps or nothing, strict=True)
    for score, interval, outcome, gap in together:
        criterion, null = uses[score.metric].criterion, None
        cause = score.cause
        caution = "" if interval is None else METRICS.get(score.metric).caution
        note = remark(score.note, cell.remarks.get(score.condition, ""), caution)
        if criterion.is_simulated and bounds is not None and not np.isnan(score.value):
            bound = bounds.bound(uses[score.metric], cell.target, score.sizes)
            criterion, null = Criterion(within=bound.threshold), bound.null
            note = remark(note, bound.remark)
        verdict = judge(score.value, criterion, score.reason)
        if null is not None and bound.threshold > widest(score.metric):
            why = f"too few samples: by chance up to {bound.quantile:.3f}, no score could fail"
            verdict, cause = Verdict("skip", why), DATA
        out.append(
            {
                **identity(cell.target, cell.model, cell.test.id, cell.dataset),
                "data": _data(cell, score),
                "condition": score.condition,
                "reference": score.reference,
                "metric": score.metric,
                "label": score.label,
                "value": score.value,
                "reference_value": score.reference_value,
                "n": score.n,
                **_certainty(score, interval, criterion if verdict.status != "skip" else None),
                **_effect(effects, score),
                **_fairness(outcome, interval, score.value, criterion, verdict),
                **_gap(score, gap),
                "criterion": str(criterion),
                "bound": _kind_of_bound(cell, uses[score.metric].criterion),
                "status": verdict.status,
                "reason": verdict.reason,
                "cause": cause if verdict.status == "skip" else "",
                "note": note,
            }
        )
        if null is not None:
            out[-1]["null"] = null
    return out


def widest(metric: str) -> float:
    """Largest absolute value that the difference of a group can have.

    >>> widest("uar"), widest("ccc"), widest("relative_difference_per_class")
    (1, 2, 1)
    """
    entry = METRICS.get(metric)
    low, high = entry.bounds
    return max(abs(low), abs(high)) if entry.direction == "zero" else high - low


def _certainty(
    score: Score, interval: Interval | None, criterion: Criterion | None
) -> dict[str, Any]:
    """Interval and second verdict; an interval without ends is not shown, but told."""
    if interval is None:
        return {}
    low, high = interval.low, interval.high
    certain = ""
    if criterion and interval.is_share:
        certain = verdict_on_share(low, score.value, high, interval.clusters, criterion)
    elif criterion:
        certain = verdict_with_power(low, high, criterion)
    columns: dict[str, Any] = {"clusters": interval.clusters, "certain": certain}
    if np.isfinite(low) and np.isfinite(high):
        columns |= {"ci_low": low, "ci_high": high}
        columns |= {"mde_above": interval.mde_above, "mde_below": interval.mde_below}
    if not math.isnan(interval.p_value):
        columns["p_value"] = interval.p_value
    return columns


def _fairness(
    outcome: Permuted | None,
    interval: Interval | None,
    value: float,
    criterion: Criterion,
    verdict: Verdict,
) -> dict[str, Any]:
    """Permutation test of a group and what follows from it, where there is a bound."""
    if outcome is None or verdict.status == "skip" or not isinstance(criterion.within, float):
        return {}
    low, high = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    return {
        "p_adjusted": outcome.p_value,
        "fairness": fairness_of(value, low, high, outcome, criterion.within),
    }


def _kind_of_bound(cell: Cell, criterion: Criterion) -> str:
    """Where the bound of a group comes from; empty for other tests and other rules."""
    if cell.test.family != "fairness" or criterion.within is None:
        return ""
    return "simulated" if criterion.is_simulated else cell.test.bounds


def _gap(score: Score, interval: Interval | None) -> dict[str, float]:
    """Difference from the other group, where it has an interval."""
    if score.gap is None or interval is None or math.isnan(score.value):
        return {}
    columns = {"gap": score.gap.value}
    if np.isfinite(interval.low) and np.isfinite(interval.high):
        columns |= {"gap_low": interval.low, "gap_high": interval.high}
    return columns


def _effect(effects: Effects, score: Score) -> dict[str, float]:
    """Effect size, where the score has one."""
    effect = math.nan if math.isnan(score.value) else effects.of(score.recipe, score.label)
    return {} if math.isnan(effect) else {"effect": effect}


def _data(cell: Cell, score: Score) -> str:
    """Label of the data of a score.

    A test may leave the table out of the labels of the datasets that it names; a user's
    dataset keeps it, as several entries may share one database.
    """
    part = score.data or "{table}"
    if "{table}" not in part and cell.dataset.id not in cell.test.datasets:
        part = f"{{table}}-{part}"
    return cell.dataset.data_of(part)


def identity(target: Target, model: Model, test: str, dataset: Dataset) -> dict[str, str]:
    """The part of a result row that names the cell."""
    return {
        "target": target.id,
        "model": model.id,
        "model_version": model.version,
        "test": test,
        "dataset": dataset.id,
        "dataset_version": dataset.version,
        "data": dataset.data,
    }
