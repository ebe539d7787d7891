"""Fundamental frequency: known signals, edges, and Praat as the yardstick."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy

from common.core.paths import REPOSITORY
from common.predictions.attributes import f0
from common.predictions.attributes.f0 import Settings, mean_f0, track
from common.samples.audio import load
from tests.golden.praat import voices
from tests.recordings import recordings

RATE = 16000
OTHER_ROUNDING = tuple(int(part) for part in scipy.__version__.split(".")[:2]) >= (1, 18)
PRAAT = json.loads((REPOSITORY / "tests" / "golden" / "praat" / "figures.json").read_text("utf-8"))[
    "tracks_hz"
]


def voice(hertz: float, seconds: float = 0.5, seed: int = 0) -> np.ndarray:
    """Ten harmonics that fall by 6 dB per octave, with a little noise."""
    time_s = np.arange(int(seconds * RATE)) / RATE
    tone = sum(np.sin(2 * np.pi * k * hertz * time_s) / k for k in range(1, 11))
    return 0.1 * tone + 1e-3 * np.random.default_rng(seed).normal(size=len(time_s))


@pytest.mark.parametrize("hertz", [80.0, 97.3, 145.0, 190.0, 261.6, 349.0, 520.0])
def test_a_steady_voice_has_its_frequency_in_every_frame(hertz: float) -> None:
    found = track(voice(hertz), RATE)
    assert np.allclose(found, hertz, rtol=2e-3)
    assert mean_f0(voice(hertz), RATE) == pytest.approx(hertz, rel=1e-3)


def test_a_glide_is_followed() -> None:
    times = np.arange(RATE) / RATE
    phase = 2 * np.pi * np.cumsum(120 + 60 * times) / RATE
    found = track(np.sin(phase) + 0.5 * np.sin(2 * phase), RATE)
    # the frames are 10 ms apart and centred
    centres = 0.5 + (np.arange(len(found)) - (len(found) - 1) / 2) * 0.01
    assert np.allclose(found, 120 + 60 * centres, rtol=5e-3)


def test_what_has_no_voice_has_no_frequency() -> None:
    noise = 0.1 * np.random.default_rng(0).normal(size=RATE)
    assert (track(noise, RATE) > 0).mean() < 0.02
    for silent in (np.zeros(RATE), np.full(RATE, 0.3)):
        assert not track(silent, RATE).any()
        assert mean_f0(silent, RATE) == 0.0


@pytest.mark.parametrize("samples", [0, 1, 500, 639])
def test_a_signal_shorter_than_a_window_has_no_frames(samples: int) -> None:
    assert len(track(voice(200)[:samples], RATE)) == 0
    assert mean_f0(voice(200)[:samples], RATE) == 0.0


def test_silence_between_words_is_unvoiced_and_does_not_count() -> None:
    signal = np.concatenate([voice(150), np.zeros(RATE // 2), voice(250)])
    found = track(signal, RATE)
    assert not found[60:90].any()
    assert mean_f0(signal, RATE) == pytest.approx(200, rel=0.02)


def test_level_and_offset_do_not_matter() -> None:
    signal = voice(180)
    assert np.allclose(track(1e-3 * signal, RATE), track(signal, RATE))
    assert np.allclose(track(signal + 0.2, RATE), track(signal, RATE), rtol=1e-6)


def test_blocks_do_not_show(monkeypatch) -> None:
    """A long signal is worked on in blocks; a frame does not depend on where they end."""
    signal = np.concatenate([voice(100 + 30 * n, 0.4, n) for n in range(4)])
    whole = track(signal, RATE)
    monkeypatch.setattr(f0, "BLOCK", 7)
    assert len(whole) > 100
    assert np.allclose(track(signal, RATE), whole, rtol=1e-9)


def test_floor_decides_about_step_and_window() -> None:
    assert Settings(floor_hz=150).step_s == 0.005
    low = track(voice(100), RATE, Settings(floor_hz=150))
    assert not ((low > 90) & (low < 110)).any()


@pytest.mark.parametrize("hertz", [90.0, 130.0, 180.0, 300.0])
def test_equals_praat_on_synthetic_voices(hertz: float) -> None:
    parselmouth = pytest.importorskip("parselmouth")
    signal = np.concatenate([voice(hertz), 0.01 * voice(hertz, 0.2), voice(1.2 * hertz, 0.4, 1)])
    theirs = parselmouth.Sound(signal, RATE).to_pitch().selected_array["frequency"]
    ours = track(signal, RATE)
    assert len(ours) == len(theirs)
    assert ((ours > 0) == (theirs > 0)).mean() > 0.97
    both = (ours > 0) & (theirs > 0)
    assert np.median(np.abs(ours[both] / theirs[both] - 1)) < 1e-4


@pytest.mark.parametrize("number", range(voices.COUNT))
def test_equals_praat_on_synthetic_speech(number: int) -> None:
    """Frame by frame, with the figures that Praat gave."""
    signal, theirs = voices.utterance(number), np.array(PRAAT[number])
    ours = track(signal, voices.RATE)
    assert len(ours) == len(theirs) > 100
    assert ((ours > 0) == (theirs > 0)).mean() > 0.99
    both = (ours > 0) & (theirs > 0)
    assert both.mean() > 0.4
    assert np.median(np.abs(ours[both] / theirs[both] - 1)) < 1e-4
    assert mean_f0(signal, voices.RATE) == pytest.approx(theirs[theirs > 0].mean(), rel=0.002)


def test_segment_means_agree_with_praat_on_real_speech() -> None:
    """Within 2 % for at least 95 % of the segments; on all 365 files it is 99.5 %."""
    parselmouth = pytest.importorskip("parselmouth")
    files = sorted(recordings("emodb", "40 synthetic utterances").rglob("*.flac"))[::6]
    assert len(files) > 40
    deviations = []
    for file in files:
        signal = load(file, 0, -1, RATE)[0].astype(np.float64)
        theirs = parselmouth.Sound(signal, RATE).to_pitch().selected_array["frequency"]
        deviations.append(abs(mean_f0(signal, RATE) / theirs[theirs > 0].mean() - 1))
    assert np.mean(np.array(deviations) < 0.02) >= 0.95


@pytest.mark.parametrize("size", [512, 1024, 3072])
def test_a_transform_of_numpy_gives_the_same_bits(size: int) -> None:
    """What was computed with it stays as it is.

    SciPy 1.18, which Python 3.11 does not have, may round the last bit of a transform of another
    length than a power of two otherwise; there, nothing may differ by more than that.
    """
    frames = np.random.default_rng(size).standard_normal((5, size // 2))
    lags = np.arange(40, 400)
    spectrum = np.fft.rfft(frames, size)
    power = spectrum.real**2 + spectrum.imag**2
    power[:, -1] /= 2
    expected = np.fft.irfft(power, size * f0.FINE)[:, 40:400] * f0.FINE
    correlation = f0._autocorrelation(frames, size, lags)
    if OTHER_ROUNDING and size & (size - 1):
        assert np.abs(correlation - expected).max() < 1e-15 * np.abs(expected).max()
    else:
        assert np.array_equal(correlation, expected)
