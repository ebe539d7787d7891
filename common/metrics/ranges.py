"""Share of predictions in the range that is expected for a category.

A metric per range, so that pages and criteria can name them; the ends of the ranges stand in
the YAML of the test.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import metric
from .sums import Given, Sums, Terms, one_share, share_value


def _inside(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    values = np.asarray(arrays[0], dtype=np.float64)
    low, high = params.get("low"), params.get("high")
    above = values >= (-np.inf if low is None else low)
    return one_share(above & (values <= (np.inf if high is None else high)))


INSIDE = Sums(_inside, share_value, counted=True, nature="share")

#: what all of them are registered with
_FIELDS = {
    "kind": "regression",
    "bounds": (0, 1),
    "direction": "higher",
    "cite": "derington2025testing",
    "takes": "range",
    "sums": INSIDE,
    "filled": ("low", "high"),
}


def share_in_range(prediction: np.ndarray, *, low: float | None, high: float | None) -> float:
    r"""Share of values in a range, both ends included.

    .. math:: \frac{1}{N} \sum_i [\text{low} \le p_i \le \text{high}]

    Args:
        prediction: predicted values, shape (N,)
        low: lower end; None: open
        high: upper end; None: open

    Returns:
        share in [0, 1]; NaN if N = 0

    >>> share_in_range(np.array([0.3, 0.6, 0.61, 0.1]), low=0.3, high=0.6)
    0.5
    """
    return INSIDE.number(prediction, low=low, high=high)


@metric(
    id="samples_in_expected_low_range",
    label="Samples in Expected Low Range",
    short="Samples Expected Low",
    **_FIELDS,
)
def samples_in_expected_low_range(
    prediction: np.ndarray, *, low: float | None, high: float | None
) -> float:
    """Share of predictions in the range ``low``, for samples expected there.

    See :func:`share_in_range`.
    """
    return share_in_range(prediction, low=low, high=high)


@metric(
    id="samples_in_expected_neutral_range",
    label="Samples in Expected Neutral Range",
    short="Samples Expected Neutral",
    **_FIELDS,
)
def samples_in_expected_neutral_range(
    prediction: np.ndarray, *, low: float | None, high: float | None
) -> float:
    """Share of predictions in the range ``neutral``, for samples expected there.

    See :func:`share_in_range`.
    """
    return share_in_range(prediction, low=low, high=high)


@metric(
    id="samples_in_expected_high_range",
    label="Samples in Expected High Range",
    short="Samples Expected High",
    **_FIELDS,
)
def samples_in_expected_high_range(
    prediction: np.ndarray, *, low: float | None, high: float | None
) -> float:
    """Share of predictions in the range ``high``, for samples expected there.

    See :func:`share_in_range`.
    """
    return share_in_range(prediction, low=low, high=high)
