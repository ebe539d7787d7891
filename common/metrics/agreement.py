"""Do predictions stay the same when the input changes?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import check_lengths, floats, metric
from .sums import Given, Sums, Terms, one_share, share_value

#: what both are registered with
_FIELDS = {
    "label": "Percentage Unchanged Predictions",
    "short": "Percent Unchanged Predictions",
    "bounds": (0, 1),
    "direction": "higher",
    "cite": "derington2025testing",
}


def _alike(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    truth, prediction = floats(truth=arrays[0], prediction=arrays[1])
    return one_share(np.abs(prediction - truth) < params["tolerance"])


def _equal(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    check_lengths(truth=arrays[0], prediction=arrays[1])
    before, after = (np.asarray(values, dtype=object) for values in arrays)
    return one_share(np.asarray(before == after, dtype=bool))


ALIKE = Sums(_alike, share_value, counted=True, nature="share")
EQUAL = Sums(_equal, share_value, counted=True, nature="share")


@metric(id="percentage_unchanged", sums=ALIKE, kind="regression", **_FIELDS)
def percentage_unchanged(truth: np.ndarray, prediction: np.ndarray, *, tolerance: float) -> float:
    r"""Share of values that change by less than a tolerance.

    .. math:: \frac{1}{N} \sum_i [\,|p_i - t_i| < \text{tolerance}\,]

    Raw values in float64, never rounded. The name says percentage as in the paper; the value
    is a fraction.

    Args:
        truth: predictions on the reference input, shape (N,)
        prediction: predictions on the changed input, shape (N,), same order
        tolerance: smallest difference that counts as a change, in the unit of the target

    Returns:
        share in [0, 1]; NaN if N = 0

    Raises:
        LengthError: if the shapes differ

    >>> percentage_unchanged(np.array([0.5, 0.5]), np.array([0.54, 0.6]), tolerance=0.05)
    0.5
    """
    truth, prediction = floats(truth=truth, prediction=prediction)
    if np.isnan(prediction - truth).any():
        return float("nan")
    return ALIKE.number(truth, prediction, tolerance=tolerance)


@metric(id="percentage_unchanged_classes", sums=EQUAL, kind="classification", **_FIELDS)
def percentage_unchanged_classes(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Share of equal labels.

    .. math:: \frac{1}{N} \sum_i [\,p_i = t_i\,]

    Args:
        truth: predictions on the reference input, shape (N,)
        prediction: predictions on the changed input, shape (N,), same order

    Returns:
        share in [0, 1]; NaN if N = 0

    Raises:
        LengthError: if the shapes differ

    >>> reference = np.array(["a", "b"], dtype=object)
    >>> percentage_unchanged_classes(reference, np.array(["a", "a"], dtype=object))
    0.5
    """
    return EQUAL.number(truth, prediction)
