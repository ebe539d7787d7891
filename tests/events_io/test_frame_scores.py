from __future__ import annotations

import zipfile

import numpy as np
import pandas as pd
import pytest

from common.core.errors import ConfigError, DataError
from common.samples.event_lists import read_scores, scores_from_frame

TEXT = "onset\toffset\tcat\tdog\n0.0\t0.5\t0.1\t0.9\n0.5\t1.0\t0.2\t0.8\n"
VALUES = [[0.1, 0.9], [0.2, 0.8]]
NAMED = {"scores": VALUES, "labels": ["cat", "dog"]}


def check(found, file: str) -> None:
    assert found.files == (file,)
    assert found.labels == ("cat", "dog")
    assert found.scores.values.tolist() == VALUES
    assert found.scores.times.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(("suffix", "delimiter"), [(".tsv", "\t"), (".csv", ","), (".txt", ";")])
def test_text(tmp_path, suffix: str, delimiter: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text(TEXT.replace("\t", delimiter))
    check(read_scores(path), "a")


def test_parquet(tmp_path) -> None:
    frame = pd.DataFrame(
        {"onset": [0, 0.5], "offset": [0.5, 1], "cat": [0.1, 0.2], "dog": [0.9, 0.8]}
    )
    frame.to_parquet(tmp_path / "a.parquet")
    check(read_scores(tmp_path / "a.parquet"), "a")


def test_arrays(tmp_path) -> None:
    values = np.array(VALUES)
    np.savez(tmp_path / "a.npz", scores=values, labels=["cat", "dog"], times=[0, 0.5, 1])
    check(read_scores(tmp_path / "a.npz"), "a")
    np.savez(
        tmp_path / "b.npz", scores=values, labels=["cat", "dog"], onset=[0, 0.5], offset=[0.5, 1]
    )
    check(read_scores(tmp_path / "b.npz"), "b")
    np.save(tmp_path / "c.npy", values)
    check(read_scores(tmp_path / "c.npy", labels=["cat", "dog"], hop=0.5), "c")
    np.save(tmp_path / "d.npy", values.astype(np.float32))
    found = read_scores(tmp_path / "d.npy", labels=["cat", "dog"], hop=0.5)
    assert found.scores.values.dtype == np.float32


def test_folder_completes_names(tmp_path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.tsv").write_text(TEXT)
    assert read_scores(tmp_path).files == ("a", "b")
    found = read_scores(tmp_path, files=["a.wav", "x/b.wav", "c.wav"], labels=["dog", "cat"])
    assert found.files == ("a.wav", "x/b.wav")
    assert found.labels == ("dog", "cat")
    assert found.scores.values[0].tolist() == [0.9, 0.1]
    assert found.scores.frames.tolist() == [2, 2]
    with pytest.raises(DataError, match=r"'a' is ambiguous: a.flac or a.wav"):
        read_scores(tmp_path, files=["a.wav", "a.flac"])


def test_one_table_of_several_recordings() -> None:
    frame = pd.DataFrame(
        {
            "filename": ["b", "a", "b"],
            "onset": [0.0, 0.0, 0.5],
            "offset": [0.5, 0.5, 1.0],
            "dog": [0.1, 0.2, 0.3],
        }
    )
    found = scores_from_frame(frame)
    assert found.files == ("b", "a")
    assert found.scores.values[:, 0].tolist() == [0.1, 0.3, 0.2]
    assert found.scores.times.tolist() == [0.0, 0.5, 1.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.replace("0.5\t1.0", "0.6\t1.0"),
            r"row 3: the frame starts at 0.6 s, but the one before",
        ),
        (TEXT.replace("0.0\t0.5\t", "0.5\t0.5\t"), "row 2: 0.5 to 0.5 s is no frame"),
        (TEXT.replace("0.8", "high"), "row 3: dog = 'high' is no number"),
        (TEXT.replace("0.8", "nan"), "row 3: dog = 'nan' is no number"),
        (TEXT.replace("\t0.8", ""), "row 3: 3 fields, but the header has 4"),
        (TEXT.replace("0.8", "inf"), "'a', frame 2: a score is NaN or infinite"),
        (TEXT.replace("onset", "time"), "no columns onset and offset. Found: time, offset, cat"),
        ("onset\toffset\n0.0\t0.5\n", "has no column with scores"),
        ("onset\toffset\tdog\n", "holds no frame"),
        ("", "holds no frame"),
    ],
)
def test_text_that_is_no_scores(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_scores(path)


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"values": VALUES}, DataError, "holds no array 'scores'. Found: values"),
        ({"scores": [0.1, 0.2]}, DataError, r"scores of shape \(2,\)"),
        ({"scores": VALUES}, ConfigError, "0 labels for 2 columns"),
        ({"scores": VALUES, "labels": ["c", "d"]}, ConfigError, "give the length of a frame"),
        (
            {"scores": VALUES, "labels": ["c", "d"], "times": [0, 1]},
            DataError,
            r"times of shape \(2,\) for 2 frames",
        ),
        ({**NAMED, "times": ["0", "1", "2"]}, DataError, "times of type <U1, expected numbers"),
        ({**NAMED, "times": [0, 1, np.inf]}, DataError, "1 to inf s is no frame"),
        (
            {**NAMED, "onset": [[0, 1]], "offset": [1, 2]},
            DataError,
            r"onset of shape \(1, 2\) for 2 frames",
        ),
        (
            {**NAMED, "onset": [0, 1], "offset": [b"1", b"2"]},
            DataError,
            r"offset of type \|S1, expected numbers",
        ),
        ({"scores": VALUES, "labels": "cat"}, DataError, r"labels of shape \(\) and type <U3"),
        ({"scores": VALUES, "labels": [b"c", b"d"]}, DataError, r"type \|S1, expected texts"),
        ({**NAMED, "scores": np.empty((0, 2)), "times": [0]}, DataError, "holds no frame"),
    ],
)
def test_arrays_that_are_no_scores(tmp_path, arrays, error, message: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(error, match=message):
        read_scores(tmp_path / "a.npz")


def test_a_part_of_an_archive_that_is_no_array(tmp_path) -> None:
    """NumPy gives its bytes."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("scores.npy", "no array")
    with pytest.raises(DataError, match=r"a\.npz: 'scores' is no array"):
        read_scores(tmp_path / "a.npz")


def test_files_that_cannot_be_read(tmp_path) -> None:
    (tmp_path / "a.npy").write_text("no array")
    with pytest.raises(DataError, match=r"a.npy: cannot be read"):
        read_scores(tmp_path / "a.npy")
    with pytest.raises(DataError, match=r"known extensions of scores: .tsv"):
        read_scores(tmp_path / "a.mat")
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="none: holds no scores"):
        read_scores(tmp_path / "none")


def test_recordings_that_do_not_belong_together(tmp_path) -> None:
    (tmp_path / "a.tsv").write_text(TEXT)
    (tmp_path / "b.tsv").write_text(TEXT.replace("dog", "cow"))
    with pytest.raises(DataError, match="'b' has other labels than expected: cow, dog"):
        read_scores(tmp_path)
    (tmp_path / "b.tsv").unlink()
    (tmp_path / "a.csv").write_text(TEXT)
    with pytest.raises(DataError, match="holds scores of 'a' twice"):
        read_scores(tmp_path)
