"""Counts of recordings that add up: what figures of the suite, and their resamples, are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base import check_lengths
from .criteria import Criteria
from .event_based import event_counts, match
from .fitting import Collar
from .grouping import expand
from .intersection_based import intersection_counts
from .lists import EventList
from .recordings import SoundEvents
from .segment_counts import segment_counts


class Tally(NamedTuple):
    """Counts of each recording.

    Args:
        tp: items that are found, shape (N, labels)
        ref: items of the truth, shape (N, labels)
        sys: items of the prediction, right or wrong, shape (N, labels)
        errors: substitutions, deletions and insertions together, shape (N,); not defined for
            intersection-based counts, which know none
    """

    tp: np.ndarray
    ref: np.ndarray
    sys: np.ndarray
    errors: np.ndarray


def by_segment(truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float) -> Tally:
    """Counts of segments of ``time_resolution`` s, on the grid of the recordings."""
    check_lengths(truth=truth, prediction=prediction)
    counts = segment_counts(
        truth.events,
        prediction.events,
        len(truth),
        len(truth.labels),
        time_resolution=time_resolution,
        lengths=truth.durations,
        decimals=None,
    )
    errors = counts.substitutions + counts.deletions + counts.insertions
    return Tally(counts.tp, counts.ref, counts.sys, errors)


def by_event(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    t_collar: float,
    percentage_of_length: float,
) -> Tally:
    """Counts of events whose onset and offset fit, matched optimally."""
    check_lengths(truth=truth, prediction=prediction)
    collar = Collar(t_collar, percentage_of_length, True, True, 0.0)
    matches = match(truth.events, prediction.events, collar=collar, matching="optimal")
    counts = event_counts(truth.events, prediction.events, matches, len(truth), len(truth.labels))
    errors = counts.all_ref + counts.all_sys - 2 * counts.all_tp - counts.substitutions
    return Tally(counts.tp, counts.ref, counts.sys, errors)


def by_intersection(
    truth: SoundEvents, prediction: SoundEvents, *, dtc: float, gtc: float
) -> Tally:
    """Counts of events that are covered enough, and of detections that cover too little."""
    check_lengths(truth=truth, prediction=prediction)
    size = len(truth.labels)
    counts = intersection_counts(
        truth.events,
        [prediction.events],
        truth.durations,
        size,
        criteria=Criteria(dtc, gtc, None),
    )
    code, column = np.divmod(counts.cell, size + 1)  # a table of labels by labels is mostly zeros
    tp, fp = np.zeros((2, len(truth) * size), dtype=np.int64)
    for table, mask in ((tp, column == code % max(size, 1)), (fp, column == size)):
        table[code[mask]] = counts.hits[mask]
    tp, fp = tp.reshape(len(truth), size), fp.reshape(len(truth), size)
    return Tally(tp, counts.events, tp + fp, np.full(len(truth), np.nan))


#: name of a way to count -> function
TALLIES: Mapping[str, Callable[..., Tally]] = {
    "segment": by_segment,
    "event": by_event,
    "intersection": by_intersection,
}


def unchanged(truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float) -> np.ndarray:
    """Segments of each recording in which the same labels are active, and all segments.

    Returns:
        shape (N, 2)
    """
    check_lengths(truth=truth, prediction=prediction)
    segments = np.ceil(truth.durations / time_resolution).astype(np.int64)
    first = np.cumsum(segments) - segments
    size = len(truth.labels)
    before, after = (
        _cells(events, segments, first, size, time_resolution)
        for events in (truth.events, prediction.events)
    )
    changed = np.unique(np.setxor1d(before, after) // max(size, 1))
    recording = np.searchsorted(first + segments, changed, side="right")
    different = np.bincount(recording, minlength=len(truth))
    return np.stack([segments - different, segments], axis=1)


def _cells(
    events: EventList, segments: np.ndarray, first: np.ndarray, size: int, time_resolution: float
) -> np.ndarray:
    """Numbers of the (segment, label) in which there is an event, each once."""
    start = np.floor(events.onset / time_resolution).astype(np.int64)
    stop = np.ceil(events.offset / time_resolution).astype(np.int64)
    event, segment = expand(start, np.minimum(stop, segments[events.file]))
    return np.unique((first[events.file][event] + segment) * size + events.label[event])


def tally(name: str, truth: SoundEvents, prediction: SoundEvents, params: Mapping[str, Any]) -> Any:
    """Counts of :data:`TALLIES` by name."""
    return TALLIES[name](truth, prediction, **params)
