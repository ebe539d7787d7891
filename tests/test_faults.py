"""One test per fault of the reference suite that would change numbers or verdicts here.

The ids are those of part A of the specification. Each test says what the fault does and fails
for a program that has it; where it helps, the faulty behaviour is written down beside ours.
Faults of the engine (A12, A22, A25) are tested with the engine.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common.core import paths
from common.core.errors import ModelError
from common.designs import ORIGINAL, Score, View, design_of
from common.metrics.agreement import percentage_unchanged
from common.metrics.bins import bin_codes
from common.metrics.distribution import jensen_shannon_distance
from common.results.judge import judge
from common.spec import Criterion, MetricUse, Target, Test, kinds, load_entries, load_tests

SUITE = load_tests(paths.SUITE)
TARGETS = load_entries(Target, paths.CATALOG / "targets.yaml")
NUMBER, CLASS = TARGETS["arousal"], TARGETS["emotion"]
NAN = float("nan")


def scores(
    test: Test, target: Target, samples: pd.DataFrame, prediction: np.ndarray
) -> list[Score]:
    """Scores of a test of the suite, as the engine would compute them."""
    view = View(target, samples.reset_index(drop=True), {ORIGINAL: prediction})
    return design_of(test).scores(view, test.uses(target.kind))


def verdicts(test: Test, target: Target, found: list[Score]) -> list[str]:
    criteria = {use.metric: use.criterion for use in test.uses(target.kind)}
    return [judge(s.value, criteria[s.metric], s.reason).status for s in found]


def words(values: list[str]) -> np.ndarray:
    return np.array(values, dtype=object)


def speakers(count: int, each: int) -> np.ndarray:
    return words([f"s{n}" for n in range(count) for _ in range(each)])


class TestA3HistogramOfTheDistribution:
    """Nine bins up to 0.9: what lies above 0.9 or below 0 is dropped, so a model that moves its
    values out of the scale, or its errors there, is not seen."""

    @staticmethod
    def reference(values: list[float]) -> np.ndarray:
        return np.histogram(np.array(values, np.float32), np.arange(0, 1, 0.1))[0]

    def test_a3_the_upper_end_counts(self) -> None:
        truth, prediction = [0.05, 0.05, 0.95, 0.95], [0.05, 0.05, 0.05, 0.05]
        shares = [self.reference(v) / self.reference(v).sum() for v in (truth, prediction)]
        np.testing.assert_array_equal(*shares)  # no difference at all, in the reference
        ours = jensen_shannon_distance(np.array(truth), np.array(prediction), bins=10)
        assert ours == pytest.approx(0.5579, abs=1e-4)

    def test_a3_values_outside_the_scale_count_at_its_ends(self) -> None:
        inside, outside = np.array([0.05, 0.95]), np.array([-2.0, 7.0])
        assert self.reference([-2.0, 7.0]).sum() == 0
        assert jensen_shannon_distance(inside, outside, bins=10) == 0

    def test_a3_the_suite_asks_for_ten_bins(self) -> None:
        (use,) = SUITE["correctness_distribution"].regression
        assert use.params == {"bins": 10}

    @pytest.mark.parametrize("value", [k / 10 for k in range(1, 10)])
    def test_a3_values_on_an_edge_lie_below_it(self, value: float) -> None:
        """In float32 0.1, 0.3, 0.6 and others fall into the next bin, 0.5 and 0.7 do not."""
        assert bin_codes(np.array([value]), 10).tolist() == [round(value * 10) - 1]


class TestA4Rounding:
    """Predictions, differences and scores are rounded before they are compared: thresholds move
    by half a step, and at a difference of 0.05 float noise decides."""

    @pytest.mark.parametrize(
        ("value", "stored", "criterion", "status"),
        [
            (0.504, 0.5, Criterion(above=0.5), "pass"),
            (0.0999, 0.1, Criterion(within=0.1), "pass"),
            (-0.0495, -0.05, Criterion(above=-0.05), "pass"),
            (0.0998, 0.1, Criterion(below=0.1), "pass"),
            (0.1254, 0.12, Criterion(within=0.125), "fail"),  # rounded twice: 0.125, then 0.12
        ],
    )
    def test_a4_the_raw_score_is_judged(
        self, value: float, stored: float, criterion: Criterion, status: str
    ) -> None:
        assert judge(stored, criterion).status != status
        assert judge(value, criterion).status == status

    def test_a4_unchanged_predictions_are_counted_on_raw_values(self) -> None:
        before, after = 0.2, 0.2535
        rounded = [np.float32(np.round(v, 2)) for v in (before, after)]
        assert abs(rounded[1] - rounded[0]) < np.float32(0.05)  # noise: 0.049999997
        unchanged = percentage_unchanged(np.array([before]), np.array([after]), tolerance=0.05)
        assert unchanged == 0

    def test_a4_ranges_see_raw_predictions(self) -> None:
        """0.4549 is 0.45 and low, in the reference."""
        test = SUITE["correctness_consistency"]
        samples = pd.DataFrame({"emotion": words(["sadness"])})
        found = {
            score.label: score.value
            for score in scores(test, NUMBER, samples, np.array([0.4549]))
            if score.n
        }
        assert found == {"sadness": 0.0}

    def test_a4_bins_see_raw_predictions(self) -> None:
        """0.2549 is 0.25 and in the first of four bins, in the reference."""
        assert bin_codes(np.array([0.2549]), 4).tolist() == [1]

    def test_a4_averages_are_of_raw_predictions(self) -> None:
        test = SUITE["correctness_speaker_average"]
        samples = pd.DataFrame({"speaker": speakers(6, 10), "arousal": np.full(60, 0.5)})
        (mae,) = scores(test, NUMBER, samples, np.full(60, 0.5004))
        assert mae.value == pytest.approx(0.0004, abs=1e-12)


def test_a5_reversed_ranking_fails() -> None:
    """|rho| > 0.7 is compared, so a model that ranks speakers upside down passes; two published
    cells do so."""
    test = SUITE["correctness_speaker_ranking"]
    value = np.repeat(np.linspace(0.2, 0.8, 6), 10)
    samples = pd.DataFrame({"speaker": speakers(6, 10), "arousal": value})
    found = scores(test, NUMBER, samples, 1 - value)
    assert [score.value for score in found] == [-1.0]
    assert verdicts(test, NUMBER, found) == ["fail"]
    assert verdicts(test, NUMBER, scores(test, NUMBER, samples, value)) == ["pass"]


def test_a9_neutral_ends_at_0_6() -> None:
    """0.7 in the code, against the reference's own page: more samples count as neutral."""
    test = SUITE["correctness_consistency"]
    assert tuple(test.options["ranges"]["neutral"]) == (0.3, 0.6)
    samples = pd.DataFrame({"emotion": words(["neutral"] * 4)})
    found = scores(test, NUMBER, samples, np.array([0.3, 0.6, 0.65, 0.7]))
    assert [score.value for score in found if score.n] == [0.5]


