"""What pages of tests show of a model is made once, and never shown when it is not of these rows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import fragments, groups, pages
from benchmark_site.content import Content
from benchmark_site.fragments import Fragments
from benchmark_site.memory import Inputs, Memory
from benchmark_site.placed import place
from benchmark_site.scores import BoardScores

from common import results
from common.cli.bench import site as bench
from common.core import files
from tests.site import test_memory as remembered
from tests.site.conftest import rows_of

EDITS = remembered.EDITS
content = remembered.content
PAGE = "results/arousal/correctness_regression.page"
RANKING = "results/arousal/index.page"


def written(content: Content, folder: Path, cache: Path) -> dict[str, str]:
    """Page files after bringing a folder up to date."""
    inputs, memory = Inputs(content), Memory(folder / "made.json")
    place(content, memory, inputs, 1)
    for target in content.boards:
        pages.write_target(content, target, folder, memory, inputs, cache)
    Fragments(cache).remove_others(content)
    memory.write()
    return {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in folder.rglob("*.page")}


def same(content: Content, tmp_path: Path, number: int = 0) -> dict[str, str]:
    """Pages of what is remembered, which are those of a first build."""
    first = written(content, tmp_path / f"first-{number}", tmp_path / f"cache-{number}")
    assert written(content, tmp_path / f"other-{number}", tmp_path / "cache") == first
    return first


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Model and test of all rows that become columns, and of all groups that are compared."""
    pairs: list[tuple[str, str]] = []
    for kind, name in ((BoardScores, "_scores_of"), (groups.TestGroups, "get")):
        monkeypatch.setattr(kind, name, watched(getattr(kind, name), pairs))
    return pairs


def watched(function: Any, pairs: list[tuple[str, str]]) -> Any:
    def watching(self: Any, model: str, test: str) -> Any:
        pairs.append((model, test))
        return function(self, model, test)

    return watching


def test_a_model_that_was_added_is_all_that_is_looked_at(
    content: Callable[..., Any], tmp_path: Path, looked_at: list[tuple[str, str]]
) -> None:
    site, _ = content()
    for number, name in enumerate(("gamma", "delta"), 1):
        bench._add_model(site.folders, name, number)
    written(content()[1], tmp_path / "pages", tmp_path / "cache")
    looked_at.clear()
    bench._add_model(site.folders, "epsilon", 3)
    after = written(content()[1], tmp_path / "pages", tmp_path / "cache")
    assert {model for model, _ in looked_at} == {"epsilon"}
    assert ("epsilon", "fairness_sex") in looked_at
    assert "epsilon" in after["results/arousal/fairness_sex.page"]
    assert same(content()[1], tmp_path).keys() == after.keys()


def test_a_value_is_all_that_is_looked_at(
    content: Callable[..., Any], tmp_path: Path, looked_at: list[tuple[str, str]]
) -> None:
    site, state = content()
    before = written(state, tmp_path / "pages", tmp_path / "cache")
    looked_at.clear()
    remembered.value(site)
    after = written(content()[1], tmp_path / "pages", tmp_path / "cache")
    assert {model for model, _ in looked_at} == {"alpha"}
    assert ("alpha", "correctness_regression") in looked_at
    assert before[PAGE] != after[PAGE]
    assert after == same(content()[1], tmp_path)


@pytest.mark.parametrize("name", EDITS)
def test_what_changed_is_shown(content: Callable[..., Any], tmp_path: Path, name: str) -> None:
    site, state = content()
    written(state, tmp_path / "pages", tmp_path / "cache")
    EDITS[name](site)
    after = written(content()[1], tmp_path / "pages", tmp_path / "cache")
    first = same(content()[1], tmp_path)
    assert {doc: after[doc] for doc in first} == first


def test_a_stale_mark_comes_and_goes(content: Callable[..., Any], tmp_path: Path) -> None:
    why = {"reasons": ["the code changed"], "conditions": []}
    stale = {"arousal/alpha/correctness_regression/mine": why}
    pages = [
        same(content(state)[1], tmp_path, number) for number, state in enumerate(({}, stale, {}))
    ]
    assert [page[PAGE].count("<small>stale</small>") for page in pages] == [0, 3, 0]
    remark = "<strong>1 result is stale</strong>"
    assert [page[RANKING].count(remark) for page in pages] == [0, 1, 0]


