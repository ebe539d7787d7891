"""Metrics whose scores stand on one axis, so that neighbouring drawings can be compared by eye."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from common.metrics import METRICS

#: how the criterion of a difference begins, which passes on both sides of 0
TWO_SIDED = "|x| <"


def kind(metric: str, is_two_sided: bool) -> str:
    """What metrics with a common axis have in common: their unit and range, or that of a difference.

    >>> kind("uar", False) == kind("precision_per_class", False), kind("mae", False)
    (True, 'unit of the target 0 to inf')
    >>> kind("ccc", True) == kind("recall_per_bin", True) == kind("change_uar", False)
    True

    Args:
        metric: id of the metric
        is_two_sided: whether scores pass on both sides of 0, as the difference of two scores does
    """
    if metric not in METRICS:
        return metric
    entry = METRICS.get(metric)
    low, high = entry.bounds
    if is_two_sided or entry.direction == "zero" or entry.takes == "change":
        return f"{entry.unit} difference{'' if high < float('inf') else ' without end'}".strip()
    return f"{entry.unit} {low:g} to {high:g}".strip()


def spans(parts: Iterable[tuple[str, Iterable[float], bool]]) -> Mapping[str, tuple[float, float]]:
    """Kind -> ends of the axis; it is as long on both sides of 0 if scores pass on both.

    >>> dict(spans([("a", [0.25, 0.5], False), ("a", [0.75], False), ("b", [-0.25, 0.125], True)]))
    {'a': (0.25, 0.75), 'b': (-0.25, 0.25)}

    Args:
        parts: kind, values and whether scores pass on both sides of 0, of each drawing
    """
    ends: dict[str, tuple[float, float]] = {}
    symmetric = set()
    for name, numbers, is_two_sided in parts:
        values = [*numbers, *ends.get(name, ())]
        ends[name] = min(values), max(values)
        if is_two_sided:
            symmetric.add(name)
    for name in symmetric:
        high = max(map(abs, ends[name]))
        ends[name] = -high, high
    return ends
