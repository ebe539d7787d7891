"""Many comparisons at once: some of them look like a finding by chance alone."""

from __future__ import annotations

import numpy as np


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    r"""Adjusted p values (q values) that control the false discovery rate.

    .. math:: q_{(i)} = \min_{j \ge i} \min\left(1, \frac{m}{j} p_{(j)}\right)

    after Benjamini and Hochberg (1995), with the m values in rising order. If all comparisons
    with q below a level are called differences, at most that share of them is expected to be
    false; that holds for independent comparisons and for those of groups with the same others,
    which depend on each other positively (Benjamini and Yekutieli 2001).

    Args:
        p: p values in [0, 1], any shape; NaN: there was nothing to test

    Returns:
        q values in [0, 1], same shape; NaN where p is NaN, which does not count in m

    Raises:
        ValueError: if a p value is below 0 or above 1

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    values = np.asarray(p, dtype=np.float64)
    mask = ~np.isnan(values)
    p_values = values[mask]
    if ((p_values < 0) | (p_values > 1)).any():
        wrong = p_values[(p_values < 0) | (p_values > 1)][0]
        raise ValueError(f"p values lie in [0, 1], found {wrong:g}")
    q_values = np.full(values.shape, np.nan)
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * (len(p_values) / np.arange(1, len(p_values) + 1))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum.accumulate(np.minimum(scaled, 1)[::-1])[::-1]
    q_values[mask] = adjusted
    return q_values


def benjamini_yekutieli(p: np.ndarray) -> np.ndarray:
    r"""Adjusted p values (q values) that hold however the comparisons depend on each other.

    Those of :func:`benjamini_hochberg` times :math:`\sum_{i=1}^m 1/i`, at most 1, after Benjamini
    and Yekutieli (2001). That is the price for comparisons of which one must be low where another
    is high, such as a group and its complement.

    Args:
        p: p values in [0, 1], any shape; NaN: there was nothing to test

    Returns:
        q values in [0, 1], same shape; NaN where p is NaN

    Raises:
        ValueError: if a p value is below 0 or above 1

    >>> benjamini_yekutieli(np.array([0.01, 0.04, np.nan])).round(3).tolist()
    [0.03, 0.06, nan]
    """
    q_values = benjamini_hochberg(p)
    count = int((~np.isnan(q_values)).sum())
    # scaled before the minimum with 1, so that a value cut there is not cut twice
    return np.asarray(np.minimum(1, q_values * (1 / np.arange(1, count + 1)).sum()))