def one_more(site: Any, name: str, **changes: Any) -> None:
    """One more model, some of whose cells look as no other cell does."""
    rows = [{**row, "model": name} for row in rows_of(name)]
    rows[0].update(changes)
    part = results.frame(rows[:3])
    files.write_text(site.result_file(name), results.to_csv(part))


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 0.123456},
        {"n": 7},
        {"status": "skip", "value": math.nan, "reason": "a first reason"},
        {"data": "another", "dataset": "another"},
        {"criterion": "> 0.7"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_model_that_changes_how_all_columns_look(
    content: Callable[..., Any], tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Decimals, places of n and letters of reasons depend on all models of a table."""
    site, _ = content()
    for row in ("alpha", "beta"):
        one_more(site, row, value=0.5, status="error", reason="a second reason")
    before = written(content()[1], tmp_path / "pages", tmp_path / "cache")
    one_more(site, "gamma", **changes)
    after = written(content()[1], tmp_path / "pages", tmp_path / "cache")
    assert before[PAGE] != after[PAGE]
    assert after == same(content()[1], tmp_path)


def cut(path: Path) -> None:
    """Half of the file."""
    path.write_bytes(path.read_bytes()[:-20])


def altered(path: Path) -> None:
    """A script in a cell."""
    path.write_text(path.read_text("utf-8").replace("<td", "<script>1</script><td"))


def signed(path: Path, body: str) -> None:
    """Other text with its checksum."""
    path.write_text(f"{fragments._sum(body)}\n{body}")


def senseless(path: Path) -> None:
    """Lines of another form, with a checksum."""
    _, shared, line, *_ = path.read_text("utf-8").split("\n")
    model, key, entries, groups = json.loads(line)
    lines = [[model, key, 1, None], [model, key], [model, key, [[]], {}], {}, [[], {}, 1, 2], 1, ""]
    for number in (-1, 99, "0", None):
        lines.append([model, key, [[*entries[0][:2], [number, *entries[0][2][1:]], None]], groups])
    signed(path, "\n".join([shared, *map(json.dumps, lines)]) + "\n{")


def without_lines(path: Path) -> None:
    """No word of what cells are about, with a checksum."""
    lines = path.read_text("utf-8").split("\n")
    signed(path, "\n".join(["[[1], 2]", *lines[2:]]))


def deep(path: Path) -> None:
    """Lists in lists, with a checksum."""
    signed(path, "[" * 100_000)


def folder(path: Path) -> None:
    """A folder in place of the file."""
    path.unlink()
    path.mkdir()


def no_text(path: Path) -> None:
    """No text."""
    path.write_bytes(b"\xff\xfe")


@pytest.mark.parametrize("damage", [cut, altered, senseless, without_lines, deep, folder, no_text])
def test_what_was_damaged_is_made_again(
    content: Callable[..., Any],
    tmp_path: Path,
    damage: Callable[[Path], None],
    looked_at: list[tuple[str, str]],
) -> None:
    state = content()[1]
    before = written(state, tmp_path / "pages", tmp_path / "cache")
    (path,) = (tmp_path / "cache").rglob("correctness_regression.json")
    text = path.read_text("utf-8")
    damage(path)
    looked_at.clear()
    state = content()[1]
    assert written(state, tmp_path / "again", tmp_path / "cache") == before
    assert ("alpha", "correctness_regression") in looked_at
    assert path.read_text("utf-8") == text


def test_what_cells_are_about_stands_once(content: Callable[..., Any], tmp_path: Path) -> None:
    """Of all models that share it, and no longer when none of them is left."""

    def shared() -> list[Any]:
        (path,) = (tmp_path / "cache").rglob("correctness_regression.json")
        numbers: list[Any] = json.loads(path.read_text("utf-8").split("\n")[1])
        return numbers

    site, state = content()
    written(state, tmp_path / "pages", tmp_path / "cache")
    few = shared()
    one_more(site, "gamma", data="another", dataset="another")
    one_more(site, "delta", data="another", dataset="another")
    written(content()[1], tmp_path / "pages", tmp_path / "cache")
    assert shared()[: len(few)] == few and len(shared()) > len(few)
    for name in ("gamma", "delta"):
        site.result_file(name).unlink()
    after = written(content()[1], tmp_path / "pages", tmp_path / "cache")
    assert shared() == few
    first = same(content()[1], tmp_path)
    assert {doc: after[doc] for doc in first} == first


def test_what_belongs_to_no_test_is_removed(content: Callable[..., Any], tmp_path: Path) -> None:
    site, state = content()
    written(state, tmp_path / "pages", tmp_path / "cache")
    names = {path.stem for path in (tmp_path / "cache").rglob("*.json")}
    assert "correctness_speaker_ranking" in names and "fairness_sex" not in names
    for path in site.folders.method_tests.rglob("correctness_speaker_ranking.csv"):
        path.unlink()
    written(content()[1], tmp_path / "pages", tmp_path / "cache")
    after = {path.stem for path in (tmp_path / "cache").rglob("*.json")}
    assert after == names - {"correctness_speaker_ranking"}
