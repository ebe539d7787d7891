"""Statistics of metrics of units such as speakers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..metrics.ranking import TIE
from .base import STATISTICS, Bound, BoundWeights, Statistic
from .clusters import Clusters
from .recipe import Term


def weighted_ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Average ranks of values that each occur several times.

    Args:
        values: shape (N,)
        weights: how often each occurs, shape (B, N)

    Returns:
        rank of each value, shape (B, N)

    >>> weighted_ranks(np.array([0.3, 0.1]), np.array([[1.0, 1.0], [1.0, 2.0]])).tolist()
    [[2.0, 1.0], [3.0, 1.5]]
    """
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > TIE * np.abs(values).max(initial=0)
    first = np.concatenate([[0], np.flatnonzero(gaps) + 1])
    counts = np.add.reduceat(weights[:, order], first, axis=1)  # of each distinct value
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    spread: np.ndarray = ranks[:, place]
    return spread


def weighted_rho(truth: np.ndarray, prediction: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Spearman's rank correlation of values that each occur several times, shape (B,)."""
    n = weights.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = (weighted_ranks(values, weights) for values in (prediction, truth))
        x, y = (ranks - (weights * ranks).sum(1, keepdims=True) / n for ranks in (x, y))
        spreads = [(weights * a * b).sum(axis=1) for a, b in ((x, y), (x, x), (y, y))]
        above, below = spreads[0], np.sqrt(spreads[1] * spreads[2])
        value = np.clip(above / below, -1, 1)
    # ranks are multiples of a half: a spread of less than that is rounding
    constant = (spreads[1] < 0.1) | (spreads[2] < 0.1)
    return np.where(constant | (n[:, 0] < 2), np.nan, value)


@dataclass(frozen=True)
class _Rho(Statistic):
    """Rank correlation of two arrays, or of each of their columns."""

    per_class: bool = False

    def bind(self, term: Term, clusters: Clusters) -> Bound:
        truth, prediction = (np.asarray(values, np.float64) for values in term.arrays)
        pairs: Sequence[tuple[np.ndarray, np.ndarray]] = [(truth, prediction)]
        if self.per_class:
            pairs = list(zip(truth.T, prediction.T, strict=True))
        keys = tuple(("", label) for label in (term.labels if self.per_class else ("",)))

        def values(weights: np.ndarray) -> np.ndarray:
            return np.stack([weighted_rho(t, p, weights) for t, p in pairs], axis=1)

        return BoundWeights(values, term.rows[0], clusters, keys, "ranks")


STATISTICS.add("spearmans_rho", _Rho())
STATISTICS.add("class_proportion_spearmans_rho", _Rho(per_class=True))
