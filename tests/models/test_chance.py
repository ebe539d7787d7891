"""Chance models: the right distributions, and draws that depend on their sample only."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from common import models
from common.core.errors import ConfigError
from common.models.base import Batch, SampleKey
from common.models.chance import truncated_normal
from common.spec import load_benchmark

GAUSSIAN = {"distribution": "gaussian", "mean": 0.5, "sigma": 1 / 6, "low": 0, "high": 1}


def samples(count: int, **fields) -> list[SampleKey]:
    values = {"database": "db", "version": "1.0.0", "start": 0, "end": -1, **fields}
    return [SampleKey(file=f"audio/{n:06d}.wav", **values) for n in range(count)]


@pytest.fixture
def gaussian(entry):
    return entry(id="noise", adapter="chance", params=GAUSSIAN)


@pytest.fixture
def categorical(entry):
    return entry(id="dice", adapter="chance", params={"distribution": "categorical"})


def predict(entry, targets, keys, seed=0):
    return models.load(entry, targets, seed=seed).predict(Batch(keys, [], 16000))


def test_targets_by_kind(targets, gaussian, categorical):
    assert models.offered_targets(gaussian, targets) == ("arousal", "valence")
    assert models.offered_targets(categorical, targets) == ("emotion",)


def test_no_audio(targets, gaussian):
    model = models.load(gaussian, targets, seed=0)
    assert (model.needs_audio, model.batch_size) == (False, 65536)


def test_gaussian_is_a_truncated_normal_distribution(targets, gaussian):
    values = predict(gaussian, targets, samples(20000))["arousal"]
    expected = stats.truncnorm(-3, 3, loc=0.5, scale=1 / 6)
    assert values.min() >= 0
    assert values.max() <= 1
    assert stats.kstest(values, expected.cdf).pvalue > 0.01


def test_targets_are_independent(targets, gaussian):
    answer = predict(gaussian, targets, samples(20000))
    assert abs(np.corrcoef(answer["arousal"], answer["valence"])[0, 1]) < 0.02


def test_every_class_is_as_likely(targets, categorical):
    scores = predict(categorical, targets, samples(20000))["emotion"]
    counts = np.bincount(scores.argmax(axis=1), minlength=4)
    assert stats.chisquare(counts).pvalue > 0.01


def test_draws_are_frozen(targets, gaussian, categorical):
    """Published results must come out again: these numbers may never change."""
    keys = [SampleKey("db", "1.0.0", "a.wav", 0, -1)]
    draw = predict(gaussian, targets, keys)["arousal"][0]
    assert draw == pytest.approx(0.22384136932849819, abs=1e-12)
    scores = predict(categorical, targets, keys)["emotion"]
    frozen = [0.026750621529747665, 0.033519141715868284, 0.3805649736368995, 0.06722707320958526]
    assert scores.tolist() == [frozen]


def test_order_and_other_samples_do_not_matter(targets, gaussian, categorical):
    """Fault A12: the reference never seeded its generator."""
    keys = samples(200)
    order = np.random.default_rng(0).permutation(200)
    for entry, target in ((gaussian, "valence"), (categorical, "emotion")):
        whole = predict(entry, targets, keys)[target]
        mixed = predict(entry, targets, [keys[n] for n in order])[target]
        alone = predict(entry, targets, [keys[7]])[target]
        np.testing.assert_array_equal(mixed, whole[order])
        np.testing.assert_array_equal(alone, whole[7:8])


def test_other_targets_do_not_matter(targets, gaussian):
    few = {name: targets[name] for name in ("valence", "emotion")}
    keys = samples(5)
    np.testing.assert_array_equal(
        predict(gaussian, few, keys)["valence"], predict(gaussian, targets, keys)["valence"]
    )


@pytest.mark.parametrize(
    "change",
    [
        {"database": "other"},
        {"start": 1},
        {"end": 1},
        {"condition": "babble"},
    ],
)
def test_another_sample_is_another_draw(targets, gaussian, change):
    before = predict(gaussian, targets, samples(50))["arousal"]
    after = predict(gaussian, targets, samples(50, **change))["arousal"]
    assert not np.isclose(before, after).any()


def test_seed_and_model_are_keys_and_version_is_none(targets, gaussian, entry):
    keys = samples(50)
    before = predict(gaussian, targets, keys)["arousal"]
    assert not np.isclose(before, predict(gaussian, targets, keys, seed=1)["arousal"]).any()
    other = entry(id="other", adapter="chance", params=GAUSSIAN)
    assert not np.isclose(before, predict(other, targets, keys)["arousal"]).any()
    newer = samples(50, version="2.0.0")
    np.testing.assert_array_equal(before, predict(gaussian, targets, newer)["arousal"])


def test_parameters(targets, entry):
    narrow = entry(
        adapter="chance",
        params={"distribution": "gaussian", "mean": 0.2, "sigma": 1, "low": 0.1, "high": 0.3},
    )
    values = predict(narrow, targets, samples(500))["arousal"]
    assert 0.1 <= values.min() < 0.11
    assert 0.29 < values.max() <= 0.3


def test_far_tails_stay_inside():
    values = truncated_normal(
        np.array([1e-16, 1 - 2**-54]), mean=0.5, sigma=0.01, low=0.0, high=1.0
    )
    assert np.all((values >= 0) & (values <= 1))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "params.distribution: unknown distribution ''. Known: always, categorical, "),
        ({"distribution": "gausian"}, "unknown distribution 'gausian'. Did you mean 'gaussian'"),
        (
            {"distribution": "gaussian", "sgima": 1},
            "unknown parameter 'sgima'. Did you mean 'sigma'",
        ),
        ({"distribution": "categorical", "mean": 1}, "unknown parameter 'mean'"),
        ({"distribution": "gaussian", "mean": "a"}, "params.mean: expected a number, found 'a'"),
        ({"distribution": "gaussian", "sigma": 0}, "params: needs sigma > 0 and low < high"),
        ({"distribution": "gaussian", "low": 2}, "params: needs sigma > 0 and low < high"),
    ],
)
def test_wrong_parameters(entry, params, message):
    with pytest.raises(ConfigError, match=message):
        models.fingerprint(entry(adapter="chance", params=params))


def test_models_of_the_catalog():
    benchmark = load_benchmark()
    offered = {
        name: models.offered_targets(benchmark.models[name], benchmark.targets)
        for name in ("random-gaussian", "random-categorical")
    }
    kinds = {name: {benchmark.targets[t].kind for t in found} for name, found in offered.items()}
    assert kinds == {"random-gaussian": {"regression"}, "random-categorical": {"classification"}}
    keys = samples(20000)
    values = predict(benchmark.models["random-gaussian"], benchmark.targets, keys)["arousal"]
    assert values.mean() == pytest.approx(0.5, abs=0.005)
    assert values.std() == pytest.approx(stats.truncnorm(-3, 3, scale=1 / 6).std(), abs=0.005)
