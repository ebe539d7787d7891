"""What is looked at of rows of groups, and what a template shows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Line(NamedTuple):
    """What is looked at of a row."""

    model: str
    test: str
    data: str
    condition: str
    reference: str
    metric: str
    label: str
    value: float
    n: Any
    ci_low: float
    ci_high: float
    p_value: float
    effect: float
    p_adjusted: float
    fairness: str
    gap: float
    gap_low: float
    gap_high: float
    criterion: str
    bound: str
    status: str
    certain: str


@dataclass(frozen=True)
class Comparison:
    """One score of one group, as text for a template.

    Args:
        group: the group, or an intersection of several attributes
        data: name of the data, only where groups of several data stand in one table
        what: metric and class or bin
        value: the score: that of the group minus that of all
        size: its size without sign
        side: how the group does: ``lower`` or ``higher`` than all
        worse: whether that is a disadvantage; None where neither side is one
        rule: when it passes
        on_bound: remark if it equals the bound; empty: it does not
        bound: where that comes from: published, simulated or declared; empty: nobody said
        n: number of samples
        interval: 95 % interval; empty: there is none
        effect: effect size; empty: there is none
        p: p value; empty: there is none
        q: p value adjusted for all comparisons of the test; empty: there is none
        adjusted: p value of speakers permuted over the groups; empty: there is none
        fairness: fair within its bound, unfair, undecided or cannot tell; empty: no test
        css: class, mark: symbol, word: name of the plain verdict
        certain: verdict by the interval
        severity: size of the score as a multiple of its bound
    """

    group: str
    data: str
    what: str
    value: str
    size: str
    side: str
    worse: bool | None
    rule: str
    on_bound: str
    bound: str
    n: str
    interval: str
    effect: str
    p: str
    q: str
    adjusted: str
    fairness: str
    css: str
    mark: str
    word: str
    certain: str
    severity: float


@dataclass(frozen=True)
class Gap:
    """Difference between two groups, as text for a template.

    Args:
        data: name of the data, only where there are several
        what: metric and class or bin
        first: the group that is subtracted from
        second: the group that is subtracted
        value: score of the first minus that of the second
        interval: 95 % interval; empty: there is none
        size: the difference as a number, for the order
    """

    data: str
    what: str
    first: str
    second: str
    value: str
    interval: str
    size: float


@dataclass(frozen=True)
class GroupsInBrief:
    """What a page of all models shows of the groups of one.

    Args:
        first: the worst comparison of the most disadvantaged group
        gaps: differences between two groups, the largest first
        pairs: whether there are two groups only
        tested: number of comparisons with a p value
    """

    first: Comparison
    gaps: tuple[Gap, ...]
    pairs: bool
    tested: int
