r"""Intersection criteria: what a detection is, judged by how it overlaps annotated events.

After Bilen et al. (2020), as psds_eval 0.5.3 computes it. With the intersection of detection
:math:`d` and ground truth :math:`g` (events of one file that share more than a point in time):

* **DTC**: a detection is relevant if the ground truth of its class covers enough of it,
  :math:`\sum_g |d \cap g| / |d| \ge \text{dtc}`, and it touches at least one such event.
* **GTC**: an annotated event is found (a true positive) if the relevant detections of its class
  cover enough of it, :math:`\sum_d |d \cap g| / |g| \ge \text{gtc}`, at least one of them.
* **CTTC**: a detection that is not relevant is a false positive, and a cross trigger of every
  other class with :math:`\sum_g |d \cap g| / |d| \ge \text{cttc}`.

A relevant detection is never an error, even if it finds no event: fragments are free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError
from .crowds import Naming, bunches, by_number, refuse_crowds
from .grouping import Index, expand, reaches, running_maximum, sort_order
from .lists import EventList


@dataclass(frozen=True)
class Criteria:
    """Limits of the criteria.

    Args:
        dtc: detection tolerance criterion, in [0, 1]
        gtc: ground truth intersection criterion, in [0, 1]
        cttc: cross-trigger tolerance criterion, in [0, 1]; None: cross triggers are not counted
        decimals: decimals of a second to which sums are rounded before they are compared, 6 in
            sed_scores_eval; None: compared as they are, as in psds_eval

    Raises:
        ConfigError: for a limit outside [0, 1]
    """

    dtc: float
    gtc: float
    cttc: float | None
    decimals: int | None = None

    def __post_init__(self) -> None:
        for name in ("dtc", "gtc", "cttc"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ConfigError(f"{name}: {value} is not in [0, 1]")

    def rounded(self, decimals: int | None) -> Criteria:
        """The same limits, sums rounded to decimals of a second."""
        return replace(self, decimals=decimals)

    def without_cross_triggers(self) -> Criteria:
        """The same limits, cross triggers not counted."""
        return replace(self, cttc=None)


class Hits(NamedTuple):
    """What the criteria make of detections.

    Args:
        place: where each hit is: operating point times number of files plus file, shape (H,)
        row: class of the detections (for a true positive that of the event)
        column: class of the ground truth; the number of labels for a false positive
    """

    place: np.ndarray
    row: np.ndarray
    column: np.ndarray


def hits(
    truth: EventList,
    detections: EventList,
    durations: np.ndarray,
    n_labels: int,
    criteria: Criteria,
    naming: Naming = by_number,
) -> Hits:
    """True positives, cross triggers and false positives of several operating points at once.

    Args:
        truth: annotated events; those without length are left out
        detections: detections of all operating points; the code of a file is raised by the
            number of files for each operating point. Those without length, and those of a
            label that is not evaluated, are left out
        durations: duration of each file in s; NaN: no recording is known, so nothing in this
            file is a false positive
        n_labels: number of evaluated labels
        criteria: limits
        naming: how files are called in messages

    Returns:
        one entry per event that is found, cross trigger, and false positive

    Raises:
        DataError: for a file with too many pairs of events that are near in time
    """
    truth = usable(truth, n_labels)
    search = Search(truth[truth.order()], max(len(durations), 1), naming)
    detections = usable(detections, n_labels)
    detections = detections[sort_order(detections.file, detections.onset, detections.offset)]
    parts = [
        _judged(search, detections[some], np.asarray(durations), n_labels, criteria)
        for some in bunches(detections.file, search.most(detections))
    ]
    none = np.empty(0, dtype=np.int64)
    return Hits(
        *(np.concatenate(columns) for columns in zip(Hits(none, none, none), *parts, strict=True))
    )


def _judged(
    search: Search,
    detections: EventList,
    durations: np.ndarray,
    n_labels: int,
    criteria: Criteria,
) -> Hits:
    """Hits of the detections of some files, sorted by file and onset."""
    truth = search.truth
    which, event = search.intersections(detections)
    overlap = np.minimum(detections.offset[which], truth.offset[event]) - np.maximum(
        detections.onset[which], truth.onset[event]
    )
    length = detections.offset - detections.onset
    same = detections.label[which] == truth.label[event]
    relevant = reaches(which[same], overlap[same], length, criteria.dtc, criteria.decimals)
    counts = same & relevant[which]
    place, reference = _found(
        truth, detections.file[which[counts]], event[counts], overlap[counts], criteria
    )
    # a comparison with NaN is false
    recorded = (detections.onset < durations[search.file(detections)]) & (detections.offset > 0)
    false = np.flatnonzero(~relevant & recorded)
    world = np.full(len(false), n_labels)
    parts = [
        Hits(place, truth.label[reference], truth.label[reference]),
        Hits(detections.file[false], detections.label[false], world),
    ]
    if criteria.cttc is not None:
        wrong = ~same & ~relevant[which]
        det, other = _triggers(
            which[wrong], truth.label[event[wrong]], overlap[wrong], length, n_labels, criteria
        )
        parts.append(Hits(detections.file[det], detections.label[det], other))
    return Hits(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def usable(events: EventList, n_labels: int) -> EventList:
    """Events that have a length and an evaluated label."""
    mask = (events.offset > events.onset) & (events.label < n_labels)
    return events if mask.all() else events[mask]


class Search:
    """Search for annotated events that detections meet.

    Args:
        truth: events, sorted by file and onset
        n_files: number of files; codes of detections are raised by it for each operating point
        naming: how files are called in messages
    """

    def __init__(self, truth: EventList, n_files: int, naming: Naming = by_number):
        self.truth = truth
        self._n_files = n_files
        self._naming = naming
        self._ends = Index(truth.file, truth.offset[running_maximum(truth.file, truth.offset)])
        self._onsets = Index(truth.file, truth.onset)

    def file(self, detections: EventList) -> np.ndarray:
        """File of each detection."""
        return np.asarray(detections.file % self._n_files)

    def most(self, detections: EventList) -> np.ndarray:
        """Events of the file of each detection."""
        first, stop = (
            np.searchsorted(self.truth.file, self.file(detections), side)
            for side in ("left", "right")
        )
        return np.asarray(stop - first)

    def _name(self, place: int) -> str:
        return self._naming(place % self._n_files)

    def intersections(self, detections: EventList) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of events of one file that share more than a point in time.

        Returns:
            indices of detections and of annotated events, sorted by both

        Raises:
            DataError: for a file with too many pairs of events that are near in time
        """
        file = self.file(detections)
        first = self._ends.first_above(file, detections.onset)
        stop = self._onsets.first_at_least(file, detections.offset)
        refuse_crowds(detections.file, np.maximum(stop - first, 0), self._name)
        which, event = expand(first, stop)
        late = self.truth.offset[event] > detections.onset[which]
        return which[late], event[late]


def _found(
    truth: EventList,
    place: np.ndarray,
    event: np.ndarray,
    overlap: np.ndarray,
    criteria: Criteria,
) -> tuple[np.ndarray, np.ndarray]:
    """Places and ground truth events of these that are covered enough."""
    # events lie in one file each, so the place tells the operating point
    cells, cell = np.unique(place * len(truth) + event, return_inverse=True)
    if not len(cells):
        return cells, cells
    event_of = cells % len(truth)
    length = (truth.offset - truth.onset)[event_of]
    enough = reaches(cell, overlap, length, criteria.gtc, criteria.decimals)
    return cells[enough] // len(truth), event_of[enough]


def _triggers(
    which: np.ndarray,
    label: np.ndarray,
    overlap: np.ndarray,
    length: np.ndarray,
    n_labels: int,
    criteria: Criteria,
) -> tuple[np.ndarray, np.ndarray]:
    """Detections and other classes that they trigger across."""
    assert criteria.cttc is not None
    cells, cell = np.unique(which * n_labels + label, return_inverse=True)
    enough = reaches(cell, overlap, length[cells // n_labels], criteria.cttc, criteria.decimals)
    return cells[enough] // n_labels, cells[enough] % n_labels
