r"""Polyphonic sound detection: ROC of each class, of all classes, and the area under it.

A curve holds operating points as stairs: its value at :math:`x` is that of the last point with
a rate of :math:`x` or less, starting from (0, 0); a point that is worse than one to its left is
ignored. Over classes, with the population standard deviation :math:`\sigma`,

.. math::

    \text{eTPR}(x) = \max(0, \mu(x) - \alpha_\text{ST} \, \sigma(x)), \qquad
    \text{PSDS} = \frac{1}{m} \int_0^m \text{eTPR}(x) \, dx

after Bilen et al. (2020), with the largest rate :math:`m` that matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError

#: values (rates x classes) that are looked at together
CELLS = 2**22


class Curve(NamedTuple):
    """Operating points of one class, x ascending from 0, y never falling.

    Args:
        x: rate, shape (P,)
        y: true positive rate, shape (P,)
    """

    x: np.ndarray
    y: np.ndarray

    def at(self, x: np.ndarray, *, linear: bool = False) -> np.ndarray:
        """Values at rates of 0 or more.

        >>> curve(np.array([2.0, 1.0]), np.array([0.8, 0.5])).at(np.array([0.5, 1.0, 9.0])).tolist()
        [0.0, 0.5, 0.8]
        """
        if linear:
            return np.interp(x, self.x, self.y)
        return np.asarray(self.y[np.searchsorted(self.x, x, side="right") - 1])


class PsdRoc(NamedTuple):
    """ROC over classes.

    Args:
        x: rates at which a curve of a class may change, ascending from 0, shape (X,)
        mean: mean over classes, shape (X,)
        std: population standard deviation over classes, shape (X,)
        etpr: effective true positive rate, shape (X,)
        classes: curve of each class; None for a class without ground truth
    """

    x: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    etpr: np.ndarray
    classes: tuple[Curve | None, ...]


def curve(x: np.ndarray, y: np.ndarray) -> Curve:
    """Operating points as a curve: the point (0, 0) added, and worse points left out.

    Args:
        x: rate of each operating point, 0 or more, shape (N,); NaN: the point is left out
        y: true positive rate, shape (N,)

    >>> [part.tolist() for part in curve(np.array([1.0, 1.0, 3.0]), np.array([0.2, 0.6, 0.4]))]
    [[0.0, 1.0, 3.0], [0.0, 0.6, 0.6]]
    """
    mask = ~np.isnan(x)
    x, y = np.append(x[mask], 0.0), np.append(y[mask], 0.0)
    order = np.lexsort((y, x))
    x, y = x[order], np.maximum.accumulate(y[order])
    last = np.append(np.flatnonzero(np.diff(x)), len(x) - 1)
    return Curve(x[last], y[last])


def curves(x: np.ndarray, y: np.ndarray) -> list[Curve | None]:
    """A curve for each class.

    Args:
        x: rates, shape (points, classes)
        y: true positive rates, shape (points, classes); NaN: class without ground truth
    """
    return [
        None if np.isnan(y[:, label]).any() else curve(x[:, label], y[:, label])
        for label in range(x.shape[1])
    ]


def cross_trigger_curves(ctr: np.ndarray, tpr: np.ndarray) -> list[list[Curve | None]]:
    """True positive rate over the rate of cross triggers, for each pair of classes.

    Args:
        ctr: shape (points, labels, labels)
        tpr: shape (points, labels)

    Returns:
        curve by class of the detection and other class; None where it is not defined
    """
    rows = []
    for label in range(tpr.shape[1]):
        x = ctr[:, label, :]
        y = np.repeat(tpr[:, label : label + 1], x.shape[1], axis=1)
        rows.append(curves(x, np.where(np.isnan(x), np.nan, y)))
    return rows


def psd_roc(
    classes: Sequence[Curve | None],
    *,
    alpha_st: float,
    limit: float | None = None,
    linear: bool = False,
) -> PsdRoc:
    """ROC over classes.

    Args:
        classes: curve of each class; None: left out
        alpha_st: weight of the standard deviation over classes, 0 or more
        limit: rates above are left out; None: all are kept
        linear: whether points are joined by lines and not by stairs

    Returns:
        the curve; NaN where no class has ground truth

    Raises:
        ConfigError: for a negative weight
    """
    if not alpha_st >= 0:
        raise ConfigError(f"alpha_st: {alpha_st} is negative")
    class_curves = [points for points in classes if points is not None]
    x = np.unique(np.concatenate([np.zeros(1), *(points.x for points in class_curves)]))
    if limit is not None:
        x = x[x <= limit]
    mean, std = np.full(len(x), np.nan), np.full(len(x), np.nan)
    step = max(1, CELLS // max(1, len(class_curves)))
    for start in range(0, len(x) if class_curves else 0, step):
        part = slice(start, start + step)
        values = np.stack([points.at(x[part], linear=linear) for points in class_curves])
        mean[part], std[part] = values.mean(axis=0), values.std(axis=0)
    etpr = np.maximum(mean - alpha_st * std, 0.0)
    return PsdRoc(x, mean, std, etpr, tuple(classes))


def area(x: np.ndarray, y: np.ndarray, max_efpr: float | None) -> float:
    r"""Area under stairs up to a rate, divided by this rate.

    .. math:: \frac{1}{m} \sum_{x_i < m} y_i \cdot (\min(x_{i+1}, m) - x_i)

    The last value is carried on to :math:`m`.

    Args:
        x: rates, ascending from 0
        y: value from this rate on
        max_efpr: the rate :math:`m`; None: the largest one in ``x``

    Returns:
        NaN if the largest rate is 0: a system without any false alarm

    Raises:
        ConfigError: if the rate is not above 0

    >>> area(np.array([0.0, 50.0]), np.array([0.5, 1.0]), 100.0)
    0.75
    """
    if max_efpr is None:
        max_efpr = float(x[-1])
        if max_efpr == 0:
            return float("nan")
    if not max_efpr > 0:
        raise ConfigError(f"max_efpr: {max_efpr} is not above 0")
    ends = np.minimum(np.append(x[1:], np.inf), max_efpr)
    inside = x < max_efpr
    return float(np.sum(y[inside] * (ends - x)[inside]) / max_efpr)


def psds_of_roc(roc: PsdRoc, max_efpr: float | None) -> float:
    """Polyphonic sound detection score: area under the effective true positive rate.

    Args:
        roc: as :func:`psd_roc` gives it
        max_efpr: largest effective false positive rate that matters; None: the largest one
            that an operating point has
    """
    return area(roc.x, roc.etpr, max_efpr)
