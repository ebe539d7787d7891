"""Fixed upper quantiles of chance scores."""

from __future__ import annotations

import numpy as np
import pytest

from common.uncertainty.simulation import chance, nulls
from common.uncertainty.simulation.setup import (
    CONFUSIONS,
    FAMILY,
    METRIC_IDS,
    SHARE_SHIFTS,
    SHARES,
    default_setup,
    equal_sizes,
)

DRAWN = (*SHARES, *SHARE_SHIFTS, *CONFUSIONS, "ccc")


def quantile(metric: str, sizes, seed: int = 0, **more) -> nulls.Quantile:
    return nulls.quantile(default_setup(metric), sizes, np.random.default_rng(seed), **more)


@pytest.mark.parametrize("metric", DRAWN)
def test_same_distribution_as_draws_of_every_group(metric: str) -> None:
    """Groups put together have the scores of groups that are drawn one by one."""
    sizes = ((90, 30), (60, 20), (60, 20), (150, 50))
    every = chance.simulate(
        default_setup(metric), sizes, np.random.default_rng(1), repetitions=6000
    ).values
    found = quantile(metric, sizes, draws=20_000)
    for level in (0.5, 0.9, 0.99):
        place = found.null[int(level * len(found.null))]
        share = (every <= place).mean()
        # scores of counts are lumps: the quantile lies somewhere in one
        assert (every < place).mean() - 0.03 <= level <= share + 0.03


def test_a_ccc_of_many_samples_from_a_pool(monkeypatch) -> None:
    sizes = ((300, 0), (420, 0))
    pooled = quantile("ccc", sizes, draws=20_000)
    monkeypatch.setattr(nulls, "DIRECT", 10**6)
    direct = quantile("ccc", sizes, draws=20_000)
    assert pooled.value == pytest.approx(direct.value, rel=0.06)
    assert np.median(pooled.null) == pytest.approx(np.median(direct.null), rel=0.03)


def test_the_error_says_how_much_a_quantile_varies() -> None:
    """The spread over seeds is that which the errors claim."""
    found = [quantile("uar", ((100, 0),) * 2, seed, draws=10_000) for seed in range(30)]
    spread = np.std([one.value for one in found], ddof=1)
    claimed = np.sqrt(np.mean([one.error**2 for one in found]))
    assert 0.6 * claimed < spread < 1.6 * claimed


@pytest.mark.parametrize("groups", [2, 30])
def test_one_false_alarm_among_all_groups_in_a_hundred_models(groups: int) -> None:
    sizes = equal_sizes("relative_difference_per_class", 60, groups)
    found = quantile("relative_difference_per_class", sizes)
    assert found.tail == FAMILY / groups and found.draws >= 100_000
    counts = np.random.default_rng(7).multinomial(60, (0.25,) * 4, (4000, groups))
    shares = counts / 60 - counts.sum(axis=1, keepdims=True) / (60 * groups)
    alarm = (np.abs(shares) > found.value).any(axis=(1, 2)).mean()
    assert 0.002 < alarm < FAMILY + 4 * np.sqrt(FAMILY / 4000)


def test_what_is_a_sum_is_computed() -> None:
    first, second = (quantile("mae", ((80, 0),) * 3, seed) for seed in (0, 1))
    assert first == second and first.error == first.draws == 0


def test_scores_for_figures_rise() -> None:
    for metric in METRIC_IDS:
        found = quantile(metric, equal_sizes(metric, 40, 3), draws=4000)
        assert len(found.null) == nulls.KEPT and list(found.null) == sorted(found.null)
