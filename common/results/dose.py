"""Dose and response: curves over the levels of a perturbation, and where they break.

Only result files are read here; they are written by :mod:`common.engine.severity`.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from ..core.errors import DataError
from ..core.paths import SEVERITY, Paths
from . import SEVERITY_COLUMNS

#: columns that older files lack
LATER = ("breaking_mild", "breaking_severe")
#: a criterion with one bound
BOUND = re.compile(r"[<>] (-?[0-9.e+-]+)")


class SweptTest(NamedTuple):
    """A model in a test whose perturbations were swept on a dataset."""

    target: str
    model: str
    test: str
    dataset: str


def without_run(folders: Paths) -> list[SweptTest]:
    """What was swept, but has no results of a run at the levels of the test itself.

    Args:
        folders: where results are
    """
    lacking = []
    for path in sorted(folders.method_tests.glob(f"*/*/{SEVERITY}/*.csv")):
        place = path.parts[-4], path.parts[-3], path.stem
        there = _datasets(folders.results(*place))
        lacking += [SweptTest(*place, name) for name in _datasets(path) if name not in there]
    return lacking


def _datasets(path: Path) -> list[str]:
    """Datasets of the rows of a file, each once; none if there is no such file."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(line.get("dataset") or "" for line in csv.DictReader(file)))


class Step(NamedTuple):
    """One level of a curve.

    Args:
        level: place on the axis
        value: the score; NaN: none
        low: lower end of its interval, NaN if there is none
        high: upper end of its interval
        n: number of samples
        status: pass, fail, skip or error
        reason: why there is no value
    """

    level: float
    value: float
    low: float
    high: float
    n: int | None
    status: str
    reason: str = ""


@dataclass(frozen=True)
class DoseCurve:
    """A score of one model at all levels of a perturbation, from mild to severe.

    Args:
        data: label of the data
        condition: of the test
        axis: what gets worse
        unit: its unit
        metric: id of the metric
        criterion: rule with its operator
        steps: the levels
        interval: 95 % interval of the breaking point: a level or ``all``, a level or ``none``;
            empty: not known
    """

    data: str
    condition: str
    axis: str
    unit: str
    metric: str
    criterion: str
    steps: tuple[Step, ...]
    interval: tuple[str, str] = ("", "")

    def at(self, level: float) -> str:
        """A level with its unit.

        >>> DoseCurve("", "", "", "dB", "", "", ()).at(10.0)
        '10 dB'
        """
        return f"{level:g} {self.unit}".rstrip()

    @property
    def bound(self) -> float:
        """Number in the criterion; NaN if there is not exactly one."""
        match = BOUND.fullmatch(self.criterion)
        return float(match[1]) if match else math.nan


class Breaking(NamedTuple):
    """Where a curve fails its criterion and goes on failing.

    Args:
        kind: ``fails`` at a level and all that are more severe; ``holds`` at all levels;
            ``recovers``: fails at some, but not at the most severe one; ``unknown``: no verdict
        level: of ``fails``, the first tested level that fails; of ``holds``, the most severe one
        before: of ``fails``, the last level that passes; NaN: none does
        crossing: of ``fails``, where the straight line from there to the level crosses the bound
    """

    kind: Literal["fails", "holds", "recovers", "unknown"]
    level: float = math.nan
    before: float = math.nan
    crossing: float = math.nan


def breaking(curve: DoseCurve) -> Breaking:
    """The breaking point of a curve; levels without a verdict are passed over.

    >>> steps = [Step(level, value, 0, 0, 9, "pass" if value > 0.5 else "fail")
    ...          for level, value in ((20, 0.9), (10, 0.6), (0, 0.4))]
    >>> breaking(DoseCurve("", "", "SNR", "dB", "", "> 0.5", tuple(steps)))
    Breaking(kind='fails', level=0, before=10, crossing=5.0)
    """
    judged = [step for step in curve.steps if step.status in ("pass", "fail")]
    if not judged:
        return Breaking("unknown")
    passed = [place for place, step in enumerate(judged) if step.status == "pass"]
    if len(passed) == len(judged):
        return Breaking("holds", judged[-1].level)
    if passed and passed[-1] == len(judged) - 1:
        return Breaking("recovers")
    if not passed:
        return Breaking("fails", judged[0].level)
    last, first = judged[passed[-1]], judged[passed[-1] + 1]
    return Breaking("fails", first.level, last.level, _crossing(curve.bound, last, first))


