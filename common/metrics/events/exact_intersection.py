r"""PSDS and intersection-based figures from frame scores, with every distinct score a threshold.

The criteria are those of :mod:`common.metrics.events.criteria`; each detection of any threshold
(:mod:`common.metrics.events.component_tree`) is judged once. A relevant detection covers a part
of an annotated event from the threshold at which it appears to the one at which it is merged; an
event is found at the thresholds at which the relevant detections cover enough of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.errors import ConfigError
from .checks import Overlap
from .criteria import Criteria, usable
from .detection_rates import check_alpha_ct, check_duration, seconds_of
from .exact_criteria import judge, slots
from .frames import FrameScores
from .grouping import order_free_sum
from .horizon import Horizon, above, lowest, peaks
from .lists import EventList
from .roc import Curve, PsdRoc, curve, psd_roc
from .selection import checked_durations, checked_truth, selections
from .sweep import Changes, SweepCounts, SweepPool, output_changes
from .threshold_curve import CountCurve

#: by how much the number of files must have grown before old parts are looked through again
GROWTH = 1.25


class ExactIntersection(SweepPool):
    """Intersection-based evaluation of frame scores at all thresholds.

    Args:
        labels: labels of the scores, in the order of their columns
        criteria: limits; 6 decimals are those of sed_scores_eval
        overlap: what happens to events of one label that intersect: ``error``, ``merge``
            or ``allow``
        horizon: up to which rate operating points matter; None: all do

    >>> pool = ExactIntersection(["dog"], Criteria(0.5, 0.5, None))
    >>> truth = EventList([0], [0], [1.0], [2.0])
    >>> scores = FrameScores(np.array([[0.1], [0.9], [0.2]]), np.arange(4.0), [3])
    >>> pool.add(["a.wav"], truth, scores, durations=[3.0])
    >>> pool.curve("dog").tp.tolist(), pool.curve("dog").level.tolist()
    ([0, 1, 0], [inf, 0.9, 0.1])
    """

    def __init__(
        self,
        labels: Sequence[str],
        criteria: Criteria,
        *,
        overlap: Overlap = "error",
        horizon: Horizon | None = None,
    ):
        super().__init__(labels, criteria=criteria, horizon=horizon)
        self._criteria = criteria
        self._overlap: Overlap = overlap
        self._horizon = horizon
        self._peaks: list[np.ndarray] = []
        self._tidied = 0

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
            durations: length of each recording in s

        Raises:
            DataError: with file and rule, for what is not allowed
        """
        truth = checked_truth(self.labels, truth, files, scores, self._overlap)
        durations = checked_durations(files, durations)
        truth = usable(truth, len(self.labels))
        truth = truth[truth.order()]
        if self._horizon is not None:
            self._peaks.append(peaks(scores, truth))
            scores = above(scores, self._lowest())
        every, slot = self._criteria.cttc is not None, slots(truth)
        changes = [
            judge(part, truth, slot, self._criteria)
            for part in selections(scores, truth, every_label=every)
        ]
        shape = (len(files), len(self.labels))
        code = truth.file * len(self.labels) + truth.label
        seconds = np.bincount(code, truth.offset - truth.onset, minlength=shape[0] * shape[1])
        self._append(
            files,
            SweepCounts(
                output_changes(scores),
                Changes.join([hits for hits, _, _ in changes]),
                Changes.join([relevant for _, relevant, _ in changes]),
                Changes.join([crossed for _, _, crossed in changes]),
                np.bincount(truth.label, minlength=len(self.labels)),
                seconds.reshape(shape),
                durations,
            ),
        )
        if self._horizon is not None and len(self.files) >= max(
            self._horizon.files, GROWTH * self._tidied
        ):
            self._tidy()

    def merge(self, other: ExactIntersection) -> ExactIntersection:
        """As for other pools."""
        super().merge(other)
        self._peaks += other._peaks
        return self

    def _lowest(self) -> np.ndarray:
        assert self._horizon is not None
        self._peaks = [np.concatenate(self._peaks)]
        return lowest(self._peaks[0], self._horizon)

    def _tidy(self) -> None:
        """Leave out what later files have shown not to matter."""
        limit = self._lowest()
        if self._tidied or len(self._parts) > 1:
            self._parts = [_within(part, limit) for part in self._parts]
        self._tidied = len(self.files)

    def curves(self) -> dict[str, CountCurve]:
        """Counts of all labels at all thresholds.

        Raises:
            ConfigError: if the pool has a horizon, beyond which counts are not complete
        """
        if self._horizon is not None:
            raise ConfigError("horizon: with a horizon only the ROC up to its rate is known")
        return super().curves()

    def roc(self, *, alpha_ct: float, alpha_st: float, max_efpr: float | None, unit: str) -> PsdRoc:
        """ROC over labels, up to a rate.

        Args:
            alpha_ct: weight of cross triggers in the effective rate, in [0, 1]; 0 if the
                criteria count none
            alpha_st: weight of the standard deviation over labels
            max_efpr: largest effective false positive rate that matters; None: all
            unit: unit of time of rates

        Raises:
            ConfigError: for values that are not allowed, or beyond the horizon
            DataError: if the recordings have no duration
        """
        check_alpha_ct(alpha_ct)
        if alpha_ct and self._criteria.cttc is None:
            raise ConfigError("alpha_ct: cross triggers were not counted, as cttc is None")
        counts = self._counts()
        total, seconds = float(order_free_sum(counts.duration)), seconds_of(unit)
        check_duration(total)
        self._check_horizon(max_efpr, seconds, total)
        costs, weight = _costs(counts, alpha_ct * seconds) if alpha_ct else ((), 1.0)
        classes: list[Curve | None] = []
        for n_ref, _, true, false, cost in self._sums(costs):
            efpr = false * seconds / total + cost / weight
            rows = slice(None) if max_efpr is None else efpr <= max_efpr
            classes.append(curve(efpr[rows], true[rows] / n_ref) if n_ref else None)
        return psd_roc(classes, alpha_st=alpha_st, limit=max_efpr)

    def _check_horizon(self, max_efpr: float | None, seconds: float, total: float) -> None:
        if self._horizon is None:
            return
        limit = self._horizon.max_efpr / seconds_of(self._horizon.unit)
        if max_efpr is None or max_efpr / seconds > limit * (1 + 1e-12):
            raise ConfigError(
                f"max_efpr: only rates up to the horizon of {self._horizon.max_efpr:g}"
                f" per {self._horizon.unit} are known"
            )
        if abs(total - self._horizon.duration) > 1e-6 * total:
            raise ConfigError(
                f"horizon: recordings of {self._horizon.duration:g} s were announced,"
                f" but {total:g} s evaluated"
            )


