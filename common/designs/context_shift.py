"""Does a context change the predictions more in one group than in the others?

A shift is what changes from all samples of a group to those in the context, for example from
all sentences in a language to its positive ones. The score of a group is its shift minus the
mean shift of all groups, so that a change that all groups share is no unfairness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pydantic

from ..core.display import tidy
from ..metrics import METRICS, Metric
from ..metrics.classification import label_codes
from ..metrics.reasons import DATA, MODEL, Cause
from ..metrics.shift import Shift
from ..metrics.units import count_table
from ..spec import MetricUse, Target
from .base import DESIGNS, Recipe, Score, Selection, Term, View
from .group_scores import REFERENCE, check_predictions, compared, left_out
from .group_shift import GroupShift
from .groups import Groups, check_units, criterion_name, remark

if TYPE_CHECKING:
    import pandas as pd

NAN = float("nan")


class ContextShift(GroupShift):
    """Fields, besides those of :class:`~common.designs.group_shift.GroupShift`.

    Args:
        context: column that names the context of a sample
        contexts: contexts in the order of the rows; samples of others take no part
        min_context: a group with fewer samples in one of the contexts is left out
        context_name: name of the condition, with ``{context}`` in it
    """

    context: str = pydantic.Field(min_length=1)
    contexts: tuple[str, ...] = pydantic.Field(min_length=1)
    min_context: int = pydantic.Field(ge=1)
    context_name: str = "{context}"

    def condition_of(self, context: str) -> str:
        """Condition of a context."""
        return self.context_name.format(context=context)

    def needs(self, target: Target) -> list[str]:
        """What makes the groups, and the context; no annotation of the target."""
        return [*self.columns(), self.context]

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Rows in one of the contexts, of the groups that have enough of them."""
        rows = table[table[self.context].isin(self.contexts).to_numpy()]
        if rows.empty:
            values = sorted({str(value) for value in table[self.context].dropna().unique()})
            shown = ", ".join(values[:5]) or "none"
            names = ", ".join(self.contexts)
            return Selection(rows, f"no sample with {self.context} {names}; found: {shown}")
        check_units(self, table)
        context = label_codes(rows[self.context].to_numpy(dtype=object), self.contexts)
        groups = Groups(self, rows, lambda codes, n: self._too_few(codes, context, n))
        if groups.reason():
            return Selection(rows.iloc[:0], groups.reason())
        return Selection(rows[groups.codes >= 0], left_out=groups.left_out)

    def _too_few(self, codes: np.ndarray, context: np.ndarray, n: int) -> list[str]:
        """Per group, which context has too few samples."""
        used = codes >= 0
        counts = count_table(codes[used], context[used], n, len(self.contexts))
        return [
            next(
                (
                    f"{count} samples in {self.context} {name}, at least {self.min_context} needed"
                    for name, count in zip(self.contexts, row, strict=True)
                    if count < self.min_context
                ),
                "",
            )
            for row in counts
        ]

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Per context and group: shift of the group minus the mean shift of all groups.

        The note holds both, as (shift - mean shift). The n of a score is the number of samples of
        the group in the context.
        """
        groups, codes, _ = compared(self, view)
        number = {str(number): group for group, number in groups.items()}
        names = codes.astype(str).astype(object)
        contexts = view.samples[self.context].to_numpy(dtype=object)
        constant, outside = check_predictions(view)
        scores = []
        for use in uses:
            metric = METRICS.get(use.metric)
            for context in self.contexts:
                inside = contexts == context
                table = np.stack([_counts(codes), _counts(codes, inside)], axis=1)
                arrays = view.prediction, names, inside
                values = metric.function(*arrays, **_given(metric, view, use))
                term = Term(use.metric, arrays, labels=view.target.labels, params=use.params)
                for key, group in number.items():
                    sizes = _own_first(table, int(key))
                    for label, shift in _by_label(values[key]).items():
                        scores.append(
                            Score(
                                use.metric,
                                NAN if constant else shift.difference,
                                sizes[0][1],
                                label=label,
                                condition=self.condition_of(context),
                                reference=REFERENCE,
                                reference_value=shift.average,
                                reason=constant or _undefined(shift, sizes[0][1], label, use),
                                cause=MODEL if constant else _cause(shift, sizes, use),
                                note=remark(annotation(shift), view.note, outside),
                                data=self.part(group),
                                sizes=sizes,
                                recipe=Recipe(term, group=key),
                            )
                        )
                for group, reason in view.left_out.items():
                    name, part = self.condition_of(context), self.part(group)
                    scores.append(left_out(use.metric, name, part, reason))
        return scores

    def criterion_names(self, target: Target, label: str) -> list[str]:
        """One name per context: the groups are those of the data."""
        return [criterion_name(label, self.condition_of(context)) for context in self.contexts]

    def misfit(self, metric: Metric) -> str:
        """Why a metric cannot be used: it must be a shift of groups in a context."""
        if metric.takes == "groups":
            return ""
        ids = [m.id for m in METRICS if m.kind == metric.kind and m.takes == "groups"]
        return f"'{metric.id}' is no shift of groups. Known: {', '.join(ids)}"


def annotation(shift: Shift) -> str:
    """Shift of the group and mean shift as text; empty if the group has none.

    >>> annotation(Shift(0.015, 0.012, -0.003))
    '(0.01 − 0.00)'
    """
    if np.isnan(shift.difference):
        return ""
    return tidy(f"({shift.shift:.2f} - {shift.average:.2f})")


def _given(metric: Metric, view: View, use: MetricUse) -> dict[str, Any]:
    labels = {"labels": view.target.labels} if "labels" in metric.keywords else {}
    return {**use.params, **labels}


def _counts(codes: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    size = int(codes.max(initial=-1)) + 1
    return np.bincount(codes if mask is None else codes[mask], minlength=size)


def _own_first(table: np.ndarray, number: int) -> tuple[tuple[int, int], ...]:
    """(samples, samples in the context) per group, that of the score first."""
    pairs = [(int(a), int(b)) for a, b in table]
    return (pairs[number], *sorted(p for n, p in enumerate(pairs) if n != number and p[0]))


def _by_label(value: Any) -> Mapping[str, Shift]:
    return {"": value} if isinstance(value, Shift) else value


def _undefined(shift: Shift, n: int, label: str, use: MetricUse) -> str:
    if not np.isnan(shift.difference):
        return ""
    if n and label and "min_count" in use.params:
        least = use.params["min_count"]
        return f"fewer than {least} predictions of all groups in {label} in this context"
    return "no sample of the group in this context"


def _cause(shift: Shift, sizes: Sequence[tuple[int, int]], use: MetricUse) -> Cause:
    """Too few samples in the context, or none that the model puts into the bin."""
    if not np.isnan(shift.difference):
        return ""
    there, least = sum(size[1] for size in sizes), use.params.get("min_count", 0)
    return MODEL if sizes[0][1] and there >= least else DATA


DESIGNS.add("context_shift", ContextShift)
