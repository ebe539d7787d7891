"""Estimates of a system: one list, or a folder with recordings, folds or operating points."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ...core.errors import DataError
from ...samples.event_lists import EventTable, read_events
from ...samples.event_lists.folders import look
from ...samples.event_lists.text_lists import EXTENSIONS, RECORDS
from .names import Names

#: extensions of event lists in a folder
LISTS = (*EXTENSIONS, ".parquet", ".jams")


class OperatingPoint(NamedTuple):
    """Events of a system at one operating point.

    Args:
        name: name of the point: that of its list without extension
        table: the events
    """

    name: str
    table: EventTable


@dataclass(frozen=True)
class Estimate:
    """Events of a system.

    Args:
        path: file or folder
        kind: ``list``, ``recordings``, ``folds`` or ``points``
        points: its operating points
    """

    path: Path
    kind: str
    points: tuple[OperatingPoint, ...]

    def renamed(self, names: Names, alone: str | None) -> Estimate:
        """The estimate with complete names of recordings.

        Args:
            names: completes them
            alone: the recording of rows that name none
        """
        points = (p._replace(table=names.complete(p.table, alone=alone)) for p in self.points)
        return replace(self, points=tuple(points))


def read_estimate(path: Path, folder: str) -> Estimate:
    """Read a list or a folder of lists.

    Args:
        path: file or folder
        folder: what the lists of a folder are: recordings, folds, points, or auto: recordings
            if no list names one, folds if no recording is named by two lists, else points

    Raises:
        DataError: with file and row, for what is no event list, for a folder without lists,
            and for a recording in two folds
    """
    if not path.exists():
        raise DataError(f"--estimate {path}: there is no such file or folder")
    if not path.is_dir():
        return Estimate(path, "list", (OperatingPoint(path.stem, read_events(path)),))
    # a folder of lists may hold settings as YAML or JSON, too
    parts = sorted(look(path, LISTS).parts or look(path, RECORDS).parts, key=_natural)
    if not parts:
        raise DataError(
            f"--estimate {path}: holds no event list; known: {', '.join((*LISTS, *RECORDS))}"
        )
    points = [OperatingPoint(part.stem, read_events(part)) for part in parts]
    kind = _kind(points) if folder == "auto" else folder
    if kind == "points":
        return Estimate(path, kind, tuple(points))
    if kind == "folds":
        _refuse_shared(points)
        tables = [point.table for point in points]
    else:
        tables = [of_recording(point) for point in points]
    return Estimate(path, kind, (OperatingPoint(path.name, EventTable.concatenate(tables)),))


def _kind(points: list[OperatingPoint]) -> str:
    if not any(point.table.files for point in points):
        return "recordings"
    seen: set[str] = set()
    for point in points:
        if seen & set(point.table.files):
            return "points"
        seen |= set(point.table.files)
    # alone a list cannot be told to be a fold; it makes no difference
    return "folds"


def _refuse_shared(points: list[OperatingPoint]) -> None:
    where: dict[str, str] = {}
    for point in points:
        for at, file in enumerate(point.table.file):
            if file is None:
                continue
            if where.setdefault(file, point.name) != point.name:
                raise DataError(
                    f"{point.table.place(at)}: fold '{where[file]}' holds this recording, too"
                )


def of_recording(point: OperatingPoint) -> EventTable:
    """Events of a list that names no recording, as those of the recording that it is named after."""
    if len(point.table):
        return point.table.named(file=point.name)
    nan = float("nan")
    return EventTable.of([point.name], [nan], [nan], [None], [1], point.name)


def _natural(path: Path) -> tuple[list[tuple[int, float, str]], str]:
    """Sorts numbers by their value: fold10 behind fold9."""
    parts = re.split(r"(\d+(?:\.\d+)?)", path.stem)
    return [(0, float(p), "") if p[:1].isdigit() else (1, 0.0, p) for p in parts if p], path.name
