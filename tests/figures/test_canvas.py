from __future__ import annotations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from common.figures import canvas, style


def drawn(kind: type[FigureCanvasAgg], **look: object) -> np.ndarray:
    with style.applied():
        figure, _ = style.canvas("", height=1, width=2)
        figure.clear()
        kind(figure)
        figure.text(0.5, 0.5, "Ägypten 42 %\n(second)", **look)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()).astype(int)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "look",
    [
        {},
        {"rotation": 90, "color": "red"},
        {"rotation": 45, "ha": "center", "fontsize": 7, "fontweight": "bold"},
        {"alpha": 0.5},
    ],
)
def test_stamps_are_the_text_that_matplotlib_draws(look) -> None:
    """To the nearest pixel: ink of equal amount and place."""
    own, theirs = (255 - drawn(kind, **look)[..., :3] for kind in (canvas.Canvas, FigureCanvasAgg))
    assert own.any()
    assert own.sum() == pytest.approx(theirs.sum(), rel=0.02)
    for way in (0, 1):
        place = [
            np.average(np.arange(ink.shape[way]), weights=ink.sum(axis=(1 - way, 2)))
            for ink in (own, theirs)
        ]
        assert place[0] == pytest.approx(place[1], abs=0.75)


def test_what_was_drawn_before_changes_nothing() -> None:
    canvas._stamp.cache_clear()
    canvas._size.cache_clear()
    first = drawn(canvas.Canvas, color="red")
    for color in ("blue", "red"):
        again = drawn(canvas.Canvas, color=color)
    assert canvas._stamp.cache_info().hits > 0
    assert np.array_equal(first, again)


def test_text_beside_the_figure_is_cut_off() -> None:
    with style.applied():
        figure, _ = style.canvas("", height=1, width=2)
        figure.clear()
        figure.text(-0.05, 0.98, "at the corner")
        figure.text(3, 3, "outside")
        figure.canvas.draw()
    ink = 255 - np.asarray(figure.canvas.buffer_rgba())[..., :3]  # type: ignore[attr-defined]
    assert ink[:10, :10].any() and not ink[20:].any()


def test_a_new_size_has_a_new_renderer() -> None:
    figure, _ = style.canvas("title")
    known = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    assert figure.canvas.get_renderer() is known  # type: ignore[attr-defined]
    figure.set_size_inches(2, 1)
    assert figure.canvas.get_renderer().width == 2 * style.DPI  # type: ignore[attr-defined]
