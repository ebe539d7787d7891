"""What every registered metric must have, and its names on pages."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

from common.core import paths
from common.core.errors import LengthError
from common.metrics import METRICS
from common.metrics.base import TAKES, check_lengths, floats, mean

PUBLISHED = paths.REPOSITORY / "extra" / "published" / "thresholds.csv"
#: test and metric of the paper -> id here
SHORTS = {
    "concordance-correlation-coeff": "ccc",
    "pearson-correlation-coeff": "pcc",
    "jensen-shannon-distance": "jensen_shannon_distance",
    "unweighted-average-recall": "uar",
    "unweighted-average-precision": "uap",
    "recall-per-class": "recall_per_class",
    "precision-per-class": "precision_per_class",
    "relative-difference-per-class": "relative_difference_per_class",
    "relative-difference-per-bin": "relative_difference_per_bin",
    "mean-value": "mean_difference",
    "class-proportion-mean-absolute-error": "class_proportion_mae",
    "samples-in-expected-low-range": "samples_in_expected_low_range",
    "samples-in-expected-neutral-range": "samples_in_expected_neutral_range",
    "samples-in-expected-high-range": "samples_in_expected_high_range",
}
#: short names that the paper cuts in the middle of a word, and the whole ones
WHOLE = {"Samples Expected Neu": "Samples Expected Neutral"}


@pytest.fixture(scope="module")
def published() -> list[dict[str, str]]:
    with PUBLISHED.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_metrics_are_registered() -> None:
    assert set(METRICS.names()) >= {
        "bin_proportion_shift_difference",
        "ccc",
        "change_ccc",
        "change_uar",
        "class_proportion_mae",
        "class_proportion_shift_difference",
        "class_proportion_spearmans_rho",
        "jensen_shannon_distance",
        "mae",
        "mean_difference",
        "mean_directional_error",
        "mean_shift_difference",
        "pcc",
        "percentage_unchanged",
        "percentage_unchanged_classes",
        "precision_per_bin",
        "precision_per_class",
        "recall_per_bin",
        "recall_per_class",
        "relative_difference_per_bin",
        "relative_difference_per_class",
        "samples_in_expected_high_range",
        "samples_in_expected_low_range",
        "samples_in_expected_neutral_range",
        "spearmans_rho",
        "uap",
        "uar",
    }


@pytest.mark.parametrize("metric", list(METRICS), ids=METRICS.names())
class TestEachMetric:
    def test_citation_exists(self, metric) -> None:
        entries = (paths.DOCS / "refs.bib").read_text("utf-8")
        assert re.search(rf"^@\w+{{{metric.cite},$", entries, re.MULTILINE)

    def test_docstring_says_what_comes_back(self, metric) -> None:
        text = metric.function.__doc__
        assert text.splitlines()[0].rstrip().endswith((".", "rare they are.", ":"))
        if metric.takes != "range":  # those refer to the function that they share
            assert ("Args:" in text and "Returns:" in text and "NaN" in text) or "label ->" in text

    def test_arguments_are_those_that_it_takes(self, metric) -> None:
        code = metric.function.__code__
        assert code.co_varnames[: code.co_argcount] == TAKES[metric.takes]

    def test_parameters_have_no_default(self, metric) -> None:
        assert metric.function.__kwdefaults__ is None
        assert metric.function.__defaults__ is None

    def test_filled_parameters_exist(self, metric) -> None:
        assert set(metric.filled) <= set(metric.keywords)

    def test_bounds_are_ordered(self, metric) -> None:
        assert metric.bounds[0] < metric.bounds[1]


class TestPublishedNames:
    def test_names_and_short_names(self, published) -> None:
        seen = {}
        for row in published:
            if row["metric"] in SHORTS:
                seen[row["metric"]] = (row["metric_name"], WHOLE.get(row["short"], row["short"]))
        assert set(seen) == set(SHORTS)
        for name, expected in seen.items():
            metric = METRICS.get(SHORTS[name])
            assert (metric.label, metric.short) == expected

    def test_two_meanings_of_one_name(self, published) -> None:
        """Rho and the errors have one name for dimensions and classes, or two shorts."""
        rho = {r["metric_name"] for r in published if r["test"] == "correctness_speaker_ranking"}
        assert rho == {METRICS.get("spearmans_rho").label}
        assert rho == {METRICS.get("class_proportion_spearmans_rho").label}
        mae = {
            (r["metric_name"], r["short"])
            for r in published
            if r["test"] == "correctness_regression" and r["metric"] == "mean-absolute-error"
        }
        assert mae == {(METRICS.get("mae").label, METRICS.get("mae").short)}

    def test_every_published_name_starts_with_a_label(self, published) -> None:
        """The names of fairness and robustness add the condition."""
        labels = tuple(metric.label.lower() for metric in METRICS)
        names = {row["metric_name"] for row in published}
        other = {n for n in names if not n.lower().startswith(labels)}
        assert not other


def test_check_lengths_names_the_arrays() -> None:
    with pytest.raises(LengthError, match=r"arrays differ in length \(truth: 2, prediction: 3\)"):
        check_lengths(truth=np.zeros(2), prediction=np.zeros(3))


def test_floats_leaves_inputs_alone() -> None:
    given = np.array([1, 2], dtype=np.float32)
    (converted,) = floats(values=given)
    assert converted.dtype == np.float64
    assert given.dtype == np.float32


def test_mean_of_nothing_is_nan_without_a_warning() -> None:
    assert np.isnan(mean(np.array([])))


class TestScore:
    def test_labels_are_given_where_wanted(self) -> None:
        values = np.array(["a", "b"], dtype=object)
        assert METRICS.get("uar").score(values, values, labels=("a", "b")) == 1
        assert METRICS.get("percentage_unchanged_classes").score(values, values, labels=("a",)) == 1

    def test_params_are_passed_on(self) -> None:
        metric = METRICS.get("jensen_shannon_distance")
        truth, prediction = np.array([0.1, 0.2]), np.array([0.3, 0.4])
        assert metric.score(truth, prediction, params={"bins": 2}) == 0
        assert metric.score(truth, prediction, params={"bins": 4}) > 0
