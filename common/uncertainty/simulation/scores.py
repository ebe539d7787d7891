"""From counts and sums of many repetitions at once to scores of the tested group.

All functions take arrays whose first axis is the repetition and return the absolute score, the
largest one over classes or bins, shape (repetitions,).
"""

from __future__ import annotations

import numpy as np


def _ratio(part: np.ndarray, whole: np.ndarray, otherwise: float = 0.0) -> np.ndarray:
    whole = np.broadcast_to(whole, part.shape)
    return np.divide(part, whole, out=np.full(part.shape, otherwise), where=whole > 0)


def _largest(difference: np.ndarray, used: np.ndarray | None = None) -> np.ndarray:
    """Largest absolute value over the last axis; 0 if nothing is used."""
    values = np.abs(difference)
    if used is not None:
        values = np.where(used, values, 0.0)
    largest: np.ndarray = np.nan_to_num(values).max(axis=-1)
    return largest


def share_difference(group: np.ndarray, everyone: np.ndarray, min_count: int = 0) -> np.ndarray:
    """Share of each class or bin in the group minus its share in all samples.

    Args:
        group: counts, shape (R, K)
        everyone: counts, shape (R, K)
        min_count: bins with fewer samples in all do not count
    """
    difference = _ratio(group, group.sum(-1, keepdims=True)) - _ratio(
        everyone, everyone.sum(-1, keepdims=True)
    )
    return _largest(difference, everyone >= min_count)


def share_shift(
    everything: np.ndarray,
    inside: np.ndarray,
    min_count: int = 0,
    repeats: np.ndarray | None = None,
) -> np.ndarray:
    """Shift of the shares in the first group minus the mean shift of all groups.

    Args:
        everything: counts of all samples of each group, shape (R, G, K)
        inside: counts of those in the context, shape (R, G, K)
        min_count: bins with fewer samples in the context, all groups together, do not count
        repeats: how many groups of the same sizes are counted together in each, shape (G,);
            None: each is one
    """
    shift = _ratio(inside, inside.sum(-1, keepdims=True)) - _ratio(
        everything, everything.sum(-1, keepdims=True)
    )
    average = np.average(shift, axis=1, weights=repeats)
    return _largest(shift[:, 0] - average, inside.sum(axis=1) >= min_count)


def confusion_difference(
    metric: str, group: np.ndarray, everyone: np.ndarray, min_count: int = 0
) -> np.ndarray:
    """Recall or precision of the group minus that of all samples.

    Args:
        metric: ``uar`` and ``uap`` are means over classes, all others are per class or bin
        group: pairs of truth (rows) and prediction, shape (R, K, K)
        everyone: the same of all samples, shape (R, K, K)
        min_count: bins with fewer samples in the truth of all do not count
    """
    axis = -1 if metric.startswith("recall") or metric == "uar" else -2
    values = []
    for counts in (group, everyone):
        hits = np.diagonal(counts, axis1=-2, axis2=-1).astype(np.float64)
        share = _ratio(hits, counts.sum(axis=axis))
        if metric in ("uar", "uap"):
            share = share.mean(axis=-1, keepdims=True)
        values.append(share)
    used = None if metric in ("uar", "uap") else everyone.sum(axis=-1) >= min_count
    return _largest(values[0] - values[1], used)


def sums_difference(
    metric: str, group: np.ndarray, everyone: np.ndarray, n: int, total: int
) -> np.ndarray:
    """A metric of numbers in the group minus that of all samples.

    Args:
        metric: ``mean_difference``, ``ccc``, ``mae`` or ``mean_directional_error``
        group: sums of the columns of :func:`terms`, shape (R, number of columns)
        everyone: the same of all samples
        n: number of samples of the group
        total: number of all samples
    """
    if metric == "ccc":
        return np.abs(_ccc(group, n) - _ccc(everyone, total))
    return np.abs(group[:, 0] / n - everyone[:, 0] / total)


def _ccc(sums: np.ndarray, n: int) -> np.ndarray:
    t, p, tt, pp, tp = sums.T
    deviations = (tt - t * t / n) + (pp - p * p / n) + (p - t) ** 2 / n
    value: np.ndarray = 2 * (tp - t * p / n) / deviations
    return value


def mean_shift(sums: np.ndarray, inside: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Shift of the mean in the first group minus the mean shift of all groups.

    Args:
        sums: sum of all values of each group, shape (R, G)
        inside: sum of those in the context, shape (R, G)
        sizes: (samples, samples in the context) of each group, shape (G, 2)
    """
    shift = inside / sizes[:, 1] - sums / sizes[:, 0]
    return np.abs(shift[:, 0] - shift.mean(axis=1))


def terms(metric: str, truth: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """What :func:`sums_difference` needs the sums of, over the last axis of the samples.

    Args:
        metric: id of the metric
        truth: shape (..., N); not looked at for ``mean_difference``
        prediction: shape (..., N)

    Returns:
        sums over the samples, shape (..., number of columns)
    """
    if metric == "mean_difference":
        columns = [prediction.sum(axis=-1)]
    elif metric == "mae":
        columns = [np.abs(truth - prediction).sum(axis=-1)]
    elif metric == "mean_directional_error":
        columns = [(prediction - truth).sum(axis=-1)]
    else:
        pairs = ((truth, truth), (prediction, prediction), (truth, prediction))
        columns = [truth.sum(axis=-1), prediction.sum(axis=-1)]
        columns += [np.einsum("...n,...n->...", a, b) for a, b in pairs]
    return np.stack(columns, axis=-1)
