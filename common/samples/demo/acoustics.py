"""Signal processing that gives synthetic speech the cues of an utterance.

All functions take and return float64 arrays of shape (samples,); full scale is 1. Only numpy is
used: the processes that render live for seconds, and scipy takes two of them to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .corpus import SAMPLING_RATE

if TYPE_CHECKING:
    from .speech import Utterance

MARGIN_S = 0.06  # silence kept before and after the speech
FADE_S = 0.01
PASS_HZ = (7200.0, 7900.0)  # flank of the low-pass filter before resampling
UPSAMPLING = 4  # the cubic through four samples then errs by less than -60 dB at 3 kHz
ENVELOPE_S = 0.015
PEAK = 0.97
TILT_CENTRE_HZ = 700.0
TILT_BAND_HZ = (120.0, 7000.0)
LOWEST_HZ = 50.0  # some voices have an offset
BREATH_CORNER_HZ = 1500.0
TREMOR_HZ = 5.5


def render(
    audio: np.ndarray, sampling_rate: int, utterance: Utterance, random: np.random.Generator
) -> np.ndarray:
    """Turn the output of the synthesiser into the file of an utterance.

    Args:
        audio: speech as synthesised, full scale 1
        sampling_rate: its rate in Hz
        utterance: gives formants and cues
        random: generator of this file

    Returns:
        speech at :data:`SAMPLING_RATE`, peak at most :data:`PEAK`
    """
    cues = utterance.cues
    phase = random.uniform(0, 2 * np.pi)
    speech = bend(
        trim(audio, sampling_rate),
        sampling_rate,
        factor=utterance.formants,
        rise_st=cues["contour_st"],
        depth=cues["tremor"],
        phase=phase,
    )
    speech = breathe(tilt(speech, cues["tilt_db"]), cues["breath_db"], random)
    speech = fade(speech)
    speech = speech * (10 ** (cues["level_db"] / 20) / rms(speech))
    speech = speech + 10 ** (cues["floor_db"] / 20) * pink_noise(len(speech), random)
    return speech * min(1.0, PEAK / np.abs(speech).max())


def pcm16(speech: np.ndarray) -> np.ndarray:
    """16 bit integers, rounded to the nearest."""
    return np.clip(np.rint(speech * 32768), -32768, 32767).astype(np.int16)


def rms(speech: np.ndarray) -> float:
    """Root of the mean square; tiny instead of zero, so that it can be divided by."""
    return float(np.sqrt(np.mean(np.square(speech))) + 1e-12)


def trim(speech: np.ndarray, sampling_rate: int) -> np.ndarray:
    """Speech with a margin of silence of :data:`MARGIN_S` at both ends."""
    loud = np.flatnonzero(np.abs(speech) > 0.003 * np.abs(speech).max())
    margin = round(MARGIN_S * sampling_rate)
    padded = np.pad(speech, margin)
    return padded[loud[0] : loud[-1] + 1 + 2 * margin] if len(loud) else padded


def bend(
    speech: np.ndarray,
    sampling_rate: int,
    *,
    factor: float,
    rise_st: float,
    depth: float,
    phase: float,
) -> np.ndarray:
    """Resample with changing speed, which moves F0 and formants.

    Args:
        speech: the signal
        sampling_rate: its rate in Hz
        factor: mean speed
        rise_st: rise of F0 from begin to end in semitones, around the mean
        depth: depth of a tremor, share of F0
        phase: phase of the tremor at the begin, rad

    Returns:
        signal at :data:`SAMPLING_RATE`, shorter in time by ``factor``
    """
    count = max(int(len(speech) / factor * SAMPLING_RATE / sampling_rate), 2)
    time = np.arange(count) / SAMPLING_RATE
    rise = rise_st * np.linspace(-0.5, 0.5, count) / 12
    speed = 2**rise * (1 + depth * np.sin(2 * np.pi * TREMOR_HZ * time + phase))
    position = np.cumsum(speed)
    position = (position - position[0]) * (len(speech) - 1) / (position[-1] - position[0])
    return _cubic(_upsample(speech, sampling_rate), position * UPSAMPLING)


def _upsample(speech: np.ndarray, sampling_rate: int) -> np.ndarray:
    """Low-pass filtered signal at :data:`UPSAMPLING` times the rate."""
    size = _fft_size(len(speech))
    frequency = np.fft.rfftfreq(size, 1 / sampling_rate)
    gain = np.interp(frequency, PASS_HZ, (1.0, 0.0))
    wide = np.fft.irfft(np.fft.rfft(speech, size) * gain, size * UPSAMPLING)
    return np.asarray(wide[: len(speech) * UPSAMPLING] * UPSAMPLING)


def _cubic(speech: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Values between samples: cubics through four samples (Catmull and Rom)."""
    padded = np.pad(speech, (1, 2), mode="edge")
    first = np.minimum(position.astype(np.int64), len(speech) - 1)
    t = position - first
    a, b, c, d = (padded[first + shift] for shift in range(4))
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))


