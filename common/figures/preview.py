"""The picture that a link to the website has in a message: its name, and the state of the field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .style import applied, encode, shorten

#: pixels; what previews are made for
SIZE = (1200, 630)
#: so many lines fit
MOST = 14
LEFT, RIGHT, TOP, BOTTOM = 250, 1170, 205, 600
INK, QUIET, GREEN = "#20282a", "#545f63", "#17624f"
PALE, FULL = (255, 248, 225), (75, 147, 216)


class Field(NamedTuple):
    """What models pass, from 0 to 1.

    Args:
        columns: targets, each with its families of tests
        lines: models, each with a share per family of each target; None: it has none
    """

    columns: Sequence[tuple[str, Sequence[str]]]
    lines: Sequence[tuple[str, Sequence[float | None]]]


def preview(title: str, lead: str, caption: str, field: Field) -> bytes:
    """PNG of :data:`SIZE`; the same bytes for the same field.

    Args:
        title: name of the website
        lead: what it is, in a line
        caption: what the numbers are
        field: the state of the field; of more than :data:`MOST` models the first are drawn
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = SIZE
    with applied():
        figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        axes.text(40, 76, title, fontsize=38, fontweight="bold", color=GREEN)
        axes.text(42, 122, lead, fontsize=17, color=INK)
        axes.text(42, TOP - 9, caption.replace(" that", "\nthat"), fontsize=9, color=QUIET)
        _draw(axes, Field(field.columns, field.lines[:MOST]))
        return encode(figure)


def _draw(axes: object, field: Field) -> None:
    """The shares as a heat map with numbers."""
    from matplotlib.patches import Rectangle

    number = sum(len(families) for _, families in field.columns)
    if not number or not field.lines:
        axes.text(42, 330, "No results yet.", fontsize=20, color=QUIET)  # type: ignore[attr-defined]
        return
    across, down = (RIGHT - LEFT) / number, min((BOTTOM - TOP) / len(field.lines), 40)
    say = axes.text  # type: ignore[attr-defined]
    place = float(LEFT)
    for target, families in field.columns:
        say(place + 4, TOP - 30, shorten(target, 18), fontsize=14, fontweight="bold", color=INK)
        for n, family in enumerate(families):
            say(place + 4 + n * across, TOP - 9, shorten(family, 12), fontsize=8, color=QUIET)
        place += across * len(families)
    for line, (model, shares) in enumerate(field.lines):
        y = TOP + line * down
        say(LEFT - 12, y + down / 2, shorten(model, 24), fontsize=12, ha="right", va="center")
        for n, share in enumerate(shares):
            if share is None:
                continue
            color = [(a + (b - a) * share) / 255 for a, b in zip(PALE, FULL, strict=True)]
            box = Rectangle((LEFT + n * across, y), across - 2, down - 2, color=color, linewidth=0)
            axes.add_patch(box)  # type: ignore[attr-defined]
            middle = (LEFT + (n + 0.5) * across, y + down / 2)
            say(*middle, f"{100 * share:.0f}", fontsize=12, ha="center", va="center", color=INK)