class TestA14ZeroIsAScore:
    """A score of 0.0 (or an empty dictionary) is taken for "no result": the metric is lost, and
    later tables do not fit together."""

    def test_a14_perfect_difference_is_kept_and_passes(self) -> None:
        test = SUITE["correctness_distribution"]
        truth = words(["anger", "happiness", "neutral", "sadness"])
        found = scores(test, CLASS, pd.DataFrame({"emotion": truth}), truth[::-1])
        assert [score.value for score in found] == [0, 0, 0, 0]
        assert verdicts(test, CLASS, found) == ["pass"] * 4

    def test_a14_empty_range_is_kept_and_fails(self) -> None:
        test = SUITE["correctness_consistency"]
        samples = pd.DataFrame({"emotion": words(["anger"])})
        found = [s for s in scores(test, NUMBER, samples, np.array([0.0])) if s.n]
        assert [(score.label, score.value) for score in found] == [("anger", 0.0)]
        assert verdicts(test, NUMBER, found) == ["fail"]

    def test_a14_recall_of_zero_is_kept_and_fails(self) -> None:
        test = SUITE["correctness_classification"]
        samples = pd.DataFrame({"emotion": words(["anger", "anger"])})
        found = scores(test, CLASS, samples, words(["sadness", "sadness"]))
        assert len(found) == 6
        assert [score.value for score in found] == [0.0] * 6
        assert verdicts(test, CLASS, found) == ["fail"] * 6


class TestA15NeverPredictedClass:
    """The share of a class that is never predicted is NaN: no error, counted as failed."""

    # 6 speakers with 8 samples of each class; the model never says "anger"
    TRUTH = words(list(CLASS.labels) * 8 * 6)
    SAMPLES = pd.DataFrame({"speaker": speakers(6, 32), "emotion": TRUTH})
    PREDICTION = np.where(TRUTH == "anger", "sadness", TRUTH).astype(object)

    def test_a15_error_is_a_number(self) -> None:
        test = SUITE["correctness_speaker_average"]
        found = scores(test, CLASS, self.SAMPLES, self.PREDICTION)
        assert [(s.label, s.value) for s in found] == [
            ("anger", 0.25),
            ("happiness", 0.0),
            ("neutral", 0.0),
            ("sadness", 0.25),
        ]
        assert verdicts(test, CLASS, found) == ["fail", "pass", "pass", "fail"]

    def test_a15_ranking_is_skipped_with_a_reason(self) -> None:
        test = SUITE["correctness_speaker_ranking"]
        truth = self.TRUTH.copy()
        truth[[1, 33, 34]] = "anger"  # speakers differ
        samples = self.SAMPLES.assign(emotion=truth)
        anger = scores(test, CLASS, samples, self.PREDICTION)[0]
        assert (anger.label, anger.reason) == ("anger", "constant predictions")
        assert verdicts(test, CLASS, [anger]) == ["skip"]


