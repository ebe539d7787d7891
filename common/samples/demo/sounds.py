"""Synthesised sounds: what is heard outdoors, at home and at work.

:data:`SOUNDS` has them by name. A sound is ``make(random, sampling_rate, duration_s)`` and gives
a float64 array of shape (samples,) without offset, faded at both ends, with a peak of at most
:data:`PEAK`. Those in :data:`BACKGROUNDS` go on for as long as they are asked to, at an RMS level
of :data:`LEVEL_DB` unless their peaks forbid it; :mod:`~common.samples.demo.bursts` has the short ones,
:mod:`~common.samples.demo.music` the tunes. They are sketches of the real thing: each has its
spectrum, its rhythm and its kind of variation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.registry import Registry
from .dsp import (
    Gain,
    band,
    convolved,
    count,
    decay,
    faded,
    filtered,
    formants,
    harmonics,
    noise,
    place,
    ringing,
    scattered,
    slope,
    slow,
    struck,
    times,
    tone,
    with_rms,
)

Make = Callable[[np.random.Generator, int, float], np.ndarray]

LEVEL_DB = -26.0
PEAK = 0.9
FADE_S = 0.02

SOUNDS: Registry[Make] = Registry("sound")
#: names of the sounds that go on
BACKGROUNDS: list[str] = []


def finished(sound: np.ndarray, sampling_rate: int, *, fade_s: float = FADE_S) -> np.ndarray:
    """Sound without offset, faded, at its level."""
    sound = filtered(sound - sound.mean(), sampling_rate, band(30, np.inf))
    sound = with_rms(faded(sound, sampling_rate, fade_s), 10 ** (LEVEL_DB / 20))
    return sound * min(1.0, PEAK / max(float(np.abs(sound).max()), 1e-9))


def background(name: str) -> Callable[[Make], Make]:
    """Decorator that registers a sound that goes on."""

    def add(make: Make) -> Make:
        def made(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
            return finished(make(random, sampling_rate, duration_s), sampling_rate)

        made.__doc__ = make.__doc__
        BACKGROUNDS.append(name)
        return SOUNDS.add(name, made)

    return add


@background("rain")
def rain(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """A broad hiss, with single drops on leaves and stone."""
    samples = count(duration_s, sampling_rate)
    hiss = noise(random, samples, sampling_rate, _rise(1500, 6500))
    hiss *= 0.85 + 0.3 * slow(random, samples, sampling_rate, 0.7)
    size = count(0.03, sampling_rate)
    drops = [
        ringing(
            [(random.uniform(900, 5500), 1.0, random.uniform(0.008, 0.03)) for _ in range(3)],
            size,
            sampling_rate,
        )
        for _ in range(8)
    ]
    rate = random.uniform(60, 140)
    splashes = scattered(random, drops, samples, sampling_rate, per_second=rate, spread_db=5)
    return hiss + 0.5 * with_rms(splashes, 1.0)


def _rise(low_hz: float, high_hz: float) -> Gain:
    """Flat below, +3 dB per octave between the corners, falling above."""

    def gain(frequency: np.ndarray) -> np.ndarray:
        rising = np.sqrt(np.maximum(frequency, low_hz / 4) / low_hz)
        return np.asarray(rising * band(150, high_hz, order=1)(frequency))

    return gain


@background("wind")
def wind(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Gusts: the stronger, the brighter; around a corner it whistles a little."""
    samples = count(duration_s, sampling_rate)
    gust = 0.25 + 0.75 * slow(random, samples, sampling_rate, 0.5)
    gust *= 0.8 + 0.2 * slow(random, samples, sampling_rate, 3.0)
    sound = np.zeros(samples)
    bands = (
        (40, 160, 1.0, 1.0),
        (160, 400, 0.6, 1.6),
        (400, 1000, 0.35, 2.4),
        (1000, 3000, 0.12, 3.5),
    )
    for low_hz, high_hz, share, power in bands:
        sound += share * gust**power * noise(random, samples, sampling_rate, band(low_hz, high_hz))
    pitch = random.uniform(350, 550) * 2 ** (0.7 * (gust - 0.6))
    whistle = tone(
        pitch * (1 + 0.01 * noise(random, samples, sampling_rate, band(0, 12))),
        samples,
        sampling_rate,
    )
    return sound + 0.12 * gust**4 * whistle


