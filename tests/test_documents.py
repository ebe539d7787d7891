"""YAML and JSON that others wrote: limits, and one line for each fault."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from common.core import documents
from common.core.documents import parse_json, read_json, read_yaml
from common.core.errors import ConfigError
from common.models import onnx_files
from common.spec import Model as ModelEntry
from common.spec import load_entries

HEAD = "- id: a\n  version: 1.0.0\n  adapter: chance\n"


def bomb(levels: int = 9) -> str:
    """Lists of nine aliases each, which are 9 ** levels values."""
    rows = [f"    a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, levels)]
    return "    a0: &a0 [" + ", ".join("x" * 9) + "]\n" + "".join(rows)


CASES = {
    "bomb in params": (
        HEAD + "  params:\n" + bomb(),
        r"line \d+, .* repeat more than 10,000 values",
    ),
    "bomb in a text": (HEAD + "  description:\n" + bomb(), "repeat more than"),
    "bomb of merges": (
        HEAD
        + "  params:\n    a: &a {x: ["
        + "1, " * 2000
        + "]}\n"
        + "    b: {<<: *a}\n" * 1
        + "".join(f"    c{n}: {{<<: *a}}\n" for n in range(9)),
        "repeat more than",
    ),
    "recursive mapping": (
        HEAD + "  params: &p\n    x: *p\n",
        r"line 5, .*'\*p' stands inside '&p'",
    ),
    "recursive list": ("&a [*a]\n", "which would never end"),
    "10,000 levels": (HEAD + "  params: " + "[" * 10_000 + "]" * 10_000, "more than 64 lists"),
    "100,000 levels": (HEAD + "  params: " + "[" * 100_000, "more than 64 lists"),
    "digits": (HEAD + f"  params: {{x: {'1' * 4301}}}\n", "line 4, .*a number of 4301 characters"),
    "digits of base 16": (HEAD + f"  params: {{x: 0x{'f' * 40_000}}}\n", "a number of 40002 char"),
    "a day that is not": (
        HEAD + "  params: {x: 2021-02-30}\n",
        "'2021-02-30' is no valid date",
    ),
    "NUL": ('- id: a\n  path: "a\\0b"\n', "line 2, .*NUL, which no name or path can hold"),
    "10 MB": (f"- id: {'a' * 10_000_000}\n", "a text of 10,000,000 characters"),
    "no integer": (HEAD + "  params: {x: !!int abc}\n", "'abc' is no whole number"),
    "no truth value": (HEAD + "  params: {x: !!bool abc}\n", "'abc' is no true or false"),
    "no time": (HEAD + "  params: {x: !!timestamp abc}\n", "'abc' is no valid date"),
    "a set, whose order is random": (HEAD + "  params: {x: !!set {a, b}}\n", "constructor for the"),
    "code": (HEAD + "  params: {x: !!python/object/apply:os.system [ls]}\n", "constructor for the"),
}


@pytest.mark.parametrize(("text", "message"), CASES.values(), ids=CASES)
def test_attacks_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        load_entries(ModelEntry, path)
    assert len(str(caught.value)) < 300 + len(str(path)) and "\n" not in str(caught.value)


def test_what_stays_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "a: &a {x: 1, y: [2.5, .inf, null, no]}\nb: {<<: *a, z: 2021-02-28}\nc: *a\n"
        "d: 0x1F\ne: 1e3\nf: ä\n"
    )
    content = read_yaml(path)
    assert content["b"] == {**content["a"], "z": date(2021, 2, 28)}
    assert content["c"] == content["a"] and content["a"]["y"][2:] == [None, False]
    assert (content["d"], content["f"]) == (31, "ä")
    assert read_yaml(path, words=True)["a"] == {"x": "1", "y": ["2.5", ".inf", "null", "no"]}


def test_files_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("# " + "x" * 2**20)
    monkeypatch.setattr(documents, "LARGEST", 2**20)
    monkeypatch.setattr(documents, "LARGEST_JSON", 2**20)
    for read in (read_yaml, read_json):
        with pytest.raises(ConfigError, match="is larger than 1 MiB, which is the limit"):
            read(path)


@pytest.mark.parametrize("name", [".", "no\0name"])
def test_what_is_no_file(tmp_path: Path, name: str) -> None:
    for read in (read_yaml, read_json):
        with pytest.raises(ConfigError, match="cannot be read"):
            read(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "not valid JSON: lists and mappings are nested too deep"),
        ('{"a": ' * 20_000, "not valid JSON: lists and mappings are nested too deep"),
        ("[1,\n 2,,]", "line 2, column 4: not valid JSON: Expecting value"),
        ("[" + "1" * 5000 + "]", "not valid JSON: a number has more than 4300 digits"),
    ],
)
def test_faults_of_json(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_json(path)
    with pytest.raises(ValueError, match=r".+"):
        parse_json(text)


def test_model_folders_are_read_with_the_same_limits(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text("x: " + "[" * 10_000)
    entry = ModelEntry(id="a", version="1", adapter="onnx", path=".", origin=tmp_path / "m.yaml")
    with pytest.raises(Exception, match=r"model\.yaml, line 1, .*more than 64 lists"):
        onnx_files.layout(entry)


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\udfff": 1}', '[["a\\uDB00b"]]'])
def test_half_a_character_in_json_is_refused(text: str) -> None:
    """Python reads it, and no file can hold it."""
    for form in (text, text.encode()):
        with pytest.raises(ValueError, match="half of a character"):
            parse_json(form)
    assert parse_json('"\\ud83d\\ude00"') == "\U0001f600"


def test_what_hides_or_turns_a_text_is_shown_or_refused(tmp_path: Path) -> None:
    assert parse_json('{"a": ["x\\u001b[2J\\u202ey\\n"]}') == {"a": ["x\\u001b[2J\\u202ey\n"]}
    assert parse_json('"x\u202ey"') == "x\\u202ey"
    file = tmp_path / "a.yaml"
    file.write_text('label: "a\\u202eb"\n', "utf-8")
    with pytest.raises(ConfigError, match=r"line 1.*U\+202E, which hides or turns what stands"):
        read_yaml(file)
    file.write_text("label: |\n  two\n  lines \u00e9\n", "utf-8")
    assert read_yaml(file) == {"label": "two\nlines \u00e9\n"}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"c": 1, "a": 2, "a": 3}}]'])
def test_a_key_of_json_stands_once(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match="not valid JSON: the key 'a' appears twice"):
        read_json(path)


def test_a_key_that_stands_twice_among_many_is_soon_told() -> None:
    """Each key was compared with all before it, which took hours for a file of some megabytes."""
    keys = ", ".join(f'"{n}": 1' for n in range(300_000))
    with pytest.raises(ValueError, match="the key '299999' appears twice"):
        parse_json(f'{{{keys}, "299999": 2}}')
