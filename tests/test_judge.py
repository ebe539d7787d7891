from __future__ import annotations

import numpy as np
import pytest

from common.results.judge import Verdict, judge
from common.spec import Criterion

ABOVE, BELOW = Criterion(above=0.5), Criterion(below=0.1)
WITHIN, BETWEEN = Criterion(within=0.15), Criterion(between=(0.2, 0.4))
INF = float("inf")


@pytest.mark.parametrize(
    ("criterion", "value", "status"),
    [
        (ABOVE, 0.5000001, "pass"),
        (ABOVE, 0.5, "fail"),
        (ABOVE, 0.0, "fail"),
        (ABOVE, -0.9, "fail"),
        (ABOVE, INF, "pass"),
        (ABOVE, -INF, "fail"),
        (BELOW, 0.0999999, "pass"),
        (BELOW, 0.1, "fail"),
        (BELOW, 0.0, "pass"),
        (BELOW, INF, "fail"),
        (WITHIN, 0.0, "pass"),
        (WITHIN, -0.1499, "pass"),
        (WITHIN, 0.1499, "pass"),
        (WITHIN, 0.15, "fail"),
        (WITHIN, -0.15, "fail"),
        (WITHIN, -INF, "fail"),
        (BETWEEN, 0.3, "pass"),
        (BETWEEN, 0.2, "fail"),
        (BETWEEN, 0.4, "fail"),
        (BETWEEN, INF, "fail"),
        (Criterion(above=0.0), 0.0, "fail"),
        (Criterion(above=-0.05), 0.0, "pass"),
        (Criterion(below=0.0), -1.0, "pass"),
    ],
)
def test_bounds_are_exclusive(criterion: Criterion, value: float, status: str) -> None:
    assert judge(value, criterion) == Verdict(status, "")


@pytest.mark.parametrize("criterion", [ABOVE, BELOW, WITHIN, BETWEEN], ids=str)
def test_missing_value_is_skipped_with_its_reason(criterion: Criterion) -> None:
    assert judge(float("nan"), criterion, "no samples") == Verdict("skip", "no samples")
    assert judge(float("nan"), criterion) == Verdict("skip", "not defined")


def test_reason_of_a_value_is_not_shown() -> None:
    assert judge(0.9, ABOVE, "left over") == Verdict("pass", "")


def test_numpy_scalars_and_single_precision() -> None:
    assert judge(np.float64(0.6), ABOVE).status == "pass"
    assert judge(np.float32(0.5), ABOVE).status == "fail"
