"""How far scores of groups differ by chance, from simulated predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics import METRICS
from ..spec.view import View
from . import style
from .base import figure
from .text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TICKS = (20, 100, 200, 300, 400, 600, 800, 1000)
MARKERS = "osD^vPX*"
PASSED = ("o", style.PASS)
FAILED = ("X", style.FAIL)


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


def draw_several(
    new: Callable[..., Figure],
    parts: Mapping[str, tuple[Sequence[int], Mapping[int, Sequence[float]]]],
) -> Figure:
    """Several metrics side by side, three in a row.

    Args:
        new: makes a figure, such as ``matplotlib.pyplot.figure``
        parts: title -> samples and maxima as of :func:`draw_lines`
    """
    rows, columns = -(-len(parts) // 3), min(len(parts), 3)
    drawing = new(figsize=(3.2 * columns, 2.9 * rows + 0.4), layout="constrained")
    places = drawing.subplots(rows, columns, squeeze=False).ravel()
    for axes, (title, (samples, maxima)) in zip(places, parts.items(), strict=False):
        draw_lines(axes, samples, maxima)
        axes.set_title(title)
        # the ticks of one wide figure would overlap here
        axes.set_xticks([tick for tick in (20, 300, 600, 1000) if tick <= max(samples)])
        axes.locator_params(axis="y", nbins=6)
    for axes in places[len(parts) :]:
        axes.remove()
    handles = places[0].get_legend_handles_labels()[0]
    drawing.legend(handles=handles, title="Number of groups", loc="outside lower center", ncols=6)
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


def draw_null(
    axes: Axes,
    null: Sequence[float],
    values: Sequence[float],
    passed: Sequence[bool],
    *,
    threshold: float,
    xlabel: str = "Absolute score",
) -> Axes:
    """What chance models reach, and the scores of a model below it.

    Args:
        axes: where to draw
        null: absolute scores by chance, at even steps of probability
        values: scores of the model
        passed: whether each met its criterion: a green dot if so, else a red cross
        threshold: drawn as a dashed line
        xlabel: label of the horizontal axis
    """
    scores, good = np.abs(np.asarray(values, dtype=float)), np.asarray(passed, dtype=bool)
    counts, edges = np.histogram(null, bins=30)
    axes.stairs(counts, edges, fill=True, color=style.TRUTH, alpha=0.5, label="chance models")
    axes.axvline(threshold, color=style.FAIL, linestyle="--", linewidth=1.2, label="threshold")
    below = -0.08 * counts.max()
    # chance and threshold decide about the axis: one for all models on the same data
    right = max(float(np.max(null)), 2 * threshold)
    beyond = int(np.sum(scores > right))
    if beyond:
        axes.text(right, below, f"{beyond} beyond  ", ha="right", va="center", fontsize=8.5)
    for chosen, (marker, color) in ((good, PASSED), (~good, FAILED)):
        at = np.minimum(scores[chosen], right)
        axes.scatter(at, np.full(len(at), below), marker=marker, color=color, s=24, linewidths=0)
    axes.set_xlim(0, 1.03 * right)
    axes.set(xlabel=xlabel, ylabel=f"Of {len(null):,} chance scores")
    style.number_ticks(axes.yaxis, [tick for tick in axes.get_yticks() if tick >= 0])
    axes.set_ylim(2 * below, 1.05 * counts.max())
    axes.grid(True)
    return axes


@dataclass
class _Chance:
    """Scores of one metric with simulated bounds; ``null`` and ``bound`` are the widest ones."""

    label: str
    null: Sequence[float] = ()
    bound: float = 0.0
    values: list[float] = field(default_factory=list)
    passed: list[bool] = field(default_factory=list)


def _chance(view: View) -> dict[str, _Chance]:
    """Suffix of the figure -> what it shows, from the rows of a view."""
    charts: dict[str, _Chance] = {}
    for row in view.rows:
        if "null" not in row:
            continue
        name = str(row["metric"])
        part = charts.setdefault(f"chance-{name.replace('_', '-')}", _Chance(_label(name)))
        bound = float(str(row["criterion"]).rpartition(" ")[2])
        if bound > part.bound:
            part.null, part.bound = row["null"], bound
        part.values.append(abs(float(row["value"])))
        part.passed.append(row["status"] == "pass")
    return charts


def _label(metric: str) -> str:
    return METRICS.get(metric).label


def _null_alt(view: View, options: Any) -> dict[str, str]:
    return {
        suffix: f"{part.label}: 99 % of the scores of chance models up to "
        f"{number(float(np.quantile(part.null, 0.99)))}; {len(part.values)} scores of the model, absolute values from "
        f"{number(min(part.values))} to {number(max(part.values))}, {sum(part.passed)} within "
        f"their threshold; the largest threshold is {part.bound:g}."
        for suffix, part in _chance(view).items()
    }


@figure("null_distributions", alt=_null_alt)
def null_distributions(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Per metric with simulated thresholds: scores of chance models and those of the model.

    Groups of different sizes have different thresholds; shown is the largest one with what it
    was simulated from.
    """
    marks = [style.mark("Passed", *PASSED), style.mark("Failed", *FAILED)]
    drawn = {}
    for suffix, part in _chance(view).items():
        drawing, (axes,) = style.canvas(f"{title}\n{part.label}", height=3.2)
        draw_null(axes, part.null, part.values, part.passed, threshold=part.bound)
        style.legend_below(drawing, [*axes.get_legend_handles_labels()[0], *marks])
        drawn[suffix] = drawing
    return drawn
