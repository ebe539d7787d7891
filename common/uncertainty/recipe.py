"""What a score was computed of: all that is needed to compute it again from other samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import LengthError


@dataclass(frozen=True, eq=False)
class Term:
    """A metric with its arguments.

    Terms are compared by identity: what several scores share, for example the value of all
    samples that each group is compared with, is one object and evaluated once.

    Args:
        metric: id of the metric
        arrays: its positional arguments
        rows: for each of them, which sample a value belongs to; one for all of them if they
            are aligned; none: the samples in their order
        labels: classes, for metrics that want them
        params: parameters as in the YAML of the test

    Raises:
        LengthError: if an array and its rows differ in length
    """

    metric: str
    arrays: tuple[np.ndarray, ...]
    rows: tuple[np.ndarray, ...] = ()
    labels: Sequence[str] = ()
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = self.rows
        if not rows:
            rows = (np.arange(len(self.arrays[0])),)
        if len(rows) == 1:
            rows = rows * len(self.arrays)
        for array, positions in zip(self.arrays, rows, strict=True):
            if len(array) != len(positions):
                raise LengthError(f"{self.metric}: {len(array)} values of {len(positions)} samples")
        object.__setattr__(self, "rows", rows)

    @property
    def is_aligned(self) -> bool:
        """Whether all arrays hold values of the same samples in the same order."""
        first = self.rows[0]
        return all(rows is first or np.array_equal(rows, first) for rows in self.rows)


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a score comes about: the value of one term, or the difference of two.

    Args:
        term: what is evaluated
        minus: what is subtracted from it; its samples may be the same ones or contain them,
            and they are resampled together
        group: for metrics with a value per group, the one of the score
        label: for metrics with a value per class or bin, the one of the score; None: that which
            the score itself names
        units: for metrics of units such as speakers, their names; the rows of the terms count
            units then, and units are what is resampled
        strata: group of each sample of the view, -1: none, if clusters are to be drawn within
            their groups, shape (N,); None: from all of them
    """

    term: Term
    minus: Term | None = None
    group: str = ""
    label: str | None = None
    units: np.ndarray | None = None
    strata: np.ndarray | None = None
