r"""Resampling of a PSDS: counts of recordings are added, and recordings are resampled.

A PSDS follows from counts at every threshold, too many to be resampled; its resamples are made from at most :data:`POINTS` thresholds
of each class, those at which the curve of all recordings rises, and are then moved by what these
few miss of the score itself, about 0.01. The weight of a cross trigger, one over the length of
all events of the other class, is that of all recordings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics.event_psds import SCENARIOS, psds_of
from ..metrics.events import figures
from ..metrics.events.criteria import Criteria
from ..metrics.events.detection_rates import seconds_of
from ..metrics.events.exact_intersection import ExactIntersection
from ..metrics.events.intersection_based import intersection_counts
from ..metrics.events.presets import PsdsSettings
from ..metrics.events.recordings import SoundEvents
from .base import (
    STATISTICS,
    Bound,
    Sample,
    Statistic,
    Support,
    sample_of,
)
from .clusters import Clusters
from .recipe import Term

#: thresholds of each class that resamples of a PSDS are made from
POINTS = 40
#: places between 0 and the largest rate at which the curve of a resample is evaluated
GRID = 100
#: numbers (resamples x classes x points x grid) that are looked at together
CELLS = 20_000_000


class PsdsStatistic(Statistic):
    """Resampling of a PSDS.

    Args:
        settings: of a metric without parameters; None: they are those of the YAML
    """

    def __init__(self, settings: PsdsSettings | None = None):
        self._settings = settings

    def bind(self, term: Term, clusters: Clusters) -> Bound:
        settings = self._settings or _settings(**term.params)
        return _BoundPsds(sample_of(term, clusters), clusters, settings)


def _settings(
    *, dtc: float, gtc: float, cttc: float | None, alpha_ct: float, **others: Any
) -> PsdsSettings:
    return PsdsSettings(Criteria(dtc, gtc, cttc), alpha_ct, unit="hour", **others)


class _BoundPsds(Bound):
    def __init__(self, sample: Sample, clusters: Clusters, settings: PsdsSettings):
        super().__init__()
        self._sample, self._clusters, self._settings = sample, clusters, settings
        truth, prediction = sample.arrays
        assert isinstance(truth, SoundEvents) and isinstance(prediction, SoundEvents)
        self._size = len(truth.labels)
        self._score = psds_of(truth, prediction, settings)
        self._points = 0
        self._limit = 0.0
        if not np.isnan(self._score):
            counts = self._counts(truth, prediction)
            self._sums = np.zeros((sample.size, counts.shape[1]))
            np.add.at(self._sums, sample.places[0], counts)
            whole = self._values(self._sums.sum(axis=0)[None])[0, 0]
            self._missed = self._score - whole

    def _counts(self, truth: SoundEvents, prediction: SoundEvents) -> np.ndarray:
        """Counts per recording.

        Hits, false positives and costs of cross triggers at each threshold of each class, then
        events of each class, then the duration.
        """
        size, files = self._size, len(truth)
        criteria = self._settings.criteria
        if not self._settings.alpha_ct:
            criteria = criteria.without_cross_triggers()
        assert prediction.scores is not None
        thresholds = self._thresholds(truth, prediction)
        points = self._points = len(thresholds)
        counts = intersection_counts(
            truth.events,
            [prediction.scores.events(threshold) for threshold in thresholds],
            truth.durations,
            size,
            criteria=criteria,
        )
        place, column = np.divmod(counts.cell, size + 1)
        row = place % size
        seconds = counts.seconds.sum(axis=0)
        others = np.maximum((seconds > 0).sum() - (seconds > 0), 1)
        cost = figures.divide(np.ones(size), seconds, 0.0) / others[:, None]
        weight = np.append(cost, np.zeros((size, 1)), axis=1)[row, column]
        kinds = [column == row, column == size, (column != row) & (column < size)]
        tables = [
            np.bincount(
                place[kind],
                counts.hits[kind] * (weight[kind] if number == 2 else 1.0),
                minlength=files * points * size,
            ).reshape(files, points * size)
            for number, kind in enumerate(kinds)
        ]
        return np.concatenate([*tables, counts.events, counts.duration[:, None]], axis=1)

    def _thresholds(self, truth: SoundEvents, prediction: SoundEvents) -> np.ndarray:
        """Thresholds at which the curve of a class rises, shape (points, labels)."""
        assert prediction.scores is not None
        pool = ExactIntersection(
            truth.labels, self._settings.criteria.without_cross_triggers(), overlap="allow"
        )
        pool.add(truth.files, truth.events, prediction.scores, durations=truth.durations)
        thresholds = np.full((POINTS, self._size), np.inf)
        per_unit = seconds_of(self._settings.unit) / max(truth.durations.sum(), 1e-9)
        limit = self._settings.max_efpr
        rates = []
        for number, curve in enumerate(pool.curves().values()):
            rate = curve.fp * per_unit
            corners = _corners(curve.tp, curve.fp)
            corners = corners[rate[corners] <= (np.inf if limit is None else 2 * limit)]
            below = np.append(curve.level[1:], -np.inf)[corners]
            chosen = np.unique(np.linspace(0, len(corners) - 1, POINTS).round().astype(np.int64))
            thresholds[: len(chosen), number] = below[chosen]
            rates.append(float(rate[corners].max(initial=0.0)))
        self._limit = limit if limit is not None else max(rates, default=0.0)
        return thresholds

    def _values(self, sums: np.ndarray) -> np.ndarray:
        """PSDS of sums, shape (B, 1)."""
        size, points = self._size, self._points
        step = max(1, CELLS // max(1, size * points * GRID))
        parts = [self._block(sums[at : at + step]) for at in range(0, len(sums), step)]
        return np.concatenate(parts)[:, None]

    def _block(self, sums: np.ndarray) -> np.ndarray:
        size, points = self._size, self._points
        shape = (len(sums), points, size)
        width = points * size
        tp, fp, ct = (sums[:, n * width : (n + 1) * width].reshape(shape) for n in range(3))
        events, duration = sums[:, None, 3 * width : -1], sums[:, None, -1:]
        seconds = seconds_of(self._settings.unit)
        rate = figures.divide(fp * seconds, duration, np.nan)
        rate += self._settings.alpha_ct * ct * seconds
        tpr = figures.divide(tp, events, np.nan)
        grid = (np.arange(GRID) + 0.5) * (self._limit / GRID)
        # a curve is the best rate among the points that cost no more; they lie in any order
        curves = np.zeros((len(sums), GRID + 1, size))
        first = np.searchsorted(grid, rate)  # GRID: beyond the limit, or no number
        draw, _, label = np.indices(shape, sparse=True)
        np.maximum.at(
            curves.reshape(-1),
            ((draw * (GRID + 1) + first) * size + label).ravel(),
            np.nan_to_num(tpr).ravel(),
        )
        curves = np.maximum.accumulate(curves[:, :GRID], axis=1)
        mask = np.broadcast_to(~np.isnan(tpr[:, :1]), curves.shape)
        number = mask.sum(axis=2)
        mean = figures.divide(np.where(mask, curves, 0.0).sum(axis=2), number, np.nan)
        spread = np.where(mask, (curves - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
        std = np.sqrt(figures.divide(spread, number, np.nan))
        return np.asarray(np.maximum(mean - self._settings.alpha_st * std, 0.0).mean(axis=1))

    def _draw(self, name: str) -> np.ndarray:
        return self._moved(self._clusters.weights)

    def _moved(self, weights: np.ndarray) -> np.ndarray:
        if np.isnan(self._score):
            return np.full((len(weights), 1), np.nan)
        return np.clip(self._values(weights @ self._sums) + self._missed, 0.0, 1.0)

    def point(self) -> np.ndarray:
        return np.array([self._score])

    def without_one(self) -> np.ndarray:
        return self._moved(1 - np.eye(self._clusters.size))

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        return self._moved(weights)

    @property
    def support(self) -> Support:
        return self._sample.support()


def _corners(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
    """Points of a curve that have more hits than all points with as few false positives.

    >>> _corners(np.array([0, 1, 2, 2, 3]), np.array([0, 0, 0, 1, 2])).tolist()
    [2, 4]
    """
    order = np.lexsort((np.arange(len(tp)), -tp, fp))
    hits = tp[order]
    best = np.maximum.accumulate(hits)
    rises = np.append(True, best[1:] > best[:-1])
    return np.sort(order[rises])


STATISTICS.add("psds", PsdsStatistic())
for _name, _scenario in SCENARIOS.items():
    STATISTICS.add(_name, PsdsStatistic(_scenario))
