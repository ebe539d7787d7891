"""Sums of each speaker behind the scores of a cell, to be kept beside its rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..designs import Score
from ..designs.certainty import CLUSTER
from ..results.sums import ABOUT, StateSums, table_of
from ..spec.view import View
from ..uncertainty import Bootstrap, Recipe
from ..uncertainty.base import Bound, BoundSums, Difference

if TYPE_CHECKING:
    import pandas as pd

#: state of what a score is compared with, if it has no name
ALL = "all"


def kept_sums(scores: Sequence[Score], view: View, bootstrap: Bootstrap) -> pd.DataFrame:
    """Sums of each speaker in every state that scores were made of, each once.

    Args:
        scores: of a cell
        view: samples of the cell
        bootstrap: of these samples; what it made for the intervals is used again
    """
    speakers, codes = _speakers(view.samples)
    place = {name: code for code, name in enumerate(speakers[CLUSTER])}
    sums: list[StateSums] = []
    seen: set[tuple[str, str, int]] = set()
    for score in scores:
        recipe = score.recipe
        if recipe is None or math.isnan(score.value):
            continue
        unit_codes = codes if recipe.units is None else _of_units(recipe, place)
        for state, bound in _parts(bootstrap.bound(recipe), score):
            key = (state, bound.term.metric if bound.term else "", id(bound))
            if key not in seen and bound.term is not None:
                seen.add(key)
                sums.append(_kept(state, bound, unit_codes, len(speakers)))
    return table_of(sums, speakers)


def _parts(bound: Bound, score: Score) -> Iterator[tuple[str, BoundSums]]:
    """States and what they are made of; nothing of a metric that is no function of sums."""
    assert score.recipe is not None
    # a label that the metric knows nothing of names a part of the samples
    name = score.label if score.label and score.recipe.label == "" else score.condition
    if isinstance(bound, Difference):
        for state, part in zip((name, score.reference or ALL), bound.parts, strict=True):
            if isinstance(part, BoundSums):
                yield state, part
    elif isinstance(bound, BoundSums):
        yield name, bound


def _kept(state: str, bound: BoundSums, codes: np.ndarray, size: int) -> StateSums:
    assert bound.term is not None
    rows = bound.term.rows
    sums = [part.within(codes[rows[part.of]], size) for part in bound.terms]
    used = np.unique(np.concatenate([rows[part.of] for part in bound.terms]))
    samples = np.bincount(codes[used], minlength=size)
    together = np.concatenate(sums, axis=1)
    return StateSums(bound.term.metric, state, together, samples, bound.keys, dict(bound.given))


def _speakers(samples: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """What is known of each speaker, and the speaker of each sample; the last one is none."""
    import pandas as pd

    if CLUSTER not in samples:
        return pd.DataFrame({CLUSTER: [None]}), np.zeros(len(samples), dtype=np.int64)
    codes, names = pd.factorize(samples[CLUSTER], sort=True)
    texts = samples.select_dtypes(exclude=["number", "datetime", "timedelta", "bool"])
    grouped = texts.groupby(samples[CLUSTER], sort=True, observed=True)
    table = pd.DataFrame({CLUSTER: [*names, None]})
    for name in texts.columns.drop(CLUSTER, errors="ignore"):
        column = grouped[name]
        if name != "file" and (column.nunique() <= 1).all():  # the same in all samples
            table[f"{ABOUT}{name}"] = [*column.first().to_list(), None]
    return table, np.where(codes < 0, len(names), codes)


def _of_units(recipe: Recipe, place: dict[object, int]) -> np.ndarray:
    assert recipe.units is not None
    return np.array([place.get(name, len(place) - 1) for name in recipe.units], dtype=np.int64)
