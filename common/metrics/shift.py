"""Does a context move predictions more in one group than in others?

For every group, a shift is what changes from all of its samples to those in the context, for
example from all sentences in a language to the positive ones. The score of a group is its
shift minus the mean shift of all groups, each group with the same weight and the group itself
included: a shift that all groups share is no unfairness.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from common.metrics.base import check_lengths, metric
from common.metrics.bins import bin_codes, bin_labels
from common.metrics.classification import label_codes
from common.metrics.units import count_table

#: what all of them are registered with
_FIELDS: dict[str, Any] = {
    "bounds": (-2, 2),
    "direction": "zero",
    "cite": "derington2025testing",
    "takes": "groups",
}


class Shift(NamedTuple):
    """Shift of a group.

    Args:
        difference: the score, ``shift - average``
        shift: from all samples of the group to those in the context
        average: mean shift of all groups
    """

    difference: float
    shift: float
    average: float


@metric(
    id="mean_shift_difference",
    label="Mean Shift Difference",
    short="Mean Shift",
    kind="regression",
    unit="unit of the target",
    **{**_FIELDS, "bounds": (float("-inf"), float("inf"))},
)
def mean_shift_difference(
    prediction: np.ndarray, group: np.ndarray, context: np.ndarray
) -> dict[str, Shift]:
    r"""Shift of the mean prediction, compared with the average group.

    .. math:: s_g - \frac{1}{G} \sum_l s_l, \quad s_l = \bar p_{l,\text{context}} - \bar p_l

    Args:
        prediction: predicted values, shape (N,)
        group: group of each sample, shape (N,)
        context: whether a sample is in the context, boolean, shape (N,)

    Returns:
        group -> shift, sorted by group; NaN for a group without a sample in the context,
        which then takes no part in the average

    Raises:
        LengthError: if the shapes differ

    >>> prediction = np.array([0.0, 0.5, 0.25, 0.25])
    >>> group = np.array(["x", "x", "y", "y"], dtype=object)
    >>> mean_shift_difference(prediction, group, np.array([False, True, True, False]))["x"]
    Shift(difference=0.125, shift=0.25, average=0.125)
    """
    check_lengths(prediction=prediction, group=group, context=context)
    names, codes = _groups(group)
    values = np.asarray(prediction, dtype=np.float64)
    inside = np.asarray(context, dtype=bool)
    shifts = _means(codes[inside], values[inside], len(names)) - _means(codes, values, len(names))
    return dict(zip(names, _compare(shifts[:, None]), strict=True))


@metric(
    id="class_proportion_shift_difference",
    label="Class Proportion Shift Difference",
    short="Difference",
    kind="classification",
    **_FIELDS,
)
def class_proportion_shift_difference(
    prediction: np.ndarray, group: np.ndarray, context: np.ndarray, *, labels: Sequence[str]
) -> dict[str, dict[str, Shift]]:
    """Shift of the share of each class, compared with the average group.

    As :func:`mean_shift_difference`, with the share of the class among the predictions in
    place of the mean.

    Args:
        prediction: predicted classes, shape (N,)
        group: group of each sample, shape (N,)
        context: whether a sample is in the context, boolean, shape (N,)
        labels: the classes to report; other values are taken out before shares are computed

    Returns:
        group -> label -> shift, both sorted; NaN for a group without a sample in the context

    Raises:
        LengthError: if the shapes differ
    """
    check_lengths(prediction=prediction, group=group, context=context)
    ordered = sorted(labels)
    names, codes = _groups(group)
    shifts, _ = _share_shifts(codes, label_codes(prediction, ordered), context, len(ordered))
    return _table(names, ordered, shifts)


@metric(
    id="bin_proportion_shift_difference",
    label="Bin Proportion Shift Difference",
    short="Proportion Shift",
    kind="regression",
    **_FIELDS,
)
def bin_proportion_shift_difference(
    prediction: np.ndarray,
    group: np.ndarray,
    context: np.ndarray,
    *,
    bins: int,
    min_count: int,
) -> dict[str, dict[str, Shift]]:
    """Shift of the share of each bin, compared with the average group.

    As :func:`class_proportion_shift_difference` on the bins of :mod:`common.metrics.bins`.

    Args:
        prediction: predicted values, shape (N,)
        group: group of each sample, shape (N,)
        context: whether a sample is in the context, boolean, shape (N,)
        bins: number of equal bins on [0, 1]
        min_count: a bin with fewer predictions in the context, all groups together, has no value

    Returns:
        group -> bin -> shift, groups sorted, bins rising; NaN for bins with too few
        predictions and for a group without a sample in the context

    Raises:
        LengthError: if the shapes differ
    """
    check_lengths(prediction=prediction, group=group, context=context)
    names, codes = _groups(group)
    binned = bin_codes(np.asarray(prediction, dtype=np.float64), bins)
    shifts, counts = _share_shifts(codes, binned, context, bins)
    shifts[:, counts < min_count] = np.nan
    return _table(names, bin_labels(bins), shifts)


def _groups(group: np.ndarray) -> tuple[list[str], np.ndarray]:
    names, codes = np.unique(np.asarray(group, dtype=object), return_inverse=True)
    return [str(name) for name in names], codes


def _divide(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def _means(codes: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    sums = np.bincount(codes, weights=values, minlength=n)
    return _divide(sums, np.bincount(codes, minlength=n))


def _share_shifts(
    groups: np.ndarray, classes: np.ndarray, context: np.ndarray, m: int
) -> tuple[np.ndarray, np.ndarray]:
    """Shifts of the shares, shape (groups, m), and counts in the context, shape (m,)."""
    n = int(groups.max(initial=-1)) + 1
    inside = np.asarray(context, dtype=bool)
    everything = count_table(groups, classes, n, m)
    chosen = count_table(groups[inside], classes[inside], n, m)
    shares = [
        _divide(counts.astype(np.float64), np.broadcast_to(counts.sum(1)[:, None], counts.shape))
        for counts in (everything, chosen)
    ]
    return shares[1] - shares[0], chosen.sum(0)


def _compare(shifts: np.ndarray) -> list[Shift]:
    """Shifts of one class or of the mean, for all groups, against their average."""
    column = shifts.ravel()
    known = column[~np.isnan(column)]
    average = float(known.mean()) if len(known) else float("nan")
    return [Shift(float(shift) - average, float(shift), average) for shift in column]


def _table(
    names: Sequence[str], labels: Sequence[str], shifts: np.ndarray
) -> dict[str, dict[str, Shift]]:
    columns = [_compare(shifts[:, k]) for k in range(len(labels))]
    return {
        name: {label: column[row] for label, column in zip(labels, columns, strict=True)}
        for row, name in enumerate(names)
    }
