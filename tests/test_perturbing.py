"""Signals that other processes change are those that this one would make."""

from __future__ import annotations

import os

import numpy as np
import pytest
import soundfile

from common import models
from common.core.errors import BenchmarkError
from common.models.base import Batch, SampleKey
from common.models.demo.baseline import Baseline
from common.perturbations.library import Library
from common.predictions import perturbing
from common.predictions.attributes.f0_models import METHODS
from common.predictions.calls import predictions
from common.predictions.lanes import Here, Lane, Order, outcomes
from common.predictions.perturbing import AHEAD, Beside, Perturbing
from common.spec import load_benchmark
from common.spec.view import ORIGINAL

RATE = 16000
CONDITIONS = ("prepend-zeros", "crop-end", "gain", "white-noise", "low-quality-phone", "clip")


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Library:
    return Library(load_benchmark(), tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def pool(library):
    made = Perturbing(library, 2)
    made.lanes(1, perturbing.PROCESSES_FROM)
    yield made
    made.close()


@pytest.fixture
def lane(pool) -> Beside:
    (made,) = pool.lanes(1, 0)
    assert isinstance(made, Beside)
    made.close()  # memory of its own
    return made


def _signals(count: int = 9, first: int = 0) -> dict[int, np.ndarray]:
    rng = np.random.default_rng(first)
    sizes = rng.integers(20, 9000, count)
    return {first + n: rng.uniform(-1, 1, (1, size)).astype("f4") for n, size in enumerate(sizes)}


def _found(lane, signals, conditions=CONDITIONS):
    """Everything of a chunk, copied, as the outcome is valid for a while only."""
    lane.take(signals, RATE)
    orders = (Order(name, _keys(signals, name)) for name in conditions)
    return {
        name: ({n: item.copy() for n, item in outcome.signals.items()}, outcome.broken)
        for name, outcome in outcomes(lane, orders)
    }


def _keys(signals, condition) -> dict[int, SampleKey]:
    return {n: SampleKey("db", "1", f"{n}.wav", 0, -1, condition) for n in signals}


def _same(found, expected) -> bool:
    assert list(found) == list(expected)
    for name, (changed, broken) in expected.items():
        assert found[name][1] == broken
        assert list(found[name][0]) == list(changed)
        for number, item in changed.items():
            other = found[name][0][number]
            assert other.dtype == item.dtype and np.array_equal(other, item), (name, number)
    return True


def test_equal_to_the_last_bit(library, lane) -> None:
    expected = _found(Here(library), _signals())
    assert all(len(changed) + len(broken) == 9 for changed, broken in expected.values())
    assert _same(_found(lane, _signals()), expected)
    # a lane is used again, for more and for less
    assert _same(_found(lane, _signals(30, 50)), _found(Here(library), _signals(30, 50)))
    assert _same(_found(lane, _signals(2, 90)), _found(Here(library), _signals(2, 90)))


def test_reason_of_a_signal_that_cannot_be_changed(library, lane) -> None:
    signals = {0: np.full((1, 100), np.nan, "f4"), 1: np.zeros((1, 1), "f4"), **_signals(2, 2)}
    found = _found(lane, signals, ["gain"])
    assert found["gain"][1][0] == "gain: 0.wav: signal holds NaN or infinite samples"
    assert _same(found, _found(Here(library), signals, ["gain"]))


def test_what_does_not_fit_is_sent(library, lane, monkeypatch) -> None:
    monkeypatch.setattr(perturbing, "LONGER_S", 0)
    expected = _found(Here(library), _signals(), ["prepend-zeros"])
    changed, _ = expected["prepend-zeros"]
    assert all(changed[n].size > item.size for n, item in _signals().items())
    assert _same(_found(lane, _signals(), ["prepend-zeros"]), expected)


@pytest.mark.parametrize("limit", ["room", "size"])
def test_without_shared_memory_this_process_does_it(library, lane, monkeypatch, limit) -> None:
    if limit == "room":
        monkeypatch.setattr(perturbing, "_has_room", lambda size: False)
    else:
        monkeypatch.setattr(perturbing, "LARGEST", 1000)
    found = _found(lane, _signals())
    assert lane._memory is None
    assert _same(found, _found(Here(library), _signals()))


def test_room_of_the_system(monkeypatch, tmp_path) -> None:
    assert perturbing._has_room(1000)
    monkeypatch.setattr(perturbing, "SHARED", tmp_path)
    assert not perturbing._has_room(2**62)
    monkeypatch.setattr(perturbing, "SHARED", tmp_path / "none")
    assert perturbing._has_room(2**62)


def test_originals_are_heard_while_other_signals_are_changed(library, lane, monkeypatch) -> None:
    """A model need not wait for the first changes after it has heard the originals."""
    submitted, submit = [], lane._submit
    monkeypatch.setattr(
        lane, "_submit", lambda task: submitted.append(task.order.condition) or submit(task)
    )
    signals = _signals()
    lane.take(signals, RATE)
    settled = outcomes(
        lane, [Order(name, _keys(signals, name)) for name in (ORIGINAL, *CONDITIONS)]
    )
    condition, heard = next(settled)
    assert condition == ORIGINAL and not heard.broken and submitted == [*CONDITIONS[:AHEAD]]
    assert all(heard.signals[number] is signal for number, signal in signals.items())
    settled.close()


def test_abandoned_chunk_is_not_written_to_any_more(library, lane) -> None:
    lane.take(_signals(), RATE)
    order = Order("gain", _keys(_signals(), "gain"))
    begun = []

    class Watched:
        ahead = AHEAD

        def begin(self, order):
            outcome = lane.begin(order)
            begun.append(False)
            place = len(begun) - 1

            def wait():
                begun[place] = True
                return outcome()

            return wait

    found = outcomes(Watched(), [order] * 6)
    next(found)
    found.close()
    assert begun == [True] * (AHEAD + 1)


def test_recordings_that_were_loaded_after_the_processes_began(tmp_path) -> None:
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    soundfile.write(sounds / "rain.wav", np.sin(np.arange(3000)), RATE)
    (sounds / "metadata.csv").write_text("file\nrain.wav\n")
    (tmp_path / "datasets.yaml").write_text(
        "- {id: sounds, version: 1.0.0, adapter: folder, path: sounds}\n"
    )
    (tmp_path / "perturbations.yaml").write_text(
        "- id: rain\n  label: Rain\n  description: It rains.\n  function: background\n"
        "  params: {corpus: {dataset: sounds}, snr_db: 10}\n"
    )
    known = Library(load_benchmark([tmp_path]), tmp_path / "cache")
    perturbs = Perturbing(known, 2)
    (lane,) = perturbs.lanes(1, perturbing.PROCESSES_FROM)
    assert known.prepare("rain") == ""
    (sounds / "metadata.csv").unlink()  # another process that reads the table itself would fail
    expected = _found(Here(known), _signals(), ["rain", "gain"])
    assert not any(broken for _, broken in expected.values())
    assert _same(_found(lane, _signals(), ["rain", "gain"]), expected)
    perturbs.close()


def test_methods_are_asked_there(library, monkeypatch) -> None:
    signals, keys = _signals(), _keys(_signals(), ORIGINAL)
    (name, praat) = METHODS
    here = METHODS[name]()
    batch = Batch([keys[n] for n in signals], list(signals.values()), RATE)
    expected = predictions(here, batch)
    assert len(expected) == 9
    perturbs = Perturbing(library, 2, METHODS)
    (lane,) = perturbs.lanes(1, perturbing.PROCESSES_FROM)
    assert lane.models == perturbs.small == {"baseline", "detector", name, praat}
    monkeypatch.setattr(type(here), "mean", lambda *args: pytest.fail("asked here"))
    lane.take(signals, RATE)
    ((_, outcome),) = outcomes(lane, [Order(ORIGINAL, keys, {name: list(signals)})])
    perturbs.close()
    numbers, values = outcome.answers[name]
    assert np.array_equal(values[np.argsort(numbers)], expected)


def test_few_signals_are_not_worth_processes(library) -> None:
    few = Perturbing(library, 2)
    assert [type(lane) for lane in few.lanes(2, 10)] == [Here, Here]
    alone = Perturbing(library, 1)
    assert [type(lane) for lane in alone.lanes(1, 10**9)] == [Here]
    few.close()


def test_memory_that_another_process_gave_back(lane, monkeypatch) -> None:
    """If the process that tracks it was killed, each worker has one of its own, which ends with the worker."""
    lane.take(_signals(), RATE)
    name, forgotten = lane._memory.name, []
    monkeypatch.setattr(
        perturbing.resource_tracker,
        "unregister",
        lambda *args, forget=perturbing.resource_tracker.unregister: (
            forgotten.append(args) or forget(*args)
        ),
    )
    (perturbing.SHARED / name).unlink()
    lane.close()
    assert lane._memory is None and forgotten == [(f"/{name}", "shared_memory")]


def test_killed_process(library) -> None:
    perturbs = Perturbing(library, 2)
    (lane,) = perturbs.lanes(1, 10**9)
    _found(lane, _signals(), ["gain"])
    name = lane._memory.name
    assert perturbs._pool.submit(os._exit, 1).exception() is not None
    with pytest.raises(BenchmarkError, match="a process that changes signals was killed"):
        _found(lane, _signals())
    perturbs.close()
    with pytest.raises(FileNotFoundError):
        perturbing.SharedMemory(name)


@pytest.mark.parametrize("condition", [ORIGINAL, "gain"])
def test_small_models_say_the_same_there(library, lane, condition) -> None:
    assert {"baseline", "detector"} == lane.models
    signals, keys = _signals(), _keys(_signals(), condition)
    lane.take(signals, RATE)
    ((_, outcome),) = outcomes(lane, [Order(condition, keys, {"baseline": [4, 1, 7]})])
    ((_, expected),) = outcomes(_taken(Here(library), signals), [Order(condition, keys)])
    assert not expected.answers
    numbers, values = outcome.answers["baseline"]
    assert sorted(numbers) == [1, 4, 7]
    entry = library.benchmark.models["baseline"]
    model = models.load(entry, library.benchmark.targets, seed=0)
    batch = Batch([keys[n] for n in numbers], [expected.signals[n] for n in numbers], RATE)
    assert np.array_equal(values, predictions(model, batch))


def test_a_model_that_fails_there_is_left_to_those_who_say_why(lane) -> None:
    signals = {**_signals(3), 5: np.full((1, 100), np.nan, "f4")}
    keys = _keys(signals, ORIGINAL)
    lane.take(signals, RATE)
    orders = [Order(ORIGINAL, keys, {"baseline": numbers}) for numbers in ([0, 5], [0, 1], [])]
    answers = [outcome.answers for _, outcome in outcomes(lane, orders)]
    assert [set(each) for each in answers] == [set(), {"baseline"}, set()]


def _taken(lane: Lane, signals) -> Lane:
    lane.take(signals, RATE)
    return lane


def test_small_models_of_a_run_are_asked_there_only(mini, monkeypatch) -> None:
    chosen = {"models": ("loud", "baseline"), "tests": ("robustness_small_changes",)}
    alone = mini.run("alone", cache="a", **chosen)
    monkeypatch.setattr(Baseline, "predict", lambda *args: pytest.fail("asked here"))
    beside = mini.run("beside", cache="b", workers=2, **chosen)
    assert alone.calls == beside.calls == 2 * 11 * 280 and not beside.errors
    assert mini.files("alone") == mini.files("beside")


def test_processes_change_no_byte_of_the_results(mini, monkeypatch) -> None:
    lanes = []
    original = Perturbing.lanes
    monkeypatch.setattr(
        Perturbing, "lanes", lambda *args: lanes.extend(found := original(*args)) or found
    )
    chosen = {"models": ("loud",), "tests": ("robustness_small_changes",)}
    alone = mini.run("alone", cache="a", **chosen)
    assert {type(lane) for lane in lanes} == {Here}
    lanes.clear()
    beside = mini.run("beside", cache="b", workers=2, **chosen)
    assert {type(lane) for lane in lanes} == {Beside}
    assert alone.calls == beside.calls == 11 * 280 and not beside.errors
    assert mini.files("alone") == mini.files("beside")