def _crossing(bound: float, last: Step, first: Step) -> float:
    rise = first.value - last.value
    if math.isnan(bound) or rise == 0:
        return math.nan
    return last.level + (bound - last.value) / rise * (first.level - last.level)


def told(curve: DoseCurve) -> str:
    """The breaking point in words, with its 95 % interval."""
    return _point(curve) + _interval(curve)


def _interval(curve: DoseCurve) -> str:
    mild, severe = curve.interval
    kind = breaking(curve).kind
    if not mild or not severe or kind == "unknown":
        return ""
    first, last = (
        end if end in ("all", "none") else f"{_short(float(end))} {curve.unit}".rstrip()
        for end in (mild, severe)
    )
    if mild == "all" and severe == "none":
        return "; the samples cannot tell where it begins to fail"
    if mild == severe:  # all resampled curves agree
        return ""
    if mild == "all":
        return f"; 95 % interval: at all levels, or from {last} on at the latest"
    if severe == "none":
        return f"; 95 % interval: from {first} on at the earliest, or at no level"
    return f"; 95 % interval: from {first} on at the earliest, from {last} on at the latest"


def _point(curve: DoseCurve) -> str:
    point = breaking(curve)
    if point.kind == "unknown":
        return "no verdict"
    if point.kind == "holds":
        return f"holds to {curve.at(point.level)}"
    if point.kind == "recovers":
        levels = [curve.at(s.level) for s in curve.steps if s.status == "fail"]
        return f"fails at {', '.join(levels)} only"
    if math.isnan(point.before):
        return f"fails from {curve.at(point.level)}, the mildest level"
    about = "" if math.isnan(point.crossing) else f" (about {_short(point.crossing)})"
    return f"fails from {curve.at(point.level)}{about}"


def _short(level: float) -> str:
    """A level that was computed, with three digits that count and without an exponent.

    >>> _short(12.3456), _short(-1234.5), _short(5.0)
    ('12.3', '-1230', '5')
    """
    return f"{float(f'{level:.3g}'):g}"


#: data, condition, axis, unit, metric and criterion of a curve
_Key = tuple[str, str, str, str, str, str]


def read(path: Path) -> list[DoseCurve]:
    """Curves of a file, in its order.

    Raises:
        DataError: if it is no file of a sweep
    """
    curves: dict[_Key, list[Step]] = {}
    intervals: dict[_Key, tuple[str, str]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.DictReader(file)
            missing = [
                name
                for name in SEVERITY_COLUMNS
                if name not in (lines.fieldnames or ()) and name not in LATER
            ]
            if missing:
                raise DataError(f"{path}: not a file of a sweep, column missing: {missing[0]}")
            for line in lines:
                key = (
                    *(line["data"], line["condition"], line["axis"]),
                    *(line["unit"], line["metric"], line["criterion"]),
                )
                if line["level"]:
                    curves.setdefault(key, []).append(_step(line))
                    ends = line.get("breaking_mild", ""), line.get("breaking_severe", "")
                    intervals[key] = ends if all(ends) else intervals.get(key, ("", ""))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read as the rows of a sweep: {error}") from None
    return [
        DoseCurve(data, condition, axis, unit, metric, criterion, tuple(steps), intervals[key])
        for key, steps in curves.items()
        for data, condition, axis, unit, metric, criterion in [key]
    ]


def _step(line: dict[str, str]) -> Step:
    value, low, high = (_number(line[name]) for name in ("value", "ci_low", "ci_high"))
    n = int(line["n"]) if line["n"] else None
    return Step(float(line["level"]), value, low, high, n, line["status"], line["reason"])


def _number(text: str) -> float:
    return float(text) if text else math.nan


def grouped(curves: Sequence[tuple[str, DoseCurve]]) -> Iterator[list[tuple[str, DoseCurve]]]:
    """Curves of several models, those of one condition, data and metric together."""
    groups: dict[tuple[str, ...], list[tuple[str, DoseCurve]]] = {}
    for model, curve in curves:
        key = (curve.data, curve.metric, curve.condition, curve.axis, curve.unit)
        groups.setdefault(key, []).append((model, curve))
    yield from groups.values()
