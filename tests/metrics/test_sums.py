"""Functions of sums: what a class that never occurs does to resamples."""

from __future__ import annotations

import numpy as np
import pytest

from common.uncertainty import Bootstrap, Recipe, Term


@pytest.mark.parametrize("metric", ["uap", "uar"])
def test_a_class_that_never_occurs_counts_as_nothing_in_resamples_too(metric: str) -> None:
    """Unknown rates are drawn for what was seen; of nothing there is no rate."""
    rng = np.random.default_rng(0)
    every = np.array(["a", "b", "c"], dtype=object)[rng.integers(0, 3, 400)]
    one = np.full(400, "a", dtype=object)
    arrays = (every, one) if metric == "uap" else (one, every)
    recipe = Recipe(Term(metric, arrays, labels=("a", "b", "c")))
    bootstrap = Bootstrap(np.arange(400) % 20, seed=0)
    low, high = bootstrap.interval(recipe)[:2]
    value = bootstrap.bound(recipe).point()[0]
    assert value == pytest.approx(1 / 9, abs=0.02)
    assert low < value < high < value + 0.05
