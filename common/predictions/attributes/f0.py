r"""Fundamental frequency by autocorrelation, as Praat's command *To Pitch* defines it.

Boersma (1993), "Accurate short-term analysis of the fundamental frequency and the
harmonics-to-noise ratio of a sampled sound": the autocorrelation of a windowed frame, divided
by that of the window, has its maximum at the period, whatever the window does to it. Per frame
the best maxima and "unvoiced" are candidates; the path through all frames that weighs strength
against octave jumps and changes of voicing wins.

The maxima are not looked for by numerical optimisation in every frame, as in Praat, but on an
autocorrelation with four times as many lags, which the inverse Fourier transform of the
zero-padded spectrum gives for all frames at once, and a parabola through three of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

#: version of the method; part of the key of cached values
VERSION = "1"
#: lags per sample on which maxima are looked for
FINE = 4
#: frames that are transformed together, to bound the memory
BLOCK = 512


@dataclass(frozen=True)
class Settings:
    """Settings of *To Pitch*; the defaults are Praat's.

    Args:
        floor_hz: lowest frequency; a window holds three of its periods
        ceiling_hz: highest frequency
        silence: a frame whose peak is below this share of the whole signal's is unvoiced
        voicing: strength that a candidate needs to beat "unvoiced"
        octave_cost: how much a higher candidate is preferred, per octave
        jump_cost: cost of a change of the frequency, per octave
        switch_cost: cost of a change between voiced and unvoiced
        candidates: number of candidates per frame, "unvoiced" included
    """

    floor_hz: float = 75.0
    ceiling_hz: float = 600.0
    silence: float = 0.03
    voicing: float = 0.45
    octave_cost: float = 0.01
    jump_cost: float = 0.35
    switch_cost: float = 0.14
    candidates: int = 15

    @property
    def step_s(self) -> float:
        """Time between two frames."""
        return 0.75 / self.floor_hz


@dataclass(frozen=True)
class _Grid:
    """What depends on the sampling rate only; numbers of samples."""

    half: int
    period: int
    size: int
    lags: np.ndarray
    window: np.ndarray
    divisor: np.ndarray


DEFAULT = Settings()


def track(signal: np.ndarray, sampling_rate: int, settings: Settings = DEFAULT) -> np.ndarray:
    """Fundamental frequency in Hz of every frame, 0 where it is unvoiced.

    Args:
        signal: shape (samples,)
        sampling_rate: in Hz
        settings: of the method

    Returns:
        shape (frames,), one per 10 ms with the default floor, the first and last half a window
        from the ends; empty if the signal is shorter than a window (40 ms)

    >>> tone = np.sin(2 * np.pi * 200 * np.arange(4000) / 16000)
    >>> track(tone, 16000).round(2)[[0, -1]].tolist()
    [200.0, 200.0]
    """
    signal = np.asarray(signal, dtype=np.float64)
    grid = _grid(int(sampling_rate), settings)
    centres = _centres(len(signal), sampling_rate, settings)
    if len(centres) == 0:
        return np.zeros(0)
    if np.ptp(signal) == 0:
        return np.zeros(len(centres))
    peak = float(np.abs(signal - signal.mean()).max())
    blocks = []
    for n in range(0, len(centres), BLOCK):
        frames = _frames(signal, centres[n : n + BLOCK], grid)
        intensity = np.abs(_middle(frames, grid)).max(axis=1) / peak
        row, lag, height = _maxima(frames, grid, settings.voicing / 2)
        blocks.append((row + n, sampling_rate / lag, height, intensity))
    row, frequency, height, intensity = (np.concatenate(part) for part in zip(*blocks, strict=True))
    candidates = _best(row, frequency, height, len(centres), settings)
    return _path(*candidates, np.minimum(intensity, 1), settings)


def mean_f0(signal: np.ndarray, sampling_rate: int, settings: Settings = DEFAULT) -> float:
    """Mean of the voiced frames in Hz; 0 if there is none.

    Args:
        signal: shape (samples,)
        sampling_rate: in Hz
        settings: of the method
    """
    values = track(signal, sampling_rate, settings)
    voiced = values[values > 0]
    return float(voiced.mean()) if len(voiced) else 0.0


@lru_cache(maxsize=8)
def _grid(sampling_rate: int, settings: Settings) -> _Grid:
    half = int(3 * sampling_rate / settings.floor_hz) // 2 - 1
    size = 1 << int(np.ceil(np.log2(1.5 * 2 * half)))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(1, 2 * half + 1) / (2 * half + 1))
    first = max(2, int(sampling_rate / settings.ceiling_hz))
    last = min(2 * half // 3 + 2, half)
    lags = np.arange((first - 1) * FINE, last * FINE + 1)
    correlation = _autocorrelation(window[None], size, lags)[0]
    return _Grid(
        half,
        int(sampling_rate / settings.floor_hz),
        size,
        lags,
        window,
        correlation / (window @ window),
    )


def _autocorrelation(frames: np.ndarray, size: int, lags: np.ndarray) -> np.ndarray:
    """Autocorrelation at ``lags / FINE`` samples, which follow each other; (frames, lags)."""
    from scipy.fft import irfft, rfft  # as numpy's, bit by bit, and faster

    spectrum = rfft(frames, size)
    power = spectrum.real**2 + spectrum.imag**2
    power[:, -1] /= 2  # the highest frequency stands for two of the longer transform
    fine = irfft(power, size * FINE)[:, lags[0] : lags[-1] + 1]
    return np.asarray(fine * FINE)


def _centres(samples: int, sampling_rate: int, settings: Settings) -> np.ndarray:
    """Number of the last sample left of the centre of each frame; frames are centred."""
    duration = samples / sampling_rate
    count = int(np.floor((duration - 3 / settings.floor_hz) / settings.step_s + 1e-9)) + 1
    if count < 1:
        return np.zeros(0, dtype=np.int64)
    first = duration / 2 - (count - 1) / 2 * settings.step_s
    times = first + np.arange(count) * settings.step_s
    # sample k lies at (k + 0.5) / sampling_rate
    return np.floor(times * sampling_rate - 0.5 + 1e-9).astype(np.int64)


def _frames(signal: np.ndarray, left: np.ndarray, grid: _Grid) -> np.ndarray:
    """Windowed frames around the samples ``left`` and ``left + 1``, shape (frames, samples).

    Beyond the ends of the signal there are zeros; the mean of two periods of the lowest
    frequency is taken out of each frame.
    """
    reach = max(grid.half, grid.period) + 1
    first = max(0, int(left[0]) - reach)
    part, left = signal[first : int(left[-1]) + reach + 1], left - first
    padded = np.pad(part, grid.half)
    frames = np.lib.stride_tricks.sliding_window_view(padded, 2 * grid.half)[left + 1]
    sums = np.concatenate([[0.0], np.cumsum(part)])
    start = np.clip(left + 1 - grid.period, 0, len(part))
    stop = np.clip(left + 1 + grid.period, 0, len(part))
    mean = (sums[stop] - sums[start]) / (stop - start)
    windowed: np.ndarray = (frames - mean[:, None]) * grid.window
    return windowed


def _middle(frames: np.ndarray, grid: _Grid) -> np.ndarray:
    """The part of each frame, one period of the lowest frequency, whose peak is its level."""
    reach = grid.period // 2 + 1
    return frames[:, grid.half - reach : grid.half + reach]


def _maxima(
    frames: np.ndarray, grid: _Grid, least: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maxima of the normalised autocorrelation: frame, lag in samples and height of each."""
    energy = np.einsum("ij,ij->i", frames, frames)
    scale = np.divide(1, energy, out=np.zeros_like(energy), where=energy > 0)
    r = _autocorrelation(frames, grid.size, grid.lags)
    r *= scale[:, None]
    r /= grid.divisor
    before, middle, after = r[:, :-2], r[:, 1:-1], r[:, 2:]
    is_maximum = (middle > before) & (middle >= after) & (middle > least)
    # numpy finds the places in a row of all frames five times as fast as those in a table
    row, column = np.divmod(np.flatnonzero(is_maximum), is_maximum.shape[1])
    below, at, above = (part[row, column] for part in (before, middle, after))
    slope, curve = (above - below) / 2, 2 * at - below - above
    lag = (grid.lags[column + 1] + slope / curve) / FINE
    height = at + slope * slope / (2 * curve)
    return row, lag, np.where(height > 1, 1 / height, height)


