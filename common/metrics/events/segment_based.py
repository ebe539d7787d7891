r"""Segment-based metrics: figures from counts of segments.

After Mesaros et al. (2016). :mod:`common.metrics.events.segment_counts` says how segments are
counted, :mod:`common.metrics.events.figures` what is computed from the counts. Class by class
there are no substitutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ...core.errors import DataError
from . import figures
from .checks import negative_times, refuse, unknown_labels
from .lists import EventList
from .pool import Pool
from .report import Columns, Options, Scores, error_rates, f_figures, scores
from .segment_counts import SegmentCounts, segment_counts


class SegmentBased(Pool[SegmentCounts]):
    """Segment-based evaluation of files that are added one by one or many at once.

    Args:
        labels: evaluated labels; averages over classes depend on this list
        time_resolution: length of a segment in s
        decimals: as for :func:`~common.metrics.events.segment_counts.segment_counts`

    >>> pool = SegmentBased(["dog"], time_resolution=1.0)
    >>> truth, prediction = EventList([0], [0], [0.0], [2.0]), EventList([0], [0], [0.0], [1.0])
    >>> pool.add(["a.wav"], truth, prediction, lengths=[4.0])
    >>> pool.scores().overall["f_measure"]["recall"]
    0.5
    """

    def __init__(
        self, labels: Sequence[str], *, time_resolution: float, decimals: int | None = None
    ):
        super().__init__(labels, time_resolution=time_resolution, decimals=decimals)

    def add(
        self,
        files: Sequence[str],
        truth: EventList,
        prediction: EventList,
        *,
        lengths: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        """Count files.

        Args:
            files: names that the file codes of the events point into; all are evaluated
            truth: reference events
            prediction: estimated events
            lengths: evaluated length of each file in s; None: largest offset of both lists

        Raises:
            DataError: for a label that is not evaluated, a negative time, or a file that was
                added before
        """
        for name, events in (("truth", truth), ("prediction", prediction)):
            refuse(unknown_labels(events, len(self.labels)), name, events, files, self.labels)
            refuse(negative_times(events), name, events, files, self.labels)
        seconds = None if lengths is None else np.asarray(lengths, np.float64)
        if seconds is not None and (seconds < 0).any():
            at = int(np.argmax(seconds < 0))
            raise DataError(f"lengths: file '{files[at]}': {seconds[at]:g} s is negative")
        counts = segment_counts(
            truth, prediction, len(files), len(self.labels), lengths=seconds, **self.settings
        )
        self._append(files, counts)

    def counts(self) -> SegmentCounts:
        """Counts of all files, files in the order of :attr:`files`."""
        none, empty = np.zeros((0, len(self.labels)), np.int64), np.zeros(0, np.int64)
        nothing = SegmentCounts(none, none, none, empty, empty, empty, empty, np.zeros(0))
        return self._joined() or nothing

    def scores(
        self,
        *,
        zero_score: bool = True,
        factor: float = 0.5,
        beta: float = 1.0,
        compatibility: Literal["sed_eval"] | None = None,
    ) -> Scores:
        """Figures of all files together: counts are summed, then figures computed once.

        Args:
            zero_score: whether the precision of a class without output is 0 and not NaN; with
                NaN a class that is missed as a whole drops out of the average of F
            factor: weight of the sensitivity in the balanced accuracy, in [0, 1]
            beta: weight of the recall in F
            compatibility: ``sed_eval``: its rates over an empty reference, and its weights of
                the balanced accuracy
        """
        total = SegmentCounts(*(part.sum(axis=0) for part in self.counts()))
        options = Options(zero_score, beta, factor, compatibility)
        return scores(_overall(total, options), _class_wise(total, options), self.labels)

    def file_scores(
        self,
        *,
        zero_score: bool = True,
        factor: float = 0.5,
        beta: float = 1.0,
        compatibility: Literal["sed_eval"] | None = None,
    ) -> Columns:
        """Overall figures of each file, arrays in the order of :attr:`files`."""
        return _overall(self.counts(), Options(zero_score, beta, factor, compatibility))


def _overall(counts: SegmentCounts, options: Options) -> Columns:
    tp, ref, sys = (part.sum(axis=-1) for part in counts[:3])
    errors = {
        "substitution_rate": counts.substitutions,
        "deletion_rate": counts.deletions,
        "insertion_rate": counts.insertions,
    }
    cells = counts.segments * counts.tp.shape[-1]
    columns = _columns(tp, ref, sys, cells, errors, options)
    columns["count"].update(zip("SDI", errors.values(), strict=True))
    return columns


def _class_wise(counts: SegmentCounts, options: Options) -> Columns:
    tp, ref, sys = counts[:3]
    errors = {"deletion_rate": ref - tp, "insertion_rate": sys - tp}
    return _columns(tp, ref, sys, np.asarray(counts.segments)[..., None], errors, options)


def _columns(
    tp: np.ndarray,
    ref: np.ndarray,
    sys: np.ndarray,
    cells: np.ndarray,
    errors: dict[str, np.ndarray],
    options: Options,
) -> dict[str, dict[str, np.ndarray]]:
    fp, fn = sys - tp, ref - tp
    tn = cells - tp - fp - fn
    sensitivity, specificity = figures.sensitivity(tp, fn), figures.specificity(tn, fp)
    factor = 1 - options.factor if options.compatibility else options.factor
    return {
        "f_measure": f_figures(tp, ref, sys, options),
        "error_rate": error_rates(errors, ref, options),
        "accuracy": {
            "accuracy": figures.accuracy(tp, tn, fp, fn),
            "accuracy2": figures.accuracy2(tp, fp, fn),
            "balanced_accuracy": figures.balanced_accuracy(sensitivity, specificity, factor=factor),
            "sensitivity": sensitivity,
            "specificity": specificity,
        },
        "count": {"Nref": ref, "Nsys": sys, "Ntp": tp, "Ntn": tn, "Nfp": fp, "Nfn": fn},
    }