@background("traffic")
def traffic(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """The rumble of a road, and cars that come, pass and go."""
    samples = count(duration_s, sampling_rate)
    time = np.arange(samples) / sampling_rate
    sound = 0.5 * noise(random, samples, sampling_rate, slope(-5, from_hz=60))
    for moment in times(random, duration_s + 2, 0.4, jitter=0.2):
        passing = (time - moment + 1) / random.uniform(0.4, 0.9)
        near = 1 / (1 + passing**2)
        tyres = noise(random, samples, sampling_rate, band(300, 1400, order=2))
        engine = random.uniform(45, 80) * (1 - 0.06 * np.tanh(passing))
        hum = harmonics(engine, [1, 0.9, 0.5, 0.6, 0.3, 0.2, 0.15, 0.1], sampling_rate)
        sound += random.uniform(0.5, 1.0) * (near**1.2 * tyres + 0.5 * near * hum)
    return sound


@background("machine")
def machine(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """An electric motor under load: hum, its multiples, and gears that grind in time."""
    samples = count(duration_s, sampling_rate)
    drift = 1 + 0.01 * (slow(random, samples, sampling_rate, 0.8) - 0.5)
    turns = random.uniform(22, 30) * drift
    amplitudes = 1 / np.arange(1, 25) ** 0.8 * random.uniform(0.2, 1, 24)
    hum = harmonics(2 * turns, amplitudes.tolist(), sampling_rate)
    beat = 0.6 + 0.4 * tone(turns / 2, samples, sampling_rate)
    teeth = random.uniform(28, 40)
    whine = harmonics(teeth * turns, [1, 0.4, 0.2], sampling_rate)
    grind = beat * noise(random, samples, sampling_rate, band(600, 3500, order=1))
    return with_rms(hum, 1.0) + 0.15 * whine + 0.35 * grind


@background("fan")
def fan(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Air that a fan blows, with the faint tone of its blades."""
    samples = count(duration_s, sampling_rate)
    air = noise(random, samples, sampling_rate, slope(-4, from_hz=80))
    blades = random.uniform(90, 160) * (1 + 0.004 * slow(random, samples, sampling_rate, 0.5))
    flutter = 1 + 0.08 * tone(blades / 7, samples, sampling_rate)
    return air * flutter + 0.25 * harmonics(blades, [1, 0.5, 0.25], sampling_rate)


@background("footsteps")
def footsteps(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Somebody walks: heel, then sole, left and right not quite alike."""
    samples = count(duration_s, sampling_rate)
    sound = 0.012 * noise(random, samples, sampling_rate, slope(-4, from_hz=80))
    floor_hz = random.uniform(90, 170)
    for number, moment in enumerate(
        times(random, duration_s, random.uniform(1.6, 2.1), jitter=0.03)
    ):
        strength = random.uniform(0.7, 1.0) * (1.0 if number % 2 else 0.85)
        for delay_s, share, bright_hz in (
            (0.0, 1.0, 1800),
            (random.uniform(0.07, 0.11), 0.4, 2800),
        ):
            size = count(0.12, sampling_rate)
            thud = ringing(
                [(floor_hz * f, a, 0.09) for f, a in ((1, 1.0), (2.3, 0.5), (3.9, 0.25))],
                size,
                sampling_rate,
            )
            scuff = noise(random, size, sampling_rate, band(300, bright_hz, order=1))
            step = (0.7 * thud + 0.5 * scuff * decay(size, sampling_rate, 0.08)) * struck(
                size, sampling_rate, attack_s=0.002, decay_s=0.15
            )
            place(sound, strength * share * step, count(moment + delay_s, sampling_rate))
    return sound


@background("bells")
def bells(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Church bells, with the partials of a tuned bell, over quiet air."""
    samples = count(duration_s, sampling_rate)
    sound = 0.01 * noise(random, samples, sampling_rate, slope(-5, from_hz=80))
    strikes = [random.uniform(380, 620)]
    strikes += [strikes[0] * ratio for ratio in (4 / 5, 2 / 3)]
    for number, moment in enumerate(
        times(random, duration_s, random.uniform(0.8, 1.2), jitter=0.05)
    ):
        rest = samples - count(moment, sampling_rate)
        if rest > 0:
            piece = bell(strikes[number % 3], rest, sampling_rate)
            place(sound, random.uniform(0.7, 1.0) * piece, samples - rest)
    return sound


def bell(strike_hz: float, samples: int, sampling_rate: int) -> np.ndarray:
    """One stroke of a bell: hum, prime, minor third, fifth, octave and what lies above."""
    partials = (
        *((0.5, 0.5, 7.0), (1.0, 0.7, 5.0), (1.2, 0.6, 3.5), (1.5, 0.3, 2.5), (2.0, 0.9, 2.2)),
        *((2.5, 0.3, 1.3), (2.66, 0.3, 1.1), (3.0, 0.35, 0.9), (4.0, 0.3, 0.6), (5.33, 0.2, 0.35)),
    )
    tones = [(strike_hz * ratio, amplitude, time_s) for ratio, amplitude, time_s in partials]
    rise = struck(samples, sampling_rate, attack_s=0.003, decay_s=1e6)
    return ringing(tones, samples, sampling_rate) * rise


@background("crickets")
def crickets(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """A summer night: three crickets near and far, each with its beat."""
    samples = count(duration_s, sampling_rate)
    sound = 0.02 * noise(random, samples, sampling_rate, slope(-5, from_hz=60))
    for strength in (1.0, 0.45, 0.2):
        carrier_hz, pulses = random.uniform(3800, 5200), int(random.integers(3, 6))
        size = count(0.022, sampling_rate)
        pulse = tone(carrier_hz, size, sampling_rate) * np.sin(np.pi * np.arange(size) / size) ** 2
        train = np.zeros(samples)
        for moment in times(random, duration_s, random.uniform(1.8, 3.0), jitter=0.04):
            for number in range(pulses):
                at = count(moment + 0.028 * number, sampling_rate)
                if at < samples:
                    train[at] += strength * (0.6 + 0.4 * number / pulses)
        sound += convolved(train, pulse)
    return sound


@background("stream")
def stream(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Running water: a soft rush and bubbles, whose pitch rises as they close."""
    samples = count(duration_s, sampling_rate)
    rush = noise(random, samples, sampling_rate, band(250, 2500, order=1))
    rush *= 0.7 + 0.6 * slow(random, samples, sampling_rate, 2.0)
    size = count(0.08, sampling_rate)
    time = np.arange(size) / size
    bubbles = []
    for _ in range(16):
        pitch = random.uniform(350, 1900) * (1 + random.uniform(0.1, 0.6) * time)
        shape = struck(size, sampling_rate, attack_s=0.003, decay_s=random.uniform(0.03, 0.08))
        bubbles.append(tone(pitch, size, sampling_rate) * shape)
    drops = scattered(random, bubbles, samples, sampling_rate, per_second=45, spread_db=6)
    return 0.5 * rush + with_rms(drops, 1.0)


@background("sea")
def sea(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Waves that roll in, break and run back over pebbles."""
    samples = count(duration_s, sampling_rate)
    time = np.arange(samples) / sampling_rate
    sound = 0.25 * noise(random, samples, sampling_rate, slope(-4, from_hz=60))
    for moment in times(random, duration_s + 3, 0.28, jitter=0.15):
        since = time - moment + 1.5
        swell = np.exp(-np.abs(since) / np.where(since < 0, 0.9, 1.3))
        low = noise(random, samples, sampling_rate, band(80, 700, order=1))
        foam = noise(random, samples, sampling_rate, band(900, 5000, order=1))
        back = np.exp(-(((since - 1.2) / 0.9) ** 2))
        sound += random.uniform(0.7, 1.0) * (
            swell * low + 0.6 * swell**2 * foam + 0.25 * back * foam
        )
    return sound


@background("fire")
def fire(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """A fireplace: a low flutter, and wood that cracks."""
    samples = count(duration_s, sampling_rate)
    flames = noise(random, samples, sampling_rate, band(40, 350, order=1))
    flames *= 0.5 + slow(random, samples, sampling_rate, 7.0)
    size = count(0.02, sampling_rate)
    cracks = [
        noise(random, size, sampling_rate, band(random.uniform(500, 2500), 7000))
        * decay(size, sampling_rate, random.uniform(0.004, 0.02))
        for _ in range(8)
    ]
    crackle = scattered(random, cracks, samples, sampling_rate, per_second=14, spread_db=9)
    return flames + with_rms(crackle, 0.6)


@background("birds")
def birds(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """A few birds, each with its own short song, in front of rustling leaves."""
    samples = count(duration_s, sampling_rate)
    sound = 0.02 * noise(random, samples, sampling_rate, band(400, 5000, order=1))
    for strength in (1.0, 0.5, 0.3):
        notes = []
        for _ in range(int(random.integers(2, 5))):
            size = count(random.uniform(0.05, 0.16), sampling_rate)
            turn = np.sin(np.pi * random.uniform(0.5, 2.5) * np.arange(size) / size)
            pitch = random.uniform(2300, 4600) * (1 + random.uniform(-0.3, 0.3) * turn)
            notes.append(harmonics(pitch, [1, 0.15], sampling_rate) * np.hanning(size))
        for moment in times(random, duration_s, random.uniform(0.4, 0.7), jitter=0.25):
            for note in notes:
                place(sound, strength * note, count(moment, sampling_rate))
                moment += len(note) / sampling_rate + 0.04
    return sound


@background("typing")
def typing(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Keys of a computer, each pressed and released, in an office with a humming device."""
    samples = count(duration_s, sampling_rate)
    sound = 0.03 * noise(random, samples, sampling_rate, slope(-4, from_hz=100))
    size = count(0.03, sampling_rate)
    for moment in times(random, duration_s, random.uniform(4.5, 7.0), jitter=0.3):
        for delay_s, share in ((0.0, 1.0), (random.uniform(0.06, 0.1), 0.4)):
            body = [(random.uniform(250, 500), 0.5, 0.03), (random.uniform(1500, 3500), 0.6, 0.015)]
            click = noise(random, size, sampling_rate, band(1200, 6000, order=1))
            key = ringing(body, size, sampling_rate) + 0.5 * click * decay(
                size, sampling_rate, 0.01
            )
            key *= struck(size, sampling_rate, attack_s=0.001, decay_s=0.03)
            at = count(moment + delay_s, sampling_rate)
            place(sound, share * random.uniform(0.5, 1.0) * key, at)
    return sound


@background("dishes")
def dishes(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Plates and cutlery at a table."""
    samples = count(duration_s, sampling_rate)
    sound = 0.015 * noise(random, samples, sampling_rate, slope(-3, from_hz=100))
    plates = [random.uniform(900, 2600) * np.array([1, 1.6, 2.3, 2.9, 3.7]) for _ in range(4)]
    for moment in times(random, duration_s, random.uniform(1.5, 2.5)):
        size = count(0.35, sampling_rate)
        frequencies = plates[int(random.integers(4))] * random.uniform(0.98, 1.02)
        partials = [(f, random.uniform(0.2, 1), random.uniform(0.08, 0.3)) for f in frequencies]
        hit = noise(random, size, sampling_rate, formants([(3000, 3000, 1.0)]))
        clink = ringing(partials, size, sampling_rate) + hit * decay(size, sampling_rate, 0.02)
        clink *= struck(size, sampling_rate, attack_s=0.001, decay_s=1e6)
        place(sound, random.uniform(0.2, 1.0) * clink, count(moment, sampling_rate))
    return sound
