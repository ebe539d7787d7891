"""One look for all figures, and PNG files that are equal byte for byte.

Text is sized for a phone: a figure is 4.8 inches wide, so in a column of 360 pixels letters
are still about ten pixels high. Only DejaVu Sans is used, which comes with matplotlib, so a
figure does not depend on the fonts of the machine. Nothing here touches ``pyplot`` or the
settings of the caller.
"""

from __future__ import annotations

import functools
import io
import os
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import paths
from ..core.files import write_bytes
from ..spec import read_yaml

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

DPI = 144
WIDTH_INCH = 4.8

#: what is measured, or is the whole that a part is compared with
TRUTH = "#828282"
#: what is looked at: prediction, group, changed input
PREDICTION = "#3277b4"
#: unchanged input where both sides are predictions or signals; regression line
ORIGINAL_INPUT = "#e13b41"
PASS = "#2E8B57"
FAIL = "#DC143C"
DARK = "#333333"
#: fill of the range in which a value is expected or counts as unchanged
EXPECTED = "#2ca02c"

RC: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "figure.titlesize": 10.5,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10.5,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "legend.handletextpad": 0.5,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.labelcolor": DARK,
    "xtick.color": DARK,
    "ytick.color": DARK,
    "text.color": DARK,
    # else every title is placed by measuring all that is around it
    "axes.titley": 1.0,
    "grid.alpha": 0.4,
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.6,
    "figure.dpi": DPI,
    # a user's label may hold a dollar sign
    "text.parse_math": False,
}

_LOCK = threading.RLock()
#: whether the settings are ours now; only who holds the lock may look
_is_applied = False


def _new_lock() -> None:
    global _LOCK, _is_applied
    _LOCK, _is_applied = threading.RLock(), False


# a child that is forked while another thread draws would wait for ever
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


@contextmanager
def applied() -> Iterator[None]:
    """Our settings, whatever those of the caller are; they come back afterwards.

    Matplotlib's settings belong to the process, so only one thread draws at a time. Within
    itself it does nothing: who draws many figures applies the settings once.
    """
    global _is_applied
    import matplotlib as mpl

    with _LOCK:
        if _is_applied:
            yield
            return
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(RC)
            _is_applied = True
            try:
                yield
            finally:
                _is_applied = False


def canvas(
    title: str,
    *,
    height: float = 3.6,
    width: float = WIDTH_INCH,
    rows: int = 1,
    columns: int = 1,
    **kwargs: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure with a title and a grid of axes, outside of ``pyplot``.

    Args:
        title: heading, broken into lines by :func:`break_title`; may be empty
        height: inches
        width: inches
        rows: rows of axes
        columns: columns of axes
        kwargs: for ``Figure.subplots``

    Returns:
        the figure, and its axes row by row
    """
    from matplotlib.figure import Figure

    from .canvas import Canvas
    from .late_axes import LateAxes
    from .layout import Margins

    figure = Figure(figsize=(width, height), dpi=DPI, layout=Margins())
    Canvas(figure)
    look = {"axes_class": LateAxes}
    axes = figure.subplots(rows, columns, squeeze=False, subplot_kw=look, **kwargs)
    if title:
        figure.suptitle(break_title(title))
    return figure, list(axes.flat)


def break_title(title: str, *, limit: int = 50) -> str:
    """Break a line of more than ``limit`` characters before its third dash separated part.

    What is still too long for the figure is broken again, at a dash, dot, underscore or blank
    where there is one.

    >>> print(break_title("msppodcast-2.6.1-emotion.dimensions.test-1.gold_standard"))
    msppodcast-2.6.1-
    emotion.dimensions.test-1.gold_standard
    """
    lines: list[str] = []
    for line in title.splitlines():
        parts = line.split("-", 2)
        if len(line) > limit and len(parts) == 3:
            lines += [f"{parts[0]}-{parts[1]}-", parts[2]]
        else:
            lines.append(line)
    return "\n".join(piece for line in lines for piece in _pieces(line, limit))


def _pieces(line: str, limit: int) -> list[str]:
    pieces = []
    while len(line) > limit:
        at = max(line.rfind(mark, limit // 3, limit) for mark in "-._ ") + 1
        at = at or limit
        pieces.append(line[:at].rstrip())
        line = line[at:].lstrip()
    return [*pieces, line]


def shorten(label: str, limit: int = 20) -> str:
    """Label for a tick or legend, cut in the middle of a too long one.

    >>> shorten("a very long name of a class"), shorten("joy")
    ('a very lon…f a class', 'joy')
    """
    label = " ".join(str(label).split())
    half = limit // 2
    return label if len(label) <= limit else f"{label[:half]}…{label[half + 1 - limit :]}"


def short_count(n: int) -> str:
    """Count in at most four characters.

    >>> [short_count(n) for n in (7, 999, 1234, 12345, 999999, 2500000)]
    ['7', '999', '1.2k', '12k', '1.0M', '2.5M']
    """
    value, units = float(n), ["", "k", "M", "G"]
    while value >= 999.5 and len(units) > 1:
        value, units = value / 1000, units[1:]
    if units[0] == "" or value >= 9.95:
        return f"{value:.0f}{units[0]}"
    return f"{value:.1f}{units[0]}"


@functools.cache
def _declared() -> tuple[dict[str, str], list[str]]:
    content = read_yaml(paths.PACKAGE / "figures" / "colors.yaml")
    return dict(content["labels"]), list(content["cycle"])


def colors(labels: Iterable[str]) -> dict[str, str]:
    """Colour of every label: the declared one, else one of a colour-blind safe cycle.

    >>> colors(["b", "a"]) == colors(["a", "b"])
    True
    """
    declared, cycle = _declared()
    labels = list(labels)
    others = sorted({label for label in labels if label not in declared})
    return {
        label: declared.get(label) or cycle[others.index(label) % len(cycle)] for label in labels
    }


def sequential() -> Any:
    """Blues without the palest part, in which single samples would vanish."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Blues"](np.linspace(0.3, 1, 64)))


