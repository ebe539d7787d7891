from __future__ import annotations

from pathlib import Path

import pytest

from common.core.errors import ConfigError, DataError
from common.samples.event_lists import read_events, read_pairs
from common.samples.event_lists.text_lists import fields

EVENT = (None, 0.5, 1.5, "dog")


def read(folder: Path, text: str, name: str = "list.txt", **options) -> list[tuple]:
    path = folder / name
    path.write_text(text, "utf-8")
    return read_events(path, **options).rows()


@pytest.mark.parametrize("suffix", [".txt", ".ann", ".csv", ".tsv", ".lab", ""])
@pytest.mark.parametrize("delimiter", ["\t", ",", ";", " "])
def test_every_extension_and_delimiter(tmp_path, suffix: str, delimiter: str) -> None:
    text = delimiter.join(("0.5", "1.5", "dog")) + "\n"
    assert read(tmp_path, text, f"list{suffix}") == [EVENT]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("0.5\t1.5", (None, 0.5, 1.5, None)),
        ("0.5\t1.5\tdog", EVENT),
        ("a.wav\t0.5\t1.5", ("a.wav", 0.5, 1.5, None)),
        ("a.wav\t0.5\t1.5\tdog", ("a.wav", 0.5, 1.5, "dog")),
        ("a.wav\t0.5\t1.5\tdog\tid7", ("a.wav", 0.5, 1.5, "dog")),
        ("a.wav\tstreet\t0.5\t1.5", ("a.wav", 0.5, 1.5, None)),
        ("a.wav\tstreet\t0.5\t1.5\tdog", ("a.wav", 0.5, 1.5, "dog")),
        ("a.wav\tstreet\t0.5\t1.5\tdog\tm", ("a.wav", 0.5, 1.5, "dog")),
        ("a.wav\tstreet\t0.5\t1.5\tdog\tm\tid7", ("a.wav", 0.5, 1.5, "dog")),
        ("a.wav", ("a.wav", None, None, None)),
        ("a.wav\t\t\t", ("a.wav", None, None, None)),
        ("  0.5 \t  1e0 \t dog ", (None, 0.5, 1.0, "dog")),
        ("dir\\a.wav\t0.5\t1.5\tdog", ("dir/a.wav", 0.5, 1.5, "dog")),
        ("C:\\a.wav\t0.5\t1.5\tdog", ("C:\\a.wav", 0.5, 1.5, "dog")),
    ],
)
def test_layouts(tmp_path, line: str, event: tuple) -> None:
    assert read(tmp_path, line + "\n") == [event]


@pytest.mark.parametrize(
    "label", ["A", "7", "ab", "a:b", "a;b", "a#b", "a|b", 'a"b', '"', "a, b", "nan"]
)
@pytest.mark.parametrize("file", ["", "a.wav\t"])
def test_labels_that_sed_eval_refuses(tmp_path, label: str, file: str) -> None:
    found = read(tmp_path, f"{file}0.5\t1.5\t{label}\n{file}2.0\t3.0\tdog\n")
    assert [row[3] for row in found] == [label, "dog"]
    assert [row[1] for row in found] == [0.5, 2.0]


def test_quoted_fields_may_hold_the_delimiter(tmp_path) -> None:
    assert read(tmp_path, '0.5,1.5,"dog, small"\n', "list.csv") == [(None, 0.5, 1.5, "dog, small")]
    assert fields('"a ""b""",c', ",") == ['a "b"', "c"]
    assert fields('5" gun,c', ",") == ['5" gun', "c"]


@pytest.mark.parametrize("label", ["", "none", "None"])
def test_no_label(tmp_path, label: str) -> None:
    assert read(tmp_path, f"a.wav\t0.5\t1.5\t{label}\n")[0][3] is None


