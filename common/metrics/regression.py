"""Metrics of two aligned arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import floats, metric
from .sums import Columns, Given, Sums, Terms, ones

#: a variance below this part of the mean square is rounding
ROUNDING = 1e-12


def _deviations(values: np.ndarray) -> np.ndarray:
    # squares of values far from zero lose the digits that their variance is made of; and the
    # mean of equal numbers may miss them by one digit, which must not look like variance
    if len(values) == 0 or np.ptp(values) == 0:
        return np.zeros_like(values)
    return values - values.mean()


def _moments(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    """Columns n, x, y, xx, yy, xy of predictions x and truths y, and their offset x - y.

    Values are deviations from their means, in a unit near 1, in which squares stay in range; no
    coefficient depends on either. Sums of parts that are to be added up need what is common to
    all parts: ``about=0.0`` leaves values as they are, of shape (..., N).
    """
    truth, prediction = floats(truth=arrays[0], prediction=arrays[1])
    offset, x, y = prediction - truth, prediction, truth
    if "about" in params:
        x, y = x - params["about"], y - params["about"]
    else:
        x, y = _deviations(x), _deviations(y)
        unit = max(float(np.abs(part).max(initial=0)) for part in (x, y, offset)) or 1.0
        offset, x, y = offset / unit, x / unit, y / unit
    return (Columns((ones(x), (x,), (y,), (x, x), (y, y), (x, y), (offset,))),)


def _spreads(sums: np.ndarray) -> tuple[np.ndarray, ...]:
    """n, sums of squared deviations of x and y, of their products, and the mean offset."""
    n, x, y, xx, yy, xy, offset = np.moveaxis(sums, -1, 0)
    sxx, syy = xx - x * x / n, yy - y * y / n
    sxx = np.where(sxx <= ROUNDING * xx, 0, sxx)
    syy = np.where(syy <= ROUNDING * yy, 0, syy)
    sxy = np.where((sxx == 0) | (syy == 0), 0, xy - x * y / n)
    return n, sxx, syy, sxy, offset / n


def _concordance(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    n, sxx, syy, sxy, offset = _spreads(sums)
    below = sxx + syy + n * offset**2
    value = np.clip(2 * sxy / below, -1, 1)
    return np.where((n < 2) | (below == 0), np.nan, value)[..., None]


def _correlation(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    n, sxx, syy, sxy, _ = _spreads(sums)
    value = np.clip(sxy / np.sqrt(sxx * syy), -1, 1)
    return np.where((n < 2) | (sxx == 0) | (syy == 0), np.nan, value)[..., None]


def _errors(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    truth, prediction = floats(truth=arrays[0], prediction=arrays[1])
    error = prediction - truth
    return (Columns((ones(error), (error,))),)


def _absolute_errors(arrays: Sequence[np.ndarray], params: Given) -> Terms:
    truth, prediction = floats(truth=arrays[0], prediction=arrays[1])
    error = np.abs(truth - prediction)
    return (Columns((ones(error), (error,))),)


def _mean(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    return (sums[..., 1] / sums[..., 0])[..., None]


CCC = Sums(_moments, _concordance)
PCC = Sums(_moments, _correlation)
MAE = Sums(_absolute_errors, _mean, nature="error")
DIRECTIONAL = Sums(_errors, _mean)


@metric(
    id="ccc",
    label="Concordance Correlation Coeff",
    short="CCC",
    kind="regression",
    bounds=(-1, 1),
    direction="higher",
    cite="lin1989concordance",
    sums=CCC,
    drawn="moments",
)
def ccc(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Concordance correlation coefficient: agreement with the line of equality.

    .. math::

        \frac{2 \sum_i (p_i - \bar p)(t_i - \bar t)}
        {\sum_i (p_i - \bar p)^2 + \sum_i (t_i - \bar t)^2 + N (\bar p - \bar t)^2}

    after Lin (1989), with truth :math:`t` and prediction :math:`p`.

    Args:
        truth: annotated values, shape (N,)
        prediction: predicted values, shape (N,), same order as ``truth``

    Returns:
        coefficient in [-1, 1]; 0 if one side is constant;
        NaN if N < 2, or if both sides are constant and equal

    Raises:
        LengthError: if the shapes differ

    >>> ccc(np.array([0.0, 0.5, 1.0]), np.array([0.25, 0.5, 0.75]))
    0.8
    """
    return CCC.number(truth, prediction)


@metric(
    id="pcc",
    label="Pearson Correlation Coeff",
    short="PCC",
    kind="regression",
    bounds=(-1, 1),
    direction="higher",
    cite="pearson1895note",
    sums=PCC,
)
def pcc(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Pearson correlation coefficient: agreement with any rising line.

    .. math::

        \frac{\sum_i (p_i - \bar p)(t_i - \bar t)}
        {\sqrt{\sum_i (p_i - \bar p)^2} \sqrt{\sum_i (t_i - \bar t)^2}}

    after Pearson (1895), with truth :math:`t` and prediction :math:`p`.

    Args:
        truth: annotated values, shape (N,)
        prediction: predicted values, shape (N,), same order as ``truth``

    Returns:
        coefficient in [-1, 1]; NaN if N < 2 or if one side is constant

    Raises:
        LengthError: if the shapes differ

    >>> round(pcc(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.3, 0.4])), 12)
    1.0
    """
    return PCC.number(truth, prediction)


@metric(
    id="mae",
    label="Mean Absolute Error",
    short="MAE",
    kind="regression",
    bounds=(0, float("inf")),
    direction="lower",
    cite="willmott2005advantages",
    unit="unit of the target",
    sums=MAE,
    drawn="absolute errors",
)
def mae(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Mean absolute error: how far off a prediction is on average.

    .. math:: \frac{1}{N} \sum_i |t_i - p_i|

    Args:
        truth: annotated values, shape (N,), unit of the target
        prediction: predicted values, shape (N,), same order as ``truth``

    Returns:
        error in the unit of the target, 0 or more; NaN if N = 0

    Raises:
        LengthError: if the shapes differ

    >>> mae(np.array([0.25, 0.5]), np.array([0.5, 0.5]))
    0.125
    """
    return MAE.number(truth, prediction)


@metric(
    id="mean_directional_error",
    label="Mean Directional Error",
    short="Directional Error",
    kind="regression",
    bounds=(float("-inf"), float("inf")),
    direction="zero",
    cite="derington2025testing",
    unit="unit of the target",
    sums=DIRECTIONAL,
    drawn="errors",
)
def mean_directional_error(truth: np.ndarray, prediction: np.ndarray) -> float:
    r"""Mean signed error; positive when the model predicts too high.

    .. math:: \frac{1}{N} \sum_i (p_i - t_i)

    Args:
        truth: annotated values, shape (N,), unit of the target
        prediction: predicted values, shape (N,), same order as ``truth``

    Returns:
        error in the unit of the target; NaN if N = 0

    Raises:
        LengthError: if the shapes differ

    >>> mean_directional_error(np.array([0.25, 0.5]), np.array([0.5, 0.5]))
    0.125
    """
    return DIRECTIONAL.number(truth, prediction)
