"""Random numbers, registries, atomic writes, hashes, result rows."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import results
from common.cli.main import main
from common.core import files, rng
from common.core.errors import ConfigError, DataError, OutputError
from common.core.paths import Paths
from common.core.registry import Registry
from common.core.rng import generator
from common.results.manifest import Manifest


def test_draws_depend_on_keys_only() -> None:
    first = generator(0, "a", 1).random(3)
    generator(0, "b").random(100)
    assert np.array_equal(first, generator(0, "a", 1).random(3))
    others = [generator(1, "a", 1), generator(0, "a", "1"), generator(0, "a1"), generator(0, "a")]
    assert all(not np.array_equal(first, other.random(3)) for other in others)


@pytest.mark.parametrize("size", [32, 28, 4])
def test_seeds_are_integers_whatever_they_are_made_from(monkeypatch, size: int) -> None:
    """Also the rare ones that end with zeros."""
    key = np.random.default_rng(size).bytes(size).ljust(32, b"\0")
    monkeypatch.setattr(rng, "digest", lambda *keys: key)
    expected = np.random.Generator(np.random.PCG64(int.from_bytes(key, "little")))
    assert np.array_equal(generator(0, "a").random(9), expected.random(9))


def test_registry_refuses_duplicates_and_offers_the_nearest_name() -> None:
    registry: Registry[int] = Registry("metric")
    registry.add("ccc", 1)
    with pytest.raises(ConfigError, match="'ccc' is defined twice"):
        registry.add("ccc", 2)
    with pytest.raises(ConfigError, match=r"here: unknown metric 'cc'\. Did you mean 'ccc'\?"):
        registry.get("cc", "here")


def test_write_is_atomic_and_leaves_equal_files_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    assert files.write_text(path, "x", only_changed=True)
    os.utime(path, (1, 1))
    assert not files.write_text(path, "x", only_changed=True)
    assert path.stat().st_mtime == 1
    assert files.write_text(path, "y", only_changed=True)
    assert [p.name for p in path.parent.iterdir()] == ["b.txt"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~files._umask()


def test_a_working_file_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    assert files.write_over(path, b"first and long")
    place = path.stat().st_ino
    for text in ("short", "−", "", "longer than before"):
        assert files.write_over(path, text.encode())
        assert (path.read_text("utf-8"), path.stat().st_ino) == (text, place)
    os.utime(path, (1, 1))
    assert not files.write_over(path, b"longer than before")
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_what_another_name_leads_to_is_not_written_over(tmp_path: Path, link: Any) -> None:
    other, path = tmp_path / "other.txt", tmp_path / "a.txt"
    other.write_text("of others")
    link(other, path)
    assert files.write_over(path, b"ours")
    assert (other.read_text(), path.read_text(), path.is_symlink()) == ("of others", "ours", False)


@pytest.mark.parametrize("write", [files.write_bytes, files.write_over])
def test_unwritable_place_is_an_output_error(tmp_path: Path, write: Any) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        write(tmp_path / "file" / "below.txt", b"x")


def _row(**values: object) -> dict[str, object]:
    return {"target": "t", "model": "m", "value": 0.1 + 0.2, "n": 3, "status": "pass", **values}


def test_rows_read_back_exactly(tmp_path: Path) -> None:
    table = results.frame([_row(), _row(value=float("nan"), n=None, reason='a, "b"\nc')])
    path = tmp_path / "t" / "m" / "x.csv"
    files.write_text(path, results.to_csv(table))
    back = results.read_csv(path)
    assert back.equals(table)
    assert back["value"][0] == 0.1 + 0.2
    assert results.to_csv(back) == path.read_text("utf-8")
    assert results.read_all(tmp_path).equals(table)


def test_foreign_file_is_no_result_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="column missing: target"):
        results.read_csv(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read"):
        results.read_csv(path)


def test_manifest_survives_a_round_trip_and_a_broken_file(tmp_path: Path) -> None:
    manifest = Manifest("t", {"id": "m"}, cells={"b/x": {"hash": "1"}, "a/x": {"hash": "2"}})
    path = tmp_path / "manifest.json"
    path.write_text(manifest.to_json())
    assert Manifest.read(path) == manifest
    for broken in ("{", '{"format": "0"}', "[]", '{"format": "1", "no": 1}'):
        path.write_text(broken)
        assert Manifest.read(path) is None
    assert Manifest.read(tmp_path / "absent.json") is None


def test_cache_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Paths().cache == tmp_path / "speechproof"
    assert Paths(cache=tmp_path / "own").cache == tmp_path / "own"


@pytest.mark.parametrize(
    "name",
    [
        *("method-tests", "extra", "extra/media", "build", "build/html", "build/html/data"),
        *("build/source/results", "extra/media/own", "method-tests/arousal/some/sums"),
    ],
)
def test_nothing_is_written_through_links_that_lead_elsewhere(tmp_path, capsys, name) -> None:
    """Who is sent a folder of results and makes its website writes into that folder only."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = tmp_path / "out" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    places = ["--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    for command in ("site", "run"):
        assert main([command, *places]) == 2
        error = capsys.readouterr().err
        assert f"error: {link}: is a link to another place" in error and error.count("\n") == 1
    assert not list(elsewhere.iterdir()) and not (tmp_path / "cache" / "embedded").exists()
    link.unlink()
    inside = tmp_path / "out" / "inside"
    inside.mkdir()
    link.symlink_to(inside)
    Paths(tmp_path / "out", tmp_path / "cache").stay_inside()


@pytest.mark.parametrize("kind", ["device", "pipe"])
@pytest.mark.parametrize("command", ["site", "run", "summary"])
def test_what_is_no_file_is_not_read(tmp_path, capsys, kind, command) -> None:
    """A pipe would be waited for without end, and a device read without end."""
    path = tmp_path / "out" / "method-tests" / "arousal" / "some" / "manifest.json"
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(os.devnull)
    places = ["--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    assert main([command, *places]) == 2
    error = capsys.readouterr().err
    reason = "is neither a file nor a folder" if kind == "pipe" else "is a link to another place"
    assert error.startswith(f"error: {path}: {reason}") and error.count("\n") == 1


def test_a_link_to_itself_leads_nowhere(tmp_path) -> None:
    link = tmp_path / "method-tests" / "loop"
    link.parent.mkdir()
    link.symlink_to(link)
    assert Paths(tmp_path).stay_inside().output == tmp_path


def test_a_folder_is_not_removed_like_a_file(tmp_path) -> None:
    folder, file = tmp_path / "x.csv", tmp_path / "y.csv"
    folder.mkdir()
    file.touch()
    for path in (folder, file, tmp_path / "z.csv"):
        files.discard(path)
    assert folder.is_dir() and not file.exists()


@pytest.mark.parametrize("name", ["models.yaml", "datasets.yaml", "predictions.csv"])
def test_a_catalog_that_is_a_pipe_is_not_waited_for(tmp_path, capsys, name) -> None:
    if name == "predictions.csv":
        (tmp_path / "models.yaml").write_text(
            f"- {{id: preds, version: 1.0.0, adapter: predictions, path: {name}}}\n"
        )
    os.mkfifo(tmp_path / name)
    places = ["--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    assert main(["check", "--catalog", str(tmp_path), *places]) in (1, 2)
    said = "".join(capsys.readouterr())
    assert f"{name}: is not a file that can be read" in said or f"no such file: {name}" in said
