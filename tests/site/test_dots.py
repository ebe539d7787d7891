"""The dot plots of the pages of tests."""

from __future__ import annotations

import re
from typing import Any

import pytest

from common.figures.dots import DotRow, dots_svg, finding, passing

GOOD = DotRow("good", False, (0.6, 0.8), ())
BAD = DotRow("<bad>", False, (0.6,), (0.1, 0.1))
DICE = DotRow("dice", True, (), (0.0, 0.1))


@pytest.mark.parametrize(
    ("criteria", "ranges"),
    [
        (["> 0.5"], [(0.5, float("inf"))]),
        (["< 0.2"], [(float("-inf"), 0.2)]),
        (["0.2 < x < 0.4"], [(0.2, 0.4)]),
        (["0.1 < x < 0.2", "0.3 < x < 0.4"], [(0.1, 0.2), (0.3, 0.4)]),
        (["|x| < simulated"], []),
    ],
)
def test_where_a_score_passes(criteria: list[str], ranges: list[tuple[float, float]]) -> None:
    assert passing(criteria) == ranges


def test_every_cell_is_a_mark_on_its_side_of_the_bound() -> None:
    drawing = dots_svg([GOOD, BAD, DICE], ["> 0.5"], title="CCC <of> 3 models.")
    dots = re.findall(r"M([\d.]+) ([\d.]+)h0", drawing)
    crosses = re.findall(r"M([\d.]+) ([\d.]+)l5", drawing)
    bound = re.search(r'class="bound" d="M([\d.]+) ', drawing)
    assert bound is not None
    assert len(dots) == 3
    assert len(crosses) == 3  # equal scores share a mark
    assert all(float(x) > float(bound[1]) for x, _ in dots)
    assert all(float(x) < float(bound[1]) for x, _ in crosses)
    assert "CCC &lt;of&gt; 3 models. Most pass: good" in drawing
    assert "<bad>" not in drawing


def test_what_it_says() -> None:
    assert finding([GOOD, BAD, DICE]) == (
        "Most pass: good, 2 of 2. Fewest: <bad>, 1 of 3. By chance: 0 of 2."
    )
    assert finding([GOOD, GOOD, GOOD, GOOD]) == "Each model passes 2 of 2."
    assert finding([GOOD]) == "good passes 2 of 2."
    assert finding([DICE]) == "By chance: 0 of 2."
    assert finding([DotRow("empty", False, (), ())]) == ""


@pytest.mark.parametrize("values", [(0.5,), (0.0, 1.0), (-0.001, 0.001), (5.0, 120.0)])
def test_values_and_bounds_lie_within_the_drawing(values: tuple[float, ...]) -> None:
    drawing = dots_svg([DotRow("a", False, values, ())], ["|x| < 0.2"], title="")
    places = [float(x) for x, _ in re.findall(r"M([\d.]+) ([\d.]+)h0", drawing)]
    assert len(places) == len(set(values))
    assert all(0 < x < 380 for x in places)


def test_pages_of_tests_draw_models_before_the_tables(small: Any) -> None:
    html = small.page("results/arousal/correctness_regression")
    published = html[html.index('id="published"') :]
    drawing = re.search(r'<svg class="dots"[^>]*aria-label="([^"]*)"', published)
    assert drawing is not None
    assert re.match(
        r"Concordance Correlation Coeff of 5 models in 3 cells, which passes if CCC &gt; 0.5."
        r" Most pass: .*Fewest: .*By chance: 0 of 3\.",
        drawing[1],
    )
    assert html.index('class="answer"') < html.index('class="dots"') < html.index("<table")


@pytest.mark.parametrize("width", [390, 1280])
def test_tables_have_their_full_height(visit: Any, width: int) -> None:
    page = visit("results/arousal/correctness_consistency", width)
    page.set_viewport_size({"width": width, "height": 300})
    hidden = page.evaluate(
        """() => [...document.querySelectorAll(".scroll")]
            .filter((box) => box.scrollHeight > box.clientHeight + 1).length"""
    )
    assert hidden == 0


def test_the_head_of_a_table_that_fits_stays_in_sight(visit: Any) -> None:
    page = visit("results/arousal/correctness_consistency", 1280)
    page.set_viewport_size({"width": 1280, "height": 300})
    top = page.evaluate(
        """() => {
            const box = [...document.querySelectorAll(".scroll.fits:has(table.scores)")]
                .sort((a, b) => b.clientHeight - a.clientHeight)[0];
            const rows = box.querySelectorAll("tbody tr");
            document.documentElement.style.scrollBehavior = "auto";
            rows[Math.floor(rows.length / 2)].scrollIntoView({ block: "start" });
            scrollBy(0, 20);
            const head = box.querySelector("thead th").getBoundingClientRect();
            return [head.top, document.querySelector(".site-head").getBoundingClientRect().bottom];
        }"""
    )
    assert abs(top[0] - top[1]) < 3
