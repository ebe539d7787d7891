"""From resamples to an interval: the small-sample corrected percentile interval.

How it compares with plain percentiles and with BCa stands in docs/method/uncertainty.rst.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core.errors import ConfigError
from .base import Bound
from .clusters import effective, stratified
from .p_value import p_values
from .shares import half_count_variance, log_ends, logit_ends
from .student import NORMAL, TAIL, Z, student

#: probability with which the smallest detectable effect is detected
POWER = 0.8
#: if a larger part of the resamples has no value, nothing is known
MOST_UNDEFINED = 0.5
#: a rank correlation closer to 1 is 1 but for rounding
PERFECT = 1e-9
NAN = float("nan")


class Interval(NamedTuple):
    """95 % interval of a score.

    Args:
        low: lower end
        high: upper end
        clusters: number of clusters, such as speakers, that the score rests on
        mde_above: smallest detectable effect upwards: how far above a threshold a score must lie
            so that its interval does so, too, with a probability of 80 %
        mde_below: the same downwards; the arms of an interval need not be equal
        p_value: probability of a difference at least as large if there is none, for scores that
            are differences; NaN for other scores and where nothing is known
        is_share: whether the score is a share of samples
    """

    low: float
    high: float
    clusters: int
    mde_above: float
    mde_below: float
    p_value: float = NAN
    is_share: bool = False


def intervals(
    bound: Bound,
    limits: tuple[float, float],
    *,
    name: str,
    method: str = "corrected",
    difference: bool = False,
) -> list[Interval]:
    """Intervals of all values of a statistic.

    An interval holds the score and stays within the limits. It is as wide as the limits if the
    score rests on fewer than two clusters, or if most resamples have no value.

    Args:
        bound: statistic with its data
        limits: smallest and largest possible value, possibly infinite
        name: what the random numbers of unknown rates are called
        method: one of :data:`METHODS`
        difference: whether zero means that there is no difference, so that a p value makes sense

    Raises:
        ConfigError: if there is no such method
    """
    if method not in METHODS:
        raise ConfigError(f"unknown method '{method}'. Known: {', '.join(METHODS)}")
    point = bound.point()
    draws = bound.draws(name if method == "corrected" else "")
    clusters = np.broadcast_to(bound.support.clusters, point.shape)
    mask = (np.isnan(draws).mean(axis=0) <= MOST_UNDEFINED) & (clusters > 1) & ~np.isnan(point)
    low, high = (np.full(len(point), float(limit)) for limit in limits)
    p = np.full(len(point), NAN)
    if mask.any():
        ends = _ENDS[method](bound, point, draws, mask)
        low[mask], high[mask] = (np.clip(end, *limits) for end in ends)
        if difference and bound.nature == "":
            p[mask] = p_values(point[mask], *ends, _freedom(bound, mask, method))
    low, high = np.fmin(low, point), np.fmax(high, point)
    above, below = detectable(point - low), detectable(high - point)
    share = bound.nature == "share"
    return [
        Interval(float(a), float(b), int(n), float(up), float(down), float(c), share)
        for a, b, n, up, down, c in zip(low, high, clusters, above, below, p, strict=True)
    ]


def detectable(arm: np.ndarray) -> np.ndarray:
    r"""Smallest detectable effect with intervals of this arm.

    An interval whose arm is :math:`z_{0.975}` standard errors misses a threshold with a
    probability of 80 % if the true value lies :math:`z_{0.975} + z_{0.8}` standard errors away
    from it (Cohen 1988): 1.43 arms. The arm counts that lies between score and threshold.

    Args:
        arm: distance of the score from an end of its interval; NaN: there is no score

    >>> detectable(np.array([0.1])).round(3).tolist()
    [0.143]
    """
    return np.asarray(arm) * (1 + NORMAL.inv_cdf(POWER) / Z)


def _quantiles(draws: np.ndarray, *levels: float) -> np.ndarray:
    """Quantiles of each column without NaN, shape (levels, V)."""
    quantile = np.nanquantile if np.isnan(draws).any() else np.quantile
    quantiles: np.ndarray = quantile(draws, levels, axis=0)
    return quantiles


def _percentile(
    bound: Bound, point: np.ndarray, draws: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    low, high = _quantiles(draws[:, mask], TAIL, 1 - TAIL)
    return low, high


def _corrected(
    bound: Bound, point: np.ndarray, draws: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles, moved away from the score as far as the number of clusters demands."""
    if bound.nature == "ranks":
        return _ranks(bound, point, draws, mask)
    stretch = _stretch(bound, mask)
    point, draws = point[mask], draws[:, mask]
    if bound.nature == "distance":
        return _distance(point, draws, stretch)
    low, high = _quantiles(draws, TAIL, 1 - TAIL)
    ends = point + stretch * (low - point), point + stretch * (high - point)
    if bound.nature in ("share", "error"):
        return _bounded(bound, point, draws, mask, ends)
    return ends


