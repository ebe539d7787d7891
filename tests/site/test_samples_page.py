"""From a cell to its samples: the right ones, in the right order, heard, seen and filtered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.site.conftest import AFTER, ANSWERS, TRUTH, write_tables

PAGE = "results/arousal/samples/index"
MODEL = "results/arousal/model/alpha"
TEST = "results/arousal/correctness_regression"
NOISE = "#?model=alpha&test=correctness_regression&data=mine-2.0.0-table&line=noise"


def go(page: Any, hash_: str) -> None:
    """Open a choice as a link does."""
    page.evaluate("hash => { location.hash = hash; }", hash_)
    page.wait_for_function(
        "hash => document.querySelector('.listen-samples').dataset.shown === hash", arg=hash_
    )


def names(page: Any) -> list[str]:
    """First letters of the samples that are shown, in their order."""
    page.locator(".hear-sample").first.wait_for()
    return [
        str(node.get_attribute("data-sample"))[0] for node in page.locator(".hear-sample").all()
    ]


def test_a_cell_of_a_model_leads_to_its_samples_worst_first(visit: Callable[..., Any]) -> None:
    page = visit(MODEL)
    page.locator("details:has(table.all-cells) > summary").first.click()
    page.locator("table.all-cells a.hear").first.click()
    errors = {"abcd"[n]: abs(ANSWERS["alpha"][n] - TRUTH[n]) for n in range(4)}
    assert names(page) == sorted(errors, key=lambda name: -errors[name])
    first = page.locator(".hear-sample").first
    assert "truth 0.900" in first.inner_text() and "error 0.600" in first.inner_text()
    rows = first.locator("tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [
        [rows[0].split("\t")[0], "0.300\n−0.600"],
        ["Dice", "0.500\n−0.400"],
    ]
    assert page.faults == []
    page.close()


def test_every_cell_with_samples_has_a_link_and_others_none(small: Any) -> None:
    model, test = small.page(MODEL), small.page(TEST)
    assert model.count('class="hear"') == 3  # the dataset of the other cells may not be shown
    assert test.count('class="hear"') == 6
    assert 'class="hear"' not in small.page("results/arousal/published/wavlm")
    assert "samples/index.html#?model=alpha&amp;test=correctness_regression" in model


def test_what_noise_changed_most_comes_first_with_answers_before_and_after(
    visit: Callable[..., Any],
) -> None:
    page = visit(PAGE)
    go(page, NOISE)
    assert names(page) == ["a", "c", "b"]  # d is not in the cell
    heads = page.locator(".hear-sample").first.locator("thead th").all_inner_texts()
    assert heads == ["Model", "Original", "Noise"]
    cells = page.locator(".hear-sample").first.locator("tbody tr").first.locator("td")
    texts = [text.split("\n")[0] for text in cells.all_inner_texts()]
    assert texts == [f"{v / 1000:.3f}" for v in (ANSWERS["alpha"][0], AFTER["alpha"][0])]
    assert page.faults == []
    page.close()


def test_filters_narrow_the_list_and_stand_in_the_address(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    assert names(page) == ["c", "d", "a", "b"]
    page.get_by_label("Speaker").select_option("s1")
    page.wait_for_function("() => document.querySelectorAll('.hear-sample').length === 2")
    assert names(page) == ["d", "a"]
    assert "by-speaker=s1" in page.url
    assert "2 of 4 samples" in page.locator(".listen-samples .answer").inner_text()
    page.get_by_label("Only with sound").check()
    page.wait_for_function("() => document.querySelectorAll('.hear-sample').length === 1")
    assert names(page) == ["a"]
    address = page.evaluate("location.hash")
    other = visit(PAGE)
    go(other, address)
    assert names(other) == ["a"]
    go(other, "#?model=alpha&test=correctness_regression&of=(0.75,%20inf]")
    assert names(other) == ["c"]  # truth in the bin
    assert page.faults == other.faults == []
    page.close()
    other.close()


def test_the_changed_sound_is_heard_at_the_same_position(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    go(page, NOISE)
    group = page.locator(".hear-sample").first.locator(".listen")
    audios = group.locator("audio")
    assert audios.count() == 2
    group.hover()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.listen audio')].slice(0, 2).every((a) => a.readyState > 0)"
    )
    group.locator("input[type=range]").evaluate(
        "seek => { seek.value = 1.25; seek.dispatchEvent(new Event('input')); }"
    )
    before = group.locator(".sound.chosen img").get_attribute("src")
    group.get_by_role("radio", name="Noise").check()
    times = audios.evaluate_all("all => all.map((audio) => audio.currentTime)")
    assert times == [pytest.approx(1.25, abs=0.02)] * 2
    assert group.locator(".sound.chosen img").get_attribute("src") != before
    assert group.locator(".sound.chosen img").evaluate("image => image.complete") is not None
    page.close()


@pytest.mark.parametrize("hash_", ["#?model=x&test=y", "#%", "#?data=constructor&line=__proto__"])
def test_an_address_that_makes_no_sense_breaks_nothing(
    visit: Callable[..., Any], hash_: str
) -> None:
    page = visit(PAGE)
    page.locator(".hear-sample").first.wait_for()
    page.evaluate("hash => { location.hash = hash; }", hash_)
    page.locator(".hear-sample").first.wait_for()
    assert page.faults == []
    page.close()


def test_nothing_is_said_of_samples_that_may_not_be_published(small: Any) -> None:
    page = small.page(PAGE)
    assert "Nothing is shown of its samples. Its users sign an agreement." in page
    assert len(list((small.html / "extra" / "media" / "tables").rglob("*.js"))) == 1


def test_a_licence_of_today_counts(new_site: Callable[..., Any]) -> None:
    """A table that a run wrote under another licence is not shown any more."""
    from benchmark_site.sources import sample_datasets

    from common.spec import load_benchmark

    site = new_site("alpha")
    benchmark = load_benchmark()
    entry = benchmark.datasets["emodb"].model_copy(update={"license": "restricted"})
    changed = benchmark.__class__(**{**vars(benchmark), "datasets": {"mine": entry}})
    assert sample_datasets(site.folders, benchmark, "arousal")["mine"]["silent"] == ""
    silent = sample_datasets(site.folders, changed, "arousal")["mine"]["silent"]
    assert "sign an agreement" in silent


def test_the_worst_samples_are_there_without_scripts(visit: Callable[..., Any]) -> None:
    page = visit(PAGE, java_script_enabled=False)
    table = page.locator(".hear-plain table").first
    assert [text[0] for text in table.locator("tbody th").all_inner_texts()] == ["c", "d", "a", "b"]
    assert table.locator("audio").first.get_attribute("preload") == "none"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_samples_have_no_fault_that_axe_knows(visit: Callable[..., Any], scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for width in (1280, 320):
        page = visit(PAGE, width, color_scheme=scheme)
        go(page, NOISE)
        faults = axe.Axe().run(page).response["violations"]
        shown = [(fault["id"], [node["html"] for node in fault["nodes"]][:3]) for fault in faults]
        assert not shown
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.close()


def test_the_same_tables_again_change_nothing(new_site: Callable[..., Any]) -> None:
    site = new_site("alpha")
    site.build()
    before = site.files()
    write_tables(site.folders)
    site.build()
    assert site.files() == before
