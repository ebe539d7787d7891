"""Pages of models: tabs, the cells that fail most, one table of all cells."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
from benchmark_site import download_rows, export, modelcells, modelpages
from benchmark_site.content import load
from benchmark_site.memory import Inputs, digest
from benchmark_site.modelcells import ModelCell, excess

from common import results
from common.core import files
from common.core.display import percent
from common.reports.summary import Key, WideCell
from common.spec import load_benchmark

OWN = "results/arousal/model/alpha"
PAPER = "results/arousal/published/wavlm"
#: the highest that a page may be with everything folded
HIGHEST = 3000


def cell(test: str, value: float, rule: str = "> 0.5", status: str = "fail") -> ModelCell:
    nan = math.nan
    score = WideCell(value, status, 10, "", "", rule, "", nan, nan, nan)
    return ModelCell(None, test, "ccc", Key(f"d{value}", "original", ""), score)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "rule", "metric", "times"),
    [
        (-1.0, "> 0.5", "ccc", 4.0),
        (0.45, "> 0.5", "unknown", 1.1),
        (0.3, "< 0.1", "mae", 3.0),
        (-0.2, "> -0.05", "change_ccc", 4.0),
        (-0.2, "|x| < 0.1", "", 2.0),
        (0.2, "|x| > 0.7", "", 2.666666667),
        (-0.6, "|x| > 0.7", "", 1.333333333),
        (0.5, "0.1 < x < 0.3", "", 3.0),
        (0.5, "|x| < simulated", "", 1.0),
        (0.5, "< 0", "", 1.0),
    ],
)
def test_how_far_a_score_is_from_what_is_allowed(
    value: float, rule: str, metric: str, times: float
) -> None:
    assert excess(value, rule, metric) == times


def test_the_worst_cell_of_each_test_comes_first() -> None:
    entries = [
        cell("a", 0.4),
        cell("a", 0.1),
        cell("b", 0.3),
        cell("c", 0.9, status="pass"),
        cell("d", math.nan),
        *(cell(f"e{n}", 0.45) for n in range(9)),
    ]
    worst = modelcells.worst(entries)
    assert [(entry.test, entry.score.value) for entry in worst[:2]] == [("a", 0.1), ("b", 0.3)]
    assert len(worst) == 5


def section(html: str, name: str) -> str:
    """A section of a page."""
    return re.split(r"<section id=", html[html.index(f'<section id="{name}"') + 5 :])[0]


def test_pages_have_every_cell_once(small: Any) -> None:
    table = section(small.page(OWN), "all-cells")
    assert len(re.findall(r"<tr[^>]* data-of=", table)) == 5
    assert "<td>Mean Absolute Error</td>" in table and ">MAE<" not in table
    assert len(re.findall(r"<table", section(small.page(PAPER), "all-cells"))) == 1
    fails = section(small.page(OWN), "fails-most")
    assert fails.count("<li>") == 1
    assert "3.0 × what <code>MAE &lt; 0.1</code> allows; n 120." in fails
    assert 'href="#worst-1"' in fails and 'id="worst-1"' in table


def test_old_places_of_a_page_are_still_there(small: Any) -> None:
    html = small.page(OWN)
    for name in ("test--correctness-regression", "correctness-regression--ccc", "about"):
        assert html.count(f'id="{name}"') == 1, name


def test_targets_are_tabs(small: Any) -> None:
    tabs = re.search(r'<nav class="tabs".*?</nav>', small.page(PAPER), re.S)
    assert tabs is not None
    links = re.findall(r'<a href="([^"]+)"([^>]*)>(\w+)</a>', tabs[0])
    assert [link[2] for link in links][:1] == ["Arousal"]
    assert [link[1].strip() for link in links if link[1]] == ['aria-current="page"']
    assert "../../emotion/published/wavlm.html" in {link[0] for link in links}


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_is_short(visit: Any, width: int) -> None:
    for name in (OWN, PAPER):
        height = visit(name, width).evaluate("document.documentElement.scrollHeight")
        assert height < HIGHEST, (name, height)


def test_opened_tests_fit_on_a_narrow_screen(visit: Any) -> None:
    """The line of an open test says more than that of a closed one."""
    page = visit(OWN, 320)
    page.evaluate(
        """() => document.querySelectorAll(".model-test").forEach((test) => {
            test.querySelector(".of").textContent = "116 / 116, 13 cannot tell, 2 in error";
            test.open = true;
        })"""
    )
    assert page.locator(".model-test[open]").count() > 1
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.close()


def test_all_cells_can_be_filtered_and_sorted(visit: Any) -> None:
    page = visit(OWN)
    page.locator("#all-cells summary").first.click()
    rows = page.locator("table.all-cells tbody tr")
    assert rows.count() == 5
    page.get_by_label("only failed").check()
    assert rows.locator("visible=true").count() == 1
    page.get_by_label("only failed").uncheck()
    page.get_by_label("Filter cells by any word").fill("ccc mine")
    assert rows.locator("visible=true").count() == 1
    page.get_by_label("Filter cells by any word").fill("")
    page.get_by_label("Test", exact=True).select_option("correctness_regression")
    assert page.locator(".cells-tools output").inner_text() == "3 of 5"
    page.get_by_role("button", name="Score").click()
    shown = rows.locator("visible=true").locator("td:nth-child(2)").all_inner_texts()
    assert [text.split()[0][:5] for text in shown] == ["0.751", "0.500", "0.30"]
    assert page.faults == []


def test_a_long_table_says_once_what_its_rows_share(small: Any) -> None:
    """Most of a page of a model is this table: nothing stands in each of its rows that need not."""
    for name in (OWN, PAPER):
        table = section(small.page(name), "all-cells")
        rows = re.findall(r"<tr[^>]* data-of=.*?</tr>", table)
        links = [link for row in rows for link in re.findall(r'<a (?!href="#note)[^>]*>', row)]
        data = [re.sub(r"<[^>]*>", "", re.findall(r"<td>(.*?)</td>", row)[1]) for row in rows]
        runs = 1 + sum(a != b for a, b in pairwise(data))
        assert rows and len(links) <= runs, name
        bare = [re.sub(r' (id|data-sort|title)="[^"]*"|<a [^>]*>|</a>', "", row) for row in rows]
        signs = [len(row) - len(re.sub(r"<[^>]*>", "", row)) for row in bare]
        assert max(signs) < 160, name


REMARK = "balanced to 282 instead of 300 per group"


def test_a_note_on_cells_stands_once_below_their_table() -> None:
    entries = [cell("a", 0.4), cell("a", 0.1), cell("b", math.nan, status="skip"), cell("b", 0.9)]
    texts = [("", REMARK), ("", REMARK), ("no data", ""), ("", "stale")]
    scores = [
        entry.score._replace(reason=reason, note=note)
        for entry, (reason, note) in zip(entries, texts, strict=True)
    ]
    notes = modelcells.Notes(scores)
    assert [notes.letter(score) for score in scores] == ["a", "a", "b", ""]
    assert [notes.beside(score) for score in scores] == ["", "", "", "stale"]
    assert notes.lines() == [("a", REMARK, 2), ("b", "no data", 1)]


def test_columns_of_texts_and_of_numbers_sort_as_they_say(visit: Any) -> None:
    page = visit(OWN)
    page.locator("#all-cells summary").first.click()
    for head, kind, orders in (
        ("Metric", str, ("ascending", "descending")),
        ("n", float, ("descending", "ascending")),
    ):
        place = 1 + [
            text.split()[0] for text in page.locator("table.all-cells thead th").all_inner_texts()
        ].index(head)
        for order in orders:
            page.locator("table.all-cells thead th").nth(place - 1).get_by_role("button").click()
            texts = page.locator(f"table.all-cells tbody td:nth-child({place})").all_inner_texts()
            keys = [kind(text.replace("\u202f", "")) for text in texts if text]
            assert len(set(keys)) > 1, head
            assert keys == sorted(keys, reverse=order == "descending"), (head, order)
    assert page.faults == []


def test_an_address_opens_what_is_folded(visit: Any) -> None:
    page = visit(OWN)
    row = page.locator("#worst-1")
    assert not row.is_visible()
    page.locator('#fails-most a[href="#worst-1"]').click()
    row.wait_for(state="visible")


def test_without_scripts_everything_can_be_opened(visit: Any) -> None:
    page = visit(OWN, java_script_enabled=False)
    page.locator('#fails-most a[href="#worst-1"]').click()
    page.locator("#worst-1").wait_for(state="visible")
    assert page.locator("table.all-cells tbody tr").count() == 5


def test_paper_shows_what_is_folded(visit: Any) -> None:
    page = visit(OWN)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#about dl.facts").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert not page.locator("#about dl.facts").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_fault_that_axe_knows_when_all_is_open(visit: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for name in (OWN, PAPER, "results/arousal/correctness_regression"):
        page = visit(name, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        faults = axe.Axe().run(page).response["violations"]
        assert not faults, [(fault["id"], fault["nodes"][0]["html"]) for fault in faults]


def test_shares_of_own_and_of_demonstration_data_are_not_put_together(
    new_site: Callable[..., Any],
) -> None:
    site = new_site("alpha")
    path = site.result_file("alpha")
    rows = results.read_csv(path)
    both = pd.concat([rows, rows.assign(dataset="demo-emotion", status="pass")])
    files.write_text(path, results.to_csv(both))
    content = load(site.folders, load_benchmark(), [], {})
    (model,) = (m for m in content.models("arousal") if m.id == "alpha")
    page = modelpages.page(content, "arousal", model)
    (html,) = (section.html for section in page.sections if section.id == "tests")
    (line,) = (part for part in html.split("<summary>") if ">Regression<" in part)
    shown = line.partition("</summary>")[0]
    # two of three pass on own data, all of them on demonstration data
    assert re.findall(r"(\d+ / \d+)", shown) == ["2 / 3", "3 / 3"]
    titles = ["Own runs", "Own runs on embedded demonstration data"]
    assert re.findall(r'class="part">(.*?)<', shown) == titles


def test_a_card_has_the_score_for_each_target(new_site: Callable[..., Any]) -> None:
    content = load(new_site("alpha").folders, load_benchmark(), [], {})
    model = next(m for m in content.models("arousal") if m.id == "hubert-L")
    owned = download_rows.stretches(content.table)
    text = export._card(content, download_rows.places(owned), model)
    scores = {
        content.label(target): board.score(model)
        for target, boards in content.boards.items()
        for board in boards
        if board.published
    }
    assert len(scores) > 2
    parts = {part.partition("\n")[0]: part for part in text.split("\n### ")[1:]}
    for label, score in scores.items():
        assert score is not None and f"Score **{percent(score)}**" in parts[label], label
    # a score that changes for another target makes the card again
    before = digest(Inputs(content).of_card(model))
    (board,) = (board for board in content.boards["valence"] if board.published)
    lines = [line._replace(score=Fraction(1, 3)) for line in board.standings.lines]
    board.standings = replace(board.standings, lines=tuple(lines))
    assert digest(Inputs(content).of_card(model)) != before


def test_a_letter_leads_to_what_it_stands_for(small: Any) -> None:
    html = small.page(PAPER)
    letters = set(
        re.findall(r'<sup><a href="#note-([a-z]+)" aria-label="note \1">\1</a></sup>', html)
    )
    assert letters and letters == set(re.findall(r'<li id="note-([a-z]+)"><sup>\1</sup>', html))


@pytest.mark.parametrize("name", [OWN, PAPER])
def test_a_printed_page_has_few_sheets_and_names_the_table(
    visit: Callable[..., Any], name: str
) -> None:
    page = visit(name)
    sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    page.emulate_media(media="print")
    shown = page.inner_text("#all-cells")
    page.emulate_media(media="screen")
    assert sheets <= 4
    assert f"data/{name}.csv" in shown and "Passes if" not in shown
