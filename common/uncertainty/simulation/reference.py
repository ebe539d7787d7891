"""The draws of the paper's simulation, so that its table can be made again digit by digit.

Every repetition r = 1, 2, ... starts from Python's and NumPy's legacy generator, both with the
seed r; the truth is drawn before the prediction, group by group. All points of the grid start
from the same stream, so a block of streams is drawn once and every point takes its part of it.
Own generator objects are seeded here, never the global ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from . import scores
from .setup import (
    CONFUSIONS,
    CONTEXTS,
    MEANS,
    OF_CLASSES,
    REPETITIONS,
    SHARE_SHIFTS,
    SHARES,
    SHIFTS,
    WITH_TRUTH,
    Null,
    Setup,
    probabilities,
    truncated_normal,
)

#: number of classes and of bins in the paper
K = 4
#: inner edges of the bins
EDGES = (0.25, 0.5, 0.75)
#: repetitions that are computed together
BLOCK = 40

Point = tuple[int, int]


def simulate(
    setups: Sequence[Setup],
    points: Sequence[Point],
    *,
    repetitions: int = REPETITIONS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[tuple[Setup, Point], Null]:
    """Absolute scores of the first group, with the draws of the paper.

    Args:
        setups: metrics and distributions
        points: (samples per group, number of groups)
        repetitions: seeds 1 to this number
        progress: told how far it is
    """
    factor = CONTEXTS if any(setup.metric in SHIFTS for setup in setups) else 2
    length = factor * max(n * g for n, g in points)
    most = max(g for _, g in points)
    blocks: dict[tuple[Setup, Point], list[np.ndarray]] = {}
    for first in range(1, repetitions + 1, BLOCK):
        seeds = range(first, min(first + BLOCK, repetitions + 1))
        streams = Streams(seeds, length, most)
        for setup in setups:
            for point in points:
                values = _score(setup, point, streams)
                blocks.setdefault((setup, point), []).append(values)
        progress(seeds[-1], repetitions)
    return {key: Null(np.concatenate(parts)) for key, parts in blocks.items()}


class Streams:
    """Random numbers of some repetitions, and what is made of them.

    Args:
        seeds: seeds of the repetitions; R of them
        length: how many numbers are drawn from each
        groups: largest number of groups, for what varies between groups
    """

    def __init__(self, seeds: Sequence[int], length: int, groups: int):
        self._seeds = seeds
        self._groups = groups
        self.uniform = np.stack(
            [np.random.RandomState(seed).random_sample(length) for seed in seeds]
        )
        self._tables: dict[tuple[Setup, Point], tuple[np.ndarray, np.ndarray]] = {}

    @cached_property
    def values(self) -> np.ndarray:
        """Chance predictions of numbers, shape (R, length)."""
        return truncated_normal(self.uniform)

    @cached_property
    def bins(self) -> np.ndarray:
        """Bin of each number, shape (R, length)."""
        return binned(self.values)

    @cached_property
    def uniform_classes(self) -> np.ndarray:
        """Class of each number with equal probabilities, shape (R, length)."""
        return classes(self.uniform, np.array(probabilities("uniform")))

    @cached_property
    def sparse_classes(self) -> np.ndarray:
        """Class of each number with sparse probabilities, shape (R, length)."""
        return classes(self.uniform, np.array(probabilities("sparse")))

    @cached_property
    def shuffled_classes(self) -> np.ndarray:
        """The same with another order of the probabilities in each repetition."""
        return classes(self.uniform, self.orders[:, 0])

    @cached_property
    def orders(self) -> np.ndarray:
        """Order of the sparse probabilities for each repetition and group, shape (R, G, K)."""
        start = list(probabilities("sparse"))
        drawn = []
        for seed in self._seeds:
            generator = random.Random(seed)
            drawn.append([generator.sample(start, K) for _ in range(self._groups)])
        return np.array(drawn)

    @cached_property
    def means(self) -> np.ndarray:
        """Mean of the truth for each repetition and group, shape (R, G)."""
        drawn = []
        for seed in self._seeds:
            generator = random.Random(seed)
            drawn.append([generator.choice(MEANS) for _ in range(self._groups)])
        return np.array(drawn)

    def of_classes(self, kind: str) -> np.ndarray:
        """Class of each number for a kind of probabilities."""
        return self.uniform_classes if kind == "uniform" else self.sparse_classes

    def truth(self, setup: Setup, point: Point) -> np.ndarray:
        """Truth of all samples of a point: classes, or numbers; shape (R, samples)."""
        n, g = point
        if not setup.varied:
            drawn = self.of_classes(setup.truth) if setup.metric in OF_CLASSES else self.values
            return drawn[:, : n * g]
        parts = self.uniform[:, : n * g].reshape(-1, g, n)
        if setup.metric in OF_CLASSES:
            return classes(parts, self.orders[:, :g]).reshape(-1, n * g)
        return truncated_normal(parts, self.means[:, :g, None]).reshape(-1, n * g)

    def pairs(self, setup: Setup, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of truth and prediction in the first group and in all, shape (R, K * K)."""
        alike = next(m for m in CONFUSIONS if (m in OF_CLASSES) == (setup.metric in OF_CLASSES))
        key = (replace(setup, metric=alike), point)  # metrics of classes share their draws
        if key not in self._tables:
            n, g = point
            truth = self.truth(setup, point)
            if setup.metric in OF_CLASSES:
                drawn = self.of_classes(setup.prediction)
            else:
                truth, drawn = binned(truth), self.bins
            codes = truth * np.uint8(K) + drawn[:, n * g : 2 * n * g]
            self._tables[key] = counts(codes[:, :n], K * K), counts(codes, K * K)
        return self._tables[key]


