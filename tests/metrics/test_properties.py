"""What must hold for every metric, whatever the values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from common.metrics import METRICS, Metric
from common.metrics.labels import observed_labels

LABELS = ("a", "b", "c", "d")
PARAMS = {"bins": 4, "min_count": 1, "tolerance": 0.05, "low": 0.3, "high": 0.6}
#: those of sound events are tested with them, in test_sound_events.py
COMPARING = [m for m in METRICS if m.takes in ("pair", "shares") and m.kind != "events"]
#: tied means and values on the borders of bins are where implementations differ
NUMBER = st.one_of(
    st.floats(-0.5, 1.5, allow_subnormal=False), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 1.0])
)
FAST = hypothesis.settings(max_examples=60, derandomize=True)


def params_of(metric: Metric) -> dict[str, Any]:
    return {name: PARAMS[name] for name in metric.keywords if name != "labels"}


@st.composite
def pairs(draw: st.DrawFn, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """Truth and prediction as the metric takes them."""
    n = draw(st.integers(1, 12))
    if metric.takes == "shares":
        rows = st.lists(st.integers(1, 9), min_size=len(LABELS), max_size=len(LABELS))
        tables = [np.array(draw(st.lists(rows, min_size=n, max_size=n)), float) for _ in range(2)]
        truth, prediction = (table / table.sum(axis=1, keepdims=True) for table in tables)
        return truth, prediction
    if metric.kind == "classification":
        label = st.lists(st.sampled_from(LABELS), min_size=n, max_size=n)
        return np.array(draw(label), object), np.array(draw(label), object)
    number = st.lists(NUMBER, min_size=n, max_size=n)
    return np.array(draw(number)), np.array(draw(number))


def values(metric: Metric, truth: np.ndarray, prediction: np.ndarray) -> dict[str, float]:
    given = metric.takes == "pair" and metric.kind == "classification"
    labels = observed_labels(truth, prediction) if given else LABELS
    value = metric.score(truth, prediction, labels=labels, params=params_of(metric))
    return dict(value) if isinstance(value, Mapping) else {"": value}


@pytest.mark.parametrize("metric", COMPARING, ids=lambda metric: metric.id)
class TestEveryComparison:
    @hypothesis.given(data=st.data())
    @FAST
    def test_bounds_and_pure(self, metric: Metric, data: st.DataObject) -> None:
        truth, prediction = data.draw(pairs(metric))
        before = truth.copy(), prediction.copy()
        low, high = metric.bounds
        for value in values(metric, truth, prediction).values():
            assert type(value) is float
            assert math.isnan(value) or low <= value <= high
        np.testing.assert_array_equal(truth, before[0])
        np.testing.assert_array_equal(prediction, before[1])

    @hypothesis.given(data=st.data())
    @FAST
    def test_order_of_samples_does_not_matter(self, metric: Metric, data: st.DataObject) -> None:
        truth, prediction = data.draw(pairs(metric))
        order = data.draw(st.permutations(range(len(truth))))
        one = values(metric, truth, prediction)
        other = values(metric, truth[list(order)], prediction[list(order)])
        assert list(one) == list(other)
        assert one == pytest.approx(other, abs=1e-9, nan_ok=True)

    @hypothesis.given(data=st.data())
    @FAST
    def test_perfect_prediction_is_best(self, metric: Metric, data: st.DataObject) -> None:
        truth, prediction = data.draw(pairs(metric))
        perfect = values(metric, truth, truth)
        for label, value in values(metric, truth, prediction).items():
            best = perfect.get(label, math.nan)
            if math.isnan(value) or math.isnan(best):
                continue
            if metric.direction == "higher":
                assert best >= value - 1e-12
            elif metric.direction == "lower":
                assert best == 0 <= value
            else:
                assert best == 0


@pytest.mark.parametrize("metric", COMPARING, ids=lambda metric: metric.id)
def test_perfect_is_not_trivially_undefined(metric: Metric) -> None:
    """The property above would hold for a metric that is always NaN."""
    rng = np.random.default_rng(0)
    if metric.takes == "shares":
        truth = rng.dirichlet(np.ones(len(LABELS)), 20)
    elif metric.kind == "classification":
        truth = rng.choice(LABELS, 100).astype(object)
    else:
        truth = rng.random(100)
    expected = {"higher": 1, "lower": 0, "zero": 0}[metric.direction]
    found = values(metric, truth, truth)
    assert list(found.values()) == pytest.approx([expected] * len(found), abs=1e-12)


@pytest.mark.parametrize("name", ["low", "neutral", "high"])
@hypothesis.given(numbers=st.lists(NUMBER, max_size=12), data=st.data())
@FAST
def test_shares_in_ranges(name: str, numbers: list[float], data: st.DataObject) -> None:
    function = METRICS.get(f"samples_in_expected_{name}_range").function
    order = data.draw(st.permutations(numbers))
    value = function(np.array(numbers), low=0.3, high=0.6)
    assert math.isnan(value) if not numbers else 0 <= value <= 1
    assert value == pytest.approx(function(np.array(order), low=0.3, high=0.6), nan_ok=True)


@pytest.mark.parametrize("metric", [m for m in METRICS if m.takes == "groups"], ids=lambda m: m.id)
@hypothesis.given(data=st.data())
@FAST
def test_shifts(metric: Metric, data: st.DataObject) -> None:
    """Bounds hold, order does not matter, and the differences of all groups cancel."""
    n = data.draw(st.integers(1, 12))
    group = np.array(data.draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n)), object)
    context = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    value = st.sampled_from(LABELS) if metric.kind == "classification" else NUMBER
    kind = object if metric.kind == "classification" else float
    prediction = np.array(data.draw(st.lists(value, min_size=n, max_size=n)), kind)
    given = {**params_of(metric), **({"labels": LABELS} if "labels" in metric.keywords else {})}
    order = list(data.draw(st.permutations(range(n))))

    def table(rows: list[int]) -> dict[str, dict[str, float]]:
        found = metric.function(prediction[rows], group[rows], context[rows], **given)
        return {
            f"{name}/{label}": shift.difference
            for name, part in found.items()
            for label, shift in (part if isinstance(part, dict) else {"": part}).items()
        }

    found = table(list(range(n)))
    assert found == pytest.approx(table(order), abs=1e-9, nan_ok=True)
    low, high = metric.bounds
    assert all(math.isnan(value) or low <= value <= high for value in found.values())
    for label in {key.split("/", 1)[1] for key in found}:
        column = [v for key, v in found.items() if key.split("/", 1)[1] == label]
        known = [value for value in column if not math.isnan(value)]
        assert sum(known) == pytest.approx(0, abs=1e-9)
