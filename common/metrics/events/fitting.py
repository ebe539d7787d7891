r"""Which estimated events fit which reference events, by their times.

An estimate :math:`e` fits a reference :math:`x` of the same file if

* :math:`|x_\text{on} - e_\text{on}| \le c` (where onsets are evaluated), and
* :math:`|x_\text{off} - e_\text{off}| \le \max(c, p \cdot (x_\text{off} - x_\text{on}))` (where
  offsets are evaluated)

with the collar :math:`c` and the share :math:`p` of the length of the reference, compared as
doubles and inclusive: 1.2 s fits 1.0 s within 0.2 s, 2.2 s does not fit 2.0 s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError
from .crowds import Naming, by_number, refuse_crowds
from .grouping import Index, expand, sort_order
from .lists import EventList

#: searches reach this much further in s than the comparison that decides
SLACK = 1e-6


@dataclass(frozen=True)
class Collar:
    """How far an estimate may be off.

    Args:
        t_collar: collar in s, 0 or more
        percentage_of_length: share of the reference's length that its offset may be off, if
            that is more than the collar; 0 or more
        evaluate_onset: whether onsets matter
        evaluate_offset: whether offsets matter; one of both must
        tolerance: added to both limits in s; with 0, times on a grid may miss the collar by
            the last digit of a float

    Raises:
        ConfigError: for values out of range
    """

    t_collar: float
    percentage_of_length: float
    evaluate_onset: bool = True
    evaluate_offset: bool = True
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        for name in ("t_collar", "percentage_of_length", "tolerance"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name}: {getattr(self, name)} is not 0 or more")
        if not (self.evaluate_onset or self.evaluate_offset):
            raise ConfigError("evaluate_onset, evaluate_offset: at least one of them must be true")


class Pairs(NamedTuple):
    """Pairs of events that fit.

    Args:
        truth: index of the reference event, shape (P,)
        prediction: index of the estimated event, shape (P,)
        right: whether their labels are equal, shape (P,)
    """

    truth: np.ndarray
    prediction: np.ndarray
    right: np.ndarray

    def take(self, index: np.ndarray) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.truth[index], self.prediction[index], self.right[index])

    def after(self, truth: int, prediction: int) -> Pairs:
        """The same pairs in lists with so many events before them."""
        return Pairs(self.truth + truth, self.prediction + prediction, self.right)

    @classmethod
    def none(cls) -> Pairs:
        """No pairs."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, bool))


def fitting_pairs(
    truth: EventList, prediction: EventList, collar: Collar, naming: Naming = by_number
) -> Pairs:
    """All pairs of one file that fit, whatever their labels; by reference, then estimate.

    Raises:
        DataError: for a file with too many pairs of events that are near in time

    >>> truth, prediction = EventList([0], [0], [1.0], [3.0]), EventList([0], [0], [1.2], [3.9])
    >>> pairs = fitting_pairs(truth, prediction, Collar(0.2, 0.5))
    >>> pairs.truth.tolist(), pairs.right.tolist()
    ([0], [True])
    """
    reach = np.maximum(collar.t_collar, collar.percentage_of_length * (truth.offset - truth.onset))
    if collar.evaluate_onset:
        values, centre, width = prediction.onset, truth.onset, np.full(len(truth), collar.t_collar)
    else:
        values, centre, width = prediction.offset, truth.offset, reach
    order = sort_order(prediction.file, values, np.zeros(len(values)))
    index = Index(prediction.file[order], values[order])
    width = width + collar.tolerance + SLACK
    start = index.first_at_least(truth.file, centre - width)
    stop = index.first_above(truth.file, centre + width)
    refuse_crowds(truth.file, stop - start, naming)
    first, second = expand(start, stop)
    second = order[second]
    fits = np.ones(len(first), dtype=bool)
    if collar.evaluate_onset:
        off = np.abs(truth.onset[first] - prediction.onset[second])
        fits &= off <= collar.t_collar + collar.tolerance
    if collar.evaluate_offset:
        off = np.abs(truth.offset[first] - prediction.offset[second])
        fits &= off <= reach[first] + collar.tolerance
    first, second = first[fits], second[fits]
    by_place = np.lexsort((second, first))
    first, second = first[by_place], second[by_place]
    return Pairs(first, second, truth.label[first] == prediction.label[second])
