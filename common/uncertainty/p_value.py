"""The p value of "there is no difference", from the interval of a difference."""

from __future__ import annotations

import numpy as np

from .student import student, two_sided

#: a difference closer to 0 is 0 but for rounding
ZERO = 1e-12
#: p values are not smaller than this, so that none is 0
SMALLEST = 1e-300


def p_values(
    point: np.ndarray, low: np.ndarray, high: np.ndarray, freedom: np.ndarray
) -> np.ndarray:
    r"""Two-sided p values of "there is no difference", from 95 % intervals.

    .. math:: p = 2 P\left(T_f > \frac{|s|}{e}\right), \qquad e = \frac{a}{t_f}

    with Student's T of :math:`f` degrees of freedom, its 97.5 % quantile :math:`t_f`, and the arm
    :math:`a` of the interval on the side of zero. So p is below 0.05 exactly where the interval
    does not hold zero, and has the tail of Student's t at every other level: a share of
    resamples beyond zero would have the tail of the normal distribution there, six times too
    thin at 0.002 with five speakers.

    If all resamples are equal, the arm is 0 and a difference has the same sign everywhere. That
    is as surprising as so many tosses of a coin as there are clusters that all show one side.

    Args:
        point: scores, shape (V,)
        low: lower ends of intervals, not cut at the bounds of the metric, shape (V,)
        high: upper ends, shape (V,)
        freedom: degrees of freedom of the intervals; at least one is assumed, shape (V,)

    Returns:
        p values in (0, 1], shape (V,)

    >>> p_values(np.array([0.3]), np.array([0.0]), np.array([0.5]), np.array([4])).round(3).tolist()
    [0.05]
    >>> p_values(np.array([0.9]), np.array([0.6]), np.array([1.1]), np.array([4])).round(4).tolist()
    [0.0011]
    """
    freedom = np.maximum(freedom, 1)
    arm = np.maximum(np.where(point > 0, point - low, high - point), 0)
    spread = arm > ZERO
    t = np.abs(point) / np.where(spread, arm, 1) * student(freedom)
    tossed = np.minimum(1, 2.0**-freedom)
    p = np.where(spread, two_sided(t, freedom), tossed)
    return np.where(np.abs(point) <= ZERO, 1.0, np.clip(p, SMALLEST, 1.0))
