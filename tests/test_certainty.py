"""Intervals of real designs: each recipe must say what its score was computed of."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common import results
from common.designs import Score, View, design_of
from common.designs.certainty import cluster_codes, intervals
from common.engine.plan import Filters
from common.results.judge import judge
from common.results.rows import rows
from common.spec import load_benchmark
from common.spec.records import Criterion
from common.uncertainty import Bootstrap, Clusters, Interval, verdict_with_power

BENCHMARK = load_benchmark()
#: intervals of sound events are tested in tests/metrics/test_sound_events.py
KINDS = {target.kind: target for target in BENCHMARK.targets.values() if target.kind != "events"}
CASES = [
    pytest.param(test, kind, id=f"{test.id}-{kind}")
    for test in BENCHMARK.tests.values()
    for kind in KINDS
    if test.uses(kind)
]
SPEAKERS, EACH = 24, 40
TEST = "correctness_regression"


def _values(target: Any, rng: np.random.Generator, n: int) -> np.ndarray:
    if target.kind == "regression":
        return np.clip(rng.normal(0.5, 0.25, n), 0, 1)
    return np.array(target.labels, dtype=object)[rng.integers(len(target.labels), size=n)]


def view_of(test: Any, target: Any, seed: int = 0) -> View:
    """Random samples with everything that a test asks for."""
    rng = np.random.default_rng(seed)
    n = SPEAKERS * EACH
    speaker = np.arange(n) // EACH
    table = pd.DataFrame({"file": [f"{i:04d}.wav" for i in range(n)], "start": 0, "end": -1})
    table["speaker"] = np.array([f"s{s:02d}" for s in speaker], dtype=object)
    table[target.id] = _values(target, rng, n)
    chosen: Any = design_of(test)
    for name in getattr(chosen, "attribute", ()):
        names = chosen.groups.get(name) or ["x", "y", "z"]
        table[name] = np.array(names, dtype=object)[speaker % len(names)]
    if hasattr(chosen, "contexts"):
        table[chosen.context] = rng.choice(chosen.contexts, n).astype(object)
    if hasattr(chosen, "ranges"):
        table[chosen.column] = rng.choice(sorted(chosen.expected), n).astype(object)
    if hasattr(chosen, "match"):
        table["device"] = np.array(["boundary", "headset"], dtype=object)[np.arange(n) % 2]
        table["text"] = np.array([f"t{i // 2 % (EACH // 2)}" for i in range(n)], dtype=object)
    base = _values(target, rng, n)
    predictions = {"original": base}
    for name in chosen.conditions(target):
        changed = rng.random(n) < 0.2
        predictions[name] = np.where(changed, _values(target, rng, n), base)
    return View(target, table, predictions, dataset="d")


def scored(test: Any, view: View) -> list[Score]:
    found: list[Score] = design_of(test).scores(view, test.uses(view.target.kind))
    return found


def copied(view: View, often: np.ndarray) -> View:
    """The view with each speaker as often as drawn; copies of a speaker are other speakers."""
    codes = cluster_codes(view.samples)
    parts, names = [], []
    for code, times in enumerate(often.astype(int)):
        rows = np.flatnonzero(codes == code)
        for copy in range(times):
            parts.append(rows)
            names += [f"s{code:02d} {copy}"] * len(rows)
    rows = np.concatenate(parts)
    samples = view.samples.iloc[rows].reset_index(drop=True)
    samples["speaker"] = np.array(names, dtype=object)
    predictions = {name: values[rows] for name, values in view.predictions.items()}
    return replace(view, samples=samples, predictions=predictions)


@pytest.mark.parametrize(("test", "kind"), CASES)
def test_resamples_are_scores_of_copied_samples(test: Any, kind: str) -> None:
    view = view_of(test, KINDS[kind])
    scores = scored(test, view)
    assert scores
    codes = cluster_codes(view.samples)
    draws = 3
    bootstrap = Bootstrap(codes, seed=0, keys=("d",), draws=draws)
    # scores of groups against all are resampled within groups
    (groups,) = {id(s.recipe.strata): s.recipe.strata for s in scores if s.recipe}.values()
    assert (groups is not None) == (test.design_name in ("by_group", "group_shift"))
    weights = Clusters(codes, seed=0, keys=("d",), draws=draws, groups=groups).weights
    compared = 0
    for number in range(draws):
        again = {
            (s.metric, s.label, s.condition, s.data): s.value
            for s in scored(test, copied(view, weights[number]))
        }
        for score in scores:
            value = again.get((score.metric, score.label, score.condition, score.data), math.nan)
            if math.isnan(score.value) or math.isnan(value):
                continue
            assert score.recipe is not None
            found = bootstrap.draws(score.recipe, score.label)[number]
            assert found == pytest.approx(value, abs=1e-12), score
            compared += 1
    assert compared >= draws


@pytest.mark.parametrize(("test", "kind"), CASES)
def test_every_score_has_an_interval_around_it(test: Any, kind: str) -> None:
    view = view_of(test, KINDS[kind])
    scores = scored(test, view)
    for score, interval in zip(scores, intervals(scores, view), strict=True):
        if math.isnan(score.value):
            assert interval is None
            continue
        assert interval is not None
        assert interval.low <= score.value <= interval.high
        assert interval.low < interval.high and 0 < max(interval.mde_above, interval.mde_below) < 6
        assert 1 < interval.clusters <= SPEAKERS


def test_samples_of_a_speaker_belong_together_and_others_stand_alone() -> None:
    table = pd.DataFrame(
        {
            "file": ["c.wav", "b.wav", "a.wav", "b.wav", "a.wav"],
            "start": [0, 5, 0, 0, 0],
            "end": [-1, 9, -1, 5, -1],
            "speaker": np.array(["z", None, "a", None, "z"], dtype=object),
        }
    )
    codes = cluster_codes(table)
    assert codes.tolist() == [1, 3, 0, 2, 1]
    order = [3, 0, 4, 2, 1]
    assert cluster_codes(table.iloc[order]).tolist() == codes[order].tolist()
    alone = cluster_codes(table.drop(columns="speaker").iloc[:4])
    assert alone.tolist() == [3, 2, 0, 1]


def _pairs(view: View, **columns: Any) -> list[Any]:
    test = BENCHMARK.tests[TEST]
    view = replace(view, samples=view.samples.assign(**columns))
    return intervals(scored(test, view), view)


def test_without_speakers_samples_are_resampled() -> None:
    test = BENCHMARK.tests[TEST]
    view = view_of(test, KINDS["regression"])
    alone = replace(view, samples=view.samples.drop(columns="speaker"))
    found = intervals(scored(test, alone), alone)
    assert {interval.clusters for interval in found} == {SPEAKERS * EACH}


def test_one_speaker_gives_an_interval_that_says_nothing() -> None:
    view = view_of(BENCHMARK.tests[TEST], KINDS["regression"])
    found = _pairs(view, speaker="only one")
    assert [(i.low, i.high, i.clusters) for i in found] == [(-1, 1, 1), (-1, 1, 1), (0, 1, 1)]
    assert verdict_with_power(*found[0][:2], Criterion(above=0.5)) == "cannot tell"


def test_a_score_without_a_recipe_has_no_interval() -> None:
    test = BENCHMARK.tests[TEST]
    view = view_of(test, KINDS["regression"])
    scores = [replace(score, recipe=None) for score in scored(test, view)]
    assert intervals(scores, view) == [None] * len(scores)


def test_rows_hold_intervals_and_both_verdicts(mini) -> None:
    mini.run(models=("loud", "chance-value"), tests=(TEST,))
    table = results.read_all(mini.root / "out" / "method-tests")
    table = table[table.target == "arousal"]
    assert len(table) == 6 and (table.clusters == 7).all()
    assert ((table.ci_low <= table.value) & (table.value <= table.ci_high)).all()
    assert (table.mde_above + table.mde_below > 0).all()
    for row in table.itertuples():
        sign, bound = row.criterion.split()
        criterion = Criterion(**{{">": "above", "<": "below"}[sign]: float(bound)})
        assert row.certain == verdict_with_power(row.ci_low, row.ci_high, criterion)
        assert row.status == judge(row.value, criterion).status
    assert set(table.certain) >= {"passes", "fails"}


def test_other_draws_with_another_seed_and_the_same_ones_with_the_same(mini) -> None:
    for out, seed in (("a", 0), ("b", 0), ("c", 1)):
        mini.run(out, models=("loud",), tests=(TEST,), seed=seed)
    a, b, c = (results.read_all(mini.root / out / "method-tests") for out in "abc")
    pd.testing.assert_frame_equal(a, b)
    assert a.value.equals(c.value) and not a.ci_low.equals(c.ci_low)


def test_order_of_samples_moves_no_interval(mini) -> None:
    mini.run("a", models=("loud",), tests=(TEST,))
    path = mini.catalog / "tones" / "metadata.csv"
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *reversed(lines)]) + "\n")
    mini.run("b", models=("loud",), tests=(TEST,))
    a, b = (results.read_all(mini.root / out / "method-tests") for out in "ab")
    columns = ["value", "ci_low", "ci_high", "mde_above", "mde_below"]
    np.testing.assert_allclose(a[columns], b[columns], atol=1e-12)


def test_an_interval_holds_the_score_to_its_last_digit() -> None:
    test = BENCHMARK.tests[TEST]
    view = view_of(test, KINDS["regression"])
    scores = scored(test, view)
    ends = intervals(scores, view)
    beyond = [replace(s, value=e.low - 1e-9) for s, e in zip(scores, ends, strict=True)]
    beyond += [replace(s, value=e.high + 1e-9) for s, e in zip(scores, ends, strict=True)]
    for score, found in zip(beyond, intervals(beyond, view), strict=True):
        assert found.low <= score.value <= found.high


def test_an_interval_without_ends_is_told_but_not_shown(mini) -> None:
    cell = mini.engine().planner.plan(Filters(datasets=["tones"], tests=[TEST])).todo[0]
    score = Score("ccc", 0.6, 10)
    (row,) = rows(cell, [score], None, [Interval(-math.inf, math.inf, 1, math.inf, math.inf)])
    assert row["certain"] == "cannot tell" and row["clusters"] == 1
    assert not {"ci_low", "ci_high", "mde_above", "mde_below"} & set(row)
    table = results.frame(rows(cell, [score], None, [Interval(0.55, 0.65, 7, 0.07, 0.07)]))
    assert table.certain.tolist() == ["passes"] and table.ci_low.tolist() == [0.55]
