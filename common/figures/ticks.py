"""Ticks, grid and numbers of an axis as one drawing.

For matplotlib a tick is three lines and two texts of their own, which cost more than all else in
a small figure. Here an axis with plain numbers has one path for its grid, one for its ticks, and
one text that is drawn at every tick. An axis with names keeps the ticks of matplotlib.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.ticker import NullLocator, ScalarFormatter
from matplotlib.transforms import IdentityTransform

from .canvas import KEPT, Font, Renderer, font_of, properties

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: how numbers lie at the horizontal axis, and at the vertical one
ALIGNED = (
    {"horizontalalignment": "center", "verticalalignment": "top"},
    {"horizontalalignment": "right", "verticalalignment": "center_baseline"},
)
#: settings of ticks that are understood; the sides at which they are not drawn must be off
SETTINGS = {"length", "bottom", "left", "labelbottom", "labelleft", "gridOn"}
OTHER_SIDES = {"top", "right", "labeltop", "labelright"}


class Laid(NamedTuple):
    """Where a number lies around the place that it is aligned with, in pixels.

    Args:
        extents: its left, lower, right and upper end, shape (4,)
        x: where its line begins
        y: the same
    """

    extents: np.ndarray
    x: float
    y: float


@functools.lru_cache(KEPT)
def _laid(label: str, font: Font, dpi: float, way: int) -> Laid:
    """Where a number lies at an axis; numbers are the same in figure after figure."""
    text = Text(text=label, fontproperties=properties(font))
    text.set_figure(Figure(dpi=dpi))
    renderer = Renderer(1, 1, dpi)
    below = text.get_window_extent(renderer).y0  # a new text stands on its line
    text.set(**ALIGNED[way])
    extents = np.array(text.get_window_extent(renderer).extents)
    return Laid(extents, float(extents[0]), float(extents[1] - below))


class Ticks(Artist):
    """Ticks of an axis with plain numbers, in place of those of matplotlib.

    Args:
        axes: where they are
        way: 0 for the horizontal axis, 1 for the vertical one
    """

    def __init__(self, axes: Axes, way: int):
        super().__init__()
        self._axis = (axes.xaxis, axes.yaxis)[way]
        self.way = way
        self._name, self._side = ("x", "bottom") if way == 0 else ("y", "left")
        self._axis.set_visible(False)
        self.set_zorder(self._axis.get_zorder())
        self.set_in_layout(False)
        self._text = Text(
            color=_rc(f"{self._name}tick.color"), fontsize=_rc(f"{self._name}tick.labelsize")
        )
        self._text.set(**ALIGNED[way])
        axes.add_artist(self)
        figure: Any = axes.get_figure(root=True)
        self._text.set_figure(figure)
        self.locate()

    @classmethod
    def replace(cls, axes: Axes) -> dict[int, Ticks]:
        """The ticks of the axis that can be drawn this way, by their direction."""
        ticks = {part.way: part for part in axes.artists if isinstance(part, cls)}
        return {
            way: ticks.get(way) or cls(axes, way)
            for way in (0, 1)
            if axes.axison and (way in ticks or _plain(axes, way))
        }

    def locate(self) -> list[float]:
        """Choose where the ticks are, which may depend on the size of the axes."""
        places = self._axis.get_majorticklocs()
        labels = self._axis.get_major_formatter().format_ticks(list(places))
        low, high = sorted(self._axis.get_view_interval())
        slack = 1e-9 * (high - low)
        inside = (places >= low - slack) & (places <= high + slack)
        self._places = np.asarray(places, float)[inside]
        self._labels = [label for label, shown in zip(labels, inside, strict=True) if shown]
        return list(places)

    def extents(self, renderer: Any) -> list[np.ndarray]:
        """Left, lower, right and upper end of every number in pixels."""
        return [
            self._laid(label, renderer).extents + np.array([*place, *place])
            for label, place in self._written(renderer)
        ]

    def _written(self, renderer: Any) -> Iterator[tuple[str, tuple[float, float]]]:
        """Number of each tick, and the place in pixels that it is aligned with."""
        if not self._setting(f"label{self._side}", True):
            return
        pad = _rc(f"{self._name}tick.major.pad") + self._length()
        beside = float(self._origin()[1 - self.way] - renderer.points_to_pixels(pad))
        for label, at in zip(self._labels, self._pixels().tolist(), strict=True):
            if label:
                yield label, ((beside, at) if self.way else (at, beside))

    def _laid(self, label: str, renderer: Any) -> Laid:
        return _laid(label, font_of(self._text.get_fontproperties()), renderer.dpi, self.way)

    def _write(self, renderer: Any) -> None:
        """Draw the numbers."""
        text = self._text
        gc = renderer.new_gc()
        gc.set_foreground(to_rgba(text.get_color()), isRGBA=True)
        for label, (x, y) in self._written(renderer):
            if isinstance(renderer, Renderer):
                laid = self._laid(label, renderer)
                line = x + laid.x, renderer.height - (y + laid.y)
                renderer.draw_text(gc, *line, label, text.get_fontproperties(), 0)
            else:
                text.set_text(label)
                text.set_position((x, y))
                text.draw(renderer)
        gc.restore()

    def _origin(self) -> np.ndarray:
        return np.array(self.axes.bbox.extents)[:2]  # type: ignore[union-attr]

    def _pixels(self) -> np.ndarray:
        """Where the ticks are, along the axis."""
        points = np.zeros((len(self._places), 2))
        points[:, self.way] = self._places
        axes: Any = self.axes
        transform = (axes.get_xaxis_transform, axes.get_yaxis_transform)[self.way]()
        return np.asarray(transform.transform(points))[:, self.way]

    def _setting(self, name: str, default: Any) -> Any:
        return self._axis.get_tick_params().get(name, default)

    def _length(self) -> float:
        return float(self._setting("length", _rc(f"{self._name}tick.major.size")))

    @allow_rasterization
    def draw(self, renderer: Any) -> None:
        """Draw grid, ticks, numbers and the label of the axis."""
        if self.get_visible() and self.axes is not None:
            start, end = np.array(self.axes.bbox.extents).reshape(2, 2)[:, 1 - self.way]
            if self._setting("gridOn", False):
                self._lines(renderer, "grid", ".linewidth", start, end)
            length = renderer.points_to_pixels(self._length())
            if length and self._setting(self._side, True):
                self._lines(renderer, f"{self._name}tick", ".major.width", start - length, start)
            self._write(renderer)
            self._axis.label.draw(renderer)
        self.stale = False

    def _lines(self, renderer: Any, kind: str, width: str, start: float, end: float) -> None:
        """A line across the axis at every tick, in the colour of a kind of lines."""
        at = self._pixels()
        points = np.empty((len(at), 2, 2))
        points[:, :, self.way] = at[:, None]
        points[:, :, 1 - self.way] = start, end
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], Path.code_type), len(at))
        gc = renderer.new_gc()
        alpha = _rc("grid.alpha") if kind == "grid" else 1
        gc.set_foreground(to_rgba(_rc(f"{kind}.color"), alpha), isRGBA=True)
        gc.set_linewidth(_rc(kind + width))
        if len(at):
            renderer.draw_path(gc, Path(points.reshape(-1, 2), codes), IdentityTransform())
        gc.restore()


def _rc(name: str) -> Any:
    settings: Any = mpl.rcParams
    return settings[name]


def _plain(axes: Axes, way: int) -> bool:
    """Whether an axis has numbers in the usual place and look."""
    axis = (axes.xaxis, axes.yaxis)[way]
    settings = axis.get_tick_params()
    formatter = axis.get_major_formatter()
    if not (
        axis.get_visible()
        and isinstance(formatter, ScalarFormatter)
        and isinstance(axis.get_minor_locator(), NullLocator)
        and settings.keys() <= SETTINGS | OTHER_SIDES
        and not any(settings.get(name) for name in OTHER_SIDES)
    ):
        return False
    formatter.format_ticks(list(axis.get_majorticklocs()))
    return not formatter.get_offset()
