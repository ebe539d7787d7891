"""Dose and response as a drawing in SVG: a line per model over the levels of a perturbation.

Drawn as text, without matplotlib: a page holds dozens of them, and they follow its colours. All
colours are classes that the style sheet of the site knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from ..results.dose import DoseCurve, told

WIDTH, HEIGHT = 360, 230
LEFT, RIGHT, TOP, BOTTOM = 60, 12, 12, 48
#: so many models have a colour of their own
COLORS = 8
DASHES = ("", "7 3", "2 3", "9 3 2 3")


def dose_svg(
    curves: Sequence[tuple[str, DoseCurve]],
    *,
    name: str,
    ylabel: str,
    original: float,
    colors: Sequence[int],
    span: Sequence[float] = (),
) -> str:
    """Curves of one score in one condition.

    Levels stand at equal distances in their order, from mild on the left to severe on the right,
    as their steps differ. A filled dot passes the criterion, a cross fails it; vertical lines are
    95 % intervals, the hatched side of the broken line fails.

    Args:
        curves: model and its curve, all of one perturbation and metric
        name: id of the drawing, unique on its page
        ylabel: name of the score
        original: the score of unchanged input; NaN: unknown
        colors: number of the colour of each model
        span: values that the axis holds besides, so that drawings beside this one have the same
    """
    first = curves[0][1]
    levels = _levels([curve for _, curve in curves])
    ticks = _ticks([original, *span, *values_of(curve for _, curve in curves)])
    axes = _Axes(levels, ticks[0], ticks[-1])
    parts = [
        f'<svg class="dose" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-labelledby="{name}-t {name}-d" xmlns="http://www.w3.org/2000/svg">',
        f'<title id="{name}-t">{escape(f"{ylabel} over {first.axis}")}</title>',
        f'<desc id="{name}-d">{escape(describe_dose(curves))}</desc>',
        *_grid(axes, ticks, levels),
        *_bounds(axes, first, original),
    ]
    for (_, curve), color in zip(curves, colors, strict=True):
        parts += _line(axes, curve, color)
    label = f"{first.axis} ({first.unit})" if first.unit else first.axis
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts += [
        f'<text class="label" x="{middle:g}" y="{HEIGHT - 8}">{escape(label)}, worse to the right</text>',
        f'<text class="label" transform="translate(13 {(TOP + HEIGHT - BOTTOM) / 2:g}) '
        f'rotate(-90)">{escape(ylabel)}</text>',
        "</svg>",
    ]
    return "".join(parts)


def describe_dose(curves: Sequence[tuple[str, DoseCurve]]) -> str:
    """Text alternative: range of levels and values, and the breaking point of every model."""
    first = curves[0][1]
    levels = _levels([curve for _, curve in curves])
    facts = []
    for model, curve in curves:
        values = [step.value for step in curve.steps if not math.isnan(step.value)]
        way = f"from {values[0]:.3f} to {values[-1]:.3f}, " if values else ""
        facts.append(f"{model} {way}{told(curve)}")
    start, end = first.at(levels[0]), first.at(levels[-1])
    return f"{first.axis} from {start} to {end}: {'; '.join(facts)}."


def _levels(curves: Sequence[DoseCurve]) -> list[float]:
    """All levels that occur, in the order of the axis."""
    levels = list(dict.fromkeys(step.level for curve in curves for step in curve.steps))
    longest = max(curves, key=lambda curve: len(curve.steps)).steps
    falling = len(longest) > 1 and longest[0].level > longest[-1].level
    return sorted(levels, reverse=falling)


def values_of(curves: Iterable[DoseCurve]) -> list[float]:
    """All numbers that an axis of these curves holds: values, and bounds of criteria."""
    return [
        value
        for curve in curves
        for value in (curve.bound, *(step.value for step in curve.steps))
        if math.isfinite(value)
    ]


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers that enclose all values."""
    values = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(values), max(values)
    spread = max(high - low, 0.05)
    step = 10.0 ** math.floor(math.log10(spread))
    step = next(
        step * part for part in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if spread / (step * part) <= 5
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 10) for place in range(first, last + 1)]


class _Axes:
    def __init__(self, levels: Sequence[float], low: float, high: float):
        self._places = {level: place for place, level in enumerate(levels)}
        self._low, self._high = low, high

    def x(self, level: float) -> float:
        share = (self._places[level] + 0.5) / len(self._places)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = (min(max(value, self._low), self._high) - self._low) / (self._high - self._low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP), 1)


def _grid(axes: _Axes, ticks: Sequence[float], levels: Sequence[float]) -> list[str]:
    parts = []
    for tick in ticks:
        y = axes.y(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="y" x="{LEFT - 5}" y="{y + 4:g}">{tick:g}</text>')
    for level in levels:
        place = f'x="{axes.x(level)}" y="{HEIGHT - BOTTOM + 16}"'
        parts.append(f'<text class="x" {place}>{level:g}</text>')
    return parts


def _bounds(axes: _Axes, curve: DoseCurve, original: float) -> list[str]:
    parts = []
    if math.isfinite(curve.bound):
        y = axes.y(curve.bound)
        below = curve.criterion.startswith(">")
        top, height = (y, HEIGHT - BOTTOM - y) if below else (TOP, y - TOP)
        size = f'x="{LEFT}" y="{top:g}" width="{WIDTH - LEFT - RIGHT}" height="{height:g}"'
        parts.append(f'<rect class="fails" {size}/>')
        parts.append(f'<path class="bound" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
    if math.isfinite(original):
        y = axes.y(original)
        parts.append(f'<path class="original" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
    return parts


def key_svg(color: int) -> str:
    """Line of a model beside its name: colour and dashes, as colours alone look alike to some."""
    return (
        f'<svg class="dose-key" viewBox="0 0 28 6" aria-hidden="true"><g class="m{color % COLORS}">'
        f'<polyline points="0,3 28,3"{_stroke(color)}/></g></svg>'
    )


def _stroke(color: int) -> str:
    """Dashes of a line, which differ between neighbours and between lines of one colour."""
    dash = DASHES[(color + color // COLORS) % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _line(axes: _Axes, curve: DoseCurve, color: int) -> list[str]:
    steps = [step for step in curve.steps if math.isfinite(step.value)]
    places = [(axes.x(step.level), axes.y(step.value)) for step in steps]
    points = " ".join(f"{x},{y}" for x, y in places)
    parts = [f'<g class="m{color % COLORS}"><polyline points="{points}"{_stroke(color)}/>']
    for step, (x, y) in zip(steps, places, strict=True):
        if math.isfinite(step.low):
            low, high = axes.y(step.low), axes.y(step.high)
            parts.append(f'<path class="interval" d="M{x} {low}V{high}"/>')
        if step.status == "pass":
            parts.append(f'<circle cx="{x}" cy="{y}" r="3.5"/>')
        else:
            parts.append(f'<path class="cross" d="M{x - 4:g} {y - 4:g}l8 8m0 -8l-8 8"/>')
    return [*parts, "</g>"]
