"""What events must keep to so that they can be scored."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import DataError
from ...samples.event_lists.checking import beyond, check_events, first_of
from ...samples.event_lists.table import EventTable

#: part of a message -> options that help
HINTS = {
    "unknown label": "--event-label-list and --unknown-labels",
    "unknown recording": "--durations, which says what is evaluated",
    "beyond the end": "--slack and --outside",
    "overlaps row": "--overlap",
    "second time": "--overlap",
}
#: differences in s that are not worth a note
ROUNDING_S = 0.05


@dataclass(frozen=True)
class EventRules:
    """What events must keep to."""

    files: Sequence[str]
    labels: Sequence[str]
    lengths: Mapping[str, float] | None
    args: argparse.Namespace

    def check(self, table: EventTable) -> list[str]:
        """Raise DataError for the first event that breaks a rule; returns notes."""
        notes = self._checked(table)
        return self._strangers(table) + notes

    def _checked(self, table: EventTable) -> list[str]:
        try:
            self._refuse(table)
        except DataError as error:
            hints = [hint for fault, hint in HINTS.items() if fault in str(error)]
            if not hints:
                raise
            raise DataError(f"{error}; see {hints[0]}") from None
        return self._beyond(table)

    def _refuse(self, table: EventTable) -> None:
        rule = "error" if self.args.overlap == "error" else "allow"
        lengths = None if self.args.outside == "ignore" else self.lengths
        check_events(
            table,
            files=self.files,
            labels=self.labels,
            durations=lengths,
            overlap=rule,
            repeated=rule,
            slack=self.args.slack,
        )

    def _strangers(self, table: EventTable) -> list[str]:
        """Recordings without events that are not evaluated; a list of these alone is none of ours."""
        if self.lengths is None:
            return []
        strange = [file for file in table.files if file not in self.lengths]
        if strange and len(strange) == len(table.files):
            raise DataError(
                f"{table.place(0)}: recording '{strange[0]}' is not evaluated, nor is any other of"
                " this list; see --durations, which says what is evaluated"
            )
        if not strange:
            return []
        first = int(np.flatnonzero(table.file == strange[0])[0])
        more = f" (and {len(strange) - 1} more)" if len(strange) > 1 else ""
        return [f"{table.place(first)}: recording '{strange[0]}' is not evaluated{more}"]

    def check_estimate(self, table: EventTable) -> list[str]:
        """As :meth:`check`, for events of a system."""
        events = table
        if self.args.unknown_labels == "ignore":
            events = table[np.isin(table.label, list(self.labels)) | ~table.is_event]
        notes = self._checked(events)
        return self._strangers(table) + notes

    def _beyond(self, table: EventTable) -> list[str]:
        if self.lengths is None:
            return []
        events = table[table.is_event]
        faults = beyond(events, self.lengths, ROUNDING_S)
        return [f"{first_of(events, faults)}; taken as it is"] if faults else []
