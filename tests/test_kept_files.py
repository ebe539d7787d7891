"""Caches in which something else stands in place of a file, or a file that is no good."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from common.cli.main import main
from common.core import closure, files, paths
from common.core.documents import parse_json

TEST = "fairness_sex"
DEEP = "[" * 100_000


@pytest.fixture
def run(mini, capsys, monkeypatch):
    """A run of a listening model whose results are the same each time, as in a new process."""
    mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load"}\n',
    )
    where = ("--catalog", mini.catalog, "--cache", mini.root / "cache", "--workers", "1")
    chosen = ("--model", "loud", "--test", TEST, "--dataset", "tones")

    def run(out: str) -> tuple[dict[str, bytes], str]:
        shutil.rmtree(mini.root / out, ignore_errors=True)
        sources = closure.Sources(paths.PACKAGE, *paths.extensions())
        monkeypatch.setattr(closure, "SOURCES", sources)
        monkeypatch.setattr("common.cli.main.SOURCES", sources)
        options = (*chosen, *map(str, where), "--output", str(mini.root / out))
        code = main(["run", *options])
        told = "".join(capsys.readouterr())
        assert code == 0, told
        return mini.files(out), told

    return run


def _kept(cache: Path) -> list[Path]:
    return sorted(p for p in cache.rglob("*") if p.is_file() and ".broken" not in str(p))


def _replaced_by_folders(cache: Path) -> None:
    for path in _kept(cache):
        path.unlink()
        (path / "inside").mkdir(parents=True)


def _replaced_by_depth(cache: Path) -> None:
    for path in _kept(cache):
        path.write_text(DEEP)


def _no_text(cache: Path) -> None:
    for path in _kept(cache):
        path.write_bytes(b"\xff\xfe\x00")


def _files_in_place_of_folders(cache: Path) -> None:
    for path in [path for path in cache.iterdir() if path.is_dir()]:
        shutil.rmtree(path)
        path.write_text("a file")


def _files_deeper(cache: Path) -> None:
    folder = next(p.parent for p in _kept(cache / "predictions"))
    shutil.rmtree(folder)
    folder.write_text("a file")


@pytest.mark.parametrize(
    "damage",
    [_replaced_by_folders, _replaced_by_depth, _no_text, _files_in_place_of_folders, _files_deeper],
)
def test_a_damaged_cache_is_made_again(mini, run, damage, caplog) -> None:
    expected, _ = run("out")
    cache = mini.root / "cache"
    kinds = {path.relative_to(cache).parts[0] for path in _kept(cache)}
    assert {"checked", "models", "predictions"} <= kinds
    damage(cache)
    found, _ = run("out")
    assert found == expected
    assert not any(path.is_dir() for path in cache.rglob("*.json"))
    assert any(".broken" in path.name for path in cache.rglob("*"))
    # and the cache is good again
    before = {path: path.read_bytes() for path in _kept(cache)}
    assert run("out")[0] == expected
    assert {path: path.read_bytes() for path in _kept(cache)} == before


@pytest.mark.parametrize("text", [DEEP, "[1", "\ud800", "{}"])
def test_results_of_others_that_are_too_deep(mini, run, capsys, text: str) -> None:
    """An output folder may hold anything, too."""
    expected, _ = run("out")
    for path in (mini.root / "out" / "method-tests").rglob("*.json"):
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for words in (["summary"], ["list", "stale"]):
        main([*words, "--catalog", str(mini.catalog), "--output", str(mini.root / "out")])
    capsys.readouterr()
    assert run("out")[0] == expected


def test_what_is_set_aside_keeps_what_was_set_aside_before(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / str(number)).touch()
        files.clear_way(tmp_path / "a")
    assert sorted(p.name for p in tmp_path.rglob("[0-9]")) == ["0", "1", "2"]
    assert not (tmp_path / "a").exists()


def test_folders_above_the_cache_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file of the user")
    files.clear_way(tmp_path / "mine" / "checked" / "a.txt")
    assert (tmp_path / "mine").read_text() == "a file of the user"


def test_json_that_is_deep_but_good() -> None:
    assert parse_json("[" * 50 + "]" * 50)
