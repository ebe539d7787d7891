r"""Chance scores that are sums: their distribution is computed, not drawn.

The difference of a mean, an error or a shift is a sum of independent terms with fixed weights.
The characteristic function of a sum is the product of those of its terms, so the distribution of
the score follows from that of one term without any random number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ...metrics import METRICS
from .setup import MEAN, SHIFTS, SIGMA

#: nodes of numerical integrals over [0, 1]
NODES = 512
#: a factor of the series below this adds nothing
NOTHING = 1e-13
#: frequencies that are computed together, and most of them
STEP, MOST = 256, 32768
#: steps of the search for a quantile, each of which halves the interval
HALVINGS = 50


def parts(metric: str, sizes: Sequence[tuple[int, int]]) -> list[tuple[float, int]]:
    """Weight of a sample in the score of the first group, and number of samples with it.

    Args:
        metric: one of :data:`~common.uncertainty.simulation.setup.LINEAR`
        sizes: (samples, samples in the context) of each group, the tested one first

    >>> parts("mean_difference", ((2, 0), (2, 0)))
    [(0.25, 2), (-0.25, 2)]
    """
    if metric not in SHIFTS:
        group_size, total = sizes[0][0], sum(size for size, _ in sizes)
        return [(1 / group_size - 1 / total, group_size), (-1 / total, total - group_size)]
    counts: dict[float, int] = {}
    for number, (size, inside) in enumerate(sizes):
        factor = (number == 0) - 1 / len(sizes)
        for weight, count in ((1 / inside - 1 / size, inside), (-1 / size, size - inside)):
            counts[factor * weight] = counts.get(factor * weight, 0) + count
    return list(counts.items())


class Distribution:
    r"""Distribution of the absolute score of the first group.

    With the characteristic function :math:`\psi` of a score in :math:`[-a, a]`,

    .. math:: P(|s| < x) = \frac{x}{a} + \frac{2}{\pi} \sum_{k=1}^{\infty}
       \frac{\operatorname{Re} \psi(\pi k / a)}{k} \sin \frac{\pi k x}{a},

    the Fourier series of the density, integrated term by term. It ends where :math:`\psi` is
    smaller than 1e-13, which is soon for more than a few samples.

    Args:
        metric: one of :data:`~common.uncertainty.simulation.setup.LINEAR`
        sizes: (samples, samples in the context) of each group, the tested one first
    """

    def __init__(self, metric: str, sizes: Sequence[tuple[int, int]]):
        weighted = parts(metric, sizes)
        self.reach = max(
            1.0, *(sum(abs(w) * n for w, n in weighted if (w > 0) == s) for s in (True, False))
        )
        waves = []
        for start in range(1, MOST, STEP):
            wave = _product(metric, np.pi / self.reach * np.arange(start, start + STEP), weighted)
            waves.append(wave)
            if np.abs(wave).max() < NOTHING:
                break
        self._waves = np.concatenate(waves)

    def below(self, x: np.ndarray) -> np.ndarray:
        """Probability of an absolute score below each of some numbers in [0, reach]."""
        k = np.arange(1, len(self._waves) + 1)
        probability = np.asarray(x, dtype=np.float64) / self.reach
        for start in range(0, len(k), STEP):
            part = slice(start, start + STEP)
            sines = np.sin(np.multiply.outer(x, np.pi / self.reach * k[part]))
            probability = probability + 2 / np.pi * sines @ (self._waves[part] / k[part])
        return probability

    def quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Absolute scores that are not exceeded with these probabilities, same shape."""
        low, high = np.zeros(len(levels)), np.full(len(levels), self.reach)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            less = self.below(middle) < levels
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return high


def _product(metric: str, s: np.ndarray, weighted: list[tuple[float, int]]) -> np.ndarray:
    """Real part of the characteristic function of the score."""
    wave = np.ones(len(s), dtype=np.complex128)
    for weight, count in weighted:
        wave *= _one(metric, weight * s) ** count
    return wave.real


def _one(metric: str, s: np.ndarray) -> np.ndarray:
    """Characteristic function of the term of one sample."""
    drawn = METRICS.get(metric).drawn
    points, weights = _errors() if drawn == "absolute errors" else _numbers()
    wave: np.ndarray = np.exp(1j * np.multiply.outer(s, points)) @ weights
    # the difference of two independent numbers
    return np.abs(wave) ** 2 if drawn == "errors" else wave


@cache
def _grid() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of integrals over [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2


@cache
def _numbers() -> tuple[np.ndarray, np.ndarray]:
    """Places and probabilities of the chance model of numbers, about its mean."""
    nodes, weights = _grid()
    mass = weights * _density(nodes)
    return nodes - MEAN, mass / mass.sum()


@cache
def _errors() -> tuple[np.ndarray, np.ndarray]:
    """Places and probabilities of the absolute difference of two such numbers."""
    nodes, weights = _grid()
    start = np.multiply.outer(1 - nodes, nodes)
    mass = weights * (1 - nodes) * ((_density(start) * _density(start + nodes[:, None])) @ weights)
    return nodes - (mass @ nodes) / mass.sum(), mass / mass.sum()


def _density(values: np.ndarray) -> np.ndarray:
    density: np.ndarray = np.exp(-(((values - MEAN) / SIGMA) ** 2) / 2)
    return density
