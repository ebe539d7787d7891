"""Models in processes of their own: whatever they do, the others and the run go on."""

from __future__ import annotations

import gc
import os
import pickle
import queue
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from common import models
from common.core import processes
from common.core.errors import ConfigError, MissingDependency, ModelError
from common.core.leftovers import SHARED
from common.models import apart, isolated
from common.models.base import Batch, LoadOptions, SampleKey
from common.models.copies import Copies

WILD = """
import ctypes, os, signal, sys, tempfile, threading
import numpy as np

LIMIT = 0.1


class Wild:
    targets = ["arousal"]

    def __init__(self, act="", at=LIMIT):
        self.act, self.at = act, at

    def predict(self, signals, sampling_rate):
        level = [float(np.abs(s).mean()) for s in signals]
        if max(level) > self.at and self.act:
            getattr(self, self.act)()
        return {"arousal": level}

    def segfault(self):
        ctypes.string_at(0)

    def abort(self):
        os.abort()

    def meet(self):
        pipe = os.path.join(os.path.dirname(__file__), "pipe")
        try:
            os.mkfifo(pipe)
            open(pipe, "rb").read()
        except FileExistsError:
            open(pipe, "wb").close()

    def leave(self):
        sys.stderr.write("I had enough\\n")
        sys.stderr.flush()
        os._exit(3)

    def hang(self):
        threading.Event().wait()

    def litter(self, then=None):
        from multiprocessing.shared_memory import SharedMemory

        folder = os.path.dirname(__file__)
        with open(os.path.join(folder, "left"), "w") as places:
            print(SharedMemory(create=True, size=1000).name, tempfile.mkdtemp(), file=places)
        (then or self.leave)()

    def litter_and_hang(self):
        self.litter(self.hang)

    def speak(self):
        print("x" * 300_000)
        os.write(1, b"y" * 300_000)
        os.write(2, b"z" * 300_000)

    def name(self):
        raise RuntimeError(os.getpid())


class Broken:
    def __init__(self):
        os._exit(7)
"""


@pytest.fixture
def wild(entry, tmp_path):
    name = f"wild_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(WILD)

    def make(factory="Wild", outputs=True, **fields):
        fields = {"isolate": None, "outputs": {"arousal": {}} if outputs else {}, **fields}
        return entry(adapter="python", entry=f"{name}:{factory}", **fields)

    return make


def load(entry, targets):
    return models.load(entry, targets, seed=0)


def levels(signals):
    return [float(np.abs(s).mean()) for s in signals]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("segfault", rf"model 'mine': its process ended \(signal {signal.SIGSEGV.value}\)"),
        ("abort", rf"its process ended \(signal {signal.SIGABRT.value}\)"),
        ("leave", r"its process ended \(exit code 3\): I had enough"),
    ],
)
def test_a_crash_is_the_error_of_its_call(wild, targets, batch, signals, act, message):
    model = load(wild(params={"act": act}), targets)
    assert model.predict(batch(signals[:2]))["arousal"].tolist() == levels(signals[:2])
    with pytest.raises(ModelError, match=message):
        model.predict(batch(signals[4:]))
    assert model.predict(batch(signals[:2]))["arousal"].tolist() == levels(signals[:2])


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /dev/shm")
@pytest.mark.parametrize("act", ["litter", "litter_and_hang"])
def test_what_a_model_leaves_goes_with_its_process(wild, targets, batch, signals, tmp_path, act):
    model = load(wild(params={"act": act}, timeout_s=20.0 if act == "litter" else 5.0), targets)
    with pytest.raises(ModelError, match="its process"):
        model.predict(batch(signals[4:]))
    memory, folder = (tmp_path / "left").read_text().split()
    del model
    gc.collect()
    assert not (SHARED / memory).exists() and not Path(folder).exists()


def test_a_call_that_never_ends_is_ended(wild, targets, batch, signals):
    model = load(wild(params={"act": "hang"}, timeout_s=0.2), targets)
    for _ in range(2):  # the second one starts the process again
        with pytest.raises(
            ModelError, match=r"its process did not answer within 0.2 s and was ended"
        ):
            model.predict(batch(signals[4:]))


def test_what_a_model_prints_is_no_answer_and_blocks_nothing(wild, targets, batch, signals):
    model = load(wild(params={"act": "speak", "at": -1}), targets)
    assert model.predict(batch(signals))["arousal"].tolist() == levels(signals)


