"""Slices: what is planted is confirmed, what is not there is not, and nothing depends on order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from common.uncertainty import benjamini_yekutieli
from common.uncertainty.slices import (
    SEARCH_LEVEL,
    Property,
    SliceFinding,
    contrast,
    halves,
    labels,
    quantile_bins,
    search,
)

SPEAKERS, EACH = 24, 30


def _data(seed: int, planted: float = 0.0, speakers: int = SPEAKERS):
    """Losses of speakers who differ, properties of speakers and of samples."""
    rng = np.random.default_rng(seed)
    speaker = np.repeat(np.arange(speakers), EACH)
    sex = np.where(speaker % 2 == 0, "f", "m").astype(object)
    emotion = rng.choice(np.array(["a", "b", "c"], dtype=object), len(speaker))
    level = rng.normal(size=len(speaker)) + rng.normal(0, 1, speakers)[speaker]
    loss = rng.exponential(1, len(speaker)) + rng.exponential(0.5, speakers)[speaker]
    loss = loss + planted * ((emotion == "b") & (level > np.median(level)))
    names = np.array([f"s{number:02d}" for number in speaker], dtype=object)
    properties = [
        labels("sex", sex),
        labels("emotion", emotion),
        quantile_bins("level", level, 4, "dB"),
    ]
    return loss, names, properties


def _names(properties: list[Property], finding: SliceFinding) -> set[str]:
    return {properties[part].name for part, _ in finding.parts}


@given(arrays(float, st.integers(1, 40), elements=st.floats(0, 1)))
def test_yekutieli_is_that_of_scipy(p: np.ndarray) -> None:
    expected = scipy.stats.false_discovery_control(p, method="by")
    assert benjamini_yekutieli(p) == pytest.approx(expected, abs=1e-12)


def test_without_an_effect_false_slices_keep_to_the_level() -> None:
    alarms = 0
    for run in range(180):
        loss, names, properties = _data(run)
        results = search(loss, names, properties, seed=run, keys=("null",))
        assert len(results) > 20
        alarms += any(finding.is_confirmed() for finding in results)
    assert alarms <= 9


def test_p_values_under_no_effect_are_not_too_small() -> None:
    """Single slices, with 6 speakers in each half: 5 % and 1 % are not exceeded."""
    p = []
    for seed in range(150):
        loss, names, properties = _data(seed, speakers=12)
        results = search(loss, names, properties, seed=seed, keys=())
        p += [f.held_out.p for f in results if len(f.parts) == 1]
    p_values = np.array(p)
    assert len(p_values) > 500
    assert (p_values <= 0.05).mean() < 0.06
    assert (p_values <= 0.01).mean() < 0.015


def test_a_planted_slice_is_found_and_confirmed() -> None:
    """In nearly all draws: the level of some speakers divides the halves badly (1 to 2 of 100)."""
    missed = 0
    for seed in range(60):
        loss, names, properties = _data(seed, planted=3.0)
        results = search(loss, names, properties, seed=0, keys=("planted",))
        confirmed = [finding for finding in results if finding.is_confirmed()]
        assert results[: len(confirmed)] == confirmed
        pairs = [f for f in confirmed if _names(properties, f) == {"emotion", "level"}]
        missed += not pairs
        for pair in pairs[:1]:
            assert pair.q_found <= SEARCH_LEVEL
            assert pair.held_out.error > pair.held_out.elsewhere + 1
            assert pair.held_out.low > 0
    assert missed <= 3


def test_a_pair_is_told_only_if_it_adds_to_its_parts() -> None:
    loss, names, properties = _data(3)
    loss = loss + 3.0 * (properties[1].codes == 1)
    confirmed = [f for f in search(loss, names, properties, seed=0, keys=()) if f.is_confirmed()]
    assert [f.parts for f in confirmed] == [((1, 1),)]


@given(st.randoms(use_true_random=False), st.integers(0, 100))
@settings(max_examples=10)
def test_the_order_of_samples_does_not_matter(random, seed: int) -> None:
    loss, names, properties = _data(seed, planted=2.0)
    loss = np.round(loss * 64)  # sums of whole numbers are the same in every order
    order = np.array(random.sample(range(len(loss)), len(loss)))
    mixed = [part._replace(codes=part.codes[order]) for part in properties]
    again = search(loss[order], names[order], mixed, seed=1, keys=())
    assert repr(again) == repr(search(loss, names, properties, seed=1, keys=()))


def test_halves_hold_whole_speakers_and_as_many_of_each_sex() -> None:
    _, names, properties = _data(0)
    searching = halves(names, properties, seed=0, keys=("d",))
    one = {name for name, flag in zip(names, searching, strict=True) if flag}
    two = {name for name, flag in zip(names, searching, strict=True) if not flag}
    assert not one & two and len(one) == len(two) == SPEAKERS // 2
    women = [sum(int(name[1:]) % 2 == 0 for name in half) for half in (one, two)]
    assert women == [SPEAKERS // 4] * 2
    assert (halves(names, properties, seed=1, keys=("d",)) != searching).any()


def test_contrast_is_the_difference_of_means_with_speakers_left_out() -> None:
    rng = np.random.default_rng(5)
    counts, others = rng.integers(10, 30, (6, 1)), rng.integers(10, 30, (6, 1))
    sums, other_sums = rng.random((6, 1)) * counts, rng.random((6, 1)) * others
    result = contrast(sums, counts, other_sums, others)

    def difference(keep: np.ndarray) -> float:
        return float(
            sums[keep].sum() / counts[keep].sum() - other_sums[keep].sum() / others[keep].sum()
        )

    d = difference(np.arange(6))
    left = np.array([difference(np.delete(np.arange(6), c)) for c in range(6)])
    error = np.sqrt(5 / 6 * ((left - d) ** 2).sum())
    weights = [float(c.sum()) ** 2 / float((c.astype(float) ** 2).sum()) for c in (counts, others)]
    freedom = min(weights) - 1
    assert result.p[0] == pytest.approx(scipy.stats.t.sf(d / error, freedom), rel=1e-9)
    arm = scipy.stats.t.ppf(0.975, freedom) * error
    assert (result.low[0], result.high[0]) == pytest.approx((d - arm, d + arm), rel=1e-3)


def test_small_slices_are_not_tried() -> None:
    loss, names, _ = _data(0)
    rare = np.where(np.isin(names, ["s00", "s01"]), "rare", "usual").astype(object)
    assert search(loss, names, [labels("group", rare)], seed=0, keys=()) == []


def test_losses_and_values_that_are_not_known_take_no_part() -> None:
    loss, names, properties = _data(1)
    loss[:100] = np.nan
    whole = search(loss, names, properties, seed=0, keys=())
    without = [part._replace(codes=part.codes[100:]) for part in properties]
    assert repr(whole) == repr(search(loss[100:], names[100:], without, seed=0, keys=()))


def test_equal_numbers_share_a_bin() -> None:
    bins = quantile_bins("x", np.array([1.0, 1, 1, 1, 2]), 4)
    assert bins.values == ("< 1", ">= 1")
    assert bins.codes.tolist() == [1] * 5
    assert quantile_bins("x", np.full(3, np.nan), 4).values == ()
