r"""Segment-based metrics: time is cut into equal segments, in which a label is active or not.

After Mesaros et al. (2016). An event is active in the segments
:math:`\lfloor \text{onset}/r \rfloor \ldots \lceil \text{offset}/r \rceil - 1` for segments of
:math:`r` seconds, so any touch counts; a file has :math:`\lceil L/r \rceil` segments.

The quotients are those of floats, as in sed_eval: 0.3/0.1 is 2.9999999999999996, hence an event
from 0.3 s is active from 0.2 s on a grid of 0.1 s. ``decimals`` rounds them first.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError
from .grouping import expand
from .lists import EventList

#: cells (segments x labels) that are looked at together, one byte each
CELLS = 2**24


class SegmentCounts(NamedTuple):
    """Counts of files in segments.

    Args:
        tp: segments that are active in truth and prediction, shape (files, labels)
        ref: segments that are active in the truth, shape (files, labels)
        sys: segments that are active in the prediction, shape (files, labels)
        segments: number of segments, shape (files,)
        substitutions: sum over segments of min(fn, fp), shape (files,)
        deletions: sum over segments of max(0, fn - fp), shape (files,)
        insertions: sum over segments of max(0, fp - fn), shape (files,)
        length: evaluated length in s, shape (files,)
    """

    tp: np.ndarray
    ref: np.ndarray
    sys: np.ndarray
    segments: np.ndarray
    substitutions: np.ndarray
    deletions: np.ndarray
    insertions: np.ndarray
    length: np.ndarray


def segment_counts(
    truth: EventList,
    prediction: EventList,
    n_files: int,
    n_labels: int,
    *,
    time_resolution: float,
    lengths: np.ndarray | None,
    decimals: int | None,
) -> SegmentCounts:
    r"""Counts per file and label, and errors per file.

    In a segment with fn misses and fp false alarms, min(fn, fp) are substitutions and what is
    left are deletions or insertions.

    Args:
        truth: reference events; events that end before they start are nowhere active
        prediction: estimated events
        n_files: number of files, those without events included
        n_labels: number of labels; all events must have one of them
        time_resolution: length of a segment in s, > 0
        lengths: evaluated length of each file in s, shape (files,), NaN if not given: the
            largest offset of truth and prediction. Then the number of segments, and hence
            true negatives, accuracy and specificity, depends on the prediction
        decimals: decimals to which times in segments are rounded; None: not at all

    Returns:
        counts; what lies behind the last segment of a file does not count

    Raises:
        ConfigError: if the resolution is not positive

    >>> truth, prediction = EventList([0], [0], [0.0], [2.0]), EventList([0], [1], [1.0], [2.5])
    >>> counts = segment_counts(
    ...     truth, prediction, 1, 2, time_resolution=1.0, lengths=None, decimals=None
    ... )
    >>> counts.segments.tolist(), counts.substitutions.tolist(), counts.insertions.tolist()
    ([3], [1], [1])
    """
    if not time_resolution > 0:
        raise ConfigError(f"time_resolution: {time_resolution} is not above 0")
    length = _lengths(truth, prediction, n_files, lengths)
    segments = np.ceil(_segments(length, time_resolution, decimals)).astype(np.int64)
    spans = [_active(events, segments, time_resolution, decimals) for events in (truth, prediction)]
    parts = [
        _part([span.of(low, high) for span in spans], segments[low:high], n_labels)
        for low, high in _chunks(segments * n_labels)
    ]
    none, empty = np.zeros((0, n_labels), np.int64), np.zeros(0, np.int64)
    parts = parts or [(none, none, none, empty, empty, empty)]
    tp, ref, sys, substitutions, deletions, insertions = (
        np.concatenate(arrays) for arrays in zip(*parts, strict=True)
    )
    return SegmentCounts(tp, ref, sys, segments, substitutions, deletions, insertions, length)


def _part(spans: list[_Span], segments: np.ndarray, n_labels: int) -> tuple[np.ndarray, ...]:
    """tp, ref, sys, substitutions, deletions and insertions of some files."""
    n_files = len(segments)
    first = np.concatenate(([0], np.cumsum(segments)))
    file = np.repeat(np.arange(n_files), segments)
    active = [_cells(span, first, n_labels) for span in spans]
    tables, sums = [], []
    for cells in (active[0] & active[1], *active):
        indices = np.flatnonzero(cells)
        segment, label = indices // n_labels, indices % n_labels
        table = np.bincount(file[segment] * n_labels + label, minlength=n_files * n_labels)
        tables.append(table.reshape(n_files, n_labels))
        sums.append(np.bincount(segment, minlength=len(file)))
    tp, ref, sys = sums
    errors = (np.minimum(ref, sys) - tp, np.maximum(ref - sys, 0), np.maximum(sys - ref, 0))
    per_file = [np.bincount(file, e, minlength=n_files).astype(np.int64) for e in errors]
    return (*tables, *per_file)


def _segments(times: np.ndarray, time_resolution: float, decimals: int | None) -> np.ndarray:
    quotient = times / time_resolution
    return quotient if decimals is None else np.round(quotient, decimals)


def _lengths(
    truth: EventList, prediction: EventList, n_files: int, lengths: np.ndarray | None
) -> np.ndarray:
    seconds = np.full(n_files, np.nan) if lengths is None else np.array(lengths, np.float64)
    largest = np.zeros(n_files)
    for events in (truth, prediction):
        np.maximum.at(largest, events.file, events.offset)
    return np.where(np.isnan(seconds), largest, seconds)


class _Span(NamedTuple):
    """Segments of events, sorted by file: from ``start`` to before ``stop``."""

    file: np.ndarray
    label: np.ndarray
    start: np.ndarray
    stop: np.ndarray

    def of(self, low: int, high: int) -> _Span:
        """Those of the files from ``low`` to before ``high``, numbered from 0."""
        part = slice(*np.searchsorted(self.file, (low, high)))
        return _Span(self.file[part] - low, self.label[part], self.start[part], self.stop[part])


def _active(
    events: EventList, segments: np.ndarray, time_resolution: float, decimals: int | None
) -> _Span:
    """First segment of each event and the one behind its last, in the order of the files."""
    events = events[np.argsort(events.file, kind="stable")]
    start = np.floor(_segments(events.onset, time_resolution, decimals))
    stop = np.ceil(_segments(events.offset, time_resolution, decimals))
    stop = np.minimum(stop, segments[events.file])
    stop[events.onset > events.offset] = -1
    return _Span(events.file, events.label, start.astype(np.int64), stop.astype(np.int64))


def _chunks(cells: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of files with about :data:`CELLS` cells each."""
    number = np.cumsum(cells) // CELLS
    border = [*np.flatnonzero(np.diff(number, prepend=-1)).tolist(), len(cells)]
    return list(pairwise(border))


def _cells(span: _Span, first: np.ndarray, n_labels: int) -> np.ndarray:
    """Whether a label is active, for all segments of some files."""
    event, segment = expand(span.start, span.stop)
    cells = np.zeros(int(first[-1]) * n_labels, dtype=bool)
    cells[(first[span.file][event] + segment) * n_labels + span.label[event]] = True
    return cells
