"""How often a ranking errs, simulated on the tests and datasets of the published results.

``python build.py bench ranking`` prints the figures of ``docs/method/ranking.rst``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ...core.rng import DEFAULT_SEED, generator
from ...reports.summary.leave_one_out import DRAWS, RankingLayout
from ...reports.summary.outcomes import common_cells, outcomes
from ...reports.summary.rank_simulation import SCENARIOS, Found, simulate
from ...results import published
from ...results.tally import family_of

#: number of worlds; a share of 5 % is known to 1.4 percent points then
WORLDS = 1000
#: numbers of models of equal quality
MODELS = (2, 5, 11)
#: quality of eleven models that differ, in standard deviations of the noise of a cell
RISING = np.linspace(0.0, -1.0, 11)
#: quality of two models of which one is clearly better
APART = np.array([0.0, -0.7])
#: effects of a third of the models are so many times as large, where they are uneven
UNEVEN = 2.0


class Case(NamedTuple):
    """Figures of a shape and a scenario.

    Args:
        shape: target whose tests and datasets are used
        scenario: see :data:`~common.reports.summary.rank_simulation.SCENARIOS`
        equal: number of models -> share of worlds in which any two equal ones are told apart
        uneven: the same for eleven models of which some react more to tests and datasets
        rising: share of all pairs of eleven different models that are told apart
        two: share of worlds in which one of two models is found to be better
    """

    shape: str
    scenario: str
    equal: dict[int, float]
    uneven: float
    rising: float
    two: float


def shapes() -> Iterator[tuple[str, RankingLayout]]:
    """Tests and datasets of the published rankings with the fewest and the most pairs."""
    rows, chance = published.load(), published.chance()
    layouts: dict[int, tuple[str, RankingLayout]] = {}
    for target, group in rows.groupby("target"):
        outcome_table = outcomes(group)
        _, cells = common_cells(
            outcome_table, [key for key in outcome_table.models if key[0] not in chance]
        )
        sizes = Counter((family_of(cell[0], {}), cell[0], cell[1]) for cell in cells)
        pairs = sorted(sizes)
        layout = RankingLayout(pairs, np.array([sizes[pair] for pair in pairs]))
        layouts.setdefault(len(pairs), (str(target), layout))
    yield from (layouts[size] for size in (min(layouts), max(layouts)))


def cases(*, worlds: int = WORLDS, draws: int = DRAWS) -> Iterator[Case]:
    """All shapes and scenarios.

    Args:
        worlds: number of worlds
        draws: number of draws for each critical value
    """
    for shape, layout in shapes():
        for scenario, effects in SCENARIOS.items():
            seeds = ("ranking", shape, scenario)
            ranked = partial(_ranked, layout, effects, seeds, draws)
            uneven = np.ones(11)
            uneven[: 11 // 3] = UNEVEN
            yield Case(
                shape,
                scenario,
                {n: ranked(np.zeros(n), np.ones(n), worlds).wrong for n in MODELS},
                ranked(np.zeros(11), uneven, worlds).wrong,
                ranked(RISING, np.ones(11), max(1, worlds // 4)).told,
                ranked(APART, np.ones(2), worlds).told,
            )


def _ranked(
    layout: RankingLayout,
    effects: tuple[float, float, float],
    seeds: tuple[str, ...],
    draws: int,
    quality: np.ndarray,
    spread: np.ndarray,
    worlds: int,
) -> Found:
    return simulate(
        layout,
        generator(DEFAULT_SEED, *seeds, len(quality)),
        effects=effects,
        quality=quality,
        spread=spread,
        worlds=worlds,
        draws=draws,
    )


def bench_ranking(*, worlds: int = WORLDS) -> dict[str, str]:
    """Figures in percent, one line per shape and scenario."""
    return {
        f"{case.shape}, {case.scenario}": "equal models "
        + ", ".join(f"{n}: {100 * share:.1f} %" for n, share in case.equal.items())
        + f"; 11 uneven: {100 * case.uneven:.1f} %; found of pairs of 11 different: "
        f"{100 * case.rising:.1f} %; of two: {100 * case.two:.1f} %"
        for case in cases(worlds=worlds)
    }
