"""Intervals: against scipy, against what is known of simple cases, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from common.core.errors import ConfigError
from common.metrics import METRICS
from common.uncertainty import Clusters, Interval, Term
from common.uncertainty.interval import detectable, intervals
from common.uncertainty.p_value import p_values
from common.uncertainty.statistics import bind
from common.uncertainty.student import student

ANY = (-math.inf, math.inf)


def interval(
    term: Term, codes: np.ndarray, *, draws: int = 1000, seed: int = 0, **given
) -> Interval:
    bound = bind(term, Clusters(codes, seed=seed, draws=draws))
    (found,) = intervals(bound, given.pop("limits", ANY), name=term.metric, **given)
    return found


def share(hits: int, n: int) -> Term:
    """Share of values in a range: so many of n."""
    values = np.where(np.arange(n) < hits, 0.5, 0.0)
    params = {"low": 0.3, "high": 0.6}
    return Term("samples_in_expected_neutral_range", (values,), params=params)


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3, 5.5, 9, 30, 250, 1e5])
def test_student_is_that_of_scipy(freedom: float) -> None:
    expected = scipy.stats.t.ppf(0.975, freedom)
    assert student(np.array([freedom]))[0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_percentile_and_bca_are_those_of_scipy(method: str) -> None:
    rng = np.random.default_rng(0)
    truth = rng.gamma(2, size=40)
    prediction = 0.7 * truth + rng.gamma(1, size=40)
    expected = scipy.stats.bootstrap(
        (truth, prediction),
        lambda t, p: METRICS.get("ccc").function(t, p),
        paired=True,
        vectorized=False,
        n_resamples=8000,
        method=method,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = interval(Term("ccc", (truth, prediction)), np.arange(40), draws=8000, method=method)
    # the standard error of these quantiles with 8,000 resamples is about 0.003
    assert found.low == pytest.approx(expected.low, abs=0.012)
    assert found.high == pytest.approx(expected.high, abs=0.012)


def test_corrected_interval_of_a_mean_is_that_of_student() -> None:
    rng = np.random.default_rng(3)
    for n in (4, 8, 30):
        truth, prediction = np.zeros(n), rng.normal(0.2, 0.1, n)
        found = interval(
            Term("mean_directional_error", (truth, prediction)), np.arange(n), draws=20000
        )
        t = scipy.stats.t.interval(
            0.95, n - 1, prediction.mean(), prediction.std(ddof=1) / math.sqrt(n)
        )
        assert found.high - found.low == pytest.approx(t[1] - t[0], rel=0.1)
        assert (found.low + found.high) / 2 == pytest.approx(np.mean(t), abs=0.1 * (t[1] - t[0]))


@pytest.mark.parametrize(("hits", "n"), [(0, 20), (20, 20), (1, 50), (48, 50), (30, 60)])
def test_interval_of_a_share_is_that_of_jeffreys_or_farther(hits: int, n: int) -> None:
    low, high, clusters, *_ = interval(share(hits, n), np.arange(n), draws=20000, limits=(0, 1))
    expected = scipy.stats.beta.ppf([0.025, 0.975], hits + 0.5, n - hits + 0.5)
    exact = scipy.stats.binomtest(hits, n).proportion_ci(method="exact")
    assert clusters == n
    if hits > 0:
        assert exact.low - 1 / n <= low <= expected[0] + 0.5 / n
    if hits < n:
        assert expected[1] - 0.5 / n <= high <= exact.high + 1 / n
    assert 0 <= low <= hits / n <= high <= 1


def test_all_of_few_is_no_proof() -> None:
    percentile = interval(share(5, 5), np.arange(5), method="percentile")
    assert (percentile.low, percentile.high) == (1, 1)
    found = interval(share(5, 5), np.arange(5))
    assert found.low < 0.6 and found.high == 1


def test_one_cluster_says_nothing() -> None:
    found = interval(share(3, 9), np.zeros(9, int), limits=(0, 1))
    assert found[:3] == (0, 1, 1)
    assert found[3:5] == pytest.approx((detectable(1 / 3), detectable(2 / 3)))
    rng = np.random.default_rng(0)
    found = interval(Term("mae", (rng.random(9), rng.random(9))), np.zeros(9, int))
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_two_clusters_say_little() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200)
    prediction = truth + 0.05 * rng.normal(size=200)
    codes = np.arange(200) % 2
    two = interval(Term("ccc", (truth, prediction)), codes, limits=(-1, 1))
    ten = interval(Term("ccc", (truth, prediction)), np.arange(200) % 10, limits=(-1, 1))
    assert two.high - two.low > 1.5 * (ten.high - ten.low)
    assert two.low < METRICS.get("ccc").function(truth, prediction) < two.high


def test_a_cluster_that_holds_most_samples_widens_the_interval() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(600)
    prediction = truth + 0.1 * rng.normal(size=600)
    even = interval(Term("mae", (truth, prediction)), np.arange(600) % 20)
    main = np.where(np.arange(600) < 500, 0, np.arange(600) % 20)
    uneven = interval(Term("mae", (truth, prediction)), main)
    assert uneven.clusters == even.clusters == 20
    assert uneven.high - uneven.low > 2 * (even.high - even.low)


def test_values_that_are_all_equal() -> None:
    truth, constant = np.linspace(0, 1, 30), np.full(30, 0.5)
    found = interval(Term("ccc", (truth, constant)), np.arange(30) % 6, limits=(-1, 1))
    assert (found.low, found.high) == (
        0,
        0,
    )  # a model that says always the same agrees with nothing
    perfect = interval(Term("mae", (truth, truth)), np.arange(30) % 6, limits=(0, 1))
    assert (perfect.low, perfect.high) == (0, 0)
    undefined = interval(Term("pcc", (truth, constant)), np.arange(30) % 6, limits=(-1, 1))
    assert (undefined.low, undefined.high) == (-1, 1)


def test_a_value_that_most_resamples_do_not_have_is_unknown() -> None:
    # one cluster of four has another value than the rest: a third of the resamples lack it
    truth = np.array([0.0, 0, 0, 0, 0, 0, 0, 1])
    prediction = np.arange(8) / 8
    bound = bind(Term("pcc", (truth, prediction)), Clusters(np.arange(8) // 2, seed=0))
    lost = np.isnan(bound.draws()).mean()
    assert 0.2 < lost < 0.5
    (found,) = intervals(bound, (-1, 1), name="pcc")
    assert not math.isnan(found.low + found.high)
    rare = bind(Term("pcc", (truth[6:], prediction[6:])), Clusters(np.arange(2), seed=0))
    assert np.isnan(rare.draws()).mean() == pytest.approx(0.5, abs=0.06)


def test_interval_of_a_distance_is_not_above_the_distance() -> None:
    """Noise makes two samples of one distribution differ; resampling adds as much again."""
    rng = np.random.default_rng(0)
    below = {"percentile": 0, "corrected": 0}
    for seed in range(20):
        truth, prediction = rng.random(100), rng.random(100)
        term = Term("jensen_shannon_distance", (truth, prediction), params={"bins": 10})
        for method in below:
            found = interval(term, np.arange(100), limits=(0, 1), method=method, seed=seed)
            below[method] += found.low < 0.05  # the true distance is 0
    assert below["percentile"] == 0
    assert below["corrected"] >= 19


def test_ends_stay_within_the_limits_and_hold_the_score() -> None:
    rng = np.random.default_rng(0)
    for seed in range(30):
        n = int(rng.integers(4, 12))
        truth, prediction = rng.random(n), rng.random(n)
        codes = np.arange(n) % 3
        for name in ("ccc", "mae", "spearmans_rho"):
            for method in ("corrected", "percentile", "bca"):
                limits = (-1, 1) if name != "mae" else (0, 1)
                score = METRICS.get(name).function(truth, prediction)
                term = Term(name, (truth, prediction))
                found = interval(term, codes, limits=limits, method=method, seed=seed)
                assert limits[0] <= found.low <= found.high <= limits[1]
                assert found.low - 1e-12 <= score <= found.high + 1e-12


def test_a_perfect_order_of_few_is_no_proof() -> None:
    values = np.arange(6.0)
    for sign in (1, -1):
        found = interval(
            Term("spearmans_rho", (values, sign * values)), np.arange(6), limits=(-1, 1)
        )
        ends = sorted((sign * found.low, sign * found.high))
        assert -0.2 < ends[0] < 0.3 and ends[1] == 1
    many = interval(Term("spearmans_rho", (np.arange(60.0),) * 2), np.arange(60), limits=(-1, 1))
    assert 0.9 < many.low < many.high == 1


def test_smallest_detectable_effect_has_a_power_of_80_percent() -> None:
    rng = np.random.default_rng(0)
    n, sigma = 100, 1.0
    half = scipy.stats.t.ppf(0.975, n - 1) * sigma / math.sqrt(n)
    away = detectable(half)
    means = rng.normal(away, sigma, (4000, n)).mean(axis=1)
    assert (means - half > 0).mean() == pytest.approx(0.8, abs=0.03)


def test_smallest_detectable_effects_belong_to_one_arm_each() -> None:
    """A small error is certain to be below a bound sooner than above one."""
    errors = np.abs(np.random.default_rng(0).normal(size=60)) * np.repeat([1, 1, 1, 1, 1, 4], 10)
    found = interval(Term("mae", (np.zeros(60), errors)), np.arange(60) // 10)
    low, high = (abs(errors.mean() - end) for end in (found.low, found.high))
    assert high > 1.3 * low
    assert (found.mde_above, found.mde_below) == pytest.approx((1.4294 * low, 1.4294 * high), 1e-3)


@pytest.mark.parametrize(("speakers", "most"), [(10, 0.05), (24, 0.04), (60, 0.025)])
def test_a_share_near_one_is_not_too_sure_of_itself(speakers: int, most: float) -> None:
    """Speakers with shares around 0.9: the lower end lies above that in few samples."""
    wrong = 0
    for seed in range(300):
        rng = np.random.default_rng([seed, speakers])
        hits = rng.binomial(50, rng.beta(9, 1, speakers))
        values = np.where(np.arange(50) < hits[:, None], 0.5, 0.0).ravel()
        term = Term(
            "samples_in_expected_neutral_range", (values,), params={"low": 0.3, "high": 0.6}
        )
        found = interval(term, np.repeat(np.arange(speakers), 50), limits=(0, 1))
        assert found.is_share
        wrong += found.low > 0.9
    assert wrong / 300 <= most


def test_unknown_method_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown method 'exact'\. Known: corrected, percentile, bca"
    ):
        interval(share(1, 2), np.arange(2), method="exact")


def difference(n: int, effect: float, seed: int, **given) -> Interval:
    rng = np.random.default_rng(seed)
    errors = rng.normal(effect, 1, n)
    return interval(
        Term("mean_directional_error", (np.zeros(n), errors)),
        np.arange(n),
        difference=True,
        **given,
    )


@pytest.mark.parametrize("n", [6, 12, 40, 200])
def test_p_value_agrees_with_the_interval(n: int) -> None:
    for seed in range(60):
        found = difference(n, 2 / math.sqrt(n), seed)
        if abs(found.p_value - 0.05) > 1e-4:
            assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0), seed


def test_p_values_are_uniform_where_nothing_differs() -> None:
    p = np.array([difference(40, 0, seed).p_value for seed in range(1000)])
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.02)
    assert np.mean(p < 0.5) == pytest.approx(0.5, abs=0.05)


def test_p_value_is_that_of_student() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        expected = scipy.stats.ttest_1samp(rng.normal(0.3, 1, 60), 0).pvalue
        found = difference(60, 0.3, seed, draws=20000).p_value
        assert found == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("n", [12, 60])
def test_small_p_values_are_those_of_student(n: int) -> None:
    """Beyond what 1,000 resamples resolve, so that one of hundreds of scores can stand out."""
    for seed in range(20):
        effect = 9 / math.sqrt(n)
        sample = np.random.default_rng(seed).normal(effect, 1, n)
        expected = scipy.stats.ttest_1samp(sample, 0).pvalue
        found = difference(n, effect, seed).p_value
        assert found < 2 / 1001
        # the arm of 1,000 resamples is known to 5 %; in t = 9, that is a factor of 50
        assert abs(math.log10(found / expected)) < 0.3 * abs(math.log10(expected)), seed


@pytest.mark.parametrize("level", [0.05, 0.01, 0.002])
def test_nominal_p_values_are_real_with_five_speakers(level: float) -> None:
    """The tail is that of Student's t at every level, not at 0.05 alone."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(20000, 5))
    point, error = means.mean(axis=1), means.std(axis=1, ddof=1) / math.sqrt(5)
    half = scipy.stats.t.ppf(0.975, 4) * error
    p = p_values(point, point - half, point + half, np.full(len(point), 4.0))
    assert p == pytest.approx(scipy.stats.ttest_1samp(means, 0, axis=1).pvalue, rel=1e-3)
    assert np.mean(p < level) == pytest.approx(level, rel=0.2)


def test_p_value_of_an_interval_without_width() -> None:
    point, same = np.array([0.0, 0.2, 0.2]), np.array([0.0, 0.2, 0.2])
    found = p_values(point, same, same, np.array([4.0, 4.0, 0.0]))
    assert found.tolist() == [1.0, 2.0**-4, 0.5]


def test_p_values_with_few_speakers_stay_as_large_as_student_says() -> None:
    for seed in range(20):
        assert difference(4, 3, seed).p_value > 1e-4


def test_p_value_is_never_zero_and_at_most_one() -> None:
    assert 0 < difference(50, 10, 0).p_value < 1e-20
    assert 0 < difference(50, 10**9, 0).p_value < 1e-100
    same = Term("mean_directional_error", (np.ones(9), np.ones(9)))
    assert interval(same, np.arange(9), difference=True).p_value == 1


def test_no_p_value_without_a_difference_or_with_one_cluster() -> None:
    term = Term("mean_directional_error", (np.zeros(9), np.ones(9)))
    assert math.isnan(interval(term, np.arange(9)).p_value)
    assert math.isnan(interval(term, np.zeros(9, dtype=int), difference=True).p_value)
