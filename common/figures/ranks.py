"""Ranks of units such as speakers, by truth and by prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec.view import View
from . import style
from .base import figure
from .text import count
from .units import BEYOND, WITHIN, panels, unit_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Ranks:
    """Units in the order of truth and prediction, and in the outer parts of both.

    Args:
        truth: rank from 1, shape (U,); ties in the order of the units
        prediction: the same for the predictions
        size: number of units in the top, and in the bottom part
    """

    truth: np.ndarray
    prediction: np.ndarray
    size: int

    def part(self, ranks: np.ndarray) -> np.ndarray:
        """-1 in the bottom part, 1 in the top part, 0 between."""
        return (ranks > len(ranks) - self.size).astype(int) - (ranks <= self.size)

    def kinds(self) -> Iterator[tuple[str, np.ndarray]]:
        """Outcome and where it occurs; every unit has one of the five."""
        truth, prediction = self.part(self.truth), self.part(self.prediction)
        yield "true positive", (truth == prediction) & (truth != 0)
        yield "true negative", (truth == 0) & (prediction == 0)
        yield "false negative", (truth != 0) & (prediction == 0)
        yield "false positive", (truth == 0) & (prediction != 0)
        yield "top-bottom confusion", truth * prediction == -1


def rank(truth: np.ndarray, prediction: np.ndarray, *, share: float = 0.25) -> Ranks:
    """Ranks of units and the number of them in the top and bottom part.

    Args:
        truth: shape (U,)
        prediction: shape (U,), same order
        share: part of the units that counts as top; half a unit is rounded to an even number

    >>> rank(np.array([0.1, 0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.2, 0.2])).prediction.tolist()
    [1, 2, 3, 4]
    """

    def ranks(values: np.ndarray) -> np.ndarray:
        result = np.empty(len(values), dtype=int)
        result[np.argsort(values, kind="stable")] = np.arange(1, len(values) + 1)
        return result

    return Ranks(ranks(truth), ranks(prediction), round(len(truth) * share))


#: outcome -> marker and colour; no two outcomes differ in colour only where they can meet
OUTCOMES = {
    "true positive": ("o", WITHIN),
    "true negative": ("o", "#a0a0a0"),
    "false negative": ("v", "#707070"),
    "false positive": ("^", BEYOND),
    "top-bottom confusion": ("s", BEYOND),
}


def draw_ranks(
    axes: Axes, truth: np.ndarray, prediction: np.ndarray, *, share: float = 0.25
) -> Axes:
    """Rank in truth (x) against rank in prediction (y), outer parts shaded.

    Args:
        axes: where to draw
        truth: value per unit, shape (U,)
        prediction: value per unit, shape (U,), same order
        share: part of the units that is shaded at the top and at the bottom
    """
    from matplotlib.ticker import MaxNLocator

    ranks = rank(truth, prediction, share=share)
    n = len(truth)
    marker_size = float(np.clip(2200 / max(n, 1), 10, 34))
    for name, where in ranks.kinds():
        marker, color = OUTCOMES[name]
        axes.scatter(
            ranks.truth[where],
            ranks.prediction[where],
            s=marker_size,
            marker=marker,
            color=color,
            linewidths=0,
            zorder=3,
        )
    ends = (0.5, max(n, 1) + 0.5)
    if ranks.size:
        _shade(axes, ends, ranks.size)
    axes.set(xlim=ends, ylim=ends, xlabel="Rank in truth", ylabel="Rank in prediction")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, nbins=4))
    axes.set_aspect("equal")
    if n == 0:
        style.no_data(axes)
    return axes


def _shade(axes: Axes, ends: tuple[float, float], size: int) -> None:
    """Shade the outer parts of both axes, name them at the right side, draw their borders."""
    borders = (ends[0] + size, ends[1] - size)
    for text, low, high in (("bottom", ends[0], borders[0]), ("top", borders[1], ends[1])):
        axes.axhspan(low, high, color="black", alpha=0.05, linewidth=0)
        axes.axvspan(low, high, color="black", alpha=0.05, linewidth=0)
        axes.annotate(
            text,
            (1.01, (low + high) / 2),
            xycoords=("axes fraction", "data"),
            rotation=270,
            va="center",
            size=8.5,
        )
    for border in borders:
        axes.axhline(border, color="#b0b0b0", alpha=0.4, linewidth=0.8)
        axes.axvline(border, color="#b0b0b0", alpha=0.4, linewidth=0.8)


def _ranks_alt(view: View, options: Any) -> dict[str, str]:
    unit, all_panels = unit_name(options).lower(), panels(view, options)
    n = len(all_panels[0].truth)
    facts = []
    for name, truth, prediction in all_panels:
        ranks = rank(truth, prediction)
        counts = {outcome: int(where.sum()) for outcome, where in ranks.kinds()}
        if ranks.size:
            facts.append(
                f"{name + ' ' if name else ''}{counts['true positive']} of {2 * ranks.size} found, "
                f"{counts['top-bottom confusion']} put at the opposite end"
            )
    text = f"Ranks of {count(n, unit)} by truth and by prediction."
    if facts:
        text += f" Of the {unit}s in the top and bottom quarter: {'; '.join(facts)}."
    return {"": text}


@figure("unit_ranks", alt=_ranks_alt)
def unit_ranks(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Rank of every unit in truth and prediction; one panel per class for classification."""
    all_panels = panels(view, options)
    columns = min(len(all_panels), 2)
    rows = -(-len(all_panels) // columns)
    # so high that the width decides how large the squares are: the layout keeps no distance
    # between axes of fixed shape that fill their height
    height = 5.4 if columns == 1 else 2.45 * rows + 1.5
    drawing, all_axes = style.canvas(title, height=height, rows=rows, columns=columns)
    for n, (axes, (name, truth, prediction)) in enumerate(zip(all_axes, all_panels, strict=False)):
        draw_ranks(axes, truth, prediction)
        axes.set_title(style.shorten(name))
        if n % columns:
            axes.set_ylabel("")
        if n + columns < len(all_panels):
            axes.set_xlabel("")
    for axes in all_axes[len(all_panels) :]:
        axes.set_visible(False)
    handles = [style.mark(text.capitalize(), *look) for text, look in OUTCOMES.items()]
    style.legend_below(drawing, handles)
    return {"": drawing}
