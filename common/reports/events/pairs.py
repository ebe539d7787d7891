"""Pairs of event lists, reference and estimate, as scripts of sed_eval take them."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import DataError
from ...samples.event_lists import EventTable, read_events, read_pairs
from .estimates import Estimate, OperatingPoint, of_recording


def read_pair_list(path: Path) -> tuple[EventTable, Estimate]:
    """Truth and estimate of all recordings of a file with pairs.

    Each pair is a recording. It has the name of its reference without extension, unless the
    lists name it themselves.

    Raises:
        DataError: with file and row, for a list that does not exist or cannot be read, and for two
            references of one name
    """
    if not path.is_file():
        raise DataError(f"--pairs {path}: there is no such file")
    truth: list[EventTable] = []
    estimate: list[EventTable] = []
    names: set[str] = set()
    for reference, estimated in read_pairs(path):
        name = reference.stem
        if name in names:
            raise DataError(f"--pairs {path}: two references are named '{name}'")
        names.add(name)
        for tables, file in ((truth, reference), (estimate, estimated)):
            if not file.is_file():
                raise DataError(f"--pairs {path}: there is no such file: {file}")
            table = read_events(file)
            tables.append(table if table.files else of_recording(OperatingPoint(name, table)))
    point = OperatingPoint(path.stem, EventTable.concatenate(estimate))
    return EventTable.concatenate(truth), Estimate(path, "list", (point,))
