"""Event tables, pandas tables, durations, checks."""

from __future__ import annotations

import sys
from pathlib import Path

import audformat
import numpy as np
import pandas as pd
import pytest
import soundfile

from common.core.errors import AudioError, ConfigError, DataError, MissingDependency
from common.samples.event_lists import (
    EventTable,
    check_events,
    durations_of_audio,
    from_audformat,
    from_frame,
    read_audformat,
    read_durations,
    read_events,
)
from common.samples.event_lists import durations as durations_module

NAN = float("nan")
COLUMNS = ["filename", "onset", "offset", "event_label"]


def table(*events: tuple) -> EventTable:
    return from_frame(pd.DataFrame(list(events), columns=COLUMNS), "list")


def test_names_become_codes() -> None:
    found = table(
        ("b", 0, 1, "dog"), ("c", 0, 1, "dog"), ("a", None, None, None), ("a", 1, 2, "ant")
    )
    events, rows = found.encode(["a", "b"], ["dog"])
    assert events.file.tolist() == [1, 0]
    assert events.label.tolist() == [0, 1]
    assert rows.tolist() == [0, 3]
    assert found.files == ("b", "c", "a")
    assert found.labels == ("ant", "dog")


def test_names_for_rows_without() -> None:
    found = EventTable.of([None], [0.0], [1.0], [None], [4], "list")
    with pytest.raises(DataError, match="list: row 4: the event has no recording"):
        found.encode(["a"], ["dog"])
    with pytest.raises(DataError, match=r"list: row 4 \(file 'a'\): the event has no label"):
        found.named(file="a").encode(["a"], ["dog"])
    events, _ = found.named(file="a", label="dog").encode(["a"], ["dog"])
    assert len(events) == 1


def test_nothing_to_join() -> None:
    assert len(EventTable.concatenate([])) == 0


