r"""Event lists in text files, in the layouts of sed_eval and DCASE.

A line is an event: ``onset offset [label]``, with the recording in front or not, and with a scene
between recording and onset or not; a line that holds a recording only says that this has no
events. Fields are separated by tabs, commas, semicolons or blanks. A header names the columns;
without one, the layout is the one that fits all lines of the same number of fields.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...core.errors import ConfigError, DataError
from ...core.wording import counted
from .columns import TIMES, find_columns, names_durations
from .table import EventTable, label_or_none, number, posix

#: extensions of event lists
EXTENSIONS = (".txt", ".ann", ".csv", ".tsv", ".lab")
#: and of lists of records, which are no text in lines
RECORDS = (".yaml", ".yml", ".json")
#: name -> character; blank: any white space
DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "blank": None}
CHARACTERS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "blank"}
#: number of fields -> layouts, the first one that fits is taken
LAYOUTS: dict[int, tuple[tuple[str, ...], ...]] = {
    1: (("file",),),
    2: (("onset", "offset"),),
    3: (("onset", "offset", "label"), ("file", "onset", "offset")),
    4: (("file", "onset", "offset", "label"), ("file", "scene", "onset", "offset")),
    5: (
        ("file", "onset", "offset", "label", "identifier"),
        ("file", "scene", "onset", "offset", "label"),
    ),
    6: (("file", "scene", "onset", "offset", "label", "source"),),
    7: (("file", "scene", "onset", "offset", "label", "source", "identifier"),),
}
#: all columns of layouts
ALL = LAYOUTS[7][0]
#: lines that are looked at to find the delimiter
SAMPLE = 200
#: what stands where a time should be; nan, inf and digits of other scripts are told apart from other text to refuse them
_TIME = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.I)


class Line(NamedTuple):
    """Fields of a line.

    Args:
        number: number of the line, from 1
        fields: stripped fields; empty ones at the end are left out
    """

    number: int
    fields: list[str]


def read_text(
    path: Path,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    layout: Sequence[str] | None = None,
) -> EventTable:
    """Read an event list.

    Blank lines and lines that begin with ``#`` are skipped.

    Args:
        path: text file
        delimiter: ``tab``, ``comma``, ``semicolon`` or ``blank``, or the character; None: the
            one that makes most lines events, a tab if there are none
        header: whether the first line names columns; None: it does if it holds the names of
            onset and offset, or that of the recording alone
        decimal: what separates the decimals of a time: ``.`` or ``,``
        layout: names of the columns of a list without header, where the fields leave a choice:
            ``1.0 2.0 3.0`` is read as onset, offset and label unless the layout is file, onset
            and offset

    Returns:
        rows in the order of the file

    Raises:
        ConfigError: for an unknown delimiter or decimal separator
        DataError: with file, line and rule, for a line that is no event, and for a time that is
            no number, negative, or an onset after its offset
    """
    rows = split_lines(path, delimiter=delimiter, decimal=decimal)
    columns = find_columns(rows[0].fields) if rows and not layout and header is not False else None
    if columns is None and rows and not layout and names_durations(rows[0].fields):
        raise DataError(
            f"{path}: is a table of durations ({', '.join(rows[0].fields)}) and holds no events; "
            "'build.py events' takes it with --durations"
        )
    if columns is None and header:
        shown = ", ".join(rows[0].fields) if rows else "nothing"
        raise DataError(f"{path}: the header has no known column. Found: {shown}")
    if columns is not None:
        return _with_header(path, rows, columns, decimal)
    return _without_header(path, rows, decimal, layout)


def split_lines(
    path: Path,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    required: Sequence[str] = TIMES,
) -> list[Line]:
    """Fields of all lines that are neither blank nor comments.

    Args:
        path: text file
        delimiter: as for :func:`read_text`
        decimal: as for :func:`read_text`
        required: columns that a header must have

    Raises:
        ConfigError: for an unknown delimiter or decimal separator
        DataError: if it cannot be read
    """
    if decimal not in (".", ","):
        raise ConfigError(f"decimal: '{decimal}' is neither '.' nor ','")
    if path.suffix.lower() in RECORDS:
        raise DataError(
            f"{path}: is YAML or JSON, which is read as a list of events or of durations only; "
            f"expected a text file: {', '.join(EXTENSIONS)}"
        )
    delimiter = CHARACTERS.get(delimiter or "", delimiter)
    if delimiter is not None and delimiter not in DELIMITERS:
        raise ConfigError(f"delimiter: '{delimiter}' is none of {', '.join(DELIMITERS)}")
    lines = [
        (number, line)
        for number, line in enumerate(_lines(path), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    name = delimiter or _delimiter([line for _, line in lines[:SAMPLE]], decimal, required)
    return [Line(number, fields(line, DELIMITERS[name])) for number, line in lines]


def _lines(path: Path) -> list[str]:
    try:
        # not splitlines(), which also splits at characters that may stand in a label
        return path.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def fields(line: str, delimiter: str | None) -> list[str]:
    """Stripped fields of a line, without empty ones at its end.

    A field in double quotes may hold the delimiter; a quote elsewhere is a character.

    >>> fields('a.wav, 0.0, 1.5, "dog, small",,', ",")
    ['a.wav', '0.0', '1.5', 'dog, small']
    """
    if delimiter is None:
        parts = line.split()
    elif '"' in line and _quoted(line, delimiter):
        parts = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
    else:
        parts = line.split(delimiter)
    parts = [field.strip() for field in parts]
    while parts and not parts[-1]:
        parts.pop()
    return parts


def _quoted(line: str, delimiter: str) -> bool:
    """Whether all double quotes of a line are around whole fields."""
    mark = re.escape(delimiter)
    field = rf'\s*"(?:[^"]|"")*"\s*|[^"{mark}]*'
    return re.fullmatch(rf"(?:{field})(?:{mark}(?:{field}))*", line) is not None


def _delimiter(lines: Sequence[str], decimal: str, required: Sequence[str]) -> str:
    """Name of the delimiter that finds a header, or else times in most lines."""
    best, most = "tab", 0
    for name, delimiter in DELIMITERS.items():
        if name == "comma" and decimal == ",":
            continue
        rows = [fields(line, delimiter) for line in lines]
        if rows and len(rows[0]) > 1 and find_columns(rows[0], required):
            return name
        if required == TIMES:
            good = [
                any(_fits(row, layout, decimal) for layout in LAYOUTS.get(len(row), ()))
                for row in rows
                if len(row) > 1
            ]
        else:
            good = [_is_time(field, decimal) for row in rows for field in row[1:2]]
        if sum(good) > most:
            best, most = name, sum(good)
    return best


def _is_time(text: str, decimal: str) -> bool:
    return _TIME.fullmatch(text.replace(decimal, ".")) is not None


def _fits(row: Sequence[str], layout: Sequence[str], decimal: str) -> bool:
    return all(
        _is_time(field, decimal)
        for field, name in zip(row, layout, strict=True)
        if name in ("onset", "offset")
    )


def _without_header(
    path: Path, rows: Sequence[Line], decimal: str, columns: Sequence[str] | None
) -> EventTable:
    unknown = sorted(set(columns or ()) - set(ALL))
    if unknown:
        raise ConfigError(f"layout: unknown column '{unknown[0]}'. Known: {', '.join(ALL)}")
    layouts = {
        width: tuple(columns[:width]) if columns else _layout(rows, width, decimal)
        for width in {len(row.fields) for row in rows}
    }
    names = any("file" in layout for width, layout in layouts.items() if width > 1)
    cells: list[dict[str, str]] = []
    for row in rows:
        layout = layouts[len(row.fields)]
        number = len(row.fields) == 1 and not names and _is_time(row.fields[0], decimal)
        if len(layout) != len(row.fields) or not _fits(row.fields, layout, decimal) or number:
            raise DataError(f"{path}: row {row.number}: {_complaint(row.fields, columns)}")
        cells.append(dict(zip(layout, row.fields, strict=True)))
    return of_cells(path, rows, cells, decimal)


def _layout(rows: Sequence[Line], width: int, decimal: str) -> tuple[str, ...]:
    """The first layout that fits all rows of a width, else the one that fits most."""
    same = [row.fields for row in rows if len(row.fields) == width]
    return max(
        LAYOUTS.get(width, ()),
        key=lambda layout: sum(_fits(row, layout, decimal) for row in same),
        default=(),
    )


def _complaint(cells: Sequence[str], columns: Sequence[str] | None) -> str:
    allowed = " ".join(columns or ()) or (
        "onset offset [label], file onset offset [label [identifier]], file scene onset offset"
        " [label [source [identifier]]], or a file alone"
    )
    return f"'{' | '.join(cells)}' is no event. Allowed: {allowed}"


def _with_header(
    path: Path, rows: Sequence[Line], columns: dict[str, int], decimal: str
) -> EventTable:
    refuse_longer(path, rows)
    cells = [
        {name: row.fields[at] for name, at in columns.items() if at < len(row.fields)}
        for row in rows[1:]
    ]
    return of_cells(path, rows[1:], cells, decimal)


def refuse_longer(path: Path, rows: Sequence[Line], *, shorter: bool = True) -> None:
    """Raise DataError for the first line with more fields than the header, or with fewer.

    Args:
        path: the file, for messages
        rows: the header and the lines below it
        shorter: whether a line may have fewer fields
    """
    width = len(rows[0].fields)
    for row in rows[1:]:
        if len(row.fields) > width or not (shorter or len(row.fields) == width):
            raise DataError(
                f"{path}: row {row.number}: {counted(len(row.fields), 'field')}, but the header has {width}"
            )


def of_cells(
    path: Path, rows: Sequence[Line], cells: Sequence[dict[str, str]], decimal: str
) -> EventTable:
    """Events of rows whose columns are known.

    Args:
        path: the file, for messages
        rows: numbers of the rows
        cells: column -> text of each row
        decimal: what separates the decimals of a time
    """
    times = {
        name: [
            _time(path, row, cell.get(name, ""), name, decimal)
            for row, cell in zip(rows, cells, strict=True)
        ]
        for name in ("onset", "offset")
    }
    return EventTable.of(
        [posix(cell["file"]) if cell.get("file") else None for cell in cells],
        times["onset"],
        times["offset"],
        [label_or_none(cell.get("label", "")) for cell in cells],
        [row.number for row in rows],
        str(path),
    )


def _time(path: Path, row: Line, text: str, name: str, decimal: str) -> float:
    """A time in s; NaN if there is none."""
    if not text:
        return float("nan")
    value = number(text.replace(decimal, "."))
    if value != value:
        raise DataError(f"{path}: row {row.number}: {name} '{text}' is no time in seconds")
    return value
