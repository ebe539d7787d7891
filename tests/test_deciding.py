"""A model that fails: what is asked of it, and what is said of it, whoever computes what first."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.core.errors import ModelError, ModelTimeout
from common.predictions import inputs
from common.predictions.inputs import Request, Source
from common.predictions.predict import Predictor
from common.predictions.store import PredictionStore
from common.samples import datasets
from common.spec import load_benchmark

GIVE_UP = 5


class Choosy:
    """A model that fails on some files, and counts how often it is asked."""

    targets = ("x",)
    sampling_rate = 16000
    needs_audio = True
    batch_size = group_size = 1
    equal_length = False
    fingerprint = ""

    def __init__(self, fails: Collection[str], error: type[ModelError] = ModelError):
        self.fails, self.error = frozenset(fails), error
        self.calls = 0
        self._lock = threading.Lock()

    def predict(self, batch):
        with self._lock:
            self.calls += 1
        if batch.keys[0].file in self.fails:
            raise self.error("no luck")
        return {"x": np.full(len(batch.keys), float(len(batch.signals[0])))}


@pytest.fixture
def source(mini, tmp_path) -> Source:
    benchmark = load_benchmark([mini.catalog], allow_code=True)
    samples = datasets.load(benchmark.datasets["tones"], tmp_path / "cache", benchmark.targets)
    source = Source(samples)
    source.add("tones", samples.table)
    source.freeze()
    return source


def run(model: Choosy, source: Source, folder: Path, workers: int = 1) -> Request:
    everything = np.ones(len(source.keys), dtype=bool)
    request = Request(lambda: model, "m", "original", ["x"], everything, PredictionStore(folder))
    Predictor(source, [request], workers=workers).run()
    return request


def said(request: Request) -> tuple[dict[int, str], list[float]]:
    """Why there is no prediction of some samples, and the predictions of the others."""
    values = request.values[:, 0].tolist()
    return request.failed, [v for i, v in enumerate(values) if i not in request.failed]


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_said_depends_on_nothing_else(source, tmp_path, monkeypatch, share, seed) -> None:
    generator = np.random.default_rng(seed)
    files = source.keys["file"].tolist()
    fails = {file for file in files if generator.random() < share}
    deciding = [round(n * (len(files) - 1) / (GIVE_UP - 1)) for n in range(GIVE_UP)]
    is_given_up = all(files[i] in fails for i in deciding)
    outcomes = []
    for name, workers, seconds in (("a", 1, 120.0), ("b", 2, 3.0), ("c", 3, 0.1)):
        monkeypatch.setattr(inputs, "CHUNK_S", seconds)
        outcomes.append(said(run(Choosy(fails), source, tmp_path / name, workers)))
    # an earlier run was interrupted, or wanted less
    half = np.zeros(len(files), dtype=bool)
    half[generator.permutation(len(files))[: len(files) // 2]] = True
    store = PredictionStore(tmp_path / "d")
    asked = Request(lambda: Choosy(fails), "m", "original", ["x"], half, store)
    Predictor(source, [asked]).run()
    outcomes.append(said(run(Choosy(fails), source, tmp_path / "d")))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    lost = outcomes[0][0]
    if is_given_up:
        assert set(lost) == set(range(len(files)))
        assert {i for i, why in lost.items() if not why.startswith("not tried")} == set(deciding)
        assert all("no luck" in why for why in lost.values())
    else:
        assert {files[i] for i in lost} == fails
        assert not any(why.startswith("not tried") for why in lost.values())


def test_a_model_that_always_fails_is_asked_a_few_times(source, tmp_path) -> None:
    model = Choosy(source.keys["file"])
    request = run(model, source, tmp_path)
    assert GIVE_UP < model.calls <= 2 * GIVE_UP < len(request.failed)
    assert request.calls == model.calls


def test_short_signals_that_fail_cost_no_other_its_prediction(source, tmp_path) -> None:
    """The shortest are asked about first, so that all calls fail in a row."""
    files = source.keys["file"].tolist()
    lengths = [soundfile.info(source.samples.root / file).frames for file in files]
    short = np.array(lengths) < np.quantile(lengths, 0.3)
    assert short.sum() > 2 * GIVE_UP
    request = run(Choosy(source.keys["file"][short]), source, tmp_path)
    assert set(request.failed) == set(np.flatnonzero(short).tolist())
    assert not np.isnan(request.values[~short]).any()


def test_calls_that_take_too_long_end_the_questions_in_any_case(source, tmp_path) -> None:
    """A model that answers some of the deciding samples is not waited for hundreds of times."""
    files = source.keys["file"].tolist()
    model = Choosy(files[1:], ModelTimeout)
    request = run(model, source, tmp_path)
    assert model.calls <= 4 * GIVE_UP < len(files)
    assert len(request.failed) == len(files) - 1
    reasons = {why for why in request.failed.values() if "no luck" not in why}
    assert reasons == {"not tried: model 'm' failed 5 times in a row"}


def test_what_nobody_can_hear_is_not_held_against_the_model(source, tmp_path, monkeypatch) -> None:
    from common.core.errors import AudioError
    from common.samples import audio

    files = source.keys["file"].tolist()
    load = audio.load_many

    def broken(root, file, segments, rate, heard):
        if file == files[0]:
            return [AudioError("broken") for _ in segments]
        return load(root, file, segments, rate, heard)

    monkeypatch.setattr(audio, "load_many", broken)
    request = run(Choosy(files), source, tmp_path)
    assert "broken" in request.failed[0] and 0 in request.unheard
    assert all("no luck" in why for i, why in request.failed.items() if i)
    assert not any(why.startswith("not tried") for why in request.failed.values())
