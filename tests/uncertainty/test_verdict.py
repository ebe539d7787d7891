"""Verdict with power."""

from __future__ import annotations

import math

import hypothesis
import hypothesis.strategies as st
import pytest

from common.results.judge import judge
from common.spec.records import Criterion
from common.uncertainty import VERDICTS, is_decidable, verdict_on_share, verdict_with_power
from common.uncertainty.verdict import ENOUGH, UNSEEN

CRITERIA = [
    Criterion(above=0.5),
    Criterion(below=0.1),
    Criterion(within=0.075),
    Criterion(between=(0.2, 0.4)),
]
NUMBER = st.one_of(st.floats(-1, 1), st.sampled_from([0.5, 0.1, 0.075, -0.075, 0.2, 0.4]))


@pytest.mark.parametrize(
    ("criterion", "low", "high", "expected"),
    [
        (Criterion(above=0.5), 0.5, 0.7, "cannot tell"),
        (Criterion(above=0.5), 0.5001, 0.7, "passes"),
        (Criterion(above=0.5), 0.3, 0.5, "fails"),
        (Criterion(below=0.1), 0.0, 0.0999, "passes"),
        (Criterion(below=0.1), 0.0, 0.1, "cannot tell"),
        (Criterion(below=0.1), 0.1, 0.2, "fails"),
        (Criterion(within=0.1), -0.09, 0.09, "passes"),
        (Criterion(within=0.1), -0.1, 0.05, "cannot tell"),
        (Criterion(within=0.1), -0.3, 0.3, "cannot tell"),
        (Criterion(within=0.1), 0.1, 0.2, "fails"),
        (Criterion(within=0.1), -0.4, -0.1, "fails"),
        (Criterion(between=(0.2, 0.4)), 0.25, 0.39, "passes"),
        (Criterion(between=(0.2, 0.4)), 0.4, 0.5, "fails"),
        (Criterion(above=0.5), -math.inf, math.inf, "cannot tell"),
        (Criterion(above=0.5), math.nan, math.nan, ""),
    ],
)
def test_cases(criterion: Criterion, low: float, high: float, expected: str) -> None:
    assert verdict_with_power(low, high, criterion) == expected


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@hypothesis.given(ends=st.tuples(NUMBER, NUMBER, NUMBER))
@hypothesis.settings(max_examples=200, derandomize=True)
def test_a_certain_verdict_is_that_of_every_value(
    criterion: Criterion, ends: tuple[float, float, float]
) -> None:
    low, value, high = sorted(ends)
    found = verdict_with_power(low, high, criterion)
    assert found in VERDICTS
    statuses = {judge(x, criterion).status for x in (low, value, high)}
    if found == "passes":
        assert statuses == {"pass"}
    elif found == "fails":
        assert statuses == {"fail"}
    if low == high:
        assert found != "cannot tell"


def test_enough_speakers_hold_one_of_those_that_are_unlike_the_others() -> None:
    assert (1 - UNSEEN) ** ENOUGH < 0.025 < (1 - UNSEEN) ** (ENOUGH - 1)


@pytest.mark.parametrize(
    ("criterion", "share", "clusters", "expected"),
    [
        (Criterion(above=0.8), 0.98, 10, "passes"),  # 0.9 * 0.98 > 0.8
        (Criterion(above=0.9), 0.98, 10, "cannot tell"),
        (Criterion(above=0.9), 0.98, 36, "passes"),
        (Criterion(above=0.9), 0.8, 10, "fails"),
        (Criterion(above=0.9), 0.89, 10, "cannot tell"),
        (Criterion(below=0.1), 0.02, 10, "cannot tell"),
        (Criterion(below=0.2), 0.02, 10, "passes"),
    ],
)
def test_a_share_of_few_speakers_needs_a_distance(
    criterion: Criterion, share: float, clusters: int, expected: str
) -> None:
    low, high = share - 0.005, share + 0.005
    assert verdict_on_share(low, share, high, clusters, criterion) == expected


@pytest.mark.parametrize(
    ("criterion", "low", "high", "expected"),
    [
        (Criterion(within=0.1), 0.25, 0.36, True),
        (Criterion(within=0.1), 0.19, 0.31, False),  # the lower arm is 0.11
        (Criterion(within=0.1), 0.25, 0.40, False),
        (Criterion(between=(0.2, 0.4)), 0.25, 0.44, True),
        (Criterion(between=(0.2, 0.4)), 0.25, 0.46, False),
        (Criterion(above=0.5), 0.0, 1.0, True),
        (Criterion(within=0.1), math.nan, math.nan, True),
    ],
)
def test_a_tolerance_smaller_than_an_arm_cannot_be_decided(
    criterion: Criterion, low: float, high: float, expected: bool
) -> None:
    assert is_decidable(low, 0.3, high, criterion) == expected
