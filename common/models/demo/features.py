"""Acoustic features of the baseline model: one vector of fixed length per signal.

The signal is cut into frames of 40 ms every 16 ms; level, F0, spectral shape and cepstral
coefficients are computed per frame and summarised over the signal. The features are the usual
ones of speech emotion recognition (compare Eyben et al., "The Geneva Minimalistic Acoustic
Parameter Set", IEEE Trans. Affective Computing 7, 2016), in an own, simple form.

Frames are processed in blocks of a fixed size, so that memory is bounded for signals of any
length, and signal by signal, so that the numbers never depend on what else is predicted. Matrix
products are written as sums, because those of BLAS may depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

SAMPLING_RATE = 16000
FRAME = 640
HOP = 256
FFT = 1280
BLOCK = 256
CACHED = 64  # frames whose spectra stay in the cache of the processor, and in the heap
F0_HZ = (60.0, 500.0)
F0_REFERENCE_HZ = 100.0
OCTAVE_COST = 0.08  # what a peak must be higher to be preferred to one at half its lag
VOICED = 0.55  # smallest normalised autocorrelation of a voiced frame
ACTIVE_DB = 30.0  # frames that are at most this much weaker than the strongest hold speech
BANDS = 24
BAND_HZ = (80.0, 7800.0)
CEPSTRA = 13
TILT_HZ = 1000.0
FEWEST = 3  # values that a statistic needs
FLOOR = 1e-10  # power of full scale that counts as silence: -100 dB
MODULATION_HZ = (1.0, 3.0, 5.0, 8.0, 14.0)

#: per-frame values in the order of the columns
FRAME_VALUES = (
    "level_db",
    "f0_st",
    "harmonicity",
    "centroid_oct",
    "rolloff_oct",
    "balance_db",
    "flux",
    *(f"cepstrum_{n}" for n in range(1, CEPSTRA)),
)
#: frame value -> statistics over the frames that hold speech (over the voiced ones for F0)
STATISTICS = {
    "level_db": ("mean", "sd", "p10", "p95"),
    "f0_st": ("mean", "sd", "p10", "p90", "slope", "rise", "step"),
    "harmonicity": ("mean", "sd"),
    "centroid_oct": ("mean", "sd"),
    "rolloff_oct": ("mean", "sd"),
    "balance_db": ("mean", "sd"),
    "flux": ("mean", "sd"),
    **{f"cepstrum_{n}": ("mean", "sd") for n in range(1, CEPSTRA)},
}
WHOLE = (
    "voiced_share",
    "active_share",
    "peaks_per_s",
    *(f"modulation_{low:g}_{high:g}_hz" for low, high in pairwise(MODULATION_HZ)),
)
NAMES = tuple(f"{value}.{name}" for value, names in STATISTICS.items() for name in names) + WHOLE


def extract(signal: np.ndarray) -> np.ndarray:
    """Features of one signal.

    Args:
        signal: finite samples at :data:`SAMPLING_RATE`, shape (channels, samples); channels are
            averaged

    Returns:
        float64 array of the length of :data:`NAMES`; NaN where a value does not exist, for
        example the F0 of a signal without voice
    """
    mono = np.asarray(signal, dtype=np.float64).mean(axis=0)
    table = frame_values(mono)
    level, harmonicity = table[0], table[FRAME_VALUES.index("harmonicity")]
    active = level > max(level.max() - ACTIVE_DB, 10 * np.log10(FLOOR) + 10)
    voiced = active & (harmonicity > VOICED)
    speech = np.compress(active, table, axis=1)
    means, deviations = _moments(speech)
    values: list[float] = []
    for column, (name, statistics) in enumerate(STATISTICS.items()):
        if name == "f0_st":
            values += _contour(table[column], voiced, statistics)
        else:
            moments = {"mean": means[column], "sd": deviations[column]}
            values += _statistics(speech[column], statistics, moments)
    values += [_share(voiced, active), float(active.mean()), *_modulation(level)]
    return np.array(values)


def frame_values(mono: np.ndarray) -> np.ndarray:
    """Values of :data:`FRAME_VALUES` per frame.

    Args:
        mono: shape (samples,); shorter signals than a frame are filled with zeros

    Returns:
        shape (values, frames)
    """
    if len(mono) < FRAME:
        mono = np.pad(mono, (0, FRAME - len(mono)))
    windows = np.lib.stride_tricks.sliding_window_view(mono, FRAME)[::HOP]
    table, shapes = np.empty((len(FRAME_VALUES), len(windows))), np.empty((len(windows), BANDS))
    for i in range(0, len(windows), BLOCK):
        part = slice(i, i + BLOCK)
        table[:, part], shapes[part] = _block(windows[part])
    flux = table[FRAME_VALUES.index("flux")]
    flux[0] = 0
    flux[1:] = np.abs(shapes[1:] - shapes[:-1]).sum(axis=1)
    return table


def _block(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of some frames, shape (values, frames), and their spectra as shares of bands.

    Flux, which needs the frame before the first one, is left open.
    """
    tables = _tables()
    bands, f0_hz, harmonicity = np.empty((len(frames), BANDS)), *np.empty((2, len(frames)))
    for i in range(0, len(frames), CACHED):
        part = slice(i, i + CACHED)
        power = _power(frames[part])
        f0_hz[part], harmonicity[part] = _pitch(power)
        weighted = [power * weights for weights in tables["weights"]]
        for n, (first, last) in enumerate(tables["bands"]):
            np.add.reduce(weighted[n % 2][:, first : last + 1], axis=1, out=bands[part, n])
    bands += FLOOR / BANDS
    total = bands.sum(axis=1)
    shape = bands / total[:, None]
    low = bands[:, tables["low"]].sum(axis=1)
    reached = np.cumsum(shape, axis=1) < 0.85
    cepstra = np.einsum("fb,bc->fc", np.log(bands), tables["cosines"], optimize=False)
    values = np.empty((len(FRAME_VALUES), len(frames)))
    values[0] = 10 * np.log10(total)
    values[1] = 12 * np.log2(f0_hz / F0_REFERENCE_HZ)
    values[2] = harmonicity
    values[3] = (shape * tables["octaves"]).sum(axis=1)
    values[4] = tables["octaves"][np.minimum(reached.sum(axis=1), BANDS - 1)]
    values[5] = 10 * np.log10((total - low + FLOOR) / (low + FLOOR))
    values[6] = 0
    values[7:] = cepstra.T
    return values, shape


