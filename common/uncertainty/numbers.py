"""Statistics of metrics of numbers: sums of values, squares and products."""

from __future__ import annotations

import numpy as np

from common.uncertainty.base import STATISTICS, Sample, Sums, Support

#: a variance below this part of the mean square is rounding
ROUNDING = 1e-12


def _centred(values: np.ndarray) -> np.ndarray:
    # squares of values far from zero lose the digits that their variance is made of
    if len(values) == 0 or np.ptp(values) == 0:
        return np.zeros(len(values))
    return values - values.mean()


def _moments(sample: Sample) -> np.ndarray:
    """Columns n, x, y, xx, yy, xy of centred values in a common unit, and their offset."""
    y, x = (np.asarray(values, dtype=np.float64) for values in sample.arrays)
    offset, x, y = x - y, _centred(x), _centred(y)
    unit = max((float(np.abs(part).max(initial=0)) for part in (x, y, offset)), default=0) or 1.0
    x, y, offset = x / unit, y / unit, offset / unit
    return sample.sums(0, np.ones(len(x)), x, y, x * x, y * y, x * y, offset)


def _spreads(sums: np.ndarray) -> tuple[np.ndarray, ...]:
    """n, sums of squared deviations of x and y, of their products, and the mean offset."""
    n, x, y, xx, yy, xy, offset = sums.T
    sxx, syy = xx - x * x / n, yy - y * y / n
    sxx = np.where(sxx <= ROUNDING * xx, 0, sxx)
    syy = np.where(syy <= ROUNDING * yy, 0, syy)
    sxy = np.where((sxx == 0) | (syy == 0), 0, xy - x * y / n)
    return n, sxx, syy, sxy, offset / n


def _ccc(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    n, sxx, syy, sxy, offset = _spreads(sums)
    below = sxx + syy + n * offset**2
    value = np.clip(2 * sxy / below, -1, 1)
    return np.where((n < 2) | (below == 0), np.nan, value)[:, None]


def _pcc(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    n, sxx, syy, sxy, _ = _spreads(sums)
    value = np.clip(sxy / np.sqrt(sxx * syy), -1, 1)
    return np.where((n < 2) | (sxx == 0) | (syy == 0), np.nan, value)[:, None]


def _errors(sample: Sample, *, signed: bool) -> np.ndarray:
    truth, prediction = (np.asarray(values, dtype=np.float64) for values in sample.arrays)
    error = prediction - truth
    return sample.sums(0, np.ones(len(error)), error if signed else np.abs(error))


def _mean(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    return (sums[:, 1] / sums[:, 0])[:, None]


def _two_sums(sample: Sample) -> np.ndarray:
    """Number and sum of the first values, then of the second, about a common origin."""
    first, second = (np.asarray(values, dtype=np.float64) for values in sample.arrays)
    origin = first.mean() if len(first) else 0.0
    parts = [
        sample.sums(number, np.ones(len(values)), values - origin)
        for number, values in enumerate((first, second))
    ]
    return np.concatenate(parts, axis=1)


def _two_means(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    return (sums[:, 3] / sums[:, 2] - sums[:, 1] / sums[:, 0])[:, None]


def two_supports(sample: Sample) -> Support:
    """The second set of values against the first, unless they are aligned."""
    base = None if sample.aligned else sample.support(0).own
    return sample.support(1)._replace(base=base)


STATISTICS.add("ccc", Sums(_moments, _ccc))
STATISTICS.add("pcc", Sums(_moments, _pcc))
STATISTICS.add("mae", Sums(lambda sample: _errors(sample, signed=False), _mean, nature="error"))
STATISTICS.add("mean_directional_error", Sums(lambda sample: _errors(sample, signed=True), _mean))
STATISTICS.add("mean_difference", Sums(_two_sums, _two_means, two_supports))
