r"""Counts as functions of the threshold, for every distinct score.

Each file contributes changes: at this score, when the threshold falls below it, this count of
this label rises or falls. Changes of all files are sorted by score and summed up, which gives
the counts at every threshold at once (Ebbers et al., 2022).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...core.errors import DataError
from ...core.registry import unknown
from .frames import FrameScores
from .pool import Pool
from .threshold_curve import AtThreshold, CountCurve, average, best_f, f_at


class Changes(NamedTuple):
    """Changes of one kind of count.

    Args:
        label: label whose count changes, shape (N,)
        other: label that it is confused with; 0 where this does not matter
        level: score below which the threshold must fall
        delta: change of the count
    """

    label: np.ndarray
    other: np.ndarray
    level: np.ndarray
    delta: np.ndarray

    @classmethod
    def join(cls, parts: Sequence[Changes]) -> Changes:
        """Changes of several parts, in small types; those of size 0 left out."""
        if not parts:
            none = np.zeros(0, np.int16)
            return cls(none, none, np.zeros(0, np.float32), none)
        joined = cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        label, other, level, delta = joined.of(joined.delta != 0)
        return cls(_small(label), _small(other), level, _small(delta))

    def of(self, index: np.ndarray | slice) -> Changes:
        """Some of the changes."""
        return Changes(*(column[index] for column in self))

    def by_label(self, n_labels: int) -> list[Changes]:
        """Changes of each label."""
        grouped = self.of(np.argsort(self.label, kind="stable"))
        bounds = np.searchsorted(grouped.label, np.arange(n_labels + 1))
        return [
            grouped.of(slice(start, stop)) for start, stop in itertools.pairwise(bounds.tolist())
        ]


def _small(values: np.ndarray) -> np.ndarray:
    """Integers in as few bytes as they need."""
    largest = int(np.abs(values).max(initial=0))
    return values.astype(np.min_scalar_type(-largest - 1))


#: scores and changes
Output = tuple[np.ndarray, np.ndarray]


class SweepCounts(NamedTuple):
    """Changes of a part of the files.

    Args:
        output: for each label scores and changes of the number of detections
        hits: changes of the number of true positives
        relevant: changes of the number of detections that are no false positives; empty
            where these are as many as the true positives
        crossed: changes of the number of cross triggers
        n_ref: reference items per label, shape (labels,)
        seconds: total length of reference events of each file and label in s, shape (files,
            labels)
        duration: length of each recording in s, shape (files,)
    """

    output: tuple[Output, ...]
    hits: Changes
    relevant: Changes
    crossed: Changes
    n_ref: np.ndarray
    seconds: np.ndarray
    duration: np.ndarray


class _Sums(NamedTuple):
    """Counts of a label at all scores, and the summed cost of its cross triggers."""

    n_ref: int
    level: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    cost: np.ndarray


class SweepPool(Pool[SweepCounts]):
    """Base of the evaluations at all thresholds."""

    def _join(self, parts: Sequence[SweepCounts]) -> SweepCounts:
        return SweepCounts(
            tuple(
                _outputs([part.output[label] for part in parts])
                for label in range(len(self.labels))
            ),
            Changes.join([part.hits for part in parts]),
            Changes.join([part.relevant for part in parts]),
            Changes.join([part.crossed for part in parts]),
            np.sum([part.n_ref for part in parts], axis=0),
            np.concatenate([part.seconds for part in parts]),
            np.concatenate([part.duration for part in parts]),
        )

    def _counts(self) -> SweepCounts:
        counts = self._joined()
        if counts is None:
            raise DataError("no file was evaluated")
        return counts

    def curve(self, label: str) -> CountCurve:
        """Counts of a label at all thresholds; raises ConfigError for an unknown label."""
        if label not in self.labels:
            raise unknown("label", label, self.labels)
        return self.curves()[label]

    def curves(self) -> dict[str, CountCurve]:
        """Counts of all labels at all thresholds."""
        curves = {}
        for label, (n_ref, level, tp, fp, _) in zip(self.labels, self._sums(()), strict=True):
            curves[label] = CountCurve(level, tp, fp, n_ref)
        return curves

    def _sums(self, costs: Sequence[np.ndarray] | np.ndarray) -> Iterator[_Sums]:
        """Counts at all scores, label by label; with the cost of cross triggers if wanted.

        Args:
            costs: for each label what a cross trigger of each other label costs; or nothing
        """
        counts = self._counts()
        size = len(self.labels)
        tables = [part.by_label(size) for part in (counts.hits, counts.relevant, counts.crossed)]
        for label, (hits, relevant, crossed) in enumerate(zip(*tables, strict=True)):
            level, output = counts.output[label]
            parts = [
                (level, output),
                (hits.level, hits.delta),
                (relevant.level, relevant.delta),
            ]
            if len(costs):
                parts.append((crossed.level, crossed.delta * costs[label][crossed.other]))
            steps, (n_sys, tp, right, *cost) = summed(parts)
            if len(counts.relevant.label) == 0:
                right = tp
            n_ref = int(counts.n_ref[label])
            yield _Sums(n_ref, steps, tp, n_sys - right, cost[0] if cost else np.zeros_like(tp))

    def best(self, *, beta: float = 1.0) -> AtThreshold:
        """Best F-measure of each label, each at its own threshold, and their mean.

        Args:
            beta: weight of the recall
        """
        return average([best_f(curve, beta=beta) for curve in self.curves().values()])

    def at(self, threshold: float, *, beta: float = 1.0) -> AtThreshold:
        """F-measure of each label at a threshold, and their mean.

        Args:
            threshold: scores above it are detected
            beta: weight of the recall
        """
        return average([f_at(curve, threshold, beta=beta) for curve in self.curves().values()])


def summed(
    parts: Sequence[Output],
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Changes of several counts -> their values at all scores.

    Args:
        parts: for each count scores and changes

    Returns:
        plus infinity and all scores where a count changes, descending; for each count its
        value there, from 0

    >>> level, (count,) = summed([(np.array([0.5, 0.9, 0.5]), np.array([1, 1, -2]))])
    >>> level.tolist(), count.tolist()
    ([inf, 0.9, 0.5], [0, 1, 0])
    """
    level = np.concatenate([np.asarray(level, np.float64) for level, _ in parts])
    order = np.argsort(level)[::-1]
    ordered = level[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)])
    values = np.zeros((len(parts), len(last) + 1), dtype=np.int64)
    start = 0
    for row, (_, delta) in zip(values, parts, strict=True):
        change = np.zeros(len(level), dtype=np.int64)
        change[start : start + len(delta)] = delta
        start += len(delta)
        row[1:] = np.cumsum(change[order])[last]
    # where one file gains what another one loses, nothing changes
    columns = np.flatnonzero((np.diff(values) != 0).any(axis=0))
    return (
        np.concatenate(([np.inf], ordered[last[columns]])),
        list(values[:, np.concatenate(([0], columns + 1))]),
    )


def _outputs(parts: Sequence[Output]) -> Output:
    return np.concatenate([level for level, _ in parts]), np.concatenate([d for _, d in parts])


def output_changes(scores: FrameScores) -> tuple[Output, ...]:
    """For each label the scores at which detections appear or merge, and by how many.

    A detection appears at a local maximum; at a local minimum two become one.
    """
    start = np.zeros(len(scores.values) + 1, dtype=bool)
    start[scores.first] = start[-1] = True
    outputs = []
    for label in range(scores.values.shape[1]):
        column = np.ascontiguousarray(scores.values[:, label])
        new = start[:-1].copy()
        new[1:] |= column[1:] != column[:-1]
        head = np.flatnonzero(new)
        level = column[head]
        # rising into an element, and falling out of it; what lies beside a file is lowest
        rising = start[head]
        falling = np.append(rising[1:], True)
        rising[1:] |= level[1:] > level[:-1]
        falling[:-1] |= level[:-1] > level[1:]
        some = np.flatnonzero((rising == falling) & ~np.isneginf(level))
        outputs.append((level[some], np.where(rising[some], 1, -1).astype(np.int8)))
    return tuple(outputs)
