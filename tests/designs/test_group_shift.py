"""Predictions of a group against those of all, and of a group in a context."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common.core import paths
from common.core.display import tidy
from common.core.errors import ConfigError, ModelError
from common.core.rng import generator
from common.designs import ORIGINAL, View, check_uses, design_of
from common.designs.context_shift import ContextShift
from common.designs.group_shift import GroupShift
from common.metrics import METRICS
from common.spec import Criterion, MetricUse, Target, Test, load_entries, load_tests

TARGETS = load_entries(Target, paths.CATALOG / "targets.yaml")
NUMBER, CLASS = TARGETS["arousal"], TARGETS["emotion"]
SUITE = load_tests(paths.SUITE)
SHIFT = GroupShift(attribute="language", min_group=2, data="{language}")
CONTEXTS = ContextShift(
    attribute="language",
    context="mood",
    contexts=["down", "up"],
    context_name="{context}-mood",
    min_group=2,
    min_context=1,
    data="{table}-{language}",
)
BINS = ("(-inf, 0.25]", "(0.25, 0.5]", "(0.5, 0.75]", "(0.75, inf]")


def use(metric: str, **params) -> MetricUse:
    return MetricUse(metric=metric, criterion=Criterion(within=0.1), params=params)


def frame(**columns) -> pd.DataFrame:
    samples = pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})
    samples["file"] = pd.Series([f"{n}.wav" for n in range(len(samples))], dtype=object)
    return samples.assign(start=0, end=-1)


def view(target: Target, prediction, samples: pd.DataFrame, **more) -> View:
    kind = float if target is NUMBER else object
    return View(target, samples, {ORIGINAL: np.array(prediction, dtype=kind)}, **more)


def slow_bin(x: float) -> int:
    return 0 if x <= 0.25 else 1 if x <= 0.5 else 2 if x <= 0.75 else 3


def slow_share(values, wanted) -> float:
    return sum(value == wanted for value in values) / len(values)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    samples = frame(
        language=rng.choice(["de", "en", "zh"], 400), mood=rng.choice(["down", "up"], 400)
    )
    return samples, rng.uniform(0, 1, 400), rng.choice(CLASS.labels, 400).astype(object)


class TestGroupShift:
    def test_numbers_against_plain_python(self, data) -> None:
        samples, numbers, _ = data
        uses = [use("mean_difference"), use("relative_difference_per_bin", bins=4, min_count=4)]
        found = SHIFT.scores(view(NUMBER, numbers, samples), uses)
        assert len(found) == 3 + 3 * 4
        for score in found:
            own = [
                x for x, g in zip(numbers, samples.language, strict=True) if g == score.condition
            ]
            if score.metric == "mean_difference":
                reference = sum(numbers) / len(numbers)
                expected = sum(own) / len(own) - reference
            else:
                k = BINS.index(score.label)
                reference = slow_share([slow_bin(x) for x in numbers], k)
                expected = slow_share([slow_bin(x) for x in own], k) - reference
            assert score.value == pytest.approx(expected, abs=1e-12)
            assert score.reference_value == pytest.approx(reference, abs=1e-12)
            assert (score.n, score.data, score.reference) == (len(own), score.condition, "all")

    def test_classes_against_plain_python(self, data) -> None:
        samples, _, classes = data
        found = SHIFT.scores(view(CLASS, classes, samples), [use("relative_difference_per_class")])
        assert [score.label for score in found] == sorted(CLASS.labels) * 3
        for score in found:
            own = [
                x for x, g in zip(classes, samples.language, strict=True) if g == score.condition
            ]
            expected = slow_share(own, score.label) - slow_share(classes, score.label)
            assert score.value == pytest.approx(expected, abs=1e-12)

    def test_a_bin_is_skipped_by_the_predictions_of_all(self) -> None:
        samples = frame(language=["de"] * 5 + ["en"] * 5)
        numbers = [0.1] * 3 + [0.6] * 7
        found = SHIFT.scores(
            view(NUMBER, numbers, samples),
            [use("relative_difference_per_bin", bins=4, min_count=4)],
        )
        first, _, third, _ = found[:4]
        assert np.isnan(first.value)
        assert first.reason == "fewer than 4 predictions of all groups in (-inf, 0.25]"
        assert (third.value, third.reason) == (pytest.approx(0.4 - 0.7), "")

    @pytest.mark.parametrize(
        ("target", "values"), [(NUMBER, [0.5] * 6), (CLASS, [CLASS.labels[1]] * 6)]
    )
    def test_constant_predictions_are_no_pass(self, target: Target, values) -> None:
        samples = frame(language=list("aabbcc"))
        metrics = {
            "regression": "mean_difference",
            "classification": "relative_difference_per_class",
        }
        found = SHIFT.scores(view(target, values, samples), [use(metrics[target.kind])])
        assert all(np.isnan(s.value) and s.reason.startswith("constant") for s in found)

    def test_another_scale_is_an_error(self) -> None:
        with pytest.raises(ModelError, match="scale"):
            SHIFT.scores(
                view(NUMBER, [3.0, 4.0, 5.0, 6.0], frame(language=list("aabb"))),
                [use("mean_difference")],
            )

    def test_small_groups_have_rows_with_a_reason(self) -> None:
        samples = frame(language=["de", "de", "en", "en", "xx"])
        selection = SHIFT.select(NUMBER, samples)
        assert selection.left_out == {("xx",): "1 sample, at least 2 needed"}
        found = SHIFT.scores(
            view(NUMBER, [0.1, 0.2, 0.3, 0.4], samples.iloc[:4], left_out=selection.left_out),
            [use("mean_difference")],
        )
        assert [(s.condition, s.data, s.reason) for s in found][-1] == (
            "xx",
            "xx",
            "1 sample, at least 2 needed",
        )

    def test_any_language_is_a_group(self) -> None:
        samples = frame(language=["tlh"] * 3 + ["qya"] * 3)
        found = SHIFT.scores(view(NUMBER, np.linspace(0, 1, 6), samples), [use("mean_difference")])
        assert [s.condition for s in found] == ["qya", "tlh"]

    def test_sampling_is_seeded_and_the_same_for_all_targets(self) -> None:
        chosen = GroupShift(attribute="language", min_group=2, max_group=20)
        samples = frame(language=["de"] * 90 + ["en"] * 10)
        keys = []

        def draws(*more):
            keys.append(more)
            return generator(0, "test", "data", *more)

        first, second = (
            chosen.draw(target, chosen.select(target, samples), draws).samples
            for target in (NUMBER, CLASS)
        )
        assert first.index.equals(second.index) and keys[0] == keys[1]
        assert first.language.value_counts().to_dict() == {"de": 20, "en": 10}
        assert first.index[:20].tolist() != list(range(20))

    def test_value_is_what_the_metric_says(self, data) -> None:
        """The design uses the level of both sides instead of calling the metric per group."""
        samples, numbers, classes = data
        for target, values, metric, params in (
            (NUMBER, numbers, "mean_difference", {}),
            (NUMBER, numbers, "relative_difference_per_bin", {"bins": 4, "min_count": 90}),
            (CLASS, classes, "relative_difference_per_class", {}),
        ):
            found = SHIFT.scores(view(target, values, samples), [use(metric, **params)])
            own = values[(samples.language == "en").to_numpy()]
            expected = METRICS.get(metric).score(values, own, labels=target.labels, params=params)
            expected = expected if isinstance(expected, dict) else {"": expected}
            got = {s.label: s.value for s in found if s.condition == "en"}
            assert list(got) == list(expected)
            assert np.allclose(list(got.values()), list(expected.values()), equal_nan=True)

    def test_only_differences_of_two_sets_fit(self) -> None:
        test = Test.model_validate(
            {
                "id": "mine",
                "title": "Mine",
                "family": "fairness",
                "design": {"group_shift": {"attribute": "language", "min_group": 2}},
                "regression": [{"metric": "ccc", "within": 0.1}],
            }
        )
        with pytest.raises(ConfigError, match=r"'ccc' is no difference.*mean_difference"):
            check_uses(test)


class TestContextShift:
    def slow(self, samples, value_of, group: str, context: str) -> tuple[float, float]:
        """Shift of a group and mean shift of all groups, by loops."""
        shifts = {}
        for name in sorted(set(samples.language)):
            rows = [n for n, g in enumerate(samples.language) if g == name]
            inside = [n for n in rows if samples.mood[n] == context]
            shifts[name] = value_of(inside) - value_of(rows)
        return shifts[group], sum(shifts.values()) / len(shifts)

    def check(self, found, samples, value_of, contexts: int = 2) -> None:
        for score in found:
            context = score.condition.removesuffix("-mood")
            language = score.data.removeprefix("{table}-")
            shift, average = self.slow(samples, value_of(score), language, context)
            assert score.value == pytest.approx(shift - average, abs=1e-12)
            assert score.reference_value == pytest.approx(average, abs=1e-12)
            assert score.note == tidy(f"({shift:.2f} - {average:.2f})")
            both = (samples.language == language) & (samples.mood == context)
            assert score.n == int(both.sum())

    def test_means_against_plain_python(self, data) -> None:
        samples, numbers, _ = data
        found = CONTEXTS.scores(view(NUMBER, numbers, samples), [use("mean_shift_difference")])
        assert [s.condition for s in found] == ["down-mood"] * 3 + ["up-mood"] * 3
        self.check(found, samples, lambda score: lambda rows: np.mean(numbers[rows]))

    def test_bins_and_classes_against_plain_python(self, data) -> None:
        samples, numbers, classes = data
        binned = np.array([slow_bin(x) for x in numbers])
        found = CONTEXTS.scores(
            view(NUMBER, numbers, samples),
            [use("bin_proportion_shift_difference", bins=4, min_count=10)],
        )
        assert len(found) == 2 * 3 * 4
        self.check(
            found,
            samples,
            lambda score: lambda rows: slow_share(binned[rows], BINS.index(score.label)),
        )
        found = CONTEXTS.scores(
            view(CLASS, classes, samples), [use("class_proportion_shift_difference")]
        )
        self.check(
            found, samples, lambda score: lambda rows: slow_share(classes[rows], score.label)
        )

    def test_a_bin_is_skipped_by_all_predictions_in_the_context(self, data) -> None:
        samples, numbers, _ = data
        inside = (samples.mood == "up").to_numpy()
        numbers = np.where(inside, 0.3 + 0.4 * numbers, numbers)
        found = CONTEXTS.scores(
            view(NUMBER, numbers, samples),
            [use("bin_proportion_shift_difference", bins=4, min_count=10)],
        )
        skipped = {(s.condition, s.label) for s in found if np.isnan(s.value)}
        assert skipped == {("up-mood", BINS[0]), ("up-mood", BINS[3])}
        reasons = {s.reason for s in found if np.isnan(s.value)}
        assert "fewer than 10 predictions of all groups in (-inf, 0.25] in this context" in reasons
        assert {s.note for s in found if np.isnan(s.value)} == {""}

    def test_a_group_with_too_few_in_a_context_is_left_out(self) -> None:
        samples = frame(
            language=["de"] * 4 + ["en"] * 4 + ["it"] * 4,
            mood=["down", "up"] * 4 + ["down"] * 4,
        )
        selection = CONTEXTS.select(NUMBER, samples)
        assert selection.left_out == {("it",): "0 samples in mood up, at least 1 needed"}
        found = CONTEXTS.scores(
            view(
                NUMBER,
                np.linspace(0, 1, 8),
                selection.samples.reset_index(drop=True),
                left_out=selection.left_out,
            ),
            [use("mean_shift_difference")],
        )
        assert [(s.condition, s.data) for s in found if s.reason] == [
            ("down-mood", "{table}-it"),
            ("up-mood", "{table}-it"),
        ]

    def test_misspelt_contexts_are_a_reason(self) -> None:
        samples = frame(language=["de", "en"], mood=["Up", "Down"])
        selection = CONTEXTS.select(NUMBER, samples)
        assert selection.samples.empty
        assert selection.reason == "no sample with mood down, up; found: Down, Up"

    def test_constant_predictions_are_no_pass(self, data) -> None:
        samples, _, _ = data
        found = CONTEXTS.scores(
            view(NUMBER, np.full(400, 0.5), samples), [use("mean_shift_difference")]
        )
        assert all(np.isnan(s.value) and s.reason.startswith("constant") for s in found)

    def test_sizes_of_the_own_group_come_first(self, data) -> None:
        samples, numbers, _ = data
        found = CONTEXTS.scores(view(NUMBER, numbers, samples), [use("mean_shift_difference")])
        for score in found:
            assert len(score.sizes) == 3 and score.sizes[0][1] == score.n
            assert sum(n for n, _ in score.sizes) == 400

    def test_names_in_the_criteria_table(self) -> None:
        test = SUITE["fairness_linguistic_sentiment"]
        chosen = design_of(test)
        assert chosen.criterion_names(NUMBER, "Mean Shift Difference") == [
            "Mean Shift Difference Negative Sentiment",
            "Mean Shift Difference Neutral Sentiment",
            "Mean Shift Difference Positive Sentiment",
        ]

    def test_only_shifts_fit(self) -> None:
        reason = CONTEXTS.misfit(METRICS.get("mean_difference"))
        assert reason.startswith("'mean_difference' is no shift of groups. Known: ")