def test_calls_beside_a_crash_are_made_again(wild, targets, signals):
    """Only the call that does it fails, however many are there at the same time."""
    mine = wild(params={"act": "leave", "at": 0.14})
    model = isolated.Isolated(mine, targets, LoadOptions(), serial=False)
    loud = [n for n, level in enumerate(levels(signals)) if level > 0.14]
    assert len(loud) == 1

    def ask(n):
        key = SampleKey("db", "1.0.0", f"f{n}.wav", 0, -1)
        try:
            return model.predict(Batch([key], [signals[n % 5]], 16000))["arousal"].item()
        except ModelError as error:
            return str(error)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, range(20)))
    for n, answer in enumerate(answers):
        if n % 5 in loud:
            assert "its process ended (exit code 3)" in answer
        else:
            assert answer == levels(signals)[n % 5]


def answer_of(model, signal):
    try:
        return model.predict(Batch([SampleKey("db", "1.0.0", "f.wav", 0, -1)], [signal], 16000))
    except ModelError as error:
        return error


def test_of_calls_that_are_sent_ahead_only_the_one_that_was_worked_on_is_to_blame(
    wild, targets, signals, monkeypatch
):
    """The other one is asked again at once; whoever leaves is not started for it a third time."""
    started = []
    process = isolated._Process
    monkeypatch.setattr(isolated, "_Process", lambda **more: started.append(1) or process(**more))
    mine = wild(params={"act": "leave"})
    model = isolated.Isolated(mine, targets, LoadOptions(), serial=True)
    quiet, loud = (signals[n] for n in (0, 4))
    assert levels([quiet])[0] < 0.1 < levels([loud])[0]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda signal: answer_of(model, signal), [loud, quiet] * 4))
    assert all("exit code 3" in str(answer) for answer in answers[::2])
    assert [answer["arousal"].tolist() for answer in answers[1::2]] == [levels([quiet])] * 4
    # each loud call ends one process; with blame for two it would end another one
    assert len(started) <= 1 + 4


def test_a_question_that_cannot_be_read_is_the_error_of_its_call() -> None:
    class Unreadable:
        def __reduce__(self):
            return int, ("no number",)

    process = isolated._Process(in_turn=True)
    with pytest.raises(ModelError, match="invalid literal for int"):
        process.ask(len, Unreadable(), limit_s=60)
    assert process.ask(len, "abc", limit_s=60) == 3 and not process.is_over


def test_the_time_of_a_call_begins_when_the_one_before_has_its_answer(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(isolated.time, "monotonic", lambda: now[0])
    for in_turn, early, late in ((True, 0.0, 2.0), (False, 4.0, 6.0)):
        waiting, questions = isolated._Waiting(in_turn=in_turn), queue.SimpleQueue()
        now[0] = 0.0
        first, _ = waiting.enter(b"first", questions)
        now[0] = 1.0
        second, _ = waiting.enter(b"second", questions)
        now[0] = 5.0
        assert (waiting.since_s(first), waiting.since_s(second)) == (5.0, early)
        waiting.settle(first, False, None)
        now[0] = 7.0
        assert waiting.since_s(second) == late


def test_a_model_in_several_processes_is_asked_as_often_at_the_same_time(wild, targets, signals):
    """Each of two calls waits until the other one has begun, so that one process would wait for ever."""
    mine = wild(params={"act": "meet", "at": -1}, processes=2, timeout_s=60)
    model = load(mine, targets)
    assert isinstance(model, Copies)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda signal: answer_of(model, signal), signals[:2]))
    assert [answer["arousal"].tolist() for answer in answers] == [[n] for n in levels(signals[:2])]


def test_copies_are_started_when_they_are_needed_and_are_no_other_model(
    wild, targets, batch, signals, entry, monkeypatch
):
    started = []
    process = isolated._Process
    monkeypatch.setattr(isolated, "_Process", lambda **more: started.append(1) or process(**more))
    model = load(wild(processes=3), targets)
    for _ in range(3):
        assert model.predict(batch(signals))["arousal"].tolist() == levels(signals)
    assert len(started) == 1
    assert models.fingerprint(wild(processes=3)) == models.fingerprint(wild())
    assert isolated.is_apart(entry(adapter="onnx", processes=2, isolate=None), by_itself=False)
    with pytest.raises(ConfigError, match=r"processes: 2, but isolate: false allows none"):
        wild(processes=2, isolate=False)