def _within(counts: SweepCounts, limit: np.ndarray) -> SweepCounts:
    """Counts without what lies at or below a limit, one for each label."""
    output = [
        (level[level > least], delta[level > least])
        for (level, delta), least in zip(counts.output, limit, strict=True)
    ]
    hits, relevant, crossed = (
        part.of(part.level > limit[part.label])
        for part in (counts.hits, counts.relevant, counts.crossed)
    )
    return counts._replace(output=tuple(output), hits=hits, relevant=relevant, crossed=crossed)


def _costs(counts: SweepCounts, factor: float) -> tuple[np.ndarray, float]:
    """Cost of a cross trigger, by label and other label, as an integer; and how many are 1.

    Sums of integers do not depend on their order, so equal rates stay equal.
    """
    seconds = order_free_sum(counts.seconds)
    mask = counts.n_ref > 0
    others = np.maximum(mask.sum() - mask, 1)
    cost = np.where(mask, factor / np.where(mask, seconds, 1.0), 0.0) / others[:, None]
    number = max(1, int(np.abs(counts.crossed.delta.astype(np.int64)).sum()))
    most = number * float(cost.max()) + 1.0
    weight = 2.0 ** (61 - int(np.ceil(np.log2(most))))
    return np.round(cost * weight).astype(np.int64), weight