@pytest.mark.parametrize(
    "header",
    ["filename,onset,offset,event_label", "file,event_onset,event_offset,event_label"],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_header(tmp_path, header: str, suffix: str) -> None:
    text = f"{header}\na.wav,0.5,1.5,dog\nb.wav,,,\nc.wav\n"
    assert read(tmp_path, text, f"list{suffix}") == [
        ("a.wav", 0.5, 1.5, "dog"),
        ("b.wav", None, None, None),
        ("c.wav", None, None, None),
    ]


def test_columns_of_a_header_in_any_order(tmp_path) -> None:
    text = "\ufeffevent_label\tconfidence\toffset\tonset\ndog\t0.9\t1.5\t0.5\n"
    assert read(tmp_path, text) == [EVENT]


def test_first_row_without_header_is_an_event(tmp_path) -> None:
    assert len(read(tmp_path, "a.wav,0.5,1.5,dog\nb.wav,0.5,1.5,dog\n", "list.csv")) == 2


def test_header_may_be_demanded_or_denied(tmp_path) -> None:
    with pytest.raises(DataError, match=r"the header has no known column. Found: 0.5, 1.5, dog"):
        read(tmp_path, "0.5\t1.5\tdog\n", header=True)
    with pytest.raises(DataError, match=r"row 1: 'onset \| offset \| event_label' is no event"):
        read(tmp_path, "onset\toffset\tevent_label\n0.5\t1.5\tdog\n", header=False)


def test_blank_lines_and_comments_are_skipped_and_rows_keep_their_numbers(tmp_path) -> None:
    assert read(tmp_path, "# a list\n\n0.5\t1.5\tdog\n \n", "list.lab") == [EVENT]
    with pytest.raises(DataError, match=r"list.txt: row 3: '0.5 \| x \| dog' is no event. Allowed"):
        read(tmp_path, "# a list\n\n0.5\tx\tdog\n")


def test_empty_list_is_empty(tmp_path) -> None:
    assert read(tmp_path, "") == []


def test_decimal_comma(tmp_path) -> None:
    assert read(tmp_path, "0,5;1,5;dog\n", decimal=",") == [EVENT]
    with pytest.raises(ConfigError, match="decimal: ':' is neither"):
        read(tmp_path, "", decimal=":")


def test_delimiter_may_be_named(tmp_path) -> None:
    for name in ("blank", " "):
        found = read(tmp_path, "0.5 1.5 dog,bark\n", delimiter=name)
        assert found == [(None, 0.5, 1.5, "dog,bark")]
    with pytest.raises(ConfigError, match="delimiter: 'pipe' is none of tab, comma"):
        read(tmp_path, "", delimiter="pipe")


def test_layout_may_be_named(tmp_path) -> None:
    text = "1.0\t2.0\t3.0\n"
    assert read(tmp_path, text) == [(None, 1.0, 2.0, "3.0")]
    assert read(tmp_path, text, layout=["file", "onset", "offset"]) == [("1.0", 2.0, 3.0, None)]
    with pytest.raises(DataError, match=r"Allowed: onset offset$"):
        read(tmp_path, text, layout=["onset", "offset"])
    with pytest.raises(ConfigError, match="layout: unknown column 'begin'"):
        read(tmp_path, text, layout=["begin", "offset"])


def test_numeric_names_of_recordings(tmp_path) -> None:
    """The other rows tell that the first column is a recording."""
    assert read(tmp_path, "1001\t0.5\t1.5\tdog\n1002\n")[1] == ("1002", None, None, None)
    with pytest.raises(DataError, match="row 2: '1002' is no event"):
        read(tmp_path, "0.5\t1.5\tdog\n1002\n")


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("a.wav\t2.0\t1.0\tdog", "has its onset after its offset: onset 2 s, offset 1 s"),
        ("a.wav\t-1.0\t1.0\tdog", "has a negative time"),
        ("a.wav\tinf\tinf\tdog", "has an infinite time"),
        ("a.wav\tnan\t1.0\tdog", "onset 'nan' is no time in seconds"),
    ],
)
def test_times_that_cannot_be(tmp_path, line: str, rule: str) -> None:
    with pytest.raises(DataError, match=rf"list.txt: row 2.*{rule}"):
        read(tmp_path, f"a.wav\t0.5\t1.5\tdog\n{line}\n")


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("a.wav,1.0,,dog", "the offset is missing: onset 1 s"),
        ("a.wav,,1.0,dog", "the onset is missing: offset 1 s"),
        ("a.wav,\u0661,2.0,dog", "onset '\u0661' is no time in seconds"),
        ("a.wav,1.0,\uff12,dog", "offset '\uff12' is no time in seconds"),
        ("a.wav,one,2.0,dog", "onset 'one' is no time"),
        ("a.wav,1_0,20,dog", "onset '1_0' is no time"),
        ("a.wav,1.0,2.0,dog,3", "5 fields, but the header has 4"),
    ],
)
def test_rows_below_a_header_that_cannot_be(tmp_path, line: str, rule: str) -> None:
    with pytest.raises(DataError, match=rf"row 2.*{rule}"):
        read(tmp_path, f"filename,onset,offset,event_label\n{line}\n", "list.csv")


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", " "])
def test_digits_of_other_scripts_are_no_times(tmp_path, delimiter: str) -> None:
    text = delimiter.join(("a.wav", "\u0661", "\u0662", "dog"))
    with pytest.raises(DataError, match=r"list.txt: row 1: onset '\u0661' is no time in seconds"):
        read(tmp_path, f"{text}\n")


def test_files_that_cannot_be_read(tmp_path) -> None:
    with pytest.raises(DataError, match=r"none.txt: cannot be read: No such file"):
        read_events(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes("0.5\t1.5\tVögel\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin.txt: is not UTF-8 text"):
        read_events(tmp_path / "latin.txt")


def test_folder_of_recordings(tmp_path) -> None:
    for name, text in (("b.lab", "0.5\t1.5\tdog\n"), ("a.txt", ""), ("c.md", "no list")):
        (tmp_path / name).write_text(text)
    assert read_events(tmp_path).rows() == [("a", None, None, None), ("b", 0.5, 1.5, "dog")]
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="none: holds no event list"):
        read_events(tmp_path / "none")


@pytest.mark.parametrize("delimiter", ["\t", ",", " "])
def test_pairs_of_lists(tmp_path, delimiter: str) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text(f"a.txt{delimiter}b.txt\n")
    assert read_pairs(path) == [(tmp_path / "a.txt", tmp_path / "b.txt")]


def test_what_is_no_pair(tmp_path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("a.txt\tb.txt\nc.txt\n")
    with pytest.raises(DataError, match="row 2: expected two paths, found 1"):
        read_pairs(path)
    path.write_text("\n")
    with pytest.raises(DataError, match="holds no pair"):
        read_pairs(path)
