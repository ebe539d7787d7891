"""Which model is better, as far as verdicts can tell: scores on fixed cells, tiers, intervals.

The share of passed cells (:mod:`~common.reports.summary.ranks`) is the paper's number. Three things
keep it from being a rank: models are judged on different cells, a family with many cells
outweighs the others, and what chance passes counts as merit. Here the cells count that data and
suite fix (:mod:`~common.reports.summary.outcomes`); tests weigh the same within a family, and families
weigh the same; and the share that a chance model passes is taken off. How far a place can be
trusted says :mod:`~common.reports.summary.leave_one_out`.

The score of this module is *the* score of a model, wherever one is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...core.rng import DEFAULT_SEED
from ...results.tally import family_of
from .leave_one_out import (
    DRAWS,
    LEAST_PAIRS,
    RankingLayout,
    p_values,
    rank_intervals,
    tiers,
    told_apart,
)
from .model_score import (
    Outcome,
    beyond_chance,
    family_means,
    mean_of,
    tallies_of,
)
from .outcomes import CELL, Key, Outcomes, common_cells, outcomes
from .ranks import CHANCE

NO_VERDICT = "no model has a verdict"
ONE_MODEL = "one model only: there is nothing to compare it with"
ONE_DATASET = "cannot tell: all cells are on one dataset, and another one may give another order"
NO_COMMON = "no common tests: there is no cell that all of these models were run on"
FEW_PAIRS = (
    f"cannot tell: with fewer than {LEAST_PAIRS} pairs of test and dataset in common, no "
    "difference is sure"
)


class PairDifference(NamedTuple):
    """Whether the scores of two models differ for more than this choice of tests and datasets.

    Args:
        apart: whether the models are told apart, as tiers have it
        p: p value, adjusted for all pairs of compared models
    """

    apart: bool
    p: float


class PairDifferences(Mapping[tuple[Key, Key], PairDifference]):
    """Differences of all ordered pairs of models, each made when it is asked for: a hundred models have ten thousand.

    Args:
        models: the models
        apart: as in :class:`PairDifference`, boolean, shape (models, models)
        p: the same, float, shape (models, models)
    """

    def __init__(self, models: Sequence[Key], apart: Any, p: Any):
        self.models, self.apart, self.p = tuple(models), np.asarray(apart, bool), np.asarray(p)
        self._places = {model: place for place, model in enumerate(self.models)}

    def __getitem__(self, pair: tuple[Key, Key]) -> PairDifference:
        row, column = (self._places[model] for model in pair)
        if row == column:
            raise KeyError(pair)
        return PairDifference(bool(self.apart[row, column]), float(self.p[row, column]))

    def __iter__(self) -> Iterator[tuple[Key, Key]]:
        return permutations(self.models, 2)

    def __len__(self) -> int:
        return len(self.models) * (len(self.models) - 1)


class Standing(NamedTuple):
    """Where a model stands.

    Args:
        model: name of the model
        version: its version
        chance: whether it is a chance model
        place: place by score, equal for equal scores; None without a comparison
        tier: tier, 1 for the best; None without a comparison
        low: first rank of the rank interval
        high: last rank of it
        score: mean over families of the mean over tests of the share of passed cells
        beyond: score beyond chance, see :func:`beyond_chance`
        common: what it made of the common cells
        families: family -> mean over its tests
        tests: test -> what it made of the common cells
        remark: why it is not compared
    """

    model: str
    version: str
    chance: bool
    place: int | None = None
    tier: int | None = None
    low: int | None = None
    high: int | None = None
    score: Fraction | None = None
    beyond: Fraction | None = None
    common: Outcome = Outcome(0, 0)
    families: Mapping[str, Fraction] = MappingProxyType({})
    tests: Mapping[str, Outcome] = MappingProxyType({})
    remark: str = ""

    @property
    def key(self) -> Key:
        """Name and version."""
        return self.model, self.version


class Agreement(NamedTuple):
    """Common cells of a test, and on how many of them the compared models differ."""

    cells: int
    telling: int


@dataclass(frozen=True)
class Standings:
    """All models of a target that may be compared.

    Args:
        lines: best first, then chance models, then those that are not compared
        reason: why there are no tiers, or why there is only one; empty: there are
        cells: number of common cells
        pairs: number of (test, dataset) pairs among them
        datasets: number of datasets
        passed: cells that all compared models pass
        failed: cells that all of them fail
        tests: what the cells of each test tell
        floor: family -> share that the best chance model passes; empty: no chance model
        floor_score: its score
        differences: two models -> whether they are told apart; empty where nothing can be told
    """

    lines: tuple[Standing, ...]
    reason: str = ""
    cells: int = 0
    pairs: int = 0
    datasets: int = 0
    passed: int = 0
    failed: int = 0
    tests: Mapping[str, Agreement] = field(default_factory=dict)
    floor: Mapping[str, Fraction] = field(default_factory=dict)
    floor_score: Fraction | None = None
    differences: Mapping[tuple[Key, Key], PairDifference] = field(default_factory=dict)

    @property
    def telling(self) -> int:
        """Common cells on which the compared models differ."""
        return self.cells - self.passed - self.failed

    @property
    def compared(self) -> tuple[Standing, ...]:
        """Models with a tier, best first."""
        return tuple(line for line in self.lines if line.tier is not None)

    def tier(self, number: int) -> tuple[Standing, ...]:
        """Models of a tier, best first."""
        return tuple(line for line in self.lines if line.tier == number)


def standings(
    rows: pd.DataFrame,
    target: str,
    families: Mapping[str, str],
    *,
    chance: Collection[str] = (),
    outcome_table: Outcomes | None = None,
    seed: int = DEFAULT_SEED,
    draws: int = DRAWS,
) -> Standings:
    """Scores, tiers and rank intervals of the models of a target.

    Args:
        rows: result rows of one scope (:func:`common.reports.summary.ranks.add_scope`)
        target: the target
        families: test -> family
        chance: names of chance models
        outcome_table: what models made of the cells of these rows, if it is known
        seed: seed of the draws
        draws: number of draws
    """
    target_rows = rows[rows["target"] == target]
    if target_rows.empty:
        return Standings((), NO_VERDICT)
    outcome_table = outcome_table or outcomes(target_rows)
    keys = outcome_table.models
    compared, cells = common_cells(outcome_table, [key for key in keys if key[0] not in chance])
    common = outcome_table.on(cells)
    reason = _reason(len(compared), common.passed)
    parts = tallies_of(common)
    floor = _floor([parts[key] for key in keys if key[0] in chance], common.passed, families)
    verdicts = common.passed[compared]
    placed, differences = (
        _placed(verdicts, families, reason, seed, draws)
        if len(compared) > 1 and len(verdicts)
        else ({}, {})
    )
    lines = [
        _line(Standing(*key, key[0] in chance), parts[key], placed.get(key), families, floor)
        if parts[key] and (key in compared or key[0] in chance)
        else Standing(*key, key[0] in chance, remark=_remark(outcome_table, cells, key, chance))
        for key in keys
    ]
    return Standings(
        tuple(sorted(lines, key=_order)),
        reason,
        floor=floor,
        floor_score=mean_of(floor.values()),
        differences=differences,
        **(_facts(verdicts) if compared else {}),
    )


def _line(
    line: Standing,
    parts: Mapping[str, Outcome],
    placed: tuple[int, int, int, int] | None,
    families: Mapping[str, str],
    floor: Mapping[str, Fraction],
) -> Standing:
    """Where a model stands that has a score."""
    by_family = family_means(parts, families)
    score = mean_of(by_family.values())
    place, tier, low, high = placed or (None, None, None, None)
    return line._replace(
        place=place,
        tier=tier,
        low=low,
        high=high,
        score=score,
        beyond=beyond_chance(score, mean_of(floor.values())),
        common=Outcome(*(sum(column) for column in zip(*parts.values(), strict=True))),
        families=by_family,
        tests=parts,
        remark=CHANCE if line.chance else "",
    )


def _remark(outcome_table: Outcomes, cells: pd.Index, key: Key, chance: Collection[str]) -> str:
    """Why a model is not compared."""
    ran = outcome_table.passed[key].notna()
    if not ran.any():
        return "no cell was executed"
    ran = ran.loc[cells]
    if ran.all():
        return CHANCE if key[0] in chance else ""
    whole = ran.groupby(level=CELL[:2]).any()
    if whole.all():
        return f"was not run on {int((~ran).sum())} of {len(ran)} cells"
    return f"has {int(whole.sum())} of {len(whole)} (test, dataset) pairs"


def _order(line: Standing) -> tuple[bool, bool, Fraction, str, str]:
    outside = line.score is None
    return outside, line.chance, -(line.score or Fraction()), line.model, line.version


def _reason(models: int, common: pd.DataFrame) -> str:
    if models < 2:
        return ONE_MODEL if models else NO_VERDICT
    if common.empty:
        return NO_COMMON
    if _pairs(common) < LEAST_PAIRS:
        return FEW_PAIRS
    return "" if common.index.get_level_values("dataset").nunique() > 1 else ONE_DATASET


def _pairs(common: pd.DataFrame) -> int:
    """Number of (test, dataset) pairs."""
    return len(common.index.to_frame(index=False)[CELL[:2]].drop_duplicates())


def _facts(common: pd.DataFrame) -> dict[str, Any]:
    passed, failed = common.min(axis=1) == 1, common.max(axis=1) == 0
    telling = ~(passed | failed)
    tests = common.index.get_level_values("test")
    counts = telling.groupby(tests).agg(["size", "sum"])
    return {
        "cells": len(common),
        "pairs": _pairs(common),
        "datasets": common.index.get_level_values("dataset").nunique(),
        "passed": int(passed.sum()),
        "failed": int(failed.sum()),
        "tests": {
            str(test): Agreement(int(size), int(some))
            for test, size, some in counts.itertuples(name=None)
        },
    }


def _floor(
    chance: list[dict[str, Outcome]], common: pd.DataFrame, families: Mapping[str, str]
) -> dict[str, Fraction]:
    """Family -> share that the best chance model with a verdict in every test passes."""
    tests = set(common.index.get_level_values("test"))
    complete = [family_means(tally, families) for tally in chance if set(tally) == tests and tally]
    return max(complete, key=lambda floor: mean_of(floor.values()) or Fraction(), default={})


def _placed(
    common: pd.DataFrame, families: Mapping[str, str], reason: str, seed: int, draws: int
) -> tuple[dict[Key, tuple[int, int, int, int]], Mapping[tuple[Key, Key], PairDifference]]:
    """Place, tier and rank interval of each compared model, and which of them differ."""
    index = common.index
    tests = [str(test) for test in index.get_level_values("test")]
    datasets = [str(name) for name in index.get_level_values("dataset")]
    keys = [
        (family_of(test, families), test, name) for test, name in zip(tests, datasets, strict=True)
    ]
    pairs, place = np.unique(np.array(keys, dtype=object).astype(str), axis=0, return_inverse=True)
    layout = RankingLayout([tuple(pair) for pair in pairs.tolist()], np.bincount(place.ravel()))
    passed = np.zeros((len(pairs), common.shape[1]))
    np.add.at(passed, place.ravel(), common.to_numpy())
    p = p_values(layout, passed, seed=seed, draws=draws)
    apart = told_apart(p)
    whole = Outcomes(common, common.notna())
    models, parts = whole.models, tallies_of(whole)
    exact = [mean_of(family_means(parts[key], families).values()) or Fraction() for key in models]
    scores, best = np.array([float(score) for score in exact]), sorted(exact, reverse=True)
    ranks = rank_intervals(np.zeros_like(apart) if reason else apart, scores)
    levels = tiers(ranks[:, 0], scores)
    placed = {
        key: (1 + best.index(score), int(tier), int(low), int(high))
        for key, score, tier, (low, high) in zip(models, exact, levels, ranks, strict=True)
    }
    if reason:
        return placed, {}
    return placed, PairDifferences(models, apart, p)
