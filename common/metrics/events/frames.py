"""Frame scores: what a detector says about each label in each frame of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import DataError, LengthError
from .lists import EventList


@dataclass(frozen=True, eq=False)
class FrameScores:
    """Scores of all frames of several files, one file after the other.

    A frame lasts from one time to the next; frames of a file follow each other without a gap.

    Args:
        values: scores, shape (frames of all files, labels), float32 or float64; the larger,
            the surer. Any scale; minus infinity is never detected
        times: start of each frame in s and, for each file, the end of its last frame; shape
            (frames of all files + files,), ascending within a file
        frames: number of frames of each file, shape (files,)

    Raises:
        LengthError: if the shapes do not belong together
        DataError: for scores that are NaN or plus infinite, or times that do not ascend

    >>> scores = FrameScores(np.array([[0.1], [0.9], [0.8]]), np.array([0.0, 0.5, 1.0, 1.5]), [3])
    >>> events = scores.events(0.5)
    >>> events.onset.tolist(), events.offset.tolist()
    ([0.5], [1.5])
    """

    values: np.ndarray
    times: np.ndarray
    frames: np.ndarray

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "times", np.asarray(self.times, np.float64).ravel())
        object.__setattr__(self, "frames", np.asarray(self.frames, np.int64).ravel())
        total = int(self.frames.sum())
        if values.ndim != 2 or len(values) != total:
            raise LengthError(f"scores of shape {values.shape} for {total} frames")
        if len(self.times) != total + len(self.frames):
            raise LengthError(
                f"{len(self.times)} times for {total} frames of {len(self.frames)} files;"
                f" expected {total + len(self.frames)}, one more than frames in each file"
            )
        # the sum of a column is NaN or infinite if a score is; cheaper than a mask of all
        if np.isnan(values.max(initial=-np.inf)) or values.max(initial=-np.inf) == np.inf:
            row, label = np.argwhere(np.isnan(values) | (values == np.inf))[0]
            file, frame = self._place(int(row))
            raise DataError(
                f"scores: file {file + 1}, frame {frame + 1}, label {label + 1}:"
                f" {values[row, label]} is no score"
            )
        wrong = np.flatnonzero(~(self.offset > self.onset))
        if len(wrong):
            file, frame = self._place(int(wrong[0]))
            raise DataError(f"scores: file {file + 1}, frame {frame + 1}: times do not ascend")

    def _place(self, row: int) -> tuple[int, int]:
        file = int(np.searchsorted(np.cumsum(self.frames), row, side="right"))
        return file, row - int(self.first[file])

    @property
    def first(self) -> np.ndarray:
        """Row of the first frame of each file, shape (files,)."""
        return np.cumsum(self.frames) - self.frames

    @property
    def file(self) -> np.ndarray:
        """File of each frame, shape (frames of all files,)."""
        return np.repeat(np.arange(len(self.frames)), self.frames)

    @property
    def onset(self) -> np.ndarray:
        """Start of each frame in s."""
        return self.times[np.arange(len(self.values)) + self.file]

    @property
    def offset(self) -> np.ndarray:
        """End of each frame in s."""
        return self.times[np.arange(len(self.values)) + self.file + 1]

    @classmethod
    def from_files(cls, files: Sequence[tuple[np.ndarray, np.ndarray]]) -> FrameScores:
        """Scores of several files.

        Args:
            files: for each file times, shape (frames + 1,), and scores, shape (frames, labels)
        """
        return cls(
            np.concatenate([np.asarray(values) for _, values in files]),
            np.concatenate([np.asarray(times, np.float64) for times, _ in files]),
            np.array([len(values) for _, values in files]),
        )

    def events(self, threshold: float | np.ndarray) -> EventList:
        """Events where the score is above a threshold, sorted by label, then file and onset.

        Args:
            threshold: one for all labels, or one for each, shape (labels,)
        """
        start = np.zeros(len(self.values), dtype=bool)
        start[self.first[self.frames > 0]] = True
        end = np.roll(start, -1)
        active = (self.values > threshold).T
        before = np.zeros_like(active)
        before[:, 1:] = active[:, :-1]
        after = np.zeros_like(active)
        after[:, :-1] = active[:, 1:]
        label, on = np.nonzero(active & (~before | start))
        off = np.nonzero(active & (~after | end))[1]
        return EventList(self.file[on], label, self.onset[on], self.offset[off])