def _best(
    row: np.ndarray, frequency: np.ndarray, strength: np.ndarray, frames: int, settings: Settings
) -> tuple[np.ndarray, np.ndarray]:
    """The strongest candidates of each frame, a higher one preferred, behind "unvoiced"."""
    score = strength - settings.octave_cost * np.log2(settings.floor_hz / frequency)
    order = np.lexsort((-score, row))
    row, frequency, strength = row[order], frequency[order], strength[order]
    counts = np.bincount(row, minlength=frames)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    mask = rank < settings.candidates
    width = 1 + min(int(counts.max(initial=0)), settings.candidates - 1)
    frequencies, strengths = np.zeros((frames, width)), np.zeros((frames, width))
    frequencies[row[mask], rank[mask]] = frequency[mask]
    strengths[row[mask], rank[mask]] = strength[mask]
    return frequencies, strengths


def _path(
    frequency: np.ndarray, strength: np.ndarray, intensity: np.ndarray, settings: Settings
) -> np.ndarray:
    """Frequencies of the best path, shape (frames,), by dynamic programming."""
    voiced = (frequency > 0) & (frequency < settings.ceiling_hz)
    octave = np.log2(np.where(voiced, frequency, 1.0))
    quiet = 2 - intensity * (1 + settings.voicing) / settings.silence
    unvoiced = settings.voicing + np.maximum(0, quiet)
    bonus = settings.octave_cost * (octave - np.log2(settings.ceiling_hz))
    value = np.where(voiced, strength + bonus, unvoiced[:, None])
    # a place that holds no candidate must not be taken for one more "unvoiced"
    value[:, 1:][frequency[:, 1:] == 0] = -np.inf
    best, back = value[0], np.zeros(frequency.shape, dtype=np.int64)
    for start in range(1, len(frequency), BLOCK):
        frames = slice(start - 1, start + BLOCK)
        costs = _costs(octave[frames], voiced[frames], settings)
        totals = np.empty_like(costs)
        for total, cost, worth in zip(totals, costs, value[start:], strict=False):
            np.subtract(best[:, None], cost, out=total)
            best = np.maximum.reduce(total, axis=0) + worth
        back[start : start + len(costs)] = totals.argmax(axis=1)
    chosen = np.zeros(len(frequency), dtype=np.int64)
    chosen[-1] = best.argmax()
    for n in range(len(frequency) - 1, 0, -1):
        chosen[n - 1] = back[n, chosen[n]]
    picked: np.ndarray = np.where(voiced, frequency, 0.0)[np.arange(len(frequency)), chosen]
    return picked


def _costs(octave: np.ndarray, voiced: np.ndarray, settings: Settings) -> np.ndarray:
    """Costs of going from one candidate to one of the next frame, shape (F - 1, K, K)."""
    correction = 0.01 / settings.step_s
    both = voiced[:-1, :, None] & voiced[1:, None, :]
    one = voiced[:-1, :, None] != voiced[1:, None, :]
    jump = settings.jump_cost * correction * np.abs(octave[:-1, :, None] - octave[1:, None, :])
    return np.where(one, settings.switch_cost * correction, np.where(both, jump, 0.0))
