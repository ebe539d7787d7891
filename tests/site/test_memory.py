"""What a page is made from decides whether it is made again: nothing that it shows is missing."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import re
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import archive, comparison, downloads, export, making, modelpages, pages
from benchmark_site.content import Content, load
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.placed import place
from benchmark_site.team import Team

from common import results
from common.cli.bench import site as bench
from common.core import files, paths
from common.core.errors import BenchmarkError
from common.core.processes import can_fork
from common.pages import framing, rendering
from common.pages import site as pages_site
from common.results import published, sample_tables
from common.results.manifest import Manifest
from common.spec import load_benchmark
from tests.site.conftest import rows_of, sample_table, write_model

TARGETS = ("arousal", "valence")
TESTS = ("correctness_regression", "correctness_speaker_ranking", "fairness_sex")
MODELS = ("wavlm", "hubert-L", "w2v2-L", "random-gaussian")
DOCS = ["method/correctness_regression", "method/uncertainty", "howto/explain_a_number"]
#: source folder without a page
NOWHERE = Path("nowhere")
#: edits of the results of one own model, by name
EDITS: dict[str, Callable[[Any], object]] = {}


def edit(function: Callable[[Any], object]) -> Callable[[Any], object]:
    """Register an edit."""
    EDITS[function.__name__] = function
    return function


@edit
def value(site: Any) -> None:
    """Another score."""
    table = results.frame(rows_of("alpha"))
    table.loc[table["metric"] == "pcc", "value"] = 0.1
    part = table[table["test"] == "correctness_regression"]
    files.write_text(site.result_file("alpha"), results.to_csv(part))


@edit
def verdict(site: Any) -> None:
    """Another verdict, which changes ranks."""
    text = site.result_file("alpha").read_text("utf-8")
    site.result_file("alpha").write_text(text.replace(",fail,", ",pass,", 1))


@edit
def label(site: Any) -> None:
    """Another name of the model."""
    _manifest(site, lambda content: content["model"].update(label="Renamed"))


@edit
def away(site: Any) -> None:
    """Another dataset that was not there."""
    reason = {"correctness_speaker_ranking/far": "it is gone"}
    _manifest(site, lambda content: content["not_run"].update(reason))


@edit
def cells(site: Any) -> None:
    """A cell whose origin is known."""
    noted = {"correctness_regression/mine": {"code": "0123"}}
    _manifest(site, lambda content: content["cells"].update(noted))


@edit
def alternative_text(site: Any) -> None:
    """Another text for a figure."""
    folder = site.folders.figures("arousal", "alpha", "correctness_regression")
    files.write_text(folder / "alt.json", json.dumps({"visualization_mine.png": "falling dots"}))


@edit
def figure(site: Any) -> None:
    """One more figure."""
    folder = site.folders.figures("arousal", "alpha", "correctness_regression")
    files.write_bytes(folder / "visualization_other.png", b"")


@edit
def sounds(site: Any) -> None:
    """No samples to hear any more."""
    (site.folders.media / "arousal" / "listen_correctness_regression.json").unlink()


@edit
def tables(site: Any) -> None:
    """Other samples behind the cells."""
    table = {**sample_table(), "total": 5}
    path = site.folders.sample_table("arousal", "mine")
    files.write_text(path, sample_tables.script("arousal", "mine", table))


@edit
def tables_of_no_test(site: Any) -> None:
    """No samples behind the cells any more."""
    (site.folders.media / "arousal" / sample_tables.INDEX).unlink()


@edit
def details(site: Any) -> None:
    """No details of sound events any more."""
    folder = site.folders.figures("arousal", "alpha", "correctness_regression")
    (folder / "events_mine.json").unlink()


@edit
def raters(site: Any) -> None:
    """Scores of people on the same data."""
    lines = [{**line, "model": "people"} for line in rows_of("people")]
    files.write_text(site.folders.human, results.to_csv(results.frame(lines[:3])))


@edit
def another_model(site: Any) -> None:
    """One more model."""
    write_model(site.folders, "gamma", "Gamma")


@edit
def earlier_version(site: Any) -> None:
    """Results of an earlier version."""
    folder = site.folders.version("arousal", "alpha", "0.9.0")
    lines = [{**line, "model_version": "0.9.0"} for line in rows_of("alpha")[:3]]
    files.write_text(folder / "correctness_regression.csv", results.to_csv(results.frame(lines)))
    facts = {"id": "alpha", "version": "0.9.0"}
    files.write_text(folder / "manifest.json", Manifest("arousal", facts).to_json())


def _manifest(site: Any, change: Callable[[dict[str, Any]], object]) -> None:
    path = site.folders.manifest("arousal", "alpha")
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content))


@pytest.fixture
def content(new_site: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Site of two own models, and a function that reads all that its pages show."""
    everything = published.load()
    chosen = everything["target"].isin(TARGETS) & everything["test"].isin(TESTS)
    part = everything[chosen & everything["model"].isin(MODELS)].reset_index(drop=True)
    monkeypatch.setattr(published, "load", lambda: part.copy())
    site = new_site("alpha", "beta")
    benchmark = load_benchmark()

    def read(stale: dict[str, Any] | None = None) -> tuple[Any, Content]:
        return site, load(site.folders, benchmark, DOCS, stale)

    return read


