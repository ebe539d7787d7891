"""Linear filters: spectral tilt, and rooms by their impulse responses.

Both keep the length and the RMS level of the signal
(:func:`~common.perturbations.levels.level_as`).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .base import Recordings, perturbation
from .levels import level_as, power

#: length of the filters of a spectral tilt, with the centre at half of it
TAPS = 1024
#: longest transform, in samples, for which the spectrum of a tilt is kept: 256 kB each
KEPT_SIZE = 2**16


@perturbation("spectral_tilt")
def spectral_tilt(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    gain_at_zero: float,
    gain_at_end: float,
    end_hz: float,
) -> np.ndarray:
    """Linear weight on the frequencies, without delay.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: not used
        gain_at_zero: factor at 0 Hz
        gain_at_end: factor at ``end_hz``; linear in between, constant above
        end_hz: where the line ends
    """
    size = _size(signal, TAPS)
    spectrum_of = _tilt_spectrum if size <= KEPT_SIZE else _tilt_spectrum.__wrapped__
    spectrum = spectrum_of(size, sampling_rate, gain_at_zero, gain_at_end, end_hz)
    return _filtered(signal, spectrum, size, TAPS // 2)


@lru_cache(maxsize=64)
def _tilt_spectrum(size: int, *filter_of: float) -> np.ndarray:
    """Spectrum of a tilt in transforms of a size; most signals of a dataset share some dozen sizes."""
    spectrum = _spectrum(tilt_filter(*filter_of), size)
    spectrum.flags.writeable = False
    return spectrum


@lru_cache(maxsize=32)
def tilt_filter(
    sampling_rate: int, gain_at_zero: float, gain_at_end: float, end_hz: float
) -> np.ndarray:
    """Linear phase filter of 1024 taps: inverse FFT of the wanted magnitude, moved by 512.

    Args:
        sampling_rate: in Hz
        gain_at_zero: factor at 0 Hz
        gain_at_end: factor at ``end_hz``; linear in between, constant above
        end_hz: where the line ends

    Returns:
        float64, shape (1024,), read-only
    """
    frequency_hz = np.fft.rfftfreq(TAPS, 1 / sampling_rate)
    magnitude = np.interp(frequency_hz, [0, end_hz], [gain_at_zero, gain_at_end])
    taps = np.roll(np.fft.irfft(magnitude, TAPS), TAPS // 2)
    taps.flags.writeable = False
    return taps


@perturbation("impulse_response")
def impulse_response(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    corpus: Recordings,
    channel: int,
) -> np.ndarray:
    """The signal as heard in a room: convolved with a random impulse response.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws the response
        corpus: impulse responses
        channel: which channel of them
    """
    number = int(rng.integers(len(corpus)))
    return filtered(signal, corpus.whole(number, sampling_rate, channel), 0)


def filtered(signal: np.ndarray, taps: np.ndarray, delay: int) -> np.ndarray:
    """Convolution of the length and level of the signal.

    Args:
        signal: shape (channels, samples)
        taps: impulse response, shape (M,)
        delay: samples of the full convolution that are left out at its beginning

    Returns:
        float32, shape (channels, samples)
    """
    size = _size(signal, len(taps))
    return _filtered(signal, _spectrum(taps, size), size, delay)


def _size(signal: np.ndarray, taps: int) -> int:
    """Number of samples of a transform that holds the whole convolution."""
    from scipy.fft import next_fast_len

    return int(next_fast_len(signal.shape[1] + taps - 1, real=True))


def _spectrum(taps: np.ndarray, size: int) -> np.ndarray:
    from scipy.fft import rfft

    return np.asarray(rfft(taps.astype(np.float32), size))


def _filtered(signal: np.ndarray, spectrum: np.ndarray, size: int, delay: int) -> np.ndarray:
    """As :func:`filtered`, by the spectrum of the impulse response in transforms of a size."""
    from scipy.fft import irfft, rfft

    whole = irfft(rfft(signal, size, axis=1) * spectrum, size, axis=1)
    return level_as(whole[:, delay : delay + signal.shape[1]], power(signal))
