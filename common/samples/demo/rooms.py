"""Simulated rooms: impulse responses of boxes by the method of mirror images.

Every wall mirrors the source; so do the images (Allen and Berkley, 1979). An image at a
distance ``d`` that ``n`` walls have mirrored contributes ``r**n / d`` at the time ``d / c``. The
reflection factor ``r`` is chosen per frequency band such that the response falls by 60 dB in the
time that is asked for. Images are moved by a few centimetres, as walls are never that plane;
otherwise regular boxes ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import ConfigError
from .dsp import band, fft_size, filtered

SOUND_M_S = 343.0
#: borders between the bands, in Hz
BORDERS_HZ = (500.0, 2000.0)
#: attenuation by air in the bands, 1/m (amplitude)
AIR = (0.0001, 0.0006, 0.003)
#: reverberation time of the bands, share of that in the middle
TIMES = (1.15, 1.0, 0.75)
#: images per sample in time, before the low-pass at half of the sampling rate
FINER = 4
JITTER_M = 0.04
#: part of the decay that its time is measured on, in dB
MEASURED_DB = (-5.0, -25.0)
STEPS = 6
#: a room whose time differs by a larger share is refused
CLOSE = 0.05


@dataclass(frozen=True)
class Images:
    """Mirror images of a source: distance in m and number of reflections of each."""

    distance_m: np.ndarray
    reflections: np.ndarray


def images(
    size_m: Sequence[float],
    source_m: Sequence[float],
    microphone_m: Sequence[float],
    duration_s: float,
    random: np.random.Generator,
) -> Images:
    """All images that are heard within a time.

    Args:
        size_m: length, width and height of the room
        source_m: place of the source, inside
        microphone_m: place of the microphone, inside
        duration_s: latest arrival
        random: moves the images
    """
    reach = duration_s * SOUND_M_S
    axes, counts = [], []
    for size, source, microphone in zip(size_m, source_m, microphone_m, strict=True):
        most = int(np.ceil(reach / (2 * size))) + 1
        number = np.arange(-most, most + 1)
        ways = [(1 - 2 * p) * source + 2 * number * size - microphone for p in (0, 1)]
        axes.append(np.concatenate(ways))
        counts.append(np.concatenate([np.abs(number - p) + np.abs(number) for p in (0, 1)]))
    near = [np.abs(axis) <= reach for axis in axes]
    (x, y, z), (i, j, k) = (
        [values[inside] for values, inside in zip(group, near, strict=True)]
        for group in (axes, counts)
    )
    square = (x**2)[:, None, None] + (y**2)[None, :, None] + (z**2)[None, None, :]
    heard = square <= reach**2
    reflections = (i[:, None, None] + j[None, :, None] + k[None, None, :])[heard]
    distance = np.sqrt(square[heard])
    moved = distance + random.uniform(-JITTER_M, JITTER_M, len(distance))
    return Images(np.where(reflections > 0, np.maximum(moved, 0.1), distance), reflections)


def response(
    size_m: Sequence[float],
    source_m: Sequence[float],
    microphone_m: Sequence[float],
    rt60_s: float,
    sampling_rate: int,
    random: np.random.Generator,
) -> np.ndarray:
    """Impulse response, beginning with the direct sound, peak 0.9.

    Args:
        size_m: length, width and height of the room
        source_m: place of the source, inside
        microphone_m: place of the microphone, inside
        rt60_s: time in which the sound in the middle band falls by 60 dB
        sampling_rate: in Hz
        random: moves the images

    Returns:
        float64, shape (samples,)
    """
    duration_s = 1.1 * rt60_s * max(TIMES)
    mirrors = images(size_m, source_m, microphone_m, duration_s, random)
    rate = FINER * sampling_rate
    first = mirrors.distance_m.min()
    at = np.rint((mirrors.distance_m - first) / SOUND_M_S * rate).astype(np.int64)
    samples = int(duration_s * sampling_rate)
    size = fft_size(samples + sampling_rate // 10)
    frequency = np.fft.rfftfreq(size, 1 / sampling_rate)
    spectrum = np.zeros(len(frequency), dtype=complex)
    for weight, share, air in zip(_bands(frequency), TIMES, AIR, strict=True):
        strength = _strength(mirrors, share * rt60_s, air)
        train = np.bincount(at, strength, minlength=FINER * size)[: FINER * size]
        spectrum += weight * np.fft.rfft(train)[: len(frequency)]
    # a low-pass just below half of the rate, so that the images do not ring
    spectrum *= np.interp(frequency, [0.44 * sampling_rate, 0.5 * sampling_rate], [1.0, 0.0])
    heard = filtered(np.fft.irfft(spectrum, size)[:samples], sampling_rate, band(40, np.inf))
    heard[-samples // 10 :] *= np.linspace(1, 0, len(heard[-samples // 10 :]))
    return np.asarray(0.9 * heard / np.abs(heard).max())


def _bands(frequency: np.ndarray) -> list[np.ndarray]:
    """Weights of the bands, which add up to one, over an octave at each border."""
    octave = np.log2(np.maximum(frequency, 1.0))
    above = [
        0.5 - 0.5 * np.cos(np.pi * np.clip(octave - np.log2(border) + 0.5, 0, 1))
        for border in BORDERS_HZ
    ]
    return [1 - above[0], above[0] - above[1], above[1]]


def _strength(mirrors: Images, rt60_s: float, air: float) -> np.ndarray:
    """Amplitude of every image, so that the sound falls by 60 dB in ``rt60_s``.

    The time follows from the reflection factor by no simple formula; a few steps of a
    fixed-point iteration on its logarithm find it. Close to its source a sound falls below what is measured
    as soon as its direct part has passed: there, the decay of the reflections alone is measured.

    Raises:
        ConfigError: if no reflection factor gives this time
    """
    spread = np.exp(-air * mirrors.distance_m) / mirrors.distance_m
    time = np.rint((mirrors.distance_m - mirrors.distance_m.min()) / SOUND_M_S * 1000).astype(
        np.int64
    )

    def energy(strength: np.ndarray, loss: float) -> np.ndarray:
        return np.bincount(time, (strength * np.exp(-loss * mirrors.reflections)) ** 2)

    loss = 0.4  # -log of the reflection factor
    is_close = len(_fall(_level(energy(spread, loss)))) < 2
    measured = np.where(mirrors.reflections > 0, spread, 0.0) if is_close else spread
    for _ in range(STEPS):
        loss *= decay_time(energy(measured, loss), 1000) / rt60_s
    reached = decay_time(energy(measured, loss), 1000) if loss > 0 else 0.0
    if not abs(reached / rt60_s - 1) < CLOSE:
        raise ConfigError(f"no walls let the sound of this room fall by 60 dB in {rt60_s:g} s")
    return np.asarray(spread * np.exp(-loss * mirrors.reflections))


def _level(energy: np.ndarray) -> np.ndarray:
    """What is left of a sound over time, in dB of the whole."""
    left = np.cumsum(energy[::-1])[::-1]
    return np.asarray(10 * np.log10(np.maximum(left / left[0], 1e-12)))


def _fall(level: np.ndarray) -> np.ndarray:
    """Places of the part of a decay that is measured."""
    return np.flatnonzero((level <= MEASURED_DB[0]) & (level >= MEASURED_DB[1]))


def decay_time(energy: np.ndarray, per_second: float) -> float:
    """Seconds until a sound has fallen by 60 dB, from a line through a part of its decay.

    Args:
        energy: energy over time, shape (N,)
        per_second: number of values per second

    >>> round(decay_time(10 ** (-6 * np.arange(2000) / 500), 1000), 3)
    0.5
    """
    level = _level(energy)
    inside = _fall(level)
    if len(inside) < 2:
        inside = np.arange(min(2, len(level)))
    slope = np.polyfit(inside / per_second, level[inside], 1)[0]
    return float(-60 / slope)
