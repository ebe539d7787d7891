"""What a filter or a channel does to frequencies: magnitudes over frequency, for method pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import AudioError
from . import style
from .audio import mono

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: length of the windows of an average spectrum in samples, half of which overlap
WINDOW = 512
#: levels below the largest one that are shown
FLOOR_DB = -60.0
HEIGHT_INCH = 2.6
COLORS = (style.ORIGINAL_INPUT, style.PREDICTION)


def magnitude_response(taps: np.ndarray, sampling_rate: int) -> tuple[np.ndarray, np.ndarray]:
    """Factor that a filter applies to each frequency.

    Args:
        taps: impulse response, shape (N,)
        sampling_rate: in Hz

    Returns:
        frequencies in Hz and magnitudes, shape (N // 2 + 1,) each

    >>> magnitude_response(np.array([0.5, 0.5]), 8000)[1].round(6).tolist()
    [1.0, 0.0]
    """
    return np.fft.rfftfreq(len(taps), 1 / sampling_rate), np.abs(np.fft.rfft(taps))


def average_spectrum(signal: np.ndarray, sampling_rate: int) -> tuple[np.ndarray, np.ndarray]:
    """Long-term average spectrum: mean power of Hann windows (Welch 1967), in dB.

    Args:
        signal: shape (samples,), at least 512
        sampling_rate: in Hz

    Returns:
        frequencies in Hz and levels in dB relative to full scale, shape (257,) each

    Raises:
        AudioError: if the signal is shorter than a window
    """
    if len(signal) < WINDOW:
        raise AudioError(f"a spectrum needs {WINDOW} samples or more, found {len(signal)}")
    frames = np.lib.stride_tricks.sliding_window_view(signal, WINDOW)[:: WINDOW // 2]
    window = np.hanning(WINDOW)
    power = (np.abs(np.fft.rfft(frames * window, axis=1)) ** 2).mean(axis=0) / window.sum() ** 2
    return np.fft.rfftfreq(WINDOW, 1 / sampling_rate), 10 * np.log10(np.maximum(power, 1e-12))


def draw_magnitudes(
    axes: Axes, curves: Mapping[str, tuple[np.ndarray, np.ndarray]], ylabel: str
) -> Axes:
    """Curves over frequency in kHz, each with its name.

    Args:
        axes: where to draw
        curves: name -> frequencies in Hz and values
        ylabel: what the values are
    """
    for (name, (frequency_hz, values)), color in zip(curves.items(), COLORS, strict=True):
        axes.plot(frequency_hz / 1000, values, color=color, linewidth=1.6, label=name)
    top_hz = max(frequency_hz[-1] for frequency_hz, _ in curves.values())
    axes.set(xlim=(0, top_hz / 1000), xlabel="Frequency in kHz", ylabel=ylabel)
    axes.grid(True)
    axes.legend()
    return axes


def plot_filters(filters: Mapping[str, np.ndarray], sampling_rate: int) -> None:
    """For a ``.. plot::`` block: magnitude responses of two filters.

    Args:
        filters: name -> impulse response, shape (N,)
        sampling_rate: in Hz
    """
    curves = {name: magnitude_response(taps, sampling_rate) for name, taps in filters.items()}
    draw_magnitudes(_axes(), curves, "Factor").set_ylim(bottom=0)


def plot_spectra(files: Mapping[str, str | Path]) -> None:
    """For a ``.. plot::`` block: average spectra of two signals, in dB below the largest level.

    Args:
        files: name -> audio file

    Raises:
        AudioError: if a file is missing, no audio or too short
    """
    spectra = {name: average_spectrum(*_read(path)) for name, path in files.items()}
    top = max(levels.max() for _, levels in spectra.values())
    curves = {
        name: (frequency_hz, levels - top) for name, (frequency_hz, levels) in spectra.items()
    }
    draw_magnitudes(_axes(), curves, "Level in dB").set_ylim(FLOOR_DB, 3)


def _read(path: str | Path) -> tuple[np.ndarray, int]:
    from ..samples import audio

    signal, sampling_rate = audio.read(Path(path))
    return mono(signal), sampling_rate


def _axes() -> Axes:
    from matplotlib import pyplot

    size = (style.WIDTH_INCH, HEIGHT_INCH)
    return pyplot.subplots(figsize=size, layout="constrained")[1]
