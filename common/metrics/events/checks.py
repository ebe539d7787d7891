"""What may be wrong with events, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...core.errors import ConfigError, DataError
from .lists import EventList, intersecting, merged

Overlap = Literal["error", "merge", "allow"]


class Fault(NamedTuple):
    """A rule that an event breaks.

    Args:
        at: place of the event in its list, from 0
        rule: what is wrong, with the numbers found
    """

    at: int
    rule: str


def negative_times(events: EventList) -> list[Fault]:
    """Events that start before 0 s."""
    return [
        Fault(int(at), f"onset {events.onset[at]:g} s is negative")
        for at in np.flatnonzero(events.onset < 0)
    ]


def reversed_times(events: EventList) -> list[Fault]:
    """Events that end before they start.

    >>> reversed_times(EventList([0], [0], [2.0], [1.0]))
    [Fault(at=0, rule='onset 2 s is after offset 1 s')]
    """
    return [
        Fault(int(at), f"onset {events.onset[at]:g} s is after offset {events.offset[at]:g} s")
        for at in np.flatnonzero(events.onset > events.offset)
    ]


def beyond_duration(
    events: EventList, durations: np.ndarray, *, tolerance: float = 0.0
) -> list[Fault]:
    """Events that end behind the end of their file.

    Args:
        events: events with file codes below the number of durations
        durations: length of each file in s
        tolerance: how far an event may reach beyond it in s, as annotations are rounded
    """
    limits = np.asarray(durations, np.float64)[events.file]
    return [
        Fault(
            int(at),
            f"offset {events.offset[at]:g} s lies beyond the end of the file ({limits[at]:g} s)",
        )
        for at in np.flatnonzero(events.offset > limits + tolerance)
    ]


def beyond_recording(events: EventList, durations: np.ndarray) -> list[Fault]:
    """Events that have a length and lie wholly outside their recording.

    Args:
        events: events with file codes below the number of durations
        durations: length of each file in s; NaN: the file is not known
    """
    limits = np.asarray(durations, np.float64)[events.file]
    outside = ~((events.onset < limits) & (events.offset > 0)) & (events.offset > events.onset)
    return [
        Fault(
            int(at),
            "the duration of the file is not known"
            if np.isnan(limits[at])
            else f"{events.onset[at]:g} to {events.offset[at]:g} s lies outside the recording"
            f" ({limits[at]:g} s)",
        )
        for at in np.flatnonzero(outside)
    ]


def unknown_labels(events: EventList, n_labels: int) -> list[Fault]:
    """Events whose label is not evaluated."""
    return [
        Fault(int(at), "label is not among the evaluated labels")
        for at in np.flatnonzero(events.label >= n_labels)
    ]


def repeated_events(events: EventList) -> list[Fault]:
    """Copies: events with file, label and times of an earlier one of the list."""
    order = np.lexsort(
        (np.arange(len(events)), events.offset, events.onset, events.label, events.file)
    )
    same = np.ones(max(len(events) - 1, 0), dtype=bool)
    for values in (events.file, events.label, events.onset, events.offset):
        same &= np.diff(values[order]) == 0
    return [Fault(int(at), "the same event a second time") for at in np.sort(order[1:][same])]


def overlaps(
    events: EventList, place: Callable[[int], str] = lambda at: f"event {at + 1}"
) -> list[Fault]:
    """Events that intersect an earlier one of their file and label.

    Args:
        events: events in any order
        place: how the message names the other event, for example by its row
    """
    first, second = intersecting(events)
    return [
        Fault(
            int(late),
            f"{events.onset[late]:g} to {events.offset[late]:g} s overlaps {place(int(early))}"
            f" ({events.onset[early]:g} to {events.offset[early]:g} s) of the same label",
        )
        for early, late in zip(first, second, strict=True)
    ]


def refuse(
    faults: Sequence[Fault],
    what: str,
    events: EventList,
    files: Sequence[str],
    labels: Sequence[str],
) -> None:
    """Raise DataError for the first fault, and say how many there are.

    Args:
        faults: faults of ``events``
        what: truth or prediction
        events: the events
        files: names of the files
        labels: names of the labels; codes behind them are shown as numbers
    """
    if not faults:
        return
    at, rule = min(faults)
    label = f", '{labels[code]}'" if (code := int(events.label[at])) < len(labels) else ""
    more = f" ({len(faults)} such events)" if len(faults) > 1 else ""
    raise DataError(f"{what}: file '{files[events.file[at]]}', event {at + 1}{label}: {rule}{more}")


def settle_overlaps(
    events: EventList, overlap: Overlap, what: str, files: Sequence[str], labels: Sequence[str]
) -> EventList:
    """Events after the rule for events of one label that intersect.

    Args:
        events: events
        overlap: ``error``: refused, copies of an event excepted, as psds_eval does;
            ``merge``: replaced by their union; ``allow``: taken as they are
        what: truth or prediction, for the message
        files: names of the files
        labels: names of the labels

    Raises:
        DataError: with file, event and times
    """
    if overlap == "error":
        refuse(overlaps(events), what, events, files, labels)
    elif overlap == "merge":
        return merged(events)
    elif overlap != "allow":
        raise ConfigError(f"overlap: '{overlap}' is none of error, merge, allow")
    return events
