"""Background noise at a signal-to-noise ratio; the overall level stays the same.

The mix is ``signal + gain x noise``, brought back to the RMS level of the signal by
:func:`~common.perturbations.levels.level_as`. A silent signal has no ratio to anything and
stays as it is. A silent piece of a recording is drawn again, at most :data:`DRAWS` times.
"""

from __future__ import annotations

import numpy as np

from ..core.errors import DataError
from .base import Choice, Recordings, draw, perturbation
from .basics import white
from .levels import factor, is_silent, level_as, noise_gain, power

#: how often a silent piece of a recording is drawn again
DRAWS = 20


@perturbation("white_background")
def white_background(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, snr_db: Choice
) -> np.ndarray:
    """White noise in the background, each channel its own.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws ratio and noise
        snr_db: ratio of the RMS levels in dB
    """
    ratio_db = draw(rng, snr_db)
    return mix(signal, power(signal), white(rng, signal.shape), ratio_db)


@perturbation("background")
def background(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    corpus: Recordings,
    snr_db: Choice,
) -> np.ndarray:
    """A recording in the background, from a random place of a random recording.

    A recording that ends too early goes on at its own beginning.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws ratio, recording and place
        corpus: recordings
        snr_db: ratio of the RMS levels in dB

    Raises:
        DataError: if all pieces that are drawn are silent
    """
    ratio_db = draw(rng, snr_db)
    signal_power = power(signal)
    if is_silent(signal_power):
        return signal
    return mix(
        signal, signal_power, _audible(corpus, rng, signal.shape[1], sampling_rate), ratio_db
    )


@perturbation("babble")
def babble(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    corpus: Recordings,
    fewest: int,
    most: int,
    lowest_db: int,
    highest_db: int,
    snr_db: Choice,
) -> np.ndarray:
    """Several voices in the background, each from a random place of a random recording.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws ratio, number of voices, and for each recording, gain and place
        corpus: recordings of speech
        fewest: smallest number of voices
        most: largest number of voices
        lowest_db: smallest gain of a voice, integers between are drawn
        highest_db: largest gain of a voice
        snr_db: ratio of the RMS levels in dB

    Raises:
        DataError: if all pieces that are drawn are silent
    """
    ratio_db = draw(rng, snr_db)
    signal_power = power(signal)
    if is_silent(signal_power):
        return signal
    voices = np.zeros((1, signal.shape[1]), dtype=np.float32)
    for _ in range(int(rng.integers(fewest, most, endpoint=True))):
        loudness = factor(int(rng.integers(lowest_db, highest_db, endpoint=True)))
        voices += np.float32(loudness) * _audible(corpus, rng, signal.shape[1], sampling_rate)
    return mix(signal, signal_power, voices, ratio_db)


@perturbation("event")
def event(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    corpus: Recordings,
    snr_db: Choice,
) -> np.ndarray:
    """A short sound, once, at a random place where all of it fits.

    The ratio holds for the part of the signal that the sound covers; where that is silent, for
    the whole signal. Of a sound longer than the signal the part with the most energy is used.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws ratio, recording and place
        corpus: recordings of single sounds
        snr_db: ratio of the RMS levels in dB

    Raises:
        DataError: if all recordings that are drawn are silent
    """
    ratio_db = draw(rng, snr_db)
    signal_power = power(signal)
    if is_silent(signal_power):
        return signal
    length = signal.shape[1]
    sound = _sound(corpus, rng, length, sampling_rate)
    start = int(rng.integers(length - sound.shape[1], endpoint=True))
    part = slice(start, start + sound.shape[1])
    sound_power = power(sound)
    gain = noise_gain(power(signal[:, part]), sound_power, ratio_db)
    gain = np.where(gain > 0, gain, noise_gain(signal_power, sound_power, ratio_db))
    mixed = signal.copy()
    mixed[:, part] += gain.astype(np.float32) * sound
    return level_as(mixed, signal_power)


def mix(
    signal: np.ndarray, signal_power: np.ndarray, noise: np.ndarray, snr_db: float
) -> np.ndarray:
    """Signal with noise at a ratio of their RMS levels, at the level of the signal.

    Args:
        signal: shape (channels, samples)
        signal_power: its power, shape (channels, 1)
        noise: shape (channels, samples) or (1, samples)
        snr_db: ratio in dB
    """
    gain = noise_gain(signal_power, power(noise), snr_db).astype(np.float32)
    return level_as(signal + gain * noise, signal_power)


def _audible(
    corpus: Recordings, rng: np.random.Generator, samples: int, sampling_rate: int
) -> np.ndarray:
    """Random piece that is not silent, shape (1, samples)."""
    for _ in range(DRAWS):
        number, position = int(rng.integers(len(corpus))), float(rng.random())
        noise = corpus.excerpt(number, position, samples, sampling_rate)[None, :]
        if not is_silent(power(noise)):
            return noise
    raise DataError(f"{corpus.name}: {DRAWS} pieces of {samples} samples were drawn, all silent")


def _sound(
    corpus: Recordings, rng: np.random.Generator, longest: int, sampling_rate: int
) -> np.ndarray:
    """Random sound that is not silent, shape (1, samples), at most ``longest`` samples."""
    for _ in range(DRAWS):
        sound = corpus.whole(int(rng.integers(len(corpus))), sampling_rate)[None, :]
        if sound.shape[1] > longest:
            energy = np.concatenate([[0.0], np.cumsum(np.square(sound[0], dtype=np.float64))])
            best = int(np.argmax(energy[longest:] - energy[:-longest]))
            sound = sound[:, best : best + longest]
        if not is_silent(power(sound)):
            return sound
    raise DataError(f"{corpus.name}: {DRAWS} sounds were drawn, all silent")
