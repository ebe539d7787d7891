from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np

from common.perturbations.levels import (
    is_silent,
    level_as,
    noise_gain,
    peak_normalised,
    power,
    rms_db,
)

FAST = hypothesis.settings(max_examples=50, derandomize=True)


def test_level_has_a_floor() -> None:
    assert rms_db(np.zeros((1, 4))).tolist() == [[-120.0]]
    assert is_silent(power(np.full((1, 4), 1e-7)))
    assert not is_silent(power(np.array([[0.0, 0.0], [0.1, 0.1]])))


@FAST
@hypothesis.given(
    snr=st.floats(-20, 60),
    seed=st.integers(0, 99),
    loud=st.floats(0.05, 1),
    other=st.floats(1e-3, 1),
)
def test_ratio_is_met(snr: float, seed: int, loud: float, other: float) -> None:
    rng = np.random.default_rng(seed)
    signal = (loud * rng.standard_normal((2, 400))).astype(np.float32)
    noise = (other * rng.standard_normal((1, 400))).astype(np.float32)
    scaled = noise_gain(power(signal), power(noise), snr) * noise
    assert np.allclose(rms_db(signal) - rms_db(scaled), snr, atol=0.01)


def test_no_ratio_to_silence() -> None:
    silence, sound = power(np.zeros((1, 10))), power(np.ones((1, 10)))
    assert noise_gain(silence, sound, 10).tolist() == [[0.0]]
    assert noise_gain(sound, silence, 10).tolist() == [[0.0]]


@FAST
@hypothesis.given(seed=st.integers(0, 99), loud=st.floats(1e-3, 1), gain=st.floats(1e-3, 1e3))
def test_level_rule(seed: int, loud: float, gain: float) -> None:
    """RMS is restored unless that would clip; then the peak is 1, of either sign."""
    rng = np.random.default_rng(seed)
    signal = np.clip(loud * rng.standard_normal((2, 300)), -1, 1).astype(np.float32)
    changed = (gain * rng.standard_normal((2, 300)) ** 3).astype(np.float32)
    result = level_as(changed, power(signal))
    assert result.dtype == np.float32
    for got, wanted in zip(result, signal, strict=True):
        peak, ratio = np.abs(got).max(), np.sqrt(np.mean(got**2.0) / np.mean(wanted**2.0))
        assert peak <= 1 + 1e-6
        assert abs(ratio - 1) < 1e-4 or (abs(peak - 1) < 1e-6 and ratio < 1)


def test_a8_negative_peaks_count() -> None:
    signal = np.full((1, 100), 0.9, dtype=np.float32)
    changed = np.zeros((1, 100), dtype=np.float32)
    changed[0, :50] = -0.5
    assert level_as(changed, power(signal)).min() == -1
    assert peak_normalised(np.array([[0.5, -2.0]])).tolist() == [[0.25, -1.0]]


def test_silence_stays_silent() -> None:
    zeros = np.zeros((1, 5), dtype=np.float32)
    assert not level_as(zeros, power(np.ones((1, 5)))).any()
    assert not peak_normalised(zeros).any()
    assert power(zeros).tolist() == [[0.0]]


@FAST
@hypothesis.given(seed=st.integers(0, 99), samples=st.integers(1, 5000))
def test_power_is_the_mean_of_numpy_bit_by_bit(seed: int, samples: int) -> None:
    signal = np.random.default_rng(seed).standard_normal((2, samples)).astype(np.float32)
    expected = np.mean(np.square(signal, dtype=np.float64), axis=-1, keepdims=True)
    assert np.array_equal(power(signal), expected)
