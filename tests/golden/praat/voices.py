"""Synthetic speech whose pitch moves: pulses behind resonances, hisses and pauses."""

from __future__ import annotations

import random

import numpy as np
from scipy.signal import lfilter

RATE = 16000
COUNT = 40
#: frequencies in Hz of three resonances, as of five vowels
VOWELS = (
    (700, 1200, 2500),
    (300, 2200, 2900),
    (320, 800, 2300),
    (500, 1800, 2500),
    (500, 900, 2400),
)
WIDTHS_HZ = (80, 120, 200)


def noise(draw: random.Random, n: int) -> np.ndarray:
    """White noise in [-1, 1], shape (n,), the same with any version of numpy."""
    return np.array([2 * draw.random() - 1 for _ in range(n)])


def utterance(number: int) -> np.ndarray:
    """One of :data:`COUNT` utterances of about two seconds, at 16000 Hz.

    Every second one is of a low voice. Pitch falls along the utterance and moves within each
    syllable; some syllables begin with a hiss, some are followed by a pause.
    """
    draw = random.Random(number)
    low, high = ((85, 150), (160, 290))[number % 2]
    base_hz = low + (high - low) * draw.random()
    parts = [np.zeros(int(0.05 * RATE))]
    syllables = 6 + number % 4
    for place in range(syllables):
        if draw.random() < 0.5:
            parts.append(0.02 * noise(draw, int((0.04 + 0.05 * draw.random()) * RATE)))
        fall = 1.15 - 0.35 * place / syllables
        parts.append(_syllable(draw, base_hz * fall))
        if draw.random() < 0.4:
            parts.append(np.zeros(int((0.03 + 0.1 * draw.random()) * RATE)))
    signal = np.concatenate(parts)
    return signal + 2e-4 * noise(draw, len(signal))


def _syllable(draw: random.Random, pitch_hz: float) -> np.ndarray:
    n = int((0.14 + 0.14 * draw.random()) * RATE)
    time = np.arange(n) / n
    bend = 0.25 * (draw.random() - 0.5)
    phase = np.cumsum(pitch_hz * (1 + bend * time + 0.06 * np.sin(np.pi * time))) / RATE
    # a band-limited pulse train: harmonics that fall by 6 dB per octave
    harmonics = range(1, int(6000 / (1.4 * pitch_hz)))
    source = sum(np.cos(2 * np.pi * k * phase) / k for k in harmonics)
    source = source + 0.05 * noise(draw, n)
    for frequency, width in zip(VOWELS[int(5 * draw.random())], WIDTHS_HZ, strict=True):
        radius = np.exp(-np.pi * width / RATE)
        poles = [1, -2 * radius * np.cos(2 * np.pi * frequency / RATE), radius**2]
        source = lfilter([sum(poles)], poles, source)
    envelope = np.minimum(1, 12 * np.minimum(time, 1 - time))
    return 0.3 * (0.4 + 0.6 * draw.random()) * envelope * source / np.abs(source).max()
