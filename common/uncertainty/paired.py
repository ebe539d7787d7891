"""Two models on the same samples: is the difference of their scores more than noise?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .base import Support
from .bootstrap import Bootstrap
from .clusters import effective, stratified
from .interval import MOST_UNDEFINED, detectable
from .recipe import Recipe
from .student import student, two_sided

#: differences below this are rounding
ROUNDING = 1e-12
#: level at which a score lies on one side of a value for certain
CERTAIN = 0.05


class PairedDifference(NamedTuple):
    """A paired difference.

    Args:
        difference: candidate minus baseline
        low: lower end of its 95 % interval; NaN: unknown
        high: upper end
        p: probability of a difference at least as large if there is none; NaN: unknown
        clusters: number of clusters, such as speakers, that it rests on
        mde: smallest detectable effect of a pair: a true difference of this size is found, as
            an interval without zero, with a probability of 80 %; NaN: unknown
    """

    difference: float
    low: float
    high: float
    p: float
    clusters: int
    mde: float = math.nan


def paired(
    bootstrap: Bootstrap,
    baseline: Recipe,
    candidate: Recipe,
    label: str = "",
    gain: Callable[[np.ndarray], np.ndarray] = lambda values: values,
) -> PairedDifference:
    r"""Paired cluster bootstrap of the difference of two scores.

    Both scores are computed in the same resamples, so that what makes samples or speakers
    hard for both models cancels out. The standard error is the standard deviation of the
    difference over the resamples, times :math:`\sqrt{C / (C - 1)}`, and the test is Student's
    t with :math:`C - 1` degrees of freedom for an effective number of C clusters. A share of
    resamples beyond zero would be no better and too coarse: of 1,000 resamples it cannot be
    below 0.001, and with hundreds of cells everything that small is lost in the correction.

    Args:
        bootstrap: of the samples that both scores rest on
        baseline: what the score of the baseline is computed of
        candidate: the same of the candidate
        label: class or bin
        gain: turns scores into numbers of which a larger one is better

    Returns:
        the difference of the gains; without at least two clusters, or if most resamples have
        no value, interval and p are NaN
    """
    both = _both(bootstrap, baseline, candidate, label)
    old, new = (gain(values) for values in both.points)
    return _tested(float(new - old), gain(both.draws[1]) - gain(both.draws[0]), both)


def nearer(
    bootstrap: Bootstrap, baseline: Recipe, candidate: Recipe, centre: float, label: str = ""
) -> PairedDifference:
    r"""Is the candidate nearer to a wanted value than the baseline, or farther from it?

    Tested is the signed difference of both scores (:func:`paired`). Noise pushes absolute values
    away from zero, so a test of these finds little. If the scores lie on different sides of the
    wanted value, and that of the baseline does so for certain (5 %), a difference alone does not
    say which is nearer. With the distances :math:`x = \text{score} - \text{centre}` of both models,

    .. math:: x_c^2 - x_b^2 = (x_c - x_b)(x_c + x_b)

    so the sum has to differ from zero, too: p is the larger of the two p values then, an
    intersection-union test (Berger 1982).

    Args:
        bootstrap: of the samples that both scores rest on
        baseline: what the score of the baseline is computed of
        candidate: the same of the candidate
        centre: the wanted value
        label: class or bin

    Returns:
        by how much the candidate is nearer, :math:`|x_b| - |x_c|`, with the interval of the
        difference or, on different sides, of the sum
    """
    both = _both(bootstrap, baseline, candidate, label)
    old, new = (float(value) - centre for value in both.points)
    before, after = (values - centre for values in both.draws)
    difference = _tested(new - old, after - before, both)
    total = _tested(new + old, after + before, both)
    same = old * new >= 0
    outcome = difference if same else total
    sign = -math.copysign(1.0, new if new else old)
    low, high = sorted((sign * outcome.low, sign * outcome.high))
    p = difference.p
    if not same and _tested(old, before, both).p < CERTAIN:
        p = max(p, total.p)
    return PairedDifference(sign * outcome.difference, low, high, p, outcome.clusters, outcome.mde)


class Size(NamedTuple):
    """Number of clusters, degrees of freedom, and how much too little resamples vary."""

    clusters: int
    freedom: float
    wider: float


class _Both(NamedTuple):
    """Scores of both models, in the samples and in the same resamples of them."""

    points: tuple[np.ndarray, np.ndarray]
    draws: tuple[np.ndarray, np.ndarray]
    size: Size


def _both(bootstrap: Bootstrap, baseline: Recipe, candidate: Recipe, label: str) -> _Both:
    bounds = bootstrap.bound(baseline), bootstrap.bound(candidate)
    key = (baseline.group, label if baseline.label is None else baseline.label)
    places = [bound.keys.index(key) for bound in bounds]
    sizes = [size_of(bound.support, n) for bound, n in zip(bounds, places, strict=True)]
    points = [bound.point()[n] for bound, n in zip(bounds, places, strict=True)]
    draws = [bootstrap.draws(recipe, label) for recipe in (baseline, candidate)]
    size = Size(
        min(size.clusters for size in sizes),
        min(size.freedom for size in sizes),
        max(size.wider for size in sizes),
    )
    return _Both((points[0], points[1]), (draws[0], draws[1]), size)


def _tested(difference: float, draws: np.ndarray, both: _Both) -> PairedDifference:
    """Interval and t test of a difference from its resamples."""
    clusters, freedom, wider = both.size
    values = draws[~np.isnan(draws)]
    if clusters < 2 or len(values) <= MOST_UNDEFINED * len(draws) or math.isnan(difference):
        return PairedDifference(difference, math.nan, math.nan, math.nan, clusters)
    error = float(values.std()) * wider
    if error < ROUNDING:
        return _constant(difference, freedom, clusters)
    half = float(student(np.array([freedom]))[0]) * error
    p = float(two_sided(np.array(difference / error), np.array(freedom)))
    mde = float(detectable(np.array(half)))
    return PairedDifference(difference, difference - half, difference + half, p, clusters, mde)


def size_of(support: Support, place: int) -> Size:
    """What the test of one value rests on."""

    def column(values: np.ndarray) -> np.ndarray:
        number = place if values.shape[-1] > 1 else 0
        return values[..., number : number + 1]

    base = None if support.base is None else column(support.base)
    counts, clusters = column(support.own), int(column(support.clusters)[0])
    if support.strata is not None:
        freedom, wider = stratified(counts, base, support.strata)
        return Size(clusters, float(freedom[0]), float(wider[0]))
    number = max(float(effective(counts, base)[0]), 2.0)
    return Size(clusters, number - 1, math.sqrt(number / (number - 1)))


def _constant(difference: float, freedom: float, clusters: int) -> PairedDifference:
    """The same difference in every resample: none at all, or one with the same sign everywhere.

    The latter is as surprising as C tosses of a coin that all show the same side.
    """
    if abs(difference) < ROUNDING:
        return PairedDifference(0.0, 0.0, 0.0, 1.0, clusters)
    return PairedDifference(difference, difference, difference, min(1.0, 2**-freedom), clusters)


class Discordant(NamedTuple):
    """Samples that two models do not both get right or both get wrong.

    Args:
        lost: right by the baseline, wrong by the candidate
        won: wrong by the baseline, right by the candidate
        p: McNemar test, mid-p
    """

    lost: int
    won: int
    p: float


def mcnemar(baseline: np.ndarray, candidate: np.ndarray) -> Discordant:
    """McNemar test of two models on the same, independent samples, with the mid-p value.

    Under the null hypothesis a sample that only one model gets right is equally likely to be
    that of either (McNemar 1947). Of what was found itself, half of the probability counts
    (Fagerland et al. 2013): the exact test errs far less often than its level says and finds less.

    Args:
        baseline: whether the baseline is right, bool, shape (N,)
        candidate: the same of the candidate

    >>> import numpy as np
    >>> hits = np.array([True] * 8 + [False] * 2)
    >>> found = mcnemar(hits, ~hits)
    >>> found.lost, found.won, round(found.p, 6)
    (8, 2, 0.06543)
    """
    from scipy.special import bdtr

    lost = int(np.count_nonzero(baseline & ~candidate))
    won = int(np.count_nonzero(candidate & ~baseline))
    fewer, number = min(lost, won), lost + won
    below = float(bdtr(fewer - 1, number, 0.5)) if fewer else 0.0
    return Discordant(lost, won, min(1.0, below + float(bdtr(fewer, number, 0.5))))
