"""Does a context move predictions more in one group than in others?

For every group, a shift is what changes from all of its samples to those in the context, for
example from all sentences in a language to the positive ones. The score of a group is its
shift minus the mean shift of all groups, each group with the same weight and the group itself
included: a shift that all groups share is no unfairness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .base import check_lengths, metric
from .bins import bin_cells, bin_labels
from .classification import label_codes
from .sums import Cells, Given, Sums, Terms

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


def groups_of(group: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Names of the groups, sorted, and the code of each sample."""
    import pandas as pd  # hashes names; sorting them takes many times as long

    codes, names = pd.factorize(np.asarray(group, dtype=object), sort=True)
    return [str(name) for name in names], codes


def _names(group: np.ndarray) -> list[str]:
    return groups_of(group)[0]


def _checked(arrays: Sequence[np.ndarray]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of groups, and code and context of each sample."""
    prediction, group, context = arrays
    check_lengths(prediction=prediction, group=group, context=context)
    return *groups_of(group), np.asarray(context, dtype=bool)


def _cells_of_means(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    """Numbers of each group, outside and inside the context, then sums of the predictions."""
    names, codes, inside = _checked(arrays)
    values = np.asarray(arrays[0], dtype=np.float64)
    values = values - (values.mean() if len(values) else 0.0)
    cells = 2 * codes + inside
    return Cells(cells, 2 * len(names)), Cells(cells, 2 * len(names), weights=values)


def _shifts_of_means(sums: np.ndarray, params: Given | None = None) -> tuple[np.ndarray, ...]:
    """Shifts, shape (..., groups, 1), and their average."""
    shape = (*sums.shape[:-1], -1, 2)
    numbers, totals = (part.reshape(shape) for part in np.split(sums, 2, axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        shifts = totals[..., 1] / numbers[..., 1] - totals.sum(-1) / numbers.sum(-1)
    return shifts[..., None], _average(shifts[..., None], params)


def _cells_of_shares(code: Callable[[np.ndarray, Given], tuple[np.ndarray, int]]) -> Any:
    """Terms: counts of each group and class, outside and inside the context."""

    def terms(arrays: Sequence[np.ndarray], params: Given) -> Terms:
        names, groups, inside = _checked(arrays)
        codes, m = code(arrays[0], params)
        cells = (groups * m + codes) * 2 + inside
        return (Cells(np.where(codes < 0, -1, cells), len(names) * m * 2),)

    return terms


def _shifts_of_shares(
    sums: np.ndarray, m: int, params: Given | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shifts, shape (..., groups, m), their average, and counts in the context, (..., m)."""
    table = sums.reshape(*sums.shape[:-1], -1, m, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        everything, inside = (
            part / part.sum(axis=-1, keepdims=True) for part in (table.sum(-1), table[..., 1])
        )
    shifts = inside - everything
    return shifts, _average(shifts, params), table[..., 1].sum(axis=-2)


def _average(shifts: np.ndarray, params: Given | None) -> np.ndarray:
    """Mean over the groups that have a shift, shape (..., 1, m); NaN if none has.

    ``params["repeats"]``, shape (groups,), says how many groups each of them stands for.
    """
    repeats = np.asarray((params or {}).get("repeats", 1.0), dtype=np.float64)
    mask = ~np.isnan(shifts)
    weights = mask * (repeats[:, None] if repeats.ndim else repeats)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = (np.where(mask, shifts, 0) * weights).sum(axis=-2, keepdims=True)
        average: np.ndarray = sums / weights.sum(axis=-2, keepdims=True)
    return average


def _flat(shifts: np.ndarray, average: np.ndarray) -> np.ndarray:
    return (shifts - average).reshape(*shifts.shape[:-2], -1)


def _keys(labels: Callable[[Given], Sequence[str]]) -> Any:
    return lambda arrays, params: tuple(
        (name, label) for name in _names(arrays[1]) for label in labels(params)
    )


def _of_classes(values: np.ndarray, params: Given) -> tuple[np.ndarray, int]:
    labels = sorted(params["labels"])
    return label_codes(values, labels), len(labels)


def _of_bins(values: np.ndarray, params: Given) -> tuple[np.ndarray, int]:
    return bin_cells(values, params["bins"]), int(params["bins"])


MEANS = Sums(
    _cells_of_means,
    lambda sums, total, given: _flat(*_shifts_of_means(sums, given)),
    _keys(lambda given: ("",)),
)
CLASSES = Sums(
    _cells_of_shares(_of_classes),
    lambda sums, total, given: _flat(*_shifts_of_shares(sums, len(given["labels"]), given)[:2]),
    _keys(lambda given: sorted(given["labels"])),
    counted=True,
)
BINS = Sums(
    _cells_of_shares(_of_bins),
    lambda sums, total, given: _flat(*_shifts_of_shares(sums, given["bins"], given)[:2]),
    _keys(lambda given: bin_labels(given["bins"])),
    counted=True,
)


@metric(
    id="mean_shift_difference",
    sums=MEANS,
    drawn="values",
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
    shifts, average = _shifts_of_means(MEANS.total(prediction, group, context))
    return dict(zip(_names(group), _column(shifts[:, 0], float(average[0, 0])), strict=True))


@metric(
    id="class_proportion_shift_difference",
    sums=CLASSES,
    drawn="shares",
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
    ordered = sorted(labels)
    shifts, average, _ = _shifts_of_shares(
        CLASSES.total(prediction, group, context, labels=labels), len(ordered)
    )
    return _table(_names(group), ordered, shifts, average)


@metric(
    id="bin_proportion_shift_difference",
    sums=BINS,
    drawn="shares",
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
    total = BINS.total(prediction, group, context, bins=bins)
    shifts, average, counts = _shifts_of_shares(total, bins)
    shifts[:, counts < min_count] = average[:, counts < min_count] = np.nan
    return _table(_names(group), bin_labels(bins), shifts, average)


def _column(shifts: np.ndarray, average: float) -> list[Shift]:
    return [Shift(shift - average, shift, average) for shift in shifts.tolist()]


def _table(
    names: Sequence[str], labels: Sequence[str], shifts: np.ndarray, average: np.ndarray
) -> dict[str, dict[str, Shift]]:
    columns = [_column(shifts[:, k], float(average[0, k])) for k in range(len(labels))]
    return {
        name: {label: column[row] for label, column in zip(labels, columns, strict=True)}
        for row, name in enumerate(names)
    }
