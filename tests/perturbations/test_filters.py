from __future__ import annotations

import numpy as np
import pytest

from common.perturbations import filters
from common.perturbations.filters import TAPS, tilt_filter

RATE = 16000
DOWN = {"gain_at_zero": 1, "gain_at_end": 0, "end_hz": 8000}
UP = {"gain_at_zero": 0, "gain_at_end": 2, "end_hz": 8000}
RNG = np.random.default_rng(0)


def magnitude(taps: np.ndarray, frequency_hz: np.ndarray, rate: int) -> np.ndarray:
    phase = np.exp(-2j * np.pi * np.outer(frequency_hz, np.arange(len(taps))) / rate)
    return np.abs(phase @ taps)


class TestSpectralTilt:
    @pytest.mark.parametrize("rate", [16000, 32000, 48000, 96000])
    @pytest.mark.parametrize(
        ("params", "wanted"), [(DOWN, lambda f: 1 - f / 8000), (UP, lambda f: f / 4000)]
    )
    def test_magnitude_between_the_bins_too(self, rate: int, params, wanted) -> None:
        low = 100 if rate == 16000 else 100 * rate / 16000
        frequency_hz = np.linspace(low, 7000, 777)
        taps = tilt_filter(rate, *params.values())
        error_db = 20 * np.log10(magnitude(taps, frequency_hz, rate) / wanted(frequency_hz))
        assert np.abs(error_db).max() < 0.5

    def test_linear_phase_with_the_centre_at_512(self) -> None:
        taps = tilt_filter(RATE, *DOWN.values())
        assert len(taps) == TAPS == 1024
        assert np.argmax(np.abs(taps)) == 512
        assert np.allclose(taps[1:512], taps[:512:-1], atol=1e-12)

    @pytest.mark.parametrize("params", [DOWN, UP])
    @pytest.mark.parametrize("n", [1, 100, 3000])
    def test_equal_to_a_full_convolution_without_its_delay(self, tools, params, n: int) -> None:
        signal = tools.speechlike(1, channels=2)[:, :n]
        found = filters.spectral_tilt(signal, RATE, RNG, **params)
        taps = tilt_filter(RATE, *params.values())
        full = np.stack([np.convolve(c.astype(float), taps) for c in signal])[:, 512 : 512 + n]
        level = np.sqrt(np.mean(signal.astype(float) ** 2, axis=1, keepdims=True))
        expected = full * level / np.sqrt(np.mean(full**2, axis=1, keepdims=True))
        assert found.shape == signal.shape
        assert np.abs(found - expected).max() < 2e-6

    def test_a_spectrum_that_is_kept_changes_no_bit(self, tools, monkeypatch) -> None:
        signal = tools.speechlike(0.3)
        found = [filters.spectral_tilt(signal, RATE, RNG, **params) for params in (DOWN, UP, DOWN)]
        monkeypatch.setattr(filters, "KEPT_SIZE", 0)
        for kept, params in zip(found, (DOWN, UP, DOWN), strict=True):
            assert np.array_equal(kept, filters.spectral_tilt(signal, RATE, RNG, **params))

    def test_no_spectrum_of_a_long_signal_is_kept(self, tools) -> None:
        filters._tilt_spectrum.cache_clear()
        filters.spectral_tilt(tools.speechlike(filters.KEPT_SIZE / RATE), RATE, RNG, **DOWN)
        assert filters._tilt_spectrum.cache_info().currsize == 0

    def test_no_delay(self) -> None:
        click = np.zeros((1, 4000), dtype=np.float32)
        click[0, 2000] = 0.5
        assert np.argmax(np.abs(filters.spectral_tilt(click, RATE, RNG, **DOWN))) == 2000

    def test_a_rate_below_the_end_of_the_line(self, tools) -> None:
        taps = tilt_filter(8000, *DOWN.values())
        assert magnitude(taps, np.array([3900.0]), 8000) == pytest.approx(1 - 3900 / 8000, abs=0.01)


class TestImpulseResponse:
    def test_convolution_cut_to_the_length(self, tools) -> None:
        signal = tools.speechlike(0.2, channels=2)
        response = np.zeros(500)
        response[[0, 30, 400]] = [1, 0.5, -0.2]
        found = filters.impulse_response(
            signal, RATE, RNG, corpus=tools.InMemory(response), channel=0
        )
        full = np.stack([np.convolve(c.astype(float), response) for c in signal])
        expected = full[:, : signal.shape[1]]
        ratio = found / expected
        assert np.allclose(ratio, ratio[:, :1], rtol=1e-3, atol=1e-3)

    def test_a21_the_level_is_kept_not_the_peak(self, tools) -> None:
        signal = tools.speechlike(0.5)
        room = tools.InMemory(0.001 * tools.speechlike(0.3)[0])
        found = filters.impulse_response(signal, RATE, RNG, corpus=room, channel=0)
        assert abs(tools.snr_db(found, signal)) < 0.01
        assert np.abs(found).max() < 0.9

    def test_responses_are_drawn(self, tools) -> None:
        click = np.zeros((1, 20), dtype=np.float32)
        click[0, 0] = 0.5
        room = tools.InMemory(*np.eye(3))
        places = {
            int(
                np.argmax(
                    filters.impulse_response(
                        click, RATE, np.random.default_rng(seed), corpus=room, channel=0
                    )
                )
            )
            for seed in range(30)
        }
        assert places == {0, 1, 2}

    def test_silent_speech_and_silent_response(self, tools) -> None:
        silence = np.zeros((1, 50), dtype=np.float32)
        for signal, room in ((silence, np.ones(3)), (silence + 0.1, np.zeros(3))):
            found = filters.impulse_response(
                signal, RATE, RNG, corpus=tools.InMemory(room), channel=0
            )
            assert not found.any()
