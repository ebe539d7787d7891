"""Verdict with power: passes, fails, or cannot tell."""

from __future__ import annotations

import math

from common.records import Criterion

PASSES, FAILS, CANNOT_TELL = VERDICTS = ("passes", "fails", "cannot tell")


def verdict_with_power(low: float, high: float, criterion: Criterion) -> str:
    """What the interval of a score says about a criterion.

    Args:
        low: lower end of the interval; NaN: there is none
        high: upper end
        criterion: the rule, with a number

    Returns:
        ``passes`` if every value of the interval meets the criterion, ``fails`` if none does,
        else ``cannot tell``; empty without an interval

    >>> [verdict_with_power(low, high, Criterion(above=0.5)) for low, high in
    ...  ((0.51, 0.7), (0.4, 0.5), (0.45, 0.55))]
    ['passes', 'fails', 'cannot tell']
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    bottom, top = _range(criterion)
    if bottom < low and high < top:
        return PASSES
    return FAILS if high <= bottom or low >= top else CANNOT_TELL


def _range(criterion: Criterion) -> tuple[float, float]:
    """Open range of the values that meet a criterion."""
    if criterion.above is not None:
        return criterion.above, math.inf
    if criterion.below is not None:
        return -math.inf, criterion.below
    if isinstance(criterion.within, float):
        return -criterion.within, criterion.within
    if criterion.between is not None:
        return criterion.between
    raise AssertionError("a criterion has exactly one bound, and it is a number by now")
