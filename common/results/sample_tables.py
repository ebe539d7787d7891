"""Files with the samples behind the cells of a target: what a run writes and pages read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.documents import parse_json

FORMAT = 1
#: kinds of tables: what truth and answers are
NUMBER, WORD, EVENTS = "number", "word", "events"
INDEX = "samples.json"
#: suffix of the picture of a sound
PICTURE = ".webp"
#: beginning of a table, before its name and its JSON
HEAD = "(window.samplesOf??={})"
#: numbers are kept in ten-thousandths
SCALE = 10_000
#: digits of packed numbers: nothing that JSON or a script would have to escape
DIGITS = "".join(sign for sign in map(chr, range(35, 127)) if sign not in "<\\")
#: letters of a number, and what stands for none
LETTERS, NONE = 3, DIGITS[-1] * 3
ZERO = len(DIGITS) ** LETTERS // 2


def index(datasets: Mapping[str, Mapping[str, Any]]) -> str:
    """Text of an index: ``silent`` (why there is no table) and ``tests`` of each dataset."""
    content = {"format": FORMAT, "datasets": datasets}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def read_index(path: Path) -> dict[str, Any]:
    """What an index says of each dataset; nothing if there is none or it is of another format."""
    try:
        content = parse_json(path.read_text("utf-8"))
        return dict(content["datasets"]) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def packed(values: Sequence[int | None]) -> str:
    """Numbers as text of three letters each; what is too large stands at the end of the range.

    >>> packed([0, -1, None]), unpacked(packed([0, -1, None, 10_000]))
    ('Q##P~~~~~', [0, -1, None, 10000])
    """
    return "".join(NONE if value is None else _letters(value) for value in values)


def _letters(value: int) -> str:
    base = len(DIGITS)
    rest = min(max(value + ZERO, 0), base**LETTERS - 2)
    return DIGITS[rest // base**2] + DIGITS[rest // base % base] + DIGITS[rest % base]


def unpacked(text: str) -> list[int | None]:
    """Numbers of a text of three letters each."""
    places = {sign: place for place, sign in enumerate(DIGITS)}
    result: list[int | None] = []
    for start in range(0, len(text), LETTERS):
        letters = text[start : start + LETTERS]
        number = 0
        for sign in letters:
            number = number * len(DIGITS) + places[sign]
        result.append(None if letters == NONE else number - ZERO)
    return result


def _columns(content: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A table of numbers with all columns of truth and answers changed; another one as it is."""
    if content.get("kind") != NUMBER:
        return dict(content)

    def all_of(models: Mapping[str, Any] | None) -> dict[str, Any] | None:
        return None if models is None else {name: change(each) for name, each in models.items()}

    changes = {
        name: {**entry, "before": all_of(entry["before"]), "after": all_of(entry["after"])}
        for name, entry in content["changes"].items()
    }
    truth = None if content["truth"] is None else change(content["truth"])
    answers = all_of(content["answers"])
    return {**content, "truth": truth, "answers": answers, "changes": changes}


def script(target: str, dataset: str, content: Mapping[str, Any]) -> str:
    """Text of a table: a script, because a page that was opened from a disk may load no data."""
    columns = _columns(content, packed)
    text = json.dumps({"format": FORMAT, **columns}, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    name = json.dumps(f"{target}/{dataset}").replace("<", "\\u003c")
    return f"{HEAD}[{name}]={safe};\n"


def read(path: Path) -> dict[str, Any]:
    """A table; nothing if there is none or it is of another format."""
    try:
        text = path.read_text("utf-8")
        content = parse_json(text[text.index("]=") + 2 :].rstrip().removesuffix(";"))
        return _columns(content, unpacked) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
