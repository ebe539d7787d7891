"""What is simulated: metrics, distributions of truth and prediction, numbers of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.registry import unknown
from ...metrics import METRICS


def _ids(*drawn: str, shift: bool) -> tuple[str, ...]:
    """Metrics by what is drawn for them: those of classes first, averages over classes last."""
    metrics = [m for m in METRICS if m.drawn in drawn and (m.takes == "groups") == shift]
    ordered = sorted(metrics, key=lambda m: ("labels" not in m.keywords, not m.counts))
    return tuple(metric.id for metric in ordered)


#: metrics whose scores are functions of a mean, so that their distribution can be computed
LINEAR = tuple(
    name
    for what in ("values", "absolute errors", "errors")
    for shift in (False, True)
    for name in _ids(what, shift=shift)
)
#: what decides about a score -> ids of the metrics
SHARES, SHARE_SHIFTS = (_ids("shares", shift=shift) for shift in (False, True))
CONFUSIONS = _ids("pairs", shift=False)
MEAN_SHIFTS = _ids("values", shift=True)
MOMENTS = _ids("moments", shift=False)
SUMS = (*_ids("values", shift=False), *MEAN_SHIFTS, *MOMENTS, *LINEAR[2:])
METRIC_IDS = (*SHARES, *SHARE_SHIFTS, *CONFUSIONS, *SUMS)
SHIFTS = (*SHARE_SHIFTS, *MEAN_SHIFTS)
#: metrics of classes; all others are of numbers
OF_CLASSES = tuple(name for name in METRIC_IDS if "labels" in METRICS.get(name).keywords)
#: metrics that compare predictions with a truth
WITH_TRUTH = tuple(
    name for name in METRIC_IDS if METRICS.get(name).drawn not in ("shares", "values")
)

#: contexts per group in a simulated shift
CONTEXTS = 3
#: chance model of numbers: a normal distribution, cut off at 0 and 1
MEAN, SIGMA = 0.5, 1 / 6
#: means of the truth of groups if it varies
MEANS = (0.5, 0.55, 0.6)
#: samples per group and numbers of groups of the paper's table
SAMPLES = (*range(20, 301, 20), 400, 600, 800, 1000)
GROUPS = (2, 3, 6, 8, 20, 30)
POINTS = tuple((n, g) for g in GROUPS for n in SAMPLES)
REPETITIONS = 1000
#: a fair model with independent samples exceeds the bound of any of its groups so often
FAMILY = 0.01


@dataclass(frozen=True)
class Setup:
    """One simulated metric.

    Args:
        metric: id of the metric
        truth: for classes with a truth: ``uniform`` or ``sparse``
        prediction: for classes: ``uniform`` or ``sparse``
        varied: whether the truth is distributed differently in every group

    Raises:
        ConfigError: if the metric cannot be simulated
    """

    metric: str
    truth: str = ""
    prediction: str = ""
    varied: bool = False

    def __post_init__(self) -> None:
        if self.metric not in METRIC_IDS:
            raise unknown("simulated metric", self.metric, METRIC_IDS)


@dataclass(frozen=True)
class Null:
    """What chance does to a score.

    Args:
        values: largest absolute difference over classes or bins, one per repetition
    """

    values: np.ndarray

    @property
    def maximum(self) -> float:
        """Largest value of all repetitions."""
        return float(self.values.max())

    @property
    def percentile(self) -> float:
        """Value that 99 % of the repetitions do not exceed."""
        return float(np.percentile(self.values, 99))


def default_setup(metric: str) -> Setup:
    """Setup that the thresholds of the paper were chosen from.

    Classes without a truth are uniform; with one, the truth is sparse, which is harder.

    Raises:
        ConfigError: if the metric cannot be simulated
    """
    if metric not in OF_CLASSES:
        return Setup(metric)
    return Setup(metric, "sparse" if metric in WITH_TRUTH else "", "uniform")


def _setups() -> tuple[Setup, ...]:
    """All setups of the paper's table, in its order."""
    kinds = ("uniform", "sparse")
    setups = [
        Setup(metric, prediction=kind) for metric in (SHARES[0], SHARE_SHIFTS[0]) for kind in kinds
    ]
    setups += [Setup(metric) for metric in (SHARES[1], SHARE_SHIFTS[1], *SUMS[:2])]
    labelled = [
        (truth, prediction, varied)
        for truth in kinds
        for prediction in kinds
        for varied in (False, True)
        if not varied or truth == "sparse"
    ]
    for metric in (*CONFUSIONS, *SUMS[2:]):
        if metric in OF_CLASSES:
            setups += [Setup(metric, *rest) for rest in labelled]
        else:
            setups += [Setup(metric, varied=varied) for varied in (False, True)]
    return tuple(setups)


SETUPS = _setups()


def probabilities(kind: str, classes: int = 4) -> tuple[float, ...]:
    """Probabilities of classes.

    ``uniform``: all the same. ``sparse``: half of the classes, rounded down, are rare; the
    others share the rest in the ratio 1 : 2 : 3 and so on, which for four classes gives the
    numbers of the paper.

    >>> probabilities("sparse")
    (0.05, 0.05, 0.3, 0.6)
    """
    if kind == "uniform":
        return (1 / classes,) * classes
    rare = classes // 2
    each = min(0.05, 0.25 / max(rare, 1))
    weights = range(1, classes - rare + 1)
    rest = round(1 - rare * each, 12)
    return (*(each,) * rare, *(round(rest * w / sum(weights), 12) for w in weights))


def bin_probabilities(bins: int, mean: float = MEAN) -> np.ndarray:
    """Probability of each bin under the chance model of numbers, shape (bins,)."""
    from scipy.special import ndtr

    from ...metrics.bins import bin_edges

    edges = np.array([0.0, *bin_edges(bins), 1.0])
    below = ndtr((edges - mean) / SIGMA)
    shares: np.ndarray = np.diff(below) / (below[-1] - below[0])
    return shares


def truncated_normal(uniform: np.ndarray, mean: float | np.ndarray = MEAN) -> np.ndarray:
    """Chance predictions of numbers from uniform numbers in (0, 1), same shape."""
    from scipy.special import ndtr, ndtri

    low, high = ndtr((0 - mean) / SIGMA), ndtr((1 - mean) / SIGMA)
    values: np.ndarray = mean + SIGMA * ndtri(low + uniform * (high - low))
    return values


def equal_sizes(metric: str, n: int, groups: int) -> tuple[tuple[int, int], ...]:
    """(samples, samples in the context) of equal groups.

    >>> equal_sizes("ccc", 20, 2), equal_sizes("mean_shift_difference", 20, 2)
    (((20, 0), (20, 0)), ((60, 20), (60, 20)))
    """
    pair = (CONTEXTS * n, n) if metric in SHIFTS else (n, 0)
    return (pair,) * groups


def points(samples: Sequence[int], groups: Sequence[int]) -> list[tuple[int, int]]:
    """All pairs, groups outermost, as in the paper's table."""
    return [(n, g) for g in groups for n in samples]
