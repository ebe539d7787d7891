"""Folders in audformat."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import audformat
import numpy as np
import pandas as pd
import pytest
import soundfile

from common.core.errors import DataError, DatasetUnavailable
from common.samples import datasets
from common.samples.event_lists import read_audformat
from common.samples.event_lists.databases import open_database

pytestmark = [  # raised inside of audformat
    pytest.mark.filterwarnings("ignore:The inplace keyword in:pandas.errors.Pandas4Warning"),
    pytest.mark.filterwarnings("ignore:The 'float_precision' arg:pandas.errors.Pandas4Warning"),
]
NS = 1_000_000_000


@pytest.fixture(params=["csv", "parquet", "with pickles"])
def folder(tmp_path: Path, database, request: pytest.FixtureRequest) -> Path:
    """The database, stored in each of the formats of audformat."""
    root = tmp_path / "data"
    if request.param == "with pickles":
        made = database()
        made.save(str(root), storage_format="parquet")
        for name in ("files", "people", "words"):  # older than the table, as after a plain copy
            (root / f"db.{name}.pkl").write_bytes(b"code")
            os.utime(root / f"db.{name}.pkl", ns=(1, 1))
    else:
        database().save(str(root), storage_format=request.param)
    for name in ("a.wav", "b.wav"):
        soundfile.write(root / name, np.zeros(1600), 16000)
    return root


@pytest.fixture
def load(entry, targets, tmp_path):
    def load(**content):
        content = {"path": "../data", "adapter": "audformat", "table": "words", **content}
        return datasets.load(entry(**content), tmp_path / "cache", targets)

    return load


def test_segments_labels_and_joins(load, folder, db_columns):
    samples = load(columns=db_columns, mapping={"fine": "good"})
    table = samples.table
    assert table["file"].tolist() == ["a.wav", "a.wav"]
    assert table["start"].tolist() == [0, NS // 20]
    assert table["end"].tolist() == [NS // 20, -1]
    assert table["mood"].tolist() == ["good", None]
    np.testing.assert_array_equal(table["energy"], [0.25, np.nan])
    assert table["speaker"].tolist() == ["2", "2"]
    assert table["sex"].tolist() == ["male", "male"]
    assert table["floor"].tolist() == ["wood", "wood"]
    assert samples.root == folder == datasets.media(samples)


def test_whole_files_and_values_that_are_not_there(load, folder, db_columns):
    table = load(table="files", columns={k: db_columns[k] for k in ("sex", "floor")}).table
    assert table["start"].tolist() == [0, 0] and table["end"].tolist() == [-1, -1]
    assert table["sex"].tolist() == ["male", None]
    assert table["floor"].tolist() == ["wood", None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"table": "wrds"}, r"\.table: unknown table 'wrds'\. Did you mean 'words'\?"),
        ({"table": "people"}, r"table 'people' has no files; name a column whose scheme"),
        ({"columns": {"m": "moood"}}, r"columns\.m: unknown column .* Did you mean 'mood'\?"),
        (
            {"columns": {"s": {"table": "files", "column": "person", "map": "sx"}}},
            r"columns\.s\.map: unknown column of table 'people' 'sx'\. Did you mean 'sex'\?",
        ),
        (
            {"columns": {"s": {"table": "files", "column": "room", "map": "flor"}}},
            r"columns\.s\.map: unknown key of the labels of scheme 'room' 'flor'\. .*'floor'\?",
        ),
        (
            {"columns": {"s": {"column": "mood", "map": "sex"}}},
            r"columns\.s\.map: unknown key of the labels of scheme 'mood' 'sex'\. Known: none",
        ),
        (
            {"columns": {"s": {"table": "files", "column": "note", "map": "sex"}}},
            r"columns\.s\.map: column 'note' of table 'files' has no scheme",
        ),
    ],
)
def test_what_the_database_does_not_have(load, tmp_path, database, content, message):
    database().save(str(tmp_path / "data"))
    with pytest.raises(DataError, match=r"datasets\.yaml: mine.*" + message):
        load(**content)


def test_broken_files(load, tmp_path, database):
    root = tmp_path / "data"
    with pytest.raises(DatasetUnavailable, match="does not exist"):
        load()
    root.mkdir()
    with pytest.raises(DatasetUnavailable, match=r"holds no db\.yaml"):
        load()
    database().save(str(root), storage_format="csv")
    (root / "db.words.csv").write_text("nonsense")
    with pytest.raises(DataError, match=r"mine: table 'words': cannot be read"):
        load()
    (root / "db.words.csv").unlink()
    with pytest.raises(DataError, match=r"mine: table 'words': cannot be read"):
        load()
    (root / "db.yaml").write_text("name: [")
    with pytest.raises(DataError, match=r"db\.yaml, line 2, column 1: not valid YAML"):
        load()
    (root / "db.yaml").write_text("just text")
    with pytest.raises(DataError, match=r"db\.yaml: cannot be read"):
        load()


def test_absolute_paths_are_refused(load, tmp_path, database):
    root = tmp_path / "data"
    db = database()
    db["far"] = audformat.Table(audformat.filewise_index(["/path/to/a.wav"]))
    db.save(str(root))
    with pytest.raises(DataError, match="must be a path relative to the database"):
        load(table="far", columns={"all": {"value": "x"}})


def test_declared_columns(entry, folder):
    assert datasets.declared_columns(
        entry(path="../data", adapter="audformat", table=["words", "files"])
    ) == ["mood"]
    assert datasets.declared_columns(entry(path="../data", adapter="audformat", table="words")) == [
        "mood",
        "energy",
    ]


def test_the_fingerprint_changes_with_labels_and_audio(entry, folder, tmp_path):
    def now(**content):
        content = {"path": "../data", "adapter": "audformat", "table": "files", **content}
        return datasets.fingerprint(entry(**content), tmp_path)

    first = now()
    assert now() == first
    (folder / "README.md").write_text("not part of the data")
    assert now() == first
    found = {first, now(table="words"), now(mapping={"a": "b"})}
    soundfile.write(folder / "b.wav", np.zeros(1700), 16000)
    found.add(now())
    stored = next(folder.glob("db.files.*"))
    stored.write_bytes(stored.read_bytes() + b"\n")
    found.add(now())
    assert len(found) == 5


def test_fingerprint_of_samples_is_the_cheap_one(load, entry, folder, tmp_path):
    samples = load(table="files")
    content = {"path": "../data", "adapter": "audformat", "table": "files"}
    assert samples.fingerprint == datasets.fingerprint(entry(**content), tmp_path)
    before = samples.media_fingerprint
    soundfile.write(folder / "b.wav", np.zeros(1700), 16000)
    assert load(table="files").media_fingerprint != before


class Code:
    """Leaves a mark when its pickle is loaded."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("younger", [True, False])
