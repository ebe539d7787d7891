"""What a curve of counts over the threshold says: F-measures, best thresholds, area."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError
from . import figures


class CountCurve(NamedTuple):
    """Counts of one label at all thresholds, from none to all.

    Args:
        level: plus infinity, then each score where a count changes, descending, shape (P,):
            the counts hold for thresholds below it and not below the next
        tp: true positives, shape (P,)
        fp: false positives, shape (P,)
        n_ref: items of the reference
    """

    level: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    n_ref: int

    @property
    def precision(self) -> np.ndarray:
        """Precision at each point; 1 without any output."""
        return figures.divide(self.tp, self.tp + self.fp, 1.0)

    @property
    def recall(self) -> np.ndarray:
        """Recall at each point; NaN without reference."""
        return figures.recall(self.tp, np.asarray(self.n_ref))

    def f_measure(self, beta: float = 1.0) -> np.ndarray:
        """F-measure at each point; NaN without reference."""
        f = figures.f_of_counts(self.tp, self.fp, self.n_ref - self.tp, beta=beta)
        return f if self.n_ref else np.full(len(f), np.nan)

    def at(self, threshold: float) -> int:
        """Number of the point that a threshold gives: scores above it are detected."""
        return int(np.searchsorted(-self.level, -threshold, side="left")) - 1


class Best(NamedTuple):
    """The best point of a curve.

    Args:
        f_measure: F there; NaN without reference
        precision: precision there
        recall: recall there
        threshold: middle between the score of the point and the next one below; minus
            infinity at the last point, plus infinity where nothing is best
    """

    f_measure: float
    precision: float
    recall: float
    threshold: float


class AtThreshold(NamedTuple):
    """F-measures of labels, each at a threshold, and their mean.

    Args:
        macro: mean over labels that have reference items
        labels: best or given point of each label
    """

    macro: float
    labels: tuple[Best, ...]


def best_f(curve: CountCurve, *, beta: float = 1.0) -> Best:
    """Point with the largest F-measure; of several the one with the highest threshold."""
    f = curve.f_measure(beta)
    if np.isnan(f[0]):
        return Best(*[float("nan")] * 4)
    at = int(np.argmax(f))
    below = curve.level[at + 1] if at + 1 < len(f) else -np.inf
    threshold = np.inf if at == 0 else (curve.level[at] + below) / 2
    return _point(curve, f, at, float(threshold))


def f_at(curve: CountCurve, threshold: float, *, beta: float = 1.0) -> Best:
    """Point of a given threshold."""
    return _point(curve, curve.f_measure(beta), curve.at(threshold), threshold)


def _point(curve: CountCurve, f: np.ndarray, at: int, threshold: float) -> Best:
    values = (f[at], curve.precision[at], curve.recall[at], threshold)
    return Best(*(float(value) for value in values))


def average(points: Sequence[Best]) -> AtThreshold:
    """Points of several labels with the mean of their F-measures, NaN left out."""
    values = np.array([best.f_measure for best in points])
    return AtThreshold(figures.mean_of_classes(values), tuple(points))


def auroc(curve: CountCurve, *, max_fpr: float = 1.0, linear: bool = True) -> float:
    r"""Area under the true positive rate over the false positive rate, of curves of segments.

    .. math:: \frac{1}{m} \int_0^m \text{TPR} \, d\text{FPR}

    With ``linear`` and :math:`m = 1` this is the probability that an active segment scores above
    an inactive one, where equal scores count half (Fawcett, 2006). Without, equal scores do not
    count, as in sed_scores_eval 0.0.4 from the package index; its later versions join linearly.

    Args:
        curve: counts of segments; the last point holds all of them
        max_fpr: largest false positive rate :math:`m` that matters, in (0, 1]
        linear: whether points are joined by lines and not by stairs

    Returns:
        NaN if no or all segments are active

    Raises:
        ConfigError: if the largest rate is not in (0, 1]

    >>> level = np.array([np.inf, 0.9, 0.5, 0.1])
    >>> auroc(CountCurve(level, np.array([0, 1, 2, 2]), np.array([0, 0, 1, 2]), 2))
    0.875
    """
    if not 0 < max_fpr <= 1:
        raise ConfigError(f"max_fpr: {max_fpr} is not in (0, 1]")
    if curve.n_ref == 0 or curve.fp[-1] == 0:
        return float("nan")
    x, y = curve.fp / curve.fp[-1], curve.tp / curve.n_ref
    if linear:
        inside = x < max_fpr
        x_end, y_end = np.append(x[inside], max_fpr), np.append(y[inside], np.interp(max_fpr, x, y))
        return float(np.sum(np.diff(x_end) * (y_end[1:] + y_end[:-1]) / 2) / max_fpr)
    ends = np.minimum(np.append(x[1:], np.inf), max_fpr)
    return float(np.sum(y * np.maximum(ends - x, 0.0)) / max_fpr)
