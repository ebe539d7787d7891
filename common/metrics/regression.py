"""Metrics of two aligned arrays of numbers."""

from __future__ import annotations

import numpy as np

from common.metrics.base import floats, mean, metric

NAN = float("nan")


def _deviations(values: np.ndarray) -> np.ndarray:
    # the mean of equal numbers may miss them by one digit, which must not look like variance
    if np.ptp(values) == 0:
        return np.zeros_like(values)
    return values - values.mean()


@metric(
    id="ccc",
    label="Concordance Correlation Coeff",
    short="CCC",
    kind="regression",
    bounds=(-1, 1),
    direction="higher",
    cite="lin1989concordance",
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
    truth, prediction = floats(truth=truth, prediction=prediction)
    if len(truth) < 2:
        return NAN
    x, y = _deviations(prediction), _deviations(truth)
    offset = prediction.mean() - truth.mean()
    # the coefficient does not depend on the unit; a unit near 1 keeps squares in range
    unit = max(np.abs(x).max(), np.abs(y).max(), abs(offset))
    if unit == 0:
        return NAN
    x, y, offset = x / unit, y / unit, offset / unit
    value = 2 * (x @ y) / (x @ x + y @ y + len(x) * offset**2)
    return float(np.clip(value, -1, 1))


@metric(
    id="pcc",
    label="Pearson Correlation Coeff",
    short="PCC",
    kind="regression",
    bounds=(-1, 1),
    direction="higher",
    cite="pearson1895note",
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

    >>> pcc(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.3, 0.4]))
    1.0
    """
    truth, prediction = floats(truth=truth, prediction=prediction)
    if len(truth) < 2:
        return NAN
    x, y = _deviations(prediction), _deviations(truth)
    if not x.any() or not y.any():
        return NAN
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    return float(np.clip((x @ y) / (np.sqrt((x @ x) * (y @ y))), -1, 1))


@metric(
    id="mae",
    label="Mean Absolute Error",
    short="MAE",
    kind="regression",
    bounds=(0, float("inf")),
    direction="lower",
    cite="willmott2005advantages",
    unit="unit of the target",
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
    truth, prediction = floats(truth=truth, prediction=prediction)
    return mean(np.abs(truth - prediction))


@metric(
    id="mean_directional_error",
    label="Mean Directional Error",
    short="Directional Error",
    kind="regression",
    bounds=(float("-inf"), float("inf")),
    direction="zero",
    cite="derington2025testing",
    unit="unit of the target",
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
    truth, prediction = floats(truth=truth, prediction=prediction)
    return mean(prediction - truth)
