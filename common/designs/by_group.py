"""Is a model as good for every group as for all of them together?

The score of a group is the metric of its samples minus the metric of all samples, which
contain the group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pydantic

from ..metrics.classification import label_codes
from ..metrics.reasons import DATA, MODEL
from ..spec import MetricUse, Target, kinds
from . import balancing
from .base import (
    DESIGNS,
    Draws,
    Gap,
    Score,
    Selection,
    View,
    difference,
    score_pair,
)
from .group_scores import (
    REFERENCE,
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


class ByGroup(GroupDesign):
    """Fields, besides those of all designs that compare groups.

    Args:
        balance: ``target``: every group gets as many samples with the same labels; empty: all
            samples are used
        max_group: number of samples that are drawn from every group for balancing, or all that
            the smallest group has
    """

    balance: Literal["", "target"] = ""
    max_group: int = pydantic.Field(default=1000, ge=1)

    simulated: ClassVar[bool] = True
    differences: ClassVar[bool] = True

    def needs(self, target: Target) -> list[str]:
        """The annotation of the target, and what makes the groups."""
        return [target.id, *self.columns()]

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Annotated rows of the groups that have enough of them."""
        check_units(self, table)
        rows = table[kinds.get(target.kind).truth_mask(target, table[target.id])]
        if rows.empty:
            return Selection(rows, f"no sample with a usable label of {target.id}")
        groups = Groups(self, rows)
        if groups.reason():
            return Selection(rows.iloc[:0], groups.reason())
        return Selection(rows[groups.codes >= 0], left_out=groups.left_out)

    def draw(self, target: Target, selection: Selection, draws: Draws) -> Selection:
        """Balanced groups, with a remark if a group has too few of a class for the wanted number."""
        rows = selection.samples
        if not self.balance or rows.empty:
            return selection
        _, codes = group_codes(self, rows)
        _, codes = np.unique(codes, return_inverse=True)
        n = min(self.max_group, int(np.bincount(codes).min()))
        order = balancing.shuffled(rows, draws("balance", target.id))
        if kinds.of(target).has_classes:
            classes = label_codes(rows[target.id].to_numpy(dtype=object), target.labels)
            balance = balancing.balance_classes(order, codes, classes, target.labels, n)
        else:
            balance = balancing.balance_values(order, codes, rows[target.id].to_numpy(float), n)
        size, note = balance.rows.shape[1], ""
        if balance.exhausted:
            lost = ", ".join(f"{label} (-{count})" for label, count in balance.exhausted.items())
            note = f"balanced to {size} instead of {n} per group: some group has too few {lost}"
        if size < self.min_group:
            reason = f"{note}, at least {self.min_group} needed"
            return replace(selection, samples=rows.iloc[:0], reason=reason)
        chosen = rows.iloc[np.sort(balance.rows, axis=None)]
        return replace(selection, samples=chosen, note=remark(selection.note, note))

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Each metric of each group minus that of all; per class or bin if the metric is.

        A bin that has too few samples in the truth of all groups together has no score. The number
        in one group alone decides about nothing; it is the n of the score.
        """
        groups, codes, sizes = compared(self, view)
        truth, prediction = view.truth, view.prediction
        labels = kinds.of(view.target).classes(truth, prediction)
        constant, outside = check_predictions(view)
        scores = []
        for use in uses:
            everyone = score_pair(use, truth, prediction, labels=labels)
            each = {
                number: score_pair(
                    uncounted(use),
                    truth[codes == number],
                    prediction[codes == number],
                    labels=labels,
                    rows=np.flatnonzero(codes == number),
                )
                for number in groups.values()
            }
            for group, number in groups.items():
                group_scores = _with_gaps(number, each, codes)
                scores += [
                    replace(
                        score,
                        value=NAN if constant else score.value,
                        reason=constant or score.reason,
                        cause=(score.cause or MODEL) if constant else score.cause,
                        condition=self.name(group),
                        reference=REFERENCE,
                        data=self.part(group),
                        note=remark(view.note, outside),
                        sizes=own_first(sizes, number),
                    )
                    for score in _differences(group_scores, everyone, codes)
                ]
            for group, reason in view.left_out.items():
                name, part = self.name(group), self.part(group)
                scores.append(left_out(use.metric, name, part, reason))
        return scores

    def criterion_names(self, target: Target, label: str) -> list[str]:
        """One name per declared group; without declared groups the metric alone."""
        groups = self.expected()
        if not groups:
            return [criterion_name(label)]
        return [criterion_name(label, self.name(group)) for group in groups]


def _with_gaps(number: int, each: Mapping[int, Sequence[Score]], groups: np.ndarray) -> list[Score]:
    """Scores of a group with their difference from the other one, if there are two."""
    others = [scores for other, scores in each.items() if other != number]
    if len(others) != 1:
        return list(each[number])
    return [
        replace(
            score,
            gap=Gap(
                score.value - other.value, difference(score.recipe, other.recipe, strata=groups)
            ),
        )
        for score, other in zip(each[number], others[0], strict=True)
    ]


def _differences(
    scores: Sequence[Score], everyone: Sequence[Score], groups: np.ndarray
) -> Iterator[Score]:
    for score, reference in zip(scores, everyone, strict=True):
        yield replace(
            score,
            value=score.value - reference.value,
            reference_value=reference.value,
            reason=reference.reason or score.reason,
            cause=DATA
            if DATA in (score.cause, reference.cause)
            else score.cause or reference.cause,
            recipe=difference(score.recipe, reference.recipe, strata=groups),
        )


DESIGNS.add("by_group", ByGroup)
