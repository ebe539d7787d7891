"""Any models side by side in the browser."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

PAGE = "results/compare"


def go(page: Any, hash_: str) -> None:
    """Open a choice as a link does."""
    page.evaluate("hash => { location.hash = hash; }", hash_)
    page.wait_for_function(
        "hash => document.querySelector('.compare-tools').dataset.shown === hash", arg=hash_
    )


TWO = "#?target=arousal&model=published%2Fwavlm&model=published%2Fw2v2-L"
#: the names of own models are those of the small site
OWN = "#?target=arousal&model=run%2Falpha&model=run%2Fdice&show=all"


def open_all(page: Any) -> None:
    """Open the parts of all tests."""
    page.evaluate(
        "() => document.querySelectorAll('.compared-test').forEach((part) => { part.open = true; })"
    )
    page.wait_for_function(
        "() => [...document.querySelectorAll('.compared-test')].every((part) => part.querySelector('table'))"
    )


def test_a_model_that_a_link_names_alone_gets_the_best_other_one_beside_it(visit: Any) -> None:
    page = visit("results/arousal/model/alpha")
    page.get_by_role("link", name="Compare with other models").first.click()
    page.locator(".comparison-result .answer-list").wait_for()
    assert "model=run%2Falpha&model=run%2Fdice" in page.url
    page.get_by_label("dice").uncheck()
    page.get_by_text("Choose at least two models.").wait_for()
    assert page.url.endswith("model=run%2Falpha")
    page.close()


@pytest.mark.parametrize(
    ("target", "models", "expected"),
    [
        ("emotion", ("wavlm", "w2v2-L"), [("> 0.5", "0.50")] * 4),
        ("arousal", ("hubert-L", "wavlm"), [("|x| < 0.1", n) for n in ("0.10", "0.10", "−0.10")]),
    ],
)
def test_a_score_that_equals_a_bound_says_so(
    visit: Any, target: str, models: tuple[str, str], expected: list[tuple[str, str]]
) -> None:
    page = visit(PAGE)
    names = "&".join(f"model=published%2F{model}" for model in models)
    go(page, f"#?target={target}&{names}&show=all")
    open_all(page)
    rows = page.evaluate("""() => [...document.querySelectorAll("table.scores tbody tr:not(.head)")]
        .flatMap((row) => [3, 4].map((place) => [row.cells[1].textContent, row.cells[place].textContent]))""")
    equal = [(rule, text.split()[0]) for rule, text in rows if "equals the bound" in text]
    assert sorted(equal) == expected
    page.close()


def test_two_models_side_by_side_show_every_cell_and_their_difference(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO + "&show=all")
    open_all(page)
    assert page.locator("table.scores tbody tr:not(.head)").count() > 40
    heads = page.locator("table.scores").first.locator("thead th").all_inner_texts()
    assert heads == [
        "Cell", "Passes if", "Scores on one axis", "wavlm", "w2v2-L", "w2v2-L − wavlm"
    ]  # fmt: skip
    values = page.evaluate(
        """() => [...document.querySelectorAll("table.scores tbody tr:not(.head)")].map((row) =>
            [3, 4, 5].map((place) => row.cells[place].firstChild?.nodeType === 3
                ? Number(row.cells[place].firstChild.textContent.trim().replace("−", "-")) : null))"""
    )
    numbers = [line for line in values if None not in line]
    assert len(numbers) > 30
    assert all(abs(b - a - change) < 0.0051 for a, b, change in numbers)
    rows = page.evaluate(
        """() => [...document.querySelectorAll("table.scores tbody tr:not(.head)")].map((row) =>
            [3, 4, 5].map((place) => row.cells[place].firstChild?.textContent.trim() ?? ""))"""
    )
    digits = [[len(text.partition(".")[2]) for text in line] for line in rows]
    assert all(change == 2 for one, other, change in digits if one == other == 2 and change)
    assert [2, 2, 2] in digits
    assert page.locator(".answer-list li").count() == 1
    assert page.faults == []
    page.close()


def test_only_cells_that_differ(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO + "&show=verdicts")
    open_all(page)
    rows = page.locator("table.scores tbody tr:not(.head)")
    for row in rows.all():
        marks = row.locator("b[role=img]").evaluate_all(
            "all => all.map((each) => each.getAttribute('aria-label'))"
        )
        assert {"pass", "fail"} <= set(marks)
    assert (
        f"Verdicts differ on {rows.count()} of" in page.locator(".comparison-result").inner_text()
    )
    page.close()


def test_at_first_only_cells_that_differ_are_shown_folded_by_test(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO)
    first = page.locator(".compared-test summary").all_inner_texts()
    go(page, TWO + "&show=all")
    every = page.locator(".compared-test summary").all_inner_texts()
    assert 0 < len(first) <= len(every)
    assert any(" of " in text for text in first) and not any(" of " in text for text in every)
    assert page.locator(".compared-test[open]").count() == 0
    assert page.evaluate("document.documentElement.scrollHeight") < 3000
    page.close()


@pytest.mark.parametrize(
    ("target", "test", "axes"),
    [("arousal", "fairness_sex", 1), ("arousal", "correctness_regression", 2)],
)
def test_cells_of_a_kind_of_metric_have_one_axis_with_numbers(
    visit: Any, target: str, test: str, axes: int
) -> None:
    page = visit(PAGE)
    go(page, TWO.replace("arousal", target) + f"&show=all&test={test}")
    rows = page.evaluate(
        """() => [...document.querySelectorAll(".compared-test tbody tr")].map((row) => ({
            rule: row.cells[0].firstChild.textContent + row.cells[1].textContent,
            bounds: [...row.querySelectorAll(".strip .bound")].map((line) => line.getAttribute("x1")),
            marks: row.querySelectorAll(".strip circle, .strip path").length,
            values: row.querySelectorAll("td.p, td.f").length,
            ends: ["start", "end"].map((side) => row.querySelector(`.strip text[text-anchor=${side}]`)?.textContent),
            places: [...row.querySelectorAll(".strip text")].map((text) => text.getBoundingClientRect())
                .map(({ left, right }) => [left, right]).sort(([a], [b]) => a - b),
        }))"""
    )
    assert len(rows) > 3 and all(row["marks"] == row["values"] for row in rows)
    places: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        places.setdefault(row["rule"], set()).add(tuple(row["bounds"]))
        assert all(a[1] < b[0] for a, b in pairwise(row["places"]))
    assert all(len(each) == 1 for each in places.values())
    ends = {tuple(row["ends"]) for row in rows}
    assert len(ends) == axes and all(map(all, ends))
    if test.startswith("fairness"):
        assert all(low == f"−{high}" for low, high in ends)
    page.close()


def test_own_models_are_tested_cell_by_cell_paired_by_speakers(visit: Any) -> None:
    page = visit(PAGE)
    go(page, OWN)
    open_all(page)
    text = page.locator(".comparison-result").inner_text()
    assert "leaving out each speaker once (each sample where no speaker is known), paired" in text
    row = page.locator(".compared-test tbody tr").filter(has_text="Mean Absolute Error")
    assert "q = 1.000" in row.locator("td").last.inner_text()
    assert page.faults == []
    page.close()


def test_models_are_chosen_up_to_five_and_stand_in_the_address(visit: Any) -> None:
    page = visit(PAGE)
    boxes = page.locator(".compare-tools input[type=checkbox]")
    boxes.first.wait_for()
    assert page.locator(".compare-tools input:checked").count() >= 1
    page.get_by_label("Target").select_option("arousal")
    page.wait_for_function("() => location.hash.includes('target=arousal')")
    for name in ("wavlm", "hubert-L", "data2vec", "w2v2-L", "random-gaussian"):
        box = page.locator(f"input[data-model='published/{name}']")
        if box.is_enabled():
            box.check()
    page.locator(".compare-tools input:checked").nth(4).wait_for()
    assert page.url.count("model=") == 5
    page.close()


@pytest.mark.parametrize("hash_", ["#?target=nothing", "#?model=x&show=constructor", "#?test=a"])
def test_an_address_that_makes_no_sense_breaks_nothing(visit: Any, hash_: str) -> None:
    page = visit(PAGE)
    page.locator(".compare-tools fieldset").first.wait_for()
    page.evaluate("hash => { location.hash = hash; }", hash_)
    page.locator(".compare-tools fieldset").first.wait_for()
    assert page.faults == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_comparison_has_no_fault_that_axe_knows(visit: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for width in (1280, 320):
        page = visit(PAGE, width, color_scheme=scheme)
        go(page, TWO + "&show=all")
        page.locator(".compared-test summary").first.click()
        faults = axe.Axe().run(page).response["violations"]
        shown = [(fault["id"], [node["html"] for node in fault["nodes"]][:3]) for fault in faults]
        assert not shown
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.close()


def test_the_page_leads_on_without_scripts(visit: Any) -> None:
    page = visit(PAGE, java_script_enabled=False)
    assert page.locator("article p.quiet a").count() >= 2
    page.close()


def test_what_has_the_focus_keeps_it(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO)
    shown = "() => document.querySelector('.compare-tools').dataset.shown === location.hash"
    here = "() => { document.activeElement.here = true; }"
    at = "() => document.activeElement.here === true"
    for control, key in (
        (page.locator("input[data-model='published/hubert-L']"), "Space"),
        (page.locator("input[data-model='published/hubert-L']"), "Space"),
        (page.get_by_label("Show"), "ArrowDown"),
        (page.locator(".compare-tools").get_by_label("Test"), "ArrowDown"),
        (page.get_by_label("Target"), "ArrowDown"),
    ):
        control.focus()
        page.evaluate(here)
        before = page.url
        page.keyboard.press(key)
        page.wait_for_function("before => location.href !== before", arg=before)
        assert page.evaluate(at), key
        page.wait_for_function(shown)
        assert page.evaluate(at), key
    assert page.faults == []
    page.close()


def test_unknown_models_of_an_address_are_named(visit: Any) -> None:
    page = visit(PAGE)
    page.evaluate(
        "() => { location.hash = '#?target=arousal&model=published%2Fgone&model=published%2Fwavlm'; }"
    )
    page.get_by_text("The address names a model that is not here: published/gone.").wait_for()
    assert not page.get_by_text("a target that is not here").count()
    page.locator("input[data-model='published/w2v2-L']").check()
    page.get_by_text("The address names").wait_for(state="detached")
    page.evaluate("() => { location.hash = '#?target=arousl&model=published%2Fwavlm'; }")
    page.get_by_text("The address names a target that is not here: arousl.").wait_for()
    page.go_back()
    page.get_by_text("The address names a target").wait_for(state="detached")
    page.close()


def test_where_no_cell_fits_a_button_shows_all(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO + "&q=nothing-is-called-so")
    assert "0 cells are shown" in page.locator(".comparison-result").inner_text()
    page.get_by_role("button", name="Show all cells").click()
    page.locator(".compared-test").first.wait_for()
    assert "show=all" in page.url and "q=" not in page.url
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    page.close()


def test_what_is_not_shown_is_not_explained(visit: Any) -> None:
    page = visit(PAGE)
    go(page, OWN)
    text = page.locator(".comparison-result").inner_text()
    assert "(p " not in text and "p values" not in text
    go(page, TWO)
    text = page.locator(".comparison-result").inner_text()
    assert ("(p " in text) == ("p values" in text)
    page.close()


THREE = "#?target=arousal&model=run%2Falpha&model=run%2Fdice&model=published%2Fwavlm&show=all"
#: rows in which so many models have a verdict
JUDGED = """(least) => [...document.querySelectorAll("table.scores tbody tr:not(.head)")].filter((row) =>
    [...row.cells].slice(3).filter((cell) => cell.matches(".p, .f")).length >= least).length"""


def test_cells_without_a_verdict_are_not_in_common(visit: Any) -> None:
    page = visit(PAGE)
    for choice, least in (
        (OWN, "both have"),
        (THREE, "two of them have"),
    ):
        go(page, choice)
        open_all(page)
        text = page.locator(".comparison-result").inner_text()
        said = re.search(
            rf"Verdicts differ on \d+ of (\d+) cells on which .*{least} a verdict", text
        )
        assert said is not None, text
        rows = page.locator("table.scores tbody tr:not(.head)").count()
        assert 0 < int(said[1]) == page.evaluate(JUDGED, 2) < rows
    page.close()


def test_cells_that_flip_are_one_link_away(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO)
    link = page.get_by_role("link", name="Verdicts differ")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('show=verdicts')")
    assert page.get_by_label("Show").input_value() == "verdicts"
    page.close()


def test_cells_have_the_names_that_other_pages_have(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO + "&show=all")
    open_all(page)
    texts = page.locator("table.scores tbody th[scope=row]").all_inner_texts()
    assert texts
    for text in texts:
        _, about, _part = text.split("\n")[:3]
        assert about.startswith(("MSP-Podcast", "IEMOCAP", "Mine", "Speech", "TIMIT", "Mozilla")), (
            text
        )
        assert "inf" not in about and not about.startswith("msp"), text
    assert any("(−∞, 0.25]" in text for text in texts) and any("∞)" in text for text in texts)
    page.close()


@pytest.mark.parametrize(
    ("name", "label", "models", "test"),
    [
        ("results/arousal/published/wavlm", "Compare with other models", 2, ""),
        ("results/arousal/model/alpha", "Compare with other models", 2, ""),
        ("results/arousal/fairness_sex", "Compare models in this test", 2, "fairness_sex"),
    ],
)
def test_pages_lead_to_the_comparison_of_their_models(
    visit: Any, name: str, label: str, models: int, test: str
) -> None:
    page = visit(name, java_script_enabled=False)
    address = page.get_by_role("link", name=label).first.evaluate("node => node.href")
    page.close()
    other = visit(PAGE)
    other.goto(address)
    other.wait_for_function(
        "() => document.querySelector('.compare-tools')?.dataset.shown === location.hash"
    )
    assert other.locator(".compare-tools input:checked").count() == models
    assert other.locator(".compare-tools").get_by_label("Test").input_value() == test
    assert "The address names" not in other.locator("article").inner_text()
    other.close()
