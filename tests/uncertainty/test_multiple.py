"""Adjusted p values: against scipy, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from common.uncertainty import benjamini_hochberg

P = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.002, 0.05, 1.0]))


@given(arrays(float, st.integers(1, 40), elements=P))
def test_are_those_of_scipy(p: np.ndarray) -> None:
    expected = scipy.stats.false_discovery_control(p, method="bh")
    assert benjamini_hochberg(p) == pytest.approx(expected, abs=1e-12)


@given(arrays(float, st.integers(1, 40), elements=P), st.randoms())
def test_missing_values_stay_and_do_not_count(p: np.ndarray, random) -> None:
    holes = np.insert(p, random.randint(0, len(p)), np.nan)
    q = benjamini_hochberg(holes)
    known = ~np.isnan(holes)
    assert np.isnan(q[~known]).all()
    assert q[known].tolist() == benjamini_hochberg(p).tolist()


@given(arrays(float, st.integers(1, 40), elements=P))
def test_order_bounds_and_input(p: np.ndarray) -> None:
    before = p.copy()
    q = benjamini_hochberg(p)
    assert (p == before).all()
    assert (q >= p).all() and (q <= 1).all()
    assert benjamini_hochberg(p[::-1]).tolist() == q[::-1].tolist()
    order = np.argsort(p, kind="stable")
    assert (np.diff(q[order]) >= 0).all()


def test_hand_computed() -> None:
    p = np.array([0.01, 0.02, 0.03, 0.5])
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.04, 0.04, 0.5])


def test_shape_is_kept_and_nothing_is_fine() -> None:
    assert benjamini_hochberg(np.full((2, 3), 0.04)).shape == (2, 3)
    assert benjamini_hochberg(np.array([])).shape == (0,)
    assert np.isnan(benjamini_hochberg(np.full(3, np.nan))).all()


@pytest.mark.parametrize("wrong", [-0.01, 1.5, np.inf])
def test_what_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"p values lie in \[0, 1\], found"):
        benjamini_hochberg(np.array([0.5, wrong]))


def test_few_false_discoveries_where_nothing_differs() -> None:
    rng = np.random.default_rng(0)
    found = [(benjamini_hochberg(rng.random(20)) < 0.05).any() for _ in range(2000)]
    assert np.mean(found) == pytest.approx(0.05, abs=0.015)
