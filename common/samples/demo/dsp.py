"""Building blocks of synthesised sounds: filters, envelopes, slow curves.

All functions take and return float64 arrays of shape (samples,). Only numpy is used: the
processes that render live for seconds, and scipy takes two of them to import. Filters have no
phase: they weight the spectrum of the whole sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

#: frequency in Hz, shape (bins,) -> factor
Gain = Callable[[np.ndarray], np.ndarray]


def count(duration_s: float, sampling_rate: int) -> int:
    """Number of samples of a duration, at least one.

    >>> count(0.5, 16000)
    8000
    """
    return max(round(duration_s * sampling_rate), 1)


def fft_size(samples: int) -> int:
    """Next length of which the transform is fast.

    >>> fft_size(1000), fft_size(1025), fft_size(1300)
    (1024, 1152, 1536)
    """
    return min(m * 2 ** int(np.ceil(np.log2(max(samples, m) / m))) for m in (1, 3, 5, 9))


def filtered(sound: np.ndarray, sampling_rate: int, gain: Gain) -> np.ndarray:
    """Sound with another spectrum."""
    size = fft_size(len(sound) + 1024)
    weight = gain(np.fft.rfftfreq(size, 1 / sampling_rate))
    return np.asarray(np.fft.irfft(np.fft.rfft(sound, size) * weight, size)[: len(sound)])


def convolved(sound: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Convolution, cut to the length of the sound."""
    size = fft_size(len(sound) + len(kernel))
    spectrum = np.fft.rfft(sound, size) * np.fft.rfft(kernel, size)
    return np.asarray(np.fft.irfft(spectrum, size)[: len(sound)])


def band(low_hz: float, high_hz: float, *, order: int = 2) -> Gain:
    """Band-pass with the magnitude of Butterworth filters; 0 and infinity leave a side open."""

    def gain(frequency: np.ndarray) -> np.ndarray:
        weight = np.ones_like(frequency)
        if low_hz > 0:
            ratio = np.maximum(frequency, 1e-3) / low_hz
            weight /= np.sqrt(1 + ratio ** (-2.0 * order))
        if np.isfinite(high_hz):
            weight /= np.sqrt(1 + (frequency / high_hz) ** (2.0 * order))
        return weight

    return gain


def slope(db_per_octave: float, *, from_hz: float = 20.0) -> Gain:
    """Spectrum that falls or rises; constant below ``from_hz``, without what cannot be heard.

    >>> slope(-6.0)(np.array([1000.0, 2000.0])).round(3).tolist()
    [0.02, 0.01]
    """

    def gain(frequency: np.ndarray) -> np.ndarray:
        octaves = np.log2(np.maximum(frequency, from_hz) / from_hz)
        return np.asarray(10 ** (db_per_octave * octaves / 20) * band(from_hz, np.inf)(frequency))

    return gain


def formants(peaks: Iterable[tuple[float, float, float]], *, floor: float = 0.02) -> Gain:
    """Resonances.

    Args:
        peaks: centre in Hz, width in Hz and height of each
        floor: factor far from all of them
    """

    def gain(frequency: np.ndarray) -> np.ndarray:
        weight = np.full_like(frequency, floor)
        for centre_hz, width_hz, height in peaks:
            weight += height / (1 + ((frequency - centre_hz) / (0.5 * width_hz)) ** 2)
        return weight

    return gain


def noise(random: np.random.Generator, samples: int, sampling_rate: int, gain: Gain) -> np.ndarray:
    """Gaussian noise of a spectrum, RMS 1."""
    size = fft_size(samples)
    weight = gain(np.fft.rfftfreq(size, 1 / sampling_rate))
    sound = np.fft.irfft(np.fft.rfft(random.standard_normal(size)) * weight, size)[:samples]
    return with_rms(sound, 1.0)


def slow(
    random: np.random.Generator, samples: int, sampling_rate: int, per_second: float
) -> np.ndarray:
    """Smooth random curve in [0, 1] that takes about ``per_second`` new values a second."""
    nodes = int(np.ceil(samples / sampling_rate * per_second)) + 3
    place = np.arange(samples) * per_second / sampling_rate + random.uniform()
    values, first = random.uniform(size=nodes), place.astype(np.int64)
    weight = 0.5 - 0.5 * np.cos(np.pi * (place - first))
    return np.asarray(values[first] * (1 - weight) + values[first + 1] * weight)


def decay(samples: int, sampling_rate: int, time_s: float) -> np.ndarray:
    """Envelope that falls by 60 dB in ``time_s``."""
    return np.asarray(10 ** (-3 * np.arange(samples) / (time_s * sampling_rate)))


