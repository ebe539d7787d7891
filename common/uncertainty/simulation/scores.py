"""From counts and sums of many repetitions at once to scores of the tested group.

What was drawn becomes the sums that the metric declares (:mod:`common.metrics.sums`), so that
scores by chance are made by the formulas of the scores. All functions take arrays whose first
axis is the repetition and return the absolute score, the largest one over classes or bins,
shape (repetitions,).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...metrics import METRICS
from ...metrics.sums import Cells, Sums, is_of_two_sets


def largest(difference: np.ndarray, used: np.ndarray | None = None) -> np.ndarray:
    """Largest absolute value over the last axis; 0 if nothing is used."""
    values = np.abs(difference)
    if used is not None:
        values = np.where(used, values, 0.0)
    maxima: np.ndarray = np.nan_to_num(values).max(axis=-1)
    return maxima


def _sums(metric: str) -> Sums:
    sums = METRICS.get(metric).sums
    assert sums is not None, metric
    return sums


def _given(metric: str, k: int) -> dict[str, Any]:
    """Parameters of a metric with k classes or bins."""
    return {"labels": [str(code) for code in range(k)], "bins": k}


def _values(metric: str, k: int) -> np.ndarray:
    """A value of each class or bin, shape (k,)."""
    if "labels" in METRICS.get(metric).keywords:
        return np.array(_given(metric, k)["labels"], dtype=object)
    return (np.arange(k) + 0.5) / k


@cache
def _adds(metric: str, k: int) -> tuple[np.ndarray, ...]:
    """What a case of each kind adds to the sums of a metric.

    A case is a pair of truth and prediction, truth first, shape (k * k, sums); for a metric of
    two sets, it is a value of the first set, then one of the second, shape (k, sums) each.
    """
    values, terms = _values(metric, k), _sums(metric).terms
    parts = terms((values, values), _given(metric, k))
    if not is_of_two_sets(parts):
        pairs = np.repeat(values, k), np.tile(values, k)
        parts = terms(pairs, _given(metric, k))
    assert all(isinstance(part, Cells) for part in parts)
    return tuple(part.each() for part in parts if isinstance(part, Cells))


def counts_difference(
    metric: str, group: np.ndarray, everyone: np.ndarray, k: int, min_count: int = 0
) -> np.ndarray:
    """Score of the group minus that of all samples, for a metric of classes or bins.

    Args:
        metric: id of the metric
        group: counts of classes, shape (R, k), or of pairs of truth and prediction, (R, k * k)
        everyone: the same of all samples
        k: number of classes or bins
        min_count: bins with fewer samples in (the truth of) all do not count; an average over
            classes does
    """
    sums, params, adds = _sums(metric), _given(metric, k), _adds(metric, k)
    if len(adds) > 1:
        both = np.concatenate([everyone @ adds[0], group @ adds[1]], axis=-1)
        return largest(sums.of(both, both, params), everyone >= min_count)
    group_sums, every = group @ adds[0], everyone @ adds[0]
    difference = sums.of(group_sums, group_sums, params) - sums.of(every, every, params)
    used = everyone.reshape(-1, k, k).sum(axis=-1) >= min_count
    return largest(difference, used if METRICS.get(metric).counts else None)


def counts_shift(
    metric: str,
    everything: np.ndarray,
    inside: np.ndarray,
    min_count: int = 0,
    repeats: np.ndarray | None = None,
) -> np.ndarray:
    """Shift of the shares in the first group minus the mean shift of all groups.

    Args:
        metric: id of the metric
        everything: counts of all samples of each group, shape (R, G, k)
        inside: counts of those in the context, shape (R, G, k)
        min_count: bins with fewer samples in the context, all groups together, do not count
        repeats: how many groups of the same sizes are counted together in each, shape (G,);
            None: each is one
    """
    k = inside.shape[-1]
    params = _given(metric, k) | ({} if repeats is None else {"repeats": repeats})
    sums = np.stack([everything - inside, inside], axis=-1).reshape(len(inside), -1)
    shifts = _sums(metric).of(sums, sums, params).reshape(inside.shape)
    return largest(shifts[:, 0], inside.sum(axis=1) >= min_count)


def mean_shift(metric: str, sums: np.ndarray, inside: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Shift of the mean in the first group minus the mean shift of all groups.

    Args:
        metric: id of the metric
        sums: sum of all values of each group, shape (R, G)
        inside: sum of those in the context, shape (R, G)
        sizes: (samples, samples in the context) of each group, shape (G, 2)
    """
    numbers = np.stack([sizes[:, 0] - sizes[:, 1], sizes[:, 1]], axis=-1).ravel()
    totals = np.stack([sums - inside, inside], axis=-1).reshape(len(sums), -1)
    both = np.concatenate([np.broadcast_to(numbers, totals.shape), totals], axis=-1)
    return np.abs(_sums(metric).of(both, both, {})[:, 0])


def numbers_difference(metric: str, group: np.ndarray, everyone: np.ndarray) -> np.ndarray:
    """A metric of numbers in the group minus that of all samples.

    Args:
        metric: id of the metric
        group: sums of the samples of the group as :func:`terms` gives them, shape (R, k)
        everyone: the same of all samples
    """
    sums = _sums(metric)
    if METRICS.get(metric).level is not None:  # of two sets
        both = np.concatenate([everyone, group], axis=-1)
        return np.abs(sums.of(both, both, {})[:, 0])
    return np.abs(sums.of(group, group, {}) - sums.of(everyone, everyone, {}))[:, 0]


def terms(metric: str, truth: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """Sums of a metric of numbers over the last axis, the samples, about a fixed origin.

    Args:
        metric: id of the metric
        truth: shape (..., N); not looked at by a metric of two sets, whose second set counts
        prediction: shape (..., N)

    Returns:
        shape (..., k)
    """
    return _sums(metric).terms((truth, prediction), {"about": 0.0})[-1].total()
