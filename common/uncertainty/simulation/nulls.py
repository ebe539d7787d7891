"""Fixed upper quantiles of chance scores, from very many draws or without any.

Scores that are sums have a distribution that can be computed (:mod:`~common.uncertainty.simulation.linear`).
All others are drawn 100,000 times or more. Only the sums over the tested group and over the
others decide about them, so neither samples nor single groups need to be drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import scores
from .chance import distribution, numbers
from .linear import Distribution
from .setup import (
    FAMILY,
    LINEAR,
    MOMENTS,
    OF_CLASSES,
    SHARE_SHIFTS,
    WITH_TRUTH,
    Setup,
)

#: draws, at least; and draws of which one is beyond the quantile, for many groups
DRAWS, BEYOND = 100_000, 100
#: independent parts of the draws, whose spread says how well a quantile is known
BATCHES = 20
#: sums of more samples than this are put together from sums of fewer that were drawn before
DIRECT = 256
#: sums of fewer samples that are drawn in each batch, and how many of them make one sum
POOL, PIECES = 4096, 128
#: numbers that are drawn at once
BLOCK = 2_000_000
#: a product is not smaller than a whole number by more than rounding
ROUNDING = 1e-9
#: places of the distribution that are kept, for figures
KEPT = 1000


class Quantile(NamedTuple):
    """Upper quantile of the absolute chance scores of a group.

    Args:
        value: not exceeded with a probability of 1 - tail
        error: standard error of ``value`` by the draws; 0 if it was computed
        tail: probability of a larger score
        draws: number of draws; 0 if it was computed
        null: scores at even steps of probability, ascending, for figures
    """

    value: float
    error: float
    tail: float
    draws: int
    null: tuple[float, ...]


def quantile(
    setup: Setup,
    sizes: Sequence[tuple[int, int]],
    generator: np.random.Generator,
    *,
    draws: int = 0,
    classes: int = 4,
    bins: int = 4,
    min_count: int = 0,
) -> Quantile:
    """Quantile that a fair model exceeds in any group with a probability of 1 %.

    The probability is divided by the number of groups (Bonferroni), as each has its own bound.

    Args:
        setup: metric and distributions
        sizes: (samples, samples in the context) of each group, the tested one first
        generator: source of the draws
        draws: number of draws; 0: as many as the quantile needs, 100,000 at least
        classes: number of classes, for metrics of classes
        bins: number of bins, for metrics of bins
        min_count: a bin with fewer samples takes no part, as in the test
    """
    tail = FAMILY / len(sizes)
    levels = (np.arange(KEPT) + 0.5) / KEPT
    if setup.metric in LINEAR:
        quantiles = Distribution(setup.metric, sizes).quantiles(np.append(levels, 1 - tail))
        return Quantile(float(quantiles[-1]), 0.0, tail, 0, tuple(quantiles[:-1].tolist()))
    count = draws or max(DRAWS, math.ceil(BEYOND / tail))
    each = -(-count // BATCHES)
    k = classes if setup.metric in OF_CLASSES else bins
    batches = np.stack(
        [_batch(setup, sizes, generator, each, k, min_count) for _ in range(BATCHES)]
    )
    value, error = upper(batches, tail)
    null = np.sort(batches, axis=None)[(levels * batches.size).astype(np.int64)]
    return Quantile(value, error, tail, batches.size, tuple(null.tolist()))


def upper(batches: np.ndarray, tail: float) -> tuple[float, float]:
    """Value that at most a part of the draws exceeds, and its standard error.

    The number of draws beyond the value varies between batches. Half the distance between the
    values that one standard deviation more and fewer draws exceed is the error.

    Args:
        batches: draws, shape (batches, draws)
        tail: part that may exceed the value

    >>> value, error = upper(np.random.default_rng(0).random((20, 5000)), 0.01)
    >>> round(value, 3), round(error, 4)
    (0.99, 0.0003)
    """
    falling = -np.sort(-batches, axis=None)
    place = int(falling.size * tail + ROUNDING)
    value = falling[place]
    beyond = (batches > value).sum(axis=1)
    spread = max(float(beyond.std(ddof=1)) * math.sqrt(len(batches)), 1.0)
    ends = np.clip([place - spread, place + spread], 0, falling.size - 1)
    above, below = falling[np.round(ends).astype(np.int64)]
    return float(value), float(above - below) / 2


def _batch(
    setup: Setup,
    sizes: Sequence[tuple[int, int]],
    generator: np.random.Generator,
    draws: int,
    k: int,
    min_count: int,
) -> np.ndarray:
    """Absolute scores of the first group, shape (draws,)."""
    group_size, total = sizes[0][0], sum(size for size, _ in sizes)
    if setup.metric in SHARE_SHIFTS:
        return _share_shift(setup, sizes, generator, draws, k, min_count)
    if setup.metric in MOMENTS:
        group, others = (
            _moments(setup.metric, n, generator, draws) for n in (group_size, total - group_size)
        )
        return scores.numbers_difference(setup.metric, group, group + others)
    cells = distribution(setup.prediction, setup.metric, k)
    if setup.metric in WITH_TRUTH:
        truth = distribution(setup.truth, setup.metric, k)
        cells = np.multiply.outer(truth, cells).ravel()
    group, others = (
        generator.multinomial(n, cells, draws) for n in (group_size, total - group_size)
    )
    return scores.counts_difference(setup.metric, group, group + others, k, min_count)


def _share_shift(
    setup: Setup,
    sizes: Sequence[tuple[int, int]],
    generator: np.random.Generator,
    draws: int,
    k: int,
    min_count: int,
) -> np.ndarray:
    """Groups of the same sizes are drawn as one: the mean of their shares is its share."""
    cells = distribution(setup.prediction, setup.metric, k)
    alike = [(sizes[0], 1), *sorted(Counter(sizes[1:]).items())]
    inside, outside = (
        np.stack([generator.multinomial(n, cells, draws) for n in counts], axis=1)
        for counts in (
            [count * within for (_, within), count in alike],
            [count * (size - within) for (size, within), count in alike],
        )
    )
    repeats = np.array([count for _, count in alike])
    return scores.counts_shift(setup.metric, inside + outside, inside, min_count, repeats)


def _moments(metric: str, n: int, generator: np.random.Generator, draws: int) -> np.ndarray:
    """Sums of the terms of a metric over n samples, shape (draws, columns).

    A sum over many samples is put together from sums over fewer, drawn at random from a pool
    that is made anew for each batch; what the pool adds to the error is seen between batches.
    """
    if n <= DIRECT:
        return _terms(metric, (draws, n), generator)
    step = n // PIECES
    pieces, rest = divmod(n, step)
    sums: np.ndarray | float = 0.0
    for size, count in ((step, pieces), (rest, 1)):
        if size:
            pool = _terms(metric, (POOL, size), generator)
            for _ in range(count):
                sums = sums + pool[generator.integers(POOL, size=draws)]
    return np.asarray(sums)


def _terms(metric: str, shape: tuple[int, int], generator: np.random.Generator) -> np.ndarray:
    """Sums of the terms of a metric over the last axis, in blocks."""
    step = max(1, BLOCK // max(shape[1], 1))
    blocks = []
    for start in range(0, shape[0], step):
        part = (min(step, shape[0] - start), shape[1])
        blocks.append(scores.terms(metric, numbers(part, generator), numbers(part, generator)))
    return np.concatenate(blocks)
