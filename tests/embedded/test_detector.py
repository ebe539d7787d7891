"""The baseline detector's view of a signal, against a plain computation and known signals."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.rng import generator
from common.models.demo import detector

RATE = detector.SAMPLING_RATE


def plain(signal: np.ndarray) -> np.ndarray:
    """Band levels by definition: all frames at once, all bins of all filters."""
    frames = max(1, -(-len(signal) // detector.HOP))
    before = (detector.WINDOW - detector.HOP) // 2
    padded = np.pad(signal, (before, frames * detector.HOP + detector.WINDOW - len(signal)))
    cut = np.stack([padded[n * detector.HOP :][: detector.WINDOW] for n in range(frames)])
    power = np.abs(np.fft.rfft(cut * np.hanning(detector.WINDOW), detector.SIZE)) ** 2
    bands = (power[:, None, :] * detector._bank()).sum(axis=2)
    return 10 * np.log10(bands / detector.WINDOW + detector.FLOOR)


@pytest.mark.parametrize("samples", [1, 639, 640, 641, 64 * 640, 64 * 640 + 1, 150 * 640])
def test_levels_are_those_of_a_plain_computation(samples: int) -> None:
    signal = generator(0, "levels", samples).standard_normal(samples) * 0.1
    found = detector.levels(signal[None])
    assert found.shape == (-(-samples // detector.HOP), detector.BANDS)
    np.testing.assert_allclose(found, plain(signal), rtol=0, atol=1e-9)


def test_no_weight_of_a_filter_is_lost() -> None:
    for full, (bins, weights) in zip(detector._bank(), detector._filters(), strict=True):
        assert weights.sum() == pytest.approx(full.sum())
        assert np.count_nonzero(weights) == np.count_nonzero(full)
        np.testing.assert_array_equal(full[bins], weights)


@pytest.mark.parametrize("hz", [200.0, 1000.0, 5000.0, 7500.0])
def test_a_tone_is_loudest_in_its_band(hz: float) -> None:
    tone = 0.1 * np.sin(2 * np.pi * hz * np.arange(RATE) / RATE)
    best = int(detector.levels(tone[None])[10].argmax())
    frequency = np.fft.rfftfreq(detector.SIZE, 1 / RATE)
    bank = detector._bank()
    nearest = int(bank[:, np.abs(frequency - hz).argmin()].argmax())
    assert best == nearest


def test_scores_do_not_depend_on_other_signals() -> None:
    model = detector.load()
    signals = [generator(0, "scores", n).standard_normal((1, 9000 * n)) * 0.1 for n in (1, 2, 7)]
    together = model.predict(signals, RATE)[model.target]
    for signal, scores in zip(signals, together, strict=True):
        alone = model.predict([signal], RATE)[model.target][0]
        np.testing.assert_array_equal(scores, alone)
        assert ((scores > 0) & (scores < 1)).all()
