"""Permutation of speakers over groups: exactness, power, exchangeability, and all forms of scores."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from common.designs import DESIGNS, ORIGINAL, View
from common.designs.certainty import permutations
from common.reports.alarms import AlarmScene, alarms
from common.spec import Criterion, MetricUse, Target, load_benchmark
from common.uncertainty import Recipe, Term, fairness_of, permutation, permuted
from common.uncertainty.permutation import Permuted, assignments, blocks_of, merged
from common.uncertainty.simulation.bounds import Bounds

NUMBER = Target(id="arousal", label="Arousal", kind="regression", range=(0, 1))
CLASS = Target(id="emotion", label="Emotion", kind="classification", labels=("a", "b", "c"))
#: design -> target -> metrics and parameters
USES = {
    ("by_group", "arousal"): {"ccc": {}, "mae": {}, "recall_per_bin": {"bins": 4, "min_count": 9}},
    ("by_group", "emotion"): {"uar": {}, "precision_per_class": {}},
    ("group_shift", "arousal"): {
        "mean_difference": {},
        "relative_difference_per_bin": {"bins": 4, "min_count": 3},
    },
    ("group_shift", "emotion"): {"relative_difference_per_class": {}},
    ("context_shift", "arousal"): {
        "mean_shift_difference": {},
        "bin_proportion_shift_difference": {"bins": 4, "min_count": 3},
    },
    ("context_shift", "emotion"): {"class_proportion_shift_difference": {}},
}


def view(target: Target, group: np.ndarray, speaker: np.ndarray, prediction=None) -> View:
    """Random truths and, unless given, predictions."""
    rng, n = np.random.default_rng(0), len(group)
    values = [rng.random(n), rng.random(n)]
    if target.kind == "classification":
        values = [rng.choice(target.labels, n).astype(object) for _ in values]
    samples = pd.DataFrame(
        {
            "file": [f"{k}.wav" for k in range(n)],
            "start": 0,
            "end": -1,
            "speaker": speaker.astype(str).astype(object),
            "group": group.astype(str).astype(object),
            "mood": rng.choice(["low", "high"], n).astype(object),
            target.id: values[0],
        }
    )
    return View(target, samples, {ORIGINAL: values[1] if prediction is None else prediction})


def scores_of(design: str, seen: View, uses):
    chosen = DESIGNS.get(design)
    options = {"attribute": "group", "min_group": 1, "data": "{group}"}
    if design == "context_shift":
        options |= {"context": "mood", "contexts": ("low", "high"), "min_context": 1}
    wanted = [
        MetricUse(metric=metric, params=params, criterion=Criterion(within=0.1))
        for metric, params in uses.items()
    ]
    return chosen.model_validate(options).scores(seen, wanted)


@pytest.mark.parametrize(("design", "target"), USES)
def test_permuted_scores_are_those_of_renamed_speakers(design, target, monkeypatch) -> None:
    """The sums of speakers in another arrangement are the scores of the design there."""
    speaker = np.repeat(np.arange(12), 9)
    group = np.array([0] * 5 + [1] * 4 + [2] * 3)[speaker]
    seen = view(NUMBER if target == "arousal" else CLASS, group, speaker)
    uses = USES[design, target]
    values, drawn = [], []
    monkeypatch.setattr(permutation, "_adjusted", lambda v: values.append(v) or [Permuted(1, 0)] * v.shape[1])  # fmt: skip
    real = assignments
    monkeypatch.setattr(
        permutation,
        "assignments",
        lambda *arguments: drawn.append(real(*arguments)) or drawn[-1],
    )
    original = scores_of(design, seen, uses)
    permutations(original, seen, permutations=3)
    order = np.unique(speaker.astype(str), return_inverse=True)[1]
    for place, metric in enumerate(uses):
        for number in range(4):
            renamed = drawn[place][number][order]
            samples = seen.samples.assign(group=renamed.astype(str).astype(object))
            moved = View(seen.target, samples, seen.predictions)
            again = {
                (s.condition, s.data, s.label): s.value
                for s in scores_of(design, moved, {metric: uses[metric]})
            }
            of = [s for s in original if s.metric == metric and not math.isnan(s.value)]
            expected = [again[s.condition, s.data, s.label] for s in of]
            assert values[place][number] == pytest.approx(expected, abs=1e-9)


def test_every_score_of_a_group_gets_a_p_value() -> None:
    speaker = np.repeat(np.arange(12), 9)
    seen = view(NUMBER, speaker % 3, speaker)
    scores = scores_of("by_group", seen, USES["by_group", "arousal"])
    for score, outcome in zip(scores, permutations(scores, seen), strict=True):
        assert (outcome is None) == math.isnan(score.value)
        if outcome is not None:
            assert 0.001 <= outcome.p_value <= 1 and outcome.smallest <= outcome.p_value + 1e-12


def means(x: np.ndarray, group: np.ndarray) -> list[tuple[Recipe, str]]:
    every = np.arange(len(x))
    rows = [np.flatnonzero(group == g) for g in np.unique(group)]
    return [(Recipe(Term("mean_difference", (x, x[r]), (every, r))), "") for r in rows]


def test_against_all_arrangements_of_a_few_speakers() -> None:
    """4 of 8 speakers: the p value is the share of the 70 choices that are as extreme."""
    x = np.random.default_rng(3).random(8)
    group = np.array([0] * 4 + [1] * 4)
    (first, second) = permuted(means(x, group), np.arange(8), seed=0, permutations=20_000)
    size = abs(x[:4].mean() - x.mean())
    choices = [abs(x[list(c)].mean() - x.mean()) for c in itertools.combinations(range(8), 4)]
    expected = np.mean(np.array(choices) >= size - 1e-12)
    assert first.p_value == second.p_value == pytest.approx(expected, abs=0.015)
    assert first.smallest == pytest.approx(2 / 70, abs=0.005)


def test_too_few_speakers_for_any_finding() -> None:
    """2 against 2: the most extreme of 6 choices occurs in a third of the permutations."""
    x = np.repeat([0.1, 0.12, 0.9, 0.93], 50) + np.random.default_rng(0).normal(0, 0.001, 200)
    speaker = np.repeat(np.arange(4), 50)
    outcome, _ = permuted(means(x, speaker // 2), speaker, seed=0)
    assert outcome.smallest == pytest.approx(1 / 3, abs=0.05)
    assert fairness_of(0.4, 0.38, 0.42, outcome, 0.1) == "cannot tell"


def test_a_speaker_in_several_groups_is_compared_with_itself() -> None:
    """Ten speakers in both groups: their large differences cancel out, a small shift is found."""
    rng = np.random.default_rng(0)
    speaker, group = np.repeat(np.arange(10), 20), np.tile([0, 1], 100)
    x = 10 * rng.random(10)[speaker] + 0.1 * group + rng.normal(0, 0.05, 200)
    blocks = blocks_of(speaker, group)
    assert (np.bincount(blocks.strata)[1:] == 2).all() and len(blocks.groups) == 20
    outcome, _ = permuted(means(x, group), speaker, seed=0)
    assert outcome.p_value < 0.01
    # each of the 2 ** 10 choices is as likely, and its mirror image is as extreme
    assert outcome.smallest < 0.02
    drawn = assignments(blocks, 200, rng)
    for number in range(0, 20, 2):
        assert (np.sort(drawn[:, number : number + 2], axis=1) == [0, 1]).all()


def test_groups_keep_their_numbers_of_speakers() -> None:
    blocks = blocks_of(np.arange(30), np.array([0] * 5 + [1] * 10 + [2] * 15))
    drawn = assignments(blocks, 50, np.random.default_rng(0))
    assert (drawn[0] == blocks.groups).all()
    assert all((np.bincount(row) == [5, 10, 15]).all() for row in drawn)


def test_many_single_samples_are_merged_within_groups() -> None:
    group = np.arange(9000) % 3
    blocks = merged(blocks_of(np.arange(9000), group), 1000, seed=0, keys=())
    # 9 samples each, and 3 in the last one of each group of 3,000
    assert sorted(np.bincount(blocks.of_sample)) == [3] * 3 + [9] * 999
    assert (blocks.groups[blocks.of_sample] == group).all()


def test_a_difference_is_found_and_only_where_it_is() -> None:
    """Ten groups of ten speakers; one of them is higher by two standard deviations."""
    rng = np.random.default_rng(1)
    speaker = np.repeat(np.arange(100), 8)
    group = speaker // 10
    x = 0.5 + 0.05 * rng.standard_normal(100)[speaker] + 0.05 * rng.standard_normal(800)
    found = permuted(means(x + 0.1 * (group == 4), group), speaker, seed=0)
    assert [n for n, outcome in enumerate(found) if outcome.p_value < 0.05] == [4]


def test_constant_scores_are_no_finding() -> None:
    found = permuted(means(np.full(40, 0.5), np.arange(40) % 2), np.arange(40) // 4, seed=0)
    assert [outcome.p_value for outcome in found] == [1, 1]


def test_scores_that_compare_no_groups_have_no_test() -> None:
    x = np.random.default_rng(0).random((2, 20))
    assert permuted([(Recipe(Term("mae", (x[0], x[1]))), "")], np.arange(20), seed=0) == [None]


@pytest.mark.parametrize(
    ("value", "ends", "p", "verdict"),
    [
        (0.01, (-0.05, 0.07), 0.5, "fair within 0.1"),
        (0.05, (0.01, 0.09), 0.001, "fair within 0.1"),
        (0.15, (0.08, 0.22), 0.001, "unfair"),
        (0.1, (0.05, 0.15), 0.04, "unfair"),
        (0.15, (-0.1, 0.4), 0.3, "undecided"),
        (0.09, (0.05, 0.13), 0.001, "undecided"),
        (0.01, (math.nan, math.nan), 0.9, "undecided"),
    ],
)
def test_verdicts(value, ends, p, verdict) -> None:
    assert fairness_of(value, *ends, Permuted(p, 0.001), 0.1) == verdict


def test_false_alarms_with_speakers(tmp_path) -> None:
    """Half of the variance between speakers: the published bound fails most fair models."""
    scene = (AlarmScene("fairness_accent", ("mean_difference",), 31, 10, 6),)
    (row,) = alarms(
        load_benchmark().tests, Bounds(tmp_path), seed=0, models=40, scenes=scene, shares=(0.5,)
    )
    assert row["published"] > 0.6 and row["simulated"] > 0.6
    assert row["permuted"] <= 0.15 and row["unfair"] <= row["permuted"]
