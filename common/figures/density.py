"""Histograms with a smooth line: how values are distributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BIN_WIDTH = 0.03
#: share of the values in one bin up to which histograms are drawn: whatever the model, one axis
TOP_SHARE = 0.15
#: 0, 0.03, ..., 1.02: the last bin also holds what lies between 0.99 and 1
EDGES = np.arange(35) * BIN_WIDTH
GRID = np.linspace(0, 1, 257)
#: values that differ by less are one value, which no curve can smooth
CONSTANT = 1e-6


def bin_counts(values: np.ndarray, edges: np.ndarray = EDGES) -> np.ndarray:
    """Number of values per bin; those outside count in the first and last bin.

    Args:
        values: shape (N,)
        edges: K + 1 ascending edges; bins are open at the right

    >>> bin_counts(np.array([-1.0, 0.0, 0.5, 7.0]), np.array([0.0, 0.5, 1.0])).tolist()
    [2, 2]
    """
    which = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return np.bincount(which, minlength=len(edges) - 1)


def kernel_density(values: np.ndarray, grid: np.ndarray = GRID) -> np.ndarray | None:
    r"""Gaussian kernel density with the bandwidth of Scott (1992).

    .. math:: f(x) = \frac{1}{N h} \sum_i \varphi\!\left(\frac{x - v_i}{h}\right),
        \quad h = N^{-1/5} s

    with the sample standard deviation s. Values are first counted in 2000 bins, which makes
    the cost independent of N and changes the curve by less than a line width.

    Args:
        values: shape (N,)
        grid: where to evaluate it

    Returns:
        density at the grid, None if fewer than two different values are given
    """
    if len(values) < 2 or np.ptp(values) < CONSTANT:
        return None
    width = len(values) ** -0.2 * values.std(ddof=1)
    counts, edges = np.histogram(values, bins=2000)
    used = counts > 0
    centres = ((edges[1:] + edges[:-1]) / 2)[used]
    with np.errstate(under="ignore"):
        kernels = np.exp(-0.5 * ((grid[:, None] - centres) / width) ** 2)
    density: np.ndarray = kernels @ counts[used] / (len(values) * width * np.sqrt(2 * np.pi))
    return density


def draw_histograms(
    axes: Axes,
    series: Mapping[str, np.ndarray],
    colors: Sequence[str],
    *,
    scale: Literal["frequency", "percent"],
    xlabel: str = "Value",
    limits: tuple[float, float] = (0.0, 1.0),
    counted: bool = True,
    size: int | None = None,
    top: float = TOP_SHARE,
) -> Axes:
    """Overlaid histograms, each with its density as a line.

    The vertical axis does not depend on the height of the bars, so that figures of several models
    on the same data have one axis. A higher bar is cut, and its height is told.

    Args:
        axes: where to draw
        series: name -> values, shape (N,); drawn in this order, the first line dashed
        colors: one per series
        scale: ``frequency`` is count / bin width, ``percent`` that of the series' own values
        xlabel: label of the horizontal axis
        limits: range of the values; what is outside counts in the first or last bin
        counted: whether the legend tells the number of values
        size: number of values that the vertical axis has room for; None: that of the longest series
        top: share of them in one bin that the vertical axis reaches to
    """
    size = max([1, *map(len, series.values())]) if size is None else max(size, 1)
    limit = top * (size / BIN_WIDTH if scale == "frequency" else 100)
    highest = 0.0
    for n, ((name, values), color) in enumerate(zip(series.items(), colors, strict=True)):
        values = np.clip(values, limits[0], limits[1])
        total = max(len(values), 1)
        factor = 1 / BIN_WIDTH if scale == "frequency" else 100 / total
        label = f"{name} ({len(values)})" if counted else name
        heights = bin_counts(values) * factor
        highest = max(highest, float(heights.max()))
        axes.stairs(heights, EDGES, fill=True, alpha=0.4, color=color)
        dash = "--" if n == 0 else "-"
        density = kernel_density(values)
        if density is not None:
            height = total * density if scale == "frequency" else 100 * BIN_WIDTH * density
            axes.plot(GRID, height, dash, color=color)
        axes.plot([], [], dash, color=color, label=label, linewidth=2.2)
    axes.set_xlim(EDGES[0], EDGES[-1])
    axes.set_ylim(0, limit)
    if highest > limit:
        percent = scale == "percent"
        text = f"{highest:.0f} %" if percent else style.short_count(round(highest))
        _cut(axes, f"bars up to {text}")
    axes.set_xlabel(xlabel)
    axes.set_ylabel("Frequency (count / bin width)" if scale == "frequency" else "Percentage")
    axes.grid(True)
    if not any(len(values) for values in series.values()):
        style.no_data(axes)
    return axes


def peak(values: np.ndarray, edges: np.ndarray = EDGES) -> float:
    """Largest share of values in one bin; 0 without values.

    >>> peak(np.array([0.1, 0.1, 0.1, 0.9]))
    0.75
    """
    return float(bin_counts(np.clip(values, 0, 1), edges).max() / max(len(values), 1))


def _cut(axes: Axes, text: str) -> None:
    """Tell at the upper edge that bars go on above it."""
    at, box = axes.transAxes, {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
    axes.text(0.99, 0.98, f"↑ {text}", transform=at, ha="right", va="top", fontsize=8.5, bbox=box)


def draw_class_bars(
    axes: Axes,
    labels: Sequence[str],
    series: Mapping[str, np.ndarray],
    colors: Sequence[str],
    *,
    scale: Literal["count", "percent"],
    counted: bool = True,
    size: int | None = None,
    top: float = 1.0,
) -> Axes:
    """Grouped bars: how often every class occurs, with the number on each bar.

    The vertical axis does not depend on the height of the bars, so that figures of several models
    on the same data have one axis. A higher bar is cut; its number has an arrow.

    Args:
        axes: where to draw
        labels: classes in the order of the axis
        series: name -> labels, shape (N,)
        colors: one per series
        scale: ``count``, or ``percent`` of the series' own labels
        counted: whether the legend tells the number of labels
        size: number of labels that the vertical axis has room for; None: that of the longest series
        top: share of them in one class that the vertical axis reaches to
    """
    size = max([1, *map(len, series.values())]) if size is None else max(size, 1)
    limit = min(top, 1.0) * (size if scale == "count" else 100)
    width = 0.8 / len(series)
    at = np.arange(len(labels))
    for n, ((name, values), color) in enumerate(zip(series.items(), colors, strict=True)):
        counts = np.array([np.sum(values == label) for label in labels], dtype=float)
        heights = counts if scale == "count" else 100 * counts / max(len(values), 1)
        texts = [style.short_count(int(h)) if scale == "count" else f"{h:.0f}" for h in heights]
        place = at + (n - (len(series) - 1) / 2) * width
        label = f"{name} ({len(values)})" if counted else name
        bars = axes.bar(place, heights, width, color=color, label=label)
        is_cut = heights > limit
        if len(labels) * len(series) <= 12:
            shown = ["" if cut else text for cut, text in zip(is_cut, texts, strict=True)]
            axes.bar_label(bars, shown, padding=1, fontsize=8.5)
        for x, text in zip(place[is_cut], np.array(texts)[is_cut], strict=True):
            axes.text(
                x, 1.08 * limit, f"↑\n{text}", ha="center", va="top", fontsize=8.5, color="white"
            )
    style.class_ticks(axes, labels)
    axes.set_ylabel("Number of samples" if scale == "count" else "Percentage")
    axes.set_ylim(0, 1.1 * limit)
    axes.grid(True, axis="y")
    return axes
