"""Synthesised short sounds, each a single event: cough, sneeze, knock, bark, horn, alarm.

They are registered with the other ones, ``SOUNDS.get("cough")(random, sampling_rate,
duration_s)``, but are as long as they are: ``duration_s`` is the longest that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .dsp import (
    band,
    count,
    decay,
    faded,
    filtered,
    formants,
    harmonics,
    noise,
    place,
    ringing,
    struck,
)
from .sounds import SOUNDS, Make, bell

#: names of the short sounds
BURSTS: list[str] = []
PEAK = 0.5
FADE_S = 0.005
#: share of the peak below which the end of a sound is cut off
AUDIBLE = 0.003
#: formants of the throat and mouth of an average adult, for (centre, width, height)
OPEN = ((750, 160, 1.0), (1250, 200, 0.7), (2600, 300, 0.35), (3600, 500, 0.2))
ROUND = ((380, 100, 1.0), (1000, 160, 0.45), (2300, 250, 0.2))


def burst(name: str) -> Callable[[Make], Make]:
    """Decorator that registers a short sound; its peak becomes :data:`PEAK`."""

    def add(make: Make) -> Make:
        def made(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
            sound = make(random, sampling_rate, duration_s)[: count(duration_s, sampling_rate)]
            sound = filtered(sound - sound.mean(), sampling_rate, band(40, np.inf))
            loud = np.flatnonzero(np.abs(sound) > AUDIBLE * np.abs(sound).max())
            sound = faded(sound[: int(loud[-1]) + 1], sampling_rate, FADE_S)
            return sound * (PEAK / float(np.abs(sound).max()))

        made.__doc__ = make.__doc__
        BURSTS.append(name)
        return SOUNDS.add(name, made)

    return add


def _scaled(
    peaks: tuple[tuple[float, float, float], ...], tract: float
) -> list[tuple[float, float, float]]:
    """Formants of a shorter (above 1) or longer mouth."""
    return [(centre * tract, width * tract, height) for centre, width, height in peaks]


def _voice(
    random: np.random.Generator, samples: int, sampling_rate: int, start_hz: float, end_hz: float
) -> np.ndarray:
    """Rough buzz of vocal folds that glides and jitters, RMS about 1."""
    glide = np.geomspace(start_hz, end_hz, samples)
    rough = noise(random, samples, sampling_rate, band(0, 60))
    return harmonics(glide * (1 + 0.03 * rough), [1 / n for n in range(1, 40)], sampling_rate)


@burst("cough")
def cough(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """One to three coughs: the glottis bursts open, air follows, and often a voiced end."""
    tract, pitch_hz = random.uniform(0.9, 1.15), random.uniform(110, 260)
    number = int(random.integers(1, 4))
    sound = np.zeros(count(0.42 * number + 0.15, sampling_rate))
    moment = 0.01
    for index in range(number):
        piece = _one_cough(random, sampling_rate, tract, pitch_hz * random.uniform(0.9, 1.1))
        place(sound, piece * random.uniform(0.75, 1.0) * 0.88**index, count(moment, sampling_rate))
        moment += random.uniform(0.28, 0.42)
    return sound


def _one_cough(
    random: np.random.Generator, sampling_rate: int, tract: float, pitch_hz: float
) -> np.ndarray:
    samples = count(random.uniform(0.28, 0.4), sampling_rate)
    mouth = formants(_scaled(OPEN, tract), floor=0.06)
    air = noise(random, samples, sampling_rate, mouth)
    thud = noise(random, samples, sampling_rate, band(90, 500))
    burst_shape = struck(samples, sampling_rate, attack_s=0.004, decay_s=0.09)
    flow = struck(samples, sampling_rate, attack_s=0.02, decay_s=random.uniform(0.22, 0.34))
    sound = burst_shape * (1.2 * air + 0.8 * thud) + 0.5 * flow * air
    if random.uniform() < 0.7:
        at = count(random.uniform(0.1, 0.15), sampling_rate)
        rest = samples - at
        buzz = _voice(random, rest, sampling_rate, pitch_hz * 1.15, pitch_hz * 0.75)
        shape = struck(rest, sampling_rate, attack_s=0.03, decay_s=random.uniform(0.25, 0.4))
        voiced = filtered(buzz * shape, sampling_rate, mouth)
        place(sound, random.uniform(0.1, 0.3) * voiced, at)
    return faded(sound, sampling_rate, 0.003)


@burst("sneeze")
def sneeze(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Breath is drawn in, held for a moment, and let go through teeth and nose."""
    tract, pitch_hz = random.uniform(0.9, 1.15), random.uniform(130, 280)
    drawn = count(random.uniform(0.2, 0.45), sampling_rate)
    held = count(random.uniform(0.03, 0.1), sampling_rate)
    free = count(random.uniform(0.35, 0.55), sampling_rate)
    sound = np.zeros(drawn + held + free)
    ramp = np.sin(0.5 * np.pi * np.arange(drawn) / drawn) ** 2
    ramp *= np.clip((drawn - np.arange(drawn)) / (0.04 * sampling_rate), 0, 1)
    mouth = formants(_scaled(OPEN, tract), floor=0.05)
    breath = noise(random, drawn, sampling_rate, mouth)
    gasp = filtered(
        _voice(random, drawn, sampling_rate, pitch_hz, pitch_hz * 1.4), sampling_rate, mouth
    )
    place(sound, ramp * (0.07 * breath + random.uniform(0, 0.06) * gasp), 0)
    hiss = noise(random, free, sampling_rate, band(2200 * tract, 6500, order=2))
    puff = noise(random, free, sampling_rate, band(150, 1500, order=1))
    quick = struck(free, sampling_rate, attack_s=0.006, decay_s=0.12)
    long = struck(free, sampling_rate, attack_s=0.015, decay_s=random.uniform(0.3, 0.5))
    release = (0.9 * quick + 0.55 * long) * hiss + 0.8 * quick * puff
    buzz = _voice(random, free, sampling_rate, pitch_hz * 1.3, pitch_hz * 0.8)
    late = struck(free, sampling_rate, attack_s=0.07, decay_s=random.uniform(0.3, 0.45))
    voiced = filtered(buzz * late, sampling_rate, formants(_scaled(ROUND, tract)))
    place(sound, release + random.uniform(0.1, 0.35) * voiced, drawn + held)
    return sound


