"""Averages per unit, such as a speaker: are they right, are they in the right order?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pydantic

from ..metrics import METRICS, Metric
from ..metrics.classification import label_codes
from ..metrics.reasons import cause, why_undefined
from ..metrics.units import count_table, unit_codes, unit_values
from ..spec import MetricUse, Target, kinds
from .base import (
    DESIGNS,
    Design,
    Recipe,
    Score,
    Selection,
    Term,
    View,
)

if TYPE_CHECKING:
    import pandas as pd


class PerUnit(Design):
    """Averages per unit.

    Args:
        unit: column that names the unit of a sample
        min_samples: a unit with fewer samples is left out
        min_per_class: classification: a unit with fewer samples of any class is left out
        min_units: with fewer units there is no score
    """

    unit: str = pydantic.Field(min_length=1)
    min_samples: int = pydantic.Field(ge=1)
    min_per_class: int = pydantic.Field(ge=0)
    min_units: int = pydantic.Field(ge=1)

    def needs(self, target: Target) -> list[str]:
        """The annotation of the target and the unit."""
        return [target.id, self.unit]

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Annotated rows of the units that have enough of them."""
        annotated = kinds.get(target.kind).truth_mask(target, table[target.id])
        rows = table[annotated & table[self.unit].notna().to_numpy()]
        names, codes = unit_codes(rows[self.unit].to_numpy(dtype=object))
        enough = np.bincount(codes, minlength=len(names)) >= self.min_samples
        rule = f"at least {self.min_samples} samples"
        if kinds.of(target).has_classes:
            classes = label_codes(rows[target.id].to_numpy(dtype=object), target.labels)
            counts = count_table(codes, classes, len(names), len(target.labels))
            enough &= (counts >= self.min_per_class).all(axis=1)
            rule += f" and {self.min_per_class} of each class"
        count = int(enough.sum())
        if count < self.min_units:
            reason = f"{count} of {_count(len(names), self.unit)} with {rule}"
            return Selection(table.iloc[:0], f"{reason}, at least {self.min_units} needed")
        return Selection(rows[enough[codes]])

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Each metric over the units; per class for classification.

        The n of a score is the number of samples; the number of units stands in its note.
        """
        labels = view.target.labels if kinds.of(view.target).has_classes else None
        units = view.samples[self.unit].to_numpy(dtype=object)
        names, truth = unit_values(view.truth, units, labels=labels)
        prediction = unit_values(view.prediction, units, labels=labels).values
        scores = []
        for use in uses:
            score = partial(METRICS.get(use.metric).score, labels=labels or (), params=use.params)
            value, perfect = score(truth, prediction), partial(score, truth, truth)
            term = Term(use.metric, (truth, prediction), labels=labels or (), params=use.params)
            for label, number in (value if isinstance(value, Mapping) else {"": value}).items():
                column = (slice(None), labels.index(label)) if labels else slice(None)
                reason = why_undefined(truth[column], prediction[column], what=f"{self.unit}s")
                scores.append(
                    Score(
                        use.metric,
                        number,
                        n=len(units),
                        label=label,
                        reason=reason if np.isnan(number) else "",
                        cause=cause(truth, perfect, label=label) if np.isnan(number) else "",
                        note=_count(len(names), self.unit),
                        recipe=Recipe(term, units=names),
                    )
                )
        return scores

    def misfit(self, metric: Metric) -> str:
        """Why a metric cannot be used: it must compare means, or for classification shares."""
        if kinds.get(metric.kind).averages == metric.takes:
            return ""
        ids = [
            m.id for m in METRICS if m.kind == metric.kind and m.takes == kinds.get(m.kind).averages
        ]
        return f"'{metric.id}' is no {metric.kind} metric of units. Known: {', '.join(ids)}"


def _count(n: int, unit: str) -> str:
    return f"{n} {unit}" if n == 1 else f"{n} {unit}s"


DESIGNS.add("per_unit", PerUnit)
