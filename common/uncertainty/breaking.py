"""How certain a breaking point is: where a curve over levels begins to fail, in resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..spec.records import Criterion
from .bootstrap import Bootstrap
from .paired import size_of
from .recipe import Recipe
from .student import TAIL, Z, student


class Break(NamedTuple):
    """95 % interval of a breaking point, as places among the levels.

    Args:
        mild: end on the mild side, 0 for the first level, 1 for the second and so on, with parts
            in between; minus infinity: it may fail at all levels
        severe: end on the severe side; infinity: it may hold at all levels
    """

    mild: float
    severe: float

    def at(self, levels: Sequence[float]) -> tuple[str, str]:
        """Both ends as levels: numbers, ``all`` if all may fail, ``none`` if all may hold.

        >>> Break(0.5, math.inf).at([20, 10, 0])
        ('15', 'none')
        """
        return _level(self.mild, levels), _level(self.severe, levels)


def breaking_interval(
    bootstrap: Bootstrap, recipes: Sequence[tuple[Recipe, str]], criterion: Criterion
) -> Break | None:
    """Interval of the place from which on all levels fail.

    In each resample of the speakers the scores of all levels move together, as they rest on the
    same samples, and each is moved away from its value as its own interval is: by Student's
    quantile of the effective number of clusters. Where the resampled curve crosses the bound for
    the last time is its breaking point; the interval holds the middle 95 % of them.

    Args:
        bootstrap: of the samples
        recipes: what the score of each level is computed of, and its label; mild to severe
        criterion: rule with one bound

    Returns:
        None where the criterion has not one bound, with fewer than two clusters, or if a
        resample of a score has no value
    """
    bound = criterion.above if criterion.above is not None else criterion.below
    if bound is None or not recipes:
        return None
    moved = []
    for recipe, label in recipes:
        statistic = bootstrap.bound(recipe)
        place = statistic.keys.index(
            (recipe.group, label if recipe.label is None else recipe.label)
        )
        size = size_of(statistic.support, place)
        if size.clusters < 2:
            return None
        stretch = float(student(np.array([size.freedom]))[0]) / Z * size.wider
        point = float(statistic.point()[place])
        moved.append(point + stretch * (bootstrap.draws(recipe, label) - point))
    values = np.stack(moved, axis=1)
    if np.isnan(values).any():
        return None
    sign = 1 if criterion.above is not None else -1
    places = last_crossing(sign * (values - bound))
    low, high = np.quantile(places, (TAIL, 1 - TAIL), method="inverted_cdf")
    return Break(float(low), float(high))


def last_crossing(margins: np.ndarray) -> np.ndarray:
    """Where curves become negative for good, as a place among their points.

    Args:
        margins: how far a score is on the good side of its bound, shape (B, L)

    Returns:
        shape (B,): places between two points, in between linearly; infinity if the last point is
        positive, minus infinity if none is

    >>> last_crossing(np.array([[3.0, 1.0, -1.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])).tolist()
    [1.5, inf, -inf]
    """
    good = margins > 0
    number = margins.shape[1]
    last = np.where(good.any(axis=1), number - 1 - np.argmax(good[:, ::-1], axis=1), -1)
    rows = np.flatnonzero((last >= 0) & (last < number - 1))
    crossings = np.where(last < 0, -np.inf, np.inf)
    before, after = margins[rows, last[rows]], margins[rows, last[rows] + 1]
    crossings[rows] = last[rows] + before / (before - after)
    return crossings


def _level(place: float, levels: Sequence[float]) -> str:
    if math.isinf(place):
        return "none" if place > 0 else "all"
    return f"{np.interp(place, np.arange(len(levels)), levels):.4g}"
