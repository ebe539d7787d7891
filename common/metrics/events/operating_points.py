"""Operating points of a system: its F-measure at one, and which one meets a demand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.registry import unknown
from . import figures
from .detection_rates import Rates
from .intersection_based import Confusion
from .lists import EventList

CONSTRAINTS = ("tpr", "fpr", "efpr", "fscore")


class MacroF(NamedTuple):
    """F-measure of an operating point.

    Args:
        macro: mean over classes
        classes: F of each class, shape (labels,)
    """

    macro: float
    classes: np.ndarray


class Constraint(NamedTuple):
    """A demand on one class.

    Args:
        label: code of the class
        kind: ``tpr`` (at least ``value``, then the lowest effective false positive rate),
            ``fpr`` or ``efpr`` (at most ``value``, then the highest true positive rate), or
            ``fscore`` (the highest; ``value`` does not matter)
        value: limit
    """

    label: int
    kind: str
    value: float


class Choice(NamedTuple):
    """The operating point that meets a demand best; -1 and NaN if none does.

    Args:
        point: number of the operating point
        tpr: its true positive rate
        fpr: its false positive rate
        efpr: its effective false positive rate
        fscore: its F-measure
    """

    point: int
    tpr: float
    fpr: float
    efpr: float
    fscore: float


NO_CHOICE = Choice(-1, *[float("nan")] * 4)


def f_scores(confusion: Confusion, *, beta: float) -> np.ndarray:
    """Intersection-based F of each point and class, shape (points, labels).

    Cross triggers are false positives already and not counted again. NaN for a class without
    ground truth.
    """
    label = np.arange(confusion.counts.shape[1])
    true = confusion.counts[:, label, label]
    false = confusion.counts[:, :, -1]
    f = figures.f_of_counts(true, false, confusion.events - true, beta=beta)
    return np.where(confusion.events > 0, f, np.nan)


def macro_f(
    confusion: Confusion, *, point: int = 0, beta: float = 1.0, compatibility: str | None = None
) -> MacroF:
    """Mean over classes of the F-measure at an operating point.

    Args:
        confusion: counts
        point: number of the operating point
        beta: weight of the recall
        compatibility: ``psds_eval``: a class without a true positive has the F NaN and drops
            out of the mean, so a system that finds one class of ten may get 1.0. None: it
            has the F 0; classes without ground truth are left out

    Returns:
        mean and F of each class
    """
    if compatibility not in (None, "psds_eval"):
        raise unknown("compatibility", str(compatibility), ("psds_eval",))
    f = f_scores(confusion, beta=beta)[point]
    if compatibility:
        label = np.arange(len(f))
        f = np.where(confusion.counts[point, label, label] > 0, f, np.nan)
    return MacroF(figures.mean_of_classes(f), f)


def select(
    constraints: Sequence[Constraint], rates: Rates, confusion: Confusion, *, beta: float = 1.0
) -> list[Choice]:
    """For each demand the operating point that meets it best.

    The first of several equally good points is taken. As in psds_eval, doing nothing (no true
    and no false positives) competes as the last point; where it is best, no point is chosen.

    Args:
        constraints: demands
        rates: rates of the operating points
        confusion: their counts
        beta: weight of the recall in the F-measure

    Raises:
        ConfigError: for an unknown kind of demand
    """
    tables = [
        np.vstack((table, np.zeros(table.shape[1])))
        for table in (rates.tpr, rates.fpr, rates.efpr, f_scores(confusion, beta=beta))
    ]
    return [
        _choose(constraint, *(t[:, constraint.label] for t in tables)) for constraint in constraints
    ]


def _choose(
    constraint: Constraint,
    tpr: np.ndarray,
    fpr: np.ndarray,
    efpr: np.ndarray,
    fscore: np.ndarray,
) -> Choice:
    if constraint.kind not in CONSTRAINTS:
        raise unknown("constraint", constraint.kind, CONSTRAINTS)
    meets, goodness = {
        "tpr": (tpr >= constraint.value, -efpr),
        "fpr": (fpr <= constraint.value, tpr),
        "efpr": (efpr <= constraint.value, tpr),
        "fscore": (np.ones(len(fscore), dtype=bool), fscore),
    }[constraint.kind]
    candidates = np.flatnonzero(meets & ~np.isnan(goodness))
    if not len(candidates):
        return NO_CHOICE
    best = int(candidates[np.argmax(goodness[candidates])])
    if best == len(tpr) - 1:
        return NO_CHOICE
    return Choice(best, *(float(values[best]) for values in (tpr, fpr, efpr, fscore)))


class Distinct(NamedTuple):
    """Operating points without repetitions.

    Args:
        kept: numbers of the points that do not repeat an earlier one
        repeated: numbers of the others, each with the point that it repeats
    """

    kept: list[int]
    repeated: list[tuple[int, int]]


def distinct(predictions: Sequence[EventList]) -> Distinct:
    """Find operating points that repeat an earlier one; they change no curve.

    Two are the same if they hold the same events with a length, in whatever order.

    Args:
        predictions: detections of each operating point

    >>> events = EventList([0, 0], [0, 0], [0.0, 2.0], [1.0, 3.0])
    >>> distinct([events, EventList.empty(), events[::-1]])
    Distinct(kept=[0, 1], repeated=[(2, 0)])
    """
    seen: dict[tuple[bytes, ...], int] = {}
    repeated = []
    for number, events in enumerate(predictions):
        events = events[events.offset > events.onset]
        events = events[events.order()]
        key = tuple(
            values.tobytes() for values in (events.file, events.label, events.onset, events.offset)
        )
        if seen.setdefault(key, number) != number:
            repeated.append((number, seen[key]))
    return Distinct(list(seen.values()), repeated)
