"""Scores of models against threshold and chance as a drawing in SVG: a line per model, a dot per cell.

Drawn as text like :mod:`common.figures.dose`, in the colours of the page.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Sequence
from functools import cache
from html import escape
from itertools import accumulate, islice, pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from ..core import display
from .text import listed

WIDTH, ROW, TOP, BOTTOM, RIGHT = 380, 17, 6, 24, 16
#: so wide is a letter of a name, so many stand on a line, and so high is one more line
LETTER, LETTERS, LINE = 6.7, 20, 12
#: least distance between two numbers of the axis
GAP = 5
#: at most so many models are named in a sentence
MOST = 3
_NUMBER = r"(-?\d[^ ]*)"
_RULES = (
    (rf"> {_NUMBER}", lambda b: ((b, math.inf),)),
    (rf"< {_NUMBER}", lambda b: ((-math.inf, b),)),
    (rf"\|x\| < {_NUMBER}", lambda b: ((-b, b),)),
    (rf"\|x\| > {_NUMBER}", lambda b: ((-math.inf, -b), (b, math.inf))),
    (rf"{_NUMBER} < x < {_NUMBER}", lambda a, b: ((a, b),)),
)


class DotRow(NamedTuple):
    """Scores of one model.

    Args:
        label: name of the model
        chance: whether it never listens
        passed: values that pass
        failed: values that fail
    """

    label: str
    chance: bool
    passed: tuple[float, ...]
    failed: tuple[float, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """All values."""
        return (*self.passed, *self.failed)


def passing(criteria: Sequence[str]) -> list[tuple[float, float]]:
    """Ranges in which a score passes by one of the criteria, from low to high, joined.

    >>> passing(["|x| < 0.1", "|x| < 0.2"]), passing(["|x| > 0.7"]), passing(["none"])
    ([(-0.2, 0.2)], [(-inf, -0.7), (0.7, inf)], [])
    """
    ranges: list[tuple[float, float]] = []
    for text in criteria:
        for pattern, make in _RULES:
            if match := re.fullmatch(pattern, text):
                ranges += make(*map(float, match.groups()))
    joined: list[tuple[float, float]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def finite_bounds(criteria: Sequence[str]) -> list[float]:
    """Where a score begins to pass, or to fail, in increasing order.

    >>> finite_bounds(["|x| < 0.1", "> 0.5"])
    [-0.1, 0.1, 0.5]
    """
    return sorted({edge for pair in passing(criteria) for edge in pair if math.isfinite(edge)})


def finding(rows: Sequence[DotRow]) -> str:
    """What the dots say: which models pass most and fewest, and how much chance passes.

    >>> good, bad = DotRow("a", False, (0.8, 0.7), ()), DotRow("b", False, (0.6,), (0.1,))
    >>> finding([good, bad, DotRow("dice", True, (), (0.0, 0.1))])
    'Most pass: a, 2 of 2. Fewest: b, 1 of 2. By chance: 0 of 2.'
    """
    listening = [row for row in rows if row.values and not row.chance]
    parts = []
    if listening:
        most, least = max(map(_share, listening)), min(map(_share, listening))
        if most == least:
            every = "Each model passes" if len(listening) > 1 else f"{listening[0].label} passes"
            parts.append(f"{every} {_named(listening[:1], False)}.")
        else:
            parts.append(f"Most pass: {_named([r for r in listening if _share(r) == most])}.")
            parts.append(f"Fewest: {_named([r for r in listening if _share(r) == least])}.")
    dice = [row for row in rows if row.values and row.chance]
    if dice:
        parts.append(f"By chance: {_named([max(dice, key=_share)], False)}.")
    return " ".join(parts)


def _share(row: DotRow) -> float:
    return len(row.passed) / (len(row.passed) + len(row.failed))


def _named(rows: Sequence[DotRow], names: bool = True) -> str:
    texts = list(dict.fromkeys(f"{len(row.passed)} of {len(row.values)}" for row in rows))
    text = texts[0] if len(texts) == 1 else f"{100 * _share(rows[0]):.0f} % of the cells"
    if not names:
        return text
    who = f"{len(rows)} models" if len(rows) > MOST else listed(row.label for row in rows)
    return f"{who}, {text}" if len(rows) == 1 else f"{who}, {text} each"


def dots_svg(
    rows: Sequence[DotRow], criteria: Sequence[str], *, span: Sequence[float] = (), title: str
) -> str:
    """A line per model with a mark for each cell: a dot passes, a cross fails.

    The hatched side of the broken line fails. The dotted line is the median of the cells of the
    chance model that is drawn first.

    Args:
        rows: models from top to bottom
        criteria: when a score passes, as result rows say it
        span: what the axis encloses besides scores and bounds
        title: what is drawn; the text alternative begins with it
    """
    ranges = passing(criteria)
    bounds = finite_bounds(criteria)
    values = [value for row in rows for value in row.values]
    ticks = round_ticks([*values, *bounds, *span])
    names = [_lines(row.label) for row in rows]
    left = 12 + LETTER * max(len(line) for name in names for line in name)
    ends = list(accumulate((ROW + LINE * (len(name) - 1) for name in names), initial=TOP))
    end = ends[-1]
    low, high = ticks[0], ticks[-1]

    def places(numbers: Sequence[float]) -> list[float]:
        inside = np.clip(np.array(numbers, dtype=float), low, high)
        exact = left + (inside - low) / (high - low) * (WIDTH - RIGHT - left)
        return [round(place, 1) for place in exact.tolist()]

    def x(value: float) -> float:
        return places([value])[0]

    parts = [
        f'<svg class="dots" viewBox="0 0 {WIDTH} {end + BOTTOM}" role="img" '
        f'aria-label="{escape(f"{title} {finding(rows)}")}" xmlns="http://www.w3.org/2000/svg">'
    ]
    edges = [low, *(edge for pair in ranges for edge in pair), high]
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        if ranges and x(stop) > x(start):
            size = f'x="{x(start):g}" y="{TOP}" width="{x(stop) - x(start):.1f}"'
            parts.append(f'<rect class="fails" {size} height="{end - TOP}"/>')
    grid = "".join(f"M{x(tick):g} {TOP}V{end}" for tick in ticks)
    parts.append(f'<path class="grid" d="{grid}"/>')
    if bounds:
        lines = "".join(f"M{x(bound):g} {TOP}V{end}" for bound in bounds)
        parts.append(f'<path class="bound" d="{lines}"/>')
    dice = next((row for row in rows if row.chance and row.values), None)
    if dice:
        parts.append(f'<path class="by-chance" d="M{x(median(dice.values)):g} {TOP}V{end}"/>')
    for place, text in tick_labels(ticks, WIDTH - RIGHT - left).items():
        parts.append(f'<text class="x" x="{x(ticks[place]):g}" y="{end + 15}">{text}</text>')
    marks = iter(places(values))
    for row, name, (start, stop) in zip(rows, names, pairwise(ends), strict=True):
        y = (start + stop) / 2
        css = ' class="chance"' if row.chance else ""
        parts.append(f"<g{css}>{_label(name, left - 9, y)}")
        parts.append(_marks(set(islice(marks, len(row.passed))), "p", y))
        parts.append(f"{_marks(set(islice(marks, len(row.failed))), 'f', y)}</g>")
    return "".join([*parts, "</svg>"])


def _marks(places: Collection[float], css: str, y: float) -> str:
    """One path for all marks of a verdict, at places that are named once each."""
    if not places:
        return ""
    if css == "p":  # a line of no length with round ends is a dot
        dot = f" {y:g}h0"
        return f'<path class="p" d="{"".join([f"M{_short(x)}{dot}" for x in sorted(places)])}"/>'
    cross = f" {y - 2.5:g}l5 5m0-5l-5 5"
    crosses = "".join([f"M{_short(x - 2.5)}{cross}" for x in sorted(places)])
    return f'<path class="f" d="{crosses}"/>'


@cache
def _lines(label: str) -> list[str]:
    """A name as lines."""
    return textwrap.wrap(label, LETTERS) or [""]


@cache
def _short(place: float) -> str:
    """A place as text; there are few, as they are rounded."""
    return f"{place:g}"


def _label(lines: Sequence[str], x: float, y: float) -> str:
    """A name on one line or several, around a height."""
    first, *others = map(escape, lines)
    rest = "".join(f'<tspan x="{x:g}" dy="{LINE}">{line}</tspan>' for line in others)
    return f'<text class="y" x="{x:g}" y="{y + 4 - LINE * len(others) / 2:g}">{first}{rest}</text>'


def _digits(ticks: Sequence[float]) -> int:
    return next((n for n in range(4) if all(round(t, n) == round(t, 9) for t in ticks)), 4)


def tick_labels(ticks: Sequence[float], width: float) -> dict[int, str]:
    """Place of a tick -> its number; as many as do not touch, zero among them if it is there.

    Args:
        ticks: at equal distances, in increasing order
        width: between the first and the last, in the units of the drawing

    >>> tick_labels([-0.2, -0.1, 0.0, 0.1], 200), tick_labels([-0.2, -0.1, 0.0, 0.1], 80)
    ({0: '−0.2', 1: '−0.1', 2: '0.0', 3: '0.1'}, {0: '−0.2', 2: '0.0'})
    """
    texts = [display.number(tick, digits=_digits(ticks)) for tick in ticks]
    space = width / max(len(ticks) - 1, 1)
    step = max(1, math.ceil((LETTER * max(map(len, texts)) + GAP) / space))
    first = ticks.index(0.0) % step if 0.0 in ticks else 0
    return {place: texts[place] for place in range(first, len(ticks), step)}


def round_ticks(values: Sequence[float]) -> list[float]:
    """Round numbers that enclose all values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    spread = max(high - low, 0.02)
    step = 10.0 ** math.floor(math.log10(spread))
    step = next(step * part for part in (0.2, 0.25, 0.5, 1.0, 2.0) if spread / (step * part) <= 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 10) for place in range(first, max(last, first + 1) + 1)]
