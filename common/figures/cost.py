"""Quality against cost as a drawing in SVG: a dot per model, the names beside.

Drawn as text like :mod:`common.figures.dose`, in the colours of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from .dots import round_ticks
from .text import count, listed

WIDTH, LEFT, NAMES, TOP, BOTTOM = 380, 46, 138, 10, 40
#: lowest height of the axes, and what a name needs
HEIGHT, LINE = 150, 14
#: so many models are named, those first that no cheaper one beats; and letters of a name
MOST, LETTERS = 16, 19
#: at most so many models are named in a sentence
NAMED = 4
#: an axis of scores shows at least so much
SPAN = 0.1
#: width of a sign of a number, and what must lie between two numbers
SIGN, GAP = 6.5, 8


class CostPoint(NamedTuple):
    """One model.

    Args:
        label: its name
        cost: what it costs, above 0
        score: its score, a share
        best: whether it may be the best: it is of the first tier, and above chance
    """

    label: str
    cost: float
    score: float
    best: bool = False


def frontier(points: Sequence[CostPoint]) -> list[CostPoint]:
    """Models that score higher than all that cost no more, from cheap to dear.

    >>> [p.label for p in frontier([CostPoint("a", 1, 0.5), CostPoint("b", 2, 0.4)])]
    ['a']
    """
    front: list[CostPoint] = []
    for point in sorted(points, key=lambda p: (p.cost, -p.score, p.label)):
        if not front or point.score > front[-1].score:
            front.append(point)
    return front


def describe_costs(
    points: Sequence[CostPoint],
    say: Callable[[float], str],
    cheap: str,
    *,
    lacking: int = 0,
    floor: float | None = None,
) -> str:
    """What the dots say: the best, what it costs, and which cheaper models are worth a look.

    Args:
        points: models
        say: a cost as text
        cheap: what a model of low cost is called, such as smallest
        lacking: number of models whose cost is not known
        floor: score of a chance model

    >>> points = [CostPoint("a", 10, 0.5, True), CostPoint("b", 20, 0.6, True)]
    >>> describe_costs(points, "{:g} M".format, "smallest")
    'b (20 M) has the highest score, 60.0 %. a (10 M) is the smallest that cannot be told apart from the best.'
    >>> describe_costs(points, "{:g} M".format, "smallest", lacking=3, floor=0.7)
    'Of the 2 models shown, b (20 M) has the highest score, 60.0 %. None scores higher than chance.'
    """
    if not points:
        return ""
    best = max(point.score for point in points)
    tops = sorted((p for p in points if p.score == best), key=lambda p: (p.cost, p.label))
    who = listed(f"{p.label} ({say(p.cost)})" for p in tops[:NAMED])
    if len(points) == 1:
        return f"Only {who} is known here; its score is {100 * best:.1f} %."
    more = f" and {count(len(tops) - NAMED, 'more model')}" if len(tops) > NAMED else ""
    verb = "has" if len(tops) == 1 else "have"
    shown = f"Of the {len(points)} models shown, " if lacking else ""
    parts = [f"{shown}{who}{more} {verb} the highest score, {100 * best:.1f} %."]
    above = [point for point in points if floor is None or point.score > floor]
    if not above:
        return f"{parts[0]} None scores higher than chance."
    alike = [point for point in points if point.best]
    cheapest = min(alike, key=lambda p: (p.cost, -p.score), default=tops[0])
    if cheapest.cost < tops[0].cost:
        which = cheap if floor is None else f"{cheap} model above chance"
        who = f"{cheapest.label} ({say(cheapest.cost)})"
        parts.append(f"{who} is the {which} that cannot be told apart from the best.")
    elif tops[0].cost == min(point.cost for point in points):
        parts.append("It is also the " + cheap + "." if len(tops) == 1 else "")
    others = [
        point
        for point in frontier(points)
        if point in above
        and point not in (*tops, cheapest)
        and any(other.cost <= point.cost for other in points if other is not point)
    ]
    if others:
        who = listed(f"{p.label} ({say(p.cost)})" for p in others[:NAMED])
        more = f" and {count(len(others) - NAMED, 'more model')}" if len(others) > NAMED else ""
        verb = "scores" if len(others) == 1 else "score"
        parts.append(f"{who}{more} {verb} higher than all models that cost no more.")
    return " ".join(filter(None, parts))


def cost_svg(
    points: Sequence[CostPoint],
    *,
    title: str,
    axis: str,
    say: Callable[[float], str],
    finding: str,
    floor: float | None = None,
    beside: Sequence[CostPoint] = (),
    floors: Sequence[float] = (),
) -> str:
    """Scores over cost on a logarithmic axis.

    A filled dot may be the best, an open one is not the best. The line joins the models that
    score higher than all that cost no more; the dotted line is a chance model.

    Args:
        points: models, at least one
        title: what is drawn; the text alternative begins with it
        axis: name of the cost
        say: a cost as text
        finding: what the drawing says, the rest of the text alternative
        floor: score of a chance model
        beside: models of drawings beside this one, which have the same axes
        floors: scores of their chance models
    """
    front = frontier(points)
    order = sorted(points, key=lambda p: (p not in front, -p.score, p.label))
    named = sorted(order[:MOST], key=lambda p: (-p.score, p.cost, p.label))
    end = TOP + max(HEIGHT, LINE * len(named))
    right = WIDTH - NAMES
    shown = [*points, *beside]
    scores = [*(p.score for p in shown), *floors, *([] if floor is None else [floor])]
    ticks = round_ticks(widened(scores))
    steps = cost_ticks([p.cost for p in shown])
    low, high = math.log(steps[0]), math.log(steps[-1])

    def x(cost: float) -> float:
        return round(LEFT + (math.log(cost) - low) / (high - low) * (right - LEFT), 1)

    def y(score: float) -> float:
        return round(end - (score - ticks[0]) / (ticks[-1] - ticks[0]) * (end - TOP), 1)

    parts = [
        f'<svg class="cost" viewBox="0 0 {WIDTH} {end + BOTTOM}" role="img" '
        f'aria-label="{escape(f"{title} {finding}")}" xmlns="http://www.w3.org/2000/svg">'
    ]
    grid = "".join(f"M{LEFT} {y(tick):g}H{right}" for tick in ticks)
    parts.append(
        f'<path class="grid" d="{grid}{"".join(f"M{x(s):g} {TOP}V{end}" for s in steps)}"/>'
    )
    for tick in ticks:
        parts.append(f'<text class="y" x="{LEFT - 5}" y="{y(tick) + 4:g}">{100 * tick:g} %</text>')
    for step in _spaced(steps, x, say):
        parts.append(f'<text class="x" x="{x(step):g}" y="{end + 15}">{escape(say(step))}</text>')
    parts.append(f'<text class="x" x="{(LEFT + right) / 2:g}" y="{end + 33}">{escape(axis)}</text>')
    if floor is not None:
        parts.append(f'<path class="by-chance" d="M{LEFT} {y(floor):g}H{right}"/>')
    if len(front) > 1:
        corners = " ".join(f"{x(p.cost):g},{y(p.score):g}" for p in front)
        parts.append(f'<polyline class="front" points="{corners}"/>')
    rows = _rows([y(p.score) for p in named], TOP + LINE / 2, end)
    for point, row in zip(named, rows, strict=True):
        line = f"M{x(point.cost):g} {y(point.score):g}L{right + 4} {row:g}"
        parts.append(f'<path class="leader" d="{line}"/>')
    for point in points:
        css = "best" if point.best else "other"
        about = f"{point.label}: {say(point.cost)}, {100 * point.score:.1f} %"
        place = f'cx="{x(point.cost):g}" cy="{y(point.score):g}"'
        parts.append(f'<circle class="{css}" {place} r="4"><title>{escape(about)}</title></circle>')
    for point, row in zip(named, rows, strict=True):
        label = point.label if len(point.label) <= LETTERS else f"{point.label[: LETTERS - 1]}…"
        css = "name front" if point in front else "name"
        parts.append(f'<text class="{css}" x="{right + 8}" y="{row + 4:g}">{escape(label)}</text>')
    return "".join([*parts, "</svg>"])


def cost_ticks(costs: Sequence[float]) -> list[float]:
    """Numbers that begin with 1, 2 or 5 and enclose all costs.

    >>> cost_ticks([80e6, 317e6]), cost_ticks([371])
    ([50000000.0, 100000000.0, 200000000.0, 500000000.0], [200.0, 500.0])
    """
    low, high = min(costs), max(costs)
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    steps = [n * 10.0**power for power in range(first, last + 1) for n in (1, 2, 5)]
    below = max(step for step in steps if step < low)
    above = min(step for step in steps if step > high)
    return [step for step in steps if below <= step <= above]


def widened(scores: Sequence[float]) -> list[float]:
    """Scores with the ends of an axis: it shows ten percent at least, so that equal scores look equal.

    >>> widened([0.1, 0.102]), widened([0.2, 0.8])
    ([0.1, 0.102, 0.051, 0.151], [0.2, 0.8])
    """
    low, high = min(scores), max(scores)
    if high - low >= SPAN:
        return list(scores)
    first = min(max((low + high - SPAN) / 2, 0.0), 1 - SPAN)
    return [*scores, round(first, 6), round(first + SPAN, 6)]


def _spaced(
    steps: Sequence[float], x: Callable[[float], float], say: Callable[[float], str]
) -> list[float]:
    """Steps whose texts do not touch: the first, and those far enough from the one before."""
    chosen = [steps[0]]
    for step in steps[1:]:
        room = SIGN * (len(say(step)) + len(say(chosen[-1]))) / 2 + GAP
        if x(step) - x(chosen[-1]) >= room:
            chosen.append(step)
    return chosen


def _rows(places: Sequence[float], low: float, high: float) -> list[float]:
    """Places of names near those of their dots, from top to bottom, a line apart."""
    rows: list[float] = []
    for place in places:
        rows.append(max(place, rows[-1] + LINE if rows else low))
    limit = high
    for number in reversed(range(len(rows))):
        rows[number] = min(rows[number], limit)
        limit = rows[number] - LINE
    return rows
