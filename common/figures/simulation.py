"""How far scores of groups differ by chance, from simulated predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from common.figures import style
from common.figures.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TICKS = (20, 100, 200, 300, 400, 600, 800, 1000)
MARKERS = "osD^vPX*"


def draw_lines(
    axes: Axes,
    samples: Sequence[int],
    maxima: Mapping[int, Sequence[float]],
    *,
    ylabel: str = "Maximum difference",
    threshold: float | None = None,
) -> Axes:
    """Largest difference over the number of samples per group, one line per number of groups.

    Args:
        axes: where to draw
        samples: samples per group, shape (S,), ascending
        maxima: number of groups -> largest difference, shape (S,)
        ylabel: label of the vertical axis
        threshold: drawn as a dashed line if given
    """
    from matplotlib import colormaps

    colors = colormaps["viridis"](np.linspace(0, 0.85, max(len(maxima), 1)))
    for n, (groups, values) in enumerate(sorted(maxima.items())):
        marker = MARKERS[n % len(MARKERS)]
        axes.plot(samples, values, marker=marker, markersize=4, color=colors[n], label=str(groups))
    if threshold is not None:
        axes.axhline(threshold, color=style.FAIL, linestyle="--", linewidth=1.2)
    every = [value for values in maxima.values() for value in values]
    top = max([*every, threshold or 0.0, 0.025])
    step = 0.05 if top - min(every, default=0.0) > 0.5 else 0.025
    while top / step > 24:
        step *= 2
    axes.set_yticks(np.arange(0, top + step, step))
    axes.set_ylim(0, top * 1.04)
    first, last = (min(samples), max(samples)) if len(samples) else (0, 1)
    ticks = [tick for tick in TICKS if first <= tick <= last] or sorted(samples)
    axes.set_xticks(ticks)
    axes.set(xlabel="Samples per group", ylabel=ylabel)
    axes.grid(True)
    return axes


def simulation_lines(
    title: str,
    samples: Sequence[int],
    maxima: Mapping[int, Sequence[float]],
    *,
    ylabel: str = "Maximum difference",
    threshold: float | None = None,
) -> Figure:
    """Figure of one simulated metric; arguments as of :func:`draw_lines`."""
    with style.applied():
        drawing, (axes,) = style.canvas(title, height=4.2)
        draw_lines(axes, samples, maxima, ylabel=ylabel, threshold=threshold)
        drawing.legend(
            handles=axes.get_legend_handles_labels()[0],
            title="Number of groups",
            loc="outside lower center",
            ncols=6,
        )
    return drawing


def describe_lines(samples: Sequence[int], maxima: Mapping[int, Sequence[float]]) -> str:
    """Alternative text of :func:`simulation_lines`."""
    facts = [
        f"{groups} groups {number(values[0])} to {number(values[-1])}"
        for groups, values in sorted(maxima.items())
    ]
    return (
        f"Largest difference by chance from {samples[0]} to {samples[-1]} samples per group: "
        f"{'; '.join(facts)}."
    )