def _fft_size(count: int) -> int:
    """Next length of which the transform is fast.

    >>> _fft_size(1000), _fft_size(1025), _fft_size(1300)
    (1024, 1152, 1536)
    """
    return min(m * 2 ** int(np.ceil(np.log2(max(count, m) / m))) for m in (1, 3, 5, 9))


def tilt(speech: np.ndarray, slope_db: float) -> np.ndarray:
    """Change the spectral slope by ``slope_db`` dB per octave, without change of phase.

    What lies below :data:`LOWEST_HZ` is taken away.
    """
    size = _fft_size(len(speech) + 512)
    frequency = np.fft.rfftfreq(size, 1 / SAMPLING_RATE)
    octaves = np.log2(np.clip(frequency, *TILT_BAND_HZ) / TILT_CENTRE_HZ)
    gain = 10 ** (slope_db * octaves / 20) / np.sqrt(1 + (LOWEST_HZ / (frequency + 1)) ** 8)
    return np.asarray(np.fft.irfft(np.fft.rfft(speech, size) * gain, size)[: len(speech)])


def breathe(speech: np.ndarray, level_db: float, random: np.random.Generator) -> np.ndarray:
    """Add noise that follows the envelope of the voice, ``level_db`` below or above it."""
    noise = high_noise(len(speech), BREATH_CORNER_HZ, random)
    breath = noise * smooth(smooth(np.abs(speech)))
    return speech + breath * (10 ** (level_db / 20) * rms(speech) / rms(breath))


def smooth(envelope: np.ndarray) -> np.ndarray:
    """Moving average over :data:`ENVELOPE_S`, of the same length."""
    half = round(ENVELOPE_S * SAMPLING_RATE / 2)
    sums = np.cumsum(np.pad(envelope, (half + 1, half)))
    return (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)


def fade(speech: np.ndarray) -> np.ndarray:
    """Raise and lower both ends with half a cosine of :data:`FADE_S`."""
    count = min(round(FADE_S * SAMPLING_RATE), len(speech) // 2)
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / max(count, 1))
    faded = speech.copy()
    faded[:count] *= ramp
    faded[len(faded) - count :] *= ramp[::-1]
    return faded


def pink_noise(count: int, random: np.random.Generator) -> np.ndarray:
    """Noise with a spectrum of -3 dB per octave and an RMS of 1."""
    size = _fft_size(count)
    spectrum = np.fft.rfft(random.standard_normal(size))
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 4)), size)[:count]
    return np.asarray(noise / rms(noise))


def high_noise(count: int, corner_hz: float, random: np.random.Generator) -> np.ndarray:
    """White noise behind a high-pass filter of first order."""
    size = _fft_size(count)
    frequency = np.fft.rfftfreq(size, 1 / SAMPLING_RATE)
    spectrum = (
        np.fft.rfft(random.standard_normal(size)) * frequency / np.hypot(frequency, corner_hz)
    )
    return np.asarray(np.fft.irfft(spectrum, size)[:count])
