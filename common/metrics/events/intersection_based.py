r"""Intersection-based evaluation of event lists, one per operating point.

:mod:`common.metrics.events.criteria` decides what a detection is; here it is counted.
:mod:`common.metrics.events.detection_rates` makes rates of the counts, and
:mod:`common.metrics.events.roc` the polyphonic sound detection score (PSDS).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...core.errors import ConfigError, DataError
from . import figures
from .checks import (
    Overlap,
    beyond_recording,
    negative_times,
    refuse,
    reversed_times,
    settle_overlaps,
    unknown_labels,
)
from .criteria import Criteria, hits, usable
from .crowds import Naming, by_number
from .grouping import order_free_sum
from .lists import EventList
from .pool import Pool
from .report import Columns

#: detections that are worked on together
DETECTIONS = 2**20


class Confusion(NamedTuple):
    """Counts of a test set.

    Args:
        counts: shape (points, labels, labels + 1): class of the detection by class of the
            ground truth; true positives (in ground truth events) on the diagonal, cross
            triggers (in detections) beside it, false positives (in detections) in the last
            column
        events: ground truth events per class, shape (labels,)
        seconds: their total length in s, shape (labels,)
        duration: length of all recordings in s
    """

    counts: np.ndarray
    events: np.ndarray
    seconds: np.ndarray
    duration: float


class IntersectionCounts(NamedTuple):
    """Counts per file; those of detections in a sparse form, as most are 0.

    Args:
        events: number of ground truth events with a length, shape (files, labels)
        seconds: their total length in s, shape (files, labels)
        duration: length of the recording in s, shape (files,); NaN if it is not known
        cell: place of a count in an array (files, points, labels, labels + 1)
        hits: how often it is hit
    """

    events: np.ndarray
    seconds: np.ndarray
    duration: np.ndarray
    cell: np.ndarray
    hits: np.ndarray


def intersection_counts(
    truth: EventList,
    predictions: Sequence[EventList],
    durations: np.ndarray,
    n_labels: int,
    *,
    criteria: Criteria,
    naming: Naming = by_number,
) -> IntersectionCounts:
    """Counts of one or several operating points.

    Args:
        truth: annotated events
        predictions: detections, one list per operating point
        durations: length of each recording in s, shape (files,); NaN if it is not known
        n_labels: number of evaluated labels; others are ignored
        criteria: limits
        naming: how files are called in messages

    Raises:
        DataError: for a file with too many pairs of events that are near in time
    """
    n_files, n_points = len(durations), len(predictions)
    cells = []
    for start, stop in _groups([len(events) for events in predictions]):
        some = stacked(predictions[start:stop], n_files)
        entries = hits(truth, some, durations, n_labels, criteria, naming)
        file, point = (
            (entries.place % n_files, entries.place // n_files) if n_files else (entries.place,) * 2
        )
        place = file * n_points + point + start
        cells.append((place * n_labels + entries.row) * (n_labels + 1) + entries.column)
    truth = usable(truth, n_labels)
    truth = truth[truth.order()]
    code, size = truth.file * n_labels + truth.label, n_files * n_labels
    shape = (n_files, n_labels)
    return IntersectionCounts(
        np.bincount(code, minlength=size).reshape(shape),
        np.bincount(code, truth.offset - truth.onset, minlength=size).reshape(shape),
        np.asarray(durations, np.float64),
        *np.unique(np.concatenate(cells), return_counts=True),
    )


def _groups(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of operating points with about :data:`DETECTIONS` detections each."""
    number = np.cumsum(sizes) // DETECTIONS
    start = np.flatnonzero(np.diff(number, prepend=-1)).tolist()
    return list(zip(start, [*start[1:], len(sizes)], strict=True))


def stacked(predictions: Sequence[EventList], n_files: int) -> EventList:
    """Detections of several operating points as one list.

    The code of a file is raised by the number of files for each operating point.
    """
    joined = EventList.concatenate(predictions)
    point = np.repeat(np.arange(len(predictions)), [len(part) for part in predictions])
    return EventList(joined.file + point * n_files, joined.label, joined.onset, joined.offset)


