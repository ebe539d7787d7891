"""Confusion matrices: truth or unchanged input in rows, prediction or changed input in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec.view import View
from . import style
from .base import aligned, by_group, figure, labels_of, shifts
from .text import count, listed, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: more classes than this get no numbers in the cells
MANY = 16
#: more classes than this get no counts in the cells, and a text on the best and worst only
FEW = 6
#: number of classes up to which numbers have this size
CELL_TEXT = {4: 10.5, 6: 9.0, 9: 8.5, 12: 7.0, MANY: 5.5}


def confusion_counts(rows: np.ndarray, columns: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """Number of samples per pair of labels.

    Args:
        rows: labels, shape (N,)
        columns: labels, shape (N,), same order
        labels: K names; pairs with another label are not counted

    Returns:
        counts, shape (K, K)

    >>> confusion_counts(np.array(["a", "a"]), np.array(["a", "b"]), ["a", "b"]).tolist()
    [[1, 1], [0, 0]]
    """
    size = len(labels)
    index = {label: n for n, label in enumerate(labels)}
    of_rows = np.array([index.get(label, -1) for label in rows], dtype=int)
    of_columns = np.array([index.get(label, -1) for label in columns], dtype=int)
    mask = (of_rows >= 0) & (of_columns >= 0)
    flat = of_rows[mask] * size + of_columns[mask]
    return np.bincount(flat, minlength=size * size).reshape(size, size)


def row_shares(counts: np.ndarray) -> np.ndarray:
    """Every row divided by its sum; NaN in a row without samples."""
    sums = counts.sum(axis=1, keepdims=True).astype(float)
    return np.divide(counts, sums, out=np.full(counts.shape, np.nan), where=sums > 0)


def draw_confusion(
    axes: Axes,
    rows: np.ndarray,
    columns: np.ndarray,
    labels: Sequence[str],
    *,
    row_name: str = "Truth",
    column_name: str = "Prediction",
) -> Axes:
    """Heat map with row percentages, and the counts in brackets.

    Args:
        axes: where to draw
        rows: labels, shape (N,)
        columns: labels, shape (N,), same order
        labels: classes in the order of the axes
        row_name: label of the vertical axis
        column_name: label of the horizontal axis
    """
    counts = confusion_counts(rows, columns, labels)
    shares = row_shares(counts)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    if len(labels) <= MANY:
        _numbers(axes, counts, shares)
    style.class_ticks(axes, labels)
    names = [style.shorten(label) for label in labels]
    axes.set_yticks(range(len(labels)), names, fontsize=7 if len(labels) > 12 else None)
    axes.tick_params(length=0)
    axes.set(xlabel=column_name, ylabel=row_name)
    axes.spines[:].set_visible(False)
    return axes


def _numbers(axes: Axes, counts: np.ndarray, shares: np.ndarray) -> None:
    size = next(size for most, size in CELL_TEXT.items() if len(counts) <= most)
    with_counts = len(counts) <= FEW
    for (row, column), share in np.ndenumerate(shares):
        text = "–" if np.isnan(share) else f"{100 * share:.0f}%"
        if not np.isnan(share) and with_counts:
            text += f"\n({style.short_count(int(counts[row, column]))})"
        # white on the dark half of the map: the contrast is at least 4.5 on either side
        dark = not np.isnan(share) and share > 0.6
        axes.text(
            column,
            row,
            text,
            ha="center",
            va="center",
            size=size,
            color="white" if dark else "black",
        )


def _matrix(
    title: str, rows: np.ndarray, columns: np.ndarray, labels: Sequence[str], **names: str
) -> Figure:
    height = 3.6 if len(labels) <= 5 else min(3.6 + 0.3 * (len(labels) - 5), 6.5)
    drawing, (axes,) = style.canvas(title, height=height)
    draw_confusion(axes, rows, columns, labels, **names)
    return drawing


def describe_confusion(
    rows: np.ndarray, columns: np.ndarray, labels: Sequence[str], *, same: str, other: str
) -> str:
    """Sentences on the diagonal of the matrix and the largest cell beside it.

    Args:
        rows: labels, shape (N,)
        columns: labels, shape (N,)
        labels: classes
        same: how the diagonal is read, for example ``recognised``
        other: how another cell is read, for example ``most often taken for``
    """
    counts = confusion_counts(rows, columns, labels)
    shares = row_shares(counts)
    text = f"Confusion matrix of {count(int(counts.sum()))}."
    there = [n for n in range(len(labels)) if counts[n].sum()]
    if not there:
        return text
    by_share = sorted(there, key=lambda n: (-shares[n, n], n))
    shown = there if len(there) <= FEW else [by_share[0], by_share[-1]]
    facts = []
    for n in shown:
        rest = np.where(np.arange(len(labels)) == n, -1.0, shares[n])
        worst = int(np.argmax(rest))
        fact = f"{labels[n]} {percent(shares[n, n])}"
        if rest[worst] > 0:
            fact += f" ({other} {labels[worst]}, {percent(rest[worst])})"
        facts.append(fact)
    ends = "" if shown == there else " (best and worst)"
    text += f" Share {same}{ends}: {listed(facts)}."
    missing = [label for n, label in enumerate(labels) if not counts[n].sum()]
    return text + (f" No samples of {listed(missing)}." if missing and len(labels) <= MANY else "")


RECOGNISED = {"same": "recognised", "other": "most often taken for"}
UNCHANGED = {"same": "unchanged", "other": "most often becomes"}


def _confusion_alt(view: View, options: Any) -> dict[str, str]:
    truth, prediction = aligned(view)
    labels = labels_of(view, truth, prediction)
    return {"": describe_confusion(truth, prediction, labels, **RECOGNISED)}


@figure("confusion", alt=_confusion_alt)
def confusion(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Confusion matrix of truth (rows) and prediction (columns)."""
    truth, prediction = aligned(view)
    return {"": _matrix(title, truth, prediction, labels_of(view, truth, prediction))}


def _by_group_alt(view: View, options: Any) -> dict[str, str]:
    texts = {}
    for suffix, (name, truth, prediction) in by_group(view, options).items():
        labels = labels_of(view, truth, prediction)
        text = describe_confusion(truth, prediction, labels, **RECOGNISED)
        texts[suffix] = f"Group {name}: {text}"
    return texts


@figure("confusion_by_group", alt=_by_group_alt)
def confusion_by_group(view: View, options: Any, title: str) -> dict[str, Figure]:
    """One confusion matrix per group; ``options.attribute`` names its column or columns."""
    return {
        suffix: _matrix(f"{title}\n{name}", truth, prediction, labels_of(view, truth, prediction))
        for suffix, (name, truth, prediction) in by_group(view, options).items()
    }


def _shift_alt(view: View, options: Any) -> dict[str, str]:
    texts = {}
    for suffix, (reference, changed, before, after) in shifts(view, options).items():
        labels = labels_of(view, before, after)
        text = describe_confusion(before, after, labels, **UNCHANGED)
        texts[suffix] = f"From {reference} to {changed}: {text}"
    return texts


@figure("confusion_shift", alt=_shift_alt)
def confusion_shift(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Per changed condition: predictions of the reference (rows) and of the changed input."""
    return {
        suffix: _matrix(
            title,
            before,
            after,
            labels_of(view, before, after),
            row_name=f"Prediction {reference}",
            column_name=f"Prediction {changed}",
        )
        for suffix, (reference, changed, before, after) in shifts(view, options).items()
    }
