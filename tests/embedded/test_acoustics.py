"""Signal processing: every step does what it says and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from common.core.rng import generator
from common.models.demo import features
from common.samples.demo import acoustics, acted, recipes, speech

RATE = acoustics.SAMPLING_RATE
TIME = np.arange(RATE) / RATE


def band_db(signal: np.ndarray, low_hz: float, high_hz: float) -> float:
    power = np.abs(np.fft.rfft(signal)) ** 2
    frequency = np.fft.rfftfreq(len(signal), 1 / RATE)
    return float(10 * np.log10(power[(frequency >= low_hz) & (frequency < high_hz)].sum()))


def buzz(f0_hz: float) -> np.ndarray:
    """Harmonics of F0 up to 4 kHz that fall with their number, one second."""
    numbers = np.arange(1, int(4000 / f0_hz))[:, None]
    return 0.2 * (np.sin(2 * np.pi * f0_hz * numbers * TIME) / numbers).sum(axis=0)


def bend(
    signal: np.ndarray, factor: float = 1.0, rise_st: float = 0.0, depth: float = 0.0
) -> np.ndarray:
    return acoustics.bend(signal, RATE, factor=factor, rise_st=rise_st, depth=depth, phase=0.0)


def f0_hz(signal: np.ndarray) -> np.ndarray:
    values = features.frame_values(signal).T
    st = values[:, features.FRAME_VALUES.index("f0_st")]
    return features.F0_REFERENCE_HZ * 2 ** (st / 12)


def test_trim_keeps_a_margin() -> None:
    sound = np.concatenate([np.zeros(5000), np.full(800, 0.5), np.zeros(9000)])
    trimmed = acoustics.trim(sound, RATE)
    assert len(trimmed) == 800 + 2 * round(acoustics.MARGIN_S * RATE)
    assert np.abs(trimmed).sum() == pytest.approx(400)
    assert not acoustics.trim(np.zeros(100), RATE).any()


def test_bend_scales_frequencies_and_length() -> None:
    bent = bend(buzz(120), factor=1.1)
    assert len(bent) == pytest.approx(RATE / 1.1, abs=1)
    assert np.median(f0_hz(bent)) == pytest.approx(132, rel=0.005)


def test_bend_resamples_without_distortion() -> None:
    """A tone of another rate is the same tone; one above the band is gone."""
    time = np.arange(22050) / 22050
    tone, high = (np.sin(2 * np.pi * f * time) for f in (3000.0, 9000.0))
    options = {"factor": 1.0, "rise_st": 0.0, "depth": 0.0, "phase": 0.0}
    bent = acoustics.bend(tone, 22050, **options)
    assert len(bent) == RATE
    position = np.linspace(0, 22049, RATE) / 22050
    expected = np.sin(2 * np.pi * 3000 * position)
    np.testing.assert_allclose(bent[200:-200], expected[200:-200], atol=1e-3)
    assert np.abs(acoustics.bend(high, 22050, **options)[200:-200]).max() < 1e-3


def test_bend_raises_f0_from_begin_to_end() -> None:
    track = f0_hz(bend(buzz(120), rise_st=4.0))
    rise_st = 12 * np.log2(track[-3] / track[2])
    assert rise_st == pytest.approx(4 * (len(track) - 5) / len(track), abs=0.15)


def test_tremor_makes_f0_waver() -> None:
    still = f0_hz(bend(buzz(150)))[2:-2]
    wavering = f0_hz(bend(buzz(150), depth=0.02))[2:-2]
    assert still.std() < 0.2
    assert wavering.std() == pytest.approx(150 * 0.02 / np.sqrt(2), rel=0.15)


@pytest.mark.parametrize("slope_db", [-3.0, 0.0, 4.0])
def test_tilt_changes_the_slope(slope_db: float) -> None:
    noise = generator(0, "tilt").standard_normal(4 * RATE)
    tilted = acoustics.tilt(noise, slope_db)
    change = [band_db(tilted, f, 1.1 * f) - band_db(noise, f, 1.1 * f) for f in (500, 1000, 4000)]
    assert change[1] - change[0] == pytest.approx(slope_db, abs=0.2)
    assert change[2] - change[1] == pytest.approx(2 * slope_db, abs=0.2)


def test_tilt_takes_the_offset_away() -> None:
    assert abs(acoustics.tilt(np.full(RATE, 0.3), 0.0)[RATE // 2]) < 0.003


def test_breath_has_the_level_asked_for_and_follows_the_voice() -> None:
    voice = buzz(200) * (TIME < 0.5)
    breath = acoustics.breathe(voice, -20.0, generator(0, "breath")) - voice
    level_db = 20 * np.log10(acoustics.rms(breath) / acoustics.rms(voice))
    assert level_db == pytest.approx(-20, abs=0.01)
    assert acoustics.rms(breath[RATE * 3 // 4 :]) < 1e-3 * acoustics.rms(breath)


def test_fade_begins_and_ends_at_zero() -> None:
    faded = acoustics.fade(np.ones(RATE))
    assert faded[0] == faded[-1] == 0
    assert faded[RATE // 2] == 1
    assert acoustics.fade(np.ones(3)).shape == (3,)


def test_pink_noise_falls_by_3_db_per_octave() -> None:
    noise = acoustics.pink_noise(8 * RATE, generator(0, "pink"))
    assert acoustics.rms(noise) == pytest.approx(1)
    assert band_db(noise, 500, 1000) == pytest.approx(band_db(noise, 2000, 4000), abs=0.3)


def test_pcm16_rounds_and_does_not_wrap() -> None:
    samples = acoustics.pcm16(np.array([0.0, 0.6 / 32768, 1.0, -1.0, 2.0, -2.0]))
    assert samples.tolist() == [0, 1, 32767, -32768, 32767, -32768]


@pytest.fixture(scope="module")
def utterance() -> speech.Utterance:
    first = recipes.load(acted.RECIPE).utterances()[0]
    return replace(first, cues={**first.cues, "level_db": -25.0, "floor_db": -70.0})


def test_render_has_level_and_floor(utterance: speech.Utterance) -> None:
    audio = np.pad(np.interp(np.arange(22050) / 22050, TIME, buzz(150)), 4000)
    sound = acoustics.render(audio, 22050, utterance, generator(0, "render"))
    assert 20 * np.log10(acoustics.rms(sound)) == pytest.approx(-25, abs=0.1)
    assert 20 * np.log10(acoustics.rms(sound[:300])) == pytest.approx(-70, abs=4)
    assert np.abs(np.diff(sound)).max() < 0.5, "clicks"


def test_render_never_clips(utterance: speech.Utterance) -> None:
    loud = replace(utterance, cues={**utterance.cues, "level_db": -6.0})
    audio = np.zeros(22050)
    audio[::200] = 1.0
    sound = acoustics.render(audio, 22050, loud, generator(0, "render"))
    assert np.abs(sound).max() == pytest.approx(acoustics.PEAK)
