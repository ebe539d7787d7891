r"""Scores so low that no operating point with few false positives can lie there.

Below the largest score of a file without events of a label, this file has at least one false
positive of the label. Once so many files are passed that their false positives alone exceed the
largest rate that matters, lower scores cannot matter either; they are left out. This changes no
point up to that rate, and saves most of the time and memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .detection_rates import seconds_of
from .frames import FrameScores
from .lists import EventList


class Horizon(NamedTuple):
    """Up to where operating points matter.

    Args:
        max_efpr: largest effective false positive rate that matters
        unit: unit of time of the rate
        duration: length of all recordings in s that will be evaluated together, in whatever
            parts
    """

    max_efpr: float
    unit: str
    duration: float

    @property
    def files(self) -> int:
        """Number of files with a false positive that is one too many.

        >>> Horizon(100.0, "hour", 7200.0).files
        201
        """
        return int(np.floor(self.max_efpr * self.duration / seconds_of(self.unit) + 1e-9)) + 1


def peaks(scores: FrameScores, truth: EventList) -> np.ndarray:
    """Largest score of each file and label; minus infinity if it has events of the label.

    Args:
        scores: scores of the files
        truth: events that can be found

    Returns:
        shape (files, labels)
    """
    shape = (len(scores.frames), scores.values.shape[1])
    maxima = np.full(shape, -np.inf, dtype=scores.values.dtype)
    has = np.flatnonzero(scores.frames)
    if len(has):
        maxima[has] = np.maximum.reduceat(scores.values, scores.first[has], axis=0)
    maxima[truth.file, truth.label] = -np.inf
    return maxima


def lowest(maxima: np.ndarray, horizon: Horizon) -> np.ndarray:
    """For each label the score up to which nothing matters; minus infinity if all may.

    Args:
        maxima: peaks of files, shape (files, labels)
        horizon: up to where operating points matter
    """
    if len(maxima) < horizon.files:
        return np.full(maxima.shape[1], -np.inf, dtype=maxima.dtype)
    place = len(maxima) - horizon.files
    return np.asarray(np.partition(maxima, place, axis=0)[place])


def above(scores: FrameScores, limit: np.ndarray) -> FrameScores:
    """Scores with minus infinity where they are not above a limit, one for each label."""
    if np.isneginf(limit).all():
        return scores
    low = scores.values.dtype.type(-np.inf)
    return FrameScores(
        np.where(scores.values > limit, scores.values, low), scores.times, scores.frames
    )
