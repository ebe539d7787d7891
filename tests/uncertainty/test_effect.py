"""Effect sizes: by hand, and of the scores that designs make."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from common.designs import DESIGNS
from common.spec import MetricUse, load_benchmark
from common.spec.view import View
from common.uncertainty import Effects, Recipe, Term, cohens_h, hedges_g

TARGETS = load_benchmark().targets
REGRESSION = next(t for t in TARGETS.values() if t.kind == "regression")
CLASSES = next(t for t in TARGETS.values() if t.kind == "classification")
BINS = {"bins": 4, "min_count": 1}


def g_by_hand(x: np.ndarray, y: np.ndarray) -> float:
    a, b = len(x), len(y)
    pooled = ((a - 1) * np.var(x, ddof=1) + (b - 1) * np.var(y, ddof=1)) / (a + b - 2)
    d = (np.mean(x) - np.mean(y)) / math.sqrt(pooled)
    return float(d * (1 - 3 / (4 * (a + b) - 9)))


def test_hedges_g_by_hand() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(0.3, 1, 12), rng.normal(0, 2, 30)
    assert hedges_g(x, y) == pytest.approx(g_by_hand(x, y), abs=1e-12)
    assert hedges_g(y, x) == pytest.approx(-hedges_g(x, y), abs=1e-12)
    assert hedges_g(10 * x + 3, 10 * y + 3) == pytest.approx(hedges_g(x, y), abs=1e-9)


@pytest.mark.parametrize(
    ("x", "y"), [([1.0], [1.0, 2.0]), ([1.0, 1.0], [2.0, 2.0]), ([], [1.0, 2.0])]
)
def test_hedges_g_without_spread_or_samples_is_missing(x: list[float], y: list[float]) -> None:
    assert math.isnan(hedges_g(np.array(x), np.array(y)))


def test_cohens_h_by_hand() -> None:
    # Cohen (1988), table 6.2.2: the angles of 0.25 and 0.10 are 1.047 and 0.644
    assert cohens_h(0.25, 0.10) == pytest.approx(1.047 - 0.644, abs=1e-3)
    assert cohens_h(0.3, 0.3) == 0
    assert math.isnan(cohens_h(math.nan, 0.5))


def view(kind: str) -> View:
    rng = np.random.default_rng(1)
    n = 240
    target = REGRESSION if kind == "regression" else CLASSES
    if kind == "regression":
        truth, prediction = rng.random(n), rng.random(n)
    else:
        names = np.array(target.labels, dtype=object)
        truth, prediction = rng.choice(names, n), rng.choice(names, n)
    samples = pd.DataFrame(
        {
            "file": [f"{i}.wav" for i in range(n)],
            target.id: truth,
            "sex": np.where(np.arange(n) % 3 == 0, "female", "male"),
            "mood": np.where(np.arange(n) % 4 < 2, "good", "bad"),
        }
    )
    return View(target, samples, {"original": prediction})


def scored(design: str, kind: str, metric: str, params: dict | None = None, **more):
    chosen = DESIGNS.get(design)
    options = chosen(attribute="sex", min_group=1, **more)
    given = view(kind)
    use = MetricUse(metric=metric, within=0.1, **(params or {}))
    effects = Effects()
    found = {
        (s.condition, s.label): effects.of(s.recipe, s.label) for s in options.scores(given, [use])
    }
    return given, found


def test_errors_of_a_group_against_all_others() -> None:
    given, found = scored("by_group", "regression", "ccc")
    error = np.abs(given.prediction - given.truth)
    women = (given.samples.sex == "female").to_numpy()
    # the group with the smaller errors has the positive effect, as a CCC above that of all
    expected = -g_by_hand(error[women], error[~women])
    assert found["female", ""] == pytest.approx(expected, abs=1e-12)
    assert found["male", ""] == pytest.approx(-expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["precision_per_bin", "recall_per_bin"])
def test_rates_per_bin_of_a_group_against_all_others(metric: str) -> None:
    given, found = scored("by_group", "regression", metric, BINS)
    women = (given.samples.sex == "female").to_numpy()
    edges = [-np.inf, 0.25, 0.5, 0.75, np.inf]
    bins = [np.digitize(x, edges, right=True) - 1 for x in (given.truth, given.prediction)]
    base = bins[0] if metric.startswith("recall") else bins[1]
    hit = bins[0] == bins[1]
    labels = sorted({label for _, label in found}, key=lambda t: (not t.startswith("(-inf"), t))
    for n, label in enumerate(labels):
        own, others = (hit[(base == n) & mask].mean() for mask in (women, ~women))
        assert found["female", label] == pytest.approx(cohens_h(own, others), abs=1e-12)


def test_recall_per_class_of_a_group_against_all_others() -> None:
    given, found = scored("by_group", "classification", "recall_per_class")
    women = (given.samples.sex == "female").to_numpy()
    for label in CLASSES.labels:
        own, others = (
            (given.prediction[(given.truth == label) & mask] == label).mean()
            for mask in (women, ~women)
        )
        assert found["female", label] == pytest.approx(cohens_h(own, others), abs=1e-12)


def test_mean_and_shares_of_a_group_against_all_others() -> None:
    given, found = scored("group_shift", "regression", "mean_difference")
    women = (given.samples.sex == "female").to_numpy()
    expected = g_by_hand(given.prediction[women], given.prediction[~women])
    assert found["female", ""] == pytest.approx(expected, abs=1e-12)
    given, found = scored("group_shift", "classification", "relative_difference_per_class")
    for label in CLASSES.labels:
        own, others = ((given.prediction[mask] == label).mean() for mask in (women, ~women))
        assert found["female", label] == pytest.approx(cohens_h(own, others), abs=1e-12)


CONTEXT = {"context": "mood", "contexts": ["good"], "min_context": 1}


def test_shift_of_the_mean_in_standard_deviations() -> None:
    given, found = scored("context_shift", "regression", "mean_shift_difference", **CONTEXT)
    # samples of contexts that are not declared take no part, as before they are selected
    samples, values = given.samples, given.prediction
    shifts, squares, cells = {}, 0.0, 0
    for sex in ("female", "male"):
        own = (samples.sex == sex).to_numpy()
        good = own & (samples.mood == "good").to_numpy()
        shifts[sex] = values[good].mean() - values[own].mean()
        for cell in (good, own & ~good):
            squares += ((values[cell] - values[cell].mean()) ** 2).sum()
            cells += 1
    freedom = len(values) - cells
    deviation = math.sqrt(squares / freedom)
    difference = shifts["female"] - np.mean(list(shifts.values()))
    expected = difference / deviation * (1 - 3 / (4 * freedom - 1))
    assert found["good", ""] == pytest.approx(-expected, abs=1e-12)  # the last one is male


def test_shift_of_shares_as_angles() -> None:
    given, _ = scored(
        "context_shift", "classification", "class_proportion_shift_difference", **CONTEXT
    )
    chosen = DESIGNS.get("context_shift")
    options = chosen(attribute="sex", min_group=1, **CONTEXT)
    use = MetricUse(metric="class_proportion_shift_difference", within=0.1)
    effects = Effects()
    label = CLASSES.labels[0]
    found = {
        s.recipe.group: effects.of(s.recipe, s.label)
        for s in options.scores(given, [use])
        if s.label == label
    }
    moved = []
    for sex in ("female", "male"):
        own = (given.samples.sex == sex).to_numpy()
        good = own & (given.samples.mood == "good").to_numpy()
        moved.append(
            cohens_h(
                (given.prediction[good] == label).mean(), (given.prediction[own] == label).mean()
            )
        )
    assert found["0"] == pytest.approx(moved[0] - np.mean(moved), abs=1e-12)
    assert found["0"] == pytest.approx(-found["1"], abs=1e-12)


def test_scores_that_compare_no_group_have_none() -> None:
    values = np.linspace(0, 1, 6)
    effects = Effects()
    assert math.isnan(effects.of(None))
    assert math.isnan(effects.of(Recipe(Term("ccc", (values, values)))))
    # the same samples twice: there are no others
    pair = Recipe(Term("ccc", (values, values)), minus=Term("ccc", (values, values**2)))
    assert math.isnan(effects.of(pair))
