"""Numbers that lie so far outside the range of their target that they must be on another scale.

A model may predict a little more than the range of a target allows; such numbers are scored as they are, and
so are those that are told about here. Nothing here changes a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import spec
from ..spec import kinds
from .labels import rescale

if TYPE_CHECKING:
    import pandas as pd

#: part of the range by which numbers may lie below and above it
SLACK = 0.5


class Span(NamedTuple):
    """Least and largest of some numbers."""

    least: float
    most: float


def far_outside(values: np.ndarray, target: spec.Target) -> Span | None:
    """From where to where numbers are, if they must be on another scale than their target.

    Args:
        values: predictions of a target; NaN: none
        target: any target; only one of numbers has a range

    Returns:
        None if all of them lie in the range of the target, or not more than half of its width outside

    >>> arousal = spec.Target(id="a", label="A", kind="regression", range=(0, 1))
    >>> far_outside(np.array([1.0, 7.0]), arousal)
    Span(least=1.0, most=7.0)
    >>> far_outside(np.array([-0.1, 1.03, np.nan]), arousal) is None
    True
    """
    if not kinds.of(target).is_number or target.range is None or np.isnan(values).all():
        return None
    span = Span(float(np.nanmin(values)), float(np.nanmax(values)))
    slack = SLACK * (target.range[1] - target.range[0])
    inside = target.range[0] - slack <= span.least and span.most <= target.range[1] + slack
    return None if inside else span


def warning(entry: spec.Model, target: spec.Target, span: Span) -> str:
    """What is said of numbers far outside; empty if the entry says that they are meant as they are.

    Args:
        entry: catalog entry of the model
        target: their target
        span: from where to where they are, on the scale of the target
    """
    low, high = target.range or (0.0, 1.0)
    scale = entry.outputs.get(target.id, spec.Output()).scale
    if scale == (low, high):
        return ""
    values = f"values from {span.least:g} to {span.most:g}"
    if f"{span.least:g}" == f"{span.most:g}":
        values = f"the value {span.least:g}"
    if scale is not None:
        values += f" where its entry has the scale {scale[0]:g} to {scale[1]:g}"
    return (
        f"model '{entry.id}': {target.id}: {values}, expected {low:g} to {high:g}; 'outputs: {{{target.id}: "
        f"{{scale: [MIN, MAX]}}}}' in its entry says what they range over, such as [1, 7], or [{low:g}, {high:g}] if "
        "they are meant as they are"
    )


def of_table(entry: spec.Model, targets: Mapping[str, spec.Target]) -> Iterator[str]:
    """A warning for each target whose numbers in a table of predictions are far outside.

    Args:
        entry: catalog entry; others than tables of predictions have nothing to look at
        targets: all targets of the suite

    Raises:
        BenchmarkError: if the table cannot be read
    """
    if entry.adapter != "predictions" or not entry.path.endswith((".csv", ".parquet")):
        return
    from .base import place
    from .prediction_table import read
    from .predictions import find_columns

    table = read(entry.resolve(entry.path), place(entry))
    for column in find_columns(entry, targets, [str(name) for name in table.columns]):
        if kinds.of(column.target).is_number:
            values = rescale(_numbers(table[column.names[0]]), column.output.scale, column.target)
            span = far_outside(values, column.target)
            text = warning(entry, column.target, span) if span else ""
            yield from filter(None, [text])


def _numbers(cells: pd.Series) -> np.ndarray:
    """Numbers of cells; NaN where there is none."""
    import pandas as pd

    return pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
