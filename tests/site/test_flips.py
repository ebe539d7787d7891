"""Two models beside each other on the comparison page: samples that flipped, and figures."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common.reports.explain import distance
from common.results import sample_tables
from tests.site.conftest import ANSWERS, HOSTILE, TRUTH, sample_table
from tests.site.test_compare_page import OWN, PAGE, go, open_all
from tests.site.test_samples_page import EVENTS, WORDS

SAMPLES = "results/arousal/samples/index"
BESIDE = "#?model=alpha&beside=dice&test=correctness_regression&data=mine-2.0.0-table"
ALPHA = f"Model alpha {HOSTILE}"


def flipped(page: Any) -> Any:
    """The opened part of the comparison."""
    page.locator("details.flipped > summary").click()
    page.locator("details.flipped[data-shown]").wait_for()
    return page.locator("details.flipped")


def shown_samples(page: Any) -> list[str]:
    page.locator(".hear-sample").first.wait_for()
    nodes = page.locator(".hear-sample").all()
    return [str(node.get_attribute("data-sample"))[0] for node in nodes]


def test_numbers_flip_where_one_model_is_nearer_to_the_truth(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    go(page, OWN)
    part = flipped(page)
    gains = [
        distance(truth, dice) - distance(truth, alpha)
        for truth, alpha, dice in zip(TRUTH, ANSWERS["alpha"], ANSWERS["dice"], strict=True)
    ]
    assert gains == [3500, -500, -2000, -2000]
    assert f"of 4 samples, {ALPHA} is nearer to the truth once, Dice 3 times." in part.inner_text()
    rows = part.locator("tbody tr")
    # all that one model wins, then what the other wins, largest first, those with sound before others
    assert [text[0] for text in rows.locator("th").all_inner_texts()] == ["a", "c", "d", "b"]
    cells = [text.replace("\n", " ") for text in rows.first.locator("td").all_inner_texts()]
    assert cells[:3] == ["0.100", "0.150 error 0.050", "0.500 error 0.400"]
    assert rows.locator("audio").count() == 2
    part.get_by_role("link", name="All 4 on which they differ").click()
    assert shown_samples(page) == ["c", "d", "b", "a"]  # where the model is worse comes first
    assert f"{ALPHA} beside Dice" in page.locator(".listen-samples .answer").inner_text()
    assert page.get_by_label("Where it differs from").input_value() == "dice"
    assert page.faults == []
    page.close()


def test_every_cell_leads_to_its_own_flipped_samples(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    go(page, OWN)
    open_all(page)
    links = page.get_by_role("link", name="Samples that flipped between")
    addresses = links.evaluate_all("all => all.map((link) => link.href)")
    assert len(addresses) == 3
    assert all(address.endswith(BESIDE) for address in addresses)
    page.close()


def test_cells_in_which_nothing_can_flip_have_no_such_link(visit: Callable[..., Any]) -> None:
    """Neither annotated nor changed, as a run says of accents."""
    page = visit("results/arousal/index")

    def other(route: Any) -> None:
        text = Path(route.request.url.partition("#")[0].removeprefix("file://")).read_text("utf-8")
        entry = "&#34;compared&#34;: [&#34;correctness_regression&#34;]"
        assert text.count(entry) == 1
        html = text.replace(entry, "&#34;compared&#34;: []")
        route.fulfill(body=html, content_type="text/html")

    page.route("**/compare.html*", other)
    page.goto(page.url.replace("arousal/index.html", "compare.html"))
    go(page, OWN)
    open_all(page)
    assert page.get_by_role("link", name="Samples: ").count() == 3
    assert page.get_by_role("link", name="flipped").count() == 0
    page.close()


def test_a_printed_comparison_has_the_cells_of_folded_tests(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    go(page, "#?target=arousal&model=published%2Fwavlm&model=published%2Fw2v2-L&show=all")
    assert page.locator(".compared-test table").count() == 0
    page.pdf()
    folded = page.locator(".compared-test")
    assert folded.count() == page.locator(".compared-test:has(table)").count() > 0
    page.close()


@pytest.mark.parametrize("table", [WORDS, EVENTS], ids=["words", "events"])
def test_words_and_events_flip_where_only_one_model_is_right(
    visit: Callable[..., Any], table: dict[str, Any]
) -> None:
    page = visit("results/arousal/index")
    script = sample_tables.script("arousal", "mine", {**sample_table(), **table, "changes": {}})
    page.route("**/tables/arousal/mine.js", lambda route: route.fulfill(body=script))
    page.goto(page.url.replace("arousal/index.html", "compare.html"))
    go(page, OWN)
    part = flipped(page)
    if table is WORDS:  # the third has a truth that no model can answer
        said, order = f"of 3 samples, only {ALPHA} is right once, only Dice 0 times.", ["a"]
        cells = part.locator("tbody td:not(:has(audio))").all_inner_texts()
        assert cells == ["anger", "anger ✓", "joy ✗"]
    else:  # the fourth has no answer of one model
        said, order = f"of 3 samples, {ALPHA} has fewer wrong seconds once, Dice once.", ["a", "b"]
        assert part.locator("tbody tr").first.locator("td").all_inner_texts()[:2] == [
            "0 s wrong", "7 s wrong"
        ]  # fmt: skip
    assert said in part.inner_text()
    assert [text[0] for text in part.locator("tbody th").all_inner_texts()] == order
    assert page.faults == []
    page.close()


def test_flips_are_those_of_the_command_line(visit: Callable[..., Any]) -> None:
    """Gains of random answers are differences of :func:`~common.reports.explain.distance`."""
    chance = random.Random(0)
    words = ["anger", "joy", "fear"]
    truth, one, other = ([chance.randrange(3) for _ in range(200)] for _ in range(3))
    table = {**WORDS, "words": words, "labels": 3, "truth": truth, "changes": {}}
    table["answers"] = {"one": one, "other": other}
    numbers = {**table, "kind": "number"}
    page = visit(SAMPLES)
    for each in (table, numbers):
        named = [words[n] for n in truth] if each is table else truth
        answers = [[words[n] for n in s] if each is table else s for s in (one, other)]
        gains = [
            distance(t, b) - distance(t, a) for t, a, b in zip(named, *answers, strict=True)
        ]  # fmt: skip
        assert {-1.0, 0.0, 1.0} <= set(gains)
        better = "table => window.sampleTables.betterBy(table, 'one', 'other', 'test/original')"
        assert page.evaluate(better, each) == gains
    page.close()


def test_flips_of_a_change_are_answers_that_only_one_model_changes(
    visit: Callable[..., Any],
) -> None:
    page = visit(SAMPLES)
    page.evaluate("hash => { location.hash = hash; }", f"{BESIDE}&line=noise")
    page.get_by_text("changes its answer more").wait_for()
    said = page.locator(".listen-samples .answer").inner_text()
    assert f"{ALPHA} changes its answer more 2 times, Dice 0 times" in said
    assert "2 of 3 samples" in said and shown_samples(page) == ["a", "c"]
    page.close()


def test_filters_offer_what_the_cell_has(visit: Callable[..., Any]) -> None:
    """Of the four samples, three are in the cell of noise; and of one speaker, nobody is in the bin."""
    page = visit(SAMPLES)
    page.evaluate(
        "hash => { location.hash = hash; }", BESIDE.replace("&beside=dice", "") + "&of=(0.75, inf]"
    )
    page.get_by_text("1 sample,").wait_for()
    assert page.get_by_label("Speaker").locator("option").all_inner_texts() == ["all", HOSTILE]
    page.close()


def test_figures_of_a_test_stand_side_by_side(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    go(page, OWN)
    open_all(page)
    parts = page.locator("details.side-figures")
    assert parts.count() == 1  # one test has figures
    parts.locator("summary").click()
    figures = parts.locator("figure")
    figures.nth(1).wait_for()
    assert figures.locator("figcaption").all_inner_texts() == [ALPHA, "Dice"]
    images = figures.locator("img").evaluate_all(
        "all => Promise.all(all.map(async (each) => { await each.decode(); return [each.alt, each.naturalWidth, each.getAttribute('width')]; }))"
    )
    assert images == [["rising dots", 1, "1"]] * 2
    assert parts.locator(".figure-title").inner_text() == "mine"
    assert page.faults == []
    page.close()


def test_published_models_have_neither(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    go(page, "#?target=arousal&model=published%2Fwavlm&model=published%2Fw2v2-L&show=all")
    open_all(page)
    assert page.locator("details.flipped, details.side-figures").count() == 0
    assert page.get_by_role("link", name="flipped").count() == 0
    page.close()


@pytest.mark.parametrize("width", [1280, 320])
def test_flips_and_figures_have_no_fault_that_axe_knows(
    visit: Callable[..., Any], width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(PAGE, width)
    go(page, OWN)
    flipped(page)
    open_all(page)
    page.locator("details.side-figures > summary").click()
    page.locator("details.side-figures figure").nth(1).wait_for()
    faults = axe.Axe().run(page).response["violations"]
    assert not [(fault["id"], [node["html"] for node in fault["nodes"]][:3]) for fault in faults]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.close()
