"""Own draws of chance models, for any numbers of samples.

Counts of classes and bins of independent samples follow a multinomial distribution, so they
are drawn at once and not sample by sample; only sums of numbers need every sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from . import scores
from .setup import (
    CONFUSIONS,
    MEAN,
    MEAN_SHIFTS,
    MEANS,
    OF_CLASSES,
    REPETITIONS,
    SHARE_SHIFTS,
    SHARES,
    WITH_TRUTH,
    Null,
    Setup,
    bin_probabilities,
    probabilities,
    truncated_normal,
)

#: numbers that are drawn at once, to bound the memory
BLOCK = 4_000_000


def simulate(
    setup: Setup,
    sizes: Sequence[tuple[int, int]],
    generator: np.random.Generator,
    *,
    repetitions: int = REPETITIONS,
    classes: int = 4,
    bins: int = 4,
    min_count: int = 0,
) -> Null:
    """Absolute scores of the first group under chance.

    Args:
        setup: metric and distributions
        sizes: (samples, samples in the context) of each group, the tested one first; the
            second number is looked at for shifts only
        generator: source of the draws
        repetitions: number of repetitions
        classes: number of classes, for metrics of classes
        bins: number of bins, for metrics of bins
        min_count: a bin with fewer samples takes no part, as in the test
    """
    counts = np.array(sizes, dtype=np.int64)
    if setup.metric not in (*SHARES, *SHARE_SHIFTS, *CONFUSIONS):
        return Null(_sums(setup, counts, generator, repetitions))
    k = classes if setup.metric in OF_CLASSES else bins
    tables = _tables(setup, counts, generator, repetitions, k)
    if setup.metric in SHARE_SHIFTS:
        inside, outside = tables
        return Null(scores.counts_shift(setup.metric, inside + outside, inside, min_count))
    (table,) = tables
    group, everyone = table[:, 0], table.sum(axis=1)
    return Null(scores.counts_difference(setup.metric, group, everyone, k, min_count))


def _tables(
    setup: Setup, sizes: np.ndarray, generator: np.random.Generator, repetitions: int, k: int
) -> list[np.ndarray]:
    """Counts of all groups, shape (R, G, K), or (R, G, K * K) of pairs with a truth.

    For a shift, those in the context and the others.
    """
    shape = (repetitions, len(sizes), k)
    predicted = distribution(setup.prediction, setup.metric, k)
    if setup.metric in WITH_TRUTH:
        truth = np.broadcast_to(distribution(setup.truth, setup.metric, k), shape)
        if setup.varied:
            truth = _varied(setup, shape, generator)
        pairs = (truth[..., :, None] * predicted).reshape(*shape[:2], k * k)
        return [generator.multinomial(sizes[:, 0], pairs)]
    if setup.metric in SHARE_SHIFTS:
        if setup.prediction == "sparse":
            predicted = generator.permuted(np.tile(predicted, (repetitions, 1)), axis=1)[:, None]
        everything = np.broadcast_to(predicted, shape)
        parts = (sizes[:, 1], sizes[:, 0] - sizes[:, 1])
        return [generator.multinomial(part, everything) for part in parts]
    return [generator.multinomial(sizes[:, 0], np.broadcast_to(predicted, shape))]


def distribution(kind: str, metric: str, k: int) -> np.ndarray:
    """Probabilities of the classes or bins of a metric, shape (k,)."""
    if metric in OF_CLASSES:
        return np.array(probabilities(kind, k))
    return bin_probabilities(k)


def _varied(
    setup: Setup, shape: tuple[int, int, int], generator: np.random.Generator
) -> np.ndarray:
    """Another distribution of the truth in every group, shape (R, G, K)."""
    if setup.metric in OF_CLASSES:
        start = np.broadcast_to(probabilities(setup.truth, shape[2]), shape)
        return generator.permuted(start, axis=2)
    options = np.stack([bin_probabilities(shape[2], mean) for mean in MEANS])
    return options[generator.integers(len(MEANS), size=shape[:2])]


def _sums(
    setup: Setup, sizes: np.ndarray, generator: np.random.Generator, repetitions: int
) -> np.ndarray:
    """Scores of metrics of numbers."""
    metric, shift = setup.metric, setup.metric in MEAN_SHIFTS
    parts = np.stack([sizes[:, 1], sizes[:, 0] - sizes[:, 1]]) if shift else sizes[None, :, 0]
    drawn = np.stack(
        [
            np.concatenate(list(_terms(metric, int(n), setup.varied, generator, repetitions)))
            for n in parts.ravel()
        ],
        axis=1,
    ).reshape(repetitions, *parts.shape, -1)
    if shift:
        inside, outside = drawn[:, 0, :, 0], drawn[:, 1, :, 0]
        return scores.mean_shift(metric, inside + outside, inside, sizes)
    sums = drawn[:, 0]
    return scores.numbers_difference(metric, sums[:, 0], sums.sum(axis=1))


def _terms(
    metric: str, n: int, varied: bool, generator: np.random.Generator, repetitions: int
) -> Iterator[np.ndarray]:
    """Sums of the terms of a metric over n samples, shape (R, number of columns), in blocks."""
    step = max(1, BLOCK // max(n, 1))
    for start in range(0, repetitions, step):
        shape = (min(step, repetitions - start), n)
        truth = np.zeros(shape)
        if metric in WITH_TRUTH:
            mean = generator.choice(MEANS, size=(shape[0], 1)) if varied else MEAN
            truth = numbers(shape, generator, mean)
        prediction = numbers(shape, generator, MEAN)
        if metric in MEAN_SHIFTS:  # the sum of the values is all that is needed
            yield prediction.sum(axis=-1, keepdims=True)
        else:
            yield scores.terms(metric, truth, prediction)


def numbers(
    shape: tuple[int, int], generator: np.random.Generator, mean: float | np.ndarray = MEAN
) -> np.ndarray:
    """Numbers of the chance model, one after the other."""
    return truncated_normal(generator.random(shape), mean)