def struck(
    samples: int, sampling_rate: int, *, attack_s: float, decay_s: float, hold_s: float = 0.0
) -> np.ndarray:
    """Envelope that rises within ``attack_s``, holds, and falls by 60 dB in ``decay_s``."""
    time = np.arange(samples) / sampling_rate
    rise = np.sin(0.5 * np.pi * np.clip(time / max(attack_s, 1e-4), 0, 1)) ** 2
    return np.asarray(rise * 10 ** (-3 * np.maximum(time - attack_s - hold_s, 0) / decay_s))


def tone(frequency_hz: np.ndarray | float, samples: int, sampling_rate: int) -> np.ndarray:
    """Sine of a constant or changing frequency that starts with phase 0."""
    track = np.broadcast_to(np.asarray(frequency_hz, dtype=np.float64), (samples,))
    return np.sin(2 * np.pi * (np.cumsum(track) - track[:1]) / sampling_rate)


def harmonics(
    frequency_hz: np.ndarray, amplitudes: Sequence[float], sampling_rate: int
) -> np.ndarray:
    """Sum of the multiples of a changing frequency; what the rate cannot hold is left out."""
    first = np.exp(2j * np.pi * np.cumsum(frequency_hz) / sampling_rate)
    turning, sound = np.ones_like(first), np.zeros(len(frequency_hz))
    for number, amplitude in enumerate(amplitudes, 1):
        if number * frequency_hz.max() >= 0.48 * sampling_rate:
            break
        turning *= first  # much cheaper than one sine for each
        sound += amplitude * turning.imag
    return sound


def ringing(
    partials: Iterable[tuple[float, float, float]], samples: int, sampling_rate: int
) -> np.ndarray:
    """Damped sines: frequency in Hz, amplitude, and seconds until it has fallen by 60 dB."""
    sound = np.zeros(samples)
    for frequency_hz, amplitude, time_s in partials:
        if frequency_hz < 0.48 * sampling_rate:
            sound += (
                amplitude
                * decay(samples, sampling_rate, time_s)
                * tone(frequency_hz, samples, sampling_rate)
            )
    return sound


def times(
    random: np.random.Generator, duration_s: float, per_second: float, *, jitter: float = 1.0
) -> np.ndarray:
    """Moments in [0, ``duration_s``).

    Args:
        random: draws them
        duration_s: until when
        per_second: how many in the mean
        jitter: deviation from a regular beat, share of its distance; 1: independent of each
            other
    """
    if jitter >= 1:
        return np.sort(random.uniform(0, duration_s, random.poisson(duration_s * per_second)))
    beat = np.arange(0, duration_s, 1 / per_second)
    moments = (
        beat + random.uniform(0, 1 / per_second) + random.normal(0, jitter / per_second, len(beat))
    )
    return np.sort(moments[(moments >= 0) & (moments < duration_s)])


def place(sound: np.ndarray, piece: np.ndarray, at: int) -> None:
    """Add a piece to a sound in place; what lies behind its end is lost."""
    piece = piece[: max(len(sound) - at, 0)]
    sound[at : at + len(piece)] += piece


def scattered(
    random: np.random.Generator,
    kernels: Sequence[np.ndarray],
    samples: int,
    sampling_rate: int,
    *,
    per_second: float,
    spread_db: float,
) -> np.ndarray:
    """Many short pieces at random moments, each louder or softer by a normal deviation."""
    sound = np.zeros(samples)
    for kernel in kernels:
        moments = times(random, samples / sampling_rate, per_second / len(kernels))
        train = np.zeros(samples)
        at = np.minimum((moments * sampling_rate).astype(np.int64), samples - 1)
        np.add.at(train, at, 10 ** (random.normal(0, spread_db, len(at)) / 20))
        sound += convolved(train, kernel)
    return sound


def with_rms(sound: np.ndarray, level: float) -> np.ndarray:
    """Sound with an RMS level; a silent one stays silent."""
    rms = float(np.sqrt(np.mean(np.square(sound))))
    return sound * (level / rms) if rms > 0 else sound


def faded(sound: np.ndarray, sampling_rate: int, time_s: float) -> np.ndarray:
    """Both ends raised and lowered with half a cosine."""
    size = min(count(time_s, sampling_rate), len(sound) // 2)
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(size) / max(size, 1))
    sound = sound.copy()
    sound[:size] *= ramp
    sound[len(sound) - size :] *= ramp[::-1]
    return sound
