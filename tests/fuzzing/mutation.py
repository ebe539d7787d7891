"""Changes of a file that a stranger could make: a list of small edits, drawn by hypothesis.

An edit is data (what, where, with which value), so that hypothesis can shrink it and a corpus can hold
the outcome. Every edit applies to every file, so that no drawn case is thrown away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import hypothesis.strategies as st

#: what stands in place of a value of a text
HOSTILE = (
    *("", "null", "true", "nan", "NaN", "-inf", "Infinity", "1e999", "-1e999", "1e308", "-0", "-1"),
    *(
        "9" * 19,
        "9" * 40,
        "9" * 5000,
        "1" + "0" * 300,
        "1_000",
        "0x7f",
        "0o17",
        "١٢",
        "²",
        "1,5",
        "½",
    ),
    *("1.2.3", "2026-02-30", "12:60:61", "1 day", "-1 days +00:00:00", "99999999 days 00:00:00"),
    *(
        "../../x",
        "/etc/passwd",
        "..\\..\\x",
        "~root/x",
        "C:\\x",
        "/x/y.wav",
        "a/../b",
        ".",
    ),
    *("con", "nul.txt", "x" * 300, "a\\u0000b", "\\ud800", '"\\ud800"', "\x1b[2J", "\x7f", "\x85"),
    *(
        "\u2028",
        "\u202e",
        "\ufeff",
        "é",
        "e\u0301",
        "😀",
        "=1+1",
        "@SUM(A1)",
        "<script>",
        "%s%n",
        "{0}",
    ),
    *("[]", "{}", "[[]]", "[1, 2]", '["a", {}]', '{"a": 1}', "{a: [b]}", "[" * 200, "{a: " * 200),
    *(
        '"',
        "'",
        '"a"',
        "a: b: c",
        "- -",
        "&a [*a]",
        "*a",
        "!!binary x",
        "!!python/name:os.system ''",
    ),
    *(
        "<<: *a",
        "? a",
        "|",
        ">",
        "%YAML 9",
        "---",
        "...",
        "#",
        "\t",
        "a\tb",
        ",",
        ",,",
        ";",
        "\n",
        "\r",
        "\r\n",
    ),
    *(
        "(?P<a>",
        "(a+)+$",
        "[z-a]",
        "\\",
        "*",
        "**",
        "(a|a)*b",
        "{file}",
        "{0.__class__}",
        "{",
        "}",
        "%",
    ),
    *(
        "__proto__",
        "__class__",
        "id",
        "name",
        "file",
        "path",
        "version",
        "0",
        "1",
        "0.5",
        "a b",
        "1e400",
    ),
)
#: bytes that mean something to a binary format
BYTES = (
    b"",
    b"\0",
    b"\xff",
    b"\x80",
    b"\xff\xfe",
    b"\xff" * 4,
    b"\xff" * 8,
    b"\0" * 8,
    b"\xef\xbb\xbf",
)
BYTES += (
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x80" * 10,
    b"PK\x03\x04",
    b"\xc3\x28",
    b"\xed\xa0\x80",
)
#: a value of a text: between quotes, or between what separates values
_VALUE = re.compile(rb'"[^"\n]*"|[^\s,;:"\'\[\]{}()<>=]+')
#: places are drawn from this range and scaled to the file
PLACES = 2**16 - 1
#: an edit never makes a file longer than this
LONGEST = 2**16


class Edit(NamedTuple):
    """A change: its kind, two places as numbers up to :data:`PLACES`, and a number that picks a value."""

    kind: str
    first: int
    second: int
    value: int


def _at(data: bytes, place: int) -> int:
    return place * len(data) // PLACES


def _span(data: bytes, edit: Edit) -> tuple[int, int]:
    ends = sorted((_at(data, edit.first), _at(data, edit.second)))
    return ends[0], ends[1]


def _values(data: bytes) -> list[tuple[int, int]]:
    return [match.span() for match in _VALUE.finditer(data)] or [(0, len(data))]


def _chosen(data: bytes, place: int) -> tuple[int, int]:
    spans = _values(data)
    return spans[place * (len(spans) - 1) // PLACES]


def _replace(data: bytes, edit: Edit) -> bytes:
    start, end = _chosen(data, edit.first)
    text = HOSTILE[edit.value % len(HOSTILE)].encode("utf-8", "surrogatepass")
    return data[:start] + text + data[end:]


def _copy_value(data: bytes, edit: Edit) -> bytes:
    (start, end), (first, last) = _chosen(data, edit.first), _chosen(data, edit.second)
    return data[:start] + data[first:last] + data[end:]


def _flip(data: bytes, edit: Edit) -> bytes:
    place = min(_at(data, edit.first), max(0, len(data) - 1))
    byte = (data[place] if data else 0) ^ (1 << edit.value % 8)
    return data[:place] + bytes([byte]) + data[place + 1 :]


def _put(data: bytes, edit: Edit) -> bytes:
    place = _at(data, edit.first)
    text = BYTES[edit.value % len(BYTES)]
    return data[:place] + text + data[place + len(text) * (edit.second % 2) :]


def _cut(data: bytes, edit: Edit) -> bytes:
    return data[: _at(data, edit.first)]


def _remove(data: bytes, edit: Edit) -> bytes:
    start, end = _span(data, edit)
    return data[:start] + data[end:]


def _repeat(data: bytes, edit: Edit) -> bytes:
    start, end = _span(data, edit)
    times = 1 + edit.value % 300 if (end - start) * 300 < LONGEST else 1
    return data[:end] + data[start:end] * times + data[end:]


def _lines(data: bytes, edit: Edit) -> bytes:
    """Swap two lines, or let one stand twice or not at all."""
    lines = data.splitlines(keepends=True) or [b""]
    first, second = (place * (len(lines) - 1) // PLACES for place in (edit.first, edit.second))
    if edit.value % 3 == 0:
        lines[first], lines[second] = lines[second], lines[first]
    elif edit.value % 3 == 1:
        lines.insert(second, lines[first])
    else:
        del lines[first]
    return b"".join(lines)


EDITS: dict[str, Callable[[bytes, Edit], bytes]] = {
    "replace": _replace,
    "copy value": _copy_value,
    "flip": _flip,
    "put": _put,
    "cut": _cut,
    "remove": _remove,
    "repeat": _repeat,
    "lines": _lines,
}
#: most faults of texts lie in values
TEXT = ("replace",) * 6 + ("copy value",) * 2 + tuple(EDITS)
BINARY = ("flip",) * 4 + ("put",) * 4 + tuple(EDITS)


def edits(kinds: Sequence[str]) -> st.SearchStrategy[list[Edit]]:
    """A few changes of some kinds, which may be listed more often than once."""
    place = st.integers(0, PLACES)
    edit = st.builds(Edit, st.sampled_from(kinds), place, place, place)
    return st.lists(edit, min_size=1, max_size=4)


def edited(data: bytes, changes: Sequence[Edit]) -> bytes:
    """A file after some changes."""
    for edit in changes:
        data = EDITS[edit.kind](data, edit)[: 2 * LONGEST]
    return data
