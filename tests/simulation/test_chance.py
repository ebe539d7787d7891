"""Own draws: they follow the same distributions as the paper's, for any numbers of samples."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import ConfigError
from common.metrics import METRICS
from common.uncertainty.simulation import SETUPS, Setup, chance, reference, scores
from common.uncertainty.simulation.setup import (
    METRIC_IDS,
    bin_probabilities,
    default_setup,
    equal_sizes,
    probabilities,
    truncated_normal,
)


def simulate(setup: Setup, sizes, seed: int = 0, **more):
    return chance.simulate(setup, sizes, np.random.default_rng(seed), **more)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda s: f"{s.metric}-{s.truth}-{s.prediction}")
def test_same_distribution_as_the_draws_of_the_paper(setup: Setup) -> None:
    """Quartiles of 1000 repetitions differ by some percent at most, the thin tail by more."""
    point = (80, 3)
    own = simulate(setup, equal_sizes(setup.metric, *point)).values
    theirs = reference.simulate([setup], [point])[setup, point].values
    for q, tolerance in ((25, 0.16), (50, 0.12), (75, 0.12), (90, 0.25)):
        assert np.percentile(own, q) == pytest.approx(np.percentile(theirs, q), rel=tolerance)


@pytest.mark.parametrize("metric", METRIC_IDS)
def test_more_samples_differ_less(metric: str) -> None:
    setup = default_setup(metric)
    small, large = (
        simulate(setup, equal_sizes(metric, n, 3), repetitions=300).percentile for n in (30, 1000)
    )
    assert large < 0.5 * small


def test_unequal_groups() -> None:
    """A large group beside a small one: the large one hardly differs from all samples."""
    setup = Setup("mean_difference")
    large = simulate(setup, ((900, 0), (100, 0)), repetitions=300)
    small = simulate(setup, ((100, 0), (900, 0)), repetitions=300)
    assert large.percentile < 0.3 * small.percentile


def test_scores_follow_the_metrics_of_the_suite() -> None:
    """From counts to scores is the same as the metric on samples that have these counts."""
    rng = np.random.default_rng(0)
    labels = ("a", "b", "c", "d")
    truth, prediction = (rng.integers(0, 4, 200) for _ in range(2))
    tables = []
    for rows in (slice(0, 60), slice(None)):
        table = np.zeros((1, 16))
        np.add.at(table[0], truth[rows] * 4 + prediction[rows], 1)
        tables.append(table)
    names = np.array(labels, dtype=object)
    for metric in ("recall_per_class", "precision_per_class", "uar", "uap"):
        both = [
            METRICS.get(metric).score(names[truth[r]], names[prediction[r]], labels=labels)
            for r in (slice(0, 60), slice(None))
        ]
        both = [b if isinstance(b, dict) else {"": b} for b in both]
        expected = max(abs(both[0][k] - both[1][k]) for k in both[0])
        found = scores.counts_difference(metric, *tables, 4)
        assert found[0] == pytest.approx(expected, abs=1e-12)
    own, everyone = (np.bincount(prediction[r], minlength=4)[None] for r in (slice(60), slice(200)))
    metric = METRICS.get("relative_difference_per_class")
    expected = metric.score(names[prediction], names[prediction[:60]], labels=labels)
    found = scores.counts_difference(metric.id, own, everyone, 4)
    assert found[0] == pytest.approx(max(map(abs, expected.values())), abs=1e-12)


def test_bins_with_few_samples_take_no_part() -> None:
    setup, sizes = Setup("recall_per_bin"), equal_sizes("recall_per_bin", 100, 2)
    every, counted = (
        simulate(setup, sizes, min_count=least, repetitions=300).percentile for least in (0, 40)
    )
    assert counted < 0.8 * every
    assert simulate(setup, sizes, min_count=10_000, repetitions=10).maximum == 0


def test_distributions() -> None:
    assert probabilities("uniform", 5) == (0.2,) * 5
    for classes in (2, 3, 4, 7, 40):
        assert sum(probabilities("sparse", classes)) == pytest.approx(1)
        assert min(probabilities("sparse", classes)) > 0
    assert bin_probabilities(4)[0] == pytest.approx(0.0656, abs=1e-3)
    values = truncated_normal(np.linspace(0, 1, 1001)[1:-1])
    assert values.min() > 0 and values.max() < 1 and values.mean() == pytest.approx(0.5)


def test_what_cannot_be_simulated() -> None:
    with pytest.raises(ConfigError, match=r"unknown simulated metric 'cc'\. Did you mean 'ccc'"):
        Setup("cc")
