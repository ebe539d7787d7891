r"""Segment-based figures from frame scores, with every distinct score a threshold.

The score of a segment is the largest of the frames that it touches; whether it is active in the
truth does not depend on the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.errors import ConfigError
from .frames import FrameScores
from .grouping import Index, expand
from .lists import EventList
from .selection import checked_durations, checked_truth
from .sweep import Changes, SweepCounts, SweepPool

#: score of a segment without any frame, as in sed_scores_eval
NO_FRAME = 0.0


class ExactSegment(SweepPool):
    """Segment-based evaluation of frame scores at all thresholds.

    Args:
        labels: labels of the scores, in the order of their columns
        time_resolution: length of a segment in s, > 0
        decimals: decimals of a second to which the ends of frames and segments are rounded, 6
            in sed_scores_eval; None: not rounded

    >>> pool = ExactSegment(["dog"], time_resolution=1.0)
    >>> truth = EventList([0], [0], [1.0], [2.0])
    >>> scores = FrameScores(np.array([[0.1], [0.9], [0.2]]), np.arange(4.0), [3])
    >>> pool.add(["a.wav"], truth, scores, durations=[3.0])
    >>> pool.at(0.5).macro, pool.at(0.15).labels[0].precision
    (1.0, 0.5)
    """

    def __init__(self, labels: Sequence[str], *, time_resolution: float, decimals: int | None = 6):
        if not time_resolution > 0:
            raise ConfigError(f"time_resolution: {time_resolution} is not above 0")
        super().__init__(labels, time_resolution=time_resolution, decimals=decimals)
        self._resolution = time_resolution
        self._decimals = decimals

    def add(
        self,
        files: Sequence[str],
        truth: EventList,
        scores: FrameScores,
        *,
        durations: Sequence[float] | np.ndarray,
    ) -> None:
        """Count files.

        Args:
            files: names that the file codes of the events point into; the order of the files
                in ``scores``
            truth: annotated events
            scores: scores of these files
            durations: evaluated length of each file in s

        Raises:
            DataError: with file and rule, for what is not allowed
        """
        truth = checked_truth(self.labels, truth, files, scores, "allow")
        durations = checked_durations(files, durations)
        number = np.ceil(durations / self._resolution).astype(np.int64)
        file = np.repeat(np.arange(len(files)), number)
        segment = np.arange(len(file)) - (np.cumsum(number) - number)[file]
        onset = self._rounded(segment * self._resolution)
        offset = self._rounded((segment + 1) * self._resolution)
        active = self._active(truth, file, onset, offset)
        level = self._levels(scores, file, onset, offset)
        one = np.ones(len(file), np.int8)
        hits = [
            Changes(
                np.full(int(on.sum()), label), np.zeros(int(on.sum()), np.int64), at[on], one[on]
            )
            for label, (on, at) in enumerate(zip(active, level, strict=True))
        ]
        none = Changes.join([])
        self._append(
            files,
            SweepCounts(
                tuple((at, one) for at in level),
                Changes.join(hits),
                none,
                none,
                active.sum(axis=1),
                np.zeros((len(files), 0)),
                durations,
            ),
        )

    def _rounded(self, times: np.ndarray) -> np.ndarray:
        return times if self._decimals is None else np.round(times, self._decimals)

    def _active(
        self, truth: EventList, file: np.ndarray, onset: np.ndarray, offset: np.ndarray
    ) -> np.ndarray:
        """Whether a segment is active in the truth, shape (labels, segments)."""
        first = Index(file, offset).first_above(truth.file, truth.onset)
        stop = Index(file, onset).first_at_least(truth.file, truth.offset)
        event, segment = expand(first, stop)
        active = np.zeros((len(self.labels), len(file)), dtype=bool)
        active[truth.label[event], segment] = True
        return active

    def _levels(
        self, scores: FrameScores, file: np.ndarray, onset: np.ndarray, offset: np.ndarray
    ) -> list[np.ndarray]:
        """Score of each segment, for each label."""
        of_time = np.repeat(np.arange(len(scores.frames)), scores.frames + 1)
        index = Index(of_time, self._rounded(scores.times))
        # a file has one time more than frames: the number of its row is that less
        low = np.maximum(index.first_above(file, onset) - 1 - file, scores.first[file])
        high = np.minimum(
            index.first_at_least(file, offset) - file, (scores.first + scores.frames)[file]
        )
        has = np.flatnonzero(high > low)
        bounds = np.stack((low[has], high[has]), axis=1).ravel()
        levels = []
        for label in range(len(self.labels)):
            column = np.append(scores.values[:, label], scores.values.dtype.type(-np.inf))
            level = np.full(len(file), NO_FRAME, dtype=column.dtype)
            if len(has):
                level[has] = np.maximum.reduceat(column, bounds)[::2]
            levels.append(level)
        return levels
