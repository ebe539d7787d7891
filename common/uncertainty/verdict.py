"""Verdict with power: passes, fails, or cannot tell, and whether any score could pass."""

from __future__ import annotations

import math

from ..spec.records import Criterion

#: so large a part of all speakers may be unlike those of a dataset if these are few
UNSEEN = 0.1
#: from so many speakers on, one of that part is among them: (1 - UNSEEN) ** ENOUGH < 0.025
ENOUGH = 36
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


def verdict_on_share(
    low: float, value: float, high: float, clusters: int, criterion: Criterion
) -> str:
    """What the interval of a share says about a criterion, if speakers may be few.

    An interval knows the speakers that it rests on. If one in ten of all speakers is unlike the
    others, none of these is among ten speakers with a probability of 35 %, and among
    :data:`ENOUGH` with one of less than 2.5 %. So with fewer speakers a verdict is certain only
    if it would also hold if a tenth of the speakers had a share of 0, or of 1.

    Args:
        low: lower end of the interval; NaN: there is none
        value: the share
        high: upper end
        clusters: number of speakers, or else of samples
        criterion: the rule, with a number

    >>> [verdict_on_share(0.94, 0.97, 0.99, n, Criterion(above=0.9)) for n in (24, 36)]
    ['cannot tell', 'passes']
    >>> verdict_on_share(0.94, 0.97, 0.99, 24, Criterion(above=0.8))
    'passes'
    """
    if clusters < ENOUGH:
        low = min(low, (1 - UNSEEN) * value)
        high = max(high, (1 - UNSEEN) * value + UNSEEN)
    return verdict_with_power(low, high, criterion)


def is_decidable(low: float, value: float, high: float, criterion: Criterion) -> bool:
    """Whether any score could pass for certain with an interval of these arms.

    If an arm is longer than the tolerance of a ``within``, not even a score of 0 could.

    Args:
        low: lower end of the interval; NaN: there is none, and nothing is said
        value: the score
        high: upper end
        criterion: the rule, with a number

    >>> [is_decidable(0.1 - arm, 0.1, 0.15, Criterion(within=0.075)) for arm in (0.05, 0.08)]
    [True, False]
    """
    bottom, top = _range(criterion)
    if math.isnan(low) or math.isnan(high):
        return True
    if isinstance(criterion.within, float):
        return max(value - low, high - value) < criterion.within
    return high - low < top - bottom


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
