"""Score of a group minus that of all, against a plain Python implementation."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from common.core import paths
from common.core.errors import DataError
from common.core.rng import generator
from common.designs import ORIGINAL, View, design_of
from common.designs.by_group import ByGroup
from common.designs.certainty import cluster_codes, sure
from common.spec import Criterion, MetricUse, Target, load_entries, load_tests
from common.uncertainty import Bootstrap

TARGETS = load_entries(Target, paths.CATALOG / "targets.yaml")
NUMBER, CLASS = TARGETS["arousal"], TARGETS["emotion"]
SUITE = load_tests(paths.SUITE)
OPTIONS = ByGroup(attribute="sex", groups=["f", "m"], min_group=2)
NAN = float("nan")


def use(metric: str, **params) -> MetricUse:
    return MetricUse(metric=metric, criterion=Criterion(within=0.1), params=params)


def frame(target: Target, truth, **columns) -> pd.DataFrame:
    samples = pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})
    samples[target.id] = np.array(truth, dtype=float if target is NUMBER else object)
    samples["file"] = pd.Series([f"{n}.wav" for n in range(len(samples))], dtype=object)
    return samples.assign(start=0, end=-1)


def run(target, truth, prediction, groups, uses, chosen=OPTIONS, **view):
    samples = frame(target, truth, sex=groups)
    predicted = np.array(prediction, dtype=float if target is NUMBER else object)
    return chosen.scores(View(target, samples, {ORIGINAL: predicted}, **view), uses)


# --- an independent implementation ---------------------------------------------------------


def slow_ccc(pairs) -> float:
    n = len(pairs)
    mt, mp = sum(t for t, _ in pairs) / n, sum(p for _, p in pairs) / n
    cov = sum((t - mt) * (p - mp) for t, p in pairs)
    var = sum((t - mt) ** 2 for t, _ in pairs) + sum((p - mp) ** 2 for _, p in pairs)
    return 2 * cov / (var + n * (mp - mt) ** 2)


def slow_bin(x: float) -> int:
    return 0 if x <= 0.25 else 1 if x <= 0.5 else 2 if x <= 0.75 else 3


def slow_share(pairs, label, *, recall: bool) -> float:
    """Recall or precision of a label; 0 without a denominator."""
    of = [pair for pair in pairs if pair[0 if recall else 1] == label]
    return sum(t == p for t, p in of) / len(of) if of else 0.0


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0, 1, 300)
    prediction = np.clip(truth + rng.normal(0.05, 0.2, 300), 0, 1)
    return truth, prediction, rng.choice(["f", "m"], 300)


def test_ccc_of_each_group_minus_that_of_all(numbers) -> None:
    truth, prediction, group = numbers
    found = run(NUMBER, truth, prediction, group, [use("ccc")])
    pairs = list(zip(truth, prediction, strict=True))
    assert [score.condition for score in found] == ["f", "m"]
    for score in found:
        own = [pair for pair, name in zip(pairs, group, strict=True) if name == score.condition]
        assert score.value == pytest.approx(slow_ccc(own) - slow_ccc(pairs), abs=1e-12)
        assert score.reference_value == pytest.approx(slow_ccc(pairs), abs=1e-12)
        assert (score.reference, score.n) == ("all", len(own))


@pytest.mark.parametrize("recall", [True, False])
def test_bins_of_each_group_minus_those_of_all(numbers, recall: bool) -> None:
    truth, prediction, group = numbers
    name = "recall_per_bin" if recall else "precision_per_bin"
    found = run(NUMBER, truth, prediction, group, [use(name, bins=4, min_count=1)])
    pairs = [(slow_bin(t), slow_bin(p)) for t, p in zip(truth, prediction, strict=True)]
    assert len(found) == 8
    for number, score in enumerate(found):
        own = [pair for pair, g in zip(pairs, group, strict=True) if g == score.condition]
        k = number % 4
        expected = slow_share(own, k, recall=recall) - slow_share(pairs, k, recall=recall)
        assert score.value == pytest.approx(expected, abs=1e-12)
        assert score.n == sum(pair[0 if recall else 1] == k for pair in own)


def test_classes_of_each_group_minus_those_of_all() -> None:
    rng = np.random.default_rng(1)
    truth, prediction = (rng.choice(CLASS.labels, 400).astype(object) for _ in range(2))
    group = rng.choice(["f", "m"], 400)
    uses = [use("uar"), use("recall_per_class"), use("precision_per_class")]
    found = run(CLASS, truth, prediction, group, uses)
    pairs = list(zip(truth, prediction, strict=True))
    assert len(found) == 2 * (1 + 4 + 4)
    for score in found:
        own = [pair for pair, g in zip(pairs, group, strict=True) if g == score.condition]
        recall = score.metric != "precision_per_class"
        labels = [score.label] if score.label else sorted(CLASS.labels)
        values = [
            sum(slow_share(part, label, recall=recall) for label in labels) / len(labels)
            for part in (own, pairs)
        ]
        assert score.value == pytest.approx(values[0] - values[1], abs=1e-12)


# --- rules ---------------------------------------------------------------------------------


def test_a10_the_truth_of_all_groups_decides_about_a_bin() -> None:
    """The reference skips a bin for the count of the group too, and more than it says."""
    truth = [0.1] * 10 + [0.9] * 6
    prediction = [0.1, 0.9] * 6 + [0.1, 0.1, 0.1, 0.9]
    group = ["f"] * 9 + ["m"] + ["f"] * 3 + ["m"] * 3
    for name in ("recall_per_bin", "precision_per_bin"):
        found = run(NUMBER, truth, prediction, group, [use(name, bins=4, min_count=6)])
        values = {(score.condition, score.label): score for score in found}
        # one sample of 'm' in the first bin: judged, and its number is shown
        score = values["m", "(-inf, 0.25]"]
        assert not np.isnan(score.value)
        assert score.n == (1 if name == "recall_per_bin" else 2)
        skipped = values["f", "(0.25, 0.5]"]
        assert np.isnan(skipped.value)
        assert skipped.reason == "fewer than 6 samples in (0.25, 0.5]"


def test_a_group_without_samples_in_a_judged_bin_has_the_score_zero() -> None:
    truth, prediction = [0.1] * 6 + [0.9] * 2, [0.1, 0.9] * 4
    group = ["f"] * 6 + ["m"] * 2
    found = run(NUMBER, truth, prediction, group, [use("recall_per_bin", bins=4, min_count=3)])
    score = next(s for s in found if s.condition == "m" and s.label == "(-inf, 0.25]")
    assert (score.value, score.n, score.reference_value) == (-0.5, 0, 0.5)


def test_constant_predictions_have_no_score() -> None:
    found = run(NUMBER, [0.1, 0.2, 0.3, 0.4], [0.5] * 4, "ffmm", [use("ccc")])
    assert all(np.isnan(score.value) for score in found)
    assert {score.reason for score in found} == {"constant predictions: 0.5 for all 4 samples"}
    label = CLASS.labels[0]
    uses = [use("uar"), use("recall_per_class"), use("precision_per_class")]
    found = run(CLASS, list(CLASS.labels), [label] * 4, "ffmm", uses)
    assert len(found) == 18 and all(np.isnan(score.value) for score in found)


def test_remarks_and_groups_that_were_left_out_are_shown() -> None:
    found = run(
        NUMBER,
        [0.1, 0.2, 0.3, 0.4],
        [0.1, 0.3, 0.2, 0.4],
        "ffmm",
        [use("ccc")],
        ByGroup(attribute="sex", min_group=2),
        note="F0 by something",
        left_out={("x",): "1 sample, at least 2 needed"},
    )
    assert [score.condition for score in found] == ["f", "m", "x"]
    assert [score.note for score in found] == ["F0 by something", "F0 by something", ""]
    assert found[2].reason == "1 sample, at least 2 needed" and np.isnan(found[2].value)
    assert found[0].sizes == ((2, 0), (2, 0))


# --- selection and draw ---------------------------------------------------------------------


def draws(*keys):
    return generator(0, "test", "data", *keys)


def test_rows_without_label_group_or_declared_group_take_no_part() -> None:
    table = frame(NUMBER, [0.1, NAN, 0.3, 0.4, 0.5, 0.6], sex=["f", "f", "m", None, "x", "f"])
    chosen = ByGroup(attribute="sex", groups=["f", "m"], min_group=1)
    assert chosen.select(NUMBER, table).samples.index.tolist() == [0, 2, 5]


def test_small_group_is_left_out_and_too_few_groups_are_a_reason() -> None:
    table = frame(NUMBER, np.linspace(0, 1, 9), sex=list("ffffmmmmx"))
    found = ByGroup(attribute="sex", min_group=2).select(NUMBER, table)
    assert len(found.samples) == 8
    assert found.left_out == {("x",): "1 sample, at least 2 needed"}
    found = ByGroup(attribute="sex", min_group=5).select(NUMBER, table)
    assert found.samples.empty and "samples: f 4; m 4; x 1" in found.reason


def test_no_usable_label_is_a_reason() -> None:
    found = OPTIONS.select(NUMBER, frame(NUMBER, [NAN, NAN], sex=["f", "m"]))
    assert found.samples.empty and "no sample with a usable label of" in found.reason


def test_speaker_with_two_sexes_is_an_error() -> None:
    table = frame(NUMBER, [0.1, 0.2], sex=["f", "m"], speaker=["s", "s"])
    chosen = OPTIONS.model_copy(update={"unit": "speaker"})
    with pytest.raises(DataError, match="speaker 's' has several values of sex: f, m"):
        chosen.select(NUMBER, table)


@pytest.mark.parametrize("target", [NUMBER, CLASS], ids=["numbers", "classes"])
def test_balanced_groups_have_equal_labels(target: Target) -> None:
    rng = np.random.default_rng(3)
    groups = np.array(["f"] * 60 + ["m"] * 240, dtype=object)
    if target is NUMBER:
        truth = np.round(np.where(groups == "f", rng.normal(0.7, 0.1, 300), rng.random(300)), 1)
    else:
        truth = rng.choice(CLASS.labels, 300).astype(object)
    chosen = ByGroup(attribute="sex", min_group=40, max_group=40, balance="target")
    selection = chosen.select(target, frame(target, truth, sex=groups))
    drawn = chosen.draw(target, selection, draws)
    rows = drawn.samples
    counts = [Counter(rows.loc[rows.sex == name, target.id]) for name in ("f", "m")]
    assert [sum(count.values()) for count in counts] == [40, 40]
    assert counts[0] == counts[1]
    assert drawn.note == "" and rows.index.is_monotonic_increasing
    again = chosen.draw(target, selection, draws).samples
    assert again.index.equals(rows.index)
    other = chosen.draw(target, selection, lambda *keys: generator(1, *keys)).samples
    assert not other.index.equals(rows.index)


def test_exhausted_class_shrinks_all_groups_and_says_so() -> None:
    first, second = CLASS.labels[:2]
    truth = [first] * 8 + [second] * 2 + [first] * 4 + [second] * 16
    table = frame(CLASS, truth, sex=["f"] * 10 + ["m"] * 20)
    chosen = ByGroup(attribute="sex", min_group=5, balance="target")
    drawn = chosen.draw(CLASS, chosen.select(CLASS, table), draws)
    assert Counter(drawn.samples.sex) == {"f": 6, "m": 6}
    assert drawn.note == (
        f"balanced to 6 instead of 10 per group: some group has too few {first} (-4)"
    )
    strict = chosen.model_copy(update={"min_group": 7})
    drawn = strict.draw(CLASS, strict.select(CLASS, table), draws)
    assert drawn.samples.empty and drawn.reason.endswith(", at least 7 needed")


def test_without_balancing_all_samples_are_used() -> None:
    table = frame(NUMBER, np.linspace(0, 1, 6), sex=list("ffffmm"))
    selection = OPTIONS.select(NUMBER, table)
    assert OPTIONS.draw(NUMBER, selection, draws) is selection


def test_intersections_are_groups() -> None:
    rng = np.random.default_rng(5)
    table = frame(NUMBER, rng.random(80), sex=list("fm") * 40, age=["old"] * 30 + ["young"] * 50)
    chosen = ByGroup(attribute=["sex", "age"], min_group=10, balance="target")
    rows = chosen.draw(NUMBER, chosen.select(NUMBER, table), draws).samples
    assert Counter(zip(rows.sex, rows.age, strict=True)) == {
        ("f", "old"): 15, ("m", "old"): 15, ("f", "young"): 15, ("m", "young"): 15,
    }  # fmt: skip
    view = View(NUMBER, rows.reset_index(drop=True), {ORIGINAL: rng.random(60)})
    found = chosen.scores(view, [use("ccc")])
    assert [s.condition for s in found] == ["f, old", "f, young", "m, old", "m, young"]
    assert [s.n for s in found] == [15] * 4


def test_names_in_the_criteria_table() -> None:
    sex, pitch = (SUITE[name] for name in ("fairness_sex", "fairness_pitch"))
    chosen = [design_of(test) for test in (sex, pitch)]
    assert chosen[0].criterion_names(CLASS, "Recall per Class") == [
        "Recall Per Class Female",
        "Recall Per Class Male",
    ]
    assert chosen[1].criterion_names(NUMBER, "Concordance Correlation Coeff") == [
        "Concordance Correlation Coeff High Pitch",
        "Concordance Correlation Coeff Low Pitch",
        "Concordance Correlation Coeff Medium Pitch",
    ]
    undeclared = ByGroup(attribute="age", min_group=1)
    assert undeclared.criterion_names(NUMBER, "Mean") == ["Mean"]


def test_the_difference_of_two_groups_has_an_interval_of_the_same_resamples() -> None:
    rng = np.random.default_rng(1)
    truth, sex = rng.uniform(0, 1, 240), ["f" if n % 2 else "m" for n in range(240)]
    noise = rng.normal(0, 0.1, 240) * np.where(np.array(sex) == "f", 3, 1)
    samples = frame(NUMBER, truth, sex=sex, speaker=[f"s{n % 24}" for n in range(240)])
    view = View(NUMBER, samples, {ORIGINAL: np.clip(truth + noise, 0, 1)})
    women, men = found = OPTIONS.scores(view, [use("ccc")])
    assert women.gap is not None and men.gap is not None and women.gap.recipe is not None
    assert women.gap.value == pytest.approx(women.value - men.value)
    assert women.gap.value == -men.gap.value < 0
    own, other = sure(found, view).gaps
    # the other difference is the negative of the first one
    assert own is not None and other is None
    assert own.low < women.gap.value < own.high < 0
    plain = Bootstrap(cluster_codes(samples), seed=view.seed, keys=("",), span=1.0)
    assert own[:2] == pytest.approx(plain.interval(women.gap.recipe, "")[:2])


def test_more_than_two_groups_have_no_difference_of_their_own() -> None:
    three = ByGroup(attribute="sex", groups=["a", "b", "c"], min_group=2)
    truth = np.linspace(0, 1, 30)
    groups = list("abc" * 10)
    found = run(NUMBER, truth, truth[::-1], groups, [use("ccc")], chosen=three)
    assert [score.gap for score in found] == [None] * 3


def test_what_no_model_could_have_is_due_to_the_data_and_the_rest_to_the_model() -> None:
    truth = ["anger", "anger", "neutral", "neutral", "sadness", "sadness"]
    groups = ["f", "m", "f", "m", "f", "f"]
    constant = run(CLASS, truth, ["anger"] * 6, groups, [use("uar")])
    assert {score.cause for score in constant} == {"model"}
    bins = run(
        NUMBER,
        [0.1, 0.2, 0.1, 0.2],
        [0.1, 0.9, 0.2, 0.8],
        ["f", "m", "f", "m"],
        [use("recall_per_bin", bins=2, min_count=2)],
    )
    missing = {score.label: score.cause for score in bins}
    assert missing == {"(-inf, 0.5]": "", "(0.5, inf]": "data"}
