"""Axes make no tick that nobody needs, and look as those of matplotlib."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes

from common.figures import late_axes, style, ticks


def drawn(change: Callable[[Axes], object]) -> tuple[np.ndarray, Axes]:
    with style.applied():
        figure, (axes,) = style.canvas("title", height=2)
        axes.plot([0, 1, 2], [5, 700, -80])
        change(axes)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()), axes  # type: ignore[attr-defined]


LOOKS: dict[str, Callable[[Axes], object]] = {
    "numbers": lambda axes: None,
    "names": lambda axes: axes.set_yticks([0, 500], ["low", "high"]),
    "grid": lambda axes: axes.grid(True, axis="y"),
    "grid of names": lambda axes: (axes.set_xticks([0, 1], ["a", "b"]), axes.grid(True)),
    "other side": lambda axes: axes.tick_params(axis="y", right=True, labelsize=5),
    "smaller ones": lambda axes: axes.minorticks_on(),
    "logarithmic": lambda axes: axes.set(ylim=(1, 730), yscale="log"),
    "begun anew": lambda axes: (axes.clear(), axes.set_xticks([0, 1], ["a", "b"])),
    "moved": lambda axes: axes.spines["left"].set_position(("outward", 6)),
}


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("look", LOOKS)
def test_looks_as_axes_of_matplotlib(look: str, own: bool, monkeypatch) -> None:
    if not own:
        monkeypatch.setattr(ticks, "_plain", lambda axes, way: False)
    late, axes = drawn(LOOKS[look])
    assert isinstance(axes, late_axes.LateAxes)
    monkeypatch.setattr(late_axes, "LateAxes", Axes)
    at_once, axes = drawn(LOOKS[look])
    assert type(axes) is Axes
    np.testing.assert_array_equal(late, at_once)


def test_axes_with_numbers_need_no_tick_of_matplotlib() -> None:
    for axis in (drawn(LOOKS["grid"])[1].xaxis, drawn(LOOKS["numbers"])[1].yaxis):
        assert not {"majorTicks", "minorTicks"} & vars(axis).keys()
    named = drawn(LOOKS["names"])[1]
    assert len(vars(named.yaxis)["majorTicks"]) == 2
