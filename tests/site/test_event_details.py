"""Details of sound events on pages of models: tables, timelines, operating points."""

from __future__ import annotations

import html as entities
import re
from types import SimpleNamespace
from typing import Any

import pytest
from benchmark_site import event_details, samplepages
from benchmark_site.page import Page

MODEL = "results/arousal/model/alpha"


def part(small: Any) -> str:
    html = small.page(MODEL)
    return html[html.index('class="events-details"') : html.index('id="slices"')]


def unfold(page: Any) -> None:
    """Open the test that holds the details, as a reader does."""
    page.locator("details.model-test", has=page.locator(".picker")).locator("> summary").click()


def cells(row: str) -> list[str]:
    """Texts of the cells of a row."""
    found = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
    return [entities.unescape(re.sub(r"<[^>]+>", " ", cell)).strip() for cell in found]


def test_classes_have_figures_intervals_and_counts(small: Any) -> None:
    table = part(small).split("<table", 2)[1]
    head, whole, hostile, bell = re.findall("<tr>.*?</tr>", table, re.DOTALL)
    assert cells(head) == ["Class", "F", "P", "R", "ER", "annotated", "TP", "FP", "FN"]
    assert cells(whole)[1] == "0.500 0.25 to 0.75" and cells(whole)[5:] == ["2", "1", "1", "1"]
    assert cells(hostile)[0] == small.hostile and cells(hostile)[2] == "–"
    assert cells(bell)[1:5] == ["–"] * 4


def test_some_thresholds_curves_and_confusion_are_told_without_scripts(small: Any) -> None:
    tables = {
        re.search(r'aria-label="([^"]+)"', text).group(1).split(",")[0]: text
        for text in re.split(r'(?=<div class="scroll")', part(small))[1:]
    }
    lines = [cells(r) for r in re.findall("<tr>.*?</tr>", tables["Scores at some thresholds"])]
    assert lines[1][:6] == ["0.1", "0.571", "0.400", "1.000", "1.000", "0.667"]
    assert lines[2][0].split() == ["0.5", "as", "scored"]
    assert lines[3][1:3] == ["0.000", "–"]  # without output there is no precision
    roc = [cells(r) for r in re.findall("<tr>.*?</tr>", tables["PSD-ROC"])]
    assert roc[0][1:] == ["0", "100", "area"]
    assert roc[-1] == ["eTPR", "0.000", "0.500", "0.300"]
    confusion = tables["Confusion matrix with cross triggers"]
    assert [cells(r)[1:] for r in re.findall("<tr>.*?</tr>", confusion)][1] == ["1", "2", "1"]


def test_a_timeline_has_bars_spectrogram_player_and_a_table(small: Any) -> None:
    first, second = part(small).split('<div class="scene"')[1:3]
    bars = re.findall(r'<i class="(\w+) (\w+)" style="left:([\d.]+)%;width:([\d.]+)%"', first)
    assert bars == [
        ("truth", "hit", "25.00", "25.00"),
        ("truth", "miss", "75.00", "12.50"),
        ("estimate", "hit", "25.00", "37.50"),
    ]
    for kind in ("img", "audio"):
        src = re.search(rf'<{kind}[^>]* src="([^"]+)"', first).group(1)
        assert (small.html / MODEL).parent.joinpath(src).resolve().is_file()
    assert "1 of 2 annotated events found, 0 of 1 estimated events false" in first
    lines = [cells(r) for r in re.findall("<tr>.*?</tr>", first)]
    assert lines[2][:2] == ["0.50", "1.25"] and lines[3][3] == "annotated, missed"
    assert "<audio" not in second and "<img" not in second


def test_a_cell_leads_to_its_timelines_the_one_with_most_errors_first(visit: Any) -> None:
    page = visit(MODEL)
    page.locator("details:has(table.all-cells) > summary").first.click()
    cell = page.locator("table.all-cells tr", has_text="Speaker ranking")
    assert cell.locator("a.hear").get_attribute("aria-label") == "Its timelines"
    cell.locator("a.hear").click()
    scenes = page.locator(".timelines:target .scene-name")
    scenes.first.wait_for(state="visible")
    assert ["unheard" in name for name in scenes.all_inner_texts()] == [False, True]
    assert page.faults == []
    page.close()


