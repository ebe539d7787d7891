"""What a design is: how predictions are compared.

A design declares which columns and conditions it needs, selects the samples before anything
is predicted, and turns aligned arrays into scores. It sees neither audio nor models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from common.registry import Registry
from common.spec import MetricUse, Record, Target
from common.view import ORIGINAL, View

__all__ = ["DESIGNS", "ORIGINAL", "Design", "Options", "Score", "Selection", "View"]


@dataclass(frozen=True)
class Score:
    """One number, or the reason why there is none.

    Args:
        metric: id of the metric
        value: the score; NaN: not defined, ``reason`` says why
        n: number of samples behind it
        label: class, bin or speaker group that a part of a metric belongs to
        condition: state of the input or part of the data
        reference: what the condition is compared with
        reference_value: value of the metric there
        reason: why the value is missing
        note: short remark that is shown with the value
    """

    metric: str
    value: float
    n: int
    label: str = ""
    condition: str = ORIGINAL
    reference: str = ""
    reference_value: float = float("nan")
    reason: str = ""
    note: str = ""


class Options(Record):
    """Base of design options; unknown keys are refused."""


@dataclass(frozen=True)
class Selection:
    """Samples a design wants.

    Args:
        samples: selected rows, in their order
        reason: why no sample is left; empty otherwise
    """

    samples: pd.DataFrame
    reason: str = ""


@dataclass(frozen=True)
class Design:
    """One design.

    Args:
        name: name in YAML
        options: record of its options
        needs: (options, target) -> columns that the dataset must have
        select: (options, target, table) -> Selection, before prediction
        scores: (options, view, uses) -> scores, in the order of the table on the page
        conditions: (options, target) -> condition -> perturbation id; empty: original only
    """

    name: str
    options: type[Options]
    needs: Callable[[Any, Target], Sequence[str]]
    select: Callable[[Any, Target, pd.DataFrame], Selection]
    scores: Callable[[Any, View, Sequence[MetricUse]], list[Score]]
    conditions: Callable[[Any, Target], Mapping[str, str]] = field(default=lambda options, target: {})


DESIGNS: Registry[Design] = Registry("design")
