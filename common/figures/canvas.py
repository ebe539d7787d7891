"""Canvas that draws a text once and stamps it where it occurs again.

Names of axes, ticks and datasets are in figure after figure, and matplotlib shapes and renders
each of them anew, several times per figure to measure it and once to draw it. Here a line of
text lies on whole pixels, so that one picture of it fits everywhere. What is drawn does not
depend on what was drawn before.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

#: texts that are kept; a long one takes 40 kB
KEPT = 1024

#: what a font is chosen by, as of :class:`~matplotlib.font_manager.FontProperties`
Font = tuple[tuple[str, Any], ...]


def font_of(prop: FontProperties) -> Font:
    """What a font is chosen by."""
    return (
        ("family", tuple(prop.get_family())),
        ("style", prop.get_style()),
        ("variant", prop.get_variant()),
        ("weight", prop.get_weight()),
        ("stretch", prop.get_stretch()),
        ("size", prop.get_size_in_points()),
    )


def properties(font: Font) -> FontProperties:
    """What :func:`font_of` told, as matplotlib has it."""
    named = dict(font)
    return FontProperties(**{**named, "family": list(named["family"])})


@functools.lru_cache(KEPT)
def _size(text: str, font: Font, dpi: float) -> tuple[float, float, float]:
    """Width, height and descent in pixels."""
    return RendererAgg(1, 1, dpi).get_text_width_height_descent(text, properties(font), False)


@functools.lru_cache(KEPT)
def _stamp(
    text: str, font: Font, dpi: float, angle: float, color: Any
) -> tuple[np.ndarray, int, int]:
    """Picture of a line of text, and where its lower left corner is, seen from the anchor."""
    width, height, _ = _size(text, font, dpi)
    reach = int(np.ceil(np.hypot(width, height))) + 8
    renderer = RendererAgg(2 * reach, 2 * reach, dpi)
    gc = renderer.new_gc()
    gc.set_foreground(color, isRGBA=True)
    renderer.draw_text(gc, reach, reach, text, properties(font), angle)
    pixels = np.asarray(renderer.buffer_rgba())
    rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=way)) for way in (1, 0))
    if not len(rows):
        return np.zeros((0, 0, 4), np.uint8), 0, 0
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    # images are drawn with the lowest row first
    picture = np.ascontiguousarray(pixels[top:bottom, left:right][::-1])
    return picture, int(left) - reach, reach - int(bottom)


class Renderer(RendererAgg):
    """Agg with stamps for opaque text."""

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: Any
    ) -> tuple[float, float, float]:
        """Size of a line of text in pixels."""
        if ismath:
            return super().get_text_width_height_descent(s, prop, ismath)
        return _size(s, font_of(prop), self.dpi)

    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """Draw a line of text at the nearest whole pixel."""
        color = tuple(gc.get_rgb())
        if ismath or gc.get_alpha() != 1 or color[3:] != (1,):
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        picture, left, bottom = _stamp(s, font_of(prop), self.dpi, angle, color)
        if picture.size:
            self.draw_image(gc, round(x) + left, round(self.height - y) + bottom, picture)


class Canvas(FigureCanvasAgg):
    """Canvas whose texts are stamps."""

    def get_renderer(self) -> Renderer:
        """The renderer; a new one if the size of the figure has changed."""
        width, height = self.get_width_height(physical=True)
        dpi = self.figure.dpi
        renderer = getattr(self, "renderer", None)
        if renderer is None or (renderer.width, renderer.height, renderer.dpi) != (
            width,
            height,
            dpi,
        ):
            self.renderer = Renderer(width, height, dpi)
        return self.renderer


def renderer_of(figure: Figure) -> Renderer:
    """What measures the texts of a figure, also of one that is written as SVG."""
    canvas = figure.canvas
    if isinstance(canvas, Canvas):
        return canvas.get_renderer()
    return Renderer(*canvas.get_width_height(), figure.dpi)
