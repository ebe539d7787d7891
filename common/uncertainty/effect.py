"""How large the difference of a group is, without a unit: standardised effect sizes.

A p value says whether there is a difference, an effect size how large it is, and the latter
does not grow with the number of samples. The group is compared with all *other* samples, not
with all of them: the others do not contain the group. Signs are those of the score: where
higher is better, positive says that the group has the better predictions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..metrics import METRICS
from ..metrics.base import Metric
from ..metrics.bins import shares_by_bin
from ..metrics.distribution import shares_by_class
from ..metrics.sums import Key
from ..spec import kinds
from .recipe import Recipe, Term
from .statistics import flat

NAN = float("nan")


def hedges_g(first: np.ndarray, second: np.ndarray) -> float:
    r"""Difference of two means in pooled standard deviations, corrected for small samples.

    .. math:: g = \left(1 - \frac{3}{4 (a + b - 2) - 1}\right) \frac{\bar x - \bar y}{s},
       \quad s^2 = \frac{(a - 1) s_x^2 + (b - 1) s_y^2}{a + b - 2}

    after Hedges (1981).

    Args:
        first: values, shape (a,)
        second: values, shape (b,)

    Returns:
        effect size; NaN if a sample has fewer than two values, or if none of them varies

    >>> round(hedges_g(np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 5])), 4)
    -0.6736
    """
    a, b = len(first), len(second)
    if min(a, b) < 2:
        return NAN
    squares = _squares(first) + _squares(second)
    return _standardised(float(np.mean(first) - np.mean(second)), squares, a + b - 2)


def _squares(values: np.ndarray) -> float:
    return float(((values - np.mean(values)) ** 2).sum())


def _standardised(difference: float, squares: float, freedom: int) -> float:
    """Difference in standard deviations, from the sum of squares within cells."""
    if freedom < 1:
        return NAN
    deviation = math.sqrt(squares / freedom)
    if deviation <= 1e-12:
        return NAN
    return (1 - 3 / (4 * freedom - 1)) * difference / deviation


def cohens_h(first: float, second: float) -> float:
    r"""Difference of two shares on a scale where equal steps are equally easy to detect.

    .. math:: h = 2 \arcsin \sqrt{p_1} - 2 \arcsin \sqrt{p_2}

    after Cohen (1988).

    Returns:
        effect size in [-pi, pi]; NaN if a share is NaN

    >>> round(cohens_h(0.5, 0.25), 4), round(cohens_h(1.0, 0.0), 4)
    (0.5236, 3.1416)
    """
    return _angle(first) - _angle(second)


def _angle(share: float) -> float:
    return NAN if math.isnan(share) else 2 * math.asin(math.sqrt(min(max(share, 0.0), 1.0)))


class Effects:
    """Effect sizes of the scores of a cell; what several scores share is computed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Mapping[Key, float], Recipe]] = {}
        self._codes: dict[int, tuple[list[str], np.ndarray, np.ndarray]] = {}

    def of(self, recipe: Recipe | None, label: str = "") -> float:
        """Effect size of a score that compares a group with others; NaN for other scores."""
        if recipe is None or recipe.units is not None:
            return NAN
        # the recipe is kept, too: the id of a term that is gone could be given to another one
        key = id(recipe.term), id(recipe.minus)
        if key not in self._known:
            self._known[key] = self._effects(recipe), recipe
        score_key = recipe.group, label if recipe.label is None else recipe.label
        return self._known[key][0].get(score_key, NAN)

    def _effects(self, recipe: Recipe) -> Mapping[Key, float]:
        metric, term = METRICS.get(recipe.term.metric), recipe.term
        kind = kinds.get(metric.kind)
        if not (kind.is_number or kind.has_classes):
            return {}
        if recipe.minus is not None:
            return _of_quality(metric, term, recipe.minus)
        if metric.takes == "groups":
            return _of_contrast(metric, term, *self._groups(term.arrays[1]))
        if metric.level is not None and not term.is_aligned:
            return _of_level(metric, term)
        return {}

    def _groups(self, names: np.ndarray) -> tuple[list[str], np.ndarray]:
        """Names of groups and the number of each sample's; terms of a cell share them."""
        if id(names) not in self._codes:
            groups, codes = np.unique(np.asarray(names).astype(str), return_inverse=True)
            self._codes[id(names)] = groups.tolist(), codes, names
        return self._codes[id(names)][:2]


