"""From a cell to its samples: the right ones, in the right order, heard, seen and filtered."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from html import escape, unescape
from typing import Any

import pytest

from common.pages.weight import LIMITS
from common.results import sample_tables
from tests.site.conftest import AFTER, ANSWERS, TRUTH, sample_table, write_tables

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


def named_of(html: str) -> tuple[dict[str, Any], list[list[int]]]:
    """Lists of a table of all cells, and the places in them that its rows name."""
    lists = re.search(r'data-named="([^"]*)"', html)
    assert lists is not None
    return json.loads(unescape(lists[1])), [
        [int(place) for place in places.split()]
        for places in re.findall(r'data-of="([^"]*)"', html)
    ]


def test_every_cell_with_samples_has_a_link_and_others_none(small: Any) -> None:
    model, test = small.page(MODEL), small.page(TEST)
    named, rows = named_of(model)
    assert (
        sum(test in named["data"][data][2] for test, data in rows) == 3
    )  # the dataset of the other cells may not be shown
    assert test.count('class="hear"') == 6
    published = small.page("results/arousal/published/wavlm")
    assert 'class="hear' not in published and named_of(published)[0]["hear"] == ""
    assert named["hear"].endswith("samples/index.html#?model=alpha")


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
    assert texts == [f"{v / 10_000:.3f}" for v in (ANSWERS["alpha"][0], AFTER["alpha"][0])]
    assert page.faults == []
    page.close()


WORDS = {
    "kind": "word",
    "words": ["anger", "joy", "boredom"],
    "labels": 2,
    "truth": [0, 0, 2, 1],
    "answers": {"alpha": [0, 1, 0, 1], "dice": [1, 1, 1, 1]},
}
WORDS_AFTER = {"alpha": [0, 0, 1, 0], "dice": [1, 1, 1, 1]}


def test_wrong_words_come_first_and_are_never_green(visit: Callable[..., Any]) -> None:
    """``c`` has a truth that no model can answer: it is neither right nor wrong."""
    page = visit("results/arousal/index")
    table = {**sample_table(), **WORDS}
    table["tests"]["correctness_regression"]["lines"] = [
        ["mine-2.0.0-table", "original", ["anger", "joy"], None],
        ["mine-2.0.0-table", "noise", [], None],
    ]
    change = table["changes"]["correctness_regression/noise"]
    change["after"] = WORDS_AFTER
    text = sample_tables.script("arousal", "mine", table)
    page.route("**/tables/arousal/mine.js", lambda route: route.fulfill(body=text))
    page.goto(page.url.replace("index.html", "samples/index.html"))
    assert names(page) == ["b", "a", "d"]
    assert [page.locator(f".hear-sample td.{css}").count() for css in ("p", "f")] == [3, 3]
    wrong = page.locator(".hear-sample").first.locator("tbody td").first
    assert wrong.inner_text() == "joy ✗" and "f" in str(wrong.get_attribute("class")).split()
    page.get_by_label("Only wrong answers").check()
    page.wait_for_function("() => document.querySelectorAll('.hear-sample').length === 1")
    go(page, "#?model=alpha&test=correctness_regression&of=joy")
    assert names(page) == ["b", "d"]
    go(page, NOISE)
    # right and then wrong, wrong in another way, wrong and then right, not moved
    assert names(page) == ["d", "c", "b", "a"]
    page.get_by_label("Only changed answers").check()
    page.wait_for_function("() => document.querySelectorAll('.hear-sample').length === 3")
    page.close()


EVENTS = {
    "kind": "events",
    "words": ["dog", "horn"],
    "labels": 2,
    "seconds": [4.0, 4.0, 4.0, 4.0],
    "truth": [[[0.0, 1.0, 0]], [[1.0, 2.0, 1]], [], [[0.5, 1.5, 0], [2.5, 3.5, 1]]],
    "answers": {
        "alpha": [[[0.5, 1.0, 0]], [[1.0, 2.0, 0]], [], [[0.5, 1.5, 0], [2.5, 3.5, 1]]],
        "dice": [[[0.0, 4.0, 0], [0.0, 4.0, 1]], [], [], None],
    },
    "losses": {"alpha": [0.0, 2.0, 0.0, 0.0], "dice": [7.0, 1.0, 0.0, None]},
    "shifts": {"correctness_regression/noise": {"alpha": [1.0, 0.0, 0.0, 4.0], "dice": [0.0] * 4}},
}
EVENTS_AFTER = {"alpha": [[], EVENTS["answers"]["alpha"][1], [], []], "dice": [[], [], [], []]}


def test_events_are_lanes_and_the_recording_with_most_wrong_seconds_comes_first(
    visit: Callable[..., Any],
) -> None:
    page = visit("results/arousal/index")
    table = {**sample_table(), **EVENTS}
    table["tests"]["correctness_regression"]["lines"] = [
        ["mine-2.0.0-table", "original", ["dog", "horn"], None],
        ["mine-2.0.0-table", "noise", [], None],
    ]
    table["changes"]["correctness_regression/noise"]["after"] = EVENTS_AFTER
    text = sample_tables.script("arousal", "mine", table)
    page.route("**/tables/arousal/mine.js", lambda route: route.fulfill(body=text))
    page.goto(page.url.replace("index.html", "samples/index.html"))
    assert names(page) == ["b", "a", "c", "d"]
    first = page.locator(".hear-sample").first
    assert "2 s wrong" in first.locator(".heard-name").inner_text()
    bars = {
        css: first.locator(f"i.{css}").evaluate_all("all => all.map((bar) => bar.title)")
        for css in ("truth", "hit", "false", "missed")
    }
    horn = "1.00 to 2.00 s"
    missed = [f"horn, missed: {horn}"] * 2  # by both models
    assert bars == {
        "truth": [f"horn: {horn}"],
        "hit": [],
        "false": [f"dog, false: {horn}"],
        "missed": missed,
    }
    left = first.locator("i.truth").evaluate("bar => bar.style.left + ' ' + bar.style.width")
    assert left == "25% 25%"
    said = first.locator("[role=img]").nth(1).get_attribute("aria-label")
    assert str(said).endswith(f"dog {horn}, false; horn {horn}, missed")
    page.get_by_label("Truth").select_option("horn")
    page.wait_for_function("() => document.querySelectorAll('.hear-sample').length === 2")
    assert names(page) == ["b", "d"]
    go(page, NOISE)
    assert names(page) == [
        "d",
        "a",
        "c",
        "b",
    ]  # of two that did not change, the one with sound comes first
    columns = page.locator(".hear-sample").first.locator("tbody tr").nth(1).locator("td")
    assert [columns.nth(n).locator("i.missed").count() for n in (0, 1)] == [0, 2]
    page.get_by_label("Only changed answers").check()
    page.wait_for_function("() => document.querySelectorAll('.hear-sample').length === 2")
    assert page.faults == []
    page.close()


def test_without_scripts_the_worst_recordings_name_their_events() -> None:
    """Their errors are those that the table tells."""
    from benchmark_site.samplepages import losses, text, worst

    assert worst(EVENTS, "alpha") == [1] and worst(EVENTS, "dice") == [0, 1]
    assert losses(EVENTS, "dice")[3] is None
    assert text(EVENTS, EVENTS["truth"][3]) == "dog 0.50 to 1.50 s; horn 2.50 to 3.50 s"


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
    go(other, "#?model=alpha&test=correctness_regression&part=(0.75,+%E2%88%9E)")
    assert names(other) == ["c"]
    go(other, "#?model=alpha&test=correctness_regression&part=noise")
    assert names(other) == ["a", "c", "b"]
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
    before = group.locator(".sound.chosen img[src]").get_attribute("src")
    group.get_by_role("radio", name="Noise").check()
    times = audios.evaluate_all("all => all.map((audio) => audio.currentTime)")
    assert times == [pytest.approx(1.25, abs=0.02)] * 2
    assert group.locator(".sound.chosen img[src]").get_attribute("src") != before
    page.wait_for_function(
        "() => document.querySelector('.listen .sound.chosen img').naturalWidth > 0"
    )
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_no_part_of_a_sample_lies_on_another(visit: Callable[..., Any], width: int) -> None:
    page = visit(PAGE, width)
    page.locator(".hear-sample .table-files").first.wait_for()
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".hear-sample")].map((sample) => [...sample.children].map((part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            return [left, right, top, bottom];
        }))"""
    )
    assert any(len(parts) == 4 for parts in boxes)
    for parts in boxes:
        for one, other in itertools.combinations(parts, 2):
            beside = one[1] <= other[0] or other[1] <= one[0]
            below = one[3] <= other[2] or other[3] <= one[2]
            assert beside or below, (one, other)
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_pictures_are_loaded_where_they_come_into_view(
    visit: Callable[..., Any], small: Any, width: int
) -> None:
    count = 10
    table = {**sample_table(), "tests": {}, "changes": {}, "columns": {}, "total": count}
    table["samples"] = [f"{n}.wav" for n in range(count)]
    table["truth"] = [100 * n for n in range(count)]
    table["answers"] = {"alpha": [0] * count}
    table["tests"] = {
        "correctness_regression": {
            "samples": None,
            "lines": [["mine-2.0.0-table", "original", [], None]],
        }
    }
    table["sounds"] = [[f"samples/mine/s{n}.flac", 2.0, -20.0] for n in range(count)]
    table["heard"] = {"": {str(n): n for n in range(count)}}
    text = sample_tables.script("arousal", "mine", table)
    (picture,) = small.html.rglob("c.webp")
    page, asked, drawn = visit("404", width), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/tables/arousal/mine.js", lambda route: route.fulfill(body=text))

    def draw(route: Any) -> None:
        drawn.append(route.request.url.rpartition("/")[2])
        route.fulfill(body=picture.read_bytes(), content_type="image/webp")

    page.route("**/samples/mine/s*.webp", draw)
    page.goto(page.url.replace("404", PAGE))
    page.locator(".hear-sample .listen.ready").nth(count - 1).wait_for()
    first = page.locator(".hear-sample img").first
    boxes = first.bounding_box()
    page.wait_for_function("() => document.querySelector('.hear-sample img').naturalWidth > 0")
    assert first.bounding_box() == boxes  # nothing moves when a picture comes
    assert drawn[0] == f"s{count - 1}.webp" and len(drawn) < 4
    assert len(set(asked)) <= LIMITS.requests  # the icon of the page before may come late
    page.locator(".hear-sample img").last.scroll_into_view_if_needed()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.hear-sample img')].at(-1).naturalWidth > 0"
    )
    assert "s0.webp" in drawn
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.hear-sample img')].every((image) => image.naturalWidth > 0)"
    )
    assert len(drawn) == len(set(drawn)) == count
    assert page.faults == []
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


def test_it_opens_on_data_that_have_samples(visit: Callable[..., Any], small: Any) -> None:
    """The first data have a table, but no model has an answer there; of the next, only the second has."""
    page = visit("results/arousal/index")
    text = small.page(PAGE)
    (written,) = re.findall(r'data-config="([^"]*)"', text)
    config = json.loads(unescape(written))
    ids = [model[0] for model in config["models"]]
    regression = [entry for entry in config["data"] if entry[0] == "correctness_regression"]
    assert [entry[4] for entry in regression] == [[ids.index("alpha"), ids.index("dice")]]
    test, dataset, data, label, _ = regression[0]
    config["data"] = [[test, dataset, "empty", label, []], [test, dataset, data, label, [1]]]
    changed = text.replace(written, escape(json.dumps(config)))
    page.route(
        "**/samples/index.html", lambda route: route.fulfill(body=changed, content_type="text/html")
    )
    page.goto(page.url.replace("index.html", "samples/index.html"))
    assert len(names(page)) == 4
    chosen = page.locator(".listen-samples .tools select")
    assert chosen.nth(0).input_value() == ids[1] and chosen.nth(2).input_value() == data
    page.close()
