"""Numbers as people read them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core import display

RULES = ("> 0.5", "< 0.1", "|x| < 0.075", "0.2 < x < 0.4")


def passes(value: float, rule: str) -> bool:
    low, high = {
        "> 0.5": (0.5, 9e9), "< 0.1": (-9e9, 0.1), "|x| < 0.075": (-0.075, 0.075),
        "0.2 < x < 0.4": (0.2, 0.4),
    }[rule]  # fmt: skip
    return low < value < high


@given(st.floats(-2, 2), st.sampled_from(RULES), st.integers(2, 3))
def test_what_is_shown_has_the_verdict_of_the_value(value: float, rule: str, digits: int) -> None:
    if any(0 < abs(abs(value) - bound) < 1e-9 for bound in display.bounds(rule)):
        return
    shown = display.number(value, rule, digits)
    assert passes(float(shown.replace(display.MINUS, "-")), rule) == passes(value, rule)


@pytest.mark.parametrize(
    ("value", "rule", "shown"),
    [
        (0.07500000000000001, "|x| < 0.075", "0.075"),
        (-0.07499999999999998, "|x| < 0.075", "−0.075"),
        (0.1 + 0.2, "> 0.3", "0.300"),
        (0.30004000000000003, "> 0.30004", "0.30004"),
        (2e-17, "> 0", "0.000"),
        (0.0750000001, "|x| < 0.075", "0.0750000001"),
        (0.07499999, "|x| < 0.075", "0.07499999"),
    ],
)
def test_what_differs_from_a_bound_by_rounding_of_floats_is_shown_as_equal(
    value: float, rule: str, shown: str
) -> None:
    assert display.number(value, rule) == shown
    assert (display.equal_bound(value, rule) is None) == (len(shown) > 8)


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_no_hyphen_and_no_signed_zero(value: float, digits: int) -> None:
    for text in (display.number(value, digits=digits), display.signed(value, digits)):
        assert "-" not in text
        assert not re.fullmatch(r"[+−]0(\.0+)?", text)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("(-0.00 - -0.03)", "(0.00 − (−0.03))"),
        ("(0.01 - 0.03)", "(0.01 − 0.03)"),
        ("-0.2 < x < 0.2", "−0.2 < x < 0.2"),
        ("accents-2.2.0-test, 2026-11-22, 1-3", "accents-2.2.0-test, 2026-11-22, 1-3"),
        ("against the original: -0.500", "against the original: −0.500"),
        ("Recall Per Bin · (-inf, 0.25]", "Recall Per Bin · (−∞, 0.25]"),
        ("(0.75, inf]", "(0.75, ∞)"),
        ("(-0.5, inf]", "(−0.5, ∞)"),
        ("(one, inf] info-1", "(one, inf] info-1"),
    ],
)
def test_numbers_within_text(raw: str, shown: str) -> None:
    assert display.tidy(raw) == shown
