"""Confusion matrix of detections: true positives, cross triggers, false positives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: classes that are shown; more cannot be read
SHOWN = 24


def draw_event_confusion(axes: Axes, counts: np.ndarray, labels: Sequence[str]) -> Axes:
    """Counts of detections of each class (rows) by annotated class (columns).

    The colour is the share of the row. The last column holds false positives, which are counted
    in it whether or not they trigger a class across.

    Args:
        axes: where to draw
        counts: shape (labels, labels + 1), as
            :class:`~common.metrics.events.intersection_based.Confusion` has them
        labels: names of the classes
    """
    sums = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, sums, out=np.zeros(counts.shape), where=sums > 0)
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    size = 8.5 if len(labels) <= 10 else 6
    for row, column in np.argwhere(counts > 0):
        axes.text(
            column,
            row,
            style.short_count(int(counts[row, column])),
            ha="center",
            va="center",
            fontsize=size,
            color="white" if share[row, column] > 0.55 else style.DARK,
        )
    names = [style.shorten(label, 16) for label in labels]
    font = 9 if len(labels) <= 10 else 7
    axes.set_xticks(range(len(names) + 1), [*names, "false pos."], rotation=90, fontsize=font)
    axes.set_yticks(range(len(names)), names, fontsize=font)
    axes.axvline(len(labels) - 0.5, color=style.DARK, linewidth=1)
    axes.set(xlabel="Annotated class", ylabel="Detected class")
    axes.tick_params(length=0)
    return axes


def most_frequent(counts: np.ndarray, labels: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The classes with most detections, in their order, if there are more than can be shown."""
    if len(labels) <= SHOWN:
        return counts, list(labels)
    codes = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:SHOWN])
    return counts[np.ix_(codes, [*codes, counts.shape[1] - 1])], [labels[at] for at in codes]


def event_confusion_figure(title: str, counts: np.ndarray, labels: Sequence[str]) -> Figure:
    """:func:`draw_event_confusion` on a figure of its own; of many classes the most frequent."""
    counts, shown = most_frequent(counts, labels)
    if len(shown) < len(labels):
        title = f"{title}\n{len(shown)} of {len(labels)} classes, those with most detections"
    with style.applied():
        height = 1.7 + max(len(shown) * (0.3 if len(shown) <= 10 else 0.22), 0.9)
        figure, (axes,) = style.canvas(title.strip(), height=height)
        draw_event_confusion(axes, counts, shown)
    return figure


def describe_event_confusion(counts: np.ndarray, labels: Sequence[str]) -> str:
    """Alternative text of a confusion matrix of detections."""
    size = len(labels)
    right, false = int(np.trace(counts[:, :size])), int(counts[:, size].sum())
    text = (
        f"Confusion matrix of {size} classes: {right} annotated events found,"
        f" {false} false detections."
    )
    crossed = counts[:, :size] * (1 - np.eye(size, dtype=np.int64))
    if crossed.any():
        row, column = divmod(int(np.argmax(crossed)), size)
        text += (
            f" {int(crossed.sum())} cross triggers, most of them"
            f" ({int(crossed[row, column])}) {labels[row]} detected in {labels[column]}."
        )
    return text