def _power(frames: np.ndarray) -> np.ndarray:
    """Power spectra of frames, shape (frames, bins)."""
    tables = _tables()
    padded = np.zeros((len(frames), FFT))
    windowed = padded[:, :FRAME]
    np.subtract(frames, frames.mean(axis=1, keepdims=True), out=windowed)
    windowed *= tables["window"]
    power = np.abs(np.fft.rfft(padded))
    power *= power
    power *= tables["scale"]
    return np.asarray(power)


def _pitch(power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F0 in Hz and height of the autocorrelation peak that it was found at, per frame.

    The autocorrelation of the frame is divided by that of the window (Boersma, Proc. Inst. of
    Phonetic Sciences Amsterdam 17, 1993); a small cost per octave prefers the first of several
    peaks. Frames without power have harmonicity 0.
    """
    tables = _tables()
    first, last = tables["lags"]
    correlation = np.fft.irfft(power, FFT)[:, : last + 2]
    energy = correlation[:, :1]
    correlation = correlation / np.maximum(energy, 1e-20) / tables["window_correlation"]
    rows = np.arange(len(power))
    weighted = correlation[:, first : last + 1] - tables["lag_cost"]
    lag = first + weighted.argmax(axis=1)
    before, at, after = (correlation[rows, lag + shift] for shift in (-1, 0, 1))
    bend = before - 2 * at + after
    offset = np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, -1.0), 0.0)
    period = lag + np.clip(offset, -0.5, 0.5)
    # A peak at the border of the range is the flank of a peak outside.
    inside = (at >= before) & (at >= after) & (energy[:, 0] > 0)
    return SAMPLING_RATE / period, np.where(inside, np.clip(at, 0, 1), 0.0)


@cache
def _tables() -> dict[str, Any]:
    """Constants of the frame analysis."""
    window = np.hanning(FRAME + 1)[:-1]
    frequency = np.fft.rfftfreq(FFT, 1 / SAMPLING_RATE)
    lowest, highest = 2595 * np.log10(1 + np.array(BAND_HZ) / 700)
    mel = np.linspace(lowest, highest, BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    rising = (frequency[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequency[:, None]) / (edges[2:] - edges[1:-1])
    triangles = np.clip(np.minimum(rising, falling), 0, None).T
    inside = [np.flatnonzero(triangle) for triangle in triangles]
    order = np.arange(1, CEPSTRA)
    correlation = np.fft.irfft(np.abs(np.fft.rfft(window, FFT)) ** 2, FFT)
    lags = np.array([int(SAMPLING_RATE / F0_HZ[1]), int(SAMPLING_RATE / F0_HZ[0])])
    lag = np.arange(lags[0], lags[1] + 1)
    return {
        "window": window,
        "scale": np.array(2 / (FFT * np.square(window).sum())),
        "bands": [(bins[0], bins[-1]) for bins in inside],
        # every second triangle touches no other one, so that one product serves them all
        "weights": [triangles[first::2].sum(axis=0) for first in (0, 1)],
        "octaves": np.log2(edges[1:-1] / TILT_HZ),
        "low": edges[1:-1] < TILT_HZ,
        "cosines": np.cos(np.pi / BANDS * (np.arange(BANDS)[:, None] + 0.5) * order) / BANDS,
        "window_correlation": correlation[: lags[1] + 2] / correlation[0],
        "lags": lags,
        "lag_cost": OCTAVE_COST * np.log2(lag / lags[0]),
    }


def _moments(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each row; NaN if there are too few values."""
    if rows.shape[1] < FEWEST:
        return np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    mean = rows.mean(axis=1, keepdims=True)
    centred = rows - mean
    centred *= centred
    return mean[:, 0], np.sqrt(centred.mean(axis=1))


def _statistics(x: np.ndarray, names: tuple[str, ...], moments: Mapping[str, float]) -> list[float]:
    """Mean and standard deviation as they are known, and percentiles; NaN if there are too few."""
    if len(x) < FEWEST:
        return [float("nan")] * len(names)
    ordered = np.sort(x) if len(names) > len(moments) else x
    return [
        float(moments[name]) if name in moments else _percentile(ordered, int(name[1:]))
        for name in names
    ]


def _contour(values: np.ndarray, chosen: np.ndarray, names: tuple[str, ...]) -> list[float]:
    """Statistics of the chosen values of F0; NaN if there are too few."""
    place = np.flatnonzero(chosen)
    if len(place) < FEWEST:
        return [float("nan")] * len(names)
    x, time = values[place], place * HOP / SAMPLING_RATE
    mean, deviation = _moments(x[None])
    centred = time - time.mean()
    third = max(1, len(x) // 3)
    measures = {
        "mean": mean[0],
        "sd": deviation[0],
        "slope": (centred * x).sum() / (np.square(centred).sum() + 1e-9),
        "rise": _median(x[-third:]) - _median(x[:third]),
        "step": _median(np.abs(x[1:] - x[:-1])),
    }
    return _statistics(x, names, measures)


def _percentile(ordered: np.ndarray, percent: int) -> float:
    """The percentile of sorted values as ``numpy.percentile`` gives it, which takes 40 us.

    >>> _percentile(np.array([0.0, 1.0, 3.0]), 95), _percentile(np.array([0.0, 1.0, 3.0]), 10)
    (2.8, 0.2)
    """
    place = (len(ordered) - 1) * (percent / 100)
    before = int(place)
    share = place - before
    low, high = ordered[before : before + 2].tolist()
    return float(low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share))


def _median(values: np.ndarray) -> float:
    """As ``numpy.median``, which takes 20 us.

    >>> _median(np.array([5.0, 1.0, 2.0, 3.0]))
    2.5
    """
    ordered = np.sort(values)
    half = len(ordered) // 2
    low, high = ordered[(len(ordered) - 1) // 2], ordered[half]
    return float(high if len(ordered) % 2 else (low + high) / 2)


def _share(part: np.ndarray, whole: np.ndarray) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else 0.0


def _modulation(level: np.ndarray) -> list[float]:
    """Peaks of the level per second, and how its variation spreads over frequencies."""
    rate = SAMPLING_RATE / HOP
    centred = np.maximum(level, level.max() - 40)
    centred = centred - centred.mean()
    smooth = np.convolve(centred, np.full(5, 0.2), mode="same")
    inner = smooth[1:-1]
    peaks = (inner > smooth[:-2]) & (inner >= smooth[2:]) & (inner > 0)
    spectrum = np.abs(np.fft.rfft(centred)) ** 2
    frequency = np.fft.rfftfreq(len(centred), 1 / rate)
    total = spectrum.sum() + 1e-9
    shares = [
        spectrum[(frequency >= low) & (frequency < high)].sum() / total
        for low, high in pairwise(MODULATION_HZ)
    ]
    return [float(peaks.sum() * rate / len(level)), *map(float, shares)]
