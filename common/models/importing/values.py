"""What the values of predictions mean: units of times, scales of numbers, names of classes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from ...core.errors import ConfigError
from ...core.registry import unknown
from ...samples.importing import conventions
from ...spec import Target
from ..base import LATEST_NS
from ..outside import SLACK

NANOSECONDS = {"s": 1e9, "ms": 1e6, "ns": 1.0}
#: usual scales of ratings, the shortest first
LIKERT = ((1.0, 5.0), (1.0, 7.0), (1.0, 9.0), (1.0, 10.0))
#: part of the values of a model that may lie a little outside the range of the target
OUTSIDE = 0.05
_CLOCK = re.compile(r"(?=.)(?:(\d+) days? ?,? ?)?(?:(?:(\d+):)?(\d+):(\d+(?:\.\d+)?))?")
_COMMA = re.compile(r"-?\d*,\d+")


def number(text: str) -> float:
    """A number as people write it, without its percent sign; NaN if it is none.

    >>> number("0,25"), number("85 %"), number("high")
    (0.25, 85.0, nan)
    """
    text = text.removesuffix("%").strip()
    try:
        return float(text.replace(",", ".") if _COMMA.fullmatch(text) else text)
    except ValueError:
        return math.nan


def time_ns(text: str, unit: str) -> int:
    """A time in ns: a number in a unit, or a clock such as ``0 days 00:00:01.5``.

    Raises:
        ValueError: if it is none, or more than 292 years, which 64 bits do not hold

    >>> time_ns("1.5", "s"), time_ns("0 days 00:01:00.25", "s"), time_ns("1500", "ms")
    (1500000000, 60250000000, 1500000000)
    >>> time_ns("0 days", "s")  # so pandas writes a column of nothing but zeros
    0
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        nanoseconds = number(text) * NANOSECONDS[unit]
    else:
        days, hours, minutes, seconds = (float(part) for part in match.groups(default="0"))
        nanoseconds = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1e9
    if not 0 <= nanoseconds < LATEST_NS:
        raise ValueError(text)
    return round(nanoseconds)


def unit_of(starts: Iterable[str], ends: Iterable[str]) -> tuple[str, str]:
    """Unit of times whose columns do not name it, and why.

    >>> unit_of(["0", "1500"], ["1500", "2400"])
    ('ms', 'whole numbers, 1200 long on average')
    >>> unit_of(["0"], ["1.5"])[0]
    's'
    """
    pairs = [(number(a or "0"), number(b)) for a, b in zip(starts, ends, strict=True)]
    lengths = [end - start for start, end in pairs if not math.isnan(start + end)]
    if not lengths:
        return "s", "clocks"
    mean = sum(lengths) / len(lengths)
    whole = all(value.is_integer() for pair in pairs for value in pair if not math.isnan(value))
    if whole and mean > 1e6:
        return "ns", f"whole numbers, {mean:.0f} long on average"
    if whole and mean > 100:
        return "ms", f"whole numbers, {mean:.0f} long on average"
    return "s", f"{mean:.3g} long on average"


def scale_of(
    texts: Sequence[str], target: Target, where: str
) -> tuple[float, tuple[float, float] | None, str]:
    """Scale of numbers.

    Args:
        texts: cells that are not empty
        target: a regression target
        where: start of the message

    Returns:
        what values are divided by, the scale for the entry (None: that of the target), and what
        it was taken for

    Raises:
        ConfigError: if a cell is no number, or no scale fits
    """
    values = [number(text) for text in texts]
    wrong = next((t for t, v in zip(texts, values, strict=True) if not math.isfinite(v)), None)
    if wrong is not None or not values:
        raise ConfigError(f"{where}: expected numbers, found {wrong or 'nothing'!r:.60}")
    low, high = target.range or (0.0, 1.0)
    least, most, span = min(values), max(values), high - low
    if any(text.endswith("%") for text in texts):
        return 100.0, None, "percent"
    outside = sum(not low <= value <= high for value in values) / len(values)
    if outside == 0 or (
        outside <= OUTSIDE and least >= low - SLACK * span and most <= high + SLACK * span
    ):
        return 1.0, None, f"{low:g} to {high:g}"
    if -1 <= least < 0 and most <= 1:
        return 1.0, (-1.0, 1.0), "-1 to 1"
    for scale in LIKERT:
        if scale[0] <= least and most <= scale[1]:
            return 1.0, scale, f"{scale[0]:g} to {scale[1]:g}"
    if least >= 0 and most <= 100:
        return 100.0, None, "percent"
    raise ConfigError(
        f"{where}: values from {least:g} to {most:g} fit no known scale; state it with "
        "--scale LOW,HIGH"
    )


def check_stated(
    stated: Mapping[str, str | None],
    labels: Mapping[str, Iterable[str]],
    targets: Mapping[str, Target],
) -> None:
    """Refuse what a user says of classes that do not occur, or that a target does not have.

    Args:
        stated: name in the table -> class of the suite, None: no class
        labels: classification target -> names in the table
        targets: all targets of the suite

    Raises:
        ConfigError: with the option, and what is allowed
    """
    names = {name: set(texts) for name, texts in labels.items()}
    for old, new in stated.items():
        where = f"--map {old}={new or ''}"
        if not names:
            raise ConfigError(f"{where}: the table has no classes, only numbers")
        having = [targets[target] for target, texts in names.items() if old in texts]
        if not having:
            raise unknown("class", old, set().union(*names.values()), where, "of the table")
        if new is not None and not any(new in target.labels for target in having):
            raise unknown("class", new, having[0].labels, where, f"of {having[0].id}")


def classes_of(
    labels: Iterable[str], target: Target, stated: Mapping[str, str | None], where: str
) -> dict[str, str | None]:
    """Names of classes -> those of the suite, where they differ; None: no class of the target.

    Args:
        labels: names in the table
        target: a classification target
        stated: what the user says
        where: start of the message

    Raises:
        ConfigError: for names that mean nothing
    """
    rules = conventions.load()
    names = sorted(set(labels))
    words = {**{name: name for name in names}, **rules.mapping(target.id, names)}
    mapping: dict[str, str | None] = {}
    strange = []
    for name in names:
        word: str | None = words[name]
        if name in stated and stated[name] in (None, *target.labels):
            word = stated[name]
        if word in target.labels:
            if word != name:
                mapping[name] = word
        elif word is None or rules.share(target.id, [name]):
            mapping[name] = None
        else:
            strange.append(name)
    if strange:
        raise ConfigError(
            f"{where}: unknown classes: {', '.join(strange):.200}. Say what each means with "
            f"--map '{strange[0]}=CLASS', CLASS being one of {', '.join(target.labels)}, or count it as wrong "
            f"with --map '{strange[0]}='"
        )
    return mapping
