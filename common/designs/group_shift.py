"""Are the predictions of a group distributed like those of all? No annotation is needed.

The score of a group compares its predictions with those of all samples, which contain the
group, by a metric of two sets of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pydantic

from ..metrics import METRICS, Metric
from ..metrics.reasons import DATA, MODEL, Cause, why_undefined
from ..spec import MetricUse, Target
from . import balancing
from .base import (
    DESIGNS,
    Draws,
    Recipe,
    Score,
    Selection,
    Term,
    View,
)
from .group_scores import (
    REFERENCE,
    by_label,
    check_predictions,
    compared,
    left_out,
    own_first,
    uncounted,
)
from .groups import (
    GroupDesign,
    Groups,
    check_units,
    criterion_name,
    group_codes,
    remark,
)

if TYPE_CHECKING:
    import pandas as pd

NAN = float("nan")


class GroupShift(GroupDesign):
    """Fields, besides those of all designs that compare groups.

    Args:
        max_group: at most so many samples are drawn from every group; 0: all are used
    """

    max_group: int = pydantic.Field(default=0, ge=0)

    simulated: ClassVar[bool] = True

    def needs(self, target: Target) -> list[str]:
        """What makes the groups; no annotation of the target."""
        return self.columns()

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Rows of the groups that have enough of them."""
        check_units(self, table)
        groups = Groups(self, table)
        if groups.reason():
            return Selection(table.iloc[:0], groups.reason())
        return Selection(table[groups.codes >= 0], left_out=groups.left_out)

    def draw(self, target: Target, selection: Selection, draws: Draws) -> Selection:
        """At most ``max_group`` rows of each group, the same ones for all targets."""
        rows = selection.samples
        if not self.max_group or rows.empty:
            return selection
        _, codes = group_codes(self, rows)
        order = balancing.shuffled(rows, draws("sample"))
        chosen = balancing.first_of_each(order, codes, self.max_group)
        return replace(selection, samples=rows.iloc[chosen])

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Each metric of (predictions of all, predictions of the group).

        These metrics are differences of what their ``level`` says of the two sets, so the set of
        all predictions is looked at once. A bin with too few of them has no score. The n of a score
        is the number of samples of the group; its reference value is what the metric subtracts: the
        mean or share of all samples.
        """
        groups, codes, sizes = compared(self, view)
        prediction, labels = view.prediction, view.target.labels
        constant, outside = check_predictions(view)
        scores = []
        for use in uses:
            metric = METRICS.get(use.metric)
            level = by_label(metric.level_of(prediction, labels=labels, params=use.params))
            for group, number in groups.items():
                rows = np.flatnonzero(codes == number)
                values = prediction[rows]
                group_level = metric.level_of(values, labels=labels, params=uncounted(use).params)
                term = Term(
                    use.metric,
                    (prediction, values),
                    (np.arange(len(codes)), rows),
                    labels,
                    use.params,
                )
                scores += [
                    Score(
                        use.metric,
                        NAN if constant else value - level[label],
                        int(sizes[number]),
                        label=label,
                        condition=self.name(group),
                        reference=REFERENCE,
                        reference_value=level[label],
                        reason=constant or _undefined(level[label], prediction, label, use),
                        cause=MODEL if constant else _cause(level[label], prediction, use),
                        note=remark(view.note, outside),
                        data=self.part(group),
                        sizes=own_first(sizes, number),
                        recipe=Recipe(term, strata=codes),
                    )
                    for label, value in by_label(group_level).items()
                ]
            for group, reason in view.left_out.items():
                name, part = self.name(group), self.part(group)
                scores.append(left_out(use.metric, name, part, reason))
        return scores

    def criterion_names(self, target: Target, label: str) -> list[str]:
        """The metric alone: the groups are those of the data."""
        return [criterion_name(label)]

    def misfit(self, metric: Metric) -> str:
        """Why a metric cannot be used: it must be the difference of two sets of values."""
        if metric.level is not None:
            return ""
        ids = [m.id for m in METRICS if m.kind == metric.kind and m.level is not None]
        return f"'{metric.id}' is no difference of two sets of values. Known: {', '.join(ids)}"


def _undefined(value: float, prediction: np.ndarray, label: str, use: MetricUse) -> str:
    if not np.isnan(value):
        return ""
    return why_undefined(
        prediction, prediction, what="predictions of all groups", label=label, params=use.params
    )


def _cause(value: float, prediction: np.ndarray, use: MetricUse) -> Cause:
    """Too few samples at all, or none that the model puts into the bin."""
    if not np.isnan(value):
        return ""
    return MODEL if len(prediction) >= max(1, use.params.get("min_count", 0)) else DATA


DESIGNS.add("group_shift", GroupShift)
