"""Intervals of the scores of one model on the samples of one test."""

from __future__ import annotations

import math

import numpy as np

from ..metrics import METRICS
from ..metrics.base import Metric
from ..metrics.sums import Key
from .base import Bound, Difference
from .clusters import DRAWS, Clusters, codes_of
from .interval import Interval, intervals
from .recipe import Recipe, Term
from .statistics import bind


class Bootstrap:
    """Resamples the clusters of a set of samples; what several scores share is kept.

    Args:
        codes: cluster of each sample, 0 to C - 1, shape (N,)
        seed: seed of the run
        keys: what the draws are for, for example the dataset. With the same keys and the same
            clusters, the resamples of two models are the same
        span: width of the range of the target, for metrics in its unit; NaN: unknown
        draws: number of resamples
        method: how intervals are made, see :data:`~common.uncertainty.interval.METHODS`
    """

    def __init__(
        self,
        codes: np.ndarray,
        *,
        seed: int,
        keys: tuple[str, ...] = (),
        span: float = math.nan,
        draws: int = DRAWS,
        method: str = "corrected",
    ):
        self._codes = codes
        self._clusters = Clusters(codes, seed=seed, keys=keys, draws=draws)
        self._seed, self._keys, self._draws = seed, keys, draws
        self._span, self._method = span, method
        self._bounds: dict[tuple[int, ...], tuple[Bound, object]] = {}
        self._intervals: dict[int, tuple[list[Interval], object]] = {}
        self._others: dict[int, tuple[Clusters, object]] = {}

    def interval(self, recipe: Recipe, label: str = "") -> Interval:
        """Interval of the score of a recipe, for one class or bin.

        Raises:
            ValueError: if the metric has no value for the label
        """
        bound = self.bound(recipe)
        if id(bound) not in self._intervals:
            metric = METRICS.get(recipe.term.metric)
            limits = limits_of(metric, self._span, difference=recipe.minus is not None)
            entries = intervals(
                bound,
                limits,
                name=metric.id,
                method=self._method,
                difference=is_difference(recipe, metric),
            )
            self._intervals[id(bound)] = entries, bound
        return self._intervals[id(bound)][0][bound.keys.index(_key(recipe, label))]

    def draws(self, recipe: Recipe, label: str = "") -> np.ndarray:
        """Score in all resamples, without the drawing of unknown rates, shape (draws,)."""
        bound = self.bound(recipe)
        values: np.ndarray = bound.draws()[:, bound.keys.index(_key(recipe, label))]
        return values

    def bound(self, recipe: Recipe) -> Bound:
        """Statistic of a recipe with its data."""
        clusters = self._clusters_of(recipe)
        if recipe.minus is None:
            return self._term(recipe.term, clusters)
        key = (id(recipe.term), id(recipe.minus), id(clusters))
        if key not in self._bounds:
            first, second = (self._term(t, clusters) for t in (recipe.term, recipe.minus))
            self._bounds[key] = Difference(first, second), (recipe.term, recipe.minus)
        return self._bounds[key][0]

    def _term(self, term: Term, clusters: Clusters) -> Bound:
        # the term is kept, too: the id of one that is gone could be given to another one
        key = (id(term), id(clusters))
        if key not in self._bounds:
            self._bounds[key] = bind(term, clusters), term
        return self._bounds[key][0]

    def _clusters_of(self, recipe: Recipe) -> Clusters:
        """Units, or clusters in strata, or those of the samples; each made once."""
        grouping = recipe.units if recipe.units is not None else recipe.strata
        if grouping is None:
            return self._clusters
        if id(grouping) not in self._others:
            codes = self._codes if recipe.units is None else codes_of(recipe.units)
            groups = recipe.strata if recipe.units is None else None
            clusters = Clusters(
                codes, seed=self._seed, keys=self._keys, draws=self._draws, groups=groups
            )
            self._others[id(grouping)] = clusters, grouping
        return self._others[id(grouping)][0]


def is_difference(recipe: Recipe, metric: Metric) -> bool:
    """Whether a score of zero means that two things do not differ."""
    return recipe.minus is not None or metric.direction == "zero" or metric.takes == "change"


def _key(recipe: Recipe, label: str) -> Key:
    return recipe.group, label if recipe.label is None else recipe.label


def limits_of(metric: Metric, span: float, *, difference: bool) -> tuple[float, float]:
    """Smallest and largest value that a score can have.

    Args:
        metric: of the score
        span: width of the range of the target, for metrics in its unit; NaN: unknown
        difference: whether the score is the difference of two values of the metric

    >>> limits_of(METRICS.get("ccc"), 1.0, difference=True)
    (-2, 2)
    >>> limits_of(METRICS.get("mae"), 1.0, difference=False)
    (0, 1.0)
    """
    low, high = metric.bounds
    if metric.unit and not math.isnan(span):
        widest = 2 * span if metric.takes == "groups" else span
        low, high = max(low, -widest), min(high, widest)
    return (low - high, high - low) if difference else (low, high)
