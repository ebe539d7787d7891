"""The statistic of a term: that of its metric, a change of a score, or the slow one for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..metrics import METRICS, Metric
from ..metrics.labels import observed_labels
from ..metrics.shift import Shift
from ..metrics.sums import Key
from . import ranks, sound_events  # noqa: F401 (registration)
from .base import (
    STATISTICS,
    Bound,
    BoundSums,
    Difference,
    Statistic,
    Support,
    sample_of,
)
from .clusters import Clusters
from .recipe import Term

__all__ = ["GENERIC", "STATISTICS", "bind"]


def bind(term: Term, clusters: Clusters) -> Bound:
    """The statistic of a term with its data.

    Raises:
        ConfigError: if there is no such metric
    """
    metric = METRICS.get(term.metric)
    if metric.takes == "change":
        return _change(metric, term, clusters)
    if metric.sums is not None:
        return BoundSums(metric.sums, sample_of(term, clusters), clusters, metric, term)
    statistic = STATISTICS.get(metric.id) if metric.id in STATISTICS else GENERIC
    return statistic.bind(term, clusters)


def _change(metric: Metric, term: Term, clusters: Clusters) -> Bound:
    """Score on changed signals minus that on original ones, each with the classes that occur."""
    truth, original, changed = term.arrays
    has_labels = "labels" in METRICS.get(metric.of).keywords
    parts = [
        replace(
            term,
            metric=metric.of,
            arrays=(truth, prediction),
            rows=(term.rows[0], rows),
            labels=observed_labels(truth, prediction) if has_labels else (),
        )
        for prediction, rows in ((changed, term.rows[2]), (original, term.rows[1]))
    ]
    return Difference(*(bind(part, clusters) for part in parts))


class Generic(Statistic):
    """Any metric, computed anew for each resample: right, but slow."""

    def bind(self, term: Term, clusters: Clusters) -> Bound:
        return _BoundGeneric(term, clusters)


GENERIC = Generic()


class _BoundGeneric(Bound):
    def __init__(self, term: Term, clusters: Clusters):
        super().__init__()
        self._term, self._clusters = term, clusters
        self._sample = sample_of(term, clusters)
        self._metric = METRICS.get(term.metric)
        self._given: dict[str, Any] = dict(term.params)
        if "labels" in self._metric.keywords:
            self._given["labels"] = term.labels
        self._all = self._evaluate(list(self._sample.arrays))
        self.keys = tuple(self._all)

    def _evaluate(self, arrays: list[np.ndarray]) -> dict[Key, float]:
        return flat(self._metric.function(*arrays, **self._given))

    def _repeated(self, weights: np.ndarray) -> np.ndarray:
        """Values with as many copies of each sample as its weight says, shape (B, V)."""
        values = np.full((len(weights), len(self.keys)), np.nan)
        column = {key: number for number, key in enumerate(self.keys)}
        for number, row in enumerate(weights):
            arrays = []
            for array, rows in zip(self._sample.arrays, self._term.rows, strict=True):
                often = self._clusters.per_sample(row[None], rows)[0].astype(np.int64)
                arrays.append(np.repeat(array, often, axis=0))
            for key, value in self._evaluate(arrays).items():
                if key in column:
                    values[number, column[key]] = value
        return values

    def _draw(self, name: str) -> np.ndarray:
        return self._repeated(self._clusters.weights)

    def point(self) -> np.ndarray:
        return np.array(list(self._all.values()))

    def without_one(self) -> np.ndarray:
        return self._repeated(1 - np.eye(self._clusters.size))

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        return self._repeated(weights)

    @property
    def support(self) -> Support:
        last = len(self._sample.arrays) - 1 if self._metric.takes == "pair" else 0
        base = None if self._sample.aligned else self._sample.support(0).own
        return self._sample.support(last)._replace(base=base)


def flat(value: Any) -> dict[Key, float]:
    """Value of a metric by (group, label); of a shift, its difference from the average.

    >>> flat(0.5), flat({"a": 0.5})
    ({('', ''): 0.5}, {('', 'a'): 0.5})
    """
    if not isinstance(value, Mapping):
        return {("", ""): _number(value)}
    values: dict[Key, float] = {}
    for name, item in value.items():
        if isinstance(item, Mapping):
            values |= {(name, label): _number(number) for label, number in item.items()}
        else:
            values[(name, "") if isinstance(item, Shift) else ("", name)] = _number(item)
    return values


def _number(value: Any) -> float:
    return float(value.difference if isinstance(value, Shift) else value)
