"""Levels: what a signal-to-noise ratio means here, and how a level is kept.

Functions take the power of a signal rather than the signal where that is all they need: a change
needs that of the original several times, and it is a third of the work on a short signal.
"""

from __future__ import annotations

import numpy as np

#: mean square of a channel up to which it is silent: -120 dB
SILENCE = 1e-12


def power(signal: np.ndarray) -> np.ndarray:
    """Mean square of each channel.

    Args:
        signal: shape (channels, samples)

    Returns:
        float64, shape (channels, 1)
    """
    # as np.mean adds and divides, which takes twice as long to begin
    total = np.add.reduce(np.square(signal, dtype=np.float64), axis=-1, keepdims=True)
    return np.asarray(total / signal.shape[-1])


def rms_db(signal: np.ndarray) -> np.ndarray:
    """Level of each channel in dB, at least -120, shape (channels, 1).

    >>> rms_db(np.array([[1.0, -1.0], [0.1, 0.1]])).round(6).tolist()
    [[0.0], [-20.0]]
    """
    return 10 * np.log10(np.maximum(SILENCE, power(signal)))


def factor(gain_db: float | np.ndarray) -> float | np.ndarray:
    """What a gain multiplies with.

    >>> factor(20.0)
    10.0
    """
    return 10 ** (gain_db / 20)


def is_silent(signal_power: np.ndarray) -> bool:
    """Whether no channel has a level above -120 dB.

    Args:
        signal_power: :func:`power` of the signal
    """
    return bool((signal_power <= SILENCE).all())


def noise_gain(signal_power: np.ndarray, noise_power: np.ndarray, snr_db: float) -> np.ndarray:
    """Factor for a noise so that the RMS levels differ by a signal-to-noise ratio.

    Args:
        signal_power: :func:`power` of the signal, shape (channels, 1)
        noise_power: that of the noise, shape (channels, 1) or (1, 1)
        snr_db: level of the signal minus that of the noise, in dB

    Returns:
        factor per channel, shape (channels, 1); 0 where signal or noise is silent, as no
        factor would give the ratio
    """
    audible = (signal_power > SILENCE) & (noise_power > SILENCE)
    ratio = np.divide(signal_power, noise_power, out=np.zeros_like(signal_power), where=audible)
    return np.sqrt(ratio) * 10 ** (-snr_db / 20)


def level_as(changed: np.ndarray, signal_power: np.ndarray) -> np.ndarray:
    """The level rule: RMS of the signal is restored, unless that would clip.

    Each channel of the changed signal gets the RMS level that the channel had. If its peak, of
    either sign, would then lie beyond 1, it is scaled down to 1.

    Args:
        changed: shape (channels, samples)
        signal_power: :func:`power` of what it was made from, shape (channels, 1)

    Returns:
        float32, shape of ``changed``; a channel that the change has silenced stays silent

    >>> level_as(np.array([[0.1, -0.1]]), power(np.array([[0.5, 0.5]]))).tolist()
    [[0.5, -0.5]]
    """
    changed_power = power(changed)
    ratio = np.divide(
        signal_power, changed_power, out=np.ones_like(changed_power), where=changed_power > 0
    )
    scale = np.sqrt(ratio)
    peak = np.abs(changed).max(axis=-1, keepdims=True) * scale
    scale = scale / np.maximum(1.0, peak)
    return (changed * scale).astype(np.float32)


def peak_normalised(signal: np.ndarray) -> np.ndarray:
    """Each channel with a peak of 1; a channel of zeros stays as it is.

    >>> peak_normalised(np.array([[0.1, -0.2], [0.0, 0.0]])).tolist()
    [[0.5, -1.0], [0.0, 0.0]]
    """
    peak = np.abs(signal).max(axis=-1, keepdims=True)
    return signal / np.where(peak > 0, peak, 1)