def _bounded(
    bound: Bound,
    point: np.ndarray,
    draws: np.ndarray,
    mask: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of a share or of a mean error: the farther ones of resamples and of Student's t.

    Student's t is that of the log odds of a share, or of the logarithm of an error. Where it is
    too sure, as if all samples are right, resamples with their half counts are not.
    """
    freedom = _freedom(bound, mask)
    variance = np.nanvar(draws, axis=0)
    if bound.cases is not None:
        cases = bound.cases[mask]
        variance = np.maximum(variance - half_count_variance(point, cases), 0)
    error = np.sqrt(variance) * _stretch(bound, mask) * Z / student(freedom)
    if bound.cases is None:
        low, high = log_ends(point, error, freedom)
    else:
        low, high = logit_ends(point, cases, error, freedom)
    return np.fmin(low, ends[0]), np.fmax(high, ends[1])


def _stretch(bound: Bound, mask: np.ndarray) -> np.ndarray:
    """How much wider than normal quantiles of resamples an interval must be."""
    counts, _, base, strata = bound.support
    if strata is not None:
        freedom, wider = stratified(counts, base, strata)
        both: np.ndarray = np.broadcast_to(student(freedom) / Z * wider, mask.shape)
        return both[mask]
    everything = effective(counts if base is None else base)
    everything = np.maximum(np.broadcast_to(everything, mask.shape)[mask], 2)
    # resampling C clusters has (C - 1) / C of the variance that a new sample has
    wider = np.sqrt(everything / (everything - 1))
    stretch: np.ndarray = student(_freedom(bound, mask)) / Z * wider
    return stretch


def _freedom(bound: Bound, mask: np.ndarray, method: str = "corrected") -> np.ndarray:
    """Degrees of freedom of intervals: one less than there are effective clusters."""
    if method != "corrected":
        return np.full(int(mask.sum()), np.inf)
    counts, _, base, strata = bound.support
    if strata is not None:
        return np.broadcast_to(stratified(counts, base, strata)[0], mask.shape)[mask]
    freedom: np.ndarray = np.broadcast_to(effective(counts, base), mask.shape)[mask] - 1
    return freedom


def _distance(
    point: np.ndarray, draws: np.ndarray, stretch: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a distance, which noise can only increase.

    Its square is what noise adds to: resamples are on average as far above the score as the
    score is above the truth, so both steps are taken back.
    """
    squares, score = draws**2, point**2
    mean = np.nanmean(squares, axis=0)
    centre = score - (mean - score)
    ends = centre + stretch * (_quantiles(squares, TAIL, 1 - TAIL) - mean)
    low, high = np.sqrt(np.maximum(ends, 0))
    return low, high


def _ranks(
    bound: Bound, point: np.ndarray, draws: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a rank correlation.

    Copies of a unit are ties. They lower the correlation of resamples and widen its spread,
    which BCa sees and takes back. In a perfect order, no resample differs; the interval is that
    of Fisher's z then, with the standard error of Bonett and Wright (2000), for a correlation
    of 1 - 1/n.
    """
    low, high = _bca(bound, point, draws, mask)
    n = np.broadcast_to(bound.support.clusters, mask.shape)[mask]
    shrunk = np.sign(point[mask]) * (1 - 1 / n)
    error = Z * np.sqrt((1 + shrunk**2 / 2) / np.maximum(n - 3, 1))
    perfect = np.abs(point[mask]) > 1 - PERFECT
    low = np.where(perfect, np.tanh(np.arctanh(shrunk) - error), low)
    return low, np.where(perfect, np.tanh(np.arctanh(shrunk) + error), high)


def _bca(
    bound: Bound, point: np.ndarray, draws: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bias-corrected and accelerated interval after Efron (1987)."""
    left_out = bound.without_one()[:, mask]
    point, draws = point[mask], draws[:, mask]
    ends = np.empty((2, len(point)))
    for n, (score, column, others) in enumerate(zip(point, draws.T, left_out.T, strict=True)):
        column, others = column[~np.isnan(column)], others[~np.isnan(others)]
        below = ((column < score).mean() + (column <= score).mean()) / 2
        bias = NORMAL.inv_cdf(float(np.clip(below, 1 / len(column), 1 - 1 / len(column))))
        influence = others.mean() - others
        spread = (influence**2).sum() ** 1.5
        skew = (influence**3).sum() / (6 * spread) if spread > 0 else 0.0
        levels = [NORMAL.cdf(bias + (bias + z) / max(1 - skew * (bias + z), 1e-9)) for z in (-Z, Z)]
        ends[:, n] = np.quantile(column, levels)
    return ends[0], ends[1]


#: (bound, point, draws, which values have an interval) -> lower and upper ends of those
_Ends = Callable[
    [Bound, np.ndarray, np.ndarray, np.ndarray],
    tuple[np.ndarray, np.ndarray],
]
_ENDS: dict[str, _Ends] = {"corrected": _corrected, "percentile": _percentile, "bca": _bca}
METHODS = tuple(_ENDS)
