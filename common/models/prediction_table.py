"""A table of predictions: CSV or parquet, read, checked and made searchable."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core import parquet
from ..core.errors import BrokenFile, ModelError, reason_of
from ..core.files import may_never_end
from ..spec.view import ORIGINAL
from .base import LATEST_NS

#: columns that say what a row belongs to
KEYS = ("file", "start", "end", "dataset", "condition")
END = -1
_TIME = re.compile(r"(?:(-?\d+) days?)?(?: ?\+?(\d+):(\d\d):(\d\d(?:\.\d+)?))?")


def header(path: Path, where: str) -> list[str]:
    """Column names, without reading the rows.

    Raises:
        ModelError: if the file cannot be read or has no column ``file``
    """
    if may_never_end(path):
        raise ModelError(f"{where}: {path.name} is not a file that can be read")
    try:
        if path.suffix == ".parquet":
            names = parquet.names(path)
        else:
            names = _csv_header(path)
    except (OSError, ValueError, csv.Error) as error:
        raise _unreadable(path, where, error) from None
    if not names:
        raise ModelError(f"{where}: {path.name} is empty")
    if "file" not in names:
        shown = ", ".join(names)
        raise ModelError(
            f"{where}: {path.name} has no column 'file', it has: {shown:.200}. "
            "Columns are separated by commas"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelError(f"{where}: {path.name} has the column '{twice}' twice")
    return names


def _csv_header(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return next(csv.reader(file), [])


def read(path: Path, where: str) -> pd.DataFrame:
    """All rows; cells of a CSV file as text.

    Raises:
        ModelError: if the file cannot be read, or a row has too many or too few cells
    """
    header(path, where)
    try:
        if path.suffix == ".parquet":
            table = parquet.frame(path)
            table = table if "file" in table else table.reset_index()
            if "file" not in table:
                raise ValueError("what pandas wrote about its index names no column 'file'")
            return table
        return _csv(path)
    except (OSError, ValueError, csv.Error) as error:
        raise _unreadable(path, where, error) from None


def _unreadable(path: Path, where: str, error: Exception) -> BrokenFile:
    if isinstance(error, UnicodeDecodeError):
        return BrokenFile(f"{where}: {path.name} is not UTF-8 text (byte {error.start})")
    text = " ".join(reason_of(error).split())
    return BrokenFile(f"{where}: {path.name} cannot be read: {text.replace(str(path), path.name)}")


def _csv(path: Path) -> pd.DataFrame:
    # not by pandas, which takes a cell too many for an index and says nothing
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        names = next(reader, [])
        rows = []
        for row in reader:
            if len(row) != len(names) and row:
                raise ValueError(
                    f"line {reader.line_num}: expected {len(names)} cells, found {len(row)}"
                )
            if row:
                rows.append(row)
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    cells = {n: pd.Series(c, dtype=object) for n, c in zip(names, columns, strict=True)}
    return pd.DataFrame(cells)


class Rows:
    """Finds the row of a sample.

    Rows without ``start`` and ``end`` are whole files. Times are seconds, or text such as
    ``0 days 00:00:01.5``; they may differ by a microsecond, the digits that usual tools write.

    Args:
        table: the predictions
        name: name of the file, for messages

    Raises:
        ModelError: if a time is none, or two rows are for the same sample
    """

    def __init__(self, table: pd.DataFrame, name: str):
        self.name = name
        self.has_dataset = "dataset" in table
        count = len(table)
        start = times(table["start"], name, 0) if "start" in table else [0] * count
        end = times(table["end"], name, END) if "end" in table else [END] * count
        self._row: dict[tuple[Any, ...], int] = {}
        self._segments: dict[tuple[str, str, str], list[int]] = {}
        self._times = list(zip(start, end, strict=True))
        for row, (first_ns, last_ns) in enumerate(self._times):
            if last_ns != END and last_ns <= first_ns:
                raise ModelError(
                    f"{name}: row {line(row)}: the end, {last_ns / 1e9:g} s, is not after the "
                    f"start, {first_ns / 1e9:g} s"
                )
        self.conditions: dict[str, None] = {}
        groups = zip(_text(table, "dataset"), _text(table, "condition"), table["file"], strict=True)
        for row, (dataset, condition, file) in enumerate(groups):
            condition = "" if condition == ORIGINAL else condition
            self.conditions.setdefault(condition)
            group = (dataset, condition, str(file))
            first = self._row.setdefault((*group, *self._times[row]), row)
            if first != row:
                raise ModelError(
                    f"{name}: rows {line(first)} and {line(row)} are for the same sample: {file}"
                )
            self._segments.setdefault(group, []).append(row)

    def find(
        self, datasets: Sequence[str], condition: str, file: str, start: int, end: int
    ) -> int | None:
        """Number of the row of a sample, None if there is none.

        Args:
            datasets: names under which the dataset may stand in the column ``dataset``
            condition: condition of the input; empty: the original
            file: path in the database
            start: start in ns
            end: end in ns; -1: end of the file
        """
        for dataset in (*datasets, "") if self.has_dataset else ("",):
            row = self._row.get((dataset, condition, file, start, end))
            if row is not None:
                return row
            for row in self._segments.get((dataset, condition, file), ()):
                first, last = self._times[row]
                near = abs(first - start) <= 1000 and abs(last - end) <= 1000
                if near and (last == END) == (end == END):
                    return row
        return None

    def other(self, datasets: Sequence[str], condition: str, file: str) -> tuple[int, int] | None:
        """Start and end of the first row of a file, for a hint; None if it has none."""
        for dataset in (*datasets, "") if self.has_dataset else ("",):
            rows = self._segments.get((dataset, condition, file))
            if rows:
                return self._times[rows[0]]
        return None


def line(row: int) -> int:
    """Number of a row as an editor shows it: the header is line 1."""
    return row + 2


def _text(table: pd.DataFrame, column: str) -> list[str]:
    if column not in table:
        return [""] * len(table)
    values = table[column].astype(object)
    return ["" if missing(value) else str(value) for value in values]


def missing(value: Any) -> bool:
    """Whether a cell is empty."""
    return value is None or value == "" or value is pd.NaT or value is pd.NA or value != value


def times(column: pd.Series, name: str, empty: int) -> list[int]:
    """Times in ns.

    Args:
        column: seconds, or text such as ``0 days 00:00:01.5``, or timedeltas
        name: name of the file, for messages
        empty: value of empty cells

    Raises:
        ModelError: if a cell is no time, with its row

    >>> times(pd.Series(["1.5", "0 days 00:01:00.000000001", ""]), "a.csv", -1)
    [1500000000, 60000000001, -1]
    """
    if column.dtype.kind == "m":
        values = column.to_numpy().astype("timedelta64[ns]").astype(np.int64)
        return np.where(column.isna(), empty, values).tolist()
    result = []
    for row, value in enumerate(column.astype(object)):
        try:
            result.append(empty if missing(value) else _nanoseconds(value))
        except (ValueError, OverflowError):
            raise ModelError(
                f"{name}: row {line(row)}: column '{column.name}': expected seconds or "
                f"'0 days 00:00:01.5', found {value!r:.60}"
            ) from None
    return result


def _nanoseconds(value: Any) -> int:
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or not match.group():
        seconds = value.total_seconds() if hasattr(value, "total_seconds") else float(value)
        result = round(seconds * 1e9)
    else:
        days, hours, minutes, clock = match.groups(default="0")
        whole, _, fraction = clock.partition(".")
        total = (int(days) * 24 + int(hours)) * 60 + int(minutes)
        result = (total * 60 + int(whole)) * 10**9 + int(fraction[:9].ljust(9, "0"))
    if not 0 <= result < LATEST_NS:
        raise ValueError("no time of audio")
    return result
