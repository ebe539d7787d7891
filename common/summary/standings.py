"""Which model is better, as far as verdicts can tell: scores on common cells, tiers, intervals.

The share of passed cells (:mod:`~common.summary.ranks`) is the paper's number. Three things
keep it from being a rank: models are judged on different cells, a family with many cells
outweighs the others, and what chance passes counts as merit. Here only cells count that all
compared models have a verdict for; tests weigh the same within a family, and families weigh the
same; and the share that a chance model passes is taken off. How far a place can be trusted says
:mod:`~common.summary.resampling`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from common.rng import DEFAULT_SEED
from common.summary.ranks import CHANCE, ranking
from common.summary.resampling import (
    DRAWS,
    LEAST_PAIRS,
    Verdicts,
    rank_intervals,
    resampled,
    tiers,
)
from common.summary.tally import Tally, family_of, mean_over_tests, total

#: what names a cell
CELL = ["test", "dataset", "metric", "data", "condition", "label"]
MODEL = ["model", "model_version"]
PASS, FAIL = "pass", "fail"

NO_VERDICT = "no model has a verdict"
ONE_MODEL = "one model only: there is nothing to compare it with"
NO_COMMON = "no common tests: there is no cell that all of these models have a verdict for"
FEW_PAIRS = (
    f"cannot tell: with fewer than {LEAST_PAIRS} pairs of test and dataset in common, no "
    "difference is sure"
)


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
        score: mean over families of the mean over tests of the share of passed common cells
        beyond: score beyond chance, see :func:`beyond_chance`
        common: verdicts on the common cells
        families: family -> mean over its tests
        remark: why it is not compared
    """

    model: str
    version: str
    chance: bool
    place: int | None
    tier: int | None
    low: int | None
    high: int | None
    score: Fraction | None
    beyond: Fraction | None
    common: Tally
    families: dict[str, Fraction]
    remark: str


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


def beyond_chance(share: Fraction | None, floor: Fraction | None) -> Fraction | None:
    """What is passed beyond chance, of what can be: (share - floor) / (1 - floor).

    1: everything is passed. 0: as much as by chance. Below 0: less than by chance. With
    floor = 1 nothing can be won beyond chance, and there is no such number.

    For the score, share and floor are means over families. So a family of which chance passes
    everything can only lose a model points, never win it any.

    >>> beyond_chance(Fraction(3, 4), Fraction(1, 2)), beyond_chance(Fraction(1), Fraction(1))
    (Fraction(1, 2), None)
    """
    if share is None or floor is None or floor == 1:
        return None
    return (share - floor) / (1 - floor)


def standings(
    rows: pd.DataFrame,
    target: str,
    families: Mapping[str, str],
    *,
    chance: Collection[str] = (),
    seed: int = DEFAULT_SEED,
    draws: int = DRAWS,
) -> Standings:
    """Scores, tiers and rank intervals of the models of a target.

    Compared are the models that were judged on every (test, dataset) pair, without cells in
    error. If fewer than two were, all models with a verdict are. Of these models, the cells
    count that all of them have a verdict for.

    Args:
        rows: result rows of one scope (:func:`common.summary.ranks.add_scope`)
        target: the target
        families: test -> family
        chance: names of chance models
        seed: seed of the resamples
        draws: number of resamples
    """
    own = rows[rows["target"] == target]
    table = ranking(own, target, families, chance=chance)
    if table.empty:
        return Standings((), NO_VERDICT)
    remarks = {
        (row["model"], row["model_version"]): row["remark"]
        for row in table.to_dict(orient="records")
        if row["executed"] and not row["chance"]
    }
    compared = [key for key, remark in remarks.items() if not remark]
    if len(compared) < 2:
        compared = list(remarks)
    verdicts = verdict_table(own)
    common = verdicts[compared].dropna() if compared else verdicts.iloc[:0]
    reason = _reason(len(compared), common)
    facts = _facts(common) if compared else {}
    keys: list[tuple[str, str]] = list(zip(table["model"], table["model_version"], strict=True))
    tallies = {key: _tallies(verdicts, common, key) for key in keys}
    floor = _floor([tallies[key] for key in tallies if key[0] in chance], common, families)
    placed = _placed(common, families, reason, seed, draws) if len(compared) > 1 else {}
    lines = []
    for key, row in zip(keys, table.to_dict(orient="records"), strict=True):
        by_family = _families(tallies[key], families)
        use = key in compared or (row["chance"] and len(common) > 0)
        score = _mean(by_family.values()) if use else None
        place, tier, low, high = placed.get(key, (None, None, None, None))
        lines.append(
            Standing(
                *key,
                chance=bool(row["chance"]),
                place=place,
                tier=tier,
                low=low,
                high=high,
                score=score,
                beyond=beyond_chance(score, _mean(floor.values())),
                common=total(tallies[key].values()),
                families=by_family if use else {},
                remark="" if key in compared else row["remark"] or CHANCE,
            )
        )
    return Standings(
        tuple(sorted(lines, key=_order)),
        reason,
        floor=floor,
        floor_score=_mean(floor.values()),
        **facts,
    )


