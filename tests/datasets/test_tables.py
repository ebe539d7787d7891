"""Joins, mapping, scaling and validation, on tables in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from common.core.errors import ConfigError, DataError
from common.samples import entries
from common.samples.tables import objects, sample_table, text

NS = 1_000_000_000


class Memory:
    """Tables from dictionaries: table -> columns, rows of keys are (file, start s, end s)."""

    def __init__(self, **tables: dict[str, Any]):
        self.tables = tables

    def names(self) -> list[str]:
        return [name for name in self.tables if name != "people"]

    def unusable(self) -> dict[str, str]:
        return {"people": "has no files"}

    def columns(self, table: str) -> list[str]:
        return [name for name in self.tables[table] if name != "keys"]

    def keys(self, table: str) -> pd.DataFrame:
        rows = [(k, 0, -1) if isinstance(k, str) else k for k in self.tables[table]["keys"]]
        files, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
        return pd.DataFrame(
            {
                "file": np.array(files, dtype=object),
                "start": np.array([round(s * NS) for s in starts], dtype=np.int64),
                "end": np.array([-1 if e < 0 else round(e * NS) for e in ends], dtype=np.int64),
            }
        )

    def is_segmented(self, table: str) -> bool:
        return any(not isinstance(key, str) for key in self.tables[table]["keys"])

    def values(self, table: str, column: str) -> np.ndarray:
        return objects(pd.Series(self.tables[table][column], dtype=object))

    def mapped(self, table: str, column: str, key: str, place: str) -> np.ndarray:
        return np.array([f"{value}/{key}" for value in self.values(table, column)], dtype=object)


WORDS = [("a.wav", 0, 1), ("a.wav", 1, 2), ("b.wav", 0, 1.5)]


def test_order_keys_and_types(entry, targets):
    tables = Memory(
        words={
            "keys": WORDS,
            "m": ["good", None, "odd"],
            "e": [0.5, np.nan, 1],
            "s": [1, 2.0, "03 "],
        }
    )
    dataset = entry(path="x", table="words", columns={"s": "s", "mood": "m", "energy": "e"})
    table = sample_table(dataset, tables, targets)
    assert list(table) == ["file", "start", "end", "s", "mood", "energy"]
    assert isinstance(table.index, pd.RangeIndex)
    assert table["start"].dtype == table["end"].dtype == np.int64
    assert table["end"].tolist() == [NS, 2 * NS, 3 * NS // 2]
    assert table["mood"].dtype == table["s"].dtype == object
    assert table["mood"].tolist() == ["good", None, "odd"]
    assert table["s"].tolist() == ["1", "2", "03"]
    assert table["energy"].dtype == np.float64
    np.testing.assert_array_equal(table["energy"], [0.5, np.nan, 1])


def test_a_column_of_missing_values_is_a_column_of_none(entry, targets):
    tables = Memory(words={"keys": WORDS, "m": [None] * 3, "e": [None] * 3})
    table = sample_table(entry(path="x", table="words"), tables, targets)
    assert table["m"].tolist() == [None] * 3
    dataset = entry(path="x", table="words", columns={"energy": "e"})
    assert sample_table(dataset, tables, targets)["energy"].isna().all()


def test_all_columns_are_taken_if_none_is_declared(entry, targets):
    tables = Memory(
        one={"keys": ["a.wav"], "m": ["x"], "n": ["y"]}, two={"keys": ["b.wav"], "n": ["z"]}
    )
    table = sample_table(entry(path="x", table=["one", "two"]), tables, targets)
    assert list(table) == ["file", "start", "end", "n"]
    assert table["n"].tolist() == ["y", "z"]


def test_another_table_is_joined_by_segment_or_by_file(entry, targets):
    tables = Memory(
        words={"keys": WORDS},
        turns={"keys": [WORDS[2], ("c.wav", 0, 1), WORDS[0]], "who": ["x", "y", "z"]},
        files={"keys": ["b.wav", "a.wav"], "place": ["B", "A"]},
    )
    columns = {
        "who": {"table": "turns", "column": "who"},
        "place": {"table": "files", "column": "place"},
        "hair": {"table": "files", "column": "place", "map": "hair"},
    }
    table = sample_table(entry(path="x", table="words", columns=columns), tables, targets)
    assert table["who"].tolist() == ["z", None, "x"]
    assert table["place"].tolist() == ["A", "A", "B"]
    assert table["hair"].tolist() == ["A/hair", "A/hair", "B/hair"]


def test_tables_are_put_together_in_their_order(entry, targets):
    tables = Memory(
        train={"keys": WORDS[:2], "m": ["x", "y"]}, test={"keys": WORDS[2:], "m": ["z"]}
    )
    columns = {"m": "m", "part": {"by_table": {"train": "1", "test": "2"}}, "all": {"value": "v"}}
    table = sample_table(entry(path="x", table=["test", "train"], columns=columns), tables, targets)
    assert table["m"].tolist() == ["z", "x", "y"]
    assert table["part"].tolist() == ["2", "1", "1"]
    assert table["all"].tolist() == ["v"] * 3


def test_an_alternative_is_taken_if_the_first_place_is_missing(entry, targets):
    speaker = {"column": "s", "otherwise": {"table": "files", "column": "who"}}
    dataset = entry(path="x", table="words", columns={"speaker": speaker})
    words = {"keys": WORDS}
    files = {"keys": ["a.wav", "b.wav"], "who": ["A", "B"]}
    there = Memory(words={**words, "s": ["1", "2", "3"]}, files=files)
    assert sample_table(dataset, there, targets)["speaker"].tolist() == ["1", "2", "3"]
    other = Memory(words=words, files=files)
    assert sample_table(dataset, other, targets)["speaker"].tolist() == ["A", "A", "B"]
    neither = Memory(words=words, files={"keys": ["a.wav"]})
    with pytest.raises(DataError, match=r"columns\.speaker\.otherwise: unknown column .* 'who'"):
        sample_table(dataset, neither, targets)


def test_an_optional_column_may_be_nowhere(entry, targets):
    last = {"table": "files", "column": "who", "optional": True}
    dataset = entry(
        path="x", table="words", columns={"speaker": {"column": "s", "otherwise": last}}
    )
    words = {"keys": WORDS}
    found = Memory(words=words, files={"keys": ["a.wav", "b.wav"], "who": ["A", "B"]})
    assert sample_table(dataset, found, targets)["speaker"].tolist() == ["A", "A", "B"]
    for tables in (Memory(words=words, files={"keys": ["a.wav"]}), Memory(words=words)):
        assert sample_table(dataset, tables, targets)["speaker"].isna().all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"table": "wrds"}, r"\.table: unknown table 'wrds'\. Did you mean 'words'\?"),
        ({"table": "people"}, r"\.table: table 'people' has no files"),
        (
            {"table": "words", "columns": {"mood": "moot"}},
            r"columns\.mood: unknown column of table 'words' 'moot'\. Did you mean 'mood'\?",
        ),
        (
            {"table": "words", "columns": {"who": {"table": "flies", "column": "who"}}},
            r"columns\.who\.table: unknown table 'flies'\. Did you mean 'files'\?",
        ),
        (
            {"table": "words", "columns": {"who": {"table": "other", "column": "who"}}},
            r"columns\.who: table 'other' has none of the files of 'words'",
        ),
        (
            {"table": "words", "columns": {"who": {"table": "twice", "column": "who"}}},
            r"columns\.who: table 'twice' has several rows for 'a\.wav'",
        ),
        ({"table": "none"}, r"\.table: table 'none' has no rows"),
        (
            {"table": ["words", "again"]},
            r"row 4 \(a\.wav from 1 s\): the same segment as row 2$",
        ),
    ],
)
def test_what_the_data_do_not_have(entry, targets, content, message):
    tables = Memory(
        words={"keys": WORDS, "mood": ["good"] * 3},
        again={"keys": [WORDS[1]], "mood": ["good"]},
        files={"keys": ["a.wav"], "who": ["A"]},
        other={"keys": ["c.wav"], "who": ["C"]},
        twice={"keys": ["a.wav", "a.wav"], "who": ["A", "B"]},
        none={"keys": [], "mood": []},
        people={"keys": []},
    )
    with pytest.raises(DataError, match=r"datasets\.yaml: mine.*" + message):
        sample_table(entry(path="x", **content), tables, targets)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("/path/to/a.wav", "must be a path relative to the database"),
        (r"\data\a.wav", "must be a path relative to the database"),
        ("C:/a.wav", "must be a path relative to the database"),
        ("", "must be a path relative to the database"),
        ("a\0.wav", r"'a\\u0000\.wav' must be a path relative to the database"),
        ("x/../../a.wav", "leads out of the database"),
        ("..", "leads out of the database"),
        (("a.wav", -1, 1), r"row 2 \(a\.wav from -1 s\): start -1 s, end 1 s is no segment"),
        (("a.wav", 2, 1), "start 2 s, end 1 s is no segment"),
    ],
)
def test_impossible_files_and_segments(entry, targets, key, message):
    tables = Memory(words={"keys": [("ok..wav", 0, 1), key]})
    with pytest.raises(DataError, match=message):
        sample_table(entry(path="x", table="words"), tables, targets)


@pytest.mark.parametrize("scale", [[1, 5], {"energy": [1, 5]}])
def test_numbers_are_scaled_to_the_range_of_the_target(entry, targets, scale):
    tables = Memory(words={"keys": WORDS, "energy": ["1", 3, None], "other": [1, 9, 3]})
    table = sample_table(entry(path="x", table="words", scale=scale), tables, targets)
    np.testing.assert_array_equal(table["energy"], [0, 0.5, np.nan])
    assert table["other"].tolist() == ["1", "9", "3"]
    wide = {"energy": targets["energy"].model_copy(update={"range": (-1, 1)})}
    table = sample_table(entry(path="x", table="words", scale=scale), tables, wide)
    np.testing.assert_array_equal(table["energy"], [-1, 0, np.nan])


@pytest.mark.parametrize(
    ("value", "scale", "message"),
    [
        (1.5, None, r"row 2 \(a\.wav from 1 s\): energy = 1\.5 lies outside \[0, 1\]; 'scale"),
        (-0.1, None, r"energy = -0\.1 lies outside \[0, 1\]"),
        (float("inf"), None, r"energy = inf lies outside \[0, 1\]"),
        (5.5, [1, 5], r"energy = 5\.5 lies outside \[1, 5\]"),
        (0.5, [1, 5], r"energy = 0\.5 lies outside \[1, 5\]"),
        ("high", None, r"energy = 'high' is no number"),
        ("0,5", None, r"energy = '0,5' is no number"),
    ],
)
def test_numbers_outside_the_range_are_refused_with_their_row(
    entry, targets, value, scale, message
):
    tables = Memory(words={"keys": WORDS, "energy": [None, value, 1.0]})
    with pytest.raises(DataError, match=message):
        sample_table(entry(path="x", table="words", scale=scale), tables, targets)


def test_single_precision_at_the_border_is_clipped(entry, targets):
    tables = Memory(words={"keys": WORDS, "energy": [1 + 1e-7, -1e-7, np.float32(0.1)]})
    table = sample_table(entry(path="x", table="words"), tables, targets)
    assert table["energy"].tolist() == [1.0, 0.0, float(np.float32(0.1))]


def test_a_flat_mapping_renames_labels_of_classification_targets_only(entry, targets):
    tables = Memory(words={"keys": WORDS, "mood": ["fine", "x", None], "s": ["fine", "x", "y"]})
    dataset = entry(path="x", table="words", mapping={"fine": "good", "x": None})
    table = sample_table(dataset, tables, targets)
    assert table["mood"].tolist() == ["good", None, None]
    assert table["s"].tolist() == ["fine", "x", "y"]


def test_a_mapping_per_column_renames_any_column(entry, targets):
    tables = Memory(words={"keys": WORDS, "mood": ["1", "2", "2"], "sex": [1, 2, 9]})
    mapping = {"mood": {"1": "good"}, "sex": {"1": "female", "2": "male"}}
    columns = {"mood": "mood", "sex": "sex"}
    dataset = entry(path="x", table="words", columns=columns, mapping=mapping)
    table = sample_table(dataset, tables, targets)
    assert table["mood"].tolist() == ["good", "2", "2"]
    assert table["sex"].tolist() == ["female", "male", "9"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"columns": {"a": {}}}, r"columns\.a: needs one of: column, value, by_table"),
        ({"columns": {"a": {"column": "a", "value": 1}}}, r"columns\.a: needs one of"),
        ({"columns": {"a": {"column": "start"}}}, r"columns\.a: 'start' is a key"),
        ({"columns": {"file": "a"}}, r"columns\.file: reserved name"),
        (
            {"columns": {"a": {"column": "a", "otherwise": {}}}},
            r"columns\.a\.otherwise: needs one of",
        ),
        (
            {"columns": {"a": {"by_table": {"words": "w"}}}},
            r"columns\.a\.by_table: needs a value for each of: words, turns; found: words",
        ),
        ({"scale": [5, 1]}, r"scale: expected \[min, max\], found \[5, 1\]"),
        ({"scale": [1, 2, 3]}, r"scale: expected \[min, max\]"),
        ({"scale": "1-5"}, r"scale: expected \[min, max\], found '1-5'"),
        ({"scale": [0, True]}, r"scale: expected \[min, max\]"),
        ({"scale": []}, r"scale: expected \[min, max\], found \[\]"),
        (
            {"columns": {"energy": "e"}, "scale": {"enrgy": [1, 5]}},
            r"scale: unknown column 'enrgy'\. Did you mean 'energy'\?",
        ),
        (
            {"columns": {"energy": "e"}, "scale": {"energy": 5}},
            r"scale\.energy: expected \[min, max\]",
        ),
        (
            {"columns": {"mood": "m"}, "mapping": {"moot": {"a": "b"}}},
            r"mapping: unknown column 'moot'\. Did you mean 'mood'\?",
        ),
        ({"mapping": {"mood": {"a": "b"}, "c": "d"}}, "mapping: either labels or columns"),
        ({"mapping": {"a": 1}}, r"mapping\.a: expected a label in quotes or null, found 1"),
        ({"path": ""}, r"path: missing; adapter folder needs it"),
        ({"adapter": "audformat", "table": ""}, r"table: missing"),
        ({"adapter": "audb", "table": []}, r"table: missing"),
    ],
)
def test_entries_that_are_wrong_in_themselves(entry, content, message):
    dataset = entry(**{"path": "x", "table": ["words", "turns"], **content})
    with pytest.raises(ConfigError, match=r"datasets\.yaml: mine\." + message):
        entries.check(dataset)


def test_tables_that_an_entry_needs(entry):
    columns = {
        "a": {"table": "files", "column": "a"},
        "b": {"column": "b", "otherwise": {"table": "turns", "column": "b"}},
        "c": {"table": "files", "column": "c"},
    }
    dataset = entry(path="x", table=["test", "train"], columns=columns)
    assert entries.needed(dataset) == ["test", "train", "files", "turns"]


def test_text_of_labels():
    assert [text(v) for v in (3, 3.0, 3.5, " a ", "  ", True)] == [
        "3",
        "3",
        "3.5",
        "a",
        None,
        "True",
    ]


def test_missing_values_of_all_types_become_none():
    for values in (
        pd.Series([pd.NA, "a"], dtype="string"),
        pd.Series([pd.NA, 1], dtype="Int64"),
        pd.Series([pd.NaT, pd.Timedelta(1)]),
        pd.Series([None, "a"], dtype="category"),
        pd.Series([np.nan, 1.0]),
    ):
        found = objects(values)
        assert found[0] is None and found[1] is not None


def test_the_input_is_not_changed_and_large_tables_are_fine(entry, targets):
    rows = [(f"{n % 1000}.wav", n, n + 1) for n in range(20_000)]
    tables = Memory(
        words={"keys": rows, "mood": ["good", "bad"] * 10_000},
        files={"keys": [f"{n}.wav" for n in range(1000)], "who": list(range(1000))},
    )
    columns = {"mood": "mood", "speaker": {"table": "files", "column": "who"}}
    table = sample_table(entry(path="x", table="words", columns=columns), tables, targets)
    assert table["speaker"].tolist() == [str(n % 1000) for n in range(20_000)]
    assert tables.tables["words"]["mood"][:2] == ["good", "bad"]