def made(content: Content) -> dict[str, tuple[str, str]]:
    """Document -> hash of its inputs, and the page."""
    inputs, memory = Inputs(content), Memory(content.paths.build / "none.json")
    return {
        page.doc: (
            inputs.key(target) if page.inputs is None else digest(page.inputs),
            page.make().data.decode(),
        )
        for target in content.boards
        for page in pages.of_target(content, target, NOWHERE, inputs, memory)
    }


def check(before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]) -> None:
    """Every page that changed has other inputs, and most pages have the same."""
    changed = {doc for doc in before.keys() & after.keys() if before[doc][1] != after[doc][1]}
    assert changed
    assert not {doc for doc in changed if before[doc][0] == after[doc][0]}
    same = {doc for doc in before.keys() & after.keys() if before[doc][0] == after[doc][0]}
    assert "results/valence/published/wavlm" in same


@pytest.mark.parametrize("name", EDITS)
def test_a_page_that_changes_has_other_inputs(content: Callable[..., Any], name: str) -> None:
    site, state = content()
    before = made(state)
    EDITS[name](site)
    check(before, made(content()[1]))


def test_a_stale_row_is_an_input(content: Callable[..., Any]) -> None:
    before = made(content()[1])
    why = {"reasons": ["the code changed"], "conditions": []}
    after = made(content({"arousal/alpha/correctness_regression/mine": why})[1])
    check(before, after)
    less = {**why, "conditions": ["noise"]}
    check(after, made(content({"arousal/alpha/correctness_regression/mine": less})[1]))


def test_a_value_changes_the_inputs_of_one_test_and_one_model(content: Callable[..., Any]) -> None:
    site, state = content()
    before = made(state)
    value(site)
    after = made(content()[1])
    shown = {doc for doc in after if before[doc][0] != after[doc][0]}
    assert {doc for doc in shown if "comparison" not in doc and "index" not in doc} == {
        "results/arousal/correctness_regression",
        "results/arousal/model/alpha",
        "results/arousal/provenance/alpha",
    }


def test_a_comparison_on_shared_cells_is_known_by_its_models(content: Callable[..., Any]) -> None:
    site, _ = content()
    bench._add_model(site.folders, "copy", 1)
    before = made(content()[1])
    (doc,) = (doc for doc in before if doc.startswith("results/arousal/comparison/run-"))
    value(site)
    after = made(content()[1])
    assert after[doc] == before[doc]
    (path,) = site.folders.method_tests.glob("arousal/copy/correctness_regression.csv")
    bench._change_value(path)
    check(before, made(content()[1]))
    assert made(content()[1])[doc][0] != before[doc][0]


