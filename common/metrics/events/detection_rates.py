r"""Rates of intersection-based counts.

With the counts of :class:`~common.metrics.events.intersection_based.Confusion`, for class
:math:`c` and the seconds :math:`T` of the unit of time, after Bilen et al. (2020):

.. math::

    \text{TPR}_c &= \text{TP}_c / \#g_c \\
    \text{FPR}_c &= \text{FP}_c \cdot T / \text{duration of all recordings} \\
    \text{CTR}_{c,k} &= \text{CT}_{c,k} \cdot T / \text{duration of the events of class } k \\
    \text{eFPR}_c &= \text{FPR}_c + \alpha_\text{CT} \cdot \operatorname{mean}_{k \ne c} \text{CTR}_{c,k}
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ...core.errors import ConfigError, DataError
from ...core.registry import unknown
from . import figures
from .intersection_based import Confusion

#: unit of time -> seconds
UNITS = {
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86_400.0,
    "month": 30 * 86_400.0,
    "year": 365 * 86_400.0,
}

Compatibility = Literal["psds_eval-0.5", "psds_eval-0.3"]


class Rates(NamedTuple):
    """Rates per operating point and class.

    Args:
        tpr: true positive rate, shape (points, labels); NaN for a class without ground truth
        fpr: false positives per unit of time, shape (points, labels)
        ctr: cross triggers per unit of time of the other class, shape (points, labels,
            labels); NaN on the diagonal and for a class without ground truth
        efpr: effective false positive rate, shape (points, labels)
    """

    tpr: np.ndarray
    fpr: np.ndarray
    ctr: np.ndarray
    efpr: np.ndarray


def seconds_of(unit: str) -> float:
    """Seconds of a unit of time; raises ConfigError for an unknown one."""
    if unit not in UNITS:
        raise unknown("unit of time", unit, UNITS)
    return UNITS[unit]


def check_alpha_ct(alpha_ct: float) -> None:
    """Raise ConfigError unless the weight of cross triggers is in [0, 1]."""
    if not 0 <= alpha_ct <= 1:
        raise ConfigError(f"alpha_ct: {alpha_ct} is not in [0, 1]")


def check_duration(duration: float) -> None:
    """Raise DataError unless the recordings have a duration, without which there is no rate."""
    if not duration > 0:
        raise DataError("durations: the recordings have none, so there are no rates")


def rates(
    confusion: Confusion,
    *,
    alpha_ct: float,
    unit: str,
    compatibility: Compatibility | None = None,
) -> Rates:
    """Rates of counts.

    Args:
        confusion: counts
        alpha_ct: weight of cross triggers in the effective rate, in [0, 1]
        unit: unit of time: minute, hour, day, month (30 days) or year (365 days)
        compatibility: ``psds_eval-0.5``: with one class only the effective rate is NaN, and
            the PSDS 0 for any system. ``psds_eval-0.3``: the mean over cross triggers is
            divided by the number of classes, one more than there are. None: one class has no
            cross triggers, so its effective rate is its false positive rate

    Returns:
        rates

    Raises:
        ConfigError: for a weight or unit that is not allowed
        DataError: if the recordings have no duration

    >>> counts = np.array([[[1, 0, 2], [0, 0, 0]]])
    >>> confusion = Confusion(counts, np.array([2, 1]), np.array([5.0, 5.0]), 3600.0)
    >>> found = rates(confusion, alpha_ct=0.0, unit="hour")
    >>> found.tpr.tolist(), found.efpr.tolist()
    ([[0.5, 0.0]], [[2.0, 0.0]])
    """
    check_alpha_ct(alpha_ct)
    if compatibility not in (None, "psds_eval-0.5", "psds_eval-0.3"):
        raise unknown("compatibility", str(compatibility), ("psds_eval-0.5", "psds_eval-0.3"))
    seconds = seconds_of(unit)
    check_duration(confusion.duration)
    counts, n_labels = confusion.counts, confusion.counts.shape[1]
    true = counts[:, np.arange(n_labels), np.arange(n_labels)]
    fpr = counts[:, :, n_labels] * seconds / confusion.duration
    ctr = figures.divide(counts[:, :, :n_labels] * seconds, confusion.seconds, np.nan)
    ctr[:, np.arange(n_labels), np.arange(n_labels)] = np.nan
    return Rates(
        figures.divide(true, confusion.events, np.nan),
        fpr,
        ctr,
        fpr + alpha_ct * _mean_rate(ctr, compatibility),
    )


def _mean_rate(ctr: np.ndarray, compatibility: Compatibility | None) -> np.ndarray:
    """Mean over other classes that have ground truth; 0 if there is none."""
    defined = ~np.isnan(ctr)
    number = defined.sum(axis=-1)
    if compatibility == "psds_eval-0.3":
        number = np.full_like(number, ctr.shape[-1])
    if compatibility == "psds_eval-0.5" and ctr.shape[-1] == 1:
        return np.full(number.shape, np.nan)
    return figures.divide(np.where(defined, ctr, 0.0).sum(axis=-1), number, 0.0)
