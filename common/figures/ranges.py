"""Predictions per category, beside the range in which they are expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec.view import View
from . import style
from .base import figure, option, present
from .text import count, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Bounds = tuple[float | None, float | None]
BOX_WIDTH = 0.5
HALF_HEIGHT = 0.4
#: as many samples or fewer are drawn one by one, because a box would say more than they do
FEW = 10


def draw_ranges(
    axes: Axes,
    values: Mapping[str, np.ndarray],
    bounds: Mapping[str, Bounds],
    *,
    limits: tuple[float, float] = (0.0, 1.0),
    xlabel: str = "Prediction dimensional value",
) -> Axes:
    """Horizontal box plot per category over a green band, its expected range.

    Args:
        axes: where to draw
        values: category -> predictions, shape (N,); the first is at the top
        bounds: category -> lowest and highest expected value; None: open, drawn to the limit
        limits: of the horizontal axis
        xlabel: its label
    """
    colors = style.colors(values)
    for place, (name, sample) in enumerate(values.items()):
        low, high = bounds[name]
        left = limits[0] if low is None else low
        right = limits[1] if high is None else high
        axes.barh(
            place, right - left, 2 * HALF_HEIGHT, left, color=style.EXPECTED, alpha=0.3, linewidth=0
        )
        if len(sample) > FEW:
            _box(axes, place, sample, colors[name])
        else:
            axes.scatter(
                sample,
                [place] * len(sample),
                s=24,
                color=colors[name],
                edgecolors="black",
                linewidths=0.6,
            )
    axes.set_yticks(
        range(len(values)),
        [f"{style.shorten(name)} ({len(sample)})" for name, sample in values.items()],
    )
    axes.set_ylim(max(len(values), 1) - 0.5, -0.5)
    axes.set_xlim(*limits)
    axes.set_xlabel(xlabel)
    axes.grid(True, axis="x")
    if not values:
        style.no_data(axes)
    return axes


def _box(axes: Axes, place: int, sample: np.ndarray, color: str) -> None:
    dark = {"color": style.DARK, "linewidth": 1.2}
    axes.boxplot(
        [sample],
        positions=[place],
        widths=BOX_WIDTH,
        orientation="horizontal",
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": color, "edgecolor": style.DARK, "linewidth": 1.0},
        medianprops={"color": "black", "linewidth": 2.0},
        whiskerprops=dark,
        capprops=dark,
        flierprops={
            "marker": ".",
            "markersize": 5,
            "markerfacecolor": color,
            "markeredgewidth": 0,
            "alpha": 0.7,
        },
    )


def _categories(
    view: View, options: Any
) -> tuple[dict[str, np.ndarray], dict[str, Bounds], dict[str, str]]:
    """Predictions, bounds and name of the range per category that has an expectation."""
    labels = view.samples[option(options, "column")].to_numpy(dtype=object)
    prediction, ranges = view.prediction, option(options, "ranges")
    expected = {
        category: option(by_target, view.target.id)
        for category, by_target in option(options, "expected").items()
        if option(by_target, view.target.id) is not None
    }
    values, bounds = {}, {}
    for name in sorted(expected):
        sample = prediction[(labels == name) & present(prediction)]
        if len(sample):
            low, high = option(ranges, expected[name])
            values[name], bounds[name] = sample, (low, high)
    return values, bounds, expected


def inside(values: np.ndarray, bounds: Bounds) -> np.ndarray:
    """Which values lie in the range, ends included.

    >>> inside(np.array([0.2, 0.45, 0.5]), (None, 0.45)).tolist()
    [True, True, False]
    """
    low, high = bounds
    result: np.ndarray = (values >= (-np.inf if low is None else low)) & (
        values <= (np.inf if high is None else high)
    )
    return result


def _ranges_alt(view: View, options: Any) -> dict[str, str]:
    values, bounds, expected = _categories(view, options)
    facts = [
        f"{name} {percent(inside(sample, bounds[name]).mean())} of {len(sample)} "
        f"({expected[name]}, median {number(float(np.median(sample)))})"
        for name, sample in values.items()
    ]
    n = sum(map(len, values.values()))
    text = f"Box plots of the predictions of {count(n)} per category."
    if facts:
        text += f" Share inside the expected range: {'; '.join(facts)}."
    return {"": text}


@figure("expected_ranges", alt=_ranges_alt)
def expected_ranges(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Box plots of the predictions per category.

    ``options.column`` holds the categories, ``options.expected`` their range per target and
    ``options.ranges`` the numbers.
    """
    from matplotlib.patches import Patch

    values, bounds, _ = _categories(view, options)
    drawing, (axes,) = style.canvas(title, height=1.5 + 0.36 * max(len(values), 2))
    draw_ranges(axes, values, bounds)
    band = Patch(color=style.EXPECTED, alpha=0.3, linewidth=0, label="expected range")
    style.legend_below(drawing, [band])
    return {"": drawing}
