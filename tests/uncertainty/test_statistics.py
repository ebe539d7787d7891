"""Each statistic is its metric, for the samples and for every resample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from common.metrics import METRICS, Metric
from common.metrics.labels import observed_labels
from common.uncertainty import STATISTICS, Clusters, Recipe, Term
from common.uncertainty.base import Key
from common.uncertainty.bootstrap import Bootstrap
from common.uncertainty.statistics import GENERIC, bind, flat

LABELS = ("c", "a", "b")
PARAMS = {"bins": 4, "min_count": 0, "tolerance": 0.1, "low": 0.3, "high": 0.6}
#: all but those of sound events, which are no functions of two arrays
IDS = [metric.id for metric in METRICS if metric.kind != "events"]


def codes(rng: np.random.Generator, n: int, clusters: int) -> np.ndarray:
    """Cluster of each sample, each cluster at least once, sizes uneven."""
    more = rng.integers(0, clusters, n - clusters) * rng.integers(0, 2, n - clusters)
    found = np.concatenate([np.arange(clusters), more])
    rng.shuffle(found)
    return found


def term_of(metric_id: str, rng: np.random.Generator, n: int) -> Term:
    """A term of a metric on n random samples, with the classes that occur."""
    metric = METRICS.get(metric_id)
    params = {name: PARAMS[name] for name in metric.keywords if name != "labels"}
    label = lambda: rng.choice(LABELS, n, p=(0.5, 0.3, 0.2)).astype(object)  # noqa: E731
    classes = metric.kind == "classification"
    arrays: tuple[np.ndarray, ...]
    if metric.takes == "shares":
        arrays = tuple(rng.dirichlet(np.ones(len(LABELS)), n) for _ in range(2))
        return Term(metric_id, arrays, labels=LABELS, params=params)
    if metric.takes == "groups":
        arrays = (label() if classes else rng.random(n), rng.choice(["x", "y", "z"], n))
        arrays = (arrays[0], arrays[1].astype(object), rng.random(n) < 0.4)
        return Term(metric_id, arrays, labels=LABELS, params=params)
    number = {"range": 1, "change": 3}.get(metric.takes, 2)
    if classes:
        arrays = tuple(label() for _ in range(number))
        return Term(metric_id, arrays, labels=observed_labels(*arrays), params=params)
    first = rng.random(n)
    others = [np.clip(first + 0.2 * rng.normal(size=n) + 0.05, -0.1, 1.1) for _ in range(1, number)]
    return Term(metric_id, (first, *others), params=params)


def direct(term: Term, arrays: tuple[np.ndarray, ...] | None = None) -> dict[Key, float]:
    """Values of a term by the function of its metric."""
    metric = METRICS.get(term.metric)
    given: dict[str, Any] = dict(term.params)
    if "labels" in metric.keywords:
        given["labels"] = term.labels
    return flat(metric.function(*(arrays or term.arrays), **given))


def naive(term: Term, clusters: Clusters) -> dict[Key, np.ndarray]:
    """Values of all resamples by a loop that copies the samples of each drawn cluster."""
    found: dict[Key, list[float]] = {}
    for often in clusters.weights.astype(int):
        arrays = []
        for array, rows in zip(term.arrays, term.rows, strict=True):
            own = clusters.codes[rows]
            picked = [
                np.flatnonzero(own == c) for c in range(clusters.count) for _ in range(often[c])
            ]
            arrays.append(array[np.concatenate(picked)])
        for key, value in direct(term, tuple(arrays)).items():
            found.setdefault(key, []).append(value)
    return {key: np.array(values) for key, values in found.items()}


def test_every_metric_is_a_function_of_sums_or_has_a_statistic() -> None:
    changes = {metric.id for metric in METRICS if metric.takes == "change"}
    sums = {metric.id for metric in METRICS if metric.sums is not None}
    assert set(IDS) - changes <= sums | set(STATISTICS.names())
    assert not sums & set(STATISTICS.names())
    assert {METRICS.get(name).of for name in changes} <= sums | set(STATISTICS.names())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", IDS)
def test_point_estimate_is_the_metric(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = (5, 40, 400)[seed]
    term, own = term_of(name, rng, n), codes(rng, n, 5)
    bound = bind(term, Clusters(own, seed=0))
    expected = direct(term)
    assert set(bound.keys) == set(expected)
    found = dict(zip(bound.keys, bound.point().tolist(), strict=True))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", IDS)
def test_resamples_are_those_of_a_loop(name: str) -> None:
    rng = np.random.default_rng(1)
    term, own = term_of(name, rng, 120), codes(rng, 120, 9)
    clusters = Clusters(own, seed=0, draws=60)
    bound = bind(term, clusters)
    expected = naive(term, clusters)
    found = bound.draws()
    for number, key in enumerate(bound.keys):
        # where a class is lost in a resample, a ratio is 0 for the metric and unknown here
        lost = np.isnan(found[:, number])
        assert lost.mean() < 0.3
        np.testing.assert_allclose(found[~lost, number], expected[key][~lost], atol=1e-12)
    low, high = (np.nanquantile(found, q, axis=0) for q in (0.025, 0.975))
    for number, key in enumerate(bound.keys):
        known = expected[key][~np.isnan(found[:, number])]
        assert low[number] == pytest.approx(np.nanquantile(known, 0.025), abs=1e-12)
        assert high[number] == pytest.approx(np.nanquantile(known, 0.975), abs=1e-12)


@pytest.mark.parametrize("name", IDS)
def test_left_out_clusters_are_those_of_a_loop(name: str) -> None:
    rng = np.random.default_rng(2)
    term, own = term_of(name, rng, 90), codes(rng, 90, 6)
    found = bind(term, Clusters(own, seed=0)).without_one()
    for c in range(6):
        arrays = tuple(array[own != c] for array in term.arrays)
        expected = direct(term, arrays)
        keys = bind(term, Clusters(own, seed=0)).keys
        both = [(found[c, n], expected[key]) for n, key in enumerate(keys)]
        for value, wanted in both:
            assert np.isnan(value) or value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in IDS if METRICS.get(name).takes != "change"])
def test_the_slow_way_agrees(name: str) -> None:
    rng = np.random.default_rng(3)
    term, own = term_of(name, rng, 150), codes(rng, 150, 9)
    clusters = Clusters(own, seed=0, draws=25)
    slow, fast = GENERIC.bind(term, clusters), bind(term, clusters)
    order = [slow.keys.index(key) for key in fast.keys]
    np.testing.assert_allclose(slow.point()[order], fast.point(), atol=1e-12)
    known = ~np.isnan(fast.draws())
    np.testing.assert_allclose(slow.draws()[:, order][known], fast.draws()[known], atol=1e-12)
    known = ~np.isnan(fast.without_one())
    left_out = slow.without_one()[:, order]
    np.testing.assert_allclose(left_out[known], fast.without_one()[known], atol=1e-12)


def test_own_metric_needs_nothing_but_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def largest(truth: np.ndarray, prediction: np.ndarray) -> float:
        return float(np.abs(truth - prediction).max())

    own = Metric(
        id="largest",
        label="Largest",
        short="Largest",
        kind="regression",
        function=largest,
        bounds=(0, float("inf")),
        direction="lower",
        cite="",
    )
    monkeypatch.setitem(METRICS._items, "largest", own)
    rng = np.random.default_rng(0)
    truth, prediction = rng.random(50), rng.random(50)
    bootstrap = Bootstrap(np.arange(50) % 10, seed=0, span=1.0)
    low, high, clusters, *_ = bootstrap.interval(Recipe(Term("largest", (truth, prediction))))
    assert 0 < low <= largest(truth, prediction) <= high and clusters == 10


def test_a_class_that_a_resample_loses_is_unknown_there_and_zero_if_it_never_occurs() -> None:
    truth = np.array(["a"] * 9 + ["b"], dtype=object)
    term = Term("recall_per_class", (truth, truth), labels=LABELS)
    bound = bind(term, Clusters(np.arange(10), seed=0))
    column = {label: n for n, (_, label) in enumerate(bound.keys)}
    draws = bound.draws()
    assert (draws[:, column["c"]] == 0).all()
    lost = np.isnan(draws[:, column["b"]])
    assert 0.2 < lost.mean() < 0.5 and (draws[~lost, column["b"]] == 1).all()
    average = bind(Term("uar", (truth, truth), labels=("a", "b")), Clusters(np.arange(10), seed=0))
    assert (average.draws() == 1).all()  # of the classes that are there


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        ([0.3] * 6, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
        ([0.3] * 6, [0.3] * 6),
        ([0.1] * 6, [0.3] * 6),
        ([1e8, 1e8 + 1, 1e8 + 2, 1e8, 1e8, 1e8 + 1], [0.0, 1.0, 2.0, 1.0, 1.0, 0.0]),
        ([1e-200, 2e-200, 3e-200, 0, 0, 1e-200], [1e-200, 0, 3e-200, 0, 0, 1e-200]),
    ],
)
@pytest.mark.parametrize("name", ["ccc", "pcc", "mae", "spearmans_rho", "mean_difference"])
def test_values_that_are_hard_to_add_up(name: str, truth: list, prediction: list) -> None:
    arrays = np.array(truth, float), np.array(prediction, float)
    bound = bind(Term(name, arrays), Clusters(np.arange(6) // 2, seed=0))
    expected = METRICS.get(name).function(*arrays)
    assert bound.point()[0] == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    repeated = bind(Term(name, arrays), Clusters(np.zeros(6, int), seed=0)).draws()
    np.testing.assert_allclose(repeated, bound.point()[0], rtol=1e-9, atol=1e-12)


def test_a_change_is_the_difference_of_two_scores_of_the_same_samples() -> None:
    rng = np.random.default_rng(0)
    term = term_of("change_uar", rng, 200)
    clusters = Clusters(codes(rng, 200, 20), seed=0)
    truth, original, changed = term.arrays
    parts = [
        bind(Term("uar", (truth, values), labels=sorted(LABELS)), clusters).draws()
        for values in (changed, original)
    ]
    np.testing.assert_allclose(bind(term, clusters).draws(), parts[0] - parts[1], atol=1e-12)
    assert bind(term, clusters).support.base is None
