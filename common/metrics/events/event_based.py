r"""Event-based metrics: an event is found if an estimate of its label fits its times.

After Mesaros et al. (2016). :mod:`common.metrics.events.fitting` says what fits,
:mod:`common.metrics.events.matching` which of the fitting pairs count. With tp correct pairs and
S substitutions :math:`\text{fp} = N_\text{sys} - \text{tp} - S` are insertions and
:math:`\text{fn} = N_\text{ref} - \text{tp} - S` deletions; class by class there are no
substitutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...core.registry import unknown
from .checks import negative_times, refuse, reversed_times
from .crowds import Naming, bunches, by_number
from .fitting import Collar, Pairs, fitting_pairs
from .lists import EventList
from .matching import MATCHINGS, Matched, Matching
from .pool import Pool
from .report import Columns, Options, Scores, error_rates, f_figures, scores


class EventCounts(NamedTuple):
    """Counts of files in events.

    Args:
        tp: correct pairs, shape (files, labels)
        ref: reference events, shape (files, labels)
        sys: estimated events, shape (files, labels)
        all_tp: correct pairs, those of labels that are not evaluated included, shape (files,)
        all_ref: the same for reference events
        all_sys: the same for estimated events
        substitutions: pairs with different labels, shape (files,)
    """

    tp: np.ndarray
    ref: np.ndarray
    sys: np.ndarray
    all_tp: np.ndarray
    all_ref: np.ndarray
    all_sys: np.ndarray
    substitutions: np.ndarray


def match(
    truth: EventList,
    prediction: EventList,
    *,
    collar: Collar,
    matching: Matching,
    naming: Naming = by_number,
) -> Matched:
    """Pairs of reference and estimated events that are counted.

    Args:
        truth: reference events of any number of files; pairs never cross files
        prediction: estimated events
        collar: what fits
        matching: ``optimal`` (does not depend on the order of events), ``greedy``, or
            ``sed_eval``: optimal with the choices of that tool
        naming: how files are called in messages

    Returns:
        pairs of indices into the two lists

    Raises:
        ConfigError: for an unknown matching
        DataError: for a file with too many pairs of events that are near in time

    >>> truth = EventList([0, 0], [0, 1], [0.0, 5.0], [1.0, 6.0])
    >>> prediction = EventList([0, 0], [0, 0], [0.1, 5.1], [1.0, 6.0])
    >>> matches = match(truth, prediction, collar=Collar(0.2, 0.5), matching="optimal")
    >>> matches.correct.truth.tolist(), matches.substituted.truth.tolist()
    ([0], [1])
    """
    if matching not in MATCHINGS:
        raise unknown("matching", matching, MATCHINGS)
    orders = [
        events.order() if matching == "optimal" else np.argsort(events.file, kind="stable")
        for events in (truth, prediction)
    ]
    truth, prediction = truth[orders[0]], prediction[orders[1]]
    first, stop = (np.searchsorted(prediction.file, truth.file, side) for side in ("left", "right"))
    parts = [[Pairs.none(), Pairs.none()]]
    for some in bunches(truth.file, stop - first):
        ours, theirs = truth[some], slice(first[some.start], stop[some.stop - 1])
        estimates = prediction[theirs]
        pairs = fitting_pairs(ours, estimates, collar, naming)
        matches = MATCHINGS[matching](pairs, len(ours), len(estimates))
        parts.append([part.after(some.start, theirs.start) for part in matches])
    return Matched(*(_in_order(part, *orders) for part in zip(*parts, strict=True)))


def _in_order(parts: Sequence[Pairs], truth: np.ndarray, prediction: np.ndarray) -> Pairs:
    """Pairs of all bunches as places in the lists that were given, by reference."""
    places, estimates, right = (np.concatenate(column) for column in zip(*parts, strict=True))
    pairs = Pairs(truth[places], prediction[estimates], right)
    return pairs.take(np.argsort(pairs.truth))


def event_counts(
    truth: EventList, prediction: EventList, matches: Matched, n_files: int, n_labels: int
) -> EventCounts:
    """Counts per file and label of pairs found by :func:`match`.

    Events with a label that is not evaluated (a code of ``n_labels`` or more) count in the
    overall figures only.
    """
    hits = truth[matches.correct.truth]
    tables = [_table(events, n_files, n_labels) for events in (hits, truth, prediction)]
    sums = [
        np.bincount(file, minlength=n_files)
        for file in (hits.file, truth.file, prediction.file, truth.file[matches.substituted.truth])
    ]
    return EventCounts(*tables, *sums)


def _table(events: EventList, n_files: int, n_labels: int) -> np.ndarray:
    mask = events.label < n_labels
    cell = events.file[mask] * n_labels + events.label[mask]
    return np.bincount(cell, minlength=n_files * n_labels).reshape(n_files, n_labels)


def label_confusion(
    truth: EventList, prediction: EventList, matches: Matched, n_labels: int
) -> np.ndarray:
    """Which labels were taken for which, from pairs found by :func:`match`.

    Args:
        truth: reference events, all of evaluated labels
        prediction: estimated events, all of evaluated labels
        matches: pairs
        n_labels: number of labels

    Returns:
        counts, shape (labels + 1, labels + 1), label of the reference by label of the
        estimate; the last column holds deleted references, the last row inserted estimates

    >>> truth = EventList([0, 0], [0, 1], [0.0, 5.0], [1.0, 6.0])
    >>> prediction = EventList([0, 0], [0, 0], [0.1, 5.1], [1.0, 6.0])
    >>> matches = match(truth, prediction, collar=Collar(0.2, 0.5), matching="optimal")
    >>> label_confusion(truth, prediction, matches, 2).tolist()
    [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    """
    partners = [np.concatenate([getattr(p, side) for p in matches]) for side in Pairs._fields[:2]]
    lone = [
        np.delete(events.label, pairs)
        for events, pairs in zip((truth, prediction), partners, strict=True)
    ]
    none = [np.full(len(labels), n_labels) for labels in lone]
    rows = np.concatenate((truth.label[partners[0]], lone[0], none[1]))
    columns = np.concatenate((prediction.label[partners[1]], none[0], lone[1]))
    size = n_labels + 1
    return np.bincount(rows * size + columns, minlength=size**2).reshape(size, size)


class EventBased(Pool[EventCounts]):
    """Event-based evaluation of files that are added one by one or many at once.

    Args:
        labels: evaluated labels
        t_collar: collar in s
        percentage_of_length: share of the reference's length that its offset may be off, if
            that is more than the collar
        evaluate_onset: whether onsets matter
        evaluate_offset: whether offsets matter
        matching: as for :func:`match`
        tolerance: added to the limits in s

    >>> pool = EventBased(["dog"], t_collar=0.2, percentage_of_length=0.2)
    >>> truth, prediction = EventList([0], [0], [0.0], [1.0]), EventList([0], [0], [0.1], [1.1])
    >>> len(pool.add(["a.wav"], truth, prediction).correct.truth)
    1
    >>> pool.scores().overall["f_measure"]["f_measure"]
    1.0
    """

    def __init__(
        self,
        labels: Sequence[str],
        *,
        t_collar: float,
        percentage_of_length: float,
        evaluate_onset: bool = True,
        evaluate_offset: bool = True,
        matching: Matching = "optimal",
        tolerance: float = 0.0,
    ):
        self._collar = Collar(
            t_collar, percentage_of_length, evaluate_onset, evaluate_offset, tolerance
        )
        if matching not in MATCHINGS:
            raise unknown("matching", matching, MATCHINGS)
        super().__init__(labels, collar=self._collar, matching=matching)

    def add(self, files: Sequence[str], truth: EventList, prediction: EventList) -> Matched:
        """Count files.

        Args:
            files: names that the file codes of the events point into
            truth: reference events
            prediction: estimated events

        Returns:
            pairs of indices into the two lists, for a picture of what was counted

        Raises:
            DataError: for an event that ends before it starts, a negative time, a file that was
                added before, or too many events of one file that are near in time
        """
        for name, events in (("truth", truth), ("prediction", prediction)):
            faults = reversed_times(events) + negative_times(events)
            refuse(faults, name, events, files, self.labels)
        matches = match(
            truth, prediction, **self.settings, naming=lambda code: f"file '{files[code]}'"
        )
        counts = event_counts(truth, prediction, matches, len(files), len(self.labels))
        self._append(files, counts)
        return matches

    def counts(self) -> EventCounts:
        """Counts of all files, files in the order of :attr:`files`."""
        none = [np.zeros((0, len(self.labels)), np.int64)] * 3 + [np.zeros(0, np.int64)] * 4
        return self._joined() or EventCounts(*none)

    def scores(
        self,
        *,
        zero_score: bool = True,
        beta: float = 1.0,
        compatibility: Literal["sed_eval"] | None = None,
    ) -> Scores:
        """Figures of all files together: counts are summed, then figures computed once.

        Args:
            zero_score: whether the precision of a class without output is 0 and not NaN; with
                NaN a class that is missed as a whole drops out of the average of F
            beta: weight of the recall in F
            compatibility: ``sed_eval``: its rates over an empty reference; its substitutions
                come with ``matching="sed_eval"``
        """
        total = EventCounts(*(part.sum(axis=0) for part in self.counts()))
        options = Options(zero_score=zero_score, beta=beta, compatibility=compatibility)
        return scores(_overall(total, options), _class_wise(total, options), self.labels)

    def file_scores(
        self,
        *,
        zero_score: bool = True,
        beta: float = 1.0,
        compatibility: Literal["sed_eval"] | None = None,
    ) -> Columns:
        """Overall figures of each file, arrays in the order of :attr:`files`."""
        options = Options(zero_score=zero_score, beta=beta, compatibility=compatibility)
        return _overall(self.counts(), options)


def _overall(counts: EventCounts, options: Options) -> Columns:
    tp, ref, sys, subs = counts[3:]
    fp, fn = sys - tp - subs, ref - tp - subs
    return {
        "f_measure": f_figures(tp, ref, sys, options),
        "error_rate": error_rates(
            {"substitution_rate": subs, "deletion_rate": fn, "insertion_rate": fp}, ref, options
        ),
        "count": {"Nref": ref, "Nsys": sys, "Ntp": tp, "Nsubs": subs, "Nfp": fp, "Nfn": fn},
    }


def _class_wise(counts: EventCounts, options: Options) -> Columns:
    tp, ref, sys = counts[:3]
    fp, fn = sys - tp, ref - tp
    return {
        "f_measure": f_figures(tp, ref, sys, options),
        "error_rate": error_rates({"deletion_rate": fn, "insertion_rate": fp}, ref, options),
        "count": {"Nref": ref, "Nsys": sys, "Ntp": tp, "Nfp": fp, "Nfn": fn},
    }
