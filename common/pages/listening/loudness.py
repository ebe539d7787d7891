"""Loudness after ITU-R BS.1770-4, for examples that are to sound equally loud."""

from __future__ import annotations

import numpy as np

#: loudness of a signal in which no block is louder than that
SILENCE_LUFS = -70.0
BLOCK_S = 0.4
OVERLAP = 0.75
#: blocks this much softer than the mean of the audible ones do not count
RELATIVE_DB = 10.0
OFFSET_DB = -0.691


def k_weighting(sampling_rate: int) -> np.ndarray:
    """Two second-order sections: a shelf for the head, and a high pass.

    The standard gives coefficients for 48 kHz; these are the same analogue filters at other
    rates (De Man, 2014).

    Returns:
        shape (2, 6), for :func:`scipy.signal.sosfilt`
    """

    def section(numerator: tuple[float, ...], centre_hz: float, quality: float) -> list[float]:
        k = np.tan(np.pi * centre_hz / sampling_rate)
        scale = 1 + k / quality + k * k
        b = [
            numerator[0] + numerator[1] * k / quality + numerator[2] * k * k,
            2 * (numerator[2] * k * k - numerator[0]),
            numerator[0] - numerator[1] * k / quality + numerator[2] * k * k,
        ]
        a = [2 * (k * k - 1), 1 - k / quality + k * k]
        return [*(value / scale for value in b), 1.0, *(value / scale for value in a)]

    high = 10 ** (3.999843853973347 / 20)
    shelf = section((high, high**0.4996667741545416, 1.0), 1681.974450955533, 0.7071752369554196)
    low_cut = section((1.0, 0.0, 0.0), 38.13547087602444, 0.5003270373238773)
    # the standard leaves the high pass with a numerator of 1, -2, 1
    low_cut[:3] = [1.0, -2.0, 1.0]
    return np.array([shelf, low_cut])


def loudness(signal: np.ndarray, sampling_rate: int) -> float:
    """Integrated loudness in LUFS.

    Args:
        signal: shape (channels, samples) or (samples,); full scale is 1
        sampling_rate: in Hz

    Returns:
        loudness of the blocks of 400 ms that are louder than -70 LUFS and not more than 10 dB
        below their mean; -70 if there are none. A shorter signal is one block

    >>> tone = np.sin(2 * np.pi * 997 * np.arange(48000) / 48000)
    >>> round(loudness(tone, 48000), 2)
    -3.01
    """
    from scipy.signal import sosfilt

    signal = np.atleast_2d(np.asarray(signal, dtype=float))
    if not signal.size:
        return SILENCE_LUFS
    power = (sosfilt(k_weighting(sampling_rate), signal, axis=1) ** 2).sum(axis=0)
    size = min(round(BLOCK_S * sampling_rate), len(power))
    step = max(1, round(size * (1 - OVERLAP)))
    blocks = np.lib.stride_tricks.sliding_window_view(power, size)[::step].mean(axis=1)
    audible = blocks[_lufs(blocks) > SILENCE_LUFS]
    if not audible.size:
        return SILENCE_LUFS
    counted = audible[_lufs(audible) > _lufs(audible.mean()) - RELATIVE_DB]
    return float(_lufs(counted.mean()))


def _lufs(power: np.ndarray) -> np.ndarray:
    return OFFSET_DB + 10 * np.log10(np.maximum(power, 1e-12))
