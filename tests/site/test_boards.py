"""Rankings that follow what a reader chooses, in a real Chromium, opened from the disk."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from benchmark_site.content import load
from benchmark_site.naming import dataset_names

from common.spec import load_benchmark

ROWS = """([box, columns]) => {
    const table = document.querySelector(`#published ${box} table.standings`);
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    return [...table.tBodies].flatMap((body) => [...body.rows])
        .filter((row) => !row.classList.contains("head"))
        .map((row) => [
            row.cells[0].dataset.name,
            ...columns.map((name) => heads.indexOf(name)).map((place) => {
                const cell = row.cells[place];
                const bar = cell.querySelector(".num, .none");
                return (bar || cell.firstChild || cell).textContent.trim();
            }),
        ]);
}"""
SCORES = ["Score", "Beyond chance", "Correctness", "Cells passed", "Executed"]


def go(page: Any, **state: str) -> None:
    """Open the page with a choice in its address, as a link does."""
    page.evaluate("hash => { location.hash = hash; }", "#?" + urlencode(state))
    page.wait_for_function(
        "() => document.querySelector('.board-tools').dataset.shown !== undefined"
    )
    page.wait_for_function(
        "text => document.querySelector('.board-tools').dataset.shown === text",
        arg=urlencode(state),
    )


@pytest.mark.parametrize("target", ["arousal", "emotion"])
def test_equal_weights_give_the_table_of_the_server(visit: Any, target: str) -> None:
    page = visit(f"results/{target}/index")
    server = page.evaluate(ROWS, [".as-ranked", SCORES])
    go(page, **{"w.family.correctness": "2", "w.family.fairness": "2"})
    assert page.locator("#published .as-ranked").is_hidden()
    assert sorted(page.evaluate(ROWS, [".selection", SCORES])) == sorted(server)
    assert len(server) > 3
    changes = page.evaluate(ROWS, [".selection", ["Change"]])
    assert {change for _, change in changes if change} == {"0.0"}
    assert page.faults == []
    page.get_by_role("button", name="Reset to the paper").click()
    assert page.locator("#published .as-ranked").is_visible()
    assert "#?" not in page.url
    page.close()


def test_a_filter_is_in_the_address_and_comes_back_by_a_link(visit: Any) -> None:
    page = visit("results/arousal/index")
    page.get_by_label("Family").select_option("correctness")
    page.locator("#published .selection table.standings").wait_for()
    assert page.url.endswith("#?family=correctness")
    rows = page.evaluate(ROWS, [".selection", ["Score", "Correctness"]])
    assert all(score == share or not share for _, score, share in rows)
    other = visit("results/arousal/index")
    go(other, family="correctness")
    assert other.evaluate(ROWS, [".selection", ["Score", "Correctness"]]) == rows
    assert other.get_by_label("Family").input_value() == "correctness"
    assert "Your selection" in other.locator("#published .selection").inner_text()
    page.close()
    other.close()


def test_a_threshold_of_the_reader_judges_anew(visit: Any) -> None:
    page = visit("results/arousal/index")
    page.get_by_text("Your thresholds, your weights").click()
    row = page.locator("tr[data-rule='ccc|> 0.5']")
    row.locator("input").first.fill("0.99")
    page.locator("#published .selection table.standings").wait_for()
    assert "t.ccc%7C%3E+0.5=above%3A0.99" in page.url
    changes = page.evaluate(ROWS, [".selection", ["Change"]])
    assert any(change.startswith("−") for _, change in changes)
    row.locator("input").first.fill("0.5")
    page.locator("#published .as-ranked").wait_for()
    assert "#?" not in page.url
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_what_follows_from_a_threshold_is_in_sight_beside_its_field(visit: Any, width: int) -> None:
    page = visit("results/arousal/index", width=width)
    page.get_by_text("Your thresholds, your weights").click()
    outcome = page.locator(".board-tools .outcome")
    assert outcome.is_hidden()
    field = page.locator("tr[data-rule='ccc|> 0.5']").locator("input").first
    field.fill("0.99")
    answers = page.locator(".selection > .answer")
    outcome.get_by_text("has the highest score").first.wait_for()
    assert outcome.locator(".answer").all_inner_texts() == answers.all_inner_texts()
    field.scroll_into_view_if_needed()
    top, bottom, end = page.evaluate(
        """() => [...["top", "bottom"].map((side) => document.querySelector(".outcome").getBoundingClientRect()[side]),
            document.activeElement.getBoundingClientRect().bottom]"""
    )
    assert end <= top < bottom <= page.evaluate("innerHeight") + 1
    page.get_by_text("Your thresholds, your weights").click()
    outcome.wait_for(state="hidden")
    page.close()


def test_a_search_leaves_the_models_with_the_text(visit: Any) -> None:
    page = visit("results/index")
    page.get_by_label("Search models").fill("W2V")
    shown = page.locator(".as-ranked[data-board=published] tbody th[scope=row]:visible")
    assert set(shown.all_inner_texts()) == {"w2v2-L"}
    assert page.url.endswith("#?q=W2V")
    page.get_by_label("Origin").select_option("published")
    assert page.locator(".as-ranked[data-origin=own]").is_hidden()
    page.get_by_label("Origin").select_option("own")
    assert page.locator(".as-ranked[data-origin=published]").is_hidden()
    page.get_by_label("Origin").select_option("")
    assert page.locator(".as-ranked[data-origin=published]").is_visible()
    page.close()


def test_what_an_address_or_a_search_names_in_vain_is_said(visit: Any) -> None:
    page = visit("results/arousal/index")
    page.evaluate("() => { location.hash = '#?family=nonsense'; }")
    status = page.get_by_role("status")
    status.get_by_text("unknown family “nonsense”, which is left out").wait_for()
    assert "nonsense" not in page.url and page.locator(".as-ranked:visible").count()
    for part, what in (("w.family.correctness=-1", "weight “-1”"), ("p.sex.female=x", "share “x”")):
        page.evaluate("(part) => { location.hash = `#?${part}`; }", part)
        status.get_by_text(f"The address has the {what}, which is none").wait_for()
    page.evaluate("() => { location.hash = '#?t.ccc=above:much'; }")
    status.get_by_text("the threshold “above:much”, which is none").wait_for()
    page.get_by_label("Search models").fill("zzz")
    status.get_by_text("No name of a model contains “zzz”").wait_for()
    assert page.faults == []
    page.close()


def test_going_back_from_a_selection_ends_it(visit: Any) -> None:
    page = visit("results/index")
    page.evaluate("() => { location.hash = '#?q=W2V'; }")
    shown = page.locator(".as-ranked[data-board=published] tbody th[scope=row]:visible")
    shown.filter(has_text="hubert").first.wait_for(state="detached")
    page.go_back()
    shown.filter(has_text="hubert").first.wait_for()
    assert page.get_by_label("Search models").input_value() == ""
    page.close()


def test_what_is_no_weight_or_no_threshold_is_refused_beside_its_field(visit: Any) -> None:
    page = visit("results/arousal/index")
    page.get_by_text("Your thresholds, your weights").click()
    weight = page.locator("input[data-weight='family.correctness']")
    why = "(input) => input.validationMessage"
    weight.fill("-3")
    assert "from 0 to 1000" in weight.evaluate(why) and "w.family" not in page.url
    weight.fill("0")
    assert weight.evaluate(why) == "" and "w.family.correctness=0" in page.url
    row = page.locator("tr[data-rule='ccc|> 0.5']")
    row.locator("select").select_option("between")
    upper = row.locator("input").nth(1)
    assert "threshold of the paper counts" in upper.evaluate(why) and "t.ccc" not in page.url
    upper.fill("0.9")
    assert upper.evaluate(why) == "" and "between%3A0.5%3A0.9" in page.url
    page.close()


def test_the_overview_follows_a_choice(visit: Any) -> None:
    page = visit("results/index")
    go(page, family="correctness")
    tables = page.locator(".selection table.matrix")
    assert tables.count() == page.locator(".as-ranked").count() > 1
    link = page.locator(".selection[class] td.standing a").first
    assert "/published/" in link.get_attribute("href") or "/model/" in link.get_attribute("href")
    assert page.faults == []
    page.close()


@pytest.mark.parametrize(
    "state",
    [
        "family=nothing",
        "w.family.correctness=-1",
        "w.family=x",
        "t.ccc=constructor:1",
        "t.ccc|> 0.5=above:",
        "sort=nothing",
        "sort=Score:ascending",
        "origin=<b>",
        "w.constructor.a=2",
        "w.dataset.__proto__=2",
        "p.sex.female=-3",
        "p.__proto__.a=3",
        "p.nothing.a=3",
    ],
)
def test_an_address_that_makes_no_sense_breaks_nothing(visit: Any, state: str) -> None:
    page = visit("results/arousal/index")
    page.evaluate("hash => { location.hash = hash; }", f"#?{state}")
    page.wait_for_function(
        "() => document.querySelector('.board-tools').dataset.shown !== undefined"
    )
    assert page.faults == []
    assert page.locator("article").inner_text()
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_selection_has_no_fault_that_axe_knows(visit: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for name, width in (("results/arousal/index", 1280), ("results/index", 320)):
        page = visit(name, width, color_scheme=scheme)
        go(page, **{"w.family.correctness": "2"})
        page.locator("tr[data-rule]").first.wait_for()
        faults = axe.Axe().run(page).response["violations"]
        shown = [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in faults]
        assert not shown, (name, shown)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.close()


def test_rankings_are_whole_without_scripts(visit: Any) -> None:
    page = visit("results/arousal/index", java_script_enabled=False)
    text = page.locator("#published .as-ranked").inner_text()
    assert "wavlm" in text and "Executed" in text
    assert page.locator(".board-tools input").count() == 0
    page.close()


def test_a_selection_has_tiers_and_says_what_is_not_about_it(visit: Any) -> None:
    page = visit("results/emotion/index")
    heads = "([box]) => [...document.querySelectorAll(`#published ${box} tr.head`)].map((row) => row.textContent.trim())"
    server = page.evaluate(heads, [".as-ranked"])
    ranks = page.evaluate(ROWS, [".as-ranked", ["Ranks"]])
    note = page.locator("#published-trust .of-the-whole")
    assert note.is_hidden()
    go(page, **{"w.family.correctness": "2", "w.family.fairness": "2", "w.family.robustness": "2"})
    assert page.evaluate(heads, [".selection"]) == server
    assert "tier" in server[0].lower() and server[-1] == "By chance"
    assert sorted(page.evaluate(ROWS, [".selection", ["Ranks"]])) == sorted(ranks)
    assert "not about your selection" in note.inner_text()
    p_values = [p for _, p in page.evaluate(ROWS, [".selection", ["p"]])]
    assert (
        p_values[0] == "" and len([p for p in p_values if p]) == len([r for _, r in ranks if r]) - 1
    )
    page.get_by_role("button", name="Reset to the paper").click()
    assert note.is_hidden()
    assert page.faults == []
    page.close()


def test_shares_of_speakers_give_other_scores_and_verdicts(visit: Any) -> None:
    page = visit("results/arousal/index")
    page.get_by_text("Your thresholds, your weights").click()
    page.locator("input[data-people='sex.female']").fill("100")
    box = page.locator(".selection:has(.population-scores)")
    box.wait_for()
    assert "Sex: female 100 %" in box.inner_text() and "1 of them is" in box.inner_text()
    assert "p.sex.female=100" in page.url
    box.get_by_text("Scores in your population").click()
    text = box.locator(".population-scores td.p, .population-scores td.f").first.inner_text()
    # the mean error of the two women; in the sample it is 0.3
    assert text.split() == ["0.100", "✗", "0.000", "to", "0.735", "in", "the", "data", "0.300"]
    published = page.locator("#published .selection").inner_text()
    assert "do not follow the shares of speakers" in published
    page.locator("input[data-people='sex.female']").fill("99")
    page.wait_for_function("() => location.hash.includes('p.sex.female=99')")
    for female, male, words in (
        ("120", "", "Sex: female 100 % (120 % in all, taken as 100 %)"),
        ("70", "70", "Sex: female 50 %, male 50 % (140 % in all, taken as 100 %)"),
    ):
        page.locator("input[data-people='sex.female']").fill(female)
        page.locator("input[data-people='sex.male']").fill(male)
        box.get_by_text(words).wait_for()
    assert page.faults == []
    page.get_by_role("button", name="Reset to the paper").click()
    assert page.locator("input[data-people='sex.female']").input_value() == ""
    page.close()


def test_cells_of_the_overview_have_tier_ranks_and_counts_without_scripts(visit: Any) -> None:
    page = visit("results/index", java_script_enabled=False)
    cells = page.locator(".as-ranked[data-board=published] td.standing")
    texts = cells.all_inner_texts()
    assert all(" executed" in text for text in texts)
    cell = cells.filter(has_text="Tier 1, rank ").first
    assert "%" in cell.inner_text() and cell.locator(".bar > span").count() == 1
    page.close()


def test_unchanged_results_leave_the_cells_alone(small: Any) -> None:
    scripts = sorted(path.name for path in (small.html / "cells").iterdir())
    assert "arousal.js" in scripts and "emotion.js" in scripts


def test_datasets_to_choose_have_names_that_differ(visit: Any) -> None:
    page = visit("results/arousal/index")
    options = page.get_by_label("Dataset").locator("option").all_inner_texts()
    assert len(options) == len(set(options)) > 2
    assert "MSP-Podcast" in options and not {"msppodcast", "iemocap"} & set(options)
    page.close()


def test_equal_names_of_datasets_are_told_apart(small: Any) -> None:
    content = load(small.folders, load_benchmark(), [])
    names = ["iemocap-categories", "iemocap-dimensions", "meld", "iemocap", "msppodcast", "x"]
    assert list(dataset_names(content, names).values()) == [
        "IEMOCAP (sessions 4 and 5), categories",
        "IEMOCAP (sessions 4 and 5), dimensions",
        "MELD",
        "IEMOCAP",
        "MSP-Podcast",
        "x",
    ]


def test_the_tests_of_a_threshold_can_be_read_with_the_keyboard(visit: Any) -> None:
    page = visit("results/arousal/index")
    page.get_by_text("Your thresholds, your weights").click()
    page.locator("tr[data-rule]").first.wait_for()
    page.evaluate(
        """() => document.querySelector("tr[data-rule]").after(boardPanel.ruleRow(
            { id: "x", label: "CCC", rule: "> 0.5", tests: new Set(["One", "Two", "Three"]) }))"""
    )
    folded = page.locator("tr[data-rule=x] td details")
    summary = folded.locator("summary")
    assert summary.inner_text() == "3 tests"
    assert "Two" not in folded.inner_text()
    summary.focus()
    page.keyboard.press("Enter")
    assert "One, Two, Three" in folded.inner_text()
    assert page.locator("tr[data-rule] td[title]").count() == 0
    page.close()
