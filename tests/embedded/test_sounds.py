"""Synthesised sounds: levels, ends, spectra and rhythms."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.rng import generator
from common.samples.demo import bursts, dsp, sounds

RATE = 16000
SECONDS = 6.0


def make(name: str, take: int = 0, rate: int = RATE, seconds: float = SECONDS) -> np.ndarray:
    return sounds.SOUNDS.get(name)(generator(0, name, take), rate, seconds)


def spectrum(sound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.fft.rfftfreq(len(sound), 1 / RATE), np.abs(np.fft.rfft(sound)) ** 2


def share(sound: np.ndarray, low_hz: float, high_hz: float) -> float:
    frequency, power = spectrum(sound)
    return float(power[(frequency >= low_hz) & (frequency < high_hz)].sum() / power.sum())


def envelope_peak_hz(sound: np.ndarray, lowest: float, highest: float) -> float:
    """Strongest rate of the variation of the level."""
    level = np.sqrt(np.mean(sound[: len(sound) // 80 * 80].reshape(-1, 80) ** 2, axis=1))
    frequency = np.fft.rfftfreq(8 * len(level), 80 / RATE)
    power = np.abs(np.fft.rfft(level - level.mean(), 8 * len(level)))
    power[(frequency < lowest) | (frequency > highest)] = 0
    return float(frequency[power.argmax()])


@pytest.mark.parametrize("name", sounds.SOUNDS.names())
def test_every_sound_is_sane(name: str) -> None:
    sound = make(name)
    assert sound.dtype == np.float64 and np.isfinite(sound).all()
    assert abs(sound.mean()) < 1e-3
    assert np.abs(sound).max() <= max(sounds.PEAK, bursts.PEAK) + 1e-9
    edge = np.abs(sound).max() * 0.01
    assert abs(sound[0]) <= edge and abs(sound[-1]) <= edge  # no click at either end
    assert np.array_equal(sound, make(name))
    other = make(name, take=1)
    assert len(other) != len(sound) or not np.allclose(other, sound)


@pytest.mark.parametrize("name", sounds.BACKGROUNDS)
def test_backgrounds_have_their_length_and_level(name: str) -> None:
    sound = make(name)
    assert len(sound) == SECONDS * RATE
    level_db = 20 * np.log10(np.sqrt(np.mean(sound**2)))
    assert level_db <= sounds.LEVEL_DB + 0.1
    assert level_db >= sounds.LEVEL_DB - 8  # those with loud single knocks
    assert np.abs(sound).max() > 0.05


@pytest.mark.parametrize("name", bursts.BURSTS)
def test_bursts_are_short_and_end_with_something(name: str) -> None:
    for take in range(8):
        sound = make(name, take)
        assert 0.1 < len(sound) / RATE < 2.5
        assert np.abs(sound).max() == pytest.approx(bursts.PEAK)
        assert np.abs(sound[-RATE // 20 :]).max() > 1e-3  # no silence behind it
    assert len(make(name, seconds=0.1)) <= 0.1 * RATE


@pytest.mark.parametrize("name", sounds.SOUNDS.names())
@pytest.mark.parametrize("rate", [8000, 44100])
def test_other_sampling_rates(name: str, rate: int) -> None:
    sound = make(name, rate=rate, seconds=1.5)
    assert np.isfinite(sound).all() and np.abs(sound).max() > 0.05
    assert len(sound) <= 1.5 * rate


def test_crickets_chirp_high_and_rain_is_broad() -> None:
    assert share(make("crickets"), 3500, 5500) > 0.9
    assert share(make("rain"), 1000, 8000) > 0.6
    assert share(make("traffic"), 0, 2000) > 0.8
    assert share(make("wind"), 0, 500) > 0.8


def test_steps_come_at_a_walking_pace() -> None:
    for take in range(4):
        assert 1.5 <= envelope_peak_hz(make("footsteps", take), 1.0, 2.6) <= 2.2


def test_a_bell_has_the_partials_of_a_bell() -> None:
    frequency, power = spectrum(sounds.bell(400.0, 2 * RATE, RATE))
    for ratio in (0.5, 1.0, 1.2, 1.5, 2.0):  # hum, prime, minor third, fifth, octave
        near = np.abs(frequency - 400 * ratio) < 5
        around = (np.abs(frequency - 400 * ratio) < 40) & ~near
        assert power[near].max() > 10 * power[around].max()


def test_a_cough_bursts_and_a_sneeze_draws_breath_first() -> None:
    for take in range(6):
        cough, sneeze = make("cough", take), make("sneeze", take)
        assert np.abs(cough).argmax() < 0.1 * RATE or np.abs(cough[: RATE // 10]).max() > 0.25
        assert np.abs(sneeze).argmax() > 0.2 * RATE
        assert share(sneeze, 2000, 8000) > share(cough, 2000, 8000)


def test_filters_weight_what_they_say() -> None:
    time = np.arange(RATE) / RATE
    low, high = np.sin(2 * np.pi * 200 * time), np.sin(2 * np.pi * 4000 * time)
    passed = dsp.filtered(low + high, RATE, dsp.band(1000, np.inf, order=4))
    middle = slice(2000, -2000)
    assert np.abs(passed - high)[middle].max() < 0.01
    gain = dsp.band(500, 2000)(np.array([500.0, 1000.0, 2000.0]))
    assert gain == pytest.approx([0.707, 0.941, 0.707], abs=0.02)


def test_decay_reaches_60_db_at_its_time() -> None:
    assert 20 * np.log10(dsp.decay(RATE + 1, RATE, 1.0)[RATE]) == pytest.approx(-60)