def classes(uniform: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Class of each number, as ``numpy.random.choice`` draws it.

    Args:
        uniform: shape (..., N)
        shares: probabilities, shape (K,), or (..., K) with the leading axes of ``uniform``
    """
    bounds = np.cumsum(shares, axis=-1)
    bounds = bounds / bounds[..., -1:]
    codes = np.zeros(uniform.shape, dtype=np.uint8)
    for k in range(shares.shape[-1] - 1):
        codes += uniform >= (bounds[k] if shares.ndim == 1 else bounds[..., k, None])
    return codes


def binned(values: np.ndarray) -> np.ndarray:
    """Bin of each value, right closed."""
    codes = np.zeros(values.shape, dtype=np.uint8)
    for edge in EDGES:
        codes += values > edge
    return codes


def counts(codes: np.ndarray, k: int) -> np.ndarray:
    """How often each code occurs along the last axis, shape (..., k)."""
    flat = codes.reshape(-1, codes.shape[-1]).astype(np.int64)
    flat += k * np.arange(len(flat))[:, None]
    table = np.bincount(flat.ravel(), minlength=k * len(flat))
    return table.reshape(*codes.shape[:-1], k)


def _score(setup: Setup, point: Point, streams: Streams) -> np.ndarray:
    n, g = point
    metric = setup.metric
    if metric in SHARES:
        drawn = streams.bins
        if metric in OF_CLASSES:
            drawn = streams.of_classes(setup.prediction)
        group_counts, every = (counts(drawn[:, :size], K) for size in (n, n * g))
        return scores.counts_difference(metric, group_counts, every, K)
    if metric in SHIFTS:
        return _shift(setup, point, streams)
    if metric in CONFUSIONS:
        group_counts, every = streams.pairs(setup, point)
        return scores.counts_difference(metric, group_counts, every, K)
    values = streams.values[:, : n * g]
    if metric not in WITH_TRUTH:
        truth, prediction = values, values
    else:
        truth, prediction = streams.truth(setup, point), streams.values[:, n * g : 2 * n * g]
    group = scores.terms(metric, truth[:, :n], prediction[:, :n])
    return scores.numbers_difference(metric, group, scores.terms(metric, truth, prediction))


def _shift(setup: Setup, point: Point, streams: Streams) -> np.ndarray:
    """Samples are laid out group by group, and in a group context by context."""
    n, g = point
    if setup.metric in SHARE_SHIFTS:
        drawn = streams.bins
        if setup.metric in OF_CLASSES:
            sparse = setup.prediction == "sparse"
            drawn = streams.shuffled_classes if sparse else streams.uniform_classes
        codes = drawn[:, : CONTEXTS * n * g].reshape(-1, g, CONTEXTS, n)
        table = counts(codes, K)
        return scores.counts_shift(setup.metric, table.sum(axis=2), table[:, :, 0])
    values = streams.values[:, : CONTEXTS * n * g].reshape(-1, g, CONTEXTS, n).sum(axis=3)
    sizes = np.tile([CONTEXTS * n, n], (g, 1))
    return scores.mean_shift(setup.metric, values.sum(axis=2), values[:, :, 0], sizes)
