"""Axes, labels, heading and legend keep apart, and lie on the figure."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from common.figures import FIGURES, style
from common.figures.layout import _shared


def boxes(figure: Figure) -> dict[str, Bbox]:
    """Extents of all that a reader must see whole, after the figure was drawn."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    found = {f"legend {n}": legend.get_window_extent() for n, legend in enumerate(figure.legends)}
    found |= {f"heading {n}": text.get_window_extent() for n, text in enumerate(figure.texts)}
    for n, axes in enumerate(figure.axes):
        if not axes.get_visible():
            continue
        found[f"axes {n}"] = axes.get_window_extent(renderer)
        for axis in (axes.xaxis, axes.yaxis):
            parts = {"label": axis.label}
            if axis is axes.xaxis and axes.xaxis.get_majorticklabels():
                parts["first tick"] = axes.xaxis.get_majorticklabels()[0]
            found |= {
                f"{axis.axis_name} {name} {n}": part.get_window_extent(renderer)  # type: ignore[attr-defined]
                for name, part in parts.items()
                if part.get_text()
            }
        if title := axes.get_title(loc="left"):
            (text,) = (part for part in axes.findobj(Text) if part.get_text() == title)
            found[f"title {n}"] = text.get_window_extent(renderer)
    return found


CASES = {
    "one axes": ("distributions", "regression"),
    "rows": ("histogram_by_context", "classification"),
    "rows and columns of squares": ("unit_ranks", "classification"),
    "slanted labels": ("changes_overview", "regression"),
    "rows without shared labels": ("shift_2d", "regression"),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_overlaps_and_nothing_is_cut_off(case, view, options) -> None:
    name, kind = CASES[case]
    title = "a title of three parts-that is so long-that it takes a second line of its own"
    for figure in FIGURES.get(name)(view(kind, 80), options, title).values():
        style.encode(figure)
        found = boxes(figure)
        for one, box in found.items():
            assert box.x0 >= -0.5 and box.x1 <= figure.bbox.width + 0.5, one
            assert box.y0 >= -0.5 and box.y1 <= figure.bbox.height + 0.5, one
        for (one, first), (other, second) in combinations(found.items(), 2):
            shared = Bbox.intersection(first, second)
            # boxes of letters hold some space above and below them
            assert shared is None or min(shared.size) <= 1.5, (one, other)


def test_axes_take_what_is_left(view, options) -> None:
    (figure,) = FIGURES.get("distributions")(view("regression", 80), options, "title").values()
    style.encode(figure)
    width, height = figure.axes[0].bbox.size / figure.bbox.size
    assert width > 0.82 and height > 0.65


def test_drawn_twice_is_drawn_once(view, options) -> None:
    (figure,) = FIGURES.get("scatter")(view("regression", 2500), options, "title").values()
    assert style.encode(figure) == style.encode(figure)


def test_long_names_of_an_axis_move_no_axes() -> None:
    with style.applied():
        widths = []
        for label in ("short", "a label that is longer than its axis " * 4):
            figure, (axes,) = style.canvas("title")
            axes.set_ylabel(label)
            style.encode(figure)
            widths.append(axes.bbox.bounds)
    assert widths[0] == pytest.approx(widths[1])


def test_labels_that_leave_no_space_leave_some() -> None:
    starts, lengths = _shared(100, np.ones(2), np.full(2, 80.0), np.zeros(2), 10)
    assert starts.tolist() == [80, 180] and lengths.tolist() == [10, 10]


def test_ratios_decide_about_lengths() -> None:
    starts, lengths = _shared(100, np.array([1, 3]), np.array([5.0, 0]), np.array([0, 5.0]), 10)
    assert lengths.tolist() == [20, 60] and starts.tolist() == [5, 35]