def test_timelines_are_where_samples_are_not(small: Any) -> None:
    """A score whose samples have no page of their own is heard on the page of its model."""
    score, key = SimpleNamespace(dataset="mine"), SimpleNamespace(data="mine-2.0.0-table")
    content = SimpleNamespace(sample_datasets=lambda target: {}, paths=small.folders)
    board = SimpleNamespace(published=False, target="arousal")
    page = Page("results/arousal/correctness_speaker_ranking", "")
    addresses = [
        samplepages.of_test(content, page, board, model, "correctness_speaker_ranking")(score, key)
        for model in (
            SimpleNamespace(id=name, slug=name, published=False) for name in ("alpha", "dice")
        )
    ]
    address, none = addresses
    path, _, place = address.partition("#")
    assert (path, none) == ("model/alpha.html", "")
    assert f'id="{place}"' in small.page(MODEL)
    board.published = True
    alpha = SimpleNamespace(id="alpha", published=True)
    assert samplepages.of_test(content, page, board, alpha, "any")(score, key) == ""


def test_timelines_are_where_samples_may_not_be_shown(small: Any) -> None:
    """The pages of a dataset without a free licence show the events, without sound."""
    key = SimpleNamespace(data="mine-2.0.0-table", condition="original", label="")
    entry = {"silent": "Its users sign an agreement.", "tests": ["correctness_speaker_ranking"]}
    content = SimpleNamespace(sample_datasets=lambda target: {"mine": entry}, paths=small.folders)
    page = Page("results/arousal/correctness_speaker_ranking", "")
    board = SimpleNamespace(published=False, target="arousal")
    alpha = SimpleNamespace(id="alpha", slug="alpha", published=False)
    address = samplepages.of_test(content, page, board, alpha, "correctness_speaker_ranking")
    score = SimpleNamespace(dataset="mine")
    assert address(score, key).startswith("model/alpha.html#timelines")
    entry["silent"] = ""
    assert address(score, key).startswith("samples/index.html#?model=alpha")


def test_other_models_have_none(small: Any) -> None:
    assert "events-details" not in small.page("results/arousal/model/dice")


@pytest.mark.parametrize("seconds, last", [(2.0, "2"), (11.4, "10"), (30.0, "30")])
def test_ticks_stay_readable(seconds: float, last: str) -> None:
    scene = {"file": "a", "start_ns": 0, "seconds": seconds, "whole": True}
    made = event_details._scene(None, {**scene, "truth": [], "estimate": []}, [], {})
    assert made["ticks"][-1]["text"] == last and len(made["ticks"]) <= 9


def test_threshold_and_playhead_in_a_browser(visit: Any) -> None:
    page = visit(MODEL, 390)
    unfold(page)
    picker = page.locator(".picker").first
    row = picker.locator("tbody tr").first
    assert row.inner_text().split()[2:4] == ["0.500", "0.500"]
    picker.get_by_role("button", name="best macro F").click()
    assert picker.locator("output").inner_text() == "0.1"
    assert row.inner_text().split()[2:6] == ["0.571", "0.400", "1.000", "1.000"]
    picker.get_by_role("slider").press("End")
    assert picker.locator("output").inner_text() == "0.9"
    assert row.inner_text().split()[3] == "–"
    scene = page.locator(".scene").first
    scene.locator(".picture").scroll_into_view_if_needed()
    box = scene.locator(".picture").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => document.querySelector('.scene audio').currentTime > 0.9")
    line = scene.locator(".scene-line").bounding_box()
    assert line["x"] == pytest.approx(box["x"] + box["width"] / 2, abs=4)
    page.evaluate("document.querySelector('.scene audio').play()")
    page.wait_for_function("() => document.querySelector('.scene audio').currentTime > 1.2")
    assert scene.locator(".scene-line").bounding_box()["x"] > line["x"] + 5
    assert page.faults == []


def test_without_scripts_the_picker_is_away(visit: Any) -> None:
    page = visit(MODEL, java_script_enabled=False)
    unfold(page)
    assert not page.locator(".picker").first.is_visible()
    assert page.locator(".scene audio").first.is_visible()
    assert page.locator("summary", has_text="Scores at some thresholds").is_visible()


def test_no_fault_that_axe_knows(visit: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(MODEL)
    for details in page.locator(".events-details details").all():
        details.evaluate("node => { node.open = true; }")
    found = axe.Axe().run(page, context=".events-details").response["violations"]
    assert not found, [(fault["id"], fault["nodes"][0]["html"]) for fault in found]
