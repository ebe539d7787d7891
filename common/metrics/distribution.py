"""Metrics of two sets of values that need not be aligned: do they follow one distribution?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import mean, metric
from .bins import two_histograms
from .classification import by_label, class_keys, label_codes, label_counts
from .sums import (
    Cells,
    Columns,
    Given,
    Sums,
    Terms,
    difference_of_shares,
    ones,
    two_shares,
)


def _distance(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    first, second = two_shares(sums)
    middle = (first + second) / 2
    divergence = (_relative_entropy(first, middle) + _relative_entropy(second, middle)) / 2
    return np.sqrt(np.clip(divergence, 0, 1))[..., None]


def _relative_entropy(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    logs = np.log2(p / q, out=np.zeros_like(p), where=p != 0)  # 0 log 0 = 0; NaN stays
    return np.asarray((p * logs).sum(axis=-1))


def _two_counts(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    """Counts of the first values per class, then of the second."""
    labels = params["labels"]
    codes = [label_codes(array, labels) for array in arrays]
    return tuple(Cells(cells, len(labels), of) for of, cells in enumerate(codes))


def _two_sums(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    """Number and sum of the first values, then of the second, about a common origin."""
    first, second = (np.asarray(values, dtype=np.float64) for values in arrays)
    origin = params.get("about", first.mean() if first.size else 0.0)
    return tuple(
        Columns((ones(values), (values - origin,)), of) for of, values in enumerate((first, second))
    )


def _difference_of_means(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    return (sums[..., 3] / sums[..., 2] - sums[..., 1] / sums[..., 0])[..., None]


# empty bins are no rates to be drawn: that would move a distance, which noise can only increase
DISTANCE = Sums(two_histograms, _distance, nature="distance")
DIFFERENCE = Sums(_two_counts, difference_of_shares, class_keys, counted=True)
MEANS = Sums(_two_sums, _difference_of_means)


@metric(
    id="jensen_shannon_distance",
    label="Jensen-Shannon Distance",
    short="Distance",
    kind="regression",
    bounds=(0, 1),
    direction="lower",
    cite="endres2003metric",
    sums=DISTANCE,
)
def jensen_shannon_distance(truth: np.ndarray, prediction: np.ndarray, *, bins: int) -> float:
    r"""Jensen-Shannon distance of two histograms, base 2.

    .. math::

        \sqrt{\tfrac12 \sum_k T_k \log_2 \frac{T_k}{M_k} + \tfrac12 \sum_k P_k \log_2 \frac{P_k}{M_k}},
        \quad M_k = \tfrac12 (T_k + P_k)

    after Endres and Schindelin (2003), with the shares :math:`T_k`, :math:`P_k` of the values
    in bin :math:`k`. Bins are closed on the right; values below 0 and above 1 count in the
    first and the last bin. The two arrays need not be aligned.

    Args:
        truth: annotated or reference values, shape (N,)
        prediction: values that are compared, shape (M,)
        bins: number of equal bins on [0, 1]

    Returns:
        distance in [0, 1]; 1 if no bin holds values of both; NaN if one of the arrays is empty

    >>> jensen_shannon_distance(np.array([0.1, 0.9]), np.array([-0.1, 1.2]), bins=2)
    0.0
    >>> jensen_shannon_distance(np.array([0.1]), np.array([0.9]), bins=2)
    1.0
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in (truth, prediction)]
    if any(np.isnan(values).any() for values in arrays):
        return float("nan")
    return DISTANCE.number(*arrays, bins=bins)


def shares_by_class(values: np.ndarray, *, labels: Sequence[str]) -> dict[str, float]:
    """Label -> its share, sorted by label; see :func:`class_shares`."""
    return by_label(labels, class_shares(values, labels))


@metric(
    id="relative_difference_per_class",
    label="Relative Difference Per Class",
    short="Difference",
    kind="classification",
    bounds=(-1, 1),
    direction="zero",
    cite="derington2025testing",
    counts="truth",
    level=shares_by_class,
    sums=DIFFERENCE,
    drawn="shares",
)
def relative_difference_per_class(
    truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]
) -> dict[str, float]:
    r"""Share of a class among the second labels minus its share among the first.

    .. math:: \frac{N_p(c)}{N_p} - \frac{N_t(c)}{N_t}

    The two arrays need not be aligned; in fairness tests the first holds the predictions of
    all samples and the second those of a group.

    Args:
        truth: annotated or reference classes, shape (N,)
        prediction: classes that are compared, shape (M,)
        labels: the classes to report; other values are taken out before shares are computed

    Returns:
        label -> difference in [-1, 1], sorted by label; the differences add up to 0;
        NaN for all labels if one side holds none of them

    >>> truth = np.array(["a", "a", "b", "b"], dtype=object)
    >>> prediction = np.array(["a", "b", "b", "b"], dtype=object)
    >>> relative_difference_per_class(truth, prediction, labels=["a", "b"])
    {'a': -0.25, 'b': 0.25}
    """
    return by_label(labels, DIFFERENCE.point(truth, prediction, labels=labels))


def class_shares(values: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """Share of each label among the values that are in ``labels``; NaN if there are none.

    >>> class_shares(np.array(["b", "a", "x", "b", "b"], dtype=object), ["a", "b"]).tolist()
    [0.25, 0.75]
    """
    counts = label_counts(values, labels)
    total = counts.sum()
    return counts / total if total else np.full(len(labels), np.nan)


def mean_value(values: np.ndarray) -> float:
    """Mean; NaN of nothing."""
    return mean(np.asarray(values, np.float64))


@metric(
    id="mean_difference",
    label="Mean Value",
    short="Mean",
    kind="regression",
    bounds=(float("-inf"), float("inf")),
    direction="zero",
    cite="derington2025testing",
    unit="unit of the target",
    level=mean_value,
    sums=MEANS,
    drawn="values",
)
def mean_difference(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Mean of the second values minus mean of the first.

    .. math:: \bar p - \bar t

    The two arrays need not be aligned; in fairness tests the first holds the predictions of
    all samples and the second those of a group.

    Args:
        truth: annotated or reference values, shape (N,)
        prediction: values that are compared, shape (M,)

    Returns:
        difference in the unit of the target; NaN if one of the arrays is empty

    >>> mean_difference(np.array([0.25, 0.75]), np.array([0.75]))
    0.25
    """
    return MEANS.number(truth, prediction)
