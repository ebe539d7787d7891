"""Waveform and spectrogram of a listening example, aligned in time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.errors import AudioError
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WINDOW_S = 0.025
HOP_S = 0.005
FLOOR_DB = -70.0
HEIGHT_INCH = 2.6
#: columns of a waveform or spectrogram; more could not be seen
COLUMNS = 800
#: where the time axis begins and ends, relative to the width of the figure; the same in all
#: figures, so that a page can move a line along it
LEFT, RIGHT = 0.09, 0.96
#: lower end of the axes, where that line ends (``listen-line`` in ``listen.css``)
BOTTOM = 0.17
#: time axes end at multiples of this, so that those of a sound and of its variants are equal
GRID_S = 0.5


class Spectrogram(NamedTuple):
    """Levels over time and frequency.

    Args:
        levels_db: relative to the largest, at least -70, shape (frequencies, frames)
        duration_s: of the signal
        top_hz: highest frequency
    """

    levels_db: np.ndarray
    duration_s: float
    top_hz: float


def span_s(duration_s: float) -> float:
    """End of the time axis of a signal.

    >>> span_s(3.5), span_s(3.6)
    (3.5, 4.0)
    """
    return float(max(1.0, np.ceil(round(duration_s / GRID_S, 6))) * GRID_S)


def mono(signal: np.ndarray) -> np.ndarray:
    """Mean of the channels as float64, shape (samples,); missing values become 0.

    Raises:
        AudioError: if there is no sample
    """
    signal = np.atleast_2d(np.asarray(signal, dtype=float)).mean(axis=0)
    if signal.size == 0:
        raise AudioError("a signal without samples has no waveform")
    return np.nan_to_num(signal, nan=0.0, posinf=0.0, neginf=0.0)


def spectrogram(signal: np.ndarray, sampling_rate: int) -> Spectrogram:
    """Power in Hann windows of 25 ms, in dB; a silent signal is at the floor everywhere.

    Args:
        signal: shape (samples,)
        sampling_rate: in Hz
    """
    size = max(round(WINDOW_S * sampling_rate), 2)
    hop = max(round(HOP_S * sampling_rate), -(-len(signal) // COLUMNS), 1)
    padded = np.pad(signal, size // 2)
    padded = np.pad(padded, (0, max(size - len(padded), 0)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::hop]
    power = np.abs(np.fft.rfft(frames * np.hanning(size + 1)[:-1], n=2 * size, axis=1)) ** 2
    peak = power.max()
    floor = 10 ** (FLOOR_DB / 10)
    relative = power / peak if peak > 0 else np.full_like(power, floor)
    levels = 10 * np.log10(np.maximum(relative, floor))
    return Spectrogram(levels.T, len(signal) / sampling_rate, sampling_rate / 2)


def draw_waveform(
    axes: Axes, signal: np.ndarray, sampling_rate: int, *, label: str = "", color: str
) -> Axes:
    """Amplitude over time; of a long signal the range within each of 800 steps.

    Args:
        axes: where to draw
        signal: shape (samples,)
        sampling_rate: in Hz
        label: written above, at the left
        color: of the wave
    """
    step = -(-len(signal) // COLUMNS)
    starts = np.arange(0, len(signal), step)
    time = starts / sampling_rate
    if step > 2:
        low, high = np.minimum.reduceat(signal, starts), np.maximum.reduceat(signal, starts)
        axes.fill_between(time, low, high, color=color, linewidth=0.6)
    else:
        axes.plot(np.arange(len(signal)) / sampling_rate, signal, color=color, linewidth=0.8)
    top = max(float(np.abs(signal).max()), 1e-3) * 1.05
    axes.set_ylim(-top, top)
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.set_title(label, loc="left", color=color, fontweight="bold")
    return axes


def draw_spectrogram(axes: Axes, signal: np.ndarray, sampling_rate: int) -> Axes:
    """Spectrogram in kHz over seconds.

    Args:
        axes: where to draw
        signal: shape (samples,)
        sampling_rate: in Hz
    """
    levels, duration, top = spectrogram(signal, sampling_rate)
    axes.imshow(
        levels,
        origin="lower",
        aspect="auto",
        extent=(0, duration, 0, top / 1000),
        cmap="magma",
        vmin=FLOOR_DB,
        vmax=0,
        interpolation="bilinear",
    )
    axes.set(xlabel="Time in s", ylabel="kHz")
    return axes


def waveform_spectrogram(
    signal: np.ndarray,
    sampling_rate: int,
    label: str = "",
    *,
    changed: bool = False,
    figure: Figure | None = None,
) -> Figure:
    """Waveform above spectrogram on one time axis.

    Args:
        signal: shape (channels, samples) or (samples,)
        sampling_rate: in Hz
        label: short name, written above the waveform
        changed: blue for a changed signal, red for an original one
        figure: an empty figure to draw in, for example ``matplotlib.pyplot.figure()``

    Raises:
        AudioError: if the signal has no samples
    """
    wave = mono(signal)
    color = style.PREDICTION if changed else style.ORIGINAL_INPUT
    grid: dict[str, Any] = {"sharex": True, "gridspec_kw": {"height_ratios": [2, 3]}}
    with style.applied():
        if figure is None:
            figure, axes = style.canvas("", height=HEIGHT_INCH, rows=2, **grid)
        else:
            figure.set_size_inches(style.WIDTH_INCH, HEIGHT_INCH)
            axes = list(figure.subplots(2, 1, **grid))
        figure.set_layout_engine(None)  # margins are fixed
        figure.subplots_adjust(
            left=LEFT, right=RIGHT, top=0.9 if label else 0.98, bottom=BOTTOM, hspace=0.06
        )
        draw_waveform(axes[0], wave, sampling_rate, label=label, color=color)
        draw_spectrogram(axes[1], wave, sampling_rate)
        axes[0].set_xlim(0, span_s(len(wave) / sampling_rate))
    return figure


def plot(signal: np.ndarray, sampling_rate: int, label: str = "", *, changed: bool = False) -> None:
    """For a ``.. plot::`` block: :func:`waveform_spectrogram` on a new figure of pyplot.

    .. code-block:: python

        import audiofile
        from common.figures.audio import plot
        plot(*audiofile.read("../extra/media/speech.wav"), "original")
    """
    from matplotlib import pyplot

    waveform_spectrogram(signal, sampling_rate, label, changed=changed, figure=pyplot.figure())


def plot_file(path: str | Path, label: str = "", *, changed: bool = False) -> None:
    """As :func:`plot`, of an audio file.

    Raises:
        AudioError: if the file is missing or no audio
    """
    from ..samples import audio

    signal, sampling_rate = audio.read(Path(path))
    plot(signal, sampling_rate, label, changed=changed)


def describe_audio(signal: np.ndarray, sampling_rate: int, label: str = "") -> str:
    """Alternative text of :func:`waveform_spectrogram`."""
    wave = mono(signal)
    name = f" of {label}" if label else ""
    if not np.any(wave):
        return f"Waveform and spectrogram{name}: {len(wave) / sampling_rate:.1f} s of silence."
    level = 10 * np.log10(np.mean(wave**2))
    return (
        f"Waveform and spectrogram{name}: {len(wave) / sampling_rate:.1f} s, "
        f"mean level {level:.0f} dB of full scale, up to {sampling_rate / 2000:g} kHz."
    )
