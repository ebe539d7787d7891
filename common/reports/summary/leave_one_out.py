"""Which models of a ranking differ, as far as its tests and datasets can tell.

Verdicts are crossed by two things that were chosen and could have been chosen otherwise: the
tests of a family, and the datasets. How far a difference of two scores would move with others is
estimated by leaving out each test, and each dataset, once. The variances of both are added, and
that of leaving out single pairs of test and dataset, which both contain, is taken off (Cameron
et al. 2011). As few tests and datasets say little about a spread, half of the variance of two
models is that of all models, and critical values are those of Student's distribution with as
many degrees of freedom as there are tests and datasets of equal weight.

All pairs of models are judged at once: the probability that any two equal models are told apart
is held at 5 % for the whole page. What that comes to is simulated by
:mod:`common.reports.summary.rank_simulation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...core import rng

#: number of draws for the p values
DRAWS = 2000
#: so many draws are looked at together: thousands of pairs of models still fit into a processor's cache
AT_ONCE = 25
#: probability with which no two equal models of a page are told apart
LEVEL = 0.95
#: part of the variance of two models that is their own; the rest is that of all pairs
OWN = 0.5
#: differences below this are rounding
ROUNDING = 1e-9
#: with fewer pairs of test and dataset, not even a model that is better in each of them would
#: be told apart by a sign test (2 * 0.5 ** 5 > 0.05)
LEAST_PAIRS = 6


class Moves(NamedTuple):
    """How a score moves without each test, dataset, or pair of both.

    Weights of the passed cells of each pair; the sum of squares of the moves of a difference is
    its jackknife variance.
    """

    tests: np.ndarray
    datasets: np.ndarray
    pairs: np.ndarray


@dataclass(frozen=True)
class RankingLayout:
    """Tests and datasets of a ranking.

    Args:
        pairs: (family, test, dataset), sorted, each once
        sizes: number of cells of each pair, shape (P,)
    """

    pairs: Sequence[tuple[str, str, str]]
    sizes: np.ndarray

    @cached_property
    def _codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number of the test and dataset of each pair, and of the family of each test."""
        tests, test = np.unique([f"{f}\0{t}" for f, t, _ in self.pairs], return_inverse=True)
        _, dataset = np.unique([pair[2] for pair in self.pairs], return_inverse=True)
        _, family = np.unique([name.split("\0")[0] for name in tests], return_inverse=True)
        return test, dataset, family

    def weights(self, keep: np.ndarray | None = None) -> np.ndarray:
        """Weight of a passed cell of each pair in the score.

        The score is the mean over families of the mean over tests of the share of passed cells.
        A test without a cell has no part in its family, a family without a test none in the
        score.

        Args:
            keep: which pairs are there, shape (U, P); None: all of them

        Returns:
            shape (U, P), or (P,) for all pairs
        """
        test, _, family = self._codes
        there = np.ones((1, len(test))) if keep is None else keep.astype(np.float64)
        in_test, in_family = np.eye(len(family))[test], np.eye(family.max() + 1)[family]
        cells = (there * self.sizes) @ in_test
        tests = (cells > 0) @ in_family
        families = (tests > 0).sum(axis=1, keepdims=True)
        share = there / np.maximum(cells, 1)[:, test] / np.maximum(tests, 1)[:, family[test]]
        weights: np.ndarray = share / np.maximum(families, 1)
        return weights[0] if keep is None else weights

    @cached_property
    def moves(self) -> Moves:
        """How the score moves without a test of several, a dataset of several, or a pair."""
        test, dataset, family = self._codes
        of_family = np.bincount(family)[family]
        number = dataset.max() + 1
        return Moves(
            self._without(np.eye(len(family))[:, test], (of_family - 1) / of_family),
            self._without(np.eye(number)[:, dataset], np.array([(number - 1) / number])),
            self._without(np.eye(len(test)), np.array([(len(test) - 1) / len(test)])),
        )

    def _without(self, units: np.ndarray, factor: np.ndarray) -> np.ndarray:
        moved: np.ndarray = np.sqrt(factor)[:, None] * (self.weights(units == 0) - self.weights())
        return moved

    @cached_property
    def freedom(self) -> tuple[float, float]:
        r"""Degrees of freedom of the tests, and of the datasets.

        .. math:: \frac{(\sum w^2)^2}{\sum w^4} - k

        with the part :math:`w` of each test, or dataset, in the score: their number if they weigh
        the same, less the number of means they are compared with. At least 1.
        """
        test, dataset, family = self._codes
        parts = self.weights() * self.sizes
        of_tests, of_datasets = np.bincount(test, parts), np.bincount(dataset, parts)
        lost = family.max() + 1
        return max(1.0, _equal(of_tests) - lost), max(1.0, _equal(of_datasets) - 1)


def _equal(parts: np.ndarray) -> float:
    """Number of equal parts with the same spread."""
    return float((parts**2).sum() ** 2 / (parts**4).sum())


def told_apart(p: np.ndarray) -> np.ndarray:
    """Which models differ for certain: the probability that any two of equal quality do is at most 5 %.

    Args:
        p: result of :func:`p_values`

    Returns:
        boolean, shape (M, M)
    """
    return p <= 1 - LEVEL


