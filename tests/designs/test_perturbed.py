from __future__ import annotations

import numpy as np
import pandas as pd
import pydantic
import pytest

from common.designs import DESIGNS, ORIGINAL, View
from common.metrics import METRICS
from common.spec import MetricUse, Target

DESIGN = DESIGNS.get("perturbed")
OPTIONS = DESIGN(conditions=["rain-noise", {"wind": "soft-wind"}])
NUMBER = Target(id="calmness", label="Calmness", kind="regression", range=(0, 1))
CLASS = Target(id="animal", label="Animal", kind="classification", labels=("cat", "dog", "emu"))
TRUTH = [0.0, 0.5, 1.0]


def use(metric: str, **params: object) -> MetricUse:
    return MetricUse.model_validate({"metric": metric, "above": 0.5, **params})


def view(target: Target, truth: list, missing: dict | None = None, **predictions: list) -> View:
    kind = object if target.kind == "classification" else float
    samples = pd.DataFrame({"file": [f"{n}.wav" for n in range(len(truth))]})
    samples[target.id] = np.array(truth, dtype=kind)
    values = {
        name.replace("_", "-"): np.array(value, dtype=kind) for name, value in predictions.items()
    }
    return View(target, samples, values, missing=missing or {})


class TestOptions:
    def test_names_of_conditions(self) -> None:
        assert OPTIONS.conditions(NUMBER) == {
            "rain-noise": "rain-noise",
            "wind": "soft-wind",
        }
        same = DESIGN(conditions={"wind": "soft-wind"})
        assert same.conditions(CLASS) == {"wind": "soft-wind"}

    @pytest.mark.parametrize(
        ("conditions", "message"),
        [
            ([], "at least 1"),
            (["a", {"a": "b"}], "condition 'a' appears twice"),
            ([ORIGINAL], "'original' is the name of the unchanged input"),
        ],
    )
    def test_faults(self, conditions: list, message: str) -> None:
        with pytest.raises(pydantic.ValidationError, match=message):
            DESIGN(conditions=conditions)

    def test_needs_the_annotation(self) -> None:
        assert list(OPTIONS.needs(NUMBER)) == ["calmness"]
        table = pd.DataFrame({"animal": np.array(["cow", "dog", None], object)})
        assert OPTIONS.select(CLASS, table).samples.index.tolist() == [1]

    def test_names_of_criteria(self) -> None:
        label = METRICS.get("change_ccc").label
        names = OPTIONS.criterion_names(NUMBER, label)
        assert names == ["Change CCC Rain Noise", "Change CCC Wind"]

    def test_metrics_that_fit(self) -> None:
        fits = {m.id for m in METRICS if not OPTIONS.misfit(m)}
        assert {"change_ccc", "change_uar", "percentage_unchanged"} <= fits
        assert "neither compares predictions" in OPTIONS.misfit(METRICS.get("class_proportion_mae"))


class TestScores:
    def test_change_of_a_score(self) -> None:
        given = view(
            NUMBER, TRUTH, original=[0.25, 0.5, 0.75], rain_noise=TRUTH, wind=[0.25, 0.5, 0.75]
        )
        better, same = OPTIONS.scores(given, [use("change_ccc")])
        assert better.value == pytest.approx(0.2, abs=1e-12)
        assert better.reference_value == 0.8
        assert (better.metric, better.condition, better.reference, better.n) == (
            "change_ccc",
            "rain-noise",
            "original",
            3,
        )
        assert (same.condition, same.value, same.label) == ("wind", 0.0, "")

    def test_agreement(self) -> None:
        given = view(
            NUMBER, TRUTH, original=TRUTH, rain_noise=[0.04, 0.46, 0.9], wind=[0.06, 0.6, 0]
        )
        scores = OPTIONS.scores(given, [use("percentage_unchanged", tolerance=0.05)])
        assert [(s.condition, s.reference) for s in scores] == [
            ("rain-noise", "original"),
            ("wind", "original"),
        ]
        assert [s.value for s in scores] == [2 / 3, 0]

    def test_a4_raw_values_are_compared(self) -> None:
        """0.254 and 0.296 differ by 0.042, but by 0.05 after rounding to two decimals."""
        given = view(NUMBER, [0.3], original=[0.254], rain_noise=[0.296], wind=[0.3041])
        kept, changed = OPTIONS.scores(given, [use("percentage_unchanged", tolerance=0.05)])
        assert (kept.value, changed.value) == (1, 0)

    def test_classes(self) -> None:
        given = view(
            CLASS,
            ["cat", "cat", "dog", "dog"],
            original=["cat", "cat", "dog", "cat"],
            rain_noise=["cat", "dog", "dog", "cat"],
            wind=["cat", "cat", "dog", "cat"],
        )
        change, none, kept, all_kept = OPTIONS.scores(
            given, [use("change_uar"), use("percentage_unchanged_classes")]
        )
        assert (change.value, change.reference_value) == (-0.25, 0.75)
        assert (none.value, kept.value, all_kept.value) == (0, 0.75, 1)

    def test_missing_value_has_a_reason(self) -> None:
        given = view(NUMBER, [0.5], original=[0.1], rain_noise=[0.1], wind=[0.2])
        score, _ = OPTIONS.scores(given, [use("change_ccc")])
        assert np.isnan(score.value) and score.reason == "fewer than 2 samples"

    def test_condition_that_was_not_run(self) -> None:
        given = view(NUMBER, TRUTH, {"wind": "no wind here"}, original=TRUTH, rain_noise=TRUTH)
        uses = [use("change_ccc"), use("percentage_unchanged", tolerance=0.05)]
        scores = OPTIONS.scores(given, uses)
        assert [s.reason for s in scores] == ["", "condition not run: no wind here"] * 2
        assert [np.isnan(s.value) for s in scores] == [False, True] * 2
        assert [s.n for s in scores] == [3, 0] * 2

    def test_no_condition_was_run(self) -> None:
        missing = {"wind": "none", "rain-noise": "none"}
        scores = OPTIONS.scores(view(NUMBER, TRUTH, missing), [use("change_ccc")])
        assert [s.condition for s in scores] == ["rain-noise", "wind"]
        assert all(np.isnan(s.value) for s in scores)
