"""Noises and filters that several perturbations need."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..core.errors import AudioError
from .levels import peak_normalised

#: standard deviation of white noise before its gain
SIGMA = 0.3


def padded(signal: np.ndarray, before: int, behind: int) -> np.ndarray:
    """Signal between zeros; the pad of numpy takes ten times as long for a short signal.

    Raises:
        AudioError: if a number of zeros is negative

    >>> padded(np.ones((1, 2)), 1, 2).tolist()
    [[0.0, 1.0, 1.0, 0.0, 0.0]]
    """
    if before < 0 or behind < 0:
        raise AudioError(
            f"zeros before and after a signal: expected 0 or more, found {before} and {behind}"
        )
    channels, samples = signal.shape
    result = np.zeros((channels, before + samples + behind), signal.dtype)
    result[:, before : before + samples] = signal
    return result


def white(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Gaussian white noise, float32."""
    return np.float32(SIGMA) * rng.standard_normal(shape, dtype=np.float32)


def pink(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Pink noise: random phases and an amplitude that falls with the root of the frequency.

    Args:
        rng: draws it
        shape: (channels, samples)

    Returns:
        float32, peak of each channel 1
    """
    from scipy.fft import irfft, next_fast_len

    size = next_fast_len(max(shape[1], 2), real=True)
    bins = size // 2 + 1
    parts = rng.standard_normal((2, shape[0], bins), dtype=np.float32)
    weight = np.zeros(bins, dtype=np.float32)
    weight[1:] = 1 / np.sqrt(np.arange(1, bins, dtype=np.float32))
    return peak_normalised(irfft((parts[0] + 1j * parts[1]) * weight, size, axis=1)[:, : shape[1]])


def butterworth(
    signal: np.ndarray, sampling_rate: int, kind: str, cutoff_hz: float, order: int
) -> np.ndarray:
    """Signal behind a Butterworth filter, float64, shape (channels, samples)."""
    from scipy.signal import lfilter

    coefficients = _coefficients(sampling_rate, kind, float(cutoff_hz), order)
    return np.asarray(lfilter(*coefficients, signal.astype(np.float64), axis=1))


@lru_cache(maxsize=256)
def _coefficients(
    sampling_rate: int, kind: str, cutoff_hz: float, order: int
) -> tuple[np.ndarray, np.ndarray]:
    from scipy.signal import butter

    numerator, denominator = butter(order, cutoff_hz, btype=kind, fs=sampling_rate)
    return numerator, denominator
