"""Event lists with names, as they stand in files, and their way to the arrays of the metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import DataError
from ...metrics.events.lists import EventList

_WINDOWS = re.compile(r"[A-Za-z]:\\|\\")


@dataclass(frozen=True, eq=False)
class EventTable:
    """Rows of an event list.

    A row without times says that a recording belongs to the list but has no events.

    Args:
        file: recording as written, posix; None: the row names none; shape (N,)
        onset: start in s; NaN: the row is no event
        offset: end in s; NaN: the row is no event
        label: label; None: the row names none
        row: number of the line (or row of a table) that it comes from, from 1
        source: file or table, for messages; shape (N,)
    """

    file: np.ndarray
    onset: np.ndarray
    offset: np.ndarray
    label: np.ndarray
    row: np.ndarray
    source: np.ndarray

    def __len__(self) -> int:
        return len(self.onset)

    def __getitem__(self, index: Any) -> EventTable:
        return EventTable(*(getattr(self, name)[index] for name in self.__dataclass_fields__))

    @classmethod
    def of(
        cls,
        file: Iterable[str | None],
        onset: Iterable[float],
        offset: Iterable[float],
        label: Iterable[str | None],
        row: Iterable[int],
        source: str,
    ) -> EventTable:
        """Table from columns; times are checked.

        Raises:
            DataError: with source and row, for a time that is missing, infinite or negative,
                and for an onset after the offset
        """
        rows = np.fromiter(row, np.int64)
        table = cls(
            _objects(file),
            np.fromiter(onset, np.float64),
            np.fromiter(offset, np.float64),
            _objects(label),
            rows,
            np.full(len(rows), source, dtype=object),
        )
        table._check_times()
        return table

    @classmethod
    def concatenate(cls, tables: Sequence[EventTable]) -> EventTable:
        """Rows of several tables one after the other."""
        if not tables:
            return cls.of((), (), (), (), (), "")
        return cls(
            *(
                np.concatenate([getattr(table, name) for table in tables])
                for name in cls.__dataclass_fields__
            )
        )

    @property
    def is_event(self) -> np.ndarray:
        """Whether a row is an event and not only the name of a recording."""
        return ~np.isnan(self.onset)

    @property
    def files(self) -> tuple[str, ...]:
        """Recordings that the rows name, in order."""
        return tuple(dict.fromkeys(name for name in self.file if name is not None))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the events, sorted."""
        return tuple(sorted({name for name in self.label[self.is_event] if name is not None}))

    def rows(self) -> list[tuple[str | None, float | None, float | None, str | None]]:
        """Tuples (file, onset, offset, label), None for what is missing."""
        return [
            (file, None if start != start else start, None if end != end else end, label)
            for file, start, end, label in zip(
                self.file, self.onset.tolist(), self.offset.tolist(), self.label, strict=True
            )
        ]

    def place(self, index: int) -> str:
        """Where a row comes from, for messages."""
        name = self.file[index]
        of = f" (file '{name}')" if name is not None else ""
        return f"{self.source[index]}: row {self.row[index]}{of}"

    def named(self, *, file: str | None = None, label: str | None = None) -> EventTable:
        """The table with a name for rows that name no recording, or no label."""
        columns = {"file": (self.file, file), "label": (self.label, label)}
        filled = {
            name: values if fill is None else np.where(values == None, fill, values)  # noqa: E711
            for name, (values, fill) in columns.items()
        }
        return EventTable(
            filled["file"], self.onset, self.offset, filled["label"], self.row, self.source
        )

    def _check_times(self) -> None:
        self._refuse_half()
        infinite = np.isinf(self.onset) | np.isinf(self.offset)
        self._refuse(infinite, "has an infinite time")
        self._refuse((self.onset < 0) | (self.offset < 0), "has a negative time")
        self._refuse(self.onset > self.offset, "has its onset after its offset")

    def _refuse_half(self) -> None:
        half = np.flatnonzero(np.isnan(self.onset) != np.isnan(self.offset))
        if len(half):
            at = int(half[0])
            times = {"onset": self.onset[at], "offset": self.offset[at]}
            (missing,) = (name for name, time in times.items() if np.isnan(time))
            (there,) = set(times) - {missing}
            raise DataError(
                f"{self.place(at)}: the {missing} is missing: {there} {times[there]:g} s"
            )

    def _refuse(self, wrong: np.ndarray, rule: str) -> None:
        if wrong.any():
            at = int(np.argmax(wrong))
            times = f"onset {self.onset[at]:g} s, offset {self.offset[at]:g} s"
            raise DataError(f"{self.place(at)}: {rule}: {times}")

    def refuse_nameless(self) -> None:
        """Raise DataError for the first event without recording, or else without label."""
        for values, what in ((self.file, "recording"), (self.label, "label")):
            missing = np.flatnonzero(self.is_event & (values == None))  # noqa: E711
            if len(missing):
                raise DataError(f"{self.place(int(missing[0]))}: the event has no {what}")

    def encode(self, files: Sequence[str], labels: Sequence[str]) -> tuple[EventList, np.ndarray]:
        """Events as the metrics take them.

        Events of recordings that are not in ``files`` are left out: those are not evaluated.
        Labels that are not in ``labels`` get codes behind these, which mean something within
        this table only.

        Args:
            files: recordings to evaluate
            labels: labels to evaluate

        Returns:
            events, and the index of the row of each

        Raises:
            DataError: for an event without recording or label
        """
        self.refuse_nameless()
        events = np.flatnonzero(self.is_event)
        file = _codes(self.file[events], files)
        events, file = events[file >= 0], file[file >= 0]
        classes = tuple(labels)
        others = sorted(set(self.label[events]) - set(classes))
        label = _codes(self.label[events], (*classes, *others))
        return EventList(file, label, self.onset[events], self.offset[events]), events


def _codes(values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Place of each value among the names; -1 for others."""
    import pandas as pd

    return np.asarray(
        pd.Index(list(names), dtype=object).get_indexer(pd.Index(values, dtype=object)),
        dtype=np.int64,
    )


def _objects(values: Iterable[Any]) -> np.ndarray:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def posix(path: str) -> str:
    r"""A relative Windows path with forward slashes; others as they are.

    >>> posix("a\\b.wav"), posix("C:\\b.wav"), posix("a/b.wav")
    ('a/b.wav', 'C:\\b.wav', 'a/b.wav')
    """
    return path if _WINDOWS.match(path) else path.replace("\\", "/")


def number(value: Any) -> float:
    """A value, or its text in ASCII digits, as a number; NaN if it is none.

    Python also reads digits of other scripts and underscores, which tables do not.

    >>> number("1.5"), number("1_5"), number("\u0661"), number(None)
    (1.5, nan, nan, nan)
    """
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def label_or_none(text: str) -> str | None:
    """A label; None for what stands for no label: nothing, or the word none."""
    return None if text == "" or text.lower() == "none" else text
