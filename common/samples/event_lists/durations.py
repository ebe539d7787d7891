"""How long recordings are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...core.errors import DataError
from .columns import DURATIONS, find_columns
from .data_frames import read_parquet, texts
from .record_lists import holds_records, record_cells
from .table import number as as_number
from .table import posix
from .text_lists import split_lines

if TYPE_CHECKING:
    import pandas as pd

#: by how much durations of one recording may differ in s, as they are rounded
EQUAL_S = 1e-6


def read_durations(path: Path) -> dict[str, float]:
    """Durations from a table: parquet, or text with the columns filename and duration.

    Text is separated by tabs, commas, semicolons or blanks; without a header the first column is
    the recording and the second its duration. YAML and JSON hold a list of records with these
    names. A recording may be named several times, as in the metadata of DCASE task 4, but with one
    duration only.

    Args:
        path: the table

    Returns:
        recording -> duration in s, in the order of the table

    Raises:
        DataError: with file and row, for a duration that is missing, no number, infinite or
            negative, for two that differ, and for an empty table
    """
    path = Path(path)
    if path.suffix == ".parquet":
        return from_frame(read_parquet(path), str(path))
    if holds_records(path):
        cells = record_cells(path, DURATIONS)
        rows = [(n, posix(c["file"]), c.get("duration", "")) for n, c in enumerate(cells, start=1)]
        return _collected(rows, str(path))
    lines = split_lines(path, required=DURATIONS)
    if not lines:
        raise DataError(f"{path}: is empty")
    columns = find_columns(lines[0].fields, DURATIONS)
    if "duration" not in (columns or DURATIONS) or (
        columns is None and find_columns(lines[0].fields)
    ):
        shown = ", ".join(lines[0].fields)
        raise DataError(f"{path}: has no column duration. Found: {shown}; is it an event list?")
    if columns is None and all(_is_event(line.fields) for line in lines):
        raise DataError(
            f"{path}: row {lines[0].number}: expected a recording and its duration, found "
            f"'{' | '.join(lines[0].fields)}'; is it an event list?"
        )
    body = lines if columns is None else lines[1:]
    at = {name: (columns or {"file": 0, "duration": 1})[name] for name in DURATIONS}
    entries = []
    for row in body:
        if len(row.fields) <= max(at.values()):
            raise DataError(f"{path}: row {row.number}: expected a recording and its duration")
        entries.append((row.number, posix(row.fields[at["file"]]), row.fields[at["duration"]]))
    return _collected(entries, str(path))


def _is_event(fields: list[str]) -> bool:
    """Whether fields without header are a recording, an onset and an offset."""
    try:
        return len(fields) > 2 and float(fields[2]) >= float(fields[1])
    except ValueError:
        return False


def from_frame(frame: pd.DataFrame, source: str = "table") -> dict[str, float]:
    """Durations from a pandas table with the columns filename and duration.

    Raises:
        DataError: as :func:`read_durations`
    """
    columns = find_columns(list(frame.columns), DURATIONS)
    if columns is None:
        header = ", ".join(map(str, frame.columns)) or "none"
        raise DataError(f"{source}: no columns filename and duration. Found: {header}")
    files = texts(frame.iloc[:, columns["file"]], posix)
    values = frame.iloc[:, columns["duration"]]
    return _collected(zip(range(1, len(frame) + 1), files, values, strict=True), source)


def _collected(rows: Iterable[tuple[int, str | None, object]], source: str) -> dict[str, float]:
    durations: dict[str, float] = {}
    for number, file, text in rows:
        if not file:
            raise DataError(f"{source}: row {number}: names no recording")
        value = as_number(text)
        if not (np.isfinite(value) and value >= 0):
            raise DataError(
                f"{source}: row {number} (file '{file}'): duration {text!r} is no time in seconds"
            )
        if abs(durations.setdefault(file, value) - value) > EQUAL_S:
            raise DataError(
                f"{source}: row {number}: '{file}' has two durations: {durations[file]:.10g} s "
                f"before, {value:.10g} s here"
            )
    if not durations:
        raise DataError(f"{source}: names no recording")
    return durations


def durations_of_audio(root: Path, files: Iterable[str]) -> dict[str, float]:
    """Durations from the headers of audio files.

    Args:
        root: folder that the files are relative to
        files: recordings

    Returns:
        recording -> duration in s

    Raises:
        AudioError: if a file is missing or no audio
    """
    from ..audio import info

    return {file: info(Path(root) / file).duration_s for file in files}