def test_pickles_are_not_loaded(tmp_path, database, younger) -> None:
    """audformat prefers them to the tables beside them."""
    root, mark = tmp_path / "data", tmp_path / "mark"
    database().save(str(root), storage_format="csv")
    expected = open_database(root)["words"].df
    path = root / "db.words.pkl"
    path.write_bytes(pickle.dumps(Code(mark)))
    time_ns = 10**18 * 3 if younger else 1
    os.utime(path, ns=(time_ns, time_ns))
    pd.testing.assert_frame_equal(open_database(root)["words"].df, expected)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["sub/evil", "..\\\\evil"])
def test_a_table_in_another_folder_is_refused(load, tmp_path, database, name) -> None:
    """Its pickle would lie where nobody looks for pickles."""
    root, mark = tmp_path / "data", tmp_path / "mark"
    database().save(str(root), storage_format="csv")
    header = root / "db.yaml"
    header.write_text(header.read_text().replace("  words:\n", f'  "{name}":\n'))
    (root / "db.sub").mkdir()
    (root / "db.sub" / "evil.pkl").write_bytes(pickle.dumps(Code(mark)))
    with pytest.raises(DataError, match=r"db.yaml: tables: '.*evil': a name of a table holds no"):
        load(table=name)
    with pytest.raises(DataError, match="a name of a table holds no slash or backslash"):
        read_audformat(root, "sub/evil")
    assert not mark.exists()


def test_a_pickle_alone_is_refused(load, tmp_path, database) -> None:
    database().save(str(tmp_path / "data"), storage_format="pkl")
    with pytest.raises(DataError, match=r"db\.\w+\.pkl: a table .* pickle is not read.*'csv'"):
        load()
    with pytest.raises(DataError, match="a pickle is not read"):
        read_audformat(tmp_path / "data", "words")


def test_a_header_that_is_too_deep(load, tmp_path, database) -> None:
    database().save(str(tmp_path / "data"), storage_format="csv")
    (tmp_path / "data" / "db.yaml").write_text("[" * 100_000)
    with pytest.raises(DataError, match=r"db\.yaml, line 1, .*more than 64 lists"):
        load()
