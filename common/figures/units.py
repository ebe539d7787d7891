"""True and predicted values of units such as speakers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..metrics.units import unit_values
from ..spec import kinds
from ..spec.view import View
from . import style
from .base import figure, labels_of, option, present
from .text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WITHIN = "#318b57"
BEYOND = "#dd223c"
#: largest difference that is drawn as small
DEVIATION = 0.2


class Panel(NamedTuple):
    """Values of one axes: of the target, or of one class.

    Args:
        name: class, empty for a regression target
        truth: value per unit, shape (U,)
        prediction: value per unit, shape (U,), same order
    """

    name: str
    truth: np.ndarray
    prediction: np.ndarray


def panels(view: View, options: Any) -> list[Panel]:
    """Mean, or share of every class, per unit; ``options.unit`` names the column of the units."""
    truth, prediction = view.truth, view.prediction
    units = view.samples[option(options, "unit")].to_numpy(dtype=object)
    there = present(truth) & present(prediction) & present(units)
    truth, prediction, units = truth[there], prediction[there], units[there]
    if kinds.of(view.target).is_number:
        means = (unit_values(side, units, labels=None).values for side in (truth, prediction))
        return [Panel("", *means)]
    labels = labels_of(view)
    true, predicted = (
        unit_values(side, units, labels=labels).values for side in (truth, prediction)
    )
    return [Panel(label, true[:, n], predicted[:, n]) for n, label in enumerate(labels)]


def marks(limit: float) -> dict[str, tuple[str, str]]:
    """Meaning of the marks of :func:`draw_averages`: text, marker and colour."""
    return {
        "Truth": ("o", style.TRUTH),
        f"|Δ| < {limit:g}": ("x", WITHIN),
        f"Δ ≥ {limit:g}": ("^", BEYOND),
        f"Δ ≤ −{limit:g}": ("v", BEYOND),
    }


def draw_averages(
    axes: Axes,
    truth: np.ndarray,
    prediction: np.ndarray,
    *,
    limit: float = DEVIATION,
    sort: bool = True,
    unit: str = "Speaker",
    ylabel: str = "Average value",
) -> Axes:
    """True value of every unit as a grey dot, predicted value as a mark tied to it.

    A green cross differs by less than the limit; a red triangle points in the direction of a
    larger difference.

    Args:
        axes: where to draw
        truth: shape (U,)
        prediction: shape (U,), same order
        limit: of the absolute difference
        sort: order the units by their true value
        unit: what the units are
        ylabel: what their values are
    """
    from matplotlib.ticker import MaxNLocator

    order = np.argsort(truth, kind="stable") if sort else np.arange(len(truth))
    truth, prediction = truth[order], prediction[order]
    difference = prediction - truth
    at = np.arange(1, len(truth) + 1)
    size = float(np.clip(1600 / max(len(truth), 1), 14, 42))
    axes.vlines(at, truth, prediction, color=style.TRUTH, alpha=0.35, linewidth=np.sqrt(size) / 4)
    everywhere = np.full(len(truth), True)
    shown = (everywhere, np.abs(difference) < limit, difference >= limit, difference <= -limit)
    for chosen, (marker, color) in zip(shown, marks(limit).values(), strict=True):
        axes.scatter(
            at[chosen],
            (truth if marker == "o" else prediction)[chosen],
            s=0.6 * size if marker == "o" else size,
            marker=marker,
            color=color,
            linewidths=np.sqrt(size) / 4.5 if marker == "x" else 0,
        )
    axes.set_xlim(0.2, max(len(truth), 1) + 0.8)
    axes.set_ylim(-0.04, 1.04)
    style.number_ticks(axes.yaxis, [0, 0.25, 0.5, 0.75, 1])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel=f"{unit}, sorted by truth" if sort else unit, ylabel=ylabel)
    axes.grid(True)
    if len(truth) == 0:
        style.no_data(axes)
    return axes


def unit_name(options: Any) -> str:
    """What the units are, as the first word of a label."""
    return str(option(options, "unit")).replace("_", " ").capitalize()


def _averages_alt(view: View, options: Any) -> dict[str, str]:
    all_panels, unit = panels(view, options), unit_name(options).lower()
    facts = []
    for name, truth, prediction in all_panels:
        if len(truth):
            difference = prediction - truth
            most = difference[np.argmax(np.abs(difference))]
            facts.append(
                f"{name + ' ' if name else ''}{np.sum(np.abs(difference) < DEVIATION)} of "
                f"{len(truth)} predicted within {DEVIATION:g}, largest difference {number(most)}"
            )
    n = len(all_panels[0].truth)
    what = "shares of the classes" if all_panels[0].name else "averages"
    text = f"True and predicted {what} of {count(n, unit)}."
    return {"": text + (f" {'; '.join(facts)}." if facts else "")}


@figure("unit_averages", alt=_averages_alt)
def unit_averages(view: View, options: Any, title: str) -> dict[str, Figure]:
    """True and predicted value per unit; one panel per class for classification."""
    all_panels, unit = panels(view, options), unit_name(options)
    height = 3.3 if len(all_panels) == 1 else 1.9 * len(all_panels) + 1.0
    drawing, all_axes = style.canvas(title, height=height, rows=len(all_panels), sharex=True)
    for axes, (name, truth, prediction) in zip(all_axes, all_panels, strict=True):
        ylabel = "Proportion" if name else "Average value"
        draw_averages(axes, truth, prediction, sort=not name, unit=unit, ylabel=ylabel)
        if axes is not all_axes[-1]:
            axes.set_xlabel("")
        if name:
            axes.set_title(f"Proportion of {style.shorten(name)} samples", loc="left")
    handles = [style.mark(text, *look) for text, look in marks(DEVIATION).items()]
    style.legend_below(drawing, handles, columns=4)
    return {"": drawing}
