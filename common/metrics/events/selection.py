"""Frame scores of the files and labels that have annotated events, with all their detections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...core.errors import DataError
from .checks import (
    Overlap,
    negative_times,
    refuse,
    reversed_times,
    settle_overlaps,
    unknown_labels,
)
from .component_tree import Tree, component_tree, sequences
from .frames import FrameScores
from .grouping import Index, expand
from .lists import EventList

#: frames of all selected sequences that are worked on together; they fit the cache
FRAMES = 2**16


class ScoredFiles(NamedTuple):
    """Score sequences of some files and labels, and the annotated events in these files.

    Args:
        label: label of each sequence, shape (S,)
        tree: detections of all thresholds
        sequence: sequence of each pair
        event: annotated event of each pair, index into the truth
        first: first element that the event touches, of each pair
        stop: element behind the last one
    """

    label: np.ndarray
    tree: Tree
    sequence: np.ndarray
    event: np.ndarray
    first: np.ndarray
    stop: np.ndarray


def selections(
    scores: FrameScores, truth: EventList, *, every_label: bool, margin: np.ndarray | float = 0.0
) -> Iterator[ScoredFiles]:
    """Sequences that meet annotated events, some at a time.

    Args:
        scores: scores of all files
        truth: annotated events, sorted by file
        every_label: whether sequences of all labels are wanted, or of the event's label only
        margin: how much further in s the span of an event reaches, on both sides
    """
    n_labels = scores.values.shape[1]
    onset, offset, frame_file = scores.onset, scores.offset, scores.file
    begin = Index(frame_file, offset).first_above(truth.file, truth.onset - margin)
    end = Index(frame_file, onset).first_at_least(truth.file, truth.offset + margin)
    if every_label:
        files = np.unique(truth.file)
        key = (files[:, None] * n_labels + np.arange(n_labels)).ravel()
    else:
        key = np.unique(truth.file * n_labels + truth.label)
    key = key[_speaks(scores)[key // n_labels, key % n_labels]]
    frames = scores.frames[key // n_labels]
    number = np.cumsum(frames) // FRAMES
    start = np.flatnonzero(np.diff(number, prepend=-1))
    for part in np.split(np.arange(len(key)), start[1:]):
        if not len(part):
            continue
        file, label = key[part] // n_labels, key[part] % n_labels
        source, row = expand(scores.first[file], scores.first[file] + scores.frames[file])
        joined = sequences(scores.values[row, label[source]], onset[row], offset[row], frames[part])
        low = np.searchsorted(truth.file, file)
        high = np.searchsorted(truth.file, file, side="right")
        sequence, event = expand(low, high)
        if not every_label:
            same_label = truth.label[event] == label[sequence]
            sequence, event = sequence[same_label], event[same_label]
        # rows of the scores -> frames of the sequences
        shift = np.cumsum(frames[part]) - frames[part] - scores.first[file]
        inside = end[event] > begin[event]
        sequence, event = sequence[inside], event[inside]
        first = joined.element[begin[event] + shift[sequence]]
        stop = joined.element[end[event] - 1 + shift[sequence]] + 1
        yield ScoredFiles(label, component_tree(joined), sequence, event, first, stop)


def _speaks(scores: FrameScores) -> np.ndarray:
    """Whether a label of a file has a score that can be detected, shape (files, labels)."""
    table = np.zeros((len(scores.frames), scores.values.shape[1]), dtype=bool)
    has = np.flatnonzero(scores.frames)
    if len(has):
        possible = ~np.isneginf(scores.values)
        table[has] = np.logical_or.reduceat(possible, scores.first[has], axis=0)
    return table


def checked_truth(
    labels: Sequence[str],
    truth: EventList,
    files: Sequence[str],
    scores: FrameScores,
    overlap: Overlap,
) -> EventList:
    """Truth after the checks that all evaluations of frame scores make."""
    if len(scores.frames) != len(files):
        raise DataError(f"scores of {len(scores.frames)} files for {len(files)} files")
    if scores.values.shape[1] != len(labels):
        raise DataError(f"scores of {scores.values.shape[1]} labels for {len(labels)} labels")
    faults = reversed_times(truth) + negative_times(truth) + unknown_labels(truth, len(labels))
    refuse(faults, "truth", truth, files, labels)
    return settle_overlaps(truth, overlap, "truth", files, labels)


def checked_durations(files: Sequence[str], durations: Sequence[float] | np.ndarray) -> np.ndarray:
    """Durations in s, shape (files,); raises DataError for one that is none."""
    values = np.asarray(durations, np.float64)
    if values.shape != (len(files),):
        raise DataError(f"durations: {values.size} for {len(files)} files")
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise DataError(f"durations: file '{files[at]}': {values[at]:g} s is no duration")
    return values
