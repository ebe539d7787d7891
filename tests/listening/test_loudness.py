from __future__ import annotations

import numpy as np
import pytest

from common.pages.listening.loudness import SILENCE_LUFS, k_weighting, loudness


def tone(seconds: float, rate: int, hz: float = 997.0, level: float = 1.0) -> np.ndarray:
    return level * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def test_filters_have_the_coefficients_of_the_standard() -> None:
    """Tables 1 and 2 of ITU-R BS.1770-4, for 48 kHz."""
    shelf = [1.53512485958697, -2.69169618940638, 1.19839281085285]
    shelf += [1.0, -1.69065929318241, 0.73248077421585]
    high_pass = [1.0, -2.0, 1.0, 1.0, -1.99004745483398, 0.99007225036621]
    assert k_weighting(48000) == pytest.approx(np.array([shelf, high_pass]), abs=1e-8)


@pytest.mark.parametrize("rate", [8000, 16000, 44100, 96000])
def test_a_full_scale_tone_has_the_loudness_of_the_standard_at_any_rate(rate: int) -> None:
    assert loudness(tone(3, rate), rate) == pytest.approx(-3.01, abs=0.05)


def test_ten_decibels_are_ten_units() -> None:
    difference = loudness(tone(2, 16000), 16000) - loudness(tone(2, 16000, level=10**-0.5), 16000)
    assert difference == pytest.approx(10, abs=1e-6)


def test_pauses_do_not_count() -> None:
    """Blocks that hold a bit of the tone do; there are six of them, so the value falls a little."""
    signal = tone(2, 16000)
    with_pause = np.concatenate([signal, np.zeros(32000), 1e-3 * signal])
    assert loudness(with_pause, 16000) == pytest.approx(loudness(signal, 16000), abs=0.5)
    mean = 10 * np.log10(np.mean(with_pause**2) / np.mean(signal**2))
    assert mean < -4


def test_channels_add_up() -> None:
    signal = tone(1, 16000)
    both = loudness(np.stack([signal, signal]), 16000)
    assert both - loudness(signal, 16000) == pytest.approx(3.01, abs=0.01)


@pytest.mark.parametrize(
    "signal",
    [np.zeros(16000), np.zeros((1, 0)), np.full(10, 1e-6)],
    ids=["silent", "empty", "faint"],
)
def test_silence_has_the_lowest_value(signal: np.ndarray) -> None:
    assert loudness(signal, 16000) == SILENCE_LUFS


def test_a_short_signal_is_one_block() -> None:
    assert loudness(tone(0.1, 16000), 16000) == pytest.approx(-3.0, abs=0.3)
