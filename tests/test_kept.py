"""Rows that are kept as columns are those of the files, whatever happened to either."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from common import results
from common.core import files
from common.core.errors import DataError
from common.core.mirror import contents
from common.results import kept, tables


def write(folder: Path, model: str, test: str, *values: float, owner: str = "") -> Path:
    """A result file with texts that CSV must quote, and missing numbers."""
    rows = [
        {
            **{"target": "arousal", "model": owner or model, "test": test, "dataset": "a, b"},
            **{"metric": "ccc", "value": value, "n": place or None, "status": "pass"},
            **{"ci_low": float("nan"), "reason": 'two\nlines, "quoted"'},
        }
        for place, value in enumerate(values)
    ]
    path = folder / "arousal" / model / f"{test}.csv"
    files.write_text(path, results.to_csv(results.frame(rows)))
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Result files of three models."""
    for model in ("a", "b-1", "b"):
        write(tmp_path / "tests", model, "one", 0.1, 1 / 3)
        write(tmp_path / "tests", model, "two", float("nan"))
    return tmp_path / "tests"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were parsed."""
    names: list[str] = []
    read = tables.read_files
    monkeypatch.setattr(
        tables,
        "read_files",
        lambda p: names.extend(str(x.relative_to(x.parents[1])) for x in p) or read(p),
    )
    return names


def check(folder: Path) -> None:
    """What is kept is what the files say, in their order and types."""
    table = kept.read_all(folder, folder.parent / "kept" / "rows")
    expected = results.read_all(folder)
    assert table.equals(expected)
    assert table.dtypes.equals(expected.dtypes)
    assert table.index.equals(expected.index)


def test_only_models_that_changed_are_parsed(own: Path, parsed: list[str]) -> None:
    place = own.parent / "kept" / "rows"
    everything = ["a/one.csv", "a/two.csv", "b/one.csv", "b/two.csv", "b-1/one.csv", "b-1/two.csv"]
    kept.read_all(own, place)
    assert parsed == everything
    parsed.clear()
    kept.read_all(own, place)
    assert not parsed
    write(own, "b", "one", 0.5)
    kept.read_all(own, place)
    assert parsed == ["b/one.csv", "b/two.csv"]


@pytest.mark.parametrize("largest", [-1.0, 0.25, 9.0], ids=["whole", "as it is", "beside"])
def test_changes_of_all_kinds_end_where_a_first_reading_ends(
    own: Path, largest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LARGEST_CHANGE", largest)
    check(own)
    check(own)
    write(own, "b", "one", 0.5, 0.25, 0.125)
    check(own)
    write(own, "ab", "one", 0.5)
    write(own, "z", "one", 0.5)
    check(own)
    shutil.rmtree(own / "arousal" / "a")
    check(own)
    (own / "arousal" / "b-1").rename(own / "arousal" / "c")
    check(own)
    (own / "arousal" / "c" / "two.csv").unlink()
    check(own)
    shutil.rmtree(own)
    check(own)


def test_little_that_changed_is_written_beside_the_rest(own: Path, parsed: list[str]) -> None:
    for number in range(8):
        write(own, f"more-{number}", "one", 0.1, 0.2)
    check(own)
    folder = own.parent / "kept"
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(first) == {"rows.arrow", "rows.json"}
    write(own, "b", "one", 0.5)
    check(own)
    write(own, "more-3", "one", 0.75)
    check(own)
    assert {name: (folder / name).read_bytes() for name in first} == first
    parsed.clear()
    kept.read_all(own, folder / "rows")
    assert not parsed
    write(own, "more-5", "one", 0.25, 0.5)
    check(own)
    assert set(first) == {path.name for path in folder.iterdir()}  # all were written once more
    parsed.clear()
    kept.read_all(own, folder / "rows")
    assert not parsed


@pytest.mark.parametrize("ending", [kept.DATA, kept.NOTE])
@pytest.mark.parametrize("changed", ["", kept.CHANGED])
@pytest.mark.parametrize("fault", ["gone", "empty", "cut", "altered", "folder", "null"])
def test_columns_that_are_not_as_they_were_written_are_made_again(
    own: Path, ending: str, changed: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LARGEST_CHANGE", 9.0)
    check(own)
    write(own, "b", "one", 0.5)
    check(own)
    path = own.parent / "kept" / f"rows{changed}{ending}"
    data = path.read_bytes()
    path.unlink()
    if fault == "folder":
        path.mkdir()
    elif fault != "gone":
        middle = len(data) // 2
        altered = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        texts = {"empty": b"", "cut": data[:middle], "altered": altered, "null": b"null"}
        path.write_bytes(texts[fault])
    check(own)
    check(own)


def test_a_note_about_other_rows_does_not_count(own: Path) -> None:
    check(own)
    path = own.parent / "kept" / f"rows{kept.NOTE}"
    note: dict[str, Any] = json.loads(path.read_text("utf-8"))
    (key, _, size), groups = note["groups"]["arousal/a"], note["groups"]
    for entry in (["", 0, size], [key, 1, size], [key, 0, 1]):
        path.write_text(json.dumps({**note, "groups": {**groups, "arousal/a": entry}}))
        check(own)


def test_other_code_reads_the_files_again(
    own: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = own.parent / "kept" / "rows"
    kept.read_all(own, place)
    parsed.clear()
    monkeypatch.setattr(kept.closure, "code_of", lambda *starts: "other")
    kept.read_all(own, place)
    assert len(parsed) == 6


def test_rows_of_another_model_stay_where_they_are(own: Path) -> None:
    write(own, "a", "one", 0.5, owner="b")
    check(own)
    write(own, "b", "one", 0.75)
    check(own)


def test_a_file_that_is_no_result_file_is_named(own: Path) -> None:
    check(own)
    (own / "arousal" / "b" / "one.csv").write_text("no,result\n1,2\n")
    with pytest.raises(DataError, match=r"b/one\.csv: not a result file") as caught:
        check(own)
    again = "python build.py run --model b --target arousal"
    assert str(caught.value).endswith(
        f". Compute it again with '{again}', or delete {own}/arousal/b"
    )


def test_a_table_is_made_once_for_a_key(tmp_path: Path) -> None:
    calls = []

    def make() -> pd.DataFrame:
        calls.append(1)
        return pd.DataFrame({"a": ["x", ""], "b": [1.5, float("nan")]})

    tables_made = [kept.kept(tmp_path / "x", key, make) for key in ("1", "1", "2")]
    assert len(calls) == 2
    assert all(table.equals(make()) for table in tables_made)


def test_a_file_that_changes_after_it_was_hashed_is_kept_as_what_it_is(own: Path) -> None:
    hashes, place = dict(contents(own)), own.parent / "kept" / "rows"
    before = (own / "arousal" / "a" / "one.csv").read_text("utf-8")
    write(own, "a", "one", 0.25)
    assert 0.25 in kept.read_all(own, place, hashes)["value"].tolist()
    files.write_text(own / "arousal" / "a" / "one.csv", before)
    assert kept.read_all(own, place, hashes).equals(results.read_all(own))


def test_pieces_that_changes_leave_are_copied_together_when_they_are_many(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces: list[int] = []
    frame = kept._frame
    monkeypatch.setattr(kept, "_frame", lambda t: pieces.append(t.column(0).num_chunks) or frame(t))
    monkeypatch.setattr(kept, "MOST_PIECES", 3)
    check(own)
    write(own, "b", "one", 7.0, 8.0, 9.0)
    check(own)
    write(own, "aa", "one", 1.0)
    check(own)
    write(own, "c", "one", 2.0)
    check(own)
    check(own)
    assert pieces == [1, 3, 1, 1, 1]
