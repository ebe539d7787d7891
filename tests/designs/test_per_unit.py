from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common.designs import DESIGNS, ORIGINAL, View
from common.spec import MetricUse, Target

DESIGN = DESIGNS.get("per_unit")
NUMBER = Target(id="calmness", label="Calmness", kind="regression", range=(0, 1))
CLASS = Target(id="animal", label="Animal", kind="classification", labels=("cat", "dog"))


def make_options(samples: int = 2, per_class: int = 1, units: int = 2, unit: str = "speaker"):
    return DESIGN(unit=unit, min_samples=samples, min_per_class=per_class, min_units=units)


def use(metric: str) -> MetricUse:
    return MetricUse.model_validate({"metric": metric, "below": 0.1})


def words(text: str) -> np.ndarray:
    return np.array([None if word == "-" else word for word in text.split()], object)


def test_needs() -> None:
    options = make_options(unit="rider")
    assert list(options.needs(NUMBER)) == ["calmness", "rider"]


class TestSelect:
    def test_rows_without_unit_or_annotation_do_not_count(self) -> None:
        table = pd.DataFrame(
            {
                "speaker": words("a a a b b - c c"),
                "calmness": [0.1, 0.2, np.nan, 0.1, np.nan, 0.1, 0.2, 0.3],
            }
        )
        chosen = make_options(samples=2).select(NUMBER, table)
        assert chosen.samples.index.tolist() == [0, 1, 6, 7]
        assert chosen.reason == ""

    def test_dimensions_ignore_the_count_per_class(self) -> None:
        table = pd.DataFrame({"speaker": words("a a b b"), "calmness": [0.1] * 4})
        chosen = make_options(per_class=99).select(NUMBER, table)
        assert len(chosen.samples) == 4

    def test_classes_are_counted_after_the_class_filter(self) -> None:
        table = pd.DataFrame(
            {
                # a: cat, dog and a cow that does not count; b: no dog; c: cat and dog twice
                "speaker": words("a a a b b b c c c c"),
                "animal": words("cat dog cow cat cat cat cat dog dog cat"),
            }
        )
        chosen = make_options(samples=2, per_class=1).select(CLASS, table)
        assert chosen.samples["speaker"].unique().tolist() == ["a", "c"]
        assert "cow" not in set(chosen.samples["animal"])
        chosen = make_options(samples=2, per_class=2, units=1).select(CLASS, table)
        assert chosen.samples.index.tolist() == [6, 7, 8, 9]
        chosen = make_options(samples=3, per_class=1, units=1).select(CLASS, table)
        assert chosen.samples["speaker"].unique().tolist() == ["c"]

    def test_exactly_enough(self) -> None:
        table = pd.DataFrame({"speaker": words("a a b b"), "calmness": [0.1] * 4})
        assert not make_options(samples=2, units=2).select(NUMBER, table).samples.empty
        assert make_options(samples=3, units=2).select(NUMBER, table).samples.empty
        assert make_options(samples=2, units=3).select(NUMBER, table).samples.empty

    def test_too_few_units_say_how_many(self) -> None:
        table = pd.DataFrame({"speaker": words("a a b c c"), "calmness": [0.1] * 5})
        chosen = make_options(units=6).select(NUMBER, table)
        assert chosen.samples.empty
        assert list(chosen.samples.columns) == ["speaker", "calmness"]
        assert chosen.reason == "2 of 3 speakers with at least 2 samples, at least 6 needed"
        table = pd.DataFrame({"speaker": words("a a"), "animal": words("cat dog")})
        chosen = make_options(samples=2, per_class=1).select(CLASS, table)
        assert chosen.reason == (
            "1 of 1 speaker with at least 2 samples and 1 of each class, at least 2 needed"
        )

    def test_nothing(self) -> None:
        table = pd.DataFrame({"speaker": words(""), "calmness": np.array([])})
        chosen = make_options().select(NUMBER, table)
        assert chosen.reason == "0 of 0 speakers with at least 2 samples, at least 2 needed"


class TestScores:
    def test_dimension(self) -> None:
        samples = pd.DataFrame(
            {"speaker": words("b a b a a"), "calmness": [0.0, 0.5, 0.5, 0.5, 0.5]}
        )
        given = View(NUMBER, samples, {ORIGINAL: np.array([0.25, 0.25, 0.75, 0.5, 0.75])})
        # means: b 0.25 and 0.5, a 0.5 and 0.5
        mae, rho = make_options().scores(given, [use("mae"), use("spearmans_rho")])
        assert (mae.metric, mae.value, mae.n, mae.label, mae.note) == (
            "mae",
            0.125,
            5,
            "",
            "2 speakers",
        )
        assert np.isnan(rho.value)
        assert rho.reason == "constant predictions"

    def test_classes(self) -> None:
        samples = pd.DataFrame({"speaker": words("a a b b"), "animal": words("cat dog cat cat")})
        given = View(CLASS, samples, {ORIGINAL: words("cat dog cat dog")})
        scores = make_options().scores(
            given,
            [use("class_proportion_mae"), use("class_proportion_spearmans_rho")],
        )
        assert [(s.metric, s.label, s.n) for s in scores] == [
            ("class_proportion_mae", "cat", 4),
            ("class_proportion_mae", "dog", 4),
            ("class_proportion_spearmans_rho", "cat", 4),
            ("class_proportion_spearmans_rho", "dog", 4),
        ]
        assert [s.value for s in scores[:2]] == [0.25, 0.25]
        assert np.isnan([s.value for s in scores[2:]]).all()
        assert {s.reason for s in scores[2:]} == {"constant predictions"}
        assert {s.note for s in scores} == {"2 speakers"}

    def test_shares_of_unsorted_labels_keep_their_names(self) -> None:
        labels = ("dog", "cat", "ape")
        target = Target(id="animal", label="A", kind="classification", labels=labels)
        samples = pd.DataFrame({"speaker": words("a a b b"), "animal": words("dog cat dog ape")})
        given = View(target, samples, {ORIGINAL: words("cat ape cat dog")})
        errors = make_options().scores(given, [use("class_proportion_mae")])
        assert [(s.label, s.value) for s in errors] == [("ape", 0.5), ("cat", 0.25), ("dog", 0.25)]
        ranks = make_options().scores(given, [use("class_proportion_spearmans_rho")])
        assert [(s.label, s.reason) for s in ranks] == [
            ("ape", ""),
            ("cat", "constant predictions"),
            ("dog", "constant annotations"),
        ]
        assert ranks[0].value == -1

    @pytest.mark.parametrize(("names", "note"), [("a a", "1 rider"), ("a b", "2 riders")])
    def test_note_names_the_unit(self, names: str, note: str) -> None:
        samples = pd.DataFrame({"rider": words(names), "calmness": [0.1, 0.2]})
        given = View(NUMBER, samples, {ORIGINAL: np.array([0.1, 0.3])})
        (score,) = make_options(unit="rider").scores(given, [use("mae")])
        assert score.note == note

    def test_single_unit_has_no_ranking(self) -> None:
        samples = pd.DataFrame({"speaker": words("a a"), "calmness": [0.1, 0.2]})
        given = View(NUMBER, samples, {ORIGINAL: np.array([0.1, 0.3])})
        (score,) = make_options(units=1).scores(given, [use("spearmans_rho")])
        assert np.isnan(score.value)
        assert score.reason == "fewer than 2 speakers"
