from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.core import paths
from common.core.errors import ConfigError
from common.designs import DESIGNS, check_uses, design_of
from common.designs.base import score_pair
from common.spec import MetricUse, Test, load_tests


def make_test(design: object, **uses: object) -> Test:
    content = {"id": "t", "origin": Path("suite/t.yaml"), "title": "T", "family": "correctness"}
    return Test.model_validate({**content, "design": design, **uses})


PER_UNIT = {"unit": "speaker", "min_samples": 10, "min_per_class": 8, "min_units": 6}
RANGES = {
    "column": "animal",
    "ranges": {"low": [None, 0.45]},
    "expected": {"cat": {"calmness": "low"}},
}


def test_every_test_of_the_suite_fits_its_design() -> None:
    tests = [
        test for test in load_tests(paths.SUITE).values() if test.design_name in DESIGNS.names()
    ]
    assert len(tests) >= 6
    for test in tests:
        check_uses(test)


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (
            {"per_unit": {**PER_UNIT, "min_sample": 3}},
            r"^suite/t.yaml: design.per_unit.min_sample: unknown key. "
            r"Did you mean 'min_samples'\? Known: min_per_class, min_samples, min_units, unit$",
        ),
        (
            {"per_unit": {"unit": "speaker", "min_samples": 1, "min_units": 1}},
            r"^suite/t.yaml: design.per_unit.min_per_class: missing$",
        ),
        (
            {"per_unit": {**PER_UNIT, "min_samples": "many"}},
            r"^suite/t.yaml: design.per_unit.min_samples: expected a whole number, found 'many'$",
        ),
        (
            {"per_unit": {**PER_UNIT, "min_units": 0}},
            r"design.per_unit.min_units: Input should be greater than or equal to 1, found 0$",
        ),
        (
            {"per_unit": {**PER_UNIT, "unit": ""}},
            r"design.per_unit.unit: String should have at least 1 character",
        ),
        (
            {"perturbed": {"condition": ["hum"]}},
            r"design.perturbed.condition: unknown key. Did you mean 'conditions'\? Known: conditions$",
        ),
        (
            {"against_truth": {"column": "x"}},
            r"^suite/t.yaml: design.against_truth.column: unknown key",
        ),
        (
            {"expected_range": {**RANGES, "expected": {"cat": {"calmness": "lo"}}}},
            r"^suite/t.yaml: design.expected_range: expected.cat.calmness: unknown range 'lo'. "
            r"Did you mean 'low'\? Known: low",
        ),
        (
            {"expected_range": {**RANGES, "ranges": {"low": [0.6, 0.3]}}},
            r"design.expected_range.ranges: range 'low': 0.6 lies above 0.3",
        ),
        (
            {"expected_range": {**RANGES, "ranges": {"low": [None, None]}}},
            r"design.expected_range.ranges: range 'low': needs a lower or an upper limit",
        ),
        (
            {"expected_range": {**RANGES, "ranges": {"low": [0.3]}}},
            r"design.expected_range.ranges.low\[1\]: missing",
        ),
    ],
)
def test_wrong_options_are_named(design: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        test = make_test(design)
        design_of(test)
    assert "\n" not in str(caught.value)


def test_the_design_of_a_test_is_parsed_once() -> None:
    test = make_test({"per_unit": PER_UNIT})
    first = design_of(test)
    assert design_of(test) is first and isinstance(first, DESIGNS.get("per_unit"))
    changed = test.model_copy(update={"design": {"per_unit": {**PER_UNIT, "min_units": 7}}})
    assert design_of(changed).model_dump() == {**first.model_dump(), "min_units": 7}


@pytest.mark.parametrize(
    ("design", "uses", "message"),
    [
        (
            "against_truth",
            {"regression": [{"metric": "samples_in_expected_low_range", "above": 0.5}]},
            r"^suite/t.yaml: regression\[0\].metric: design 'against_truth': 'samples_in_",
        ),
        (
            "against_truth",
            {
                "classification": [
                    {"metric": "uar", "above": 0.5},
                    {"metric": "class_proportion_mae", "below": 0.5},
                ]
            },
            r"classification\[1\].metric: design 'against_truth': 'class_proportion_mae' does not",
        ),
        (
            {"expected_range": RANGES},
            {"regression": [{"metric": "ccc", "above": 0.5}]},
            r"'ccc' is not the metric of a range. Known: samples_in_expected_low_range$",
        ),
        (
            {"expected_range": RANGES},
            {"regression": [{"metric": "samples_in_expected_high_range", "above": 0.5}]},
            r"'samples_in_expected_high_range' is not the metric of a range. Known: .*_low_range$",
        ),
        (
            {"per_unit": PER_UNIT},
            {"classification": [{"metric": "uar", "above": 0.5}]},
            r"'uar' is no classification metric of units. Known: .*class_proportion_mae",
        ),
        (
            "against_truth",
            {"regression": [{"metric": "cc", "above": 0.5}]},
            r"^suite/t.yaml: regression\[0\].metric: unknown metric 'cc'. Did you mean 'ccc'\?",
        ),
        ("against_truht", {}, r"^suite/t.yaml: design: unknown design 'against_truht'. Did you m"),
    ],
)
def test_metrics_that_do_not_fit_are_named(design: object, uses: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_uses(make_test(design, **uses))


class TestScorePair:
    def test_n_of_bins(self) -> None:
        truth = np.array([0.1, 0.2, 0.9])
        prediction = np.array([0.1, 0.9, 0.9])
        recall, precision = (
            score_pair(
                MetricUse.model_validate({"metric": name, "above": 0.5, "bins": 2, "min_count": 2}),
                truth,
                prediction,
            )
            for name in ("recall_per_bin", "precision_per_bin")
        )
        assert [(s.label, s.n) for s in recall] == [("(-inf, 0.5]", 2), ("(0.5, inf]", 1)]
        assert [(s.label, s.n) for s in precision] == [("(-inf, 0.5]", 1), ("(0.5, inf]", 2)]
        assert [s.reason for s in recall] == ["", "fewer than 2 samples in (0.5, inf]"]
        assert np.isnan(recall[1].value)