def written(content: Content, folder: Path, workers: int = 1) -> tuple[dict[str, str], int]:
    """Page files after bringing a folder up to date, and how many rankings were remembered."""
    inputs, memory = Inputs(content), Memory(folder / "made.json")
    names = [f"{t}/{board.name}: ranking" for t, parts in content.boards.items() for board in parts]
    remembered = [name in memory._last for name in names]
    place(content, memory, inputs, workers)
    for target in content.boards:
        pages.write_target(content, target, folder, memory, inputs)
    memory.write()
    texts = {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.page")}
    return texts, sum(remembered)


@pytest.mark.parametrize("name", EDITS)
def test_pages_of_remembered_parts_are_those_of_a_first_build(
    content: Callable[..., Any], name: str, tmp_path: Path
) -> None:
    site, state = content()
    before, remembered = written(state, tmp_path / "kept")
    assert not remembered
    EDITS[name](site)
    kept, remembered = written(content()[1], tmp_path / "kept")
    new, _ = written(content()[1], tmp_path / "new", workers=2)
    assert {doc: kept[doc] for doc in new} == new
    assert remembered >= 3 and before != kept


@pytest.mark.parametrize(
    "alter", [lambda text: text[:-9], lambda text: text[:-1] + "x", lambda text: ""]
)
def test_page_files_that_were_altered_are_made_again(
    content: Callable[..., Any], alter: Callable[[str], str], tmp_path: Path
) -> None:
    _, state = content()
    before, _ = written(state, tmp_path)
    for name in before:
        path = tmp_path / name
        path.write_text(alter(path.read_text("utf-8")), "utf-8")
    assert written(state, tmp_path)[0] == before


def test_a_model_that_was_added_leaves_the_tables_of_others_alone(
    content: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, state = content()
    before, _ = written(state, tmp_path)
    tables = []
    monkeypatch.setattr(
        modelpages.modelcells,
        "everything",
        lambda content, page, model, *rest, make=modelpages.modelcells.everything: (
            tables.append(model.id) or make(content, page, model, *rest)
        ),
    )
    for number, name in enumerate(("gamma", "delta"), 1):
        bench._add_model(site.folders, name, number)
    after, _ = written(content()[1], tmp_path)
    assert set(tables) == {"gamma", "delta"}
    alpha = "results/arousal/model/alpha.page"
    assert before[alpha] != after[alpha]  # it has another rank


def test_whether_models_can_be_compared_is_found_out_once(
    content: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not forgotten while a target stays as it is."""
    site, _ = content()
    bench._add_model(site.folders, "copy", 1)  # for all targets
    looked: list[str] = []
    telling = comparison.Plan.telling.fget
    monkeypatch.setattr(
        comparison.Plan,
        "telling",
        property(lambda plan: looked.append(plan.doc) or telling(plan)),
    )
    written(content()[1], tmp_path)
    assert set(looked) >= {f"results/{target}/comparison/run-copy" for target in TARGETS}
    looked.clear()
    value(site)  # of one target
    written(content()[1], tmp_path)
    bench._add_model(site.folders, "gamma", 1)
    written(content()[1], tmp_path)
    new = {f"results/{t}/comparison/{name}" for t in TARGETS for name in ("run", "run-gamma")}
    assert set(looked) == {"results/arousal/comparison/run-alpha", *new}


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_notes_of_all_parts_come_together(tmp_path: Path, workers: int, together: bool) -> None:
    memory, counts = Memory(tmp_path / "made.json"), []
    parts = [lambda notes, name=name: notes.keep(name, "1", name.upper()) for name in "cab"]
    with Team(memory, workers, counts.append) as team:
        for some in [parts] if together else [[part] for part in parts]:
            team.begin(*some)
    memory.write()
    assert list(json.loads((tmp_path / "made.json").read_text())) == ["a", "b", "c"]
    assert memory.content("b") == "B" and counts == [1, 2, 3]


def next_descriptor() -> int:
    """Number that the next open file gets: the lowest that is free."""
    reader, writer = os.pipe()
    os.close(writer)
    os.close(reader)
    return reader


@pytest.mark.skipif(not can_fork(), reason="this system has no copies of processes")
def test_a_process_makes_part_after_part_and_each_part_is_made_once(tmp_path: Path) -> None:
    memory, before = Memory(tmp_path / "made.json"), next_descriptor()
    names = [str(number) for number in range(50)]
    with Team(memory, 2) as team:
        team.begin(*(lambda notes, n=name: notes.keep(n, "1", os.getpid()) for name in names))
    makers = [memory.content(name) for name in names]
    assert 1 <= len(set(makers)) <= 2 and os.getpid() not in makers
    assert next_descriptor() == before


def test_a_failure_beside_the_team_ends_its_processes(tmp_path: Path) -> None:
    """A part has more to tell than a pipe holds, and nobody listens any more."""
    others = set(multiprocessing.active_children())
    with (
        pytest.raises(ZeroDivisionError),
        Team(Memory(tmp_path / "made.json"), 2, print) as team,
    ):
        for name in "ab":
            team.begin(lambda notes, name=name: notes.keep(name, "1", "x" * (1 << 20)))
        assert set(multiprocessing.active_children()) > others
        raise ZeroDivisionError
    assert set(multiprocessing.active_children()) <= others


def test_a_killed_process_of_the_team_is_said_in_one_line(tmp_path: Path) -> None:
    others = set(multiprocessing.active_children())
    with (
        pytest.raises(BenchmarkError, match=r"a process that made pages was killed") as caught,
        Team(Memory(tmp_path / "made.json"), 2, print) as team,
    ):
        team.begin(lambda notes: os.kill(os.getpid(), signal.SIGKILL))
        team.begin(lambda notes: signal.pause())
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert set(multiprocessing.active_children()) <= others


@pytest.mark.parametrize("workers", [1, 2])
def test_a_part_that_fails_is_never_overlooked(tmp_path: Path, workers: int) -> None:
    """Not even if another part begins after it failed and before anybody waits for it."""

    def fail(notes: Memory) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "page.html")

    def later(notes: Memory) -> None:
        notes.keep("later", "1", "made")

    memory = Memory(tmp_path / "made.json")
    with (
        pytest.raises(OSError, match=r"No space left on device: 'page.html'") as caught,
        Team(memory, workers) as team,
    ):
        team.begin(fail)
        if workers > 1:
            wait([team._working[0]])
        team.begin(later)
        team.end()
    assert "in fail" in "".join(traceback.format_exception(caught.value))
    assert not memory.notes


def test_what_is_not_used_is_forgotten(tmp_path: Any) -> None:
    memory = Memory(tmp_path / "made.json")
    memory.keep("a", "1", "text")
    memory.keep("b", "1", "text")
    memory.write()
    memory = Memory(tmp_path / "made.json")
    assert memory.recall("a", "1") == "text" and memory.recall("b", "2") is None
    memory.write()
    memory = Memory(tmp_path / "made.json")
    assert memory.recall("a", "1") == "text" and memory.recall("b", "1") is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', "\x00"])
def test_a_damaged_memory_is_no_memory(tmp_path: Any, text: str) -> None:
    (tmp_path / "made.json").write_text(text)
    assert Memory(tmp_path / "made.json").recall("a", "1") is None


def test_a_table_beside_the_code_decides_about_the_site(
    content: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, state = content()
    folder = tmp_path / "docs" / "_ext" / "benchmark_site"
    folder.mkdir(parents=True)
    monkeypatch.setattr(paths, "DOCS", tmp_path / "docs")
    seen = []
    for name, text in (("a.json", "{}"), ("a.json", "[]"), ("a.pyc", "")):
        (folder / name).write_text(text)
        seen.append(pages_site._texts(state.benchmark))
    assert seen[0] != seen[1] == seen[2]


def build_of(site: Any, cache: Path, workers: int = 2) -> Callable[[], None]:
    """Pages of a site, and what waits for its downloads."""
    return making.make(
        site.folders,
        load_benchmark(),
        workers=workers,
        stale={},
        cache=cache,
        progress=lambda *stage: None,
    )


def test_files_that_are_still_written_are_not_removed(
    content: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, _ = content()
    data = site.folders.html / "data"
    files.write_text(data / ".results.parquet.x.tmp", "half of")
    monkeypatch.setattr(downloads.processes, "beside", lambda workers, work, yielding: work)
    finish = build_of(site, tmp_path, workers=1)
    assert (data / ".results.parquet.x.tmp").exists() and not (data / archive.NAME).exists()
    finish()
    assert not (data / ".results.parquet.x.tmp").exists() and (data / archive.NAME).exists()


def test_what_goes_wrong_meanwhile_is_told(
    content: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, _ = content()
    waited = []

    def broken(*arguments: object) -> None:
        raise BenchmarkError("no page")

    def beside(workers: int, work: object, *, yielding: bool) -> Callable[[], None]:
        return lambda: waited.append(work)

    monkeypatch.setattr(downloads.processes, "beside", beside)
    monkeypatch.setattr(pages, "remove_others", broken)
    with pytest.raises(BenchmarkError, match="no page"):
        build_of(site, tmp_path, workers=1)
    assert len(waited) == 3  # all processes that write downloads


def test_a_download_that_fails_stops_no_other_and_forgets_no_page(
    content: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, _ = content()

    def full(*arguments: object) -> None:
        raise BenchmarkError("disk is full")

    monkeypatch.setattr(export._RowFiles, "by_column", full)
    with pytest.raises(BenchmarkError, match="disk is full"):
        build_of(site, tmp_path)()
    assert not multiprocessing.active_children()
    assert (site.folders.html / "data" / "results.csv").exists()
    notes = json.loads((site.folders.source / "results" / "made.json").read_text("utf-8"))
    assert "results/arousal/correctness_regression" in notes


def test_rows_by_column_are_made_again_for_a_target_that_changed(
    content: Callable[..., Any], tmp_path: Path
) -> None:
    site, _ = content()
    build_of(site, tmp_path)()
    data = site.folders.html / "data"
    names = ("results/arousal/rows.json", "results/valence/rows.json", "results.parquet")
    before = {name: (data / name).stat().st_mtime_ns for name in names}
    value(site)
    build_of(site, tmp_path)()
    changed = [name for name in names if (data / name).stat().st_mtime_ns != before[name]]
    assert changed == ["results/arousal/rows.json", "results.parquet"]
    assert 0.1 in json.loads((data / names[0]).read_text("utf-8"))["columns"]["value"]
    assert ",0.1," in (data / "results" / "arousal" / "model" / "alpha.csv").read_text("utf-8")


def test_a_card_that_is_not_as_it_was_left_is_made_again(
    content: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, _ = content()
    build_of(site, tmp_path)()
    cards = sorted((site.folders.html / "data" / "cards").rglob("*.md"))
    before, make, again = [card.read_text("utf-8") for card in cards], export._card, []

    def noted(*arguments: Any) -> str:
        again.append(arguments[-1].id)
        return make(*arguments)

    monkeypatch.setattr(export, "_card", noted)
    cards[0].write_text("altered", "utf-8")
    cards[-1].unlink()
    build_of(site, tmp_path, workers=1)()
    assert [card.read_text("utf-8") for card in cards] == before
    assert len(again) == 2


def test_rows_that_lie_in_the_folder_of_another_model_are_not_forgotten(
    content: Callable[..., Any], tmp_path: Path
) -> None:
    site, _ = content()
    away = site.folders.method_tests / "valence" / "guest" / "correctness_regression.csv"
    for number in (0.125, 0.375):
        rows = results.frame(rows_of("guest")).assign(value=number)
        files.write_text(away, results.to_csv(rows[rows["test"] == "correctness_regression"]))
        build_of(site, tmp_path)()
        columns = json.loads(
            (site.folders.html / "data" / "results" / "arousal" / "rows.json").read_text("utf-8")
        )["columns"]
        assert number in columns["value"]


def test_folders_are_removed_when_nothing_is_written_any_more(
    content: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder may be the one that a download is about to be written to."""
    site, state = content()
    order: list[str] = []
    finish = downloads.Downloads.finish

    def finished(self: downloads.Downloads) -> None:
        finish(self)
        order.append("written")

    monkeypatch.setattr(downloads.Downloads, "finish", finished)
    monkeypatch.setattr(framing, "_sphinx", lambda *args: set())
    for name, function in {"filling": "fill", "listed": "write"}.items():
        module = framing.extension(f"site_frame.{name}")
        monkeypatch.setattr(module, function, lambda *args, **options: None)
    monkeypatch.setattr(rendering, "remove_empty", lambda folder: order.append(folder.name))
    pages_site.build(site.folders, state.benchmark, workers=2)
    assert order == ["written", "html"]


def test_what_pages_show_of_downloads_is_there_before_they_are_filled(
    content: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Downloads may be written later; a page has the size of its badge."""
    site, state = content()
    for name in ("write_rows", "write_columns", "write", "write_archive"):
        monkeypatch.setattr(export, name, lambda *args: None)
    folders = site.folders
    making.make(
        folders,
        state.benchmark,
        workers=1,
        stale={},
        cache=framing.memory(folders),
        progress=lambda *args: None,
    )
    badges = {
        (path.parent / address).resolve()
        for path in (folders.source / "results").rglob("*.page")
        for address in re.findall(r'<img src="([^"]*\.svg)', path.read_text("utf-8"))
    }
    assert len(badges) > 4
    for badge in badges:
        assert (folders.html / badge.relative_to(folders.source.resolve())).is_file()
