"""Folders with a CSV table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.core.errors import AudioError, DataError, DatasetUnavailable
from common.samples import audio, datasets

NS = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder ``data`` beside the catalog of the entries, with two short files."""
    root = tmp_path / "data"
    root.mkdir()
    for name in ("a.wav", "b.wav"):
        soundfile.write(root / name, np.zeros(1600), 16000)
    return root


def write(folder: Path, text: str, name: str = "metadata.csv") -> None:
    (folder / name).write_text(text, "utf-8")


@pytest.fixture
def load(entry, folder, targets, tmp_path):
    def load(**content):
        dataset = entry(**{"path": "../data", **content})
        return datasets.load(dataset, tmp_path / "cache", targets)

    return load


def test_files_labels_and_root(load, folder, tmp_path):
    write(folder, "file,mood,energy,speaker\na.wav,good,0.25,01\nb.wav,,NA,None\n")
    samples = load()
    table = samples.table
    assert table["file"].tolist() == ["a.wav", "b.wav"]
    assert table["start"].tolist() == [0, 0] and table["end"].tolist() == [-1, -1]
    assert table["mood"].tolist() == ["good", None]
    np.testing.assert_array_equal(table["energy"], [0.25, np.nan])
    assert table["speaker"].tolist() == ["01", None]
    assert samples.root == folder == datasets.media(samples, ["a.wav"])
    assert samples.cache == tmp_path / "cache"


def test_columns_are_picked_and_renamed(load, folder):
    write(folder, "file,Feeling,other\na.wav,fine,1\nb.wav,bad,2\n")
    samples = load(columns={"mood": "Feeling"}, mapping={"fine": "good"})
    assert list(samples.table) == ["file", "start", "end", "mood"]
    assert samples.table["mood"].tolist() == ["good", "bad"]


def test_times_in_seconds_or_as_audformat_writes_them(load, folder):
    rows = "a.wav,0.05,0.1\na.wav,0 days 00:00:00.01,00:00:00.02\nb.wav,,\nb.wav,0.02,NaT\n"
    write(folder, "file,start,end\n" + rows)
    table = load().table
    assert table["start"].tolist() == [NS // 20, NS // 100, 0, NS // 50]
    assert table["end"].tolist() == [NS // 10, NS // 50, -1, -1]


def test_times_of_long_files_are_exact(load, folder):
    write(folder, "file,start,end\na.wav,2.01,86399.999999999\n")
    table = load().table
    assert table["start"].tolist() == [2_010_000_000]
    assert table["end"].tolist() == [86_399_999_999_999]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_byte_order_mark_quotes_and_blank_lines(load, folder, delimiter):
    lines = ["file,mood", '"a.wav","good"', "", " b.wav , bad "]
    text = "\ufeff" + "\r\n".join(lines).replace(",", delimiter) + "\r\n"
    (folder / "metadata.csv").write_bytes(text.encode())
    assert load().table["mood"].tolist() == ["good", "bad"]


def test_paths_of_windows(load, folder):
    write(folder, "file\nsub\\a.wav\n")
    assert load().table["file"].tolist() == ["sub/a.wav"]


def test_several_tables_and_one_to_join(load, folder):
    write(folder, "file,mood\na.wav,good\n", "train.csv")
    write(folder, "file,mood\nb.wav,bad\n", "test.csv")
    write(folder, "file,who\nb.wav,B\na.wav,A\n", "people.csv")
    columns = {"mood": "mood", "speaker": {"table": "people", "column": "who"}}
    table = load(table=["train", "test.csv"], columns=columns).table
    assert table["mood"].tolist() == ["good", "bad"]
    assert table["speaker"].tolist() == ["A", "B"]


def test_a_table_may_lie_beside_the_catalog_or_be_the_path(load, folder, tmp_path):
    (tmp_path / "catalog").mkdir()
    write(tmp_path / "catalog", "file,mood\na.wav,good\n", "mine.csv")
    assert load(table="mine.csv").root == folder
    write(folder, "file,mood\nb.wav,bad\n", "own.csv")
    samples = load(path="../data/own.csv")
    assert samples.root == folder
    assert samples.table["mood"].tolist() == ["bad"]


def test_a_table_of_many_columns_is_joined_at_once(load, folder):
    """pandas warns of columns that are added one by one, and warnings are errors."""
    names = [f"c{n}" for n in range(300)]
    write(folder, f"file,{','.join(names)}\na.wav,{','.join(names)}\n")
    table = load().table
    assert table.columns.tolist() == ["file", "start", "end", *names]
    assert table.iloc[0].tolist() == ["a.wav", 0, -1, *names]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("File,mood\na.wav,x\n", r"unknown column 'file'\. Did you mean 'File'\?"),
        ("file,mood\n", r"table 'metadata\.csv' has no rows"),
        ("file,mood\na.wav\n", r"line 2: 1 field, expected 2"),
        ("file,mood\na.wav,x\n\nb.wav,x,y\n", r"line 4: 3 fields, expected 2"),
        ("file,mood,mood\na.wav,x,y\n", "column 'mood' appears twice"),
        ("file," * 10_001 + "\n", r"metadata\.csv: 10,002 columns, at most 10,000 are read"),
        ("file,mood\n,x\n", r"line 2: file: missing"),
        ("file,start\na.wav,soon\n", r"line 2: start = 'soon' is no time; expected seconds"),
        # pandas would take it for 50 ns
        (
            'file,start\na.wav,"0,50"\n',
            r"line 2: start = '0,50' is no time; expected seconds, such",
        ),
        ("file,end\na.wav,inf\n", r"line 2: end = 'inf' is no time"),
        ("file\na.wav\nb.wav\na.wav\n", r"row 3 \(a\.wav\): the same segment as row 1"),
        ("file\n/path/to/a.wav\n", "'/path/to/a.wav' must be a path relative to the database"),
        ("file\n../a.wav\n", r"'\.\./a\.wav' leads out of the database"),
        ("file,energy\na.wav,7\n", r"row 1 \(a\.wav\): energy = '7' lies outside \[0, 1\]"),
    ],
)
def test_tables_that_are_no_tables(load, folder, text, message):
    write(folder, text)
    columns = {"energy": "energy"} if "energy" in text else {}
    with pytest.raises(DataError, match=message):
        load(columns=columns)


