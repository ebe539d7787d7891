"""From the scores of a cell to their intervals: which samples belong together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..spec.view import View
from ..uncertainty import PERMUTATIONS, Bootstrap, Interval, Permuted, permuted
from . import Score

if TYPE_CHECKING:
    import pandas as pd

#: column whose values have samples that resemble each other
CLUSTER = "speaker"


class Sure(NamedTuple):
    """How certain the scores of a cell are; a list for all of them each.

    Args:
        intervals: of each score; None for one without a value or without a recipe
        gaps: of its difference from the other group, of the same resamples. Only the first of
            the two groups has one: the other difference is its negative
    """

    intervals: list[Interval | None]
    gaps: list[Interval | None]


def sure(
    scores: Sequence[Score], view: View, resamples: Callable[[], Bootstrap] | None = None
) -> Sure:
    """Intervals of scores and of differences between two groups, of the same resamples.

    Args:
        scores: of a cell
        view: what they were computed from
        resamples: makes :func:`bootstrap_of` the view; None: it is made here
    """
    resamples = resamples or cache(lambda: bootstrap_of(view))
    return Sure(_intervals(scores, resamples), _intervals(_gaps(scores), resamples))


def intervals(scores: Sequence[Score], view: View) -> list[Interval | None]:
    """Interval of each score; None for one without a value or without a recipe.

    Args:
        scores: of a cell
        view: what they were computed from
    """
    return _intervals(scores, lambda: bootstrap_of(view))


def _gaps(scores: Sequence[Score]) -> list[Score]:
    """Differences from the other group as scores; nothing in the place of all others."""
    nothing = Score("", math.nan, 0)
    gaps: list[Score] = []
    seen: set[int] = set()
    for score in scores:
        gap = score.gap
        used = gap is not None and gap.recipe is not None and id(gap.recipe.minus) not in seen
        if gap is not None and gap.recipe is not None and used:
            seen.add(id(gap.recipe.term))
            score = replace(score, value=gap.value, recipe=gap.recipe)
        gaps.append(score if used else nothing)
    return gaps


def _intervals(
    scores: Sequence[Score], resamples: Callable[[], Bootstrap]
) -> list[Interval | None]:
    flags = [score.recipe is not None and not math.isnan(score.value) for score in scores]
    if not any(flags):
        return [None] * len(scores)
    bootstrap = resamples()
    return [
        _interval(bootstrap, score) if used else None
        for score, used in zip(scores, flags, strict=True)
    ]


def bootstrap_of(view: View) -> Bootstrap:
    """Resamples of the samples of a cell, speakers together."""
    low, high = view.target.range or (math.nan, math.nan)
    codes = cluster_codes(view.samples)
    return Bootstrap(codes, seed=view.seed, keys=(view.dataset,), span=high - low)


def permutations(
    scores: Sequence[Score], view: View, *, permutations: int = PERMUTATIONS
) -> list[Permuted | None]:
    """Outcome of the permutation test of each score of a group; None for all others.

    All scores of a metric, of whatever group, class, bin or context, are one family.

    Args:
        scores: of a cell
        view: what they were computed from
        permutations: number of permutations
    """
    families: dict[str, list[int]] = {}
    for number, score in enumerate(scores):
        if score.sizes and score.recipe is not None and not math.isnan(score.value):
            families.setdefault(score.metric, []).append(number)
    tests: list[Permuted | None] = [None] * len(scores)
    codes = cluster_codes(view.samples) if families else np.empty(0)
    for family in families.values():
        recipes = [(recipe, scores[n].label) for n in family if (recipe := scores[n].recipe)]
        outcomes = permuted(
            recipes, codes, seed=view.seed, keys=(view.dataset,), permutations=permutations
        )
        for number, outcome in zip(family, outcomes, strict=True):
            tests[number] = outcome
    return tests


def _interval(bootstrap: Bootstrap, score: Score) -> Interval:
    assert score.recipe is not None
    interval = bootstrap.interval(score.recipe, score.label)
    # sums may differ from the score in their last digit
    return interval._replace(
        low=min(interval.low, score.value), high=max(interval.high, score.value)
    )


def cluster_codes(samples: pd.DataFrame) -> np.ndarray:
    """Cluster of each sample: its speaker, or itself if there is none.

    Numbers do not depend on the order of the samples.

    Args:
        samples: N rows with ``file``, ``start``, ``end`` and perhaps a column of speakers

    Returns:
        0 to C - 1, shape (N,)
    """
    import pandas as pd

    speakers = samples[CLUSTER].to_numpy(dtype=object) if CLUSTER in samples else None
    mask = np.zeros(len(samples), dtype=bool) if speakers is None else pd.notna(speakers)
    codes = np.empty(len(samples), dtype=np.int64)
    count = 0
    if speakers is not None and mask.any():
        codes[mask], names = pd.factorize(speakers[mask], sort=True)
        count = len(names)
    files = pd.factorize(samples["file"].to_numpy(dtype=object)[~mask], sort=True)[0]
    times = (samples[name].to_numpy()[~mask] for name in ("end", "start"))
    order = np.lexsort((*times, files))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(count, count + len(order))
    codes[~mask] = place
    return codes
