from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes

from common.figures import style, ticks
from common.figures.ticks import Ticks


def drawn(change: Callable[[Axes], object]) -> tuple[np.ndarray, Axes]:
    with style.applied():
        figure, (axes,) = style.canvas("title", height=2)
        axes.set(xlim=(-0.1, 1.02), ylim=(0, 730), xlabel="x", ylabel="y")
        change(axes)
        style.encode(figure)
        return np.asarray(figure.canvas.buffer_rgba()).astype(int), axes  # type: ignore[attr-defined]


LOOKS: dict[str, Callable[[Axes], object]] = {
    "usual": lambda axes: None,
    "grid": lambda axes: axes.grid(True),
    "grid of one axis": lambda axes: axes.grid(True, axis="y"),
    "no ticks": lambda axes: axes.tick_params(length=0),
    "no numbers": lambda axes: axes.tick_params(labelbottom=False, left=False),
    "downwards": lambda axes: axes.set_ylim(12, -3),
    "another scale": lambda axes: axes.set_xscale("function", functions=(np.exp, np.log)),
    "chosen places": lambda axes: style.number_ticks(axes.yaxis, [-10, 0, 250.5, 730, 900]),
    "no places": lambda axes: style.number_ticks(axes.yaxis, []),
    "square": lambda axes: axes.set(aspect="equal", ylim=(-0.1, 1.02)),
}


@pytest.mark.parametrize("look", LOOKS)
def test_looks_as_what_matplotlib_draws(look: str, monkeypatch) -> None:
    own, axes = drawn(LOOKS[look])
    assert len([part for part in axes.artists if isinstance(part, Ticks)]) == 2
    assert not axes.xaxis.get_visible()
    monkeypatch.setattr(ticks, "_plain", lambda axes, way: False)
    theirs, axes = drawn(LOOKS[look])
    assert axes.xaxis.get_visible()
    # ticks may be a pixel aside; a tick or number that is missing is over a hundred pixels
    assert np.sum(np.abs(own - theirs).max(axis=2) > 60) < 130
    assert abs(np.sum(255 - own) / np.sum(255 - theirs) - 1) < 0.01


@pytest.mark.parametrize(
    "change",
    [
        lambda axes: axes.set_yticks([0, 500], ["low", "high"]),
        lambda axes: axes.tick_params(axis="y", labelsize=5),
        lambda axes: axes.tick_params(axis="y", right=True),
        lambda axes: axes.yaxis.set_visible(False),
        lambda axes: axes.minorticks_on(),
        lambda axes: axes.set_ylim(0, 2e9),  # numbers have a factor beside the axis
        lambda axes: axes.set(ylim=(1, 730), yscale="log"),
    ],
)
def test_other_looks_are_left_to_matplotlib(change: Callable[[Axes], object]) -> None:
    _, axes = drawn(change)
    assert 1 not in {part.way for part in axes.artists if isinstance(part, Ticks)}


def test_axes_that_are_off_have_no_ticks() -> None:
    pixels, axes = drawn(lambda axes: axes.set_axis_off())
    assert not axes.artists
    assert (pixels[100:] == 255).all()
