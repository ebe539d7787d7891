from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import LengthError
from common.metrics.units import class_proportion_mae, count_table, unit_codes, unit_values


def words(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=object)


UNITS = words("z a z m a")


def test_units_stand_in_the_order_of_appearance() -> None:
    names, codes = unit_codes(UNITS)
    assert names.tolist() == ["z", "a", "m"]
    assert codes.tolist() == [0, 1, 0, 2, 1]


def test_means() -> None:
    values = unit_values(np.array([0.25, 0.5, 0.75, 0.1, 0.25]), UNITS, labels=None)
    assert values.units.tolist() == ["z", "a", "m"]
    assert values.values.tolist() == [0.5, 0.375, 0.1]


def test_shares() -> None:
    values = unit_values(words("x y y y y"), UNITS, labels=("x", "y"))
    assert values.values.tolist() == [[0.5, 0.5], [0, 1], [0, 1]]


def test_never_predicted_class_has_share_zero() -> None:
    values = unit_values(words("x x x x x"), UNITS, labels=("x", "y"))
    assert values.values[:, 1].tolist() == [0, 0, 0]


def test_shares_stand_in_the_order_of_the_labels() -> None:
    values = unit_values(words("x y y y y"), UNITS, labels=("y", "x"))
    assert values.values[0].tolist() == [0.5, 0.5]
    assert values.values[1].tolist() == [1, 0]


def test_nothing() -> None:
    assert unit_values(np.array([]), words(""), labels=None).values.shape == (0,)
    assert unit_values(words(""), words(""), labels=("x", "y")).values.shape == (0, 2)


def test_lengths_must_agree() -> None:
    with pytest.raises(LengthError, match="values: 2, units: 5"):
        unit_values(np.zeros(2), UNITS, labels=None)


def test_count_table_ignores_other_classes() -> None:
    table = count_table(np.array([0, 1, 1]), np.array([1, -1, 0]), 2, 2)
    assert table.tolist() == [[0, 1], [1, 0]]


class TestClassProportionMae:
    def test_by_hand(self) -> None:
        truth = np.array([[0.5, 0.5], [1.0, 0.0]])
        prediction = np.array([[0.25, 0.75], [0.5, 0.5]])
        values = class_proportion_mae(truth, prediction, labels=("b", "a"))
        assert list(values.items()) == [("a", 0.375), ("b", 0.375)]

    def test_without_units_it_is_nan(self) -> None:
        values = class_proportion_mae(np.zeros((0, 2)), np.zeros((0, 2)), labels=("b", "a"))
        assert list(values) == ["a", "b"]
        assert np.isnan(list(values.values())).all()

    def test_lengths_must_agree(self) -> None:
        with pytest.raises(LengthError, match="truth: 1, prediction: 2"):
            class_proportion_mae(np.zeros((1, 1)), np.zeros((2, 1)), labels=("a",))
