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
    taps = tilt_filter(sampling_rate, gain_at_zero, gain_at_end, end_hz)
    return filtered(signal, taps, TAPS // 2)


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
    from scipy.fft import irfft, next_fast_len, rfft

    length = signal.shape[1]
    size = next_fast_len(length + len(taps) - 1, real=True)
    spectrum = rfft(signal, size, axis=1) * rfft(taps.astype(np.float32), size)
    return level_as(irfft(spectrum, size, axis=1)[:, delay : delay + length], power(signal))
