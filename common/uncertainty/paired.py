"""Two models on the same samples: is the difference of their scores more than noise?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from common.uncertainty.base import Support
from common.uncertainty.bootstrap import Bootstrap
from common.uncertainty.clusters import effective
from common.uncertainty.interval import MOST_UNDEFINED, student
from common.uncertainty.recipe import Recipe

#: differences below this are rounding
ROUNDING = 1e-12


class Paired(NamedTuple):
    """A paired difference.

    Args:
        difference: candidate minus baseline
        low: lower end of its 95 % interval; NaN: unknown
        high: upper end
        p: probability of a difference at least as large if there is none; NaN: unknown
        clusters: number of clusters, such as speakers, that it rests on
    """

    difference: float
    low: float
    high: float
    p: float
    clusters: int


def paired(
    bootstrap: Bootstrap,
    baseline: Recipe,
    candidate: Recipe,
    label: str = "",
    gain: Callable[[np.ndarray], np.ndarray] = lambda values: values,
) -> Paired:
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
    before, after = bootstrap.bound(baseline), bootstrap.bound(candidate)
    own = (baseline.group, label if baseline.label is None else baseline.label)
    place, other = before.keys.index(own), after.keys.index(own)
    difference = float(gain(after.point())[other] - gain(before.point())[place])
    draws = gain(bootstrap.draws(candidate, label)) - gain(bootstrap.draws(baseline, label))
    sizes = [_clusters(bound.support, n) for bound, n in ((before, place), (after, other))]
    clusters = min(count for count, _ in sizes)
    number = max(min(effect for _, effect in sizes), 2.0)
    known = draws[~np.isnan(draws)]
    if clusters < 2 or len(known) <= MOST_UNDEFINED * len(draws) or math.isnan(difference):
        return Paired(difference, math.nan, math.nan, math.nan, clusters)
    error = float(known.std()) * math.sqrt(number / (number - 1))
    if error < ROUNDING:
        return _constant(difference, number, clusters)
    half = float(student(np.array([number - 1]))[0]) * error
    p = two_sided(difference / error, number - 1)
    return Paired(difference, difference - half, difference + half, p, clusters)


def _clusters(support: Support, place: int) -> tuple[int, float]:
    """Number of clusters behind a value, and their effective number."""

    def column(values: np.ndarray) -> np.ndarray:
        number = place if values.shape[-1] > 1 else 0
        return values[..., number : number + 1]

    base = None if support.base is None else column(support.base)
    return int(column(support.clusters)[0]), float(effective(column(support.own), base)[0])


def _constant(difference: float, number: float, clusters: int) -> Paired:
    """The same difference in every resample: none at all, or one with the same sign everywhere.

    The latter is as surprising as C tosses of a coin that all show the same side.
    """
    if abs(difference) < ROUNDING:
        return Paired(0.0, 0.0, 0.0, 1.0, clusters)
    return Paired(difference, difference, difference, min(1.0, 2 ** (1 - number)), clusters)


def two_sided(t: float, freedom: float) -> float:
    """Probability that Student's t lies at least as far from zero.

    >>> round(two_sided(2.262157, 9), 6)
    0.05
    """
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


class Discordant(NamedTuple):
    """Samples that two models do not both get right or both get wrong.

    Args:
        lost: right by the baseline, wrong by the candidate
        won: wrong by the baseline, right by the candidate
        p: exact McNemar test
    """

    lost: int
    won: int
    p: float


def mcnemar(baseline: np.ndarray, candidate: np.ndarray) -> Discordant:
    """Exact McNemar test of two models on the same, independent samples (McNemar 1947).

    Under the null hypothesis a sample that only one model gets right is equally likely to be
    that of either, so the p value is that of a fair coin.

    Args:
        baseline: whether the baseline is right, bool, shape (N,)
        candidate: the same of the candidate

    >>> import numpy as np
    >>> hits = np.array([True] * 8 + [False] * 2)
    >>> found = mcnemar(hits, ~hits)
    >>> found.lost, found.won, round(found.p, 6)
    (8, 2, 0.109375)
    """
    from scipy.special import bdtr

    lost = int(np.count_nonzero(baseline & ~candidate))
    won = int(np.count_nonzero(candidate & ~baseline))
    return Discordant(lost, won, min(1.0, 2 * float(bdtr(min(lost, won), lost + won, 0.5))))
