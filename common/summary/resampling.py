"""How far a score of a ranking would move with other tests and other datasets.

Verdicts are crossed by two things that were chosen and could have been chosen otherwise: the
tests of a family, and the datasets. Both are resampled, each by itself, and the errors of both
are added. What belongs to a single pair of test and dataset is counted in both, so that
intervals are rather too wide than too narrow (Cameron et al. 2011). A resample gives each test,
or dataset, a random weight (Rubin 1981); weights are never zero, so that every resample has
every family. All models of a resample have the same weights: differences are paired. Tests and
datasets are few, so errors are stretched by Student's quantile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common import rng
from common.uncertainty.student import Z, student

#: number of resamples
DRAWS = 2000
#: probability with which all intervals of a model's differences hold
LEVEL = 0.95
#: differences below this are rounding
ROUNDING = 1e-9
#: with fewer pairs of test and dataset, not even a model that is better in each of them would
#: be told apart by a sign test (2 * 0.5 ** 5 > 0.05)
LEAST_PAIRS = 6


@dataclass(frozen=True)
class Verdicts:
    """Verdicts of models on cells that all of them have.

    Args:
        passed: 1 for pass, 0 for fail, shape (cells, models)
        tests: test of each cell
        datasets: dataset of each cell
        families: family of each cell
    """

    passed: np.ndarray
    tests: Sequence[str]
    datasets: Sequence[str]
    families: Sequence[str]

    @property
    def pairs(self) -> int:
        """Number of (test, dataset) pairs."""
        return len(set(zip(self.tests, self.datasets, strict=True)))


def resampled(verdicts: Verdicts, *, seed: int, draws: int = DRAWS) -> np.ndarray:
    """Errors of the scores of all models in all resamples.

    The score of a model is the mean over families of the mean over tests of the share of
    passed cells; here with weights for tests or datasets. A weight depends on the seed and on
    the name of the test or dataset alone, so it is the same for all models and all targets.

    Returns:
        how far the score of a resample is from the score, shape (draws, models)
    """
    cells: dict[str, dict[str, dict[str, list[int]]]] = {}
    keys = zip(verdicts.families, verdicts.tests, verdicts.datasets, strict=True)
    for number, (family, test, dataset) in enumerate(keys):
        cells.setdefault(family, {}).setdefault(test, {}).setdefault(dataset, []).append(number)
    by_dataset = {name: _weights(seed, "dataset", name, draws) for name in set(verdicts.datasets)}
    errors = np.zeros((draws, verdicts.passed.shape[1]))
    for _, tests in sorted(cells.items()):
        shares, moved = [], []
        for _, parts in sorted(tests.items()):
            names = sorted(parts)
            passed = np.stack([verdicts.passed[parts[name]].sum(axis=0) for name in names])
            executed = np.array([len(parts[name]) for name in names])
            weights = np.stack([by_dataset[name] for name in names], axis=1)
            shares.append(passed.sum(axis=0) / executed.sum())
            moved.append((weights @ passed) / (weights @ executed)[:, None] - shares[-1])
        errors += _unbiased(len(by_dataset)) * np.mean(moved, axis=0)
        weights = np.stack([_weights(seed, "test", name, draws) for name in sorted(tests)], axis=1)
        mean = weights @ np.stack(shares) / weights.sum(axis=1, keepdims=True)
        errors += _unbiased(len(tests)) * (mean - np.mean(shares, axis=0))
    freedom = min(sum(map(len, cells.values())) - len(cells), len(by_dataset) - 1)
    return errors / len(cells) * _stretch(freedom)


def _weights(seed: int, kind: str, name: str, draws: int) -> np.ndarray:
    return rng.generator(seed, "ranks", kind, name).standard_exponential(draws)


def _stretch(freedom: int) -> float:
    """Factor by which intervals must be wider as the spread itself is only estimated."""
    return float(student(np.array([freedom]))[0]) / Z


def _unbiased(number: int) -> float:
    """Factor by which the spread of a weighted mean of few values is too small."""
    return math.sqrt((number + 1) / (number - 1)) if number > 1 else 1.0


def rank_intervals(scores: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Rank interval of each model.

    From the number of models that are better for certain, plus one, to the number of models
    without those that are worse for certain (Mogstad et al. 2024). Certain is a difference
    whose interval leaves out zero, where all differences of a model from the others hold
    together with a probability of 95 %: the largest standardised error of each resample makes
    the critical value, step by step for the differences that are left (Romano and Wolf 2005).

    An interval is widened where that of a model with a worse score reaches further up, or that
    of a model with a better score further down.

    Args:
        scores: shape (M,)
        errors: how far the score of each resample is from the score, shape (B, M)

    Returns:
        first and last rank, shape (M, 2)
    """
    number = len(scores)
    found = np.empty((number, 2), dtype=np.int64)
    for model in range(number):
        apart = told_apart(scores, errors, model)
        better, worse = scores > scores[model], scores < scores[model]
        found[model] = 1 + (apart & better).sum(), number - (apart & worse).sum()
    for model in range(number):
        found[model, 0] = found[scores <= scores[model], 0].min()
        found[model, 1] = found[scores >= scores[model], 1].max()
    return found


def told_apart(scores: np.ndarray, errors: np.ndarray, model: int) -> np.ndarray:
    """Which models differ from one of them for certain, shape (M,)."""
    difference = scores - scores[model]
    errors = errors - errors[:, [model]]
    spread = errors.std(axis=0, ddof=1)
    fixed = spread < ROUNDING
    spread[fixed] = 1.0
    # a difference that no resample changes is certain unless it is zero
    apart: np.ndarray = fixed & (np.abs(difference) > ROUNDING)
    size, errors = np.abs(difference) / spread, np.abs(errors) / spread
    left = ~fixed
    while left.any():
        critical = np.quantile(errors[:, left].max(axis=1), LEVEL)
        certain = left & (size > critical)
        if not certain.any():
            break
        apart |= certain
        left &= ~certain
    return apart


def tiers(first: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Tier of each model, 1 for the best.

    The best model without a tier begins one; every model whose rank interval reaches up to its
    rank shares it.

    Args:
        first: first rank of the interval of each model, shape (M,)
        scores: shape (M,)

    >>> tiers(np.array([1, 1, 3]), np.array([0.9, 0.8, 0.7])).tolist()
    [1, 1, 2]
    """
    found = np.zeros(len(scores), dtype=np.int64)
    tier = 0
    while (found == 0).any():
        tier += 1
        best = scores[found == 0].max()
        rank = 1 + (scores > best).sum()
        found[(found == 0) & ((first <= rank) | (scores == best))] = tier
    return found
