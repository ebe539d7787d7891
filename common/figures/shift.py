"""What a change of the input does to the predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec.view import View
from . import style
from .base import figure, shifts
from .density import BIN_WIDTH, draw_histograms
from .text import count, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: a change by less counts as none
TOLERANCE = 0.05
#: share of the samples in one place that has the darkest colour; more have the same
DARKEST = 0.05
#: largest change that is drawn
LIMIT = 0.35
#: ticks of shares that lie closer at the lower end
SHARES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
COLORS = (style.ORIGINAL_INPUT, style.PREDICTION)
PASSED = ("o", style.PASS)
FAILED = ("X", style.FAIL)


def draw_shift(
    axes: Axes,
    reference: np.ndarray,
    changed: np.ndarray,
    *,
    tolerance: float = TOLERANCE,
    limit: float = LIMIT,
    xlabel: str = "Prediction clean",
    ylabel: str = "Change of prediction",
) -> Axes:
    """Density of the change of every prediction over the prediction on the unchanged input.

    Args:
        axes: where to draw
        reference: predictions on the unchanged input, shape (N,)
        changed: predictions on the changed input, shape (N,), same order
        tolerance: half height of the green band, in which a prediction counts as unchanged
        limit: largest change that is shown; samples beyond are counted in the corner
        xlabel: label of the horizontal axis
        ylabel: label of the vertical axis
    """
    from matplotlib.colors import LogNorm

    change = changed - reference
    steps = round(2 * limit / 0.02)
    edges = (np.arange(35) * BIN_WIDTH, np.linspace(-limit, limit, steps + 1))
    counts, *_ = np.histogram2d(np.clip(reference, 0, 1), change, bins=edges)
    axes.axhspan(-tolerance, tolerance, color=style.EXPECTED, alpha=0.15, linewidth=0)
    axes.axhline(0, color=style.EXPECTED, linestyle="--", linewidth=1.2)
    if len(change):
        # one scale of colours for all models on the same data
        top = max(len(change) * DARKEST, 2.0)
        shown = np.where(counts > 0, counts, np.nan).T
        axes.pcolormesh(*edges, shown, cmap=style.sequential(), norm=LogNorm(1, top), alpha=0.9)
    else:
        style.no_data(axes)
    beyond = int(np.sum(np.abs(change) > limit))
    if beyond:
        axes.text(0.99, 0.01, f"{beyond} beyond", transform=axes.transAxes, ha="right", va="bottom")
    axes.set(xlim=(edges[0][0], edges[0][-1]), ylim=(-limit, limit), xlabel=xlabel, ylabel=ylabel)
    axes.grid(True)
    return axes


def shift_figure(
    title: str,
    reference: np.ndarray,
    changed: np.ndarray,
    *,
    reference_name: str,
    changed_name: str,
    tolerance: float = TOLERANCE,
) -> Figure:
    """Two panels: change of every prediction, and the distributions before and after.

    Args:
        title: heading
        reference: predictions on the unchanged input, shape (N,)
        changed: predictions on the changed input, shape (N,), same order
        reference_name: for example ``Prediction clean``
        changed_name: for example ``Prediction white noise``
        tolerance: a change by less counts as none
    """
    drawing, (upper, lower) = style.canvas(title, height=6.6, rows=2, sharex=True)
    draw_shift(
        upper,
        reference,
        changed,
        tolerance=tolerance,
        xlabel=reference_name,
        ylabel=f"{changed_name} −\n{reference_name}",
    )
    series = {reference_name: reference, changed_name: changed}
    draw_histograms(lower, series, COLORS, scale="frequency")
    upper.tick_params(labelbottom=True)
    columns = 2 if len(reference_name + changed_name) < 36 else 1
    style.legend_below(drawing, lower.get_legend_handles_labels()[0], columns=columns)
    return drawing


def describe_shift(reference: np.ndarray, changed: np.ndarray, *, tolerance: float) -> str:
    """Sentences on the size and direction of the changes."""
    text = f"Change of the predictions of {count(len(reference))}."
    if len(reference) == 0:
        return text
    change = changed - reference
    return (
        f"{text} {percent(np.mean(np.abs(change) < tolerance))} change by less than {tolerance:g}; "
        f"the mean change is {number(change.mean())}, the largest "
        f"{number(change[np.argmax(np.abs(change))])}."
    )


def _shift_alt(view: View, options: Any) -> dict[str, str]:
    return {
        suffix: f"From {reference} to {changed}: "
        + describe_shift(before, after, tolerance=TOLERANCE)
        for suffix, (reference, changed, before, after) in shifts(view, options).items()
    }


@figure("shift_2d", alt=_shift_alt)
def shift_2d(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Per changed condition: change of every prediction and distributions before and after.

    ``options.pairs`` lists (reference, changed) conditions; without it every condition is
    compared with the original.
    """
    return {
        suffix: shift_figure(
            title,
            before,
            after,
            reference_name=f"Prediction {reference}",
            changed_name=f"Prediction {changed}",
        )
        for suffix, (reference, changed, before, after) in shifts(view, options).items()
    }