class IntersectionBased(Pool[IntersectionCounts]):
    """Intersection-based evaluation of files that are added one by one or many at once.

    Args:
        labels: evaluated labels: those of the ground truth and others that the system knows
        criteria: limits
        points: number of operating points
        overlap: what happens to events of one label that intersect: ``error``, ``merge``
            or ``allow``; copies of an event pass and count twice unless merged
        outside: what happens to detections that lie wholly outside the recording or in a file
            whose duration is not known, and to detections of labels that are not evaluated:
            ``error``, or ``ignore`` as psds_eval does: they are no false positives

    Raises:
        ConfigError: for an unknown rule
        DataError: if there is no label

    >>> pool = IntersectionBased(["dog"], Criteria(0.5, 0.5, None), points=1)
    >>> truth, detections = EventList([0], [0], [0.0], [2.0]), EventList([0], [0], [0.5], [2.5])
    >>> pool.add(["a.wav"], truth, [detections], durations=[10.0])
    >>> pool.confusion().counts.tolist()
    [[[1, 0]]]
    """

    def __init__(
        self,
        labels: Sequence[str],
        criteria: Criteria,
        *,
        points: int,
        overlap: Overlap = "error",
        outside: Literal["error", "ignore"] = "error",
    ):
        super().__init__(labels, criteria=criteria, points=points)
        if outside not in ("error", "ignore"):
            raise ConfigError(f"outside: '{outside}' is neither error nor ignore")
        if points < 1:
            raise ConfigError("points: no operating point")
        if not self.labels:
            raise DataError("no labels: the truth has none, and 'labels' names none")
        self._overlap: Overlap = overlap
        self._outside = outside

    def add(
        self,
        files: Sequence[str],
        truth: EventList,
        predictions: Sequence[EventList],
        *,
        durations: Sequence[float] | np.ndarray,
    ) -> None:
        """Count files.

        Args:
            files: names that the file codes of the events point into
            truth: annotated events
            predictions: detections, one list per operating point
            durations: length of each recording in s; NaN if it is not known

        Raises:
            DataError: with file, event and rule, for what is not allowed
            ConfigError: if the number of operating points is wrong
        """
        points = self.settings["points"]
        if len(predictions) != points:
            raise ConfigError(f"points: {len(predictions)} lists of detections for {points} points")
        durations = np.asarray(durations, np.float64)
        if (durations < 0).any():
            at = int(np.argmax(durations < 0))
            raise DataError(f"durations: file '{files[at]}': {durations[at]:g} s is negative")
        truth = self._checked("truth", truth, files)
        # an event without length counts nowhere and makes no class
        long = truth[truth.offset > truth.onset]
        refuse(unknown_labels(long, len(self.labels)), "truth", long, files, self.labels)
        checked = []
        for number, events in enumerate(predictions):
            what = "prediction" if points == 1 else f"prediction {number + 1}"
            events = self._checked(what, events, files)
            if self._outside == "error":
                faults = unknown_labels(events, len(self.labels))
                faults += beyond_recording(events, durations)
                refuse(faults, what, events, files, self.labels)
            checked.append(events)
        counts = intersection_counts(
            truth,
            checked,
            durations,
            len(self.labels),
            criteria=self.settings["criteria"],
            naming=lambda code: f"file '{files[code]}'",
        )
        self._append(files, counts)

    def _checked(self, what: str, events: EventList, files: Sequence[str]) -> EventList:
        faults = reversed_times(events) + negative_times(events)
        refuse(faults, what, events, files, self.labels)
        return settle_overlaps(events, self._overlap, what, files, self.labels)

    def _join(self, parts: Sequence[IntersectionCounts]) -> IntersectionCounts:
        step = self.settings["points"] * len(self.labels) * (len(self.labels) + 1)
        before = np.cumsum([0, *(len(part.duration) for part in parts)])
        return super()._join(
            [
                part._replace(cell=part.cell + first * step)
                for part, first in zip(parts, before, strict=False)
            ]
        )

    def confusion(self, file: str | None = None) -> Confusion:
        """Counts of all files together, or of one file.

        Args:
            file: name of a file; None: all

        Raises:
            DataError: if there is no such file
        """
        points, labels = self.settings["points"], len(self.labels)
        shape = (points, labels, labels + 1)
        size = points * labels * (labels + 1)
        counts = self._joined()
        if counts is None:
            return Confusion(np.zeros(shape, np.int64), np.zeros(labels), np.zeros(labels), 0.0)
        rows, within = slice(None), slice(None)
        if file is not None:
            rows = slice(self._row(file), self._row(file) + 1)
            within = slice(*np.searchsorted(counts.cell, (rows.start * size, rows.stop * size)))
        cell, count = counts.cell[within] % size, counts.hits[within]
        duration = counts.duration[rows]
        return Confusion(
            np.bincount(cell, count, minlength=size).astype(np.int64).reshape(shape),
            counts.events[rows].sum(axis=0),
            order_free_sum(counts.seconds[rows]),
            float(order_free_sum(duration[~np.isnan(duration)])),
        )

    def file_scores(self, *, point: int = 0, beta: float = 1.0) -> Columns:
        """F-measure and counts of each file over all labels, in the order of :attr:`files`.

        Args:
            point: number of the operating point
            beta: weight of the recall

        Returns:
            F is NaN for a file with neither an annotated event nor a false detection
        """
        points, labels = self.settings["points"], len(self.labels)
        counts, n_files = self._joined(), len(self.files)
        if counts is None:
            return {"f_measure": {"f_measure": np.zeros(0)}, "count": {}}
        rest, column = np.divmod(counts.cell, labels + 1)
        rest, row = np.divmod(rest, labels)
        file, at = np.divmod(rest, points)
        tp, fp = (
            np.bincount(file[mask], counts.hits[mask], minlength=n_files).astype(np.int64)
            for mask in ((at == point) & (row == column), (at == point) & (column == labels))
        )
        ref = counts.events.sum(axis=1)
        return {
            "f_measure": {"f_measure": figures.f_of_counts(tp, fp, ref - tp, beta=beta)},
            "count": {"Nref": ref, "Ntp": tp, "Nfp": fp, "Nfn": ref - tp},
        }
