"""Events as arrays: the one form that all sound event metrics take.

An event is (file, label, onset, offset). Files and labels are integer codes, so that names are
looked up once and the metrics work on numbers only; a caller keeps the lists of names that the
codes point into.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import DataError
from ..base import check_lengths
from .grouping import running_maximum, sort_order

#: (file, onset in s, offset in s, label)
Row = tuple[Any, Any, Any, Any]


@dataclass(frozen=True, eq=False)
class EventList:
    """Events of one or several files, in the order of the list they come from.

    Args:
        file: code of the file, shape (N,), 0 or more
        label: code of the label, shape (N,); codes from the number of evaluated labels on
            are labels that are not evaluated
        onset: start in s, shape (N,)
        offset: end in s, shape (N,)

    Raises:
        LengthError: if the arrays differ in length
        DataError: if a time is NaN or infinite

    >>> events = EventList([0, 0, 1], [1, 0, 1], [0.5, 0.0, 2.0], [1.5, 1.0, 3.0])
    >>> len(events), events[events.label == 1].onset.tolist()
    (3, [0.5, 2.0])
    """

    file: np.ndarray
    label: np.ndarray
    onset: np.ndarray
    offset: np.ndarray

    def __post_init__(self) -> None:
        for name, kind in (
            ("file", np.int64),
            ("label", np.int64),
            ("onset", np.float64),
            ("offset", np.float64),
        ):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind).ravel())
        check_lengths(file=self.file, label=self.label, onset=self.onset, offset=self.offset)
        wrong = ~(np.isfinite(self.onset) & np.isfinite(self.offset))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise DataError(
                f"event {at + 1}: onset {self.onset[at]:g} s, offset {self.offset[at]:g} s;"
                " times must be finite numbers"
            )

    def __len__(self) -> int:
        return len(self.onset)

    def __getitem__(self, index: Any) -> EventList:
        return EventList(self.file[index], self.label[index], self.onset[index], self.offset[index])

    @classmethod
    def empty(cls) -> EventList:
        """No events."""
        return cls(*(np.empty(0),) * 4)

    @classmethod
    def concatenate(cls, lists: Sequence[EventList]) -> EventList:
        """Events of several lists one after the other."""
        if not lists:
            return cls.empty()
        return cls(
            np.concatenate([events.file for events in lists]),
            np.concatenate([events.label for events in lists]),
            np.concatenate([events.onset for events in lists]),
            np.concatenate([events.offset for events in lists]),
        )

    @classmethod
    def from_rows(
        cls, rows: Iterable[Row], files: Sequence[str], labels: Sequence[str]
    ) -> EventList:
        """Events from tuples (file, onset, offset, label).

        Rows of files that are not in ``files`` are left out: they are not evaluated. Labels
        that are not in ``labels`` get codes behind these, in alphabetical order. Such codes
        mean something within this list only: for two lists that are compared name all labels
        of both, those that are not evaluated last.

        >>> rows = [("b", 0.0, 1.0, "cat"), ("a", 0.0, 1.0, "dog"), ("c", 0.0, 1.0, "dog")]
        >>> events = EventList.from_rows(rows, ["a", "b"], ["dog"])
        >>> events.file.tolist(), events.label.tolist()
        ([1, 0], [1, 0])
        """
        where = {name: code for code, name in enumerate(files)}
        entries = [row for row in rows if row[0] in where]
        codes = {name: code for code, name in enumerate(labels)}
        for name in sorted({row[3] for row in entries} - set(codes)):
            codes[name] = len(codes)
        return cls(
            np.array([where[row[0]] for row in entries], dtype=np.int64),
            np.array([codes[row[3]] for row in entries], dtype=np.int64),
            np.array([row[1] for row in entries], dtype=np.float64),
            np.array([row[2] for row in entries], dtype=np.float64),
        )

    def order(self) -> np.ndarray:
        """Indices that sort by file, onset, offset, label: the order of the list is forgotten."""
        order = sort_order(self.file, self.onset, self.offset)
        tied = (
            (np.diff(self.file[order]) == 0)
            & (np.diff(self.onset[order]) == 0)
            & (np.diff(self.offset[order]) == 0)
        )
        if tied.any():
            order = np.lexsort((self.label, self.offset, self.onset, self.file))
        return order


def intersecting(events: EventList) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of events of one file and label that intersect, one pair per late comer.

    Two events intersect if they share more than a point in time, or if an event without length
    lies inside the other. Copies of an event (equal file, label and times) are no such pair.

    Args:
        events: events in any order

    Returns:
        indices of earlier events, and of events that start before these have ended

    >>> first, second = intersecting(EventList([0] * 3, [0] * 3, [0.0, 1.0, 2.0], [1.5, 2.0, 3.0]))
    >>> first.tolist(), second.tolist()
    ([0], [1])
    """
    if len(events) == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    group = events.file * (int(events.label.max()) + 1) + events.label
    order = sort_order(group, events.onset, events.offset)
    same = (
        (np.diff(group[order]) == 0)
        & (np.diff(events.onset[order]) == 0)
        & (np.diff(events.offset[order]) == 0)
    )
    order = order[np.concatenate(([True], ~same))]
    group, onset, offset = group[order], events.onset[order], events.offset[order]
    longest = running_maximum(group, offset)
    late = np.flatnonzero((group[1:] == group[:-1]) & (onset[1:] < offset[longest[:-1]])) + 1
    return order[longest[late - 1]], order[late]


def merged(events: EventList) -> EventList:
    """Union of events of one file and label that intersect or are copies, sorted.

    Events that only touch stay two.

    >>> events = EventList([0] * 3, [0] * 3, [1.0, 0.0, 1.5], [1.5, 1.2, 2.0])
    >>> merged(events).offset.tolist()
    [1.5, 2.0]
    """
    if len(events) == 0:
        return events
    group = events.file * (int(events.label.max()) + 1) + events.label
    events = events[sort_order(group, events.onset, events.offset)]
    group = events.file * (int(events.label.max()) + 1) + events.label
    longest = events.offset[running_maximum(group, events.offset)]
    copy = (np.diff(events.onset) == 0) & (np.diff(events.offset) == 0)
    joined = (group[1:] == group[:-1]) & ((events.onset[1:] < longest[:-1]) | copy)
    start = np.flatnonzero(np.concatenate(([True], ~joined)))
    last = np.concatenate((start[1:] - 1, [len(events) - 1]))
    return EventList(events.file[start], events.label[start], events.onset[start], longest[last])