def p_values(
    layout: RankingLayout, passed: np.ndarray, *, seed: int, draws: int = DRAWS
) -> np.ndarray:
    """P value of the difference of each two models, adjusted for all pairs of the table.

    The share of draws in which the largest standardised difference, of all pairs of models whose
    difference is no larger, reaches the one found: step by step for the pairs that are left (Romano and
    Wolf 2005), with normal multipliers of the moves. It cannot be smaller than one draw in all.

    Args:
        layout: tests and datasets
        passed: number of passed cells of each pair of test and dataset, shape (P, M)
        seed: seed of the draws
        draws: number of draws

    Returns:
        shape (M, M); 1 on the diagonal
    """
    from scipy import special

    scores = layout.weights() @ passed
    first, second = np.triu_indices(len(scores), 1)
    table = np.ones((len(scores), len(scores)))
    if not len(first):
        return table
    by_test, by_dataset, by_pair = (lines @ passed for lines in layout.moves)
    squares = [
        ((lines[:, first] - lines[:, second]) ** 2).sum(axis=0)
        for lines in (by_test, by_dataset, by_pair)
    ]
    spread, size = np.sqrt(squares[0] + squares[1]), np.abs(scores[first] - scores[second])
    error, freedom = _errors(layout, squares, len(scores))
    # a difference that nothing moves is certain unless it is zero
    p = np.where(size > ROUNDING, 1 / draws, 1.0)
    left = np.flatnonzero(spread >= ROUNDING)
    # each difference on the scale of the draws, the smallest first
    height = -special.ndtri(special.stdtr(freedom[left], -size[left] / error[left]))
    order = np.argsort(height, kind="stable")
    left, height = left[order], height[order]
    moved = np.concatenate([by_test, by_dataset])
    drawn = rng.generator(seed, "ranks").normal(size=(draws, len(moved))) @ moved
    reached = _reached(drawn, first[left], second[left], spread[left], height)
    shares = np.maximum(reached / draws, 1 / draws)
    p[left] = np.maximum.accumulate(shares[::-1])[::-1]
    table[first, second] = table[second, first] = p
    return table


def _reached(
    drawn: np.ndarray, first: np.ndarray, second: np.ndarray, spread: np.ndarray, height: np.ndarray
) -> np.ndarray:
    """In how many draws the largest of the differences up to each reaches its height.

    Args:
        drawn: how the score of each model moves, shape (draws, M)
        first: first model of each difference, shape (D,)
        second: the second, shape (D,)
        spread: standard deviation of each difference, shape (D,)
        height: ascending, shape (D,)
    """
    times = np.zeros(len(height), dtype=np.int64)
    for start in range(0, len(drawn), AT_ONCE):
        part = np.ascontiguousarray(drawn[start : start + AT_ONCE].T)
        sizes = part[first]
        sizes -= part[second]
        np.abs(sizes, out=sizes)
        sizes /= spread[:, None]
        np.maximum.accumulate(sizes, axis=0, out=sizes)
        times += np.count_nonzero(sizes >= height[:, None], axis=1)
    return times


def _errors(
    layout: RankingLayout, squares: Sequence[np.ndarray], models: int
) -> tuple[np.ndarray, np.ndarray]:
    """Standard error of each difference and its degrees of freedom (Satterthwaite).

    Args:
        layout: tests and datasets
        squares: sums of the squared moves of each difference, of tests, datasets and pairs
        models: number of models
    """
    by_test, by_dataset, by_pair = (OWN * part + (1 - OWN) * part.mean() for part in squares)
    # one minus the mean of independent contrasts: what other models know about the spread
    more = 1 / (OWN**2 + (1 - OWN**2) / (models - 1))
    degrees = (more * value for value in layout.freedom)
    variance = np.maximum(by_test + by_dataset - by_pair, np.maximum(by_test, by_dataset))
    both = by_test + by_dataset
    parts = [
        np.square(part) / own_freedom
        for part, own_freedom in zip((by_test, by_dataset), degrees, strict=True)
    ]
    freedom = np.square(both) / np.maximum(sum(parts), np.finfo(float).tiny)
    return np.sqrt(variance), np.maximum(freedom, 1.0)


def rank_intervals(apart: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Rank interval of each model.

    From the number of models that are better for certain, plus one, to the number of models
    without those that are worse for certain (Mogstad et al. 2024). As all certain differences
    of a page hold together (:func:`told_apart`), so do all of its rank intervals.

    An interval is widened where that of a model with a worse score reaches further up, or that
    of a model with a better score further down.

    Args:
        apart: which models differ for certain, shape (M, M)
        scores: shape (M,)

    Returns:
        first and last rank, shape (M, 2)

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> rank_intervals(apart, np.array([0.9, 0.8, 0.7])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    better = scores[None, :] > scores[:, None]
    first = 1 + (apart & better).sum(axis=1)
    last = len(scores) - (apart & better.T).sum(axis=1)
    intervals = [(first[scores <= score].min(), last[scores >= score].max()) for score in scores]
    return np.array(intervals, dtype=np.int64).reshape(-1, 2)


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
    tier_numbers = np.zeros(len(scores), dtype=np.int64)
    tier = 0
    while (tier_numbers == 0).any():
        tier += 1
        best = scores[tier_numbers == 0].max()
        rank = 1 + (scores > best).sum()
        tier_numbers[(tier_numbers == 0) & ((first <= rank) | (scores == best))] = tier
    return tier_numbers
