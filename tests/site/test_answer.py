"""The sentence that a page of a test begins with."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from benchmark_site.testpages import answer

from common.results.tally import VerdictCounts

HALF = Fraction(1, 2)


def line(label: str, passed: int, failed: int, *, chance: bool = False) -> dict[str, Any]:
    tally = VerdictCounts(passed, failed, 3, 0)
    return {"label": label, "chance": chance, "tally": tally}


@pytest.mark.parametrize(
    ("lines", "chance", "text"),
    [
        ([], None, ""),
        ([line("a", 0, 0)], HALF, ""),
        ([line("a", 3, 1)], None, "a passes 75.0 % of its executed cells."),
        (
            [line("a", 3, 1), line("dice", 2, 2, chance=True)],
            HALF,
            "a passes 75.0 % of its executed cells, more than chance (50.0 %).",
        ),
        (
            [line("a", 2, 2)],
            HALF,
            "a passes 50.0 % of its executed cells, as much as chance (50.0 %).",
        ),
        (
            [line("a", 1, 3), line("b", 3, 1)],
            HALF,
            "1 of 2 models passes less than chance (50.0 %). b passes most: 75.0 % of the executed "
            "cells.",
        ),
        (
            [line("a", 1, 3), line("b", 1, 3), line("c", 4, 0), line("d", 4, 0)],
            HALF,
            "2 of 4 models pass less than chance (50.0 %). c and d pass every executed cell.",
        ),
        (
            [line(name, 3, 1) for name in "abcd"],
            HALF,
            "All 4 models pass more than chance (50.0 %). 4 models pass most: 75.0 % of the "
            "executed cells.",
        ),
        (
            [line("a", 2, 2), line("b", 3, 1)],
            HALF,
            "1 of 2 models passes more than chance (50.0 %), none less. b passes most: 75.0 % of "
            "the executed cells.",
        ),
        (
            [line("a", 2, 2), line("b", 2, 2)],
            HALF,
            "Both models pass as much as chance (50.0 %). a and b pass most: 50.0 % of the "
            "executed cells.",
        ),
        ([line("a", 0, 1), line("b", 0, 2)], None, "No model passes any cell."),
    ],
)
def test_answer(lines: list[dict[str, Any]], chance: Fraction | None, text: str) -> None:
    assert answer(lines, chance) == text


def test_pages_of_tests_begin_with_it(small: Any) -> None:
    html = small.page("results/arousal/correctness_regression")
    assert html.count('<p class="answer">') == 2  # own run and published results
    assert html.index('<p class="answer">') < html.index("<table")