def _changes(view: View) -> tuple[list[str], list[float], list[bool]]:
    """Names, shares and verdicts of the conditions that were run, from the rows of the view."""
    rows = [row for row in view.rows if np.isfinite(row["value"])]
    names = [row["condition"].replace("-", " ").capitalize() for row in rows]
    return names, [row["value"] for row in rows], [row["status"] == "pass" for row in rows]


def _changes_alt(view: View, options: Any) -> dict[str, str]:
    return {"": describe_changes(*_changes(view))}


@figure("changes_overview", alt=_changes_alt)
def changes_of_view(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Share of unchanged predictions per condition with its verdict, from the result rows."""
    return {"": changes_overview(title, *_changes(view))}


def without_common_start(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them start with.

    >>> without_common_start(["Unchanged Predictions Gain", "Unchanged Predictions Low Pass"])
    ['Gain', 'Low Pass']
    """
    words = [name.split() for name in names]
    while len(names) > 1 and all(len(part) > 1 and part[0] == words[0][0] for part in words):
        words = [part[1:] for part in words]
    return [" ".join(part) for part in words]


def draw_changes(
    axes: Axes, names: Sequence[str], shares: Sequence[float], passed: Sequence[bool]
) -> Axes:
    """Share of unchanged predictions per change, on a scale that spreads the upper end.

    Args:
        axes: where to draw
        names: changes; the words that all start with are left out
        shares: share of unchanged predictions, 0 to 1, drawn at e to the share; NaN: no mark
        passed: whether it met its criterion: a green dot if so, else a red cross
    """
    order = sorted(range(len(names)), key=lambda n: names[n])
    values = np.asarray(shares, dtype=float)[order]
    good = np.asarray(passed, dtype=bool)[order]
    at = np.arange(len(names))
    axes.plot(at, np.exp(values), color=style.TRUTH, linewidth=1.2, zorder=1)
    for chosen, (marker, color) in ((good, PASSED), (~good, FAILED)):
        place, height = at[chosen], np.exp(values[chosen])
        axes.scatter(place, height, s=42, marker=marker, color=color, linewidths=0, zorder=2)
    # all shares have a place, so figures of several models have one axis
    axes.set_ylim(np.exp(-0.05), np.exp(1.02))
    axes.set_yticks(np.exp(SHARES), [f"{100 * share:.0f}%" for share in SHARES])
    style.class_ticks(axes, without_common_start([names[n] for n in order]))
    axes.set_xlim(-0.5, max(len(names), 1) - 0.5)
    axes.set_ylabel("Unchanged")
    axes.grid(True)
    if not np.isfinite(values).any():
        style.no_data(axes)
    return axes


def changes_overview(
    title: str, names: Sequence[str], shares: Sequence[float], passed: Sequence[bool]
) -> Figure:
    """Overview of small changes; arguments as of :func:`draw_changes`.

    Drawn from the scores of a test and not from predictions: the caller knows the verdicts.
    """
    with style.applied():
        drawing, (axes,) = style.canvas(style.break_title(title, limit=60), height=3.6)
        draw_changes(axes, names, shares, passed)
        style.legend_below(drawing, [style.mark("Passed", *PASSED), style.mark("Failed", *FAILED)])
    return drawing


def describe_changes(names: Sequence[str], shares: Sequence[float], passed: Sequence[bool]) -> str:
    """Alternative text of :func:`changes_overview`."""
    facts = [
        f"{name} {percent(share)} ({'passed' if good else 'failed'})"
        for name, share, good in sorted(
            zip(without_common_start(names), shares, passed, strict=True)
        )
    ]
    return f"Share of unchanged predictions per change: {', '.join(facts)}."
