"""Front ends that entries declare: from signals to what a model takes, by numpy.

Spectrograms, mel bands and cepstral coefficients are those of librosa 0.11 (its functions stft, filters.mel,
power_to_db, feature.mfcc and feature.delta), to which tests/golden/librosa compares them; computed in
float64. Sources of the mel scales: Slaney, *Auditory Toolbox*, 1998 (linear below 1 kHz); Young et al., *The HTK
Book*, 2006 (2595 log10(1 + f / 700)).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..spec.frontend import FrontEnd
from .base import place

#: Slaney's scale: Hz per mel below, and where the logarithm begins
LINEAR_HZ, BREAK_HZ = 200 / 3, 1000.0
LOG_STEP = np.log(6.4) / 27
#: frames that a change is measured over
DELTA_FRAMES = 9


def check(entry: spec.Model) -> None:
    """Find what only the sampling rate of an entry tells.

    Raises:
        ConfigError: if a band is above half of the sampling rate
    """
    front_end, half = entry.frontend, entry.sampling_rate / 2
    if front_end is not None and (front_end.fmax or 0) > half:
        raise ConfigError(
            f"{place(entry, 'frontend.fmax')}: {front_end.fmax:g} Hz, which is above half of the "
            f"sampling rate, {half:g} Hz"
        )


def model_input(
    front_end: FrontEnd, signals: Sequence[np.ndarray], sampling_rate: int
) -> np.ndarray:
    """Features of signals as a model takes them.

    Args:
        front_end: what the entry declares
        signals: arrays of shape (1, samples)
        sampling_rate: in Hz

    Returns:
        float32; with ``pool`` the shape is (signals, values), else the axes are those of ``layout``

    Raises:
        ModelError: if a signal is too short, or signals differ in their number of frames
    """
    matrices = [features(front_end, signal[0], sampling_rate) for signal in signals]
    if front_end.pool:
        return np.stack([_pooled(matrix, front_end.pool) for matrix in matrices])
    sizes = {matrix.shape for matrix in matrices}
    if len(sizes) > 1:
        raise ModelError("signals of one call have different numbers of frames; set 'frames'")
    array = np.stack(matrices)[:, None].astype(np.float32)
    order = {"batch": 0, "channel": 1, "bins": 2, "frames": 3}
    absent = [order[axis] for axis in ("batch", "channel") if axis not in front_end.layout]
    if "batch" not in front_end.layout and len(signals) > 1:
        raise ModelError("the layout has no axis for more than one signal")
    array = array.transpose([*absent, *(order[axis] for axis in front_end.layout)])
    return array.reshape(array.shape[len(absent) :])


def features(front_end: FrontEnd, signal: np.ndarray, sampling_rate: int) -> np.ndarray:
    """Features of a signal.

    Args:
        front_end: what the entry declares
        signal: shape (samples,)
        sampling_rate: in Hz

    Returns:
        float64, shape (bins, frames)

    Raises:
        ModelError: if the signal is too short

    >>> front_end = FrontEnd(type="spectrogram", n_fft=4, hop_length=2, window="ones", power=1)
    >>> features(front_end, np.ones(4), 8000).round(2)
    array([[2.  , 4.  , 2.  ],
           [1.41, 0.  , 1.41],
           [0.  , 0.  , 0.  ]])
    """
    values = _magnitudes(front_end, signal) ** front_end.power
    if front_end.type != "spectrogram":
        values = mel_filters(front_end, sampling_rate) @ values
    values = _logarithm(front_end, values)
    if front_end.type == "mfcc":
        values = _cepstrum(front_end, values)
    if front_end.deltas:
        values = _with_deltas(front_end, values)
    if front_end.normalize != "none":
        values = values - values.mean(axis=1, keepdims=True)
    if front_end.normalize == "mean-std":
        deviation = values.std(axis=1, keepdims=True)
        values = values / np.where(deviation > 0, deviation, 1.0)
    values = (values - front_end.mean) / front_end.std
    return values if front_end.frames is None else _sized(front_end, values)


@lru_cache(maxsize=32)
def mel_filters(front_end: FrontEnd, sampling_rate: int) -> np.ndarray:
    """Triangular filters on the mel scale.

    Args:
        front_end: its ``n_fft``, ``n_mels``, ``fmin``, ``fmax``, ``mel`` and ``norm``
        sampling_rate: in Hz

    Returns:
        weights of the frequencies, shape (bands, ``n_fft`` / 2 + 1)
    """
    highest = front_end.fmax or sampling_rate / 2
    low, high = _mel(np.array([front_end.fmin, highest]), front_end.mel)
    edges = _hz(np.linspace(low, high, int(front_end.n_mels or 0) + 2), front_end.mel)
    frequencies = np.fft.rfftfreq(front_end.n_fft, 1 / sampling_rate)
    ramps = edges[:, None] - frequencies
    widths = np.diff(edges)[:, None]
    weights = np.maximum(0, np.minimum(-ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]))
    if front_end.norm == "slaney":
        weights *= (2 / (edges[2:] - edges[:-2]))[:, None]
    weights.flags.writeable = False
    return weights


def _mel(hz: np.ndarray, scale: str) -> np.ndarray:
    if scale == "htk":
        return 2595 * np.log10(1 + hz / 700)
    high = BREAK_HZ / LINEAR_HZ + np.log(np.maximum(hz, BREAK_HZ) / BREAK_HZ) / LOG_STEP
    return np.where(hz < BREAK_HZ, hz / LINEAR_HZ, high)


def _hz(mel: np.ndarray, scale: str) -> np.ndarray:
    if scale == "htk":
        return 700 * (10 ** (mel / 2595) - 1)
    edge = BREAK_HZ / LINEAR_HZ
    return np.where(
        mel < edge, mel * LINEAR_HZ, BREAK_HZ * np.exp(LOG_STEP * (np.maximum(mel, edge) - edge))
    )


@lru_cache(maxsize=32)
def _window(shape: str, length: int, n_fft: int) -> np.ndarray:
    """Periodic window in the middle of a frame."""
    phase = 2 * np.pi * np.arange(length) / length
    offset, height = {"hann": (0.5, 0.5), "hamming": (0.54, 0.46), "ones": (1.0, 0.0)}[shape]
    window = np.zeros(n_fft)
    first = (n_fft - length) // 2
    window[first : first + length] = offset - height * np.cos(phase)
    return window


def _magnitudes(front_end: FrontEnd, signal: np.ndarray) -> np.ndarray:
    """Magnitudes of all frames at once, shape (frequencies, frames)."""
    n_fft, half = front_end.n_fft, front_end.n_fft // 2
    least = (half + 1 if front_end.pad_mode == "reflect" else 1) if front_end.center else n_fft
    if len(signal) < least:
        raise ModelError(
            f"the signal has {len(signal)} samples, the front end needs {least} or more"
        )
    signal = np.asarray(signal, dtype=np.float64)
    if front_end.center:
        signal = np.pad(signal, half, mode=front_end.pad_mode)
    frames = np.lib.stride_tricks.sliding_window_view(signal, n_fft)[:: front_end.hop_length]
    window = _window(front_end.window, front_end.win_length or n_fft, n_fft)
    return np.abs(np.fft.rfft(frames * window, axis=1)).T


def _logarithm(front_end: FrontEnd, values: np.ndarray) -> np.ndarray:
    if front_end.logarithm == "none":
        return values + front_end.offset if front_end.offset else values
    values = np.maximum(values + front_end.offset, front_end.floor)
    if front_end.logarithm == "natural":
        return np.log(values)
    if front_end.logarithm == "log10":
        return np.log10(values)
    decibels = 20 / front_end.power * np.log10(values)
    if front_end.top_db is None:
        return decibels
    return np.maximum(decibels, decibels.max() - front_end.top_db)


def _cepstrum(front_end: FrontEnd, values: np.ndarray) -> np.ndarray:
    """First coefficients of the orthonormal cosine transform of the bands."""
    from scipy.fft import dct

    count = int(front_end.n_mfcc or 0)
    values = dct(values, axis=0, type=2, norm="ortho")[:count]
    if front_end.lifter:
        steps = np.pi * np.arange(1, count + 1) / front_end.lifter
        values = values * (1 + front_end.lifter / 2 * np.sin(steps))[:, None]
    return values


def _with_deltas(front_end: FrontEnd, values: np.ndarray) -> np.ndarray:
    """Values, and below them their changes: slopes of polynomials over nine frames."""
    from scipy.signal import savgol_filter

    if values.shape[1] < DELTA_FRAMES:
        raise ModelError(
            f"the signal has {values.shape[1]} frames, deltas need {DELTA_FRAMES} or more"
        )
    orders = range(1, front_end.deltas + 1)
    changes = [
        savgol_filter(values, DELTA_FRAMES, polyorder=n, deriv=n, axis=1, mode="interp")
        for n in orders
    ]
    return np.concatenate([values, *changes])


def _sized(front_end: FrontEnd, values: np.ndarray) -> np.ndarray:
    """Exactly so many frames as the entry says."""
    wanted_frames, count = int(front_end.frames or 0), values.shape[1]
    first = (count - wanted_frames) // 2 if front_end.side == "both" else 0
    if count >= wanted_frames:
        return values[:, first : first + wanted_frames]
    before = (wanted_frames - count) // 2 if front_end.side == "both" else 0
    ends = (before, wanted_frames - count - before)
    return np.pad(values, ((0, 0), ends), constant_values=front_end.fill)


def _pooled(values: np.ndarray, statistics: Sequence[str]) -> np.ndarray:
    parts = [getattr(np, name)(values, axis=1) for name in statistics]
    return np.concatenate(parts).astype(np.float32)
