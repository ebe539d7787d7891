"""What a metric is: a pure function and what one must know to show its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from common.errors import LengthError
from common.registry import Registry

Value = float | Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """One metric of the benchmark.

    Args:
        id: name in YAML and in result rows
        label: name on pages, for example ``Concordance Correlation Coeff``
        short: short name, for example ``CCC``
        kind: kind of prediction that it scores
        function: ``(truth, prediction, **params) -> float or {label: float}``;
            classification metrics take ``labels=`` as well
        bounds: smallest and largest possible value
        direction: whether ``higher``, ``lower`` or ``zero`` is best
        cite: key in docs/refs.bib
        unit: what stands behind the number
    """

    id: str
    label: str
    short: str
    kind: Literal["regression", "classification", "events"]
    function: Callable[..., Any]
    bounds: tuple[float, float]
    direction: Literal["higher", "lower", "zero"]
    cite: str
    unit: str = ""


METRICS: Registry[Metric] = Registry("metric")


def metric(**fields: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that registers a function as a metric and returns it unchanged."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        item = Metric(function=function, **fields)
        METRICS.add(item.id, item)
        return function

    return add


def check_lengths(**arrays: np.ndarray) -> None:
    """Raise LengthError unless all arrays have the same first dimension."""
    sizes = {name: len(values) for name, values in arrays.items()}
    if len(set(sizes.values())) > 1:
        text = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise LengthError(f"arrays differ in length ({text})")
