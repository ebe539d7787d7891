"""Axes whose ticks are made when somebody needs them.

Matplotlib means to make the ticks of an axis late, but makes the first of each kind as soon as axes are
begun, to tell them that there is no grid and where it is cut off. In our figures most axes never need a
tick of matplotlib (:mod:`common.figures.ticks`), and four ticks for each of them take longer than the rest
of the axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis, YAxis

#: attributes of an axis that matplotlib fills when they are read
LISTS = ("majorTicks", "minorTicks")


class _Ticks:
    """Ticks of an axis, made when they are read, and then cut off as if they had always been there."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, axis: Any, owner: type) -> Any:
        if axis is None:
            return self
        ticks = getattr(super(_Late, axis), self._name)
        for tick in ticks:
            tick.set_clip_path(*axis.clip)
        return ticks


class _Late(Axis):
    """What is said of all ticks is remembered for those that are not made yet."""

    majorTicks = _Ticks()
    minorTicks = _Ticks()
    clip: tuple[Any, ...] = (None,)

    def set_clip_path(self, path: Any, transform: Any = None) -> None:
        """Where the axis is cut off; see matplotlib."""
        self.clip = path, transform
        with _unmade(self):
            super().set_clip_path(path, transform)

    def set_tick_params(self, which: Any = "major", reset: bool = False, **kwargs: Any) -> None:
        """How ticks look; see matplotlib."""
        with _unmade(self):
            super().set_tick_params(which, reset, **kwargs)


class _LateX(_Late, XAxis):
    """Horizontal axis."""


class _LateY(_Late, YAxis):
    """Vertical axis."""


class LateAxes(Axes):
    """Axes of a figure; they look as those of matplotlib."""

    def clear(self) -> None:
        """Begin anew; see matplotlib."""
        self.xaxis.__class__, self.yaxis.__class__ = _LateX, _LateY
        super().clear()
        for spine in self.spines.values():
            spine.get_position()  # puts it in its place, as making ticks does


@contextmanager
def _unmade(axis: Axis) -> Iterator[None]:
    """Reading ticks that are not there makes none meanwhile."""
    absent = [name for name in LISTS if name not in vars(axis)]
    for name in absent:
        setattr(axis, name, [])
    try:
        yield
    finally:
        for name in absent:
            if not vars(axis).get(name, True):
                delattr(axis, name)
