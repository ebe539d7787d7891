"""Predictions of single samples against their annotation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..spec import MetricUse, Target, kinds
from .base import DESIGNS, Design, Score, Selection, View, score_pair

if TYPE_CHECKING:
    import pandas as pd


class AgainstTruth(Design):
    """Samples one by one; it has no options."""

    def needs(self, target: Target) -> list[str]:
        """The annotation of the target."""
        return [target.id]

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Rows that are annotated, for classification with one of the target's classes."""
        keep = kinds.get(target.kind).truth_mask(target, table[target.id])
        reason = "" if keep.any() else f"no sample with a usable label of {target.id}"
        return Selection(table[keep], reason)

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Each metric of (truth, prediction); per class if the metric is.

        Classes that occur neither in the truth nor in the predictions are left out: they have no
        score of their own and no part in an average.
        """
        truth, prediction = view.truth, view.prediction
        labels = kinds.of(view.target).classes(truth, prediction)
        parts = [score_pair(use, truth, prediction, labels=labels) for use in uses]
        return [score for part in parts for score in part]


DESIGNS.add("against_truth", AgainstTruth)
