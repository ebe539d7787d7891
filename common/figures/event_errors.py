"""What error rates consist of: substitutions, deletions and insertions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: kind of error -> colour
COLORS = {"substitutions": "#8172b3", "deletions": style.TRUTH, "insertions": style.PREDICTION}
#: bars that are shown; more make a figure nobody scrolls through
SHOWN = 40


def draw_error_composition(
    axes: Axes,
    names: Sequence[str],
    errors: Mapping[str, np.ndarray],
    *,
    limit: float | None = None,
) -> Axes:
    """Stacked bars, one for each name, first on top.

    Args:
        axes: where to draw
        names: what has error rates: classes, systems or operating points
        errors: kind of error -> rate of each name; infinite or NaN: written, not drawn
        limit: largest sum that the axis shows, so that figures of several models have one axis;
            a bar that is longer than the axis is cut, its number has an arrow; None: the largest sum
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
    top = 1.2 * limit if limit else max(float(left.max(initial=0.0)) * 1.2, 0.1)
    for at in range(len(names)):
        if limit and left[at] > limit:
            # on the end of its bar, or of the axis if it goes on there
            is_cut = bool(left[at] > top)
            text, end = f"{left[at]:.2f}{' →' * is_cut}", 0.99 * min(left[at], top)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            axes.text(end, at, text, ha="right", va="center", fontsize=8.5, bbox=box)
            continue
        text = "no reference" if undefined[at] else f"{left[at]:.2f}"
        axes.text(left[at] + 0.01 * top, at, text, va="center", fontsize=8.5)
    axes.set_yticks(place, [style.shorten(name, 22) for name in names])
    axes.set(xlim=(0, top), ylim=(len(names) - 0.5, -0.5), xlabel="Errors per annotated item")
    axes.tick_params(axis="y", length=0)
    return axes


def error_composition_figure(
    title: str,
    names: Sequence[str],
    errors: Mapping[str, np.ndarray],
    *,
    limit: float | None = None,
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
        draw_error_composition(axes, names, errors, limit=limit)
        style.legend_below(figure, axes.get_legend_handles_labels()[0], columns=3)
    return figure


def describe_error_composition(names: Sequence[str], errors: Mapping[str, np.ndarray]) -> str:
    """Alternative text: the smallest and largest sum, and the largest rate of each kind of error."""
    total = np.asarray(sum(np.asarray(rates, np.float64) for rates in errors.values()))
    defined = np.flatnonzero(np.isfinite(total))
    if len(names) == 0 or len(defined) == 0:
        return f"Errors per annotated item of {len(names)}: none is defined."
    low, high = (int(defined[choose(total[defined])]) for choose in (np.argmin, np.argmax))
    parts = [
        f"{total[low]:.2f} for {names[low]}"
        + ("" if low == high else f" to {total[high]:.2f} for {names[high]}")
    ]
    for kind, rates in errors.items():
        rates = np.asarray(rates, np.float64)
        finite = np.where(np.isfinite(rates), rates, -1.0)
        at = int(np.argmax(finite))
        parts.append(_largest(kind, float(finite[at]), names[at]))
    return f"Errors per annotated item of {len(names)}: " + "; ".join(parts) + "."


def _largest(kind: str, rate: float, name: str) -> str:
    """The largest rate of a kind of error in words.

    >>> _largest("deletions", 0.5, "all (micro)"), _largest("deletions", 0.004, "dog")
    ('deletions up to 0.50 for all (micro)', 'deletions below 0.01')
    """
    if rate <= 0:
        return f"no {kind}"
    return (
        f"{kind} below 0.01" if f"{rate:.2f}" == "0.00" else f"{kind} up to {rate:.2f} for {name}"
    )
