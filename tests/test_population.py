"""Scores of a population in which speakers have other shares."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from common.core.errors import ConfigError
from common.core.paths import Paths
from common.engine import kept
from common.reports import population
from common.reports.explain import explain
from common.results import keys, sums
from common.results.population import (
    ALL,
    UNCHANGED,
    population_difference,
    population_score,
    weights_of,
)
from common.spec import load_benchmark
from common.spec.view import ORIGINAL
from tests.test_kept_sums import DESIGNS, SUITE

KEY = ("mae", "original", "", "")


def table_of(errors: list[float], counts: list[int], **traits: list[str | None]) -> pd.DataFrame:
    """Sums of a mean error of speakers, and what is said of them."""
    number = len(errors)
    return pd.DataFrame(
        {
            **{"metric": "mae", "state": "original", "speaker": [f"s{n}" for n in range(number)]},
            **{"samples": counts, "keys": json.dumps([["", ""]]), "given": "{}"},
            "sums": [[float(n), n * e] for n, e in zip(counts, errors, strict=True)],
            **{f"speaker_{name}": values for name, values in traits.items()},
        }
    )


ERRORS, COUNTS = [0.1, 0.2, 0.3, 0.5, 0.35, 0.25], [10, 20, 10, 30, 10, 20]
SEX = ["female", "male", "female", "male", None, "male"]
LANGUAGE = ["de", "de", "en", "en", "en", "de"]
TABLE = table_of(ERRORS, COUNTS, sex=SEX, language=LANGUAGE)


def test_shares_of_the_sample_change_nothing() -> None:
    plain = population_score(TABLE, KEY, {})
    assert plain.value == pytest.approx(sums.scores(TABLE)[KEY], abs=1e-15)
    own = {"sex": {"female": 0.2, "male": 0.7}, "language": {"de": 0.5}}
    for shares in (own, {"sex": own["sex"]}, {"language": own["language"]}):
        assert population_score(TABLE, KEY, shares).value == pytest.approx(plain.value, abs=1e-12)


def test_a_mean_is_the_weighted_mean_of_the_groups() -> None:
    means = {
        name: np.average(
            [e for e, sex in zip(ERRORS, SEX, strict=True) if sex == name],
            weights=[n for n, sex in zip(COUNTS, SEX, strict=True) if sex == name],
        )
        for name in ("female", "male")
    }
    score = population_score(TABLE, KEY, {"sex": {"female": 0.7, "male": 0.3}})
    assert score.value == pytest.approx(0.7 * means["female"] + 0.3 * means["male"], abs=1e-14)
    # the one speaker without a sex is all that is left of one
    rest = population_score(TABLE, KEY, {"sex": {"female": 0.5, "male": 0.2}}).value
    assert rest == pytest.approx(0.5 * means["female"] + 0.2 * means["male"] + 0.3 * 0.35)
    # more than one in all: relative; a group that is not there is left out
    assert population_score(TABLE, KEY, {"sex": {"female": 7, "male": 3}}) == pytest.approx(score)
    missing = {"sex": {"female": 0.35, "other": 0.5, "male": 0.15}}
    assert population_score(TABLE, KEY, missing).value == pytest.approx(score.value)
    assert population_score(TABLE, KEY, {"age": {"old": 0.5}}) == population_score(TABLE, KEY, {})


def test_shares_of_two_traits_hold_at_once() -> None:
    samples = np.array(COUNTS, dtype=float)
    sexes = np.array([0, 1, 0, 1, 1, 1])
    languages = np.array([0, 0, 1, 1, 1, 0])
    shares = [(sexes, np.array([0.7, 0.3])), (languages, np.array([0.9, 0.1]))]
    weights = weights_of(samples, shares) * samples
    assert weights[sexes == 0].sum() / weights.sum() == pytest.approx(0.7, abs=1e-12)
    assert weights[languages == 0].sum() / weights.sum() == pytest.approx(0.9, abs=1e-12)
    assert weights.sum() == pytest.approx(samples.sum())


def test_the_interval_of_a_mean_of_equal_speakers_is_that_of_student() -> None:
    score = population_score(table_of(ERRORS, [10] * 6), KEY, {})
    expected = stats.t.interval(0.95, 5, np.mean(ERRORS), stats.sem(ERRORS))
    assert (score.low, score.high) == pytest.approx(expected)
    assert score.speakers == 6


def test_a_difference_of_models_is_paired_by_speakers() -> None:
    other = [0.15, 0.21, 0.38, 0.55, 0.36, 0.31]
    tables = [table_of(values, [10] * 6) for values in (ERRORS, other)]
    difference = population_difference(*tables, KEY, {})
    test = stats.ttest_rel(other, ERRORS)
    assert difference.value == pytest.approx(np.mean(other) - np.mean(ERRORS))
    assert difference.p == pytest.approx(test.pvalue)
    assert (difference.low, difference.high) == pytest.approx(test.confidence_interval())
    same = population_difference(TABLE, TABLE, KEY, {"sex": {"female": 0.7}})
    assert same.value == 0 and math.isnan(same.p) and math.isnan(same.low)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ConfigError, match="0 or more"):
        population_score(TABLE, KEY, {"sex": {"female": -0.1}})
    with pytest.raises(ConfigError, match="there are no sums of 'mae noise'"):
        population_score(TABLE, ("mae", "noise", "", ""), {})


def test_states_are_called_as_the_engine_calls_them() -> None:
    assert ALL == kept.ALL and UNCHANGED == ORIGINAL


KEYS = ("emotion/loud/own_truth/tones", "emotion/loud/own_groups/tones")


def test_explain_tells_the_scores_of_a_population(mini) -> None:
    for test, (design, rule) in DESIGNS.items():
        mini.write(f"suite/{test}.yaml", SUITE.format(test=test, design=design, rule=rule))
    assert not mini.run(tests=tuple(DESIGNS), targets=("emotion",), models=("loud",)).errors
    folders = Paths(mini.root / "out", mini.root / "cache")
    benchmark = load_benchmark([mini.catalog], allow_code=True)
    for key in KEYS:
        content = explain(benchmark, folders, key).content
        own = population.shares_of([f"sex=female:{3 / 7},male:{4 / 7}"])
        population.add_population(content, folders, keys.split(key)[0], own)
        assert len(content["rows"]) > 1
        for entry in content["rows"]:
            assert entry["population"]["value"] == pytest.approx(entry["row"]["value"], abs=1e-12)
        text = "\n".join(population.lines(content))
        assert "in this population:" in text and "7 speakers)" in text
    folders.sums("emotion", "loud", "own_groups", "tones").unlink()
    population.add_population(content, folders, keys.split(KEYS[1])[0], own)
    assert "does not follow from sums" in "\n".join(population.lines(content))


@pytest.mark.parametrize("text", ["sex", "sex=female", "=female:1", "sex=female:2", "sex=a:nan"])
def test_shares_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not TRAIT=GROUP:SHARE"):
        population.shares_of([text])


def test_groups_that_no_speaker_is_of_are_refused(tmp_path) -> None:
    folders = Paths(tmp_path)
    path = folders.sums("emotion", "m", "t", "d")
    path.parent.mkdir(parents=True)
    sums.write(path, TABLE)
    cell = keys.split("emotion/m/t/d")[0]
    with pytest.raises(
        ConfigError, match=r"unknown trait of speakers 'age'\. Known: sex, language"
    ):
        population.add_population({"rows": []}, folders, cell, {"age": {"old": 0.5}})
    with pytest.raises(ConfigError, match="no speaker has sex 'f'"):
        population.add_population({"rows": []}, folders, cell, {"sex": {"f": 0.5}})