@burst("knock")
def knock(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """Knuckles on a wooden door, two to four times."""
    number, wood_hz = int(random.integers(2, 5)), random.uniform(160, 260)
    gap_s = random.uniform(0.16, 0.24)
    sound = np.zeros(count(gap_s * number + 0.2, sampling_rate))
    for index in range(number):
        size = count(0.15, sampling_rate)
        partials = [
            (wood_hz * f, a, t) for f, a, t in ((1, 1.0, 0.12), (2.1, 0.6, 0.08), (3.4, 0.4, 0.05))
        ]
        tap = noise(random, size, sampling_rate, band(500, 4000)) * decay(
            size, sampling_rate, 0.015
        )
        piece = (ringing(partials, size, sampling_rate) + 0.4 * tap) * random.uniform(0.8, 1.0)
        rise = struck(size, sampling_rate, attack_s=0.001, decay_s=1e6)
        place(sound, piece * rise, count(0.01 + gap_s * index, sampling_rate))
    return sound


@burst("bark")
def bark(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """A dog barks one to three times."""
    number, pitch_hz = int(random.integers(1, 4)), random.uniform(350, 600)
    tract = random.uniform(0.9, 1.3)
    sound = np.zeros(count(0.38 * number, sampling_rate))
    for index in range(number):
        samples = count(random.uniform(0.16, 0.24), sampling_rate)
        arch = np.sin(np.pi * np.linspace(0.15, 0.95, samples))
        pitch = pitch_hz * (0.7 + 0.5 * arch)
        rough = 1 + 0.04 * noise(random, samples, sampling_rate, band(0, 90))
        buzz = harmonics(pitch * rough, [1 / n**0.7 for n in range(1, 16)], sampling_rate)
        air = noise(random, samples, sampling_rate, band(300, 4000, order=1))
        mouth = formants([(800 * tract, 350, 1.0), (1700 * tract, 500, 0.6)], floor=0.08)
        piece = filtered(buzz + 0.5 * air, sampling_rate, mouth) * arch**0.7
        piece = faded(piece, sampling_rate, 0.008)
        place(sound, piece * random.uniform(0.8, 1.0), count(0.01 + 0.36 * index, sampling_rate))
    return sound


@burst("horn")
def horn(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """The horn of a car: two notes a third apart, once or twice."""
    pitch_hz, number = random.uniform(380, 460), int(random.integers(1, 3))
    sound = np.zeros(count(0.65 * number, sampling_rate))
    for index in range(number):
        samples = count(random.uniform(0.3, 0.5), sampling_rate)
        steady = np.ones(samples)
        chord = sum(
            harmonics(pitch_hz * ratio * steady, [1 / n**0.6 for n in range(1, 14)], sampling_rate)
            for ratio in (1.0, 1.25)
        )
        piece = filtered(np.asarray(chord), sampling_rate, band(400, 3500, order=1))
        place(sound, faded(piece, sampling_rate, 0.03), count(0.01 + 0.6 * index, sampling_rate))
    return sound


@burst("alarm")
def alarm(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """The beeps of an alarm clock or a smoke detector."""
    pitch_hz, beep_s = random.uniform(1800, 3200), random.uniform(0.08, 0.16)
    number = max(int(min(duration_s, random.uniform(0.9, 1.8)) / (2 * beep_s)), 1)
    sound = np.zeros(count(2 * beep_s * number, sampling_rate))
    for index in range(number):
        pitch = np.full(count(beep_s, sampling_rate), pitch_hz)
        beep = faded(harmonics(pitch, [1, 0, 0.3], sampling_rate), sampling_rate, 0.006)
        place(sound, beep, count(0.005 + 2 * beep_s * index, sampling_rate))
    return sound


@burst("chime")
def chime(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
    """The bell of a door: two tones, ding and dong."""
    high_hz = random.uniform(600, 800)
    sound = np.zeros(count(1.8, sampling_rate))
    for index, ratio in enumerate((1.0, 0.8)):
        at = count(0.01 + 0.5 * index, sampling_rate)
        tone = bell(high_hz * ratio, len(sound) - at, sampling_rate)
        place(sound, tone * decay(len(tone), sampling_rate, 1.6), at)
    return sound
