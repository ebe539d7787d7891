"""Pages of datasets: what they are, which tests use them, and how models do on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import datasetpages, modelpages
from benchmark_site.content import Content, load
from benchmark_site.memory import Inputs, Memory
from benchmark_site.page import Page
from benchmark_site.pages import write_datasets
from benchmark_site.sources import Model

from common.results import dataset_facts, published
from common.results.dataset_facts import DatasetFacts, Durations
from common.spec import load_benchmark


@pytest.fixture
def content(new_site: Callable[..., Any]) -> Content:
    site = new_site("alpha")
    return load(site.folders, load_benchmark(), [], {})


def pages_of(content: Content) -> list[Page]:
    return [plan.make() for plan in datasetpages.planned(content)]


def declare(content: Content, name: str) -> None:
    """Add a dataset to the catalog of a user."""
    changes = {"id": name, "name": "", "label": "", "builtin": False}
    entry = content.benchmark.datasets["musan"].model_copy(update=changes)
    content.benchmark.datasets[name] = entry


def test_every_dataset_has_a_page_that_the_list_leads_to(content: Content) -> None:
    declare(content, "new")
    first, *pages = pages_of(content)
    names = {*content.table["dataset"], "musan", "air", "mardy", "cough-speech-sneeze", "new"}
    assert {"crema-d", "iemocap"} < names and not {"musan", "new"} & set(content.table["dataset"])
    assert {page.doc for page in pages} == {datasetpages.dataset_doc(name) for name in names}
    assert first.doc == datasetpages.INDEX
    for page in pages:
        assert f'href="{page.doc.rpartition("/")[2]}.html"' in first.html


def test_what_was_not_run_has_a_name_and_a_page(content: Content) -> None:
    page = Page("results/arousal/model/alpha", "Alpha")
    ids = ("iemocap-dimensions", "iemocap-categories", "demo-rooms", "of-nobody")
    lines = datasetpages.not_run(content, page, {(name, "not here"): "Regression" for name in ids})
    assert [(line["id"], line["name"], line["href"]) for line in lines] == [
        ("demo-rooms", "Embedded rooms", ""),
        (
            "iemocap-categories",
            "IEMOCAP (sessions 4 and 5), categories",
            "../../dataset/iemocap.html",
        ),
        (
            "iemocap-dimensions",
            "IEMOCAP (sessions 4 and 5), dimensions",
            "../../dataset/iemocap.html",
        ),
        ("of-nobody", "of-nobody", ""),
    ]


def test_a_test_without_results_is_named_where_it_was_not_run(content: Content) -> None:
    assert "events_segment_based" not in content.tests
    missed = {f"{test}/far-away": "not here" for test in ("events_segment_based", "of_old")}
    model = Model("alpha", "Alpha", not_run=missed)
    page = Page("results/sound-events/model/alpha", "Alpha")
    (line,) = modelpages._not_run(content, page, model)
    title = content.benchmark.tests["events_segment_based"].title
    assert line["models"] == f"{title}, of_old"


def test_methods_name_datasets_and_lead_to_their_pages(small: Any) -> None:
    html = small.page("method/correctness_regression")
    link = r'<a class="reference internal" href="\.\./results/dataset/iemocap\.html" '
    link += r'title="iemocap-dimensions">IEMOCAP \(sessions 4 and 5\)</a>'
    assert re.search(link, html) and ">iemocap-dimensions<" not in html
    assert ">demo-emotion<" in html  # its page is there only where it was used


def test_shares_are_those_of_executed_cells_on_these_data(content: Content) -> None:
    (page,) = (page for page in pages_of(content) if page.doc.endswith("/crema-d"))
    assert (page.title, "ODbL-1.0" in page.html, "English" in page.html) == ("CREMA-D", True, True)
    rows = published.load()
    rows = rows[(rows["dataset"] == "crema-d") & rows["status"].isin(["pass", "fail"])]
    (html,) = (section.html for section in page.sections if section.id == "published")
    for (target, model), part in rows.groupby(["target", "model"]):
        text = f"{(part['status'] == 'pass').sum()} of {len(part)} cells passed"
        cell = rf'title="{text}"><a href="\.\./{target}/published/{re.escape(str(model))}\.html"'
        assert re.search(cell, html), (target, model, text)
    assert html.count(" cells passed") == len(rows.groupby(["target", "model"]))


def test_results_on_other_data_make_no_table_without_lines(content: Content) -> None:
    """Own runs and demonstration data are boards of one source; each shows its own data alone."""
    page = next(page for page in pages_of(content) if page.doc.endswith("/mine"))
    boards = [board for board in content.boards["arousal"] if not board.published]
    shares = datasetpages._shares(boards, "mine", datasetpages._counts(content))
    assert "<tbody>" in datasetpages._models(content, page, boards, "mine", shares)
    others = [replace(b, table=b.table[b.table["dataset"] != "mine"]) for b in boards]
    assert datasetpages._models(content, page, others, "mine", shares) == ""


def test_only_pages_of_what_changed_are_made_again(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    real = datasetpages._with_models

    def make(content: Content, page: Page, dataset: str, shown: Any) -> Page:
        made.append(dataset)
        return real(content, page, dataset, shown)

    def again() -> list[str]:
        made.clear()
        memory = Memory(tmp_path / "made.json")
        write_datasets(content, tmp_path, memory, Inputs(content))
        memory.write()
        return sorted(made)

    monkeypatch.setattr(datasetpages, "_with_models", make)
    every = again()
    assert {"crema-d", "iemocap", "mine"} < set(every) and again() == []
    table = content.table.reset_index(drop=True)
    place = table.index[(table["dataset"] == "crema-d") & (table["status"] == "fail")][0]
    table.loc[place, "status"] = "pass"
    object.__setattr__(content, "table", table)
    assert again() == ["crema-d"]
    page = tmp_path / f"{datasetpages.dataset_doc('iemocap')}.page"
    page.write_text("altered", "utf-8")
    assert again() == ["iemocap"] and "altered" not in page.read_text("utf-8")
    (board, *_) = (board for board in content.boards["arousal"] if not board.published)
    board.models[0] = replace(board.models[0], label="Another name")
    assert "mine" in again()


def test_a_dataset_names_its_tests_and_a_part_its_whole(content: Content) -> None:
    pages = {page.doc: page for page in pages_of(content)}
    page = pages["results/dataset/crema-d"]
    (html,) = (section.html for section in page.sections if section.id == "tests")
    table = content.table[content.table["dataset"] == "crema-d"]
    addresses = {(t, test) for t, test in zip(table["target"], table["test"], strict=True)}
    for target, test in addresses:
        assert f'href="../{target}/{test}.html"' in html
    assert html.count("<a ") == len(addresses)
    assert pages["results/dataset/iemocap"].title == "IEMOCAP"


def test_tables_name_datasets_and_link_their_pages(small: Any) -> None:
    for name in ("correctness_regression", "published/wavlm"):
        html = small.page(f"results/arousal/{name}")
        up = "../" * (1 + name.count("/"))
        assert f'<a href="{up}dataset/msppodcast.html">MSP-Podcast</a> <small>2.6.1-' in html
        assert not re.search(r"<t[hd][^>]*>(<span>)?msppodcast-", html)


def described(content: Content, dataset: str, **more: Any) -> str:
    """Section about samples and audio of a dataset that a run has described."""
    span = Durations(7200.0, 0.5, 2.25, 61.0, (0.0, 1.0, 2.0), (1, 2, 1))
    facts = {"samples": 4, "files": 3, "durations": span, "sampling_rates": {8000: 1, 16000: 2}}
    values = {"version": "1", "made_of": "x", "channels": {1: 3}, **facts, **more}
    dataset_facts.write(DatasetFacts(dataset=dataset, **values), content.paths)
    pages = {page.doc: page for page in pages_of(content)}
    sections = pages[datasetpages.dataset_doc("crema-d")].sections
    return next((section.html for section in sections if section.id == "audio"), "")


def test_languages_are_those_of_the_samples_where_nothing_else_states_them(
    content: Content,
) -> None:
    declare(content, "new")
    doc = datasetpages.dataset_doc("new")

    def language() -> str:
        (page,) = (page for page in pages_of(content) if page.doc == doc)
        match = re.search(r"<dt>Language</dt>\s*<dd>([^<]*)</dd>", page.html)
        assert match is not None
        return match[1].strip()

    assert language() == "not stated"
    samples = {
        "samples": 3,
        "files": 3,
        "durations": None,
        "sampling_rates": {16000: 3},
        "channels": {1: 3},
    }
    labels = {"language": {"deu": 1, "it": 1, "unheard of": 1}}
    facts = DatasetFacts(dataset="new", version="1", made_of="x", labels=labels, **samples)
    dataset_facts.write(facts, content.paths)
    assert language() == "German, Italian"


def test_as_many_samples_of_each_speaker_are_said_once(content: Content) -> None:
    html = described(content, "crema-d", speakers=2, per_speaker=(60.0, 60.0, 60.0))
    assert "<dd>2, with 60 samples each</dd>" in html


def test_samples_and_audio_are_shown(content: Content) -> None:
    html = described(content, "crema-d", speakers=2, per_speaker=(1.0, 2.0, 3.0))
    for text in (
        "<dt>Sampling rate</dt><dd>8000 Hz (1 file), 16000 Hz (2 files)</dd>",
        "<dt>Channels</dt><dd>1</dd>",
        "<dt>Duration</dt><dd>2.00 h</dd>",
        "<dd>0.50 s, 2.25 s, 1.0 min</dd>",
        "<dd>2, 1 to 3 samples each, median 2.0</dd>",
        "<dt>Broken files</dt><dd>none</dd>",
        "<dt>Silent samples</dt><dd>none</dd>",
        '<th scope="row">1 to 2 s</th><td>2</td>',
        '<th scope="row">2 s and more</th><td>1</td>',
        "below −60 dB relative to full scale",
    ):
        assert text in html, text
    assert html.count("50.0 %") == 1 and html.count("25.0 %") == 2


def test_sizes_stand_at_the_top(content: Content) -> None:
    described(content, "crema-d", speakers=2, per_speaker=(1.0, 2.0, 3.0))
    page = next(page for page in pages_of(content) if page.doc.endswith("/crema-d"))
    for name, value in (("Samples", "4"), ("Speakers", "2"), ("Duration", "2.00 h")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page.html
    assert page.html.index("<dt>Samples</dt>") < page.html.index("<dt>License</dt>")


def test_broken_and_silent_ones_are_named_and_never_markup(content: Content) -> None:
    name = "<b>ü & x</b>.wav"
    html = described(
        content,
        "crema-d",
        broken=12,
        first_broken={name: "is empty (0 bytes)"},
        silent=1,
        first_silent=((name, 1.5),),
        labels={"emotion": {"<i>": 3, "anger": 1}, "language": {"eng": 4}},
        numbers={"arousal": (4, 0.5, 0.25)},
    )
    assert "<b>ü" not in html and "<i>" not in html
    assert "<code>&lt;b&gt;ü &amp; x&lt;/b&gt;.wav</code>: is empty (0 bytes)" in html
    assert "and 11 more" in html and ".wav, from 1.5 s</code>" in html
    assert "Distribution: emotion" in html and "Distribution: language" not in html
    assert "<dd>4 samples, mean 0.500, standard deviation 0.250</dd>" in html


def test_without_facts_there_is_no_such_section(content: Content) -> None:
    assert described(content, "another") == ""


def test_a_dataset_without_results_says_what_it_is_for(content: Content) -> None:
    declare(content, "new")
    pages = {page.doc: page for page in pages_of(content)}
    (noises,) = pages["results/dataset/musan"].sections
    assert "<strong>Babble noise</strong>: Four to seven" in noises.html
    assert "is scored on these data themselves" in noises.html
    assert "build.py" not in noises.html
    (mine,) = pages["results/dataset/new"].sections
    assert (
        '<pre class="command">python build.py describe --dataset new\npython build.py run --dataset new</pre>'
        in mine.html
        and "<li>" not in mine.html
    )
    assert "CC-BY-4.0" in pages["results/dataset/new"].html
    assert not any("demo-" in doc for doc in pages)
