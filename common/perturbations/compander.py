"""A dynamic range compressor with the rules of the program sox (``compand``).

The envelope follows the absolute value of the signal with one time constant when it rises and
another when it falls. A static curve turns its level into a gain: constant below a threshold,
and above it falling linearly (in dB) to none at 0 dB. The corner is rounded by a parabola, which
makes the gain 0.26 dB smaller there with the values of the phone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

#: level up to which the envelope counts as silent, in dB
FLOOR_DB = -200.0


def static_gain_db(
    level_db: np.ndarray, *, threshold_db: float, output_db: float, knee_db: float
) -> np.ndarray:
    """Gain of the compressor for a constant level.

    Without the rounding the curve goes through (threshold, output) and (0, 0) dB. In the plane
    of level and gain the rounding begins ``knee_db`` before the corner and ends ``knee_db``
    behind it, and goes through the centroid of its beginning, the corner and its end.

    Args:
        level_db: level of the envelope, any shape
        threshold_db: level of the corner, below 0
        output_db: level that comes out there
        knee_db: reach of the rounding

    Returns:
        gain in dB, shape of ``level_db``

    >>> level_db = np.array([-60.0, -20.0, -10.0, -5.0])
    >>> static_gain_db(level_db, threshold_db=-20, output_db=-16, knee_db=4).round(2).tolist()
    [4.0, 3.74, 2.0, 1.0]
    """
    corner = np.array([threshold_db, output_db - threshold_db])
    way = -corner
    length = float(np.hypot(*way))
    begin = corner - [knee_db, 0]
    end = corner + way / length * min(knee_db, length / 2)
    middle = (begin + corner + end) / 3
    near, far = middle - begin, end - begin
    bend = (far[1] / far[0] - near[1] / near[0]) / (far[0] - near[0])
    slope = near[1] / near[0] - bend * near[0]
    distance = np.clip(level_db, begin[0], end[0]) - begin[0]
    rounded = begin[1] + distance * (slope + bend * distance)
    return np.where(level_db > end[0], level_db * way[1] / way[0], rounded)


def envelope(
    signal: np.ndarray, sampling_rate: int, *, attack_s: float, release_s: float
) -> np.ndarray:
    """Envelope of one channel, which starts at 1.

    A recursion whose coefficient depends on its own sign cannot be vectorised: a plain loop over
    Python floats is the fastest way without a compiler.

    Args:
        signal: shape (samples,)
        sampling_rate: in Hz
        attack_s: time constant when it rises
        release_s: time constant when it falls

    Returns:
        float64, shape (samples,)
    """
    rise = float(1 - np.exp(-1 / (sampling_rate * attack_s)))
    fall = float(1 - np.exp(-1 / (sampling_rate * release_s)))
    values = _followed(np.abs(signal).tolist(), rise, fall)
    return np.fromiter(values, np.float64, len(signal))


def _followed(sizes: list[float], rise: float, fall: float) -> Iterator[float]:
    """What goes a share of the way to each of some values; it starts at 1."""
    value = 1.0
    for size in sizes:
        value += (size - value) * (rise if size > value else fall)
        yield value


def compress(
    signal: np.ndarray,
    sampling_rate: int,
    *,
    attack_s: float,
    release_s: float,
    threshold_db: float,
    output_db: float,
    knee_db: float,
) -> np.ndarray:
    """Compressed signal, limited to [-1, 1].

    Args:
        signal: shape (channels, samples), in [-1, 1]; each channel has its own envelope
        sampling_rate: in Hz
        attack_s: time constant when the envelope rises
        release_s: time constant when it falls
        threshold_db: level of the corner of the static curve
        output_db: level that comes out there
        knee_db: reach of its rounding

    Returns:
        float64, shape (channels, samples)
    """
    followed = np.stack(
        [
            envelope(channel, sampling_rate, attack_s=attack_s, release_s=release_s)
            for channel in signal
        ]
    )
    level_db = 20 * np.log10(np.maximum(followed, 10 ** (FLOOR_DB / 20)))
    gain_db = static_gain_db(
        level_db, threshold_db=threshold_db, output_db=output_db, knee_db=knee_db
    )
    return np.clip(signal * 10 ** (gain_db / 20), -1, 1)
