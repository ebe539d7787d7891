"""Metrics of numbers that are sorted into equal bins on [0, 1], the outer ones open.

Bins are closed on the right: with four bins, 0.25 lies in ``(-inf, 0.25]`` and 0.2501 in
``(0.25, 0.5]``. A bin that holds too few samples (``min_count``) has no value: NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .base import floats, metric
from .sums import (
    Cells,
    Given,
    Key,
    Sums,
    Terms,
    difference_of_shares,
    hits,
    share_of_hits,
)


def bin_edges(bins: int) -> np.ndarray:
    """Inner edges of the bins, shape (bins - 1,): 1/bins, 2/bins, ...

    >>> bin_edges(4).tolist()
    [0.25, 0.5, 0.75]
    """
    # k / bins is the double next to the true edge, so a value written as 0.3 lies on its edge;
    # np.linspace and np.arange with a step miss some edges by one digit
    return np.arange(1, bins) / bins


def bin_labels(bins: int) -> tuple[str, ...]:
    """Names of the bins in rising order.

    >>> bin_labels(4)
    ('(-inf, 0.25]', '(0.25, 0.5]', '(0.5, 0.75]', '(0.75, inf]')
    """
    edges = ["-inf", *(f"{edge:g}" for edge in bin_edges(bins)), "inf"]
    return tuple(f"({low}, {high}]" for low, high in pairwise(edges))


def bin_codes(values: np.ndarray, bins: int) -> np.ndarray:
    """Bin of each value, shape (N,), 0 to bins - 1; NaN counts as too high.

    >>> bin_codes(np.array([-1.0, 0.25, 0.2549, 0.8, 1.5]), 4).tolist()
    [0, 0, 1, 3, 3]
    """
    return np.searchsorted(bin_edges(bins), values, side="left")


def bin_counts(values: np.ndarray, bins: int) -> np.ndarray:
    """Number of values in each bin, shape (bins,), as floats; all NaN if a value is NaN."""
    if np.isnan(values).any():
        return np.full(bins, np.nan)
    return np.bincount(bin_codes(values, bins), minlength=bins).astype(np.float64)


def bin_shares(values: np.ndarray, bins: int) -> np.ndarray:
    """Share of the values in each bin, shape (bins,); NaN without values."""
    if len(values) == 0:
        return np.full(bins, np.nan)
    return bin_counts(values, bins) / len(values)


def bin_cells(values: np.ndarray, bins: int) -> np.ndarray:
    """Bin of each value as :func:`bin_codes` has it, whatever the type of the numbers."""
    return bin_codes(np.asarray(values, dtype=np.float64), bins)


def bin_keys(arrays: Sequence[np.ndarray], params: Given) -> tuple[Key, ...]:
    """One value per bin."""
    return tuple(("", label) for label in bin_labels(params["bins"]))


def two_histograms(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    """Counts of the first values per bin, then of the second."""
    bins = params["bins"]
    return tuple(Cells(bin_cells(array, bins), bins, of) for of, array in enumerate(arrays))


def _per_bin(of: int) -> Sums:
    def terms(arrays: Sequence[np.ndarray], params: Given) -> Terms:
        return hits([bin_cells(array, params["bins"]) for array in arrays], of, params["bins"])

    return Sums(terms, share_of_hits, bin_keys, counted=True, nature="share")


RECALL, PRECISION = _per_bin(0), _per_bin(1)
DIFFERENCE = Sums(two_histograms, difference_of_shares, bin_keys, counted=True)


def _scored(
    sums: Sums, truth: np.ndarray, prediction: np.ndarray, bins: int, min_count: int
) -> dict[str, float]:
    unknown = np.isnan(truth).any() or np.isnan(prediction).any()
    values = np.full(bins, np.nan) if unknown else sums.point(truth, prediction, bins=bins)
    return _by_bin(values, bin_counts(truth, bins), min_count)


def _by_bin(values: np.ndarray, counts: np.ndarray, min_count: int) -> dict[str, float]:
    values = np.where(counts < min_count, np.nan, values)
    return dict(zip(bin_labels(len(values)), values.tolist(), strict=True))


@metric(
    id="recall_per_bin",
    label="Recall Per Bin",
    short="Recall",
    kind="regression",
    bounds=(0, 1),
    direction="higher",
    cite="derington2025testing",
    counts="truth",
    sums=RECALL,
    drawn="pairs",
)
def recall_per_bin(
    truth: np.ndarray, prediction: np.ndarray, *, bins: int, min_count: int
) -> dict[str, float]:
    r"""Share of the samples of a bin that are predicted into it.

    .. math:: \frac{N(t \in b, p \in b)}{N(t \in b)}

    Args:
        truth: annotated values, shape (N,)
        prediction: predicted values, shape (N,), same order as ``truth``
        bins: number of equal bins on [0, 1]
        min_count: a bin with fewer samples in the truth has no value

    Returns:
        bin -> recall in [0, 1], in rising order; NaN for bins with too few samples,
        0 for an empty bin if ``min_count`` is 0

    Raises:
        LengthError: if the shapes differ

    >>> recall_per_bin(np.array([0.1, 0.6]), np.array([0.2, 0.9]), bins=2, min_count=1)
    {'(-inf, 0.5]': 1.0, '(0.5, inf]': 1.0}
    """
    truth, prediction = floats(truth=truth, prediction=prediction)
    return _scored(RECALL, truth, prediction, bins, min_count)


@metric(
    id="precision_per_bin",
    label="Precision Per Bin",
    short="Precision",
    kind="regression",
    bounds=(0, 1),
    direction="higher",
    cite="derington2025testing",
    counts="prediction",
    sums=PRECISION,
    drawn="pairs",
)
def precision_per_bin(
    truth: np.ndarray, prediction: np.ndarray, *, bins: int, min_count: int
) -> dict[str, float]:
    r"""Share of the predictions in a bin that belong there.

    .. math:: \frac{N(t \in b, p \in b)}{N(p \in b)}

    Args:
        truth: annotated values, shape (N,)
        prediction: predicted values, shape (N,), same order as ``truth``
        bins: number of equal bins on [0, 1]
        min_count: a bin with fewer samples **in the truth** has no value, as for the recall,
            so that no model can have a bin skipped by never predicting it

    Returns:
        bin -> precision in [0, 1], in rising order; NaN for bins with too few samples,
        0 for a bin without a prediction

    Raises:
        LengthError: if the shapes differ

    >>> precision_per_bin(np.array([0.1, 0.6]), np.array([0.7, 0.9]), bins=2, min_count=1)
    {'(-inf, 0.5]': 0.0, '(0.5, inf]': 0.5}
    """
    truth, prediction = floats(truth=truth, prediction=prediction)
    return _scored(PRECISION, truth, prediction, bins, min_count)


def shares_by_bin(values: np.ndarray, *, bins: int, min_count: int) -> dict[str, float]:
    """Bin -> its share, in rising order; NaN for bins with fewer than ``min_count`` values."""
    values = np.asarray(values, dtype=np.float64)
    return _by_bin(bin_shares(values, bins), bin_counts(values, bins), min_count)


@metric(
    id="relative_difference_per_bin",
    label="Relative Difference Per Bin",
    short="Difference",
    kind="regression",
    bounds=(-1, 1),
    direction="zero",
    cite="derington2025testing",
    counts="truth",
    level=shares_by_bin,
    sums=DIFFERENCE,
    drawn="shares",
)
def relative_difference_per_bin(
    truth: np.ndarray, prediction: np.ndarray, *, bins: int, min_count: int
) -> dict[str, float]:
    r"""Share of a bin among the second values minus its share among the first.

    .. math:: \frac{N_p(b)}{N_p} - \frac{N_t(b)}{N_t}

    The two arrays need not be aligned; in fairness tests the first holds the predictions of
    all samples and the second those of a group.

    Args:
        truth: annotated or reference values, shape (N,)
        prediction: values that are compared, shape (M,)
        bins: number of equal bins on [0, 1]
        min_count: a bin with fewer values in ``truth`` has no value

    Returns:
        bin -> difference in [-1, 1], in rising order; NaN for bins with too few values, and
        for all of them if one of the arrays is empty

    >>> relative_difference_per_bin(np.array([0.1, 0.6]), np.array([0.2]), bins=2, min_count=1)
    {'(-inf, 0.5]': 0.5, '(0.5, inf]': -0.5}
    """
    truth = np.asarray(truth, dtype=np.float64)
    prediction = np.asarray(prediction, dtype=np.float64)
    return _scored(DIFFERENCE, truth, prediction, bins, min_count)
