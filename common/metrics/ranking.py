"""Do two lists of numbers put things into the same order?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import check_lengths, floats, metric
from .classification import by_label
from .regression import pcc

#: values that differ by less than this part of the largest one are tied: two means of the
#: same numbers may differ in their last digit, which must not decide about a rank
TIE = 1e-12


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, shape (N,); equal values share the mean of their ranks.

    >>> average_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) == 0:
        return np.empty(0)
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > TIE * np.abs(values).max()
    first = np.concatenate([[0], np.flatnonzero(gaps) + 1])
    last = np.concatenate([first[1:], [len(values)]])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((first + 1 + last) / 2, last - first)
    return ranks


@metric(
    id="spearmans_rho",
    label="Spearmans Rho",
    short="Rho",
    kind="regression",
    bounds=(-1, 1),
    direction="higher",
    cite="spearman1904proof",
)
def spearmans_rho(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Spearman's rank correlation: the Pearson correlation of the ranks.

    .. math::

        \frac{\sum_i (R(t)_i - \bar R)(R(p)_i - \bar R)}
        {\sqrt{\sum_i (R(t)_i - \bar R)^2} \sqrt{\sum_i (R(p)_i - \bar R)^2}}

    after Spearman (1904); equal values share the mean of their ranks. Values that differ by
    less than 1e-12 of the largest one are equal.

    Args:
        truth: annotated values, shape (N,)
        prediction: predicted values, shape (N,), same order as ``truth``

    Returns:
        correlation in [-1, 1]; NaN if N < 2 or if one side is constant

    Raises:
        LengthError: if the shapes differ

    >>> spearmans_rho(np.array([0.1, 0.2, 0.4]), np.array([0.5, 0.6, 0.61]))
    1.0
    """
    truth, prediction = floats(truth=truth, prediction=prediction)
    if np.isnan(truth).any() or np.isnan(prediction).any():
        return float("nan")
    return pcc(average_ranks(truth), average_ranks(prediction))


@metric(
    id="class_proportion_spearmans_rho",
    label="Spearmans Rho",
    short="Rho",
    kind="classification",
    bounds=(-1, 1),
    direction="higher",
    cite="spearman1904proof",
    takes="shares",
)
def class_proportion_spearmans_rho(
    truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]
) -> dict[str, float]:
    r"""Spearman's rank correlation of the shares of each class over units such as speakers.

    Args:
        truth: annotated shares, shape (units, number of labels), columns as in ``labels``
        prediction: predicted shares, same shape and order
        labels: the classes

    Returns:
        label -> correlation in [-1, 1] as in :func:`spearmans_rho`, sorted by label;
        NaN for a class whose share is the same for all units

    Raises:
        LengthError: if the shapes differ

    >>> truth = np.array([[0.1, 0.9], [0.4, 0.6]])
    >>> class_proportion_spearmans_rho(truth, truth[::-1], labels=["a", "b"])
    {'a': -1.0, 'b': -1.0}
    """
    check_lengths(truth=truth, prediction=prediction)
    pairs = zip(truth.T, prediction.T, strict=True)
    return by_label(labels, np.array([spearmans_rho(t, p) for t, p in pairs]))