def _order(line: Standing) -> tuple[bool, bool, Fraction, str, str]:
    outside = line.score is None
    return outside, line.chance, -(line.score or Fraction()), line.model, line.version


def verdict_table(rows: pd.DataFrame) -> pd.DataFrame:
    """1 for pass, 0 for fail, NaN for no verdict; index: cells, columns: models."""
    judged = rows[rows["status"].isin((PASS, FAIL))]
    values = (judged["status"] == PASS).astype("float64")
    return values.groupby([judged[name] for name in [*CELL, *MODEL]]).first().unstack(MODEL)


def _reason(models: int, common: pd.DataFrame) -> str:
    if models < 2:
        return ONE_MODEL if models else NO_VERDICT
    if common.empty:
        return NO_COMMON
    return FEW_PAIRS if _pairs(common) < LEAST_PAIRS else ""


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


def _tallies(
    verdicts: pd.DataFrame, common: pd.DataFrame, key: tuple[str, str]
) -> dict[str, Tally]:
    """Verdicts of a model on the common cells, by test."""
    if key not in verdicts:
        return {}
    own = verdicts.loc[common.index, [key]].iloc[:, 0].dropna()
    counts = own.groupby(level="test").agg(["sum", "size"])
    return {
        str(test): Tally(int(passed), int(size - passed), 0, 0)
        for test, passed, size in counts.itertuples(name=None)
    }


def _families(tallies: Mapping[str, Tally], families: Mapping[str, str]) -> dict[str, Fraction]:
    """Mean over the tests of each family."""
    parts: dict[str, list[Tally]] = {}
    for test, tally in sorted(tallies.items()):
        parts.setdefault(family_of(test, families), []).append(tally)
    means = {family: mean_over_tests(found) for family, found in sorted(parts.items())}
    return {family: mean for family, mean in means.items() if mean is not None}


def _mean(values: Iterable[Fraction]) -> Fraction | None:
    found = list(values)
    return sum(found, Fraction()) / len(found) if found else None


def _floor(
    chance: list[dict[str, Tally]], common: pd.DataFrame, families: Mapping[str, str]
) -> dict[str, Fraction]:
    """Family -> share that the best chance model with a verdict in every test passes."""
    wanted = set(common.index.get_level_values("test"))
    complete = [_families(own, families) for own in chance if set(own) == wanted and own]
    return max(complete, key=lambda floor: _mean(floor.values()) or Fraction(), default={})


def _placed(
    common: pd.DataFrame, families: Mapping[str, str], reason: str, seed: int, draws: int
) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    """Place, tier and rank interval of each compared model."""
    if common.empty:
        return {}
    index = common.index
    tests = [str(test) for test in index.get_level_values("test")]
    verdicts = Verdicts(
        common.to_numpy(),
        tests,
        [str(name) for name in index.get_level_values("dataset")],
        [family_of(test, families) for test in tests],
    )
    named = common.columns.to_frame(index=False)
    models = [(str(key[0]), str(key[1])) for key in named.itertuples(index=False, name=None)]
    exact = [
        _mean(_families(_tallies(common, common, key), families).values()) or Fraction()
        for key in models
    ]
    scores = np.array([float(score) for score in exact])
    if reason:
        ranks = np.tile([1, len(scores)], (len(scores), 1))
    else:
        ranks = rank_intervals(scores, resampled(verdicts, seed=seed, draws=draws))
    levels = tiers(ranks[:, 0], scores)
    return {
        key: (1 + sum(other > score for other in exact), int(tier), int(low), int(high))
        for key, score, tier, (low, high) in zip(models, exact, levels, ranks, strict=True)
    }
