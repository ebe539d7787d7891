from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common.designs import DESIGNS, ORIGINAL, View
from common.spec import MetricUse, Target

DESIGN = DESIGNS.get("expected_range")
OPTIONS = DESIGN.model_validate(
    {
        "column": "animal",
        "ranges": {"low": [None, 0.45], "neutral": [0.3, 0.6], "high": [0.55, None]},
        "expected": {
            "sloth": {"calmness": "high", "speed": "low"},
            "cow": {"calmness": "high"},
            "cat": {"calmness": "neutral", "speed": "high"},
            "ant": {"calmness": "low"},
        },
    }
)
CALMNESS = Target(id="calmness", label="Calmness", kind="regression", range=(0, 1))
SPEED = Target(id="speed", label="Speed", kind="regression", range=(0, 1))
USES = [
    MetricUse.model_validate({"metric": f"samples_in_expected_{name}_range", "above": 0.75})
    for name in ("low", "neutral", "high")
]


def view(target: Target, animals: list[str], prediction: list[float]) -> View:
    samples = pd.DataFrame({"animal": np.array(animals, object)})
    return View(target, samples, {ORIGINAL: np.array(prediction)})


def test_needs_no_annotation_of_the_target() -> None:
    assert list(OPTIONS.needs(CALMNESS)) == ["animal"]


class TestSelect:
    TABLE = pd.DataFrame({"animal": np.array(["cow", None, "dog", "sloth", "cat"], object)})

    def test_categories_with_a_range_for_the_target(self) -> None:
        chosen = OPTIONS.select(CALMNESS, self.TABLE)
        assert chosen.samples.index.tolist() == [0, 3, 4]
        chosen = OPTIONS.select(SPEED, self.TABLE)
        assert chosen.samples.index.tolist() == [3, 4]
        assert chosen.reason == ""

    def test_nothing_left(self) -> None:
        table = self.TABLE.iloc[1:3]
        chosen = OPTIONS.select(SPEED, table)
        assert chosen.samples.empty
        assert chosen.reason == "no sample of a category with an expected speed"

    def test_target_without_expectations(self) -> None:
        other = Target(id="weight", label="Weight", kind="regression")
        chosen = OPTIONS.select(other, self.TABLE)
        assert chosen.samples.empty
        assert list(chosen.samples.columns) == ["animal"]
        assert chosen.reason == "no range is expected for weight"


class TestScores:
    def test_by_hand(self) -> None:
        given = view(
            CALMNESS,
            ["sloth", "sloth", "ant", "cat", "cat", "cat", "cat", "cow"],
            [0.55, 0.54, 0.45, 0.3, 0.6, 0.61, 0.29, 2.0],
        )
        scores = OPTIONS.scores(given, USES)
        assert [(s.metric.split("_")[3], s.label, s.value, s.n) for s in scores] == [
            ("low", "ant", 1.0, 1),
            ("neutral", "cat", 0.5, 4),
            ("high", "cow", 1.0, 1),
            ("high", "sloth", 0.5, 2),
        ]
        assert all(score.reason == "" and score.condition == ORIGINAL for score in scores)

    def test_absent_category_is_a_row_without_a_value(self) -> None:
        scores = OPTIONS.scores(view(CALMNESS, ["sloth"], [0.9]), USES)
        assert [s.label for s in scores] == ["ant", "cat", "cow", "sloth"]
        absent = scores[2]
        assert np.isnan(absent.value)
        assert (absent.n, absent.reason) == (0, "no sample of cow")

    def test_range_that_no_category_has_for_a_target(self) -> None:
        scores = OPTIONS.scores(view(SPEED, ["sloth"], [0.2]), USES)
        assert [(s.metric.split("_")[3], s.label) for s in scores] == [
            ("low", "sloth"),
            ("high", "cat"),
        ]

    @pytest.mark.parametrize("value", [0.45, 0.449])
    def test_ranges_may_overlap(self, value: float) -> None:
        """The same number is low for one category and neutral for another."""
        scores = OPTIONS.scores(view(CALMNESS, ["ant", "cat"], [value, value]), USES)
        assert [s.value for s in scores if s.n] == [1.0, 1.0]
