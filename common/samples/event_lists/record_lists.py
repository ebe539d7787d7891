"""Lists of records in YAML and JSON files: events, and durations of recordings.

A record is a mapping of columns to values; columns are called as in the header of a text file::

    - {filename: a.wav, onset: 0.5, offset: 1.0, event_label: speech}
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.documents import read_json, read_yaml
from ...core.errors import ConfigError, DataError
from .columns import NAMES, TIMES, find_columns
from .table import EventTable
from .text_lists import RECORDS, Line, of_cells

#: values of YAML and JSON that stand for no value
_NOTHING = ("", "~", "null", "Null", "NULL")
_EXAMPLE: dict[tuple[str, ...], str] = {
    TIMES: "{filename: a.wav, onset: 0.5, offset: 1.0, event_label: speech}",
    ("file", "duration"): "{filename: a.wav, duration: 10.0}",
}


def holds_records(path: Path) -> bool:
    """Whether a file is YAML or JSON, by its extension."""
    return path.suffix.lower() in RECORDS


def read_records(path: Path) -> EventTable:
    """Events of a list of records.

    A record that names a recording only says that this has no events; other columns are skipped.

    Args:
        path: ``.yaml``, ``.yml`` or ``.json`` file

    Returns:
        rows in the order of the file; the number of a row is that of its record, from 1

    Raises:
        DataError: with file, record and rule, for what is no event
    """
    cells = record_cells(path, TIMES)
    lines = [Line(number, []) for number in range(1, len(cells) + 1)]
    return of_cells(path, lines, cells, ".")


def record_cells(path: Path, required: Sequence[str]) -> list[dict[str, str]]:
    """Known columns of each record as text, empty for no value.

    Args:
        path: YAML or JSON file
        required: columns that a record must have, if not a recording alone

    Raises:
        DataError: with file and record, for what is no list of records
    """
    try:
        # every value is text: the label 'no' is no truth value
        content = read_json(path) if path.suffix.lower() == ".json" else read_yaml(path, words=True)
    except ConfigError as error:
        raise DataError(str(error)) from None
    rule = f"expected a list of records such as {_EXAMPLE[tuple(required)]}"
    if content in (None, ""):
        return []
    if not isinstance(content, list):
        raise DataError(f"{path}: {rule}, found {_named(content)}")
    cells = []
    for number, record in enumerate(content, start=1):
        where = f"{path}: row {number}"
        if not isinstance(record, dict):
            raise DataError(f"{where}: {rule}, found {_named(record)}")
        keys = list(record)
        columns = find_columns(keys, required)
        if columns is None:
            column_names = ", ".join(NAMES[name][0] for name in ("file", *required))
            shown = ", ".join(map(str, keys)) or "nothing"
            raise DataError(f"{where}: lacks columns; it needs {column_names}. Found: {shown:.200}")
        values = {name: record[keys[at]] for name, at in columns.items()}
        cells.append({name: _text(value, f"{where}: {name}") for name, value in values.items()})
    return cells


def _named(content: Any) -> str:
    kinds = {dict: "a mapping", list: "a list", str: "text"}
    kind = next((name for kind, name in kinds.items() if isinstance(content, kind)), "a value")
    return f"{kind}: {content!r:.60}"


def _text(value: Any, where: str) -> str:
    if value is None or (isinstance(value, str) and value in _NOTHING):
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DataError(f"{where}: {value!r:.60} is neither text nor a number")
    return str(value).strip()
