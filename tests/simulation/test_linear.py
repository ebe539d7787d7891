"""Distributions that are computed: against draws, and where they are known."""

from __future__ import annotations

import numpy as np
import pytest

from common.uncertainty.simulation import chance
from common.uncertainty.simulation.linear import Distribution, parts
from common.uncertainty.simulation.setup import LINEAR, default_setup

SIZES = {
    "equal": ((60, 20),) * 3,
    "unequal": ((40, 13), (90, 30), (25, 8)),
    "many": ((30, 10),) * 20,
}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("metric", LINEAR)
def test_quantiles_are_those_of_many_draws(metric: str, sizes) -> None:
    """40,000 draws exceed the median and the 99 % quantile as often as they should."""
    drawn = chance.simulate(
        default_setup(metric), sizes, np.random.default_rng(0), repetitions=40_000
    ).values
    levels = np.array([0.5, 0.99])
    found = Distribution(metric, sizes).quantiles(levels)
    share = (drawn[:, None] <= found).mean(axis=0)
    assert (np.abs(share - levels) < 4 * np.sqrt(levels * (1 - levels) / len(drawn))).all()


def test_weights_of_samples() -> None:
    assert np.ravel(parts("mae", ((10, 0), (30, 0)))) == pytest.approx([0.075, 10, -0.025, 30])
    shift = parts("mean_shift_difference", ((6, 2), (6, 2)))
    # half of (mean of 2 minus mean of 6), and the other group with the opposite sign
    expected = [(-1 / 6, 2), (-1 / 12, 4), (1 / 12, 4), (1 / 6, 2)]
    assert np.ravel(sorted(shift)) == pytest.approx(np.ravel(expected))
    for metric in LINEAR:
        for sizes in SIZES.values():
            assert sum(w * n for w, n in parts(metric, sizes)) == pytest.approx(0, abs=1e-12)


def test_a_distribution_function() -> None:
    own = Distribution("mean_difference", ((20, 0), (35, 0)))
    places = np.linspace(0, own.reach, 500)
    assert own.below(np.array([0.0]))[0] == pytest.approx(0, abs=1e-12)
    assert own.below(np.array([own.reach]))[0] == pytest.approx(1, abs=1e-9)
    assert (np.diff(own.below(places)) > -1e-12).all()
    levels = np.array([0.1, 0.9, 1 - 1e-6])
    assert own.below(own.quantiles(levels)) == pytest.approx(levels, abs=1e-12)


def test_many_samples_are_as_easy_as_few() -> None:
    """Beyond a few samples the sum is nearly normal; its standard deviation is known."""
    n = 200_000
    own = Distribution("mean_difference", ((n, 0), (n, 0)))
    from common.uncertainty.simulation.linear import _numbers

    points, mass = _numbers()
    deviation = np.sqrt(mass @ points**2 / (2 * n))
    assert own.quantiles(np.array([0.95]))[0] == pytest.approx(1.959964 * deviation, rel=1e-4)
