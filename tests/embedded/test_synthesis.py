"""The pipe to the synthesiser: same bytes always, and clear words when it fails."""

from __future__ import annotations

import array
import importlib.util
import json
import os
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from common.core import paths
from common.core.errors import DataError, MissingDependency
from common.samples import demo
from common.samples.demo import acted, espeak_worker, recipes, synthesis

TEXT = "The cup is on the table."


def request(name: str, **changes: Any) -> dict[str, Any]:
    base = {"voice": "en+m3", "text": TEXT, "rate": 170, "pitch": 50, "range": 50, "volume": 60}
    return {"id": name, **base, **changes}


REQUESTS = [
    request("a"),
    request("b", voice="de+f2", text="Die Tasse steht auf dem Tisch."),
    request("c", voice="fr+f5", pitch=70, text="La tasse est sur la table."),
    request("d", voice="en+f1"),  # a voice with random flutter
]


def spoken(requests: list[dict[str, Any]]) -> dict[str, bytes]:
    return {name: audio.tobytes() for name, _, audio in synthesis.synthesise(requests)}


@pytest.mark.spoken
def test_bytes_do_not_depend_on_order_or_company() -> None:
    forwards = spoken(REQUESTS)
    assert list(forwards) == ["a", "b", "c", "d"]
    assert spoken(REQUESTS[::-1]) == forwards
    assert spoken(REQUESTS[3:]) == {"d": forwards["d"]}
    assert spoken([request("a"), request("z"), request("y")])["y"] == forwards["a"]
    assert len(set(forwards.values())) == 4


@pytest.mark.spoken
def test_bytes_do_not_depend_on_a_voice_chosen_before() -> None:
    """Neighbours of one voice share the process that has found it."""
    names = "abcdefgh"
    mixed = [request(n, voice="en+f1" if i % 2 else "de+f2") for i, n in enumerate(names)]
    sorted_by_voice = sorted(mixed, key=lambda one: one["voice"])
    assert spoken(sorted_by_voice) == spoken(mixed)
    assert spoken(mixed)["b"] == spoken(REQUESTS)["d"]


@pytest.mark.spoken
def test_a_new_process_gives_the_bytes_of_a_fork() -> None:
    """What systems without fork use."""
    line = json.dumps(REQUESTS[3]).encode()
    command = [sys.executable, "-m", synthesis.WORKER]
    forked, once = (
        subprocess.run(command + more, input=line, capture_output=True, check=True).stdout
        for more in ([], [espeak_worker.ONCE])
    )
    assert forked == once
    assert len(forked) > 10_000


@pytest.mark.spoken
@pytest.mark.skipif(sys.platform != "linux", reason="asks the system how much a pipe holds")
@pytest.mark.parametrize("variable", ["", "1"])
def test_nothing_is_lost_by_a_process_that_is_stopped_and_goes_on(variable: str) -> None:
    """As with Ctrl-Z, in the middle of an answer; the process writes a part of it then."""
    import fcntl
    import termios

    requests = [request("long", text=" ".join([TEXT] * 8)), *REQUESTS]
    process = subprocess.Popen(
        [sys.executable, "-m", synthesis.WORKER],
        env={**os.environ, "PYTHONUNBUFFERED": variable},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("".join(json.dumps(one) + "\n" for one in requests).encode())
        process.stdin.close()
        full, there = fcntl.fcntl(process.stdout, fcntl.F_GETPIPE_SZ), array.array("i", [0])
        while there[0] < full:  # the first answer is longer than that
            assert process.poll() is None
            fcntl.ioctl(process.stdout, termios.FIONREAD, there)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            os.killpg(process.pid, number)
        answers = {name: audio.tobytes() for name, _, audio in synthesis._answers(process.stdout)}
    assert answers == spoken(requests)


@pytest.mark.spoken
def test_without_fork_each_utterance_gets_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    status = []
    run = subprocess.run

    def watched(command: list[str], **options: Any) -> Any:
        done = run(command, capture_output=True, **options)
        status.append((command[-1], done.stdout[:1]))
        return done

    monkeypatch.setattr(espeak_worker.subprocess, "run", watched)
    assert espeak_worker._spawned(json.dumps(request("a"))) == 0
    assert status == [(espeak_worker.ONCE, b"{")]


@pytest.mark.spoken
def test_parameters_are_heard() -> None:
    def length(**changes: Any) -> int:
        return len(next(iter(synthesis.synthesise([request("a", **changes)])))[2])

    assert length(rate=120) > 1.3 * length(rate=220)
    (_, rate, low), (_, _, high) = synthesis.synthesise([request("a"), request("b", pitch=90)])
    assert rate == 22050
    assert 0.1 < np.abs(low).max() < 1
    assert not np.array_equal(low, high)


@pytest.mark.spoken
def test_phonemes_are_spoken_as_such() -> None:
    """A word in letters and the same in phonemes."""
    text = request("text", voice="en-us+m3", text="cup.")
    both = spoken([text, {**text, "id": "phonemes", "text": "[[k|'V|p]]."}])
    assert both["text"] == both["phonemes"]


@pytest.mark.spoken
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"voice": "xx+m3"}, r"espeak-ng: bad: ValueError: unknown voice 'xx\+m3'"),
        ({"voice": "en+m99"}, r"espeak-ng: bad: ValueError: unknown voice 'en\+m99'"),
        ({"text": 7}, "espeak-ng: bad: AttributeError"),
        ({"rate": None}, "espeak-ng: bad: TypeError"),
    ],
)
def test_what_cannot_be_spoken_is_named(changes: dict[str, Any], message: str) -> None:
    answers = synthesis.synthesise([request("good"), request("bad", **changes), request("c")])
    assert next(answers)[0] == "good"
    with pytest.raises(DataError, match=message):
        next(answers)


def test_a_dead_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "WORKER", "common.no_such_module")
    with pytest.raises(DataError, match=r"status 1 after 0 of 1 utterances: .*no_such_module"):
        list(synthesis.synthesise([request("a")]))


def test_missing_synthesiser_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n: None if n == synthesis.PACKAGE else find(n)
    )
    install = f"pip install {recipes.load(acted.RECIPE).synthesiser}"
    with pytest.raises(MissingDependency, match=install) as error:
        demo.ensure(tmp_path / "cache", ["demo-emotion", "demo-recordings"], workers=1)
    assert error.value.install == install
    assert not (tmp_path / "cache").exists(), "nothing is left behind"


def test_only_the_worker_touches_the_library() -> None:
    """The GPL part stays in a process of its own."""
    for path in paths.PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        if path.name != "espeak_worker.py":
            assert f"import {synthesis.PACKAGE}" not in text, path
            assert "import espeak_worker" not in text, path
