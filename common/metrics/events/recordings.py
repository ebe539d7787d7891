"""Events of a set of recordings: what the metrics of the suite compare, aligned like arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import LengthError
from .frames import FrameScores
from .grouping import expand
from .lists import EventList


@dataclass(frozen=True, eq=False)
class SoundEvents:
    """Events of N recordings, annotated or predicted, and the scores they were decided from.

    Like an array it has a length and can be indexed by numbers or a mask, which gives the
    events of these recordings, so that a design treats it as the array of any other target.

    Args:
        labels: names that the label codes point into: the classes of the target
        events: events; file codes are numbers of recordings, 0 to N - 1
        durations: length of each recording in s, shape (N,)
        scores: frame scores of the same recordings; None: there are none

    Raises:
        LengthError: if scores and durations are of different numbers of recordings

    >>> events = EventList([0, 1], [0, 0], [0.5, 1.0], [1.5, 3.0])
    >>> found = SoundEvents(("dog",), events, np.array([4.0, 5.0]))
    >>> len(found), found[[False, True]].events.onset.tolist(), found[[1, 1]].events.file.tolist()
    (2, [1.0], [0, 1])
    """

    labels: tuple[str, ...]
    events: EventList
    durations: np.ndarray
    scores: FrameScores | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "durations", np.asarray(self.durations, dtype=np.float64))
        if self.scores is not None and len(self.scores.frames) != len(self.durations):
            raise LengthError(
                f"scores of {len(self.scores.frames)} recordings, {len(self.durations)} durations"
            )

    def __len__(self) -> int:
        return len(self.durations)

    def __getitem__(self, rows: Any) -> SoundEvents:
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        order = np.argsort(self.events.file, kind="stable")
        borders = np.searchsorted(self.events.file[order], np.arange(len(self) + 1))
        new, place = expand(borders[rows], borders[rows + 1])
        old = self.events[order[place]]
        events = EventList(new, old.label, old.onset, old.offset)
        scores = None if self.scores is None else _scores_of(self.scores, rows)
        return SoundEvents(self.labels, events, self.durations[rows], scores)

    @property
    def files(self) -> Sequence[str]:
        """A name for each recording, for the pools of counts."""
        return [str(number) for number in range(len(self))]

    @property
    def is_silent(self) -> bool:
        """Whether there is no event in any recording."""
        return len(self.events) == 0


def _scores_of(scores: FrameScores, rows: np.ndarray) -> FrameScores:
    first, frames = scores.first, scores.frames[rows]
    _, frame = expand(first[rows], first[rows] + frames)
    # each recording has one time more than frames
    start = first[rows] + rows
    _, time = expand(start, start + frames + 1)
    return FrameScores(scores.values[frame], scores.times[time], frames)