def test_bytes_that_are_no_text(load, folder):
    (folder / "metadata.csv").write_bytes(b"file,mood\na.wav,\xff\xfe\n")
    with pytest.raises(DataError, match=r"metadata\.csv: is not UTF-8 text"):
        load()


def test_unknown_names_in_the_entry(load, folder):
    write(folder, "file,mood\na.wav,good\n")
    with pytest.raises(DataError, match=r"columns\.mood: unknown column .*Did you mean 'mood'\?"):
        load(columns={"mood": "moods"})
    with pytest.raises(DataError, match=r"columns\.s\.table: unknown table 'metdata\.csv'"):
        load(columns={"s": {"table": "metdata.csv", "column": "mood"}})
    with pytest.raises(DataError, match=r"columns\.s\.map: a CSV file has no schemes"):
        load(columns={"s": {"column": "mood", "map": "sex"}})


def test_missing_audio_is_told_when_it_is_read(load, folder):
    write(folder, "file\na.wav\nno.wav\n")
    samples = load()
    root = datasets.media(samples)
    with pytest.raises(AudioError, match=r"no\.wav: no such file"):
        audio.read(root / "no.wav")


def test_availability(entry, folder, targets, tmp_path):
    cache = tmp_path / "cache"
    missing = entry(path="../no")
    assert datasets.availability(missing, cache) == f"folder {tmp_path / 'no'} does not exist"
    with pytest.raises(DatasetUnavailable, match="does not exist"):
        datasets.load(missing, cache, targets)
    dataset = entry(path="../data")
    assert datasets.availability(dataset, cache).endswith("data holds no metadata.csv")
    write(folder, "file\na.wav\n")
    assert datasets.availability(dataset, cache) == ""
    assert datasets.availability(entry(path="../data", table="no"), cache).endswith("holds no no")


