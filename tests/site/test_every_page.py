"""Every page of the published website, texts of the documentation among them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from operator import le
from pathlib import Path
from typing import Any

import pytest
from valid_html import faults

from common.core import paths
from common.pages.weight import LIMITS, weight

from .conftest import LAID_OUT

NARROW = 320
#: how far a page scrolls sideways, in pixels
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website that a clone makes of the published results."""
    place = tmp_path_factory.mktemp("published")
    subprocess.run(
        [sys.executable, "build.py", "site", "--quiet", "--output", str(place)],
        cwd=paths.REPOSITORY,
        env={**os.environ, "XDG_CACHE_HOME": str(place / "cache")},
        check=True,
    )
    return place / "build" / "html"


@pytest.fixture(scope="module")
def names(html: Path) -> list[Path]:
    """Its pages: results, and each text of the documentation."""
    pages = [path for path in sorted(html.rglob("*.html")) if "_static" not in path.parts]
    texts = {
        path.relative_to(paths.DOCS).with_suffix(".html") for path in paths.DOCS.rglob("*.rst")
    }
    shown = {path.relative_to(html) for path in pages}
    assert len(texts & shown) > 60 and len(shown) > 150
    return pages


def test_no_page_scrolls_sideways_on_a_narrow_screen(browser: Any, names: list[Path]) -> None:
    page = browser.new_page(viewport={"width": NARROW, "height": 700})
    wide = {}
    for path in names:
        page.goto(path.as_uri())
        if over := page.evaluate(SIDEWAYS):
            wide[path.name] = over
    assert not wide
    page.evaluate(
        """() => {
            const wide = document.createElement("p");
            wide.textContent = "wide";
            wide.style.minWidth = "400px";
            document.querySelector("article").append(wide);
        }"""
    )
    assert page.evaluate(SIDEWAYS) > 0  # the check can fail
    page.close()


def test_every_page_is_valid_and_light(names: list[Path]) -> None:
    for path in names:
        sizes = weight(path)
        assert all(map(le, sizes, LIMITS)), (path, sizes)
        assert not faults(path.read_text("utf-8")), path


#: a browser that never finds that it has time
NEVER_IDLE = "window.requestIdleCallback = (work, { timeout }) => setTimeout(work, timeout)"
#: left edges of columns that are not those of the head, and cells whose text is not there to be read
ASKEW = """() => {
    const edges = (row) => [...row.cells].map((cell) => Math.round(cell.getBoundingClientRect().left)).join(" ");
    const table = document.querySelector("table.all-cells");
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const silent = rows.filter((row) => [...row.cells].some((cell) => cell.textContent && !cell.innerText));
    return [rows.filter((row) => edges(row) !== edges(table.tHead.rows[0])).length, silent.length];
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_longest_table_is_laid_out_bit_by_bit(
    browser: Any, names: list[Path], width: int
) -> None:
    longest = max(names, key=lambda path: path.read_text("utf-8").count(" data-of="))
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(longest.as_uri())
    page.locator("#all-cells summary").first.click()
    later = page.locator("tr.later").first
    later.wait_for(state="detached")
    assert page.evaluate(ASKEW) == [0, 0]
    waiting = page.locator("table.all-cells thead").evaluate(
        """(head) => {
            [...head.querySelectorAll("button")].find((each) => each.textContent.includes("Score")).click();
            return document.querySelectorAll("tr.later").length;
        }"""
    )
    assert waiting > 100
    later.wait_for(state="detached")
    assert page.evaluate(ASKEW) == [0, 0]
    scores = page.locator("table.all-cells [data-sort]").evaluate_all(
        "all => all.map((cell) => Number(cell.dataset.sort))"
    )
    assert len(scores) > 500 and scores == sorted(scores, reverse=True)
    page.get_by_label("Filter cells by any word").fill("precision")
    later.wait_for(state="detached")
    assert page.evaluate(ASKEW) == [0, 0]
    page.goto(f"{longest.as_uri()}#worst-5")
    page.reload()  # an address is looked up where everything has its height
    assert page.evaluate("document.querySelectorAll('tr.later').length") == 0
    assert page.locator("#worst-5").is_visible()
    page.close()


def test_a_browser_that_never_has_time_lays_out_all_rows(browser: Any, names: list[Path]) -> None:
    longest = max(names, key=lambda path: path.read_text("utf-8").count(" data-of="))
    page = browser.new_page()
    page.add_init_script(NEVER_IDLE)
    page.goto(longest.as_uri())
    page.locator("#all-cells summary").first.click()
    page.locator("tr.later").first.wait_for(state="detached")
    assert page.evaluate(ASKEW) == [0, 0]
    page.close()


#: notes what is asked for its place or width while it is folded: it would be laid out, 2.5 s on a slow phone
ASKED = """
    window.folded = [];
    const note = (node) => node.closest("details:not([open])") && !node.closest("summary") && folded.push(node.className || node.localName);
    for (const [type, name] of [[Element, "scrollWidth"], [Element, "clientWidth"], [Element, "scrollHeight"], [HTMLElement, "offsetHeight"]]) {
        const property = Object.getOwnPropertyDescriptor(type.prototype, name);
        Object.defineProperty(type.prototype, name, { ...property, get() { note(this); return property.get.call(this); } });
    }
    const rectangle = Element.prototype.getBoundingClientRect;
    Element.prototype.getBoundingClientRect = function () { note(this); return rectangle.call(this); };
