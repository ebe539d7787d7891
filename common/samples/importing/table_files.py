"""Tables of others as text: CSV, TSV, JSON lines and parquet, in any encoding that is named."""

from __future__ import annotations

import codecs
import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core import parquet
from ...core.documents import parse_json
from ...core.errors import ConfigError, DataError
from ...core.wording import counted
from ..base import MOST_COLUMNS

#: endings of files that hold a table
TABLES = (".csv", ".tsv", ".txt", ".parquet", ".jsonl", ".json")
#: what separates fields
DELIMITERS = "\t,;|"
#: beginnings of files that say how they are encoded
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are text; an empty text is a missing value.

    Args:
        path: file that it was read from
        columns: names of its columns
        rows: number of the row for messages -> column -> text
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[str, Mapping[str, str]], ...]


def read_table(path: Path, encoding: str = "") -> TextTable:
    """Read a table by the ending of its name.

    Args:
        path: the file
        encoding: of a text; UTF-8, or UTF-16 with its mark, if empty

    Raises:
        ConfigError: if the ending or the encoding is unknown
        DataError: if the file cannot be read, is no table, or has too many columns
    """
    ending = path.suffix.lower()
    if ending == ".parquet":
        return _parquet(path)
    if ending in (".jsonl", ".json"):
        return _json(path, read_text(path, encoding))
    if ending in TABLES:
        return _delimited(path, read_text(path, encoding))
    raise ConfigError(f"{path}: is not a table. Tables end in {', '.join(TABLES)}")


def read_text(path: Path, encoding: str = "") -> str:
    """Text of a file.

    Raises:
        ConfigError: if there is no such encoding
        DataError: if it is no text in this encoding
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    mark = next((name for start, name in _MARKS if content.startswith(start)), "utf-8")
    try:
        return content.decode(encoding or mark)
    except LookupError:
        raise ConfigError(f"{path}: unknown encoding '{encoding}'") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: line {line}: is not {(encoding or mark).removesuffix('-sig').upper()} text;"
            " say how it is encoded, for example --encoding cp1252 (in a layout, encoding: cp1252)"
        ) from None


def _delimited(path: Path, text: str) -> TextTable:
    first = text.split("\n", 1)[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(DELIMITERS, key=first.count)
    # texts separated by tabs are written without quotes, which may then be part of a sentence
    lines_of_text = io.StringIO(text, newline="")
    if delimiter == "\t":
        reader = csv.reader(lines_of_text, delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(lines_of_text, delimiter=delimiter, skipinitialspace=True)
    try:
        lines = [(f"line {reader.line_num}", row) for row in reader if any(row)]
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num}: cannot be read: {error}") from None
    if not lines:
        raise DataError(f"{path}: is empty")
    # a column without a name, such as the numbers of rows that R writes, is called by its place
    _few(path, len(lines[0][1]))
    header = [name.strip() or f"#{n}" for n, name in enumerate(lines[0][1], 1)]
    _distinct(path, header)
    rows = []
    for number, (line, row) in enumerate(lines[1:], 1):
        if len(row) < len(header) or any(row[len(header) :]):
            end = "; the file may be cut off" if number == len(lines) - 1 else ""
            fault = f"{counted(len(row), 'field')}, expected {len(header)}{end}"
            raise DataError(f"{path}: {line}: {fault}")
        cells = zip(header, row, strict=False)
        rows.append((line, {name: cell.strip() for name, cell in cells}))
    return TextTable(path, tuple(header), tuple(rows))


def _json(path: Path, text: str) -> TextTable:
    """Objects, one per line, or one list of them."""
    try:
        if path.suffix.lower() == ".json":
            content = parse_json(text)
            items = list(enumerate(content, 1)) if isinstance(content, list) else []
            objects = [(f"entry {number}", item) for number, item in items]
        else:
            lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
            objects = []
            for number, line in lines:
                objects.append((f"line {number}", parse_json(line)))
    except ValueError as error:
        last = f"line {number}: " if path.suffix.lower() == ".jsonl" else ""
        raise DataError(f"{path}: {last}is not valid JSON: {str(error).splitlines()[0]}") from None
    for where, item in objects:
        if not isinstance(item, Mapping):
            raise DataError(f"{path}: {where}: expected names and values, found {item!r:.60}")
    if not objects:
        raise DataError(f"{path}: holds no list of objects with names and values")
    return as_table(path, objects)


def _parquet(path: Path) -> TextTable:
    import pyarrow

    try:
        content = parquet.table(path).to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise DataError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    return as_table(path, [(f"row {n}", row) for n, row in enumerate(content, 1)])


def as_table(path: Path, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> TextTable:
    """Rows of objects as text; lists and objects in them are left out.

    >>> as_table(Path("x"), [("row 1", {"a": 1, "b": None, "c": [2]})]).rows
    (('row 1', {'a': '1', 'b': ''}),)
    """
    objects = list(rows)
    nested = {
        name for _, row in objects for name, value in row.items() if isinstance(value, dict | list)
    }
    columns = tuple(dict.fromkeys(n for _, row in objects for n in row if n not in nested))
    _few(path, len(columns))
    texts = tuple((where, {n: as_text(row.get(n)) for n in columns}) for where, row in objects)
    return TextTable(path, columns, texts)


def as_text(value: object) -> str:
    """A value as a CSV file holds it; missing is empty.

    >>> as_text(None), as_text(float("nan")), as_text(0.5), as_text(" a ")
    ('', '', '0.5', 'a')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(value).strip()


def _distinct(path: Path, names: list[str]) -> None:
    repeated = [name for name, number in Counter(names).items() if number > 1]
    if repeated:
        raise DataError(f"{path}: column '{min(repeated)}' appears twice")


def _few(path: Path, number: int) -> None:
    """Refuse more columns than a table of labels or predictions has: each row holds all of them."""
    if number > MOST_COLUMNS:
        raise DataError(f"{path}: {number:,} columns, at most {MOST_COLUMNS:,} are read")


def to_csv(rows: Iterable[Mapping[str, str]]) -> str:
    """CSV text of rows that need not have the same columns; the first row's come first."""
    objects = list(rows)
    columns = list(dict.fromkeys(name for row in objects for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(objects)
    return text.getvalue()
