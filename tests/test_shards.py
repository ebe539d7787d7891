"""Shards: what they are described by, and that one function computes them."""

from __future__ import annotations

import pickle
import signal
import sys
import threading
import types
from dataclasses import replace

import numpy as np
import pytest

from common.core.errors import ModelError
from common.engine.plan import Filters
from common.models.programs import Program
from common.perturbations.library import Library
from common.predictions import executing, inputs, predict
from common.predictions.lanes import Here
from common.predictions.perturbing import AHEAD
from common.predictions.shards import Resources, Shard, compute, not_tried
from common.spec import load_benchmark
from common.spec.view import ORIGINAL

TEST = ("robustness_small_changes",)


@pytest.fixture
def shards(mini, monkeypatch) -> list[Shard]:
    """Shards of a run with several of them, and their result."""
    monkeypatch.setattr(inputs, "CHUNK_S", 2.0)
    seen: list[Shard] = []

    def noted(shard, resources):
        seen.append(shard)
        return compute(shard, resources)

    monkeypatch.setattr(executing, "compute", noted)
    mini.run(models=("loud", "chance-value"), tests=TEST)
    return seen


def test_a_shard_has_all_models_and_conditions_of_its_segments(shards) -> None:
    assert len(shards) > 3
    for shard in shards:
        assert {wish.model for wish in shard.wishes} == {"loud", "chance-value"}
        assert len({wish.condition for wish in shard.wishes}) > 5
        assert len(shard.files) == len(shard.starts) == len(shard.ends)
        assert sorted(np.concatenate(shard.parts)) == [*range(len(shard.files))]
    files = [file for shard in shards for file in shard.files]
    assert len(files) == len(set(files)) == 280


def test_a_shard_is_values_and_its_key_follows_from_them(shards) -> None:
    keys = {shard.key for shard in shards}
    assert len(keys) == len(shards)
    first = shards[0]
    assert pickle.loads(pickle.dumps(first)).key == first.key
    assert replace(first, root="elsewhere").key == first.key
    assert first.of(first.wishes[:1]).key != first.key
    wish = first.wishes[0]
    for other in (
        {"made_of": {**wish.made_of, "seed": 1}},
        {"made_of": {**wish.made_of, "code": "other"}},
        {"made_of": {**wish.made_of, "fingerprint": "other"}},
        {"segments": ~wish.segments},
        {"condition": "gain"},
    ):
        changed = replace(wish, **other)
        assert first.of([changed, *first.wishes[1:]]).key != first.key


def test_the_key_does_not_depend_on_what_else_is_selected(shards, mini) -> None:
    before = {shard.key for shard in shards}
    shards.clear()
    mini.run("again", cache="again", models=("loud", "chance-value"), tests=TEST)
    assert {shard.key for shard in shards} == before


def test_changes_are_begun_before_the_model_hears_the_originals(shards) -> None:
    happened: list[str] = []

    class Ahead(Here):
        ahead = AHEAD

        def begin(self, order):
            happened.append(f"begun: {order.condition}")
            return super().begin(order)

    class Listens:
        targets, sampling_rate, needs_audio = ("arousal",), 16000, True
        batch_size, group_size, equal_length = 100, 1, False

        def predict(self, batch):
            happened.append(f"heard: {batch.keys[0].condition or ORIGINAL}")
            return {"arousal": np.zeros(len(batch))}

    shard = max(shards, key=lambda one: len(one.files))
    wanted = [wish for wish in shard.wishes if wish.model == "loud"]
    conditions = [ORIGINAL, *sorted({w.condition for w in wanted} & {"gain", "clip", "crop-end"})]
    wishes = [replace(wish, columns=1) for wish in wanted if wish.condition in conditions]
    resources = Resources({"loud": Listens})
    resources.lanes.put(Ahead(Library(load_benchmark(), None)))
    result = compute(shard.of(wishes), resources)
    assert all(len(answer.segments) == len(shard.files) for answer in result.answers)
    first = [f"begun: {name}" for name in conditions[: 1 + AHEAD]]
    assert happened[: 2 + AHEAD] == [*first, f"heard: {ORIGINAL}"]


