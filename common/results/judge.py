"""Value and criterion -> verdict. Computed once per result row, from the raw value."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from ..spec import Criterion


class Verdict(NamedTuple):
    """Outcome of a score.

    Args:
        status: pass, fail, or skip if there is nothing to judge
        reason: why it was skipped; empty otherwise
    """

    status: Literal["pass", "fail", "skip"]
    reason: str = ""


def judge(value: float, criterion: Criterion, reason: str = "") -> Verdict:
    """Verdict on a score; all comparisons are strict, and nothing is rounded before them.

    Args:
        value: the score; NaN: there is none. An infinite score is compared like any number
        criterion: the rule
        reason: why there is no score

    Returns:
        ``skip`` for NaN, whatever the criterion, so that a missing value neither passes nor
        fails; else ``pass`` or ``fail``

    >>> judge(0.504, Criterion(above=0.5)).status, judge(0.5, Criterion(above=0.5)).status
    ('pass', 'fail')
    >>> judge(float("nan"), Criterion(below=0.1), "constant predictions")
    Verdict(status='skip', reason='constant predictions')
    """
    if math.isnan(value):
        return Verdict("skip", reason or "not defined")
    return Verdict("pass" if _holds(float(value), criterion) else "fail")


def _holds(value: float, criterion: Criterion) -> bool:
    if criterion.above is not None:
        return value > criterion.above
    if criterion.below is not None:
        return value < criterion.below
    if isinstance(criterion.within, float):
        return abs(value) < criterion.within
    if criterion.between is not None:
        return criterion.between[0] < value < criterion.between[1]
    raise AssertionError("a criterion has exactly one bound, and it is a number by now")
