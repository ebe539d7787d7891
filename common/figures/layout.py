"""Where the axes of a figure lie: as large as heading, labels and legend let them be.

Does what the constrained layout of matplotlib does for figures of one grid, at a small part of
its cost: a text is measured once, and labels stay where they were put.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.layout_engine import LayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from .canvas import renderer_of
from .ticks import Ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

#: distance between things that must not touch
PAD_INCH = 0.042
#: ticks may change with the size of axes, and with them the space that they need
ROUNDS = 3


class Sides(NamedTuple):
    """Lengths in pixels at the sides of axes or of a figure."""

    left: float
    bottom: float
    right: float
    top: float


#: before anything is measured
GUESS = Sides(60, 45, 8, 8)


class Margins(LayoutEngine):
    """Grid of axes between the heading of a figure and its legend."""

    #: neither margins by hand nor colour bars have a place in the grid
    adjust_compatible = False
    colorbar_gridspec = False

    def execute(self, fig: Figure) -> None:
        """Place the axes; matplotlib calls this before it draws."""
        renderer = renderer_of(fig)
        shown = {axes: axes.get_subplotspec() for axes in fig.axes if axes.get_visible()}
        grid = {axes: spec for axes, spec in shown.items() if spec is not None}
        if not grid:
            return
        outer = _outer(fig, renderer)
        ticks = {axes: Ticks.replace(axes) for axes in grid}
        _place(fig, outer, grid, dict.fromkeys(grid, GUESS))
        measured: list[list[float]] = []
        for _ in range(ROUNDS):
            for axes in grid:
                axes.apply_aspect()
            places = [
                ticks[axes][way].locate() if way in ticks[axes] else list(axis.get_majorticklocs())
                for axes in grid
                for way, axis in enumerate(_both(axes))
            ]
            if places == measured:
                break
            measured = places
            needed = {axes: _sides(axes, ticks[axes], renderer) for axes in grid}
            _place(fig, outer, grid, needed)


def _both(axes: Axes) -> tuple[Axis, Axis]:
    return axes.xaxis, axes.yaxis


def _outer(figure: Figure, renderer: Any) -> Sides:
    """Place the heading; what it, the legend and the edges take."""
    pad = PAD_INCH * figure.dpi
    top = bottom = pad
    for text in figure.texts:
        text.set_y(1 - top / figure.bbox.height)
        top += text.get_window_extent(renderer).height + pad
    for legend in figure.legends:
        bottom = max(bottom, legend.get_window_extent(renderer).y1 + pad)
    return Sides(1.5 * pad, bottom, 1.5 * pad, top)


def _place(
    figure: Figure, outer: Sides, cells: dict[Axes, SubplotSpec], needed: dict[Axes, Sides]
) -> None:
    """Share what is free among the rows and columns, in their ratios."""
    pad = PAD_INCH * figure.dpi
    grid = next(iter(cells.values())).get_gridspec()
    rows, columns = grid.get_geometry()
    sides = np.zeros((rows, columns, 4))
    for axes, spec in cells.items():
        sides[spec.rowspan.start, spec.colspan.start] = needed[axes]
    left, bottom, right, top = np.moveaxis(sides, -1, 0)
    x, widths = _shared(
        figure.bbox.width - outer.left - outer.right,
        np.ravel(grid.get_width_ratios()),
        left.max(axis=0),
        right.max(axis=0),
        2 * pad,
    )
    y, heights = _shared(
        figure.bbox.height - outer.bottom - outer.top,
        np.ravel(grid.get_height_ratios()),
        top.max(axis=1),
        bottom.max(axis=1),
        2 * pad,
    )
    width, height = figure.bbox.size
    for axes, spec in cells.items():
        row, column = spec.rowspan.start, spec.colspan.start
        axes.set_position(
            (
                (outer.left + x[column]) / width,
                1 - (outer.top + y[row] + heights[row]) / height,
                widths[column] / width,
                heights[row] / height,
            )
        )


def _shared(
    length: float, ratios: np.ndarray, before: np.ndarray, after: np.ndarray, gap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Starts and lengths of axes in a row or column.

    Args:
        length: of the whole row
        ratios: of the lengths, shape (A,)
        before: space before each, shape (A,)
        after: space behind each, shape (A,)
        gap: between the spaces of neighbours
    """
    free = length - before.sum() - after.sum() - gap * (len(ratios) - 1)
    # labels that leave no space overlap rather than fail
    lengths = ratios / ratios.sum() * max(free, 0.2 * length)
    steps = before + lengths + after + gap
    return np.cumsum(steps) - steps + before, lengths


def _sides(axes: Axes, ticks: Mapping[int, Ticks], renderer: Any) -> Sides:
    """Space that labels and texts need around axes; puts the labels of both axis there."""
    box = np.array(axes.bbox.extents)
    extents = [box]
    for way, axis in enumerate(_both(axes)):
        if way in ticks or (axis.get_visible() and axes.axison):
            if way in ticks:
                tick_boxes = ticks[way].extents(renderer)
            else:
                labels = _tick_labels(axis, way)
                tick_boxes = [_extent(label, renderer) for label in labels]
                for label in labels:
                    label.set_in_layout(False)  # or it is measured again when it is drawn
            extents += [*tick_boxes, *_name(axes, way, [box, *tick_boxes], renderer)]
    for child in axes.get_children():
        if isinstance(child, Text) and child.get_text() and child.get_in_layout():
            extent = _extent(child, renderer)
            if child not in axes.texts:  # a title may be longer than its axes
                extent[[0, 2]] = box[[0, 2]]
            extents.append(extent)
    for inset in axes.child_axes:
        extents.append(_extent(inset, renderer))
    boxes = np.array(extents)
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return Sides(*(box[:2] - low), *(high - box[2:]))


def _extent(artist: Any, renderer: Any) -> np.ndarray:
    """Left, lower, right and upper end in pixels."""
    if isinstance(artist, Text):
        return np.array(artist.get_window_extent(renderer).extents)
    box = artist.get_tightbbox(renderer, bbox_extra_artists=[])
    return np.array((artist.bbox if box is None else box).extents)


def _tick_labels(axis: Axis, way: int) -> list[Text]:
    """Labels of the ticks that are drawn."""
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    return [
        label
        for label in axis.get_majorticklabels()
        if label.get_text() and low - slack <= label.get_position()[way] <= high + slack
    ]


def _name(axes: Axes, way: int, extents: list[np.ndarray], renderer: Any) -> list[np.ndarray]:
    """Put the label of an axis beside those of its ticks; the box that it needs.

    Args:
        axes: whose axis it is
        way: 0 for the horizontal axis, 1 for the vertical one
        extents: of the axes, and of the labels of the ticks
        renderer: measures the text
    """
    axis = _both(axes)[way]
    if not axis.label.get_text() or not axis.label.get_visible():
        return []
    box, across = extents[0], 1 - way
    low = min(extent[across] for extent in extents)
    move = low - box[across] - axis.labelpad * renderer.points_to_pixels(1)
    x, y, shift = (0.5, 0.0, (0, move)) if way == 0 else (0.0, 0.5, (move, 0))
    axis.set_label_coords(x, y, transform=axes.transAxes + Affine2D().translate(*shift))
    extent = _extent(axis.label, renderer)
    # it is centred, whatever its length
    extent[[way, way + 2]] = box[[way, way + 2]]
    return [extent]