def test_frame_of_detections() -> None:
    frame = pd.DataFrame(
        {"event_label": ["dog", None, 3.0], "offset": [1, NAN, 2], "onset": ["0.5", None, 1]}
    )
    frame["filename"] = ["d\\a.wav", "b.wav", "b.wav"]
    assert from_frame(frame).rows() == [
        ("d/a.wav", 0.5, 1.0, "dog"),
        ("b.wav", None, None, None),
        ("b.wav", 1.0, 2.0, "3"),
    ]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([("a", 0, 1)], "list: is no table but of type list"),
        (pd.DataFrame({"filename": [], "onset": []}), "no column for file, label, offset, onset"),
        (pd.DataFrame([("a", "x", 1, "l")], columns=COLUMNS), "row 1: onset 'x' is no time"),
        (pd.DataFrame([("a", 2, 1, "l")], columns=COLUMNS), r"row 1 \(file 'a'\): has its onset"),
    ],
)
def test_frames_that_are_no_list(frame, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_frame(frame, "list")


def test_parquet(tmp_path) -> None:
    frame = pd.DataFrame([("a", 0.0, 1.0, "dog")], columns=COLUMNS)
    frame.to_parquet(tmp_path / "list.parquet")
    assert read_events(tmp_path / "list.parquet").rows() == [("a", 0.0, 1.0, "dog")]
    (tmp_path / "broken.parquet").write_text("no parquet")
    with pytest.raises(DataError, match=r"broken.parquet: cannot be read"):
        read_events(tmp_path / "broken.parquet")


def test_parquet_without_its_reader(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match=r"parquet needs pyarrow. Install it with"):
        read_events(tmp_path / "list.parquet")


def _segments() -> pd.DataFrame:
    index = audformat.segmented_index(
        ["a.wav", "a.wav", "b.wav"], ["0.5s", "2s", "0s"], ["1.5s", pd.NaT, pd.NaT]
    )
    return pd.DataFrame({"event": ["dog", "cat", None]}, index=index)


def test_audformat_tables() -> None:
    found = from_audformat(_segments(), durations={"a.wav": 10.0})
    assert found.rows() == [
        ("a.wav", 0.5, 1.5, "dog"),
        ("a.wav", 2.0, 10.0, "cat"),
        ("b.wav", None, None, None),
    ]
    files = pd.Series(["dog"], index=audformat.filewise_index(["a.wav"]), name="event")
    assert from_audformat(files, durations={"a.wav": 3.0}).rows() == [("a.wav", 0.0, 3.0, "dog")]


@pytest.mark.parametrize(
    ("frame", "column", "message"),
    [
        (_segments(), None, "row 2: the segment ends with 'a.wav', whose duration is not known"),
        (_segments(), "evnt", r"unknown column 'evnt'. Did you mean 'event'"),
        (_segments().assign(more=1), None, "name one of its columns: event, more"),
        (pd.DataFrame({"event": ["dog"]}), None, "has no index 'file'"),
    ],
)
def test_audformat_tables_that_are_no_list(frame, column, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_audformat(frame, column, source="db")


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of audformat, on pandas 3.1
def test_audformat_database(tmp_path) -> None:
    database = audformat.Database("mini")
    database.schemes["event"] = audformat.Scheme(labels=["cat", "dog"])
    frame = _segments()
    database["events"] = audformat.Table(frame.index)
    database["events"]["event"] = audformat.Column(scheme_id="event")
    database["events"]["event"].set(frame["event"].tolist())
    database.save(str(tmp_path))
    found = read_audformat(tmp_path, "events", durations={"a.wav": 10.0})
    assert found.rows()[1] == ("a.wav", 2.0, 10.0, "cat")
    with pytest.raises(DataError, match=r"unknown table 'event'. Did you mean 'events'"):
        read_audformat(tmp_path, "event")
    with pytest.raises(DataError, match="holds no audformat database"):
        read_audformat(tmp_path / "none", "events")
    assert found.place(1) == f"{tmp_path}, table 'events': row 2 (file 'a.wav')"


def test_jams_needs_its_library(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jams", None)
    with pytest.raises(MissingDependency, match=r"a.jams: needs jams. Install it with: pip"):
        read_events(tmp_path / "a.jams")


def test_audformat_needs_its_library(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "audformat", None)
    with pytest.raises(MissingDependency, match="needs audformat"):
        read_audformat(tmp_path, "events")


@pytest.mark.parametrize(
    "text",
    [
        "filename\tduration\na.wav\t10.0\nb.wav\t5\n",
        "duration;filename\n10.0;a.wav\n5;b.wav\n",
        "a.wav,10.0\nb.wav,5\n",
        "a.wav 10.0\nb.wav 5\n",
    ],
)
def test_durations(tmp_path, text: str) -> None:
    path = tmp_path / "meta.csv"
    path.write_text(text)
    assert read_durations(path) == {"a.wav": 10.0, "b.wav": 5.0}


def test_durations_of_parquet(tmp_path) -> None:
    path = tmp_path / "meta.parquet"
    pd.DataFrame({"filename": ["a.wav"], "duration": [10.0]}).to_parquet(path)
    assert read_durations(path) == {"a.wav": 10.0}


def test_a_recording_has_one_duration() -> None:
    frame = pd.DataFrame({"filename": ["a", "a", "a"], "duration": [10.0, 10.0, 9.0]})
    assert durations_module.from_frame(frame[:2], "meta") == {"a": 10.0}
    with pytest.raises(DataError, match=r"meta: row 3: 'a' has two durations: 10 s before, 9 s"):
        durations_module.from_frame(frame, "meta")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "meta.csv: is empty"),
        ("filename,duration\n", "meta.csv: names no recording"),
        ("filename,duration\na.wav,-1\n", r"row 2 \(file 'a.wav'\): duration '-1' is no time"),
        ("filename,duration\na.wav,nan\n", "duration 'nan' is no time in seconds"),
        ("filename,duration\na.wav,ten\n", "duration 'ten' is no time in seconds"),
        ("filename,duration\na.wav\n", "row 2: expected a recording and its duration"),
    ],
)
def test_durations_that_are_none(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "meta.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_durations(path)


def test_durations_without_columns() -> None:
    with pytest.raises(DataError, match=r"no columns filename and duration. Found: file, sr"):
        durations_module.from_frame(pd.DataFrame({"file": ["a"], "sr": [1]}))


def test_durations_of_audio(tmp_path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(4000), 8000)
    assert durations_of_audio(tmp_path, ["a.wav"]) == {"a.wav": 0.5}
    with pytest.raises(AudioError, match=r"b\.wav"):
        durations_of_audio(tmp_path, ["b.wav"])


GOOD = table(("a", 0, 1, "dog"), ("a", 1, 2, "dog"), ("b", 0, 1, "dog"), ("c", None, None, None))


def test_good_lists_pass() -> None:
    check_events(GOOD, files=["a", "b"], labels=["dog"], durations={"a": 2.0, "b": 0.95})


@pytest.mark.parametrize(
    ("events", "options", "message"),
    [
        (GOOD, {"files": ["a", "z"]}, r"list: row 3 \(file 'b'\): unknown recording 'b'"),
        (GOOD, {"labels": ["cat"]}, r"list: row 1 \(file 'a'\): unknown label 'dog'"),
        (GOOD, {"durations": {"a": 2.0}}, r"row 3 \(file 'b'\): unknown duration of 'b'"),
        (
            GOOD,
            {"durations": {"a": 1.8, "b": 1}},
            r"row 2 .*offset 2 s lies beyond the end .*1.8 s",
        ),
        (table(("a", 0, 1, "d"), ("a", 0, 1, "d")), {}, "row 2 .*the same event a second time"),
        (table(("a", 0, 2, "d"), ("a", 1, 3, "d")), {}, r"row 2 .*overlaps row 1 \(0 to 2 s\)"),
    ],
)
def test_lists_that_break_a_rule(events, options, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_events(events, **options)


def test_rules_may_be_lifted() -> None:
    check_events(table(("a", 0, 1, "d"), ("a", 0, 1, "d")), repeated="allow")
    check_events(table(("a", 0, 2, "d"), ("a", 1, 3, "d")), overlap="allow")
    with pytest.raises(ConfigError, match="overlap: 'merge' is neither error nor allow"):
        check_events(GOOD, overlap="merge")


def test_path_of_the_package() -> None:
    assert Path(durations_module.__file__).parent.name == "event_lists"
