"""What a table of samples knows of numbers, words and lists of events.

A column has one entry per sample: a number (NaN: none), a word, or the events of a recording as rows
of onset in s, offset in s and number of the class (None: none).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from ...metrics.events.lists import EventList
from ...metrics.events.recordings import SoundEvents
from ...metrics.events.segment_counts import segment_counts
from ...results.sample_tables import EVENTS, NUMBER, SCALE, WORD
from ...spec import Target, kinds

#: seconds in which annotated and detected classes are compared to find the worst recordings
RESOLUTION_S = 1.0
#: decimals of onsets and offsets
DECIMALS = 3


class AnswerKind(Protocol):
    """How answers of one kind are kept, compared and written.

    Attributes:
        name: what the table says about its kind
        is_told: whether a table tells how wrong answers are, because a page cannot compute it
        most_mb: sounds and pictures of a table take at most so much room
    """

    name: str
    is_told: bool
    most_mb: float

    def empty(self, n: int) -> np.ndarray:
        """A column without answers."""
        ...

    def entries(self, values: Any) -> np.ndarray:
        """Annotations or predictions of a view as a column."""
        ...

    def seconds(self, truth: Any) -> Any:
        """Length of each sample in s, from annotations of a view; NaN if they do not know it."""
        ...

    def loss(self, values: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """How wrong answers are; NaN without an answer.

        Args:
            values: answers, a column
            truth: annotations, a column; None: the dataset has none
        """
        ...

    def shift(self, before: np.ndarray, after: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """How much a condition changes answers; NaN without an answer."""
        ...

    def of_labels(self, truth: np.ndarray) -> list[np.ndarray]:
        """Samples of each label of the target; nothing if annotations are numbers."""
        ...

    def length(self, columns: Iterable[np.ndarray]) -> float:
        """Parts that an answer has on average, at least 1."""
        ...

    def words(self, columns: Iterable[np.ndarray]) -> list[str]:
        """Words that columns are written with, those of the target first."""
        ...

    def written(self, values: np.ndarray, codes: Mapping[str, int]) -> list[Any]:
        """A column as it stands in a table.

        Args:
            values: a column
            codes: word -> its place
        """
        ...


def kind_of(target: Target) -> AnswerKind:
    """What a table of the samples of a target knows."""
    kind = kinds.of(target)
    if kind.is_ragged:
        return EventAnswers(target)
    return NumberAnswers() if kind.is_number else WordAnswers(target)


class NumberAnswers:
    """Numbers. Without annotations they are compared with the median of the model."""

    name = NUMBER
    is_told = False
    most_mb = 3.0

    def empty(self, n: int) -> np.ndarray:
        """NaN for each sample."""
        return np.full(n, np.nan)

    def entries(self, values: Any) -> np.ndarray:
        """The numbers themselves."""
        return np.asarray(values, dtype=float)

    def seconds(self, truth: Any) -> Any:
        """NaN."""
        return np.nan

    def loss(self, values: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """Distance from the annotation, or from the median of the model."""
        middle = np.nanmedian(values) if not np.isnan(values).all() else np.nan
        return np.abs(values - (middle if truth is None else truth))

    def shift(self, before: np.ndarray, after: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """Distance between the two answers."""
        return np.abs(after - before)

    def of_labels(self, truth: np.ndarray) -> list[np.ndarray]:
        """Nothing."""
        return []

    def length(self, columns: Iterable[np.ndarray]) -> float:
        """One number."""
        return 1.0

    def words(self, columns: Iterable[np.ndarray]) -> list[str]:
        """None."""
        return []

    def written(self, values: np.ndarray, codes: Mapping[str, int]) -> list[Any]:
        """Whole numbers of ten-thousandths."""
        return [None if np.isnan(value) else round(float(value) * SCALE) for value in values]


class WordAnswers:
    """Words, right or wrong. Without annotations they are compared with nothing.

    A word that is no label of the target can be answered by no model, so it has no error.
    """

    name = WORD
    is_told = False
    most_mb = 3.0

    def __init__(self, target: Target):
        self._labels = target.labels

    def empty(self, n: int) -> np.ndarray:
        """None for each sample."""
        return np.full(n, None, dtype=object)

    def entries(self, values: Any) -> np.ndarray:
        """The words themselves."""
        return np.asarray(values, dtype=object)

    def seconds(self, truth: Any) -> Any:
        """NaN."""
        return np.nan

    def loss(self, values: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """1 for a wrong word, 0 for a right one."""
        if truth is None:
            return np.array([np.nan if value is None else 0.0 for value in values])
        return np.array(
            [
                float(value != right) if value is not None and right in self._labels else np.nan
                for value, right in zip(values, truth, strict=True)
            ]
        )

    def shift(self, before: np.ndarray, after: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """How much a condition changes answers; NaN without an answer.

        Those that were right and are wrong come first (3), then those that are wrong in another
        way (2) or without annotations just different, then those that were wrong and are right (1).
        """
        truths = self.empty(len(before)) if truth is None else truth
        return np.array(
            [moved(a, b, right) for a, b, right in zip(before, after, truths, strict=True)]
        )

    def of_labels(self, truth: np.ndarray) -> list[np.ndarray]:
        """Samples of each word that can be answered."""
        return [np.flatnonzero(truth == word) for word in self._labels]

    def length(self, columns: Iterable[np.ndarray]) -> float:
        """One word."""
        return 1.0

    def words(self, columns: Iterable[np.ndarray]) -> list[str]:
        """Labels of the target, then the words that occur besides."""
        import pandas as pd

        others = {str(v) for column in columns for v in pd.unique(column) if v is not None}
        return [*self._labels, *sorted(others - set(self._labels))]

    def written(self, values: np.ndarray, codes: Mapping[str, int]) -> list[Any]:
        """Places of the words."""
        return [None if value is None else codes[str(value)] for value in values]


class EventAnswers:
    """Events of recordings.

    Two lists differ by so many seconds as there are segments of one second in which a class is active
    in one of them alone, summed over classes.
    """

    name = EVENTS
    is_told = True
    most_mb = 9.0

    def __init__(self, target: Target):
        self._labels = target.labels

    def empty(self, n: int) -> np.ndarray:
        """None for each sample."""
        return np.full(n, None, dtype=object)

    def entries(self, values: SoundEvents) -> np.ndarray:
        """Events of each recording in the order of their onsets."""
        events = values.events
        order = np.lexsort((events.label, events.offset, events.onset, events.file))
        rows = np.stack([events.onset, events.offset, events.label], axis=1)[order]
        borders = np.searchsorted(events.file[order], np.arange(len(values) + 1))
        column = self.empty(len(values))
        for n, (first, stop) in enumerate(pairwise(borders)):
            column[n] = rows[first:stop]
        return column

    def seconds(self, truth: SoundEvents) -> np.ndarray:
        """Length of each recording."""
        return truth.durations

    def loss(self, values: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """Seconds in which the answer differs from the annotation."""
        if truth is None:
            return np.array([np.nan if value is None else 0.0 for value in values])
        return self._differences(truth, values)

    def shift(self, before: np.ndarray, after: np.ndarray, truth: np.ndarray | None) -> np.ndarray:
        """Seconds in which the two answers differ."""
        return self._differences(before, after)

    def _differences(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        differences = np.full(len(first), np.nan)
        both = [n for n, pair in enumerate(zip(first, second, strict=True)) if not _lacks(pair)]
        counts = segment_counts(
            _joined(first[both]),
            _joined(second[both]),
            len(both),
            len(self._labels),
            time_resolution=RESOLUTION_S,
            lengths=None,
            decimals=None,
        )
        differences[both] = (counts.ref + counts.sys - 2 * counts.tp).sum(axis=1) * RESOLUTION_S
        return differences

    def of_labels(self, truth: np.ndarray) -> list[np.ndarray]:
        """Recordings with an event of each class."""
        held = [set() if rows is None else set(rows[:, 2]) for rows in truth]
        return [
            np.flatnonzero([code in classes for classes in held])
            for code in range(len(self._labels))
        ]

    def length(self, columns: Iterable[np.ndarray]) -> float:
        """Events of a recording."""
        lengths = [len(rows) for column in columns for rows in column if rows is not None]
        return max(1.0, float(np.mean(lengths))) if lengths else 1.0

    def words(self, columns: Iterable[np.ndarray]) -> list[str]:
        """The classes."""
        return list(self._labels)

    def written(self, values: np.ndarray, codes: Mapping[str, int]) -> list[Any]:
        """Onset, offset and class of each event."""
        return [None if rows is None else _rounded(rows) for rows in values]


def _lacks(pair: Sequence[Any]) -> bool:
    return any(each is None for each in pair)


def _joined(column: np.ndarray) -> EventList:
    """Events of recordings as one list."""
    rows = np.concatenate([np.empty((0, 3)), *column])
    file = np.repeat(np.arange(len(column)), [len(each) for each in column])
    return EventList(file, rows[:, 2], rows[:, 0], rows[:, 1])


def _rounded(rows: np.ndarray) -> list[list[float]]:
    return [
        [round(onset, DECIMALS), round(offset, DECIMALS), int(label)]
        for onset, offset, label in rows.tolist()
    ]


def moved(before: Any, after: Any, truth: Any) -> float:
    """How bad a change of a word is; NaN without an answer.

    >>> [moved("joy", after, "joy") for after in ("joy", "fear")], moved("fear", "joy", "joy")
    ([0.0, 3.0], 1.0)
    """
    if before is None or after is None:
        return float("nan")
    if before == after:
        return 0.0
    if before == truth:
        return 3.0
    return 1.0 if after == truth else 2.0