def test_another_run_on_the_same_stores_is_not_repeated(mini, monkeypatch) -> None:
    """While one run is in the middle, another one begins and ends; their stores are the same."""
    mini.run("alone", cache="other", models=("loud",))
    monkeypatch.setattr(inputs, "CHUNK_S", 0.5)
    monkeypatch.setattr(predict, "FLUSH_ROWS", 1)
    engine, begun = mini.engine("a"), threading.Event()
    calls = []

    def told(stage: str, done: int, total: int) -> None:
        if stage.startswith("predict") and done and not begun.is_set():
            begun.set()
            calls.append(mini.run("b", models=("loud",)).calls)

    engine.progress = told
    tests = tuple(t.id for t in engine.benchmark.tests.values() if t.family == "correctness")
    report = engine.run(Filters(models=("loud",), datasets=("tones",), tests=tests))
    shard = 8  # segments of half a second at most, of which two are on their way at a time
    assert report.calls < 6 * shard
    assert 280 <= report.calls + calls[0] < 280 + 4 * shard
    assert mini.files("a") == mini.files("b") == mini.files("alone")


def test_what_is_done_is_kept_when_a_shard_raises(mini, monkeypatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK_S", 1.0)
    first = threading.Event()

    def broken(shard, resources):
        if first.is_set():
            raise RuntimeError("a fault of this program")
        first.set()
        return compute(shard, resources)

    monkeypatch.setattr(executing, "compute", broken)
    with pytest.raises(RuntimeError, match="a fault of this program"):
        mini.run(models=("loud",))
    monkeypatch.setattr(executing, "compute", compute)
    assert 0 < mini.run(models=("loud",)).calls < 280


def test_an_interrupt_ends_a_model_that_never_answers(monkeypatch, tmp_path) -> None:
    """Ctrl-C waited for its time limit, ten minutes if the entry names none; so did every further one."""
    asked = tmp_path / "asked"
    code = f"import threading; open({str(asked)!r}, 'w'); threading.Event().wait()"
    program = Program([sys.executable, "-c", code], tmp_path, start_s=600, timeout_s=600)
    refused = []

    def hanging(shard, resources):
        try:
            program.ask("?")
        except ModelError as error:
            refused.append(str(error))
            raise

    def work():
        yield types.SimpleNamespace(shard=None)
        while not asked.exists():  # it says so at once
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(executing, "compute", hanging)
    monkeypatch.setattr(executing, "GRACE_S", 0)
    resources = types.SimpleNamespace(stop=threading.Event())
    with pytest.raises(KeyboardInterrupt):
        executing.Threads(1, resources).run(work(), pytest.fail, pytest.fail)
    ended = f"the program ended before it answered (signal {int(signal.SIGKILL)})"
    assert refused == [f"{ended}; standard error: empty"]


def test_a_model_that_always_fails_is_given_up_and_the_reason_is_the_failure(mini) -> None:
    mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load",'
        " params: {fail: raise}}\n",
    )
    report = mini.run(models=("loud",))
    assert report.calls == 10  # five in a row, and five that decide
    assert all("out of luck" in reason for reason in report.errors.values())
    assert not_tried("loud") == "not tried: model 'loud' failed 5 times in a row"


def test_an_interrupt_right_after_a_shard_was_begun_loses_nothing(monkeypatch) -> None:
    """On a busy machine a thread may be further than who started it; what it computed was lost."""
    begun, submit = threading.Event(), executing.ThreadPoolExecutor.submit

    def computed(shard, resources):
        begun.set()
        return f"result of {shard}"

    def interrupted(pool, *arguments):
        submit(pool, *arguments)
        begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(executing, "compute", computed)
    monkeypatch.setattr(executing.ThreadPoolExecutor, "submit", interrupted)
    resources = types.SimpleNamespace(stop=threading.Event())
    results = []
    work = [types.SimpleNamespace(shard="a"), types.SimpleNamespace(shard="b")]
    with pytest.raises(KeyboardInterrupt):
        executing.Threads(1, resources).run(work, lambda _, result: results.append(result), print)
    assert results == ["result of a"]
