"""Aligned arrays of one (model, target, dataset): what designs and figures see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import Target, kinds

if TYPE_CHECKING:
    import pandas as pd

#: name of the condition in which nothing is changed
ORIGINAL = "original"


@dataclass(frozen=True)
class View:
    """What a design sees of one (model, target, dataset): aligned arrays.

    Args:
        target: the target
        samples: one row per selected sample; columns ``file``, ``start``, ``end`` and the
            declared columns of the dataset; RangeIndex
        predictions: condition -> values, aligned with ``samples``; floats for regression,
            labels (object) for classification, and for sound events something that has a
            length and can be indexed like an array
        dataset: id of the dataset
        seed: seed of the run, for designs that sample
        missing: condition without predictions -> why its perturbation is not available here
        rows: result rows of the view, for figures that show verdicts; empty before there are any
        note: remark of the selection that belongs to every score
        left_out: group, as values of its attributes -> why it has no samples here
    """

    target: Target
    samples: pd.DataFrame
    predictions: Mapping[str, Any]
    dataset: str = ""
    seed: int = 0
    missing: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Any]] = ()
    note: str = ""
    left_out: Mapping[tuple[str, ...], str] = field(default_factory=dict)

    @property
    def truth(self) -> Any:
        """Annotated values of the target, aligned with ``samples``."""
        return kinds.get(self.target.kind).truth(self.target, self.samples[self.target.id])

    @property
    def prediction(self) -> Any:
        """Predictions on the unchanged input."""
        return self.predictions[ORIGINAL]
