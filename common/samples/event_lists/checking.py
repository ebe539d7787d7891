"""What may be wrong with event lists as a whole, with file and row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...core.errors import ConfigError, DataError
from ...core.registry import unknown
from ...metrics.events import checks
from ...metrics.events.checks import Fault
from .table import EventTable

#: how far in s an event may reach beyond the end of its recording: annotations are rounded
SLACK_S = 0.1


def check_events(
    table: EventTable,
    *,
    files: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    durations: Mapping[str, float] | None = None,
    overlap: str = "error",
    repeated: str = "error",
    slack: float = SLACK_S,
) -> None:
    """Refuse events that break a rule.

    Times themselves are checked when a list is read.

    Args:
        table: the events
        files: recordings that may occur; None: any
        labels: labels that may occur; None: any
        durations: length of the recordings in s; each recording with an event must have one;
            None: not checked
        overlap: ``error`` or ``allow`` events of one label that intersect
        repeated: ``error`` or ``allow`` events that occur twice
        slack: how far in s an event may reach beyond the end of its recording

    Raises:
        DataError: with list, row, recording and rule of the first event that breaks one
        ConfigError: for an unknown option
    """
    for name, value in (("overlap", overlap), ("repeated", repeated)):
        if value not in ("error", "allow"):
            raise ConfigError(f"{name}: '{value}' is neither error nor allow")
    table = table[table.is_event]
    for names, values, what in (
        (files, table.file, "recording"),
        (labels, table.label, "label"),
        (None if durations is None else list(durations), table.file, "duration of"),
    ):
        if names is not None:
            _refuse_unknown(table, values, names, what)
    events, _ = table.encode(table.files, table.labels)
    faults = [] if durations is None else beyond(table, durations, slack)
    if repeated == "error":
        faults += checks.repeated_events(events)
    if overlap == "error":
        faults += checks.overlaps(events, lambda at: f"row {table.row[at]}")
    if faults:
        raise DataError(first_of(table, faults))


def beyond(table: EventTable, durations: Mapping[str, float], tolerance: float) -> list[Fault]:
    """Events that end behind the end of their recording.

    Args:
        table: events only
        durations: length of each recording in s
        tolerance: how far in s an event may reach beyond it
    """
    limits = np.array([durations[file] for file in table.files], dtype=np.float64)
    events, _ = table.encode(table.files, table.labels)
    return checks.beyond_duration(events, limits, tolerance=tolerance)


def first_of(table: EventTable, faults: Sequence[Fault]) -> str:
    """Place and rule of the first fault of a table of events, and how many there are."""
    at, rule = min(faults)
    more = f" ({len(faults)} such rows)" if len(faults) > 1 else ""
    return f"{table.place(at)}: {rule}{more}"


def refuse_incomplete(table: EventTable) -> None:
    """Raise DataError for an event without recording or label, and a label without times."""
    table.refuse_nameless()
    timeless = np.flatnonzero(~table.is_event & (table.label != None))  # noqa: E711
    if len(timeless):
        at = int(timeless[0])
        raise DataError(
            f"{table.place(at)}: label '{table.label[at]}' has neither onset nor offset"
        )


def _refuse_unknown(table: EventTable, values: np.ndarray, names: Sequence[str], what: str) -> None:
    allowed = set(names)
    for at, value in enumerate(values):
        if value is not None and value not in allowed:
            raise DataError(str(unknown(what, value, names, table.place(at))))
