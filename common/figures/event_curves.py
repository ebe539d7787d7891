"""PSD-ROC: true positive rate of each class, and its mean, over the rate of false alarms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: classes that get a colour and a name; more would be a tangle
NAMED = 10
#: points of a curve that is drawn; more could not be seen
POINTS = 600

#: rates and true positive rates of a class
Points = tuple[np.ndarray, np.ndarray]


def draw_psd_roc(
    axes: Axes,
    x: np.ndarray,
    mean: np.ndarray,
    std: np.ndarray,
    etpr: np.ndarray,
    classes: Mapping[str, Points],
    *,
    max_efpr: float | None,
    unit: str,
) -> Axes:
    """Curves as stairs: classes thin, mean with its standard deviation, effective rate thick.

    Args:
        axes: where to draw
        x: effective false positive rates, ascending from 0
        mean: mean over classes
        std: standard deviation over classes
        etpr: effective true positive rate, the area under which is the PSDS
        classes: curve of each class with annotated events
        max_efpr: largest rate that matters; None: the largest one
        unit: unit of time of the rate
    """
    top = float(x[-1]) if max_efpr is None else max_efpr
    top = top if top > 0 else 1.0
    colors, dashes = style.colors(classes), _dashes(classes)
    for label, (at, values) in classes.items():
        named = len(classes) <= NAMED
        axes.step(
            *_stairs(at, values, top),
            where="post",
            color=colors[label] if named else style.TRUTH,
            alpha=0.9 if named else 0.35,
            linewidth=1.1,
            linestyle=dashes[label] if named else "-",
            label=style.shorten(label) if named else None,
        )
    if not np.isnan(mean).all():
        at, low = _stairs(x, np.maximum(mean - std, 0.0), top)
        high = _stairs(x, np.minimum(mean + std, 1.0), top)[1]
        axes.fill_between(at, low, high, step="post", color=style.TRUTH, alpha=0.2, linewidth=0)
        axes.step(
            *_stairs(x, mean, top),
            where="post",
            color=style.DARK,
            label="mean ± std",
            linestyle="--",
        )
        axes.step(
            *_stairs(x, etpr, top),
            where="post",
            color=style.PREDICTION,
            linewidth=2.6,
            label="eTPR",
        )
    axes.set(
        xlim=(0, top),
        ylim=(0, 1.02),
        xlabel=f"Effective false positives per {unit}",
        ylabel="True positive rate",
    )
    axes.grid(True)
    return axes


def _dashes(labels: Iterable[str]) -> dict[str, str]:
    """Line of each label: classes that share a colour differ in it."""
    seen: dict[str, int] = {}
    dashes = {}
    for label, color in style.colors(labels).items():
        dashes[label] = ("-", "-.", ":")[seen.get(color, 0) % 3]
        seen[color] = seen.get(color, 0) + 1
    return dashes


def _stairs(x: np.ndarray, y: np.ndarray, top: float) -> Points:
    """Points up to a rate, the last value carried to it, and thinned out to what can be seen."""
    inside = x <= top
    x, y = x[inside], y[inside]
    if len(x) > POINTS:
        grid = np.linspace(0, top, POINTS)
        indices = np.unique(np.searchsorted(x, grid, side="right") - 1)
        x, y = x[indices], y[indices]
    return np.append(x, top), np.append(y, y[-1])


def psd_roc_figure(
    title: str,
    x: np.ndarray,
    mean: np.ndarray,
    std: np.ndarray,
    etpr: np.ndarray,
    classes: Mapping[str, Points],
    *,
    max_efpr: float | None,
    unit: str,
) -> Figure:
    """:func:`draw_psd_roc` on a figure of its own, with the legend below."""
    with style.applied():
        rows = -(-(min(len(classes), NAMED) + 2) // 2)
        figure, (axes,) = style.canvas(title, height=3.3 + 0.2 * rows)
        draw_psd_roc(axes, x, mean, std, etpr, classes, max_efpr=max_efpr, unit=unit)
        handles = axes.get_legend_handles_labels()[0]
        if handles:
            style.legend_below(figure, handles)
    return figure


def describe_psd_roc(
    value: float, classes: Mapping[str, float], *, max_efpr: float | None, unit: str
) -> str:
    """Alternative text of a PSD-ROC.

    Args:
        value: the PSDS
        classes: area under the curve of each class
        max_efpr: largest rate that matters
        unit: unit of time of the rate
    """
    limit = "" if max_efpr is None else f" up to {max_efpr:g} per {unit}"
    text = f"PSD-ROC{limit}: PSDS {value:.3f}."
    areas = {label: area for label, area in classes.items() if area == area}
    if areas:
        best, worst = max(areas, key=lambda c: areas[c]), min(areas, key=lambda c: areas[c])
        text += (
            f" Area under the curve of a class from {areas[worst]:.3f} ({worst})"
            f" to {areas[best]:.3f} ({best})."
        )
    return text


def draw_f_over_threshold(
    axes: Axes, curves: Mapping[str, Sequence[np.ndarray]], best: Mapping[str, tuple[float, float]]
) -> Axes:
    """F-measure of each class over the threshold, with the best point of each.

    Args:
        axes: where to draw
        curves: label -> thresholds, descending, and F
        best: label -> best threshold and its F
    """
    colors, dashes = style.colors(curves), _dashes(curves)
    for label, (threshold, f) in curves.items():
        named = len(curves) <= NAMED
        axes.step(
            threshold,
            f,
            where="pre",
            linewidth=1.2,
            linestyle=dashes[label] if named else "-",
            color=colors[label] if named else style.TRUTH,
            label=style.shorten(label) if named else None,
        )
        at, value = best[label]
        if np.isfinite(at) and np.isfinite(value):
            axes.plot([at], [value], marker="o", markersize=4, color=colors[label])
    axes.set(ylim=(0, 1.02), xlabel="Threshold", ylabel="F-measure")
    axes.grid(True)
    return axes
