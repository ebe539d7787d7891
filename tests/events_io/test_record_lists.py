"""Event lists and durations in YAML and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.cli.main import main
from common.core.errors import DataError
from common.samples.event_lists import read_durations, read_events, read_pairs

ROWS = [("a.wav", 0.5, 1.0, "dog"), ("a.wav", 1.0, 2.5, "no"), ("b.wav", None, None, None)]
YAML = """
# two events, and a recording without any
- {filename: a.wav, onset: 0.5, offset: 1.0, event_label: dog, scene: street}
- event_label: no
  offset: 2.5
  onset: 1
  filename: a.wav
- filename: b.wav
"""
JSON = [
    {"filename": "a.wav", "onset": 0.5, "offset": "1.0", "event_label": "dog"},
    {"file": "a.wav", "start": 1, "end": 2.5, "label": "no", "annotator": None},
    {"filename": "b.wav", "onset": None, "offset": None, "event_label": None},
]


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


@pytest.mark.parametrize(("name", "content"), [("a.yaml", YAML), ("a.YML", YAML), ("a.json", JSON)])
def test_events(write, name, content) -> None:
    assert read_events(write(name, content)).rows() == ROWS


def test_lists_without_events(write) -> None:
    for name, content in (("a.yaml", ""), ("b.yaml", "[]"), ("c.json", [])):
        assert len(read_events(write(name, content))) == 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", "a: 1\n", r"a\.yaml: expected a list of records such as .*event_label: speech}"),
        ("a.json", '{"events": []}', r"a\.json: expected a list of records .*, found a mapping"),
        ("a.yaml", "- [a.wav, 0, 1, dog]\n", "row 1: expected a list of records .*, found a list"),
        (
            "a.json",
            '[{"file": "a.wav", "file": "b.wav"}]',
            r"a\.json: .*the key 'file' appears twice",
        ),
        ("a.yaml", "- {file: a.wav, file: b.wav}\n", r"a\.yaml, line 1, .*'file' appears twice"),
        (
            "a.yaml",
            "- {filename: a.wav, onset: 1}\n",
            "row 1: lacks columns; it needs filename, on",
        ),
        (
            "a.json",
            [*JSON, {"filename": "a.wav", "onset": "x", "offset": 1}],
            r"row 4: onset 'x' is no time in seconds",
        ),
        ("a.json", [{"onset": True, "offset": 1}], "row 1: onset: True is neither text nor a numb"),
        ("a.json", [{"onset": [1], "offset": 1}], r"row 1: onset: \[1\] is neither text nor"),
        (
            "a.json",
            [*JSON, {"filename": "a.wav", "onset": 1, "offset": None}],
            r"row 4 \(file 'a\.wav'\): the offset is missing: onset 1 s",
        ),
        (
            "a.json",
            [{"onset": "\u0661", "offset": 2}],
            "row 1: onset '\u0661' is no time in seconds",
        ),
        ("a.json", [{"onset": 2, "offset": 1}], "row 1: has its onset after its offset"),
        ("a.json", "[" * 100_000, "not valid JSON: lists and mappings are nested too deep"),
        ("a.yaml", "&a [*a]", "which would never end"),
        ("a.json", "[NaN,", r"a\.json, line 1, column 6: not valid JSON"),
    ],
)
def test_faults(write, name, content, message) -> None:
    with pytest.raises(DataError, match=message):
        read_events(write(name, content))


def test_folders(write, tmp_path) -> None:
    """Beside other lists, YAML and JSON are settings."""
    one = [{"onset": 0, "offset": 1, "event_label": "dog"}]
    write("folder/b.json", one)
    path = write("folder/a.yaml", "- {onset: 1, offset: 2, label: cat}\n").parent
    expected = [("a", 1.0, 2.0, "cat"), ("b", 0.0, 1.0, "dog")]
    assert read_events(path).rows() == expected
    write("folder/c.txt", "0 1 dog\n")
    assert read_events(path).rows() == [("c", 0.0, 1.0, "dog")]


def test_durations(write) -> None:
    path = write(
        "d.yaml", "- {filename: a.wav, duration: 10}\n- {filename: b.wav, duration: 2.5}\n"
    )
    assert read_durations(path) == {"a.wav": 10.0, "b.wav": 2.5}
    for digits in ("\u0661\u0660", "1_0"):
        path = write("d.yaml", f"- {{filename: a.wav, duration: '{digits}'}}\n")
        with pytest.raises(DataError, match=rf"row 1 .*duration '{digits}' is no time in sec"):
            read_durations(path)
    path = write("d.json", [{"filename": "a.wav", "duration": None}])
    with pytest.raises(DataError, match=r"row 1 \(file 'a\.wav'\): duration '' is no time"):
        read_durations(path)


@pytest.mark.parametrize("name", ["d.csv", "d.json"])
def test_two_durations_of_one_recording(write, name) -> None:
    rows = [("a.wav", 10), ("b.wav", 1), ("a.wav", 10.0000001), ("a.wav", 9)]
    text = "filename,duration\n" + "".join(f"{file},{value}\n" for file, value in rows)
    records = [{"filename": file, "duration": value} for file, value in rows]
    path = write(name, text if name == "d.csv" else records)
    number = 5 if name == "d.csv" else 4
    message = rf"row {number}: 'a\.wav' has two durations: 10 s before, 9 s here"
    with pytest.raises(DataError, match=message):
        read_durations(path)


def test_lists_of_pairs_are_text(write) -> None:
    with pytest.raises(DataError, match=r"pairs\.yaml: is YAML or JSON, .* expected a text file"):
        read_pairs(write("pairs.yaml", "- [a, b]\n"))


def test_the_command(write, capsys) -> None:
    truth, estimate = write("truth.yaml", YAML), write("estimate.json", JSON)
    words = ["events", "--truth", str(truth), "--estimate", str(estimate), "--durations", "10"]
    assert main([*words, "--json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["segment_based"]["overall"]["f_measure"]["f_measure"] == 1.0
