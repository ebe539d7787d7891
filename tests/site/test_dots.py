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


def test_long_names_are_whole_on_lines_of_their_own() -> None:
    name, id_ = "Baseline detector (demonstration)", "x" * 60
    rows = [DotRow(each, False, (0.6,), ()) for each in (name, id_, "good")]
    drawing = dots_svg(rows, ["> 0.5"], title="")
    labels = re.findall(r'<text class="y".*?</text>', drawing)
    lines = [re.findall(r">([^<]+)<", label) for label in labels]
    assert " ".join(lines[0]) == name and "".join(lines[1]) == id_ and lines[2] == ["good"]
    assert max(len(line) for label in lines for line in label) <= 20
    places = [float(y) for _, y in re.findall(r"M([\d.]+) ([\d.]+)h0", drawing)]
    tops = [float(re.search(r' y="([\d.]+)"', label)[1]) for label in labels]
    # a line of text is 12 high and stands above its place; the dot lies in the middle of the name
    for top, each, place in zip(tops, lines, places, strict=True):
        assert abs(top - 4 + 12 * (len(each) - 1) / 2 - place) < 0.6
    assert all(12 * len(lines[n]) <= tops[n + 1] - tops[n] for n in (0, 1))


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


def _axes(html: str) -> dict[str, tuple[str, str]]:
    """Metric -> ends of the axis of its plot."""
    plots = re.findall(r'aria-label="([^"]*?) of \d+ models? in .*?</svg>', html)
    drawn = re.findall(r'<svg class="dots".*?</svg>', html, re.DOTALL)
    texts = [re.findall(r'<text class="x"[^>]*>([^<]*)', drawing) for drawing in drawn]
    return {title: (text[0], text[-1]) for title, text in zip(plots, texts, strict=True)}


def test_neighbouring_plots_of_a_kind_have_one_axis(small: Any) -> None:
    html = small.page("results/emotion/correctness_classification")
    axes = _axes(html[html.index('id="published"') :])
    assert len(axes) == 4 and len(set(axes.values())) == 1
    html = small.page("results/arousal/correctness_regression")
    axes = _axes(html[html.index('id="published"') :])
    ccc, pcc = (axes[f"{name} Correlation Coeff"] for name in ("Concordance", "Pearson"))
    assert ccc == pcc != axes["Mean Absolute Error"]
    html = small.page("results/arousal/fairness_sex")
    axes = _axes(html[html.index('id="published"') :])
    assert len(axes) == 3
    ((low, high),) = set(axes.values())
    assert low == f"−{high}"


@pytest.mark.parametrize("width", [390, 1280])
def test_tables_have_their_full_height(visit: Any, width: int) -> None:
    page = visit("results/arousal/correctness_consistency", width)
    page.set_viewport_size({"width": width, "height": 300})
    hidden = page.evaluate(
        """() => [...document.querySelectorAll(".scroll")]
            .filter((box) => box.scrollHeight > box.clientHeight + 1).length"""
    )
    assert hidden == 0
    assert width > 390 or page.locator(".scroll.long").count() > 0


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


HEADS = """async () => {
    document.documentElement.style.scrollBehavior = "auto";
    const boxes = [...document.querySelectorAll(".scroll:has(thead)")]
        .filter((box) => box.checkVisibility() && box.clientHeight && box.querySelector("table").offsetHeight > innerHeight);
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const heads = [];
    for (const box of boxes) {
        const rows = [...box.querySelectorAll("tbody tr")].filter((row) => row.checkVisibility());
        const row = rows[Math.floor(rows.length / 2)];
        row.scrollIntoView({ block: "end" });
        await frame();
        const [head, line] = [box.querySelector("thead th"), row].map((node) => node.getBoundingClientRect());
        const inside = box.parentElement.closest(".scroll, details[open] .scroll");
        heads.push([box.getAttribute("aria-label"), head.top > -1 && head.bottom < innerHeight && head.bottom <= line.bottom, !inside,
            box.scrollHeight <= box.clientHeight + 1 || box.tabIndex === 0]);
    }
    return heads;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_names_of_models_stay_in_sight_in_every_long_table(visit: Any, width: int) -> None:
    seen = 0
    for name in (
        "results/arousal/fairness_sex",
        "results/emotion/correctness_classification",
        "results/arousal/published/wavlm",
        "results/arousal/index",
        "results/index",
        "results/compare",
    ):
        page = visit(name, width)
        page.set_viewport_size({"width": width, "height": 260})
        if name == "results/compare":
            page.locator(".compare-tools input").first.wait_for()
            page.evaluate(
                "() => { location.hash = '#?target=arousal&show=all&model=published%2Fwavlm"
                "&model=published%2Fw2v2-L&model=published%2Fhubert-L&model=published%2Fdata2vec'; }"
            )
            page.wait_for_function(
                "() => document.querySelector('.compare-tools').dataset.shown === location.hash"
            )
        page.evaluate(
            "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
        )
        page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"
        )
        for label, *right in page.evaluate(HEADS):
            assert all(right), (name, label, right)
            seen += 1
        page.close()
    assert seen > 5


@pytest.mark.parametrize("width", [520, 390])
def test_the_head_of_a_long_table_lies_below_that_of_the_page(visit: Any, width: int) -> None:
    page = visit("results/emotion/correctness_classification", width)
    page.set_viewport_size({"width": width, "height": 200})
    top, above, left = page.evaluate(
        """async () => {
            document.documentElement.style.scrollBehavior = "auto";
            const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const box = document.querySelector(".scroll.long");
            await drawn(); // the page of the new height, so that nothing moves any more
            scrollTo(0, scrollY + box.getBoundingClientRect().top + box.offsetHeight / 2);
            await drawn();
            scrollBy(0, 10); // once more: the places do not add up
            box.scrollLeft = 20;
            await drawn();
            const head = box.querySelector("thead th").getBoundingClientRect();
            return [head.top, Math.max(0, document.querySelector(".site-head").getBoundingClientRect().bottom),
                head.left - box.getBoundingClientRect().left];
        }"""
    )
    assert abs(top - above) < 1.5 and abs(left) < 1.5
    page.close()


def test_a_table_as_wide_as_the_page_is_whole(visit: Any) -> None:
    page = visit("results/index", 1280)
    page.set_viewport_size({"width": 1280, "height": 200})
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".scroll:has(.matrix)")]
            .filter((box) => box.clientHeight < box.firstElementChild.offsetHeight).length"""
    )
    assert cut == 0
    page.close()