def legend_below(figure: Figure, handles: Sequence[Any], *, columns: int = 2) -> None:
    """Legend under the axes, where it never hides data; handles carry their labels."""
    figure.legend(handles=list(handles), loc="outside lower center", ncols=columns)


def mark(label: str, marker: str, color: str) -> Any:
    """Legend handle for points, of one size however small the points are."""
    from matplotlib.lines import Line2D

    filled: dict[str, Any] = {} if marker == "x" else {"markeredgewidth": 0}
    return Line2D(
        [], [], linestyle="", marker=marker, color=color, markersize=7, label=label, **filled
    )


def number_ticks(axis: Axis, places: Iterable[float]) -> None:
    """Ticks with numbers at given places; ``set_ticks`` would make those that nobody draws."""
    from matplotlib.ticker import FixedLocator

    axis.set_major_locator(FixedLocator(list(places)))


def class_ticks(axes: Axes, labels: Sequence[str]) -> None:
    """Names of classes on the horizontal axis: level, slanted or upright, so that none overlap."""
    names = [shorten(label) for label in labels]
    if len(names) > 12:
        look: dict[str, Any] = {"rotation": 90, "ha": "center", "fontsize": 7}
    elif len(names) * max((len(name) for name in names), default=0) > 46:
        look = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    else:
        look = {}
    axes.set_xticks(range(len(names)), names, **look)


def no_data(axes: Axes, text: str = "no samples") -> None:
    """Say in the middle of empty axes that there is nothing to draw."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=TRUTH)


def encode(figure: Figure) -> bytes:
    """The figure as PNG with a palette of at most 256 colours; equal figures give equal bytes."""
    from .palette import with_palette

    with applied(), warnings.catch_warnings():
        # a label in a script that DejaVu Sans lacks is drawn as boxes; the page has its text
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.canvas.draw()
        palette = with_palette(np.asarray(figure.canvas.buffer_rgba()))  # type: ignore[attr-defined]
    out = io.BytesIO()
    palette.save(out, "png", compress_level=6, dpi=(DPI, DPI))
    return out.getvalue()


def save(figure: Figure, path: Path) -> int:
    """Write the figure as PNG, atomically; a file that already holds it keeps its time.

    Returns:
        bytes of the file

    Raises:
        OutputError: if it cannot be written
    """
    data = encode(figure)
    write_bytes(path, data, only_changed=True)
    return len(data)
