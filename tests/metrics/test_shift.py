from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import LengthError
from common.metrics.bins import relative_difference_per_bin
from common.metrics.distribution import mean_difference, relative_difference_per_class
from common.metrics.shift import (
    bin_proportion_shift_difference,
    class_proportion_shift_difference,
    mean_shift_difference,
)


def words(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=object)


GROUP = words("y x x y x y")
CONTEXT = np.array([1, 0, 1, 0, 1, 0], dtype=bool)


def test_mean_by_hand() -> None:
    prediction = np.array([0.5, 0.0, 0.5, 0.25, 0.25, 0.0])
    # x: all 0.25, in context 0.375; y: all 0.25, in context 0.5
    values = mean_shift_difference(prediction, GROUP, CONTEXT)
    assert list(values) == ["x", "y"]
    assert values["x"] == (-0.0625, 0.125, 0.1875)
    assert values["y"] == (0.0625, 0.25, 0.1875)


def test_classes_by_hand() -> None:
    prediction = words("a b a b b b")
    # x: share of a 1/3 -> 1/2; y: 1/3 -> 1
    values = class_proportion_shift_difference(prediction, GROUP, CONTEXT, labels=("b", "a"))
    assert list(values["y"]) == ["a", "b"]
    assert values["x"]["a"] == pytest.approx((-1 / 4, 1 / 6, 5 / 12), abs=1e-12)
    assert values["y"]["a"] == pytest.approx((1 / 4, 2 / 3, 5 / 12), abs=1e-12)
    assert values["y"]["b"] == pytest.approx((-1 / 4, -2 / 3, -5 / 12), abs=1e-12)


def test_classes_outside_the_labels_are_taken_out() -> None:
    prediction = words("a b a z b b")
    values = class_proportion_shift_difference(prediction, GROUP, CONTEXT, labels=("a", "b"))
    assert values["y"]["a"].shift == pytest.approx(1 / 2, abs=1e-12)


def test_bins_below_the_count_have_no_value() -> None:
    prediction = np.array([0.1, 0.2, 0.6, 0.7, 0.7, 0.8])
    values = bin_proportion_shift_difference(prediction, GROUP, CONTEXT, bins=2, min_count=2)
    low, high = values["x"].values()
    assert list(values["x"]) == ["(-inf, 0.5]", "(0.5, inf]"]
    assert np.isnan(low.difference) and np.isnan(low.average)
    # x: share of the upper bin 2/3 -> 1; y: 2/3 -> 0
    assert high == pytest.approx((1 / 2, 1 / 3, -1 / 6), abs=1e-12)


def test_group_without_context_has_no_value_and_no_part_in_the_average() -> None:
    prediction = np.array([0.5, 0.0, 0.5, 0.25, 0.25, 0.0])
    context = CONTEXT & (GROUP == "x")
    values = mean_shift_difference(prediction, GROUP, context)
    assert values["x"] == (0.0, 0.125, 0.125)
    assert np.isnan(values["y"].difference)
    table = bin_proportion_shift_difference(prediction, GROUP, context, bins=2, min_count=0)
    assert np.isnan([value.difference for value in table["y"].values()]).all()


@pytest.mark.parametrize("seed", range(3))
def test_as_the_simple_metrics_put_together(seed: int) -> None:
    """5.7 of the specification, literally: a loop over groups."""
    rng = np.random.default_rng(seed)
    n, names = 600, ["g1", "g2", "g3", "g4"]
    group = rng.choice(names, n).astype(object)
    context = rng.random(n) < 0.4
    numbers = rng.normal(0.5, 0.3, n)
    classes = rng.choice(list("abc"), n).astype(object)

    def loop(values, shift):
        shifts = {g: shift(values[group == g], values[(group == g) & context]) for g in names}
        average = np.mean(list(shifts.values()), axis=0)
        return {g: np.subtract(shifts[g], average) for g in names}

    def bins(a, b):
        return list(relative_difference_per_bin(a, b, bins=4, min_count=0).values())

    def shares(a, b):
        return list(relative_difference_per_class(a, b, labels=("a", "b", "c")).values())

    means = mean_shift_difference(numbers, group, context)
    for name, expected in loop(numbers, mean_difference).items():
        assert means[name].difference == pytest.approx(expected, abs=1e-12)
    by_bin = bin_proportion_shift_difference(numbers, group, context, bins=4, min_count=0)
    for name, expected in loop(numbers, bins).items():
        values = [shift.difference for shift in by_bin[name].values()]
        assert values == pytest.approx(expected.tolist(), abs=1e-12)
    by_class = class_proportion_shift_difference(classes, group, context, labels=("a", "b", "c"))
    for name, expected in loop(classes, shares).items():
        values = [shift.difference for shift in by_class[name].values()]
        assert values == pytest.approx(expected.tolist(), abs=1e-12)


def test_differences_of_all_groups_add_up_to_zero() -> None:
    rng = np.random.default_rng(7)
    group = rng.choice(["x", "y", "z"], 90).astype(object)
    values = mean_shift_difference(rng.random(90), group, rng.random(90) < 0.5)
    assert sum(shift.difference for shift in values.values()) == pytest.approx(0, abs=1e-12)


def test_nothing() -> None:
    nothing, none = words(""), np.array([], dtype=bool)
    assert mean_shift_difference(np.array([]), nothing, none) == {}
    assert class_proportion_shift_difference(nothing, nothing, none, labels=("a",)) == {}
    assert bin_proportion_shift_difference(np.array([]), nothing, none, bins=4, min_count=1) == {}


def test_lengths_must_agree() -> None:
    with pytest.raises(LengthError, match="prediction: 2, group: 6, context: 6"):
        mean_shift_difference(np.zeros(2), GROUP, CONTEXT)