def test_a_copy_that_cannot_be_loaded_costs_no_sample(wild, targets, batch, signals, caplog):
    """There may be no memory for it."""
    tried = []
    both = threading.Barrier(2, timeout=60)

    def another():
        tried.append(1)
        raise ModelError("model 'mine': its process ended (signal 9), while it was loaded")

    first = load(wild(), targets)
    predict = first.predict

    def meeting(batch):
        both.wait()
        return predict(batch)

    first.predict = meeting
    model = Copies(first, another, 3)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda signal: answer_of(model, signal), signals[:4]))
    assert [answer["arousal"].tolist() for answer in answers] == [[n] for n in levels(signals[:4])]
    assert tried == [1]
    assert "signal 9), while it was loaded; the run goes on with 1" in caplog.text


def test_a_call_that_comes_after_the_end_of_a_process_is_not_to_blame():
    for in_turn in (False, True):
        waiting, questions = isolated._Waiting(in_turn=in_turn), queue.SimpleQueue()
        first, _ = waiting.enter(b"first", questions)
        waiting.end()
        assert not waiting.may_be_innocent(first)
        waiting.leave(first)
        late, answer = waiting.enter(b"late", questions)
        assert answer.done() and waiting.may_be_innocent(late)


def test_the_process_ends_with_the_model(wild, targets, batch, signals):
    model = load(wild(params={"act": "name"}), targets)
    with pytest.raises(ModelError, match="predict raised RuntimeError: ") as caught:
        model.predict(batch(signals))
    process = int(str(caught.value).rpartition(" ")[2])
    assert process != os.getpid()
    watched = os.pidfd_open(process)
    del model, caught
    gc.collect()
    assert select.select([watched], [], [], 60)[0]
    os.close(watched)


def test_the_process_ends_when_the_run_is_killed(wild, targets, tmp_path):
    mine = wild()
    script = tmp_path / "run.py"
    script.write_text(
        "import os, pickle, sys\n"
        "from common import models\n"
        "from common.core import machine\n"
        "entry, targets = pickle.load(sys.stdin.buffer)\n"
        "model = models.load(entry, targets, seed=0)\n"
        "print(*machine.descendants(), flush=True)\n"
        "import threading; threading.Event().wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=processes.environment_of(),
    ) as run:
        run.stdin.write(pickle.dumps((mine, targets)))
        run.stdin.close()
        (process,) = map(int, run.stdout.readline().split())
        watched = os.pidfd_open(process)
        run.kill()
    assert select.select([watched], [], [], 60)[0]
    os.close(watched)


def test_a_factory_that_ends_the_process(wild, targets):
    for ask in (
        lambda: models.offered_targets(wild("Broken", outputs=False), targets),
        lambda: models.footprint(wild("Broken")),
        lambda: load(wild("Broken"), targets),
    ):
        with pytest.raises(
            ModelError, match=r"its process ended \(exit code 7\), while it was (loaded|looked at)"
        ):
            ask()


def test_errors_of_loading_are_what_they_are(wild, targets, tmp_path):
    (tmp_path / "models").mkdir()
    with pytest.raises(ModelError, match=r"unknown name in module .*: 'Wilt'\. Did you mean"):
        load(wild("Wilt"), targets)
    with pytest.raises(ConfigError, match=r"has both 'path' and 'params\.path'"):
        load(wild(path="models", params={"path": "x"}), targets)


def test_a_missing_package_stays_one_in_another_process():
    error = pickle.loads(pickle.dumps(MissingDependency("models need torch", "pip install torch")))
    assert (str(error), error.install) == (
        "models need torch. Install it with: pip install torch",
        "pip install torch",
    )


def test_an_entry_decides(wild, targets, batch, signals, entry):
    here = load(wild(params={"act": "name"}, isolate=False), targets)
    with pytest.raises(ModelError, match=f"RuntimeError: {os.getpid()}"):
        here.predict(batch(signals))
    assert isolated.is_apart(entry(adapter="onnx", isolate=True), by_itself=False)
    assert not isolated.is_apart(entry(adapter="onnx", isolate=None), by_itself=False)
    assert not isolated.is_apart(
        wild().model_copy(update={"builtin": True, "isolate": True}), by_itself=True
    )
    for value in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ConfigError, match="timeout_s"):
            wild(timeout_s=value)


def test_answers_are_checked_there_as_here(wild, targets, batch, signals):
    fields = {"outputs": {"arousal": {}}, "max_signal_length": 0.01}
    there, here = (load(wild(isolate=isolate, **fields), targets) for isolate in (None, False))
    assert isinstance(there, isolated.Isolated) and not isinstance(here, isolated.Isolated)
    for name in apart.FACTS:
        assert getattr(there, name) == getattr(here, name)
    answers = [model.predict(batch(signals))["arousal"] for model in (there, here)]
    np.testing.assert_array_equal(*answers)
    assert answers[0].dtype == np.float64