def test_the_fingerprint_changes_with_labels_audio_and_definition(entry, folder, tmp_path):
    def now(**content):
        return datasets.fingerprint(entry(**{"path": "../data", **content}), tmp_path)

    write(folder, "file,mood\na.wav,good\n")
    first = now()
    assert now() == first
    write(folder, "file,mood\na.wav,good\n")
    (folder / "notes.txt").write_text("not part of the data")
    assert now(label="Another name", description="for people") == first
    found = {first}
    for change in (
        {"mapping": {"a": "b"}},
        {"scale": [0, 2]},
        {"version": "2"},
        {"columns": {"mood": "mood"}},
    ):
        found.add(now(**change))
    soundfile.write(folder / "a.wav", np.zeros(1700), 16000)
    found.add(now())
    (folder / "a.wav").unlink()
    found.add(now())
    write(folder, "file,mood\na.wav,bad\n")
    found.add(now())
    (folder / "metadata.csv").write_bytes(b"\xff broken")  # told when it is loaded
    found.add(now())
    assert len(found) == 9


def test_entries_on_the_same_audio_share_its_fingerprint(load, folder):
    write(folder, "file,mood\na.wav,good\nb.wav,bad\n")
    write(folder, "file,mood\nb.wav,bad\na.wav,bad\n", "other.csv")
    one, two = load(), load(table="other.csv")
    assert one.media_fingerprint == two.media_fingerprint
    assert one.fingerprint != two.fingerprint
    soundfile.write(folder / "a.wav", np.zeros(1700), 16000)
    assert load().media_fingerprint != one.media_fingerprint


def test_the_fingerprint_does_not_depend_on_the_place(entry, folder, targets, tmp_path):
    write(folder, "file,mood\na.wav,good\n")
    before = datasets.fingerprint(entry(path="../data"), tmp_path)
    folder.rename(tmp_path / "moved")
    assert datasets.fingerprint(entry(path=str(tmp_path / "moved")), tmp_path) == before
    samples = datasets.load(entry(path="../moved"), tmp_path, targets)
    assert samples.fingerprint == before


def test_declared_columns(entry, folder):
    write(folder, "\ufefffile;start;mood;speaker\na.wav;;x;y\n")
    assert datasets.declared_columns(entry(path="../data")) == ["mood", "speaker"]
    assert datasets.declared_columns(entry(path="../data", columns={"a": "mood"})) == ["a"]
    assert datasets.declared_columns(entry(path="../no")) == []


def test_tables_are_loaded_once_while_entry_and_data_stay(load, entry, folder, targets, tmp_path):
    write(folder, "file,mood\na.wav,good\n")
    assert load().table is not load().table  # only where it is wanted
    with datasets.loading_once():
        first = load()
        with datasets.loading_once():
            assert load().table is first.table
        assert load().table is first.table  # what lies within does not end it
        again = datasets.load(
            entry(path="../data"), tmp_path / "cache", dict(targets), download=True
        )
        assert again.table is first.table and again.download and not first.download
        other = datasets.load(entry(path="../data", id="other"), tmp_path / "cache", targets)
        assert other.dataset.id == "other" and other.table is not first.table
        renamed = load(mapping={"good": "bad"})
        assert renamed.table["mood"].tolist() == ["bad"]
        elsewhere = datasets.load(entry(path="../data"), tmp_path / "another", targets)
        assert elsewhere.cache == tmp_path / "another"
        fewer = datasets.load(
            entry(path="../data"), tmp_path / "cache", {"energy": targets["energy"]}
        )
        assert fewer.table is not load().table
        write(folder, "file,mood\na.wav,good\nb.wav,bad\n")
        assert load().table["mood"].tolist() == ["good", "bad"]
        (folder / "metadata.csv").unlink()
        with pytest.raises(DatasetUnavailable):
            load()
    write(folder, "file,mood\na.wav,good\n")
    assert load().table is not load().table


def test_tables_are_forgotten_after_an_error(load, folder):
    write(folder, "file,mood\na.wav,good\n")
    with pytest.raises(RuntimeError), datasets.loading_once():
        load()
        raise RuntimeError
    assert load().table is not load().table
