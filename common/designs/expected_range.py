"""Share of predictions in the range that is expected for a category of the samples.

The truth is a category, the prediction a number: samples of one category should be predicted
into one range of the scale, whatever the exact values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pydantic

from ..core.registry import unknown
from ..metrics import METRICS, Metric
from ..metrics.reasons import DATA
from ..spec import MetricUse, Target
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

#: id of the metric of a range
METRIC_ID = "samples_in_expected_{}_range"


class ExpectedRange(Design):
    """Ranges of the scale by category.

    Args:
        column: column with the categories
        ranges: name -> (low, high), both included, None for an open end
        expected: category -> target -> name of the range
    """

    column: str = pydantic.Field(min_length=1)
    ranges: Mapping[str, tuple[float | None, float | None]]
    expected: Mapping[str, Mapping[str, str]]

    @pydantic.field_validator("ranges")
    @classmethod
    def _ordered(
        cls, value: Mapping[str, tuple[float | None, float | None]]
    ) -> Mapping[str, tuple[float | None, float | None]]:
        for name, (low, high) in value.items():
            if low is None and high is None:
                raise ValueError(f"range '{name}': needs a lower or an upper limit, or both")
            if low is not None and high is not None and low > high:
                raise ValueError(f"range '{name}': {low:g} lies above {high:g}")
        return value

    @pydantic.model_validator(mode="after")
    def _known(self) -> ExpectedRange:
        for category, ranges in self.expected.items():
            for target, name in ranges.items():
                if name not in self.ranges:
                    where = f"expected.{category}.{target}"
                    raise ValueError(str(unknown("range", name, self.ranges, where)))
        return self

    def categories(self, target: str, name: str = "") -> list[str]:
        """Categories with a range for a target, alphabetically; ``name``: with this range."""
        return sorted(
            category
            for category, ranges in self.expected.items()
            if target in ranges and name in ("", ranges[target])
        )

    def range_of(self, metric: str) -> str:
        """Name of the range whose share a metric is; empty if it is none of them."""
        return next((name for name in self.ranges if METRIC_ID.format(name) == metric), "")

    def needs(self, target: Target) -> list[str]:
        """The category; an annotation of the target is not needed."""
        return [self.column]

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Rows whose category has an expected range for the target."""
        categories = self.categories(target.id)
        if not categories:
            return Selection(table.iloc[:0], f"no range is expected for {target.id}")
        keep = table[self.column].isin(categories)
        reason = "" if keep.any() else f"no sample of a category with an expected {target.id}"
        return Selection(table[keep], reason)

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """One score per category of each range, in alphabetical order.

        A category that the dataset does not have has a score without a value, so that all datasets
        show the same rows.
        """
        category = view.samples[self.column].to_numpy(dtype=object)
        scores = []
        for use in uses:
            name = self.range_of(use.metric)
            low, high = self.ranges[name]
            function = METRICS.get(use.metric).function
            for label in self.categories(view.target.id, name):
                rows = np.flatnonzero(category == label)
                chosen = view.prediction[rows]
                value = function(chosen, low=low, high=high)
                reason = "" if len(chosen) else f"no sample of {label}"
                term = Term(use.metric, (chosen,), (rows,), params={"low": low, "high": high})
                scores.append(
                    Score(
                        use.metric,
                        value,
                        len(chosen),
                        label=label,
                        reason=reason,
                        cause=DATA if reason else "",
                        recipe=Recipe(term, label=""),
                    )
                )
        return scores

    def misfit(self, metric: Metric) -> str:
        """Why a metric cannot be used: it must be the one of a declared range."""
        ids = [METRIC_ID.format(name) for name in self.ranges]
        if metric.takes == "range" and metric.id in ids:
            return ""
        return f"'{metric.id}' is not the metric of a range. Known: {', '.join(sorted(ids))}"


DESIGNS.add("expected_range", ExpectedRange)
