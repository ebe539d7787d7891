r"""How often equal models are told apart, and how often different ones: rankings of made-up worlds.

A world has the tests, datasets and numbers of cells of a given ranking. How well a test or a
dataset suits a model is drawn at random, so that models of the same quality have different
scores, as they would have with another suite. A cell passes if

.. math:: q_m + a_{m, \text{test}} + b_{m, \text{dataset}} + c_{m, \text{pair}} + h_\text{cell}
          + e_{m, \text{cell}} > 0

with independent normal terms: quality of the model, how the test, the dataset and the pair of
both suit it, how easy the cell is, and noise with a standard deviation of 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .leave_one_out import DRAWS, RankingLayout, p_values, told_apart

#: name -> standard deviations of a (tests), b (datasets) and c (pairs)
SCENARIOS = {
    "tests and datasets alike": (0.3, 0.3, 0.2),
    "tests, mostly": (0.6, 0.1, 0.2),
    "datasets, mostly": (0.1, 0.6, 0.2),
    "pairs of test and dataset": (0.0, 0.0, 0.6),
    "single cells only": (0.0, 0.0, 0.0),
}
#: standard deviations of how easy tests and cells are
EASY = (1.0, 0.7)


class Found(NamedTuple):
    """What a simulation found.

    Args:
        wrong: share of worlds in which any two models of equal quality are told apart
        told: share of the pairs of models of different quality that are told apart
        worlds: number of worlds
    """

    wrong: float
    told: float
    worlds: int


def simulate(
    layout: RankingLayout,
    generator: np.random.Generator,
    *,
    effects: tuple[float, float, float],
    quality: np.ndarray,
    spread: np.ndarray,
    worlds: int,
    draws: int = DRAWS,
) -> Found:
    """Rank models in made-up worlds.

    Args:
        layout: tests and datasets
        generator: of the worlds
        effects: see :data:`SCENARIOS`
        quality: quality of each model in standard deviations of the noise, shape (M,)
        spread: factor of a, b and c of each model, shape (M,)
        worlds: number of worlds
        draws: number of resamples
    """
    first, second = np.triu_indices(len(quality), 1)
    equal = quality[first] == quality[second]
    wrong = hits = 0
    for _ in range(worlds):
        passed = world(layout, generator, effects=effects, quality=quality, spread=spread)
        apart = told_apart(p_values(layout, passed, seed=0, draws=draws))
        wrong += bool(apart[first, second][equal].any())
        hits += int(apart[first, second][~equal].sum())
    pairs = int((~equal).sum()) * worlds
    return Found(wrong / worlds, hits / pairs if pairs else float("nan"), worlds)


def world(
    layout: RankingLayout,
    generator: np.random.Generator,
    *,
    effects: tuple[float, float, float],
    quality: np.ndarray,
    spread: np.ndarray,
) -> np.ndarray:
    """Passed cells of one world, shape (pairs, models)."""
    models, pairs, counts = len(quality), layout.pairs, layout.sizes
    _, test = np.unique([pair[1] for pair in pairs], return_inverse=True)
    _, dataset = np.unique([pair[2] for pair in pairs], return_inverse=True)
    suits = generator.normal(0, effects[0], (test.max() + 1, models))[test]
    suits += generator.normal(0, effects[1], (dataset.max() + 1, models))[dataset]
    suits += generator.normal(0, effects[2], (len(pairs), models))
    suits = suits * spread + quality
    suits += generator.normal(0, EASY[0], (test.max() + 1, 1))[test]
    pair = np.repeat(np.arange(len(pairs)), counts)
    cells = suits[pair] + generator.normal(0, EASY[1], (len(pair), 1))
    cells += generator.normal(size=cells.shape)
    passed: np.ndarray = np.add.reduceat(cells > 0, np.cumsum(counts) - counts, dtype=np.float64)
    return passed