@pytest.mark.parametrize(
    "criterion",
    [
        Criterion(above=0.5),
        Criterion(below=0.1),
        Criterion(within=0.1),
        Criterion(between=(0, 1)),
    ],
    ids=str,
)
def test_a16_missing_value_is_skipped_for_every_criterion(criterion: Criterion) -> None:
    """Missing values fail for some comparisons and are skipped for others, so that shares of
    passed tests have different denominators."""
    assert judge(NAN, criterion, "no samples").status == "skip"
    assert judge(NAN, criterion, "no samples").reason == "no samples"


class TestA24ClassesOfTheTargetOnly:
    """Arg max over all labels of an output, and a default order if it names none: predictions
    outside the classes, or classes that are swapped."""

    def test_a24_other_labels_cannot_win(self) -> None:
        frame = pd.DataFrame({column: [0.1] for column in CLASS.columns})
        frame["emotion/neutral"] = 0.2
        frame["emotion/boredom"] = 0.9
        assert kinds.get("classification").decode(CLASS, frame).tolist() == ["neutral"]

    def test_a24_columns_are_found_by_name(self) -> None:
        frame = pd.DataFrame([[0.7, 0.1, 0.1, 0.1]], columns=list(CLASS.columns)[::-1])
        assert kinds.get("classification").decode(CLASS, frame).tolist() == ["sadness"]

    def test_a24_no_default_for_missing_labels(self) -> None:
        with pytest.raises(ModelError, match=r"no prediction column 'emotion/anger'"):
            kinds.get("classification").decode(CLASS, pd.DataFrame({"0": [0.1], "1": [0.9]}))
        with pytest.raises(ModelError, match=r"shape \(1, 5\), expected \(N, 4\)"):
            kinds.get("classification").encode(CLASS, np.zeros((1, 5)))


class TestA33DatasetsDoNotDependOnEachOther:
    """A metric without a value for the first dataset is dropped for all of them; one without a
    value for another dataset is an exception."""

    FIRST = pd.DataFrame({"emotion": words(["anger", "anger"])})
    SECOND = pd.DataFrame({"emotion": words(["sadness", "anger"])})

    def test_a33_category_that_only_the_second_has(self) -> None:
        test = SUITE["correctness_consistency"]
        first = scores(test, NUMBER, self.FIRST, np.array([0.9, 0.1]))
        second = scores(test, NUMBER, self.SECOND, np.array([0.2, 0.9]))
        assert [(s.metric, s.label) for s in first] == [(s.metric, s.label) for s in second]
        values = {s.label: (s.value, t.value) for s, t in zip(first, second, strict=True)}
        assert values["anger"] == (0.5, 1.0)
        assert np.isnan(values["sadness"][0])
        assert values["sadness"][1] == 1.0
        missing = next(s for s in first if s.label == "sadness")
        assert missing.reason == "no sample of sadness"
        assert verdicts(test, NUMBER, [missing]) == ["skip"]

    def test_a33_class_that_only_the_second_has(self) -> None:
        test = SUITE["correctness_classification"]
        recalls = []
        for table in (self.FIRST, self.SECOND):
            found = scores(test, CLASS, table, table["emotion"].to_numpy(dtype=object))
            recalls.append([s.label for s in found if s.metric == "recall_per_class"])
        assert recalls == [["anger"], ["anger", "sadness"]]


def test_criteria_of_the_suite_are_the_published_ones() -> None:
    """A fixed rule is of no use with another number beside it."""
    published = {
        "correctness_classification": {"> 0.5"},
        "correctness_consistency": {"> 0.75"},
        "correctness_distribution": {"< 0.2", "|x| < 0.15"},
        "correctness_regression": {"> 0.5", "< 0.1"},
        "correctness_speaker_average": {"< 0.1"},
        "correctness_speaker_ranking": {"> 0.7"},
    }
    for name, expected in published.items():
        uses: list[MetricUse] = [*SUITE[name].regression, *SUITE[name].classification]
        assert {str(use.criterion) for use in uses} == expected
