"""Predictions on changed signals against predictions on the original ones.

Two kinds of metrics: the change of a score, ``m(truth, changed) - m(truth, original)``, and the
agreement of the predictions, ``m(original, changed)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pydantic

from ..metrics import METRICS, Metric
from ..metrics.change import scored
from ..metrics.reasons import NOT_RUN, cause, why_undefined
from ..spec import MetricUse, Target
from .against_truth import AgainstTruth
from .base import (
    DESIGNS,
    ORIGINAL,
    Recipe,
    Score,
    Term,
    View,
    score_pair,
)
from .groups import criterion_name


class Perturbed(AgainstTruth):
    """Changed and original signals.

    Args:
        changes: ``conditions`` in YAML: condition -> id of the perturbation; a list of
            perturbations, each of which is called like its condition, or
            ``condition: perturbation``
    """

    changes: Mapping[str, str] = pydantic.Field(alias="conditions", min_length=1)

    @pydantic.field_validator("changes", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        conditions: dict[str, str] = {}
        for item in value:
            pairs = item if isinstance(item, Mapping) else {item: item}
            for name, perturbation in pairs.items():
                if name in conditions:
                    raise ValueError(f"condition '{name}' appears twice")
                if name == ORIGINAL:
                    raise ValueError(f"'{ORIGINAL}' is the name of the unchanged input")
                conditions[name] = perturbation
        return conditions

    def conditions(self, target: Target) -> Mapping[str, str]:
        """All declared ones, for every target."""
        return self.changes

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Each metric in each condition, in the declared order.

        The reference value of a change is the score on the original signals. A condition whose
        perturbation is not available here has scores without a value that say why.
        """
        scores = []
        for use in uses:
            for condition in self.changes:
                reason = view.missing.get(condition, "")
                if reason:
                    scores.append(not_run(use.metric, condition, ORIGINAL, reason))
                elif METRICS.get(use.metric).of:
                    scores.append(_change(use, view, condition))
                else:
                    changed = view.predictions[condition]
                    for score in score_pair(
                        use, view.prediction, changed, labels=view.target.labels, annotated=False
                    ):
                        scores.append(replace(score, condition=condition, reference=ORIGINAL))
        return scores

    def criterion_names(self, target: Target, label: str) -> list[str]:
        """The metric with every condition."""
        return [criterion_name(label, condition) for condition in self.changes]

    def misfit(self, metric: Metric) -> str:
        """Why a metric cannot be used: it must compare predictions, or be the change of a score."""
        if metric.takes in ("pair", "change"):
            return ""
        return f"'{metric.id}' neither compares predictions one by one nor is the change of a score"


def not_run(metric: str, condition: str, reference: str, reason: str) -> Score:
    """Score without a value of a condition whose perturbation is not available."""
    nan = float("nan")
    text = f"condition not run: {reason}"
    return Score(
        metric, nan, 0, condition=condition, reference=reference, reason=text, cause=NOT_RUN
    )


def _change(use: MetricUse, view: View, condition: str) -> Score:
    metric = METRICS.get(use.metric)
    truth, changed = view.truth, view.predictions[condition]
    arrays = truth, view.prediction, changed
    value = metric.function(*arrays, **use.params)
    before = why_undefined(truth, view.prediction)
    return Score(
        use.metric,
        value,
        len(changed),
        condition=condition,
        reference=ORIGINAL,
        reference_value=scored(METRICS.get(metric.of), truth, view.prediction, use.params),
        reason="" if not np.isnan(value) else before or why_undefined(truth, changed),
        cause=cause(truth, lambda: metric.function(truth, truth, truth, **use.params))
        if np.isnan(value)
        else "",
        recipe=Recipe(Term(use.metric, arrays, params=use.params)),
    )


DESIGNS.add("perturbed", Perturbed)
