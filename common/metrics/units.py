"""Values of units such as speakers, and metrics of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .base import check_lengths, floats, metric
from .classification import by_label, class_keys, label_codes
from .sums import Columns, Given, Sums, Terms, ones


class UnitValues(NamedTuple):
    """Values of units.

    Args:
        units: names in the order of appearance, shape (U,)
        values: means, shape (U,), or shares of the classes, shape (U, number of labels)
    """

    units: np.ndarray
    values: np.ndarray


def unit_codes(units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Names of the units in the order of appearance, and the number of each row's unit.

    >>> names, codes = unit_codes(np.array(["z", "a", "z"], dtype=object))
    >>> names.tolist(), codes.tolist()
    (['z', 'a'], [0, 1, 0])
    """
    names, first, codes = np.unique(
        np.asarray(units, dtype=object), return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return names[order], place[codes]


def unit_values(
    values: np.ndarray, units: np.ndarray, *, labels: Sequence[str] | None
) -> UnitValues:
    """One value per unit: the mean of its rows, or the share of each class among them.

    Args:
        values: numbers, or classes if ``labels`` are given, shape (N,)
        units: unit of each row, shape (N,)
        labels: None for the mean; the classes for their shares, in this order. A class that
            never occurs has the share 0, not a missing one; rows of other classes count in
            the number of rows of their unit

    Returns:
        names of the units and their values, in the order of appearance

    Raises:
        LengthError: if the shapes differ

    >>> speakers = np.array(["z", "a", "z"], dtype=object)
    >>> unit_values(np.array([0.2, 0.5, 0.4]), speakers, labels=None).values.round(6).tolist()
    [0.3, 0.5]
    >>> classes = np.array(["x", "y", "y"], dtype=object)
    >>> unit_values(classes, speakers, labels=["x", "y"]).values.tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    check_lengths(values=values, units=units)
    names, codes = unit_codes(units)
    size = len(names)
    rows = np.bincount(codes, minlength=size)
    if labels is None:
        sums = np.bincount(codes, weights=np.asarray(values, np.float64), minlength=size)
        return UnitValues(names, sums / rows)
    counts = count_table(codes, label_codes(values, labels), size, len(labels))
    return UnitValues(names, counts / rows[:, None])


def count_table(rows: np.ndarray, columns: np.ndarray, n: int, m: int) -> np.ndarray:
    """How often each pair of codes occurs, shape (n, m); negative columns do not count.

    >>> count_table(np.array([0, 0, 1]), np.array([1, 1, -1]), 2, 2).tolist()
    [[0, 2], [0, 0]]
    """
    used = columns >= 0
    return np.bincount(rows[used] * m + columns[used], minlength=n * m).reshape(n, m)


def _share_errors(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    truth, prediction = floats(truth=arrays[0], prediction=arrays[1])
    errors = np.abs(truth - prediction).reshape(len(truth), len(params["labels"]))
    return (Columns((ones(errors[:, 0]), *((column,) for column in errors.T))),)


def _means(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    means: np.ndarray = sums[..., 1:] / sums[..., :1]
    return means


SHARE_ERRORS = Sums(_share_errors, _means, class_keys, nature="error")


@metric(
    id="class_proportion_mae",
    sums=SHARE_ERRORS,
    label="Class Proportion Mean Absolute Error",
    short="Proportion Absolute",
    kind="classification",
    bounds=(0, 1),
    direction="lower",
    cite="willmott2005advantages",
    takes="shares",
)
def class_proportion_mae(
    truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]
) -> dict[str, float]:
    r"""Mean absolute error of the shares of each class over units such as speakers.

    .. math:: \frac{1}{U} \sum_u |T_{u,c} - P_{u,c}|

    Args:
        truth: annotated shares, shape (units, number of labels), columns as in ``labels``
        prediction: predicted shares, same shape and order
        labels: the classes

    Returns:
        label -> error in [0, 1], sorted by label; NaN without units

    Raises:
        LengthError: if the shapes differ

    >>> truth = np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> class_proportion_mae(truth, np.array([[0.5, 0.5], [0.5, 0.5]]), labels=["a", "b"])
    {'a': 0.125, 'b': 0.125}
    """
    return by_label(labels, SHARE_ERRORS.point(truth, prediction, labels=labels))
