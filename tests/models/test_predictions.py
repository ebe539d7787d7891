"""The adapter predictions: tables of predictions that exist already."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common import models
from common.core.errors import ConfigError, ModelError
from common.models.base import Batch, SampleKey

SECOND = 10**9


def key(file, start=0, end=-1, condition="", database="db", version="1.0.0"):
    return SampleKey(database, version, file, start, end, condition)


@pytest.fixture
def table(entry, tmp_path):
    """Writes a CSV file and makes the entry for it."""

    def write(text: str, **fields):
        (tmp_path / "p.csv").write_text(text, "utf-8")
        return entry(adapter="predictions", path="p.csv", **fields)

    return write


def predict(entry, targets, *keys):
    return models.load(entry, targets, seed=0).predict(Batch(list(keys), [], 16000))


def test_numbers_and_class_names(table, targets):
    mine = table("file,arousal,emotion,remark\nx/a.wav,0.25,anger,loud\nx/b.wav,1e-1,sadness,\n")
    assert models.offered_targets(mine, targets) == ("arousal", "emotion")
    model = models.load(mine, targets, seed=0)
    assert (model.targets, model.needs_audio) == (("arousal", "emotion"), False)
    answer = model.predict(Batch([key("x/b.wav"), key("x/a.wav"), key("x/b.wav")], [], 16000))
    assert answer["arousal"].tolist() == [0.1, 0.25, 0.1]
    assert answer["emotion"].argmax(axis=1).tolist() == [3, 0, 3]
    assert answer["emotion"].sum(axis=1).tolist() == [1, 1, 1]


def test_scores_are_found_by_name(table, targets):
    header = "emotion/sadness,emotion/fear,emotion/anger,emotion/neutral,emotion/happiness"
    mine = table(f"{header},file\n1,9,2,3,4,a.wav\n")
    assert predict(mine, targets, key("a.wav"))["emotion"].tolist() == [[2, 4, 3, 1]]


def test_outputs_of_the_entry(table, targets):
    mine = table(
        "file,activation,label,arousal\na.wav,4,joy,9\n",
        outputs={
            "arousal": {"node": "activation", "scale": [1, 7]},
            "emotion": {"node": "label", "mapping": {"joy": "happiness"}},
        },
    )
    answer = predict(mine, targets, key("a.wav"))
    assert answer["arousal"].tolist() == [0.5]
    assert answer["emotion"].tolist() == [[0, 1, 0, 0]]


@pytest.mark.parametrize(
    "text",
    [
        "file,start,end,arousal\na.wav,0.5,1.25,0.1\na.wav,1.25,2.0000005,0.2\n",
        "file,start,end,arousal\na.wav,0 days 00:00:00.5,0 days 00:00:01.250000,0.1\n"
        "a.wav,0 days 00:00:01.25,0 days 00:00:02.000000500,0.2\n",
        "file,start,end,arousal\na.wav,00:00:00.5,00:00:01.25,0.1\na.wav,00:00:01.25,00:00:02,0.2\n",
    ],
)
def test_segments(table, targets, text):
    keys = [
        key("a.wav", 1_250_000_000, 2_000_000_500),
        key("a.wav", 500_000_000, 1_250_000_000),
    ]
    assert predict(table(text), targets, *keys)["arousal"].tolist() == [0.2, 0.1]


def test_empty_times_are_the_borders_of_the_file(table, targets):
    mine = table("file,start,end,arousal\na.wav,,,0.1\nb.wav,1,,0.2\n")
    answer = predict(mine, targets, key("b.wav", SECOND, -1), key("a.wav"))
    assert answer["arousal"].tolist() == [0.2, 0.1]


def test_paths_must_be_the_same(table, targets):
    mine = table("file,arousal\n/data/x/a.wav,0.1\n")
    with pytest.raises(ModelError, match=r"p.csv: no row for 1 of 1 samples; first: x/a.wav$"):
        predict(mine, targets, key("x/a.wav"))


def test_missing_rows_are_counted(table, targets):
    mine = table("file,start,end,arousal\na.wav,0,1.5,0.1\n")
    keys = [key("a.wav"), key("a.wav", 0, 1_500_000_000), key("b.wav")]
    message = (
        r"model 'mine': p.csv: no row for 2 of 3 samples; first: a.wav; "
        r"there is one for a.wav \[0 s, 1.5 s\]"
    )
    with pytest.raises(ModelError, match=message):
        predict(mine, targets, *keys)


def test_whole_file_is_no_segment(table, targets):
    mine = table("file,arousal\na.wav,0.1\n")
    with pytest.raises(
        ModelError, match=r"a.wav \[0 s, 1 s\]; there is one for a.wav \(whole file"
    ):
        predict(mine, targets, key("a.wav", 0, SECOND))


def test_empty_cells(table, targets):
    mine = table("file,arousal,emotion\na.wav,,anger\nb.wav,0.5,\nc.wav,0.5,anger\n")
    assert predict(mine, targets, key("c.wav"))["arousal"].tolist() == [0.5]
    with pytest.raises(ModelError, match=r"no value of 'arousal' for 1 of 2 .* a.wav \(row 2\)"):
        predict(mine, targets, key("c.wav"), key("a.wav"))
    with pytest.raises(ModelError, match=r"no value of 'emotion' for 1 of 1 .* b.wav \(row 3\)"):
        predict(mine, targets, key("b.wav"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "file,arousal\na.wav,1\nb.wav,1\na.wav,1\n",
            "p.csv: rows 2 and 4 are for the same sample: a",
        ),
        (
            "file,arousal\na.wav,1\nb.wav,high\n",
            "row 3: column 'arousal': expected a finite number, found 'high'",
        ),
        (
            "file,arousal\na.wav,inf\n",
            "row 2: column 'arousal': expected a finite number, found 'inf'",
        ),
        (
            "file,emotion\na.wav,angry\n",
            "row 2: column 'emotion': unknown label 'angry'. Did you mean 'anger'",
        ),
        (
            "file,start,end,arousal\na.wav,x,1,1\n",
            "row 2: column 'start': expected seconds or .*, found 'x'",
        ),
        ("", "p.csv is empty"),
        ("file,arousal\n", "p.csv has a header and no rows"),
        (
            "file,start,end,arousal\na.wav,3,2,1\n",
            "row 2: the end, 2 s, is not after the start, 3 s",
        ),
        ("file,start,end,arousal\na.wav,-1,1,1\n", "row 2: column 'start': expected seconds"),
        ("file,start,end,arousal\na.wav,0,1e10,1\n", "row 2: column 'end': expected seconds"),
        ("file;arousal\na.wav;1\n", "has no column 'file', it has: file;arousal. Columns are sep"),
        ("file,arousal\na.wav,1,2\n", "line 2: expected 2 cells, found 3"),
        ("file,arousal,arousal\na.wav,1,2\n", "has the column 'arousal' twice"),
        (
            "file,arousl\na.wav,1\n",
            "no column for any of the targets arousal, .*; columns: file, arousl",
        ),
        (
            "file,emotion/anger,emotion/sad\na.wav,1,1\n",
            "missing happiness, neutral, sadness; the model has: anger, sad",
        ),
    ],
)
def test_faults_in_the_table(table, targets, text, message):
    with pytest.raises(ModelError, match=message) as caught:
        models.load(table(text), targets, seed=0)
    assert str(caught.value).startswith("models.yaml: model 'mine': ")


def test_faults_in_the_entry(entry, table, targets, tmp_path):
    with pytest.raises(ConfigError, match=r"path: missing; the adapter predictions needs a CSV"):
        models.fingerprint(entry(adapter="predictions"))
    with pytest.raises(ModelError, match=r"path: no such file: p.csv"):
        models.fingerprint(entry(adapter="predictions", path="p.csv"))
    (tmp_path / "p.txt").write_text("file,arousal\n")
    with pytest.raises(ModelError, match=r"expected a .csv or .parquet file, found 'p.txt'"):
        models.fingerprint(entry(adapter="predictions", path="p.txt"))
    mine = table("file,activation\na.wav,1\n", outputs={"arousal": {"node": "activaton"}})
    with pytest.raises(ModelError, match=r"unknown column 'activaton'. Did you mean 'activation'"):
        models.load(mine, targets, seed=0)
    (tmp_path / "p.csv").write_bytes(b"file,arousal\n\xff\xfe,1\n")
    with pytest.raises(ModelError, match=r"p.csv is not UTF-8 text"):
        models.load(entry(adapter="predictions", path="p.csv"), targets, seed=0)
    (tmp_path / "p.parquet").write_bytes(b"no parquet")
    with pytest.raises(ModelError, match=r"p.parquet cannot be read: "):
        models.offered_targets(entry(adapter="predictions", path="p.parquet"), targets)


def test_file_of_a_spreadsheet(entry, targets, tmp_path):
    """A byte order mark, Windows line ends and a trailing empty line."""
    (tmp_path / "p.csv").write_bytes("\ufefffile,arousal\r\nä b.wav,0.5\r\n\r\n".encode())
    mine = entry(adapter="predictions", path="p.csv")
    assert predict(mine, targets, key("ä b.wav"))["arousal"].tolist() == [0.5]


def test_datasets(table, targets):
    mine = table(
        "dataset,file,arousal\none,a.wav,0.1\ntwo-2.0.0,a.wav,0.2\ntwo,a.wav,0.3\n,b.wav,0.4\n"
    )
    keys = [
        key("a.wav", database="one"),
        key("a.wav", database="two", version="2.0.0"),
        key("a.wav", database="two", version="3.0.0"),
        key("b.wav", database="three"),
    ]
    assert predict(mine, targets, *keys)["arousal"].tolist() == [0.1, 0.2, 0.3, 0.4]
    with pytest.raises(ModelError, match=r"no row for 1 of 1 samples"):
        predict(mine, targets, key("a.wav", database="three"))


def test_conditions(table, targets):
    mine = table("file,condition,arousal\na.wav,,0.1\na.wav,babble,0.2\nb.wav,original,0.3\n")
    keys = [key("a.wav"), key("a.wav", condition="babble"), key("b.wav", condition="original")]
    assert predict(mine, targets, *keys)["arousal"].tolist() == [0.1, 0.2, 0.3]
    with pytest.raises(
        ModelError, match=r"no predictions for condition 'phone'; it has: original, ba"
    ):
        predict(mine, targets, key("a.wav", condition="phone"))
    with pytest.raises(ModelError, match=r"no row for 1 of 1 samples; first: b.wav"):
        predict(mine, targets, key("b.wav", condition="babble"))


@pytest.mark.parametrize("as_index", [True, False])
def test_parquet_as_audformat_writes_it(entry, targets, tmp_path, as_index):
    frame = pd.DataFrame(
        {
            "file": ["a.wav", "a.wav"],
            "start": pd.to_timedelta([0, 1], unit="s"),
            "end": pd.to_timedelta([SECOND, None], unit="ns"),
            "arousal": np.array([0.1, 0.2], dtype=np.float32),
            "emotion": pd.Categorical(["anger", None]),
        }
    )
    frame = frame.set_index(["file", "start", "end"]) if as_index else frame
    frame.to_parquet(tmp_path / "p.parquet")
    mine = entry(adapter="predictions", path="p.parquet", outputs={"arousal": {}})
    answer = predict(mine, targets, key("a.wav", SECOND, -1), key("a.wav", 0, SECOND))
    assert answer["arousal"].tolist() == [np.float32(0.2), np.float32(0.1)]
    both = entry(adapter="predictions", path="p.parquet")
    assert models.offered_targets(both, targets) == ("arousal", "emotion")
    assert predict(both, targets, key("a.wav", 0, SECOND))["emotion"].tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize("column", ["arousal", "emotion/neutral"])
def test_truth_values_are_no_numbers(entry, targets, tmp_path, column):
    frame = pd.DataFrame({"file": ["a.wav", "b.wav"], "arousal": [0.1, 0.2]})
    frame = frame.assign(**{f"emotion/{label}": [0.5, 0.25] for label in targets["emotion"].labels})
    frame.assign(**{column: [True, False]}).to_parquet(tmp_path / "p.parquet")
    mine = entry(adapter="predictions", path="p.parquet")
    message = f"p.parquet: row 2: column '{column}': expected a finite number, found True"
    with pytest.raises(ModelError, match=message):
        models.load(mine, targets, seed=0)


def test_digits_are_kept(table, targets):
    mine = table("file,arousal\na.wav,0.12345678901234567\n")
    assert predict(mine, targets, key("a.wav"))["arousal"][0] == 0.12345678901234567


def test_fingerprint_follows_the_content(table):
    first = models.fingerprint(table("file,arousal\na.wav,0.1\n"))
    assert models.fingerprint(table("file,arousal\na.wav,0.2\n")) != first
    assert models.fingerprint(table("file,arousal\na.wav,0.1\n", label="Other")) == first


def test_many_rows(table, targets):
    rows = 20000
    text = "file,arousal,valence\n" + "".join(f"x/{n}.wav,0.5,0.25\n" for n in range(rows))
    answer = predict(table(text), targets, *[key(f"x/{n}.wav") for n in range(rows)])
    assert answer["valence"].tolist() == [0.25] * rows
