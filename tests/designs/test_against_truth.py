from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common.designs import DESIGNS, ORIGINAL, View
from common.spec import MetricUse, Target

DESIGN = DESIGNS.get("against_truth")
OPTIONS = DESIGN()
NUMBER = Target(id="calmness", label="Calmness", kind="regression", range=(0, 1))
CLASS = Target(id="animal", label="Animal", kind="classification", labels=("cat", "dog", "emu"))


def use(metric: str, **params: object) -> MetricUse:
    return MetricUse.model_validate({"metric": metric, "above": 0.5, **params})


def view(target: Target, truth: list, prediction: list) -> View:
    kind = object if target.kind == "classification" else float
    samples = pd.DataFrame({"file": [f"{n}.wav" for n in range(len(truth))]})
    samples[target.id] = np.array(truth, dtype=kind)
    return View(target, samples, {ORIGINAL: np.array(prediction, dtype=kind)})


def test_needs_the_annotation_only() -> None:
    assert list(OPTIONS.needs(NUMBER)) == ["calmness"]
    assert OPTIONS.conditions(NUMBER) == {}


class TestSelect:
    def test_numbers(self) -> None:
        table = pd.DataFrame({"calmness": [np.nan, 0.3, 0.2]})
        selection = OPTIONS.select(NUMBER, table)
        assert selection.samples.index.tolist() == [1, 2]
        assert selection.reason == ""

    def test_other_classes_take_no_part(self) -> None:
        table = pd.DataFrame({"animal": np.array(["cow", "dog", None, "cat"], object)})
        selection = OPTIONS.select(CLASS, table)
        assert selection.samples["animal"].tolist() == ["dog", "cat"]
        assert selection.samples.index.tolist() == [1, 3]

    @pytest.mark.parametrize(
        ("target", "column"),
        [(NUMBER, np.array([np.nan, np.nan])), (NUMBER, np.array([])), (CLASS, np.array(["cow"]))],
    )
    def test_nothing_left(self, target: Target, column: np.ndarray) -> None:
        table = pd.DataFrame({target.id: column})
        selection = OPTIONS.select(target, table)
        assert selection.samples.empty
        assert selection.reason == f"no sample with a usable label of {target.id}"

    def test_table_stays_as_it_is(self) -> None:
        table = pd.DataFrame({"calmness": [np.nan, 0.3]})
        OPTIONS.select(NUMBER, table)
        assert table.index.tolist() == [0, 1]


class TestScores:
    def test_numbers(self) -> None:
        given = view(NUMBER, [0.0, 0.5, 1.0], [0.25, 0.5, 0.75])
        ccc, mae = OPTIONS.scores(given, [use("ccc"), use("mae")])
        assert (ccc.metric, ccc.value, ccc.n, ccc.label) == ("ccc", 0.8, 3, "")
        assert (ccc.condition, ccc.reference, ccc.reason) == (ORIGINAL, "", "")
        assert mae.value == pytest.approx(1 / 6, abs=1e-12)

    def test_params_of_the_yaml(self) -> None:
        given = view(NUMBER, [0.1, 0.2], [0.3, 0.4])
        coarse, fine = OPTIONS.scores(
            given,
            [use("jensen_shannon_distance", bins=2), use("jensen_shannon_distance", bins=10)],
        )
        assert (coarse.value, fine.value) == (0, 1)

    def test_classes(self) -> None:
        given = view(CLASS, ["cat", "cat", "emu"], ["cat", "emu", "emu"])
        scores = OPTIONS.scores(
            given, [use("uar"), use("recall_per_class"), use("precision_per_class")]
        )
        assert [(s.metric, s.label, s.value, s.n) for s in scores] == [
            ("uar", "", 0.75, 3),
            ("recall_per_class", "cat", 0.5, 2),
            ("recall_per_class", "emu", 1.0, 1),
            ("precision_per_class", "cat", 1.0, 1),
            ("precision_per_class", "emu", 0.5, 2),
        ]

    def test_class_that_is_only_predicted_counts(self) -> None:
        given = view(CLASS, ["cat", "cat"], ["cat", "dog"])
        scores = OPTIONS.scores(given, [use("uar"), use("recall_per_class")])
        assert [(s.label, s.value, s.n) for s in scores] == [
            ("", 0.25, 2),
            ("cat", 0.5, 2),
            ("dog", 0.0, 0),
        ]

    def test_difference_per_class_counts_the_truth(self) -> None:
        given = view(CLASS, ["cat", "cat", "dog"], ["cat", "dog", "dog"])
        scores = OPTIONS.scores(given, [use("relative_difference_per_class")])
        assert [(s.label, s.n) for s in scores] == [("cat", 2), ("dog", 1)]
        assert [s.value for s in scores] == pytest.approx([-1 / 3, 1 / 3], abs=1e-12)

    def test_missing_value_has_a_reason(self) -> None:
        (score,) = OPTIONS.scores(view(NUMBER, [0.1, 0.2], [0.5, 0.5]), [use("pcc")])
        assert np.isnan(score.value)
        assert score.reason == "constant predictions"
        (score,) = OPTIONS.scores(view(NUMBER, [0.1], [0.5]), [use("ccc")])
        assert score.reason == "fewer than 2 samples"
