"""The baseline model: finite on everything, independent of company, better than chance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import spec
from common.core import paths
from common.core.errors import ModelError
from common.core.rng import generator
from common.metrics.classification import uar
from common.metrics.regression import ccc
from common.models.demo import baseline, features, train_baseline
from common.samples.demo import acoustics, recipes, speech, synthesis

Reduced = Callable[[int, int], dict[str, Any]]
RATE = features.SAMPLING_RATE
NOISE = generator(0, "signals").standard_normal((2, RATE)).astype(np.float32)
ODD = {
    "one sample": np.ones((1, 1), np.float32),
    "silence": np.zeros((1, RATE), np.float32),
    "constant": np.full((1, RATE), 0.5, np.float32),
    "noise": 0.1 * NOISE[:1],
    "two channels": 0.1 * NOISE,
    "impulse": np.eye(1, RATE, RATE // 2, dtype=np.float32),
    "sine": np.sin(np.arange(RATE, dtype=np.float32) * 0.1)[None],
    "clipped": np.sign(NOISE[:1]),
    "beyond full scale": NOISE[:1] * 1e20,
    "near nothing": NOISE[:1] * 1e-30,
    "highest frequency": np.tile(np.array([1, -1], np.float32), 1000)[None],
    "shorter than a frame": 0.1 * NOISE[:1, :100],
}


@pytest.fixture(scope="module")
def model() -> baseline.Baseline:
    return baseline.load()


def test_targets_and_labels_are_those_of_the_suite(model: baseline.Baseline) -> None:
    targets = spec.load_entries(spec.Target, paths.CATALOG / "targets.yaml")
    assert set(model.targets) == {t for t, entry in targets.items() if entry.kind != "events"}
    assert model.labels == {"emotion": list(targets["emotion"].labels)}


def test_catalog_entry_loads_this_model(model: baseline.Baseline) -> None:
    entry = spec.load_entries(spec.Model, paths.CATALOG / "models.yaml")["baseline"]
    assert entry.adapter == "python"
    assert entry.resolve(entry.path) == baseline.WEIGHTS
    assert entry.sampling_rate == model.sampling_rate
    assert "not for real use" in entry.description
    numbers = json.loads(baseline.WEIGHTS.read_text("utf-8"))
    parts = [*numbers["dimensions"].values(), *numbers["category"].values()]
    size = sum(np.size(part["weights"]) + np.size(part["bias"]) for part in parts)
    assert entry.parameters == size


def test_weights_belong_to_these_features() -> None:
    """Else: python -m common.models.demo.train_baseline, and a new version in the catalog."""
    content = json.loads(baseline.WEIGHTS.read_text("utf-8"))
    corpus = train_baseline.training_recipe()
    np.testing.assert_allclose(train_baseline.reference(), content["reference"], rtol=1e-4)
    assert content["trained_on"].startswith(f"{corpus.id}-{corpus.version}-")
    assert baseline.WEIGHTS.stat().st_size < 300_000


@pytest.mark.parametrize("name", ODD)
def test_odd_signals_give_finite_values(model: baseline.Baseline, name: str) -> None:
    predictions = model.predict([ODD[name]], RATE)
    for target, values in predictions.items():
        if target in model.labels:
            assert values.shape == (1, len(model.labels[target]))
            assert values.sum() == pytest.approx(1)
        else:
            assert values.shape == (1,)
        assert ((values >= 0) & (values <= 1)).all()
        assert values.dtype == np.float64


def test_silence_gives_the_same_as_one_sample(model: baseline.Baseline) -> None:
    """Nothing to hear: no feature may pretend otherwise."""
    a, b = (model.predict([ODD[name]], RATE) for name in ("silence", "one sample"))
    assert all(np.array_equal(a[name], b[name]) for name in a)


def test_long_signal_needs_little_memory(model: baseline.Baseline) -> None:
    import tracemalloc

    signal = np.tile(0.1 * NOISE[:1], (1, 120))
    tracemalloc.start()
    model.predict([signal], RATE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # float64 copy of the signal, its frame values, and a few blocks; all frames: 154 MB
    assert peak < 8 * signal.size + 30e6


def test_values_do_not_depend_on_the_batch(model: baseline.Baseline) -> None:
    signals = list(ODD.values())
    together = model.predict(signals, RATE)
    backwards = model.predict(signals[::-1], RATE)
    for n, signal in enumerate(signals):
        alone = model.predict([signal], RATE)
        for name in model.targets:
            assert together[name][n].tobytes() == alone[name][0].tobytes(), name
            assert together[name][n].tobytes() == backwards[name][-1 - n].tobytes(), name


def test_no_signals(model: baseline.Baseline) -> None:
    predictions = model.predict([], RATE)
    assert predictions["emotion"].shape == (0, 4)
    assert predictions["arousal"].shape == (0,)


@pytest.mark.parametrize(
    ("signal", "rate", "message"),
    [
        (NOISE, 8000, "expected 16000 Hz, found 8000 Hz"),
        (NOISE[:, :0], RATE, "signal 0: expected (channels, samples), found (2, 0)"),
        (NOISE[0], RATE, "signal 0: expected (channels, samples), found (16000,)"),
        (NOISE * np.nan, RATE, "signal 0: holds values that are not finite"),
    ],
)
def test_what_it_refuses(
    model: baseline.Baseline, signal: np.ndarray, rate: int, message: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        model.predict([signal], rate)


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    content = json.loads(baseline.WEIGHTS.read_text("utf-8"))
    content["features"] = content["features"][1:]
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError, match="belong to other features"):
        baseline.load(str(path))
    path.write_text("{")
    with pytest.raises(ModelError, match=r"weights\.json: cannot be read as weights"):
        baseline.load(str(path))


@pytest.fixture(scope="module")
def spoken() -> list[tuple[speech.Utterance, np.ndarray]]:
    """Some utterances of ten test speakers."""
    corpus = train_baseline.training_recipe()
    test = [u for u in corpus.utterances() if u.split == "test"]
    chosen = {u.file: u for u in test[::8]}
    sounds = synthesis.synthesise([u.request() for u in chosen.values()])
    return [
        (
            chosen[file],
            acoustics.render(
                audio, rate, chosen[file], generator(corpus.seed, corpus.id, file)
            ).astype(np.float32)[None],
        )
        for file, rate, audio in sounds
    ]


@pytest.mark.spoken
def test_better_than_chance_on_other_speakers(
    model: baseline.Baseline, spoken: list[tuple[speech.Utterance, np.ndarray]]
) -> None:
    """Chance: CCC 0, UAR 0.25. Far from perfect as well: the tests need something to find."""
    predictions = model.predict([sound for _, sound in spoken], RATE)
    for name, low, high in (
        ("arousal", 0.6, 0.95),
        ("dominance", 0.5, 0.9),
        ("valence", 0.35, 0.8),
    ):
        truth = np.array([utterance.labels[name] for utterance, _ in spoken])
        assert low < ccc(truth, predictions[name]) < high, name
    labels = tuple(model.labels["emotion"])
    known = np.array([utterance.labels["emotion"] in labels for utterance, _ in spoken])
    truth = np.array([utterance.labels["emotion"] for utterance, _ in spoken], dtype=object)[known]
    chosen = np.array(labels, dtype=object)[predictions["emotion"][known].argmax(axis=1)]
    assert 0.6 < uar(truth, chosen, labels=labels) < 0.9


@pytest.mark.spoken
def test_no_sound_is_clipped_silent_or_endless(
    spoken: list[tuple[speech.Utterance, np.ndarray]],
) -> None:
    seconds = [sound.shape[1] / RATE for _, sound in spoken]
    assert min(seconds) > 0.7
    assert max(seconds) < 3.5
    assert 1.0 < np.mean(seconds) < 2.0
    for utterance, sound in spoken:
        level_db = 20 * np.log10(acoustics.rms(sound))
        assert -42 < level_db < -14, utterance.file
        assert np.abs(sound).max() <= acoustics.PEAK + 1e-6, utterance.file
        assert abs(sound.mean()) < 2e-3, utterance.file


@pytest.mark.spoken
def test_sexes_differ_in_f0(spoken: list[tuple[speech.Utterance, np.ndarray]]) -> None:
    place = features.NAMES.index("f0_st.mean")
    f0_hz: dict[str, list[float]] = {"female": [], "male": []}
    for utterance, sound in spoken:
        f0_hz[utterance.speaker.sex].append(100 * 2 ** (features.extract(sound)[place] / 12))
    assert 160 < np.nanmedian(f0_hz["female"]) < 260
    assert 80 < np.nanmedian(f0_hz["male"]) < 145


@pytest.mark.spoken
def test_low_medium_and_high_voices(spoken: list[tuple[speech.Utterance, np.ndarray]]) -> None:
    """The groups of the fairness tests, with borders at 145 and 190 Hz and room beside them."""
    place = features.NAMES.index("f0_st.mean")
    f0_hz: dict[tuple[str, str], list[float]] = {}
    for utterance, sound in spoken:
        key = (utterance.speaker.id, utterance.speaker.sex)
        f0_hz.setdefault(key, []).append(100 * 2 ** (features.extract(sound)[place] / 12))
    groups: dict[int, list[str]] = {0: [], 1: [], 2: []}
    for (_, sex), values in f0_hz.items():
        groups[int(np.digitize(np.nanmean(values), (145, 190)))].append(sex)
    assert min(map(len, groups.values())) >= 5
    assert set(groups[1]) == {"female", "male"}


def test_training_is_reproducible_and_learns(
    reduced: Reduced, write: Callable[[Any], Path]
) -> None:
    pytest.importorskip("sklearn")
    import pandas as pd

    corpus = recipes.load(write(reduced(4, 4)))
    labels = train_baseline.category_labels(corpus)
    utterances = corpus.utterances()
    table = pd.DataFrame([u.labels for u in utterances])
    random = generator(0, "training")
    values = random.standard_normal((len(table), len(features.NAMES)))
    values[:, 0] += 3 * table["arousal"]
    values[::7, 3] = np.nan
    first, second = (train_baseline.train(corpus, labels, table, values) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)
    predictions = baseline.Baseline(first).from_features(values)
    assert ccc(table["arousal"].to_numpy(), predictions["arousal"]) > 0.3
    text = train_baseline.scores(corpus, table, predictions)
    assert re.search(r"^arousal: CCC 0\.\d{3}, MAE 0\.\d{3}, n 288$", text, re.MULTILINE)
    assert re.search(r"^emotion: UAR 0\.\d{3}, n 128$", text, re.MULTILINE)
