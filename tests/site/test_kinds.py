"""What holds for every kind of page, in light and in dark."""

from __future__ import annotations

import re
from operator import le
from pathlib import Path
from typing import Any

import pytest
from valid_html import faults

from common.pages.weight import LIMITS, weight
from tests.site.conftest import DRAWN

#: kind of page -> one of them
KINDS = {
    "start": "index",
    "search": "search",
    "lost": "404",
    "method": "method/correctness_regression",
    "sounds": "method/listen",
    "overview": "results/index",
    "compare": "results/compare",
    "ranking": "results/arousal/index",
    "ranking without rows": "results/valence/index",
    "test": "results/arousal/correctness_regression",
    "test without verdict": "results/arousal/correctness_speaker_ranking",
    "test of classes": "results/emotion/correctness_classification",
    "test of groups": "results/arousal/fairness_sex",
    "own model": "results/arousal/model/alpha",
    "chance model": "results/arousal/model/dice",
    "published model": "results/arousal/published/wavlm",
    "comparison": "results/arousal/comparison/w2v2-L_hubert-L_wavlm_data2vec",
    "provenance": "results/arousal/provenance/alpha",
    "samples": "results/arousal/samples/index",
    "datasets": "results/dataset/index",
    "dataset": "results/dataset/msppodcast",
}


@pytest.fixture(scope="session")
def pages(small: Any) -> list[Path]:
    """All pages."""
    return [path for path in sorted(small.html.rglob("*.html")) if "_static" not in path.parts]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_kind_of_page_has_a_fault_that_axe_or_the_browser_knows(visit: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for kind, name in KINDS.items():
        page = visit(name, color_scheme=scheme)
        assert page.faults == [], kind
        violations = axe.Axe().run(page).response["violations"]
        shown = [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in violations]
        assert not shown, (kind, shown)
        page.close()


def test_html_is_valid(pages: list[Path]) -> None:
    wrong = {path.name: found for path in pages if (found := faults(path.read_text("utf-8")))}
    assert not wrong


@pytest.mark.parametrize(
    ("html", "what"),
    [
        ("<p>a <p>b</p></p>", "<p> in a paragraph"),
        ("<div><b></div>", "</div> closes nothing"),
        ('<i id="a"></i><i id="a"></i>', "id 'a' stands twice"),
        ('<a href="x"><button>b</button></a>', "in a link or button"),
        ("<ul><div>a</div></ul>", "<div> in <ul>"),
        ('<label for="b">a</label>', "no element has the id 'b'"),
        ('<img src="a">', "<img> without text"),
        ('<i class="a" class="b"></i>', "stands twice"),
    ],
)
def test_the_check_of_html_finds_faults(html: str, what: str) -> None:
    assert any(what in fault for fault in faults(html))


def test_pages_are_light(pages: list[Path]) -> None:
    for path in pages:
        sizes = weight(path)
        assert all(map(le, sizes, LIMITS)), (path, sizes)


def test_the_weight_of_a_page_is_that_of_all_that_it_loads(tmp_path: Path) -> None:
    for name, size in {"a.css": 10, "b c.js": 200, "now.png": 3000, "later.png": 40_000}.items():
        (tmp_path / name).write_bytes(b"x" * size)
    head = '<link rel="stylesheet" href="a.css?v=1"><script src="b%20c.js"></script>'
    body = (
        '<article><img src="now.png" alt=""><img loading="lazy" src="later.png" alt=""></article>'
    )
    page = tmp_path / "page.html"
    page.write_text(head + body)
    frame, whole = len(head) + 210, len(head) + len(body) + 210
    assert weight(page) == (frame, whole, whole + 43_000, 4)
    (tmp_path / "a.css").unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.css"):
        weight(page)


def test_a_keyboard_reaches_every_control_and_sees_where_it_is(visit: Any) -> None:
    for name in (KINDS["ranking"], KINDS["own model"], KINDS["compare"]):
        page = visit(name)
        page.wait_for_function("document.readyState === 'complete'")
        controls = page.evaluate(CONTROLS)
        reached = set()
        for _ in range(controls + 10):
            page.keyboard.press("Tab")
            at, visible = page.evaluate(FOCUS)
            if at in reached or at < 0:
                break
            reached.add(at)
            assert visible, (name, page.evaluate("document.activeElement.outerHTML"))
        assert len(reached) == controls, name
        page.close()


CONTROLS = """() => {
    window.controls = [...document.querySelectorAll(
        'a[href], button, input, select, summary, [tabindex="0"], audio[controls]',
    )].filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.disabled)
        // another link of the same name and address is a stop
        .filter((node) => node.getAttribute("tabindex") !== "-1");
    const grouped = new Set();
    window.controls = window.controls.filter((node) => {
        if (node.type !== "radio") return true;
        const first = !grouped.has(node.name);
        grouped.add(node.name);
        return first;
    });
    return window.controls.length;
}"""
FOCUS = """() => {
    const node = document.activeElement;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node);
    const seen = (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
    return [window.controls.indexOf(node), seen];
}"""


def test_nothing_moves_while_a_ranking_gets_its_tools(visit: Any) -> None:
    page = visit("404", 390)
    page.add_init_script(
        """window.moved = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.moved += entry.value)))
            .observe({ type: "layout-shift", buffered: true });"""
    )
    page.goto(page.url.replace("404", KINDS["ranking"]))
    page.locator(".board-tools input").first.wait_for()
    page.evaluate(DRAWN)
    assert page.evaluate("window.moved") < 0.05
    page.close()


def test_a_metric_is_explained_where_its_name_has_the_pointer_or_the_focus(visit: Any) -> None:
    page = visit(KINDS["test"])
    term = page.locator("#published caption a.term").first
    hint = page.get_by_role("tooltip")
    for show in (term.hover, term.focus):
        show()
        assert "line of equality. From −1 to 1, high is best." in hint.inner_text()
        assert term.get_attribute("aria-describedby") == hint.get_attribute("id")
        page.keyboard.press("Escape")
        assert hint.count() == 0  # hidden from everybody
        page.mouse.move(0, 0)
    term.blur()
    term.focus()
    hint.hover()  # it may be read with the pointer on it
    assert hint.is_visible()
    assert page.faults == []
    page.close()


def test_every_metric_of_a_model_is_explained(small: Any) -> None:
    for kind in ("own model", "published model"):
        html = small.page(KINDS[kind])
        names = set(re.findall(r'<dt>\s*<span title="[^"]*">([^<]*)</span>', html))
        names |= set(re.findall(r'<dt>\s*<a class="term"[^>]*>([^<]*)</a>', html))
        cells = html.partition('class="scores all-cells')[2].partition("</table>")[0]
        shown = set(re.findall(r'<td class="[pfse]"[^\n]*?</td><td>([^<]*)</td>', cells))
        assert {"Concordance Correlation Coeff", "Mean Absolute Error"} <= names, names
        assert names <= shown


def test_a_line_of_a_table_has_an_address(visit: Any) -> None:
    page = visit(KINDS["test"])
    row = page.locator("#published table.scores tbody tr").nth(1)
    row.hover()
    link = row.get_by_role("link", name="#")
    address = link.get_attribute("href")
    assert address.startswith("#line-published-")
    other = visit(KINDS["test"])
    other.goto(f"{page.url}{address}")
    other.locator("tr.sought").wait_for()
    assert (
        other.locator("tr.sought").inner_text().split("\t")[1:] == row.inner_text().split("\t")[1:]
    )
    for each in (page, other):
        each.close()
