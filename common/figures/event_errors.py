"""What error rates consist of: substitutions, deletions and insertions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from common.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: kind of error -> colour
COLORS = {"substitutions": "#8172b3", "deletions": style.TRUTH, "insertions": style.PREDICTION}
#: bars that are shown; more make a figure nobody scrolls through
SHOWN = 40


def draw_error_composition(
    axes: Axes, names: Sequence[str], errors: Mapping[str, np.ndarray]
) -> Axes:
    """Stacked bars, one for each name, first on top.

    Args:
        axes: where to draw
        names: what has error rates: classes, systems or operating points
        errors: kind of error -> rate of each name; infinite or NaN: written, not drawn
    """
    place = np.arange(len(names))
    left = np.zeros(len(names))
    undefined = np.zeros(len(names), dtype=bool)
    for kind, rates in errors.items():
        rates = np.asarray(rates, np.float64)
        undefined |= ~np.isfinite(rates)
        width = np.where(np.isfinite(rates), rates, 0.0)
        axes.barh(place, width, left=left, color=COLORS[kind], height=0.7, label=kind)
        left += width
    top = max(float(left.max(initial=0.0)) * 1.2, 0.1)
    for at in range(len(names)):
        text = "no reference" if undefined[at] else f"{left[at]:.2f}"
        axes.text(left[at] + 0.01 * top, at, text, va="center", fontsize=8.5)
    axes.set_yticks(place, [style.shorten(name, 22) for name in names])
    axes.set(xlim=(0, top), ylim=(len(names) - 0.5, -0.5), xlabel="Errors per annotated item")
    axes.tick_params(axis="y", length=0)
    return axes


def error_composition_figure(
    title: str, names: Sequence[str], errors: Mapping[str, np.ndarray]
) -> Figure:
    """:func:`draw_error_composition` on a figure of its own; of many names those with most errors."""
    errors = {kind: np.asarray(rates, np.float64) for kind, rates in errors.items()}
    if len(names) > SHOWN:
        total = np.nan_to_num(sum(errors.values()), nan=0.0, posinf=0.0)
        indices = np.sort(np.argsort(-total, kind="stable")[:SHOWN])
        title = f"{title}\n{SHOWN} of {len(names)}, those with the highest rate"
        errors = {kind: rates[indices] for kind, rates in errors.items()}
        names = [names[at] for at in indices]
    with style.applied():
        figure, (axes,) = style.canvas(title.strip(), height=1.1 + 0.26 * max(len(names), 2))
        draw_error_composition(axes, names, errors)
        style.legend_below(figure, axes.get_legend_handles_labels()[0], columns=3)
    return figure


def describe_error_composition(names: Sequence[str], errors: Mapping[str, np.ndarray]) -> str:
    """Alternative text: the mean of each kind of error, and which name has most."""
    parts = []
    for kind, rates in errors.items():
        rates = np.asarray(rates, np.float64)
        finite = np.where(np.isfinite(rates), rates, -1.0)
        if len(names) == 0 or finite.max() < 0:
            continue
        at = int(np.argmax(finite))
        parts.append(f"{kind} up to {finite[at]:.2f} ({names[at]})")
    return f"Error rates of {len(names)}: " + ("; ".join(parts) or "none is defined") + "."