"""
#: a browser that has no time until it is told to; tells how many pieces of work it had
BUSY = """
    window.waiting = [];
    window.requestIdleCallback = (work) => waiting.push(work);
    window.haveTime = () => {
        let pieces = 0;
        for (; waiting.length; pieces += 1) waiting.shift()();
        return pieces;
    };
"""
#: whether a part of a page begins below the head of the page
AT_PART = """(part) => {
    const top = document.getElementById(part).getBoundingClientRect().top;
    return top >= 0 && top < 120;
}"""
#: scrolls, if told to, and tells where the page is when it has been drawn
SCROLLED = """async (to) => {
    document.documentElement.style.scrollBehavior = "auto";
    if (to !== null) scrollTo(0, to);
    for (let frame = 0; frame < 4; frame += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
    return scrollY;
}"""
#: times that scripts have a page laid out while it opens, at most: they read all places before they change any, and then where
#: the heads of tables are. How often a browser lays it out for a reader who watches it come depends on the machine.
LAYOUTS = 3
#: what a browser writes down: layouts, and the line of a script that asked for one
TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline.stack"]


def test_nothing_folded_is_laid_out(browser: Any, html: Path) -> None:
    kinds = ("*/published", "*/comparison", "*", ".")
    folded = later = 0
    for kind in kinds:
        heaviest = max(html.glob(f"results/{kind}/*.html"), key=lambda path: path.stat().st_size)
        page = browser.new_page(viewport={"width": 390, "height": 700})
        page.add_init_script(ASKED + BUSY)
        browser.start_tracing(page=page, categories=TRACED)
        page.goto(heaviest.as_uri())
        folded += page.locator("details:not([open]) .scroll").count()
        parts = page.evaluate("() => haveTime()")
        assert page.evaluate(LAID_OUT) and page.evaluate("folded") == [], heaviest
        by_scripts = _layouts_by_scripts(browser.stop_tracing())
        assert 0 < by_scripts <= LAYOUTS + parts, heaviest
        later += parts
        page.close()
    assert folded > 10 and later > 1


def test_all_tables_of_a_page_are_laid_out_at_once_for_an_address(browser: Any, html: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.add_init_script(BUSY)
    browser.start_tracing(page=page, categories=TRACED)
    page.goto(f"{(html / 'results/arousal/fairness_sex.html').as_uri()}#published")
    by_scripts = _layouts_by_scripts(browser.stop_tracing())
    assert page.locator(".scroll.laid-out").count() > LAYOUTS and page.evaluate(LAID_OUT)
    assert 0 < by_scripts <= LAYOUTS
    page.close()


def _layouts_by_scripts(trace: bytes) -> int:
    """How often a page was laid out because a script of it asked for a place or a size; the browser has pages of its own."""
    events = json.loads(trace)["traceEvents"]
    layouts = [event["args"]["beginData"] for event in events if event["name"] == "Layout"]
    stacks = [each.get("stackTrace", []) for each in layouts]
    return sum(any(line["url"].startswith("file:") for line in stack) for stack in stacks)


def _heaviest(html: Path) -> Path:
    return max(html.glob("results/*/*.html"), key=lambda path: path.stat().st_size)


def test_every_table_is_laid_out_in_the_end(browser: Any, html: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.add_init_script(NEVER_IDLE)
    page.goto(_heaviest(html).as_uri())
    page.wait_for_function(LAID_OUT)
    assert page.locator(".scroll.laid-out").count() > 2
    page.close()


def test_an_address_leads_to_its_part_though_tables_wait(browser: Any, html: Path) -> None:
    heaviest = _heaviest(html)
    part = re.findall(r'id="(published--[^"]+)"', heaviest.read_text("utf-8"))[-1]
    page = browser.new_page(viewport={"width": 1280, "height": 700})
    page.add_init_script(BUSY)
    for waits, address in ((True, ""), (False, f"#{part}")):
        page.goto("about:blank")
        page.goto(heaviest.as_uri() + address)
        assert page.evaluate(LAID_OUT) != waits
        page.evaluate("(part) => { location.hash = part; }", part)
        page.wait_for_function(LAID_OUT)
        page.wait_for_function(AT_PART, arg=part)
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_that_is_loaded_again_is_where_it_was(browser: Any, html: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(_heaviest(html).as_uri())
    page.wait_for_function(LAID_OUT)
    assert page.locator(".scroll.long").count() > 0
    end = page.evaluate("document.documentElement.scrollHeight - innerHeight")
    for part in range(1, 9):
        before = page.evaluate(SCROLLED, end * part // 8)
        page.reload()
        page.wait_for_function(LAID_OUT)
        assert abs(page.evaluate(SCROLLED, None) - before) < 3, (width, part)
    page.close()
