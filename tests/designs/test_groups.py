"""What designs that compare groups share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pydantic
import pytest

from common.core import paths
from common.core.errors import DataError, ModelError
from common.designs import ORIGINAL, View
from common.designs.by_group import ByGroup
from common.designs.group_scores import check_predictions, uncounted
from common.designs.groups import Groups, check_units, group_codes
from common.spec import Criterion, MetricUse, Target, load_entries

TARGETS = load_entries(Target, paths.CATALOG / "targets.yaml")
NUMBER, CLASS = TARGETS["arousal"], TARGETS["emotion"]
PITCH = {"speaker_pitch": {"min_samples": 2, "ranges": {"low": [0, 145], "high": [145, 350]}}}


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})


class TestOptions:
    def test_one_attribute_needs_no_brackets(self) -> None:
        options = ByGroup(attribute="sex", groups=["f", "m"], min_group=1)
        assert options.attribute == ("sex",)
        assert options.expected() == [("f",), ("m",)]
        assert options.name(("f",)) == "f"
        assert options.columns() == ["sex"]

    def test_intersections_are_products(self) -> None:
        groups = {"sex": ["f", "m"], "pitch": ["low", "high"]}
        options = ByGroup(attribute=["sex", "pitch"], groups=groups, min_group=1)
        assert options.expected() == [("f", "low"), ("f", "high"), ("m", "low"), ("m", "high")]
        assert options.name(("f", "low")) == "f, low"

    def test_groups_of_some_attributes_only_are_not_all(self) -> None:
        options = ByGroup(attribute=["sex", "age"], groups={"sex": ["f"]}, min_group=1)
        assert options.expected() == []

    def test_computed_attribute_is_not_asked_of_the_dataset(self) -> None:
        options = ByGroup(attribute=["sex", "pitch"], compute={"pitch": PITCH}, min_group=1)
        assert options.columns() == ["sex", "speaker"]
        assert list(options.recipes) == ["pitch"]

    def test_names_follow_templates(self) -> None:
        options = ByGroup(
            attribute="language", condition="in-{language}", data="{table}-{language}", min_group=1
        )
        assert options.name(("de",)) == "in-de"
        assert options.part(("de",)) == "{table}-de"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"attribute": "sex"}, "min_group"),
            ({"attribute": "sex", "min_group": 0}, "min_group"),
            ({"attribute": [], "min_group": 1}, "attribute"),
            ({"attribute": "sex", "grups": ["f"], "min_group": 1}, "grups"),
            (
                {"attribute": "sex", "groups": {"sx": ["f"]}, "min_group": 1},
                "groups: 'sx' is no attribute of this test. Known: sex",
            ),
            (
                {"attribute": "sex", "compute": {"pitch": PITCH}, "min_group": 1},
                "compute: 'pitch' is no attribute",
            ),
            (
                {"attribute": "sex", "compute": {"sex": {"voice": {}}}, "min_group": 1},
                "compute.sex: unknown computed attribute 'voice'",
            ),
            ({"attribute": "sex", "condition": "{sx}", "min_group": 1}, "'sx' is no attribute"),
            ({"attribute": "sex", "data": "{tabel}", "min_group": 1}, "'tabel' is no attribute"),
        ],
    )
    def test_mistakes_are_refused(self, options: dict, message: str) -> None:
        with pytest.raises(pydantic.ValidationError, match=message):
            ByGroup(**options)


class TestCodes:
    def test_groups_that_occur_in_alphabetical_order(self) -> None:
        options = ByGroup(attribute="language", min_group=1)
        names, codes = group_codes(options, frame(language=["pt", None, "de", "pt"]))
        assert names == [("de",), ("pt",)]
        assert codes.tolist() == [1, -1, 0, 1]

    def test_declared_groups_in_their_order_without_others(self) -> None:
        options = ByGroup(attribute="sex", groups=["m", "f"], min_group=1)
        names, codes = group_codes(options, frame(sex=["f", "m", "other", None]))
        assert names == [("m",), ("f",)]
        assert codes.tolist() == [1, 0, -1, -1]

    def test_intersections_need_both(self) -> None:
        options = ByGroup(attribute=["a", "b"], min_group=1)
        samples = frame(a=["x", "x", "y", None], b=["1", "2", "2", "1"])
        names, codes = group_codes(options, samples)
        assert names == [("x", "1"), ("x", "2"), ("y", "2")]
        assert codes.tolist() == [0, 1, 2, -1]

    def test_nothing_there(self) -> None:
        options = ByGroup(attribute="sex", min_group=1)
        assert group_codes(options, frame(sex=[None, None]))[0] == []


class TestEnough:
    OPTIONS = ByGroup(attribute="sex", groups=["f", "m", "x"], min_group=2)

    def test_small_groups_are_left_out_with_their_number(self) -> None:
        groups = Groups(self.OPTIONS, frame(sex=["f", "m", "x", "f", "m"]))
        assert groups.reason() == ""
        assert groups.names == [("f",), ("m",)]
        assert groups.codes.tolist() == [0, 1, -1, 0, 1]
        assert groups.left_out == {("x",): "1 sample, at least 2 needed"}

    def test_one_group_cannot_be_compared(self) -> None:
        groups = Groups(self.OPTIONS, frame(sex=["f", "f", "m"]))
        assert groups.reason() == (
            "fewer than 2 groups of sex with at least 2 samples; samples: f 2; m 1; x 0"
        )

    def test_other_values_are_named(self) -> None:
        reason = Groups(self.OPTIONS, frame(sex=["F", "M", "M"])).reason()
        assert reason.endswith("f 0; m 0; x 0; other values of sex: F, M")

    def test_no_sample_has_the_attribute(self) -> None:
        options = ByGroup(attribute="accent", min_group=2)
        reason = Groups(options, frame(accent=[None, None])).reason()
        assert reason.endswith("2 samples; samples: no sample has one")

    def test_many_groups_are_not_all_named(self) -> None:
        options = ByGroup(attribute="accent", min_group=2)
        reason = Groups(options, frame(accent=[f"a{n:02d}" for n in range(30)])).reason()
        assert reason.count(";") == 11 and reason.endswith("a09 1; ...")


class TestUnits:
    OPTIONS = ByGroup(attribute="sex", unit="speaker", min_group=1)

    def test_a_speaker_with_two_sexes_is_an_error(self) -> None:
        samples = frame(speaker=["a", "a", "b", "b"], sex=["f", "m", "f", None])
        with pytest.raises(
            DataError, match=r"speaker 'a' has several values of sex: f, m \(1 such speakers\)"
        ):
            check_units(self.OPTIONS, samples)

    @pytest.mark.parametrize(
        "samples",
        [
            frame(speaker=["a", "a", None, None], sex=["f", None, "m", "f"]),
            frame(sex=["f", "m"]),
        ],
    )
    def test_missing_values_are_no_contradiction(self, samples: pd.DataFrame) -> None:
        check_units(self.OPTIONS, samples)


class TestPredictions:
    @staticmethod
    def view(values: list, target: Target = NUMBER) -> View:
        kind = float if target is NUMBER else object
        prediction = np.array(values, dtype=kind)
        return View(target, pd.DataFrame(index=range(len(values))), {ORIGINAL: prediction})

    def test_constant_predictions_cannot_be_compared(self) -> None:
        assert check_predictions(self.view([0.3] * 4))[0] == (
            "constant predictions: 0.3 for all 4 samples"
        )
        assert check_predictions(self.view([CLASS.labels[0]] * 3, CLASS))[0].startswith(
            f"constant predictions: {CLASS.labels[0]} for"
        )

    def test_usual_predictions_are_fine(self) -> None:
        assert check_predictions(self.view([0.0, 1.0])) == ("", "")
        assert check_predictions(self.view(list(CLASS.labels), CLASS)) == ("", "")

    def test_few_outside_are_noted(self) -> None:
        values = [1.02] + [n / 20 for n in range(19)]
        assert check_predictions(self.view(values)) == (
            "",
            "1 of 20 predictions outside [0, 1]",
        )

    @pytest.mark.parametrize("values", [[1.0, 4.0, 7.0], [-0.1, -0.2, 0.5]])
    def test_another_scale_is_an_error(self, values: list[float]) -> None:
        with pytest.raises(ModelError, match=r"predictions outside \[0, 1\], from .*'scale: "):
            check_predictions(self.view(values))


def test_the_count_of_a_bin_concerns_all_groups_together() -> None:
    use = MetricUse(metric="recall_per_bin", criterion=Criterion(within=0.1), params={"bins": 4})
    assert uncounted(use) is use
    counted = use.model_copy(update={"params": {"bins": 4, "min_count": 67}})
    assert uncounted(counted).params == {"bins": 4, "min_count": 0}
    assert counted.params["min_count"] == 67
