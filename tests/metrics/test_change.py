from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import LengthError
from common.metrics import METRICS
from common.metrics.change import CHANGING, scored

TRUTH = np.array([0.0, 0.5, 1.0])


def words(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=object)


def test_change_of_ccc() -> None:
    """0.8 on the original signals, 1 on the changed ones."""
    change = METRICS.get("change_ccc").function
    reference = np.array([0.25, 0.5, 0.75])
    assert change(TRUTH, reference, TRUTH) == pytest.approx(0.2, abs=1e-12)
    assert change(TRUTH, TRUTH, reference) == pytest.approx(-0.2, abs=1e-12)


def test_change_of_uar() -> None:
    """Recalls a 1, b 1/2 before and a 1/2, b 1/2 after."""
    change = METRICS.get("change_uar").function
    truth, before, after = words("a a b b"), words("a a b a"), words("a b b a")
    assert change(truth, before, after) == pytest.approx(-0.25, abs=1e-12)


def test_classes_are_those_of_each_score() -> None:
    """As in the test of classification: a class that is only predicted lowers the average."""
    change = METRICS.get("change_uar").function
    truth = words("a a b b")
    assert change(truth, truth, words("a c b b")) == pytest.approx(1.5 / 3 - 1, abs=1e-12)


@pytest.mark.parametrize("name", CHANGING)
class TestEveryChange:
    def metric(self, name: str):
        return METRICS.get(f"change_{name}")

    def arrays(self, name: str, n: int = 3) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        if METRICS.get(name).kind == "regression":
            return [rng.random(40) for _ in range(n)]
        return [rng.choice(np.array(["a", "b", "c"], dtype=object), 40) for _ in range(n)]

    def test_is_the_difference_of_its_metric(self, name: str) -> None:
        truth, reference, prediction = self.arrays(name)
        base = METRICS.get(self.metric(name).of)
        expected = scored(base, truth, prediction) - scored(base, truth, reference)
        assert self.metric(name).function(truth, reference, prediction) == expected

    def test_no_change_is_zero(self, name: str) -> None:
        truth, reference = self.arrays(name, 2)
        assert self.metric(name).function(truth, reference, reference) == 0

    def test_bounds_and_names(self, name: str) -> None:
        low, high = self.metric(name).bounds
        assert (low, high) == ((-2, 2) if name == "ccc" else (-1, 1))
        assert self.metric(name).label == f"Change {METRICS.get(name).short}"

    def test_undefined_if_a_score_is(self, name: str) -> None:
        empty = np.array([], dtype=object if name == "uar" else float)
        assert np.isnan(self.metric(name).function(empty, empty, empty))

    def test_lengths(self, name: str) -> None:
        truth, reference, prediction = self.arrays(name)
        with pytest.raises(LengthError, match="arrays differ in length"):
            self.metric(name).function(truth, reference, prediction[:-1])