def _others(everyone: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Positions of the samples that are not in the group; none if it is no part of all."""
    member = np.zeros(max(everyone.max(initial=-1), group.max(initial=-1)) + 1, dtype=bool)
    member[group] = True
    inside = member[everyone]
    return np.flatnonzero(~inside) if inside.sum() == len(group) else np.empty(0, dtype=np.int64)


def _of_quality(metric: Metric, term: Term, minus: Term) -> Mapping[Key, float]:
    """Rates of the group against those of the others, or errors where there are no rates."""
    if not (metric.takes == "pair" and term.is_aligned and minus.is_aligned):
        return {}
    rest = _others(minus.rows[0], term.rows[0])
    if not len(rest):
        return {}
    others = [np.asarray(array)[rest] for array in minus.arrays]
    if metric.bounds == (0, 1) and metric.direction == "higher":
        params = _uncounted(minus)
        score = metric.score(*term.arrays, labels=minus.labels, params=params)
        return _compare(score, metric.score(*others, labels=minus.labels, params=params))
    if not kinds.get(metric.kind).is_number:
        return {}
    errors = [
        np.asarray(p, dtype=np.float64) - np.asarray(t, dtype=np.float64)
        for t, p in (term.arrays, others)
    ]
    if metric.direction != "zero":
        errors = [np.abs(values) for values in errors]
    sign = -1 if metric.direction == "higher" else 1
    return {("", ""): sign * hedges_g(*errors)}


def _of_level(metric: Metric, term: Term) -> Mapping[Key, float]:
    """Shares, or values where there are none, of the group against those of the others."""
    everyone, group = (np.asarray(array) for array in term.arrays)
    others = everyone[_others(term.rows[0], term.rows[1])]
    if not len(others):
        return {}
    params = _uncounted(term)
    levels = [metric.level_of(v, labels=term.labels, params=params) for v in (group, others)]
    if isinstance(levels[0], Mapping):
        return _compare(*levels)
    return {("", ""): hedges_g(group.astype(np.float64), others.astype(np.float64))}


def _compare(group: object, others: object) -> Mapping[Key, float]:
    second = flat(others)
    return {key: cohens_h(value, second.get(key, NAN)) for key, value in flat(group).items()}


def _of_contrast(
    metric: Metric, term: Term, groups: list[str], codes: np.ndarray
) -> Mapping[Key, float]:
    """Difference of shifts in standard deviations, or of shifts of angles for shares."""
    prediction, _, inside = (np.asarray(array) for array in term.arrays)
    cells = 2 * codes + inside.astype(bool)
    if kinds.get(metric.kind).is_number and "bins" not in term.params:
        values = prediction.astype(np.float64)
        count = np.bincount(cells)
        mean = np.bincount(cells, weights=values) / np.maximum(count, 1)
        squares = float(((values - mean[cells]) ** 2).sum())
        freedom = len(values) - int((count > 0).sum())
        return {
            (name, ""): _standardised(shift.difference, squares, freedom)
            for name, shift in metric.function(*term.arrays).items()
        }
    moved = [
        _compare(*(_shares(term, prediction[part]) for part in (cells == 2 * n + 1, codes == n)))
        for n in range(len(groups))
    ]
    effects: dict[Key, float] = {}
    for _, label in moved[0] if moved else ():
        column = np.array([shift["", label] for shift in moved])
        numbers = column[~np.isnan(column)]
        average = numbers.mean() if len(numbers) else NAN
        effects |= {(g, label): float(v - average) for g, v in zip(groups, column, strict=True)}
    return effects


def _shares(term: Term, values: np.ndarray) -> Mapping[str, float]:
    if "bins" in term.params:
        return shares_by_bin(values, bins=term.params["bins"], min_count=0)
    return shares_by_class(values, labels=term.labels)


def _uncounted(term: Term) -> dict[str, Any]:
    """Parameters without the smallest number of samples per bin, which concerns all groups."""
    return {**term.params, **({"min_count": 0} if "min_count" in term.params else {})}
