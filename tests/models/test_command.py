"""Programs that answer in JSON: what they are asked, how they fail, and that they are ended."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

from common import models
from common.core.errors import ConfigError, ModelError
from common.models.programs import Program

ALL = {"arousal": {}, "emotion": {}}
#: answers by the mean of the absolute samples
PROGRAM = """
import base64, json, os, sys
import numpy as np

for line in sys.stdin:
    asked = json.loads(line)
    if "wav" in asked:
        import soundfile
        signal, rate = soundfile.read(asked["wav"], dtype="float32")
        assert rate == asked["sampling_rate"]
    else:
        signal = np.frombuffer(base64.b64decode(asked["samples"]), dtype="<f4")
    level = float(np.abs(signal.astype(float)).mean())
    scores = {"ang": level, "neutral": 0.05, "happiness": 0.0, "sadness": 0.01, "other": 9.0}
    print(json.dumps({"arousal": level, "emotion": scores, "pid": os.getpid()}), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    def write(text: str, name: str = "my_program.py") -> Path:
        (tmp_path / name).write_text(textwrap.dedent(text))
        return tmp_path / name

    write(PROGRAM)
    return write


def command(make, **fields):
    fields = {"outputs": {"arousal": {}}, "entry": "python my_program.py", **fields}
    return make(adapter="command", **fields)


@pytest.mark.parametrize("send", ["samples", "wav", "wav16"])
def test_each_signal_is_one_line(entry, targets, batch, signals, level, program, send):
    outputs = {"arousal": {}, "emotion": {"mapping": {"ang": "anger"}}}
    mine = command(entry, outputs=outputs, params={"send": send})
    models.check(mine, targets)
    model = models.load(mine, targets, seed=0)
    assert (model.targets, model.equal_length) == (("arousal", "emotion"), False)
    signals = [signal[:, : 300 + 100 * n] for n, signal in enumerate(signals)]
    answer = model.predict(batch(signals))
    tolerance = 2**-15 if send == "wav16" else 1e-9
    assert answer["arousal"] == pytest.approx([level(s) for s in signals], abs=tolerance)
    expected = [level(signals[4]), 0.0, 0.05, 0.01]
    assert answer["emotion"][4] == pytest.approx(expected, abs=tolerance)


def test_the_program_stays_running(entry, targets, batch, signals, program):
    program(PROGRAM.replace('"arousal": level', '"arousal": os.getpid() / 1e9'))
    model = models.load(command(entry), targets, seed=0)
    first, second = (model.predict(batch(signals))["arousal"] for _ in range(2))
    assert len({*first, *second}) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("print('Loading', flush=True)", r"did not answer with a JSON object, but with 'Loading'"),
        ("print('[1]', flush=True)", r"did not answer with a JSON object, but with '\[1\]'"),
        ('print(\'{"error": "no speech"}\')', r"answered with an error: no speech"),
        ("print('{\"valence\": 1}')", r"no 'arousal' in the answer, found: valence"),
        ('print(\'{"arousal": "high"}\')', r"target 'arousal': expected numbers, found .*'high'"),
        ("print('{\"arousal\": NaN}')", r"arousal: NaN or infinite predictions"),
        (
            "print('{\"arousal\": true}')",
            r"target 'arousal': expected a number, found the truth value True",
        ),
        (
            'print(\'{"arousal": 1, "arousal": 2}\')',
            r"""but with '{"arousal": 1, "arousal": 2}': the key 'arousal' appears twice""",
        ),
        (
            "print('cannot open weights', file=sys.stderr); sys.exit(3)",
            r"ended before it answered \(exit code 3\); standard error: cannot open weights",
        ),
        (
            "os.kill(os.getpid(), 9)",
            r"ended before it answered \(signal 9\); standard error: empty",
        ),
        (
            "print('thinking', file=sys.stderr, flush=True); signal.pause()",
            r"did not answer within 6 s; it was ended; standard error: thinking",
        ),
    ],
)
def test_faults_are_one_line(entry, targets, batch, signals, program, answer, message):
    program(
        f"import os, signal, sys\nfor line in sys.stdin:\n    {answer}\n    sys.stdout.flush()\n"
    )
    params = {"timeout_s": 0.3, "start_s": 5.7 if "pause" in answer else 60}
    model = models.load(command(entry, params=params), targets, seed=0)
    with pytest.raises(ModelError, match=message):
        model.predict(batch(signals[:1]))


def test_an_old_answer_is_never_taken_for_a_new_one(entry, targets, batch, signals, program):
    program(
        "import sys\nprint('Loading', flush=True)\n"
        "for line in sys.stdin: print('{\"arousal\": 0.5}', flush=True)\n"
    )
    model = models.load(command(entry), targets, seed=0)
    for _ in range(2):
        with pytest.raises(
            ModelError,
            match="wrote a line that nobody asked for, 'Loading'; it must write one line",
        ):
            model.predict(batch(signals[:1]))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            "true",
            r"target 'emotion': expected names of classes or scores, found the truth value True",
        ),
        ("[0.5, 0.1, false, 0.2]", r"target 'emotion': expected .*, found the truth value False"),
        (
            '{"anger": 0, "happiness": true, "neutral": 0, "sadness": 0}',
            r"target 'emotion', score of 'happiness': expected a number, found the truth value True",
        ),
        (
            '{"anger": 1, "happiness": 0, "neutral": 0, "sadness": 0, "anger": 0}',
            "'anger' appears twice",
        ),
    ],
)
def test_truth_values_are_no_scores(entry, targets, batch, signals, program, answer, message):
    program(
        f"import sys\nfor line in sys.stdin:\n    print('{{\"emotion\": {answer}}}', flush=True)\n"
    )
    outputs = {"emotion": {"labels": list(targets["emotion"].labels)}}
    model = models.load(command(entry, outputs=outputs), targets, seed=0)
    with pytest.raises(ModelError, match=message):
        model.predict(batch(signals[:1]))


SURPLUS = {
    "a greeting": "print('{\"arousal\": 0.5}', flush=True)\nfor line in sys.stdin: answer(line)\n",
    "each answer twice": "for line in sys.stdin: answer(line), answer(line)\n",
    "one more in the middle": (
        "for n, line in enumerate(sys.stdin):\n    answer(line)\n    if n == 2: answer(line)\n"
    ),
    "without end": "while True: answer('{\"n\": 1}')\n",
}


@pytest.mark.parametrize("body", SURPLUS.values(), ids=SURPLUS)
def test_a_line_too_many_is_no_answer_to_the_next_question(
    entry, targets, batch, signals, program, body
):
    """Each answer would belong to the question before it, and nobody would see it."""
    program(
        "import json, sys\ndef answer(line):\n"
        "    print(json.dumps({'arousal': len(line) % 7 / 10}), flush=True)\n" + body
    )
    model = models.load(command(entry), targets, seed=0)
    with pytest.raises(ModelError, match="wrote a line that nobody asked for"):
        for _ in range(9):
            model.predict(batch(signals))
    with pytest.raises(ModelError, match="wrote a line that nobody asked for"):
        model.predict(batch(signals[:1]))  # nor is it asked again


def test_a_program_that_tells_an_error_stays_running(entry, targets, batch, signals, program):
    program(
        "import json, sys\n"
        "for n, line in enumerate(sys.stdin):\n"
        "    print(json.dumps({'arousal': n / 10} if n else {'error': 'no speech'}), flush=True)\n"
    )
    model = models.load(command(entry), targets, seed=0)
    with pytest.raises(ModelError, match="answered with an error: no speech"):
        model.predict(batch(signals[:1]))
    assert model.predict(batch(signals[:2]))["arousal"].tolist() == [0.1, 0.2]


def gone(pid: int) -> bool:
    """Waits for the end of a process; the limit is for a machine that hangs."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 60)[0])
    finally:
        os.close(process)


def test_a_program_that_failed_is_ended_with_its_children_and_started_again(tmp_path):
    script = """
    import os, signal, subprocess, sys
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    open("pids", "a").write(f"{os.getpid()} {child.pid}\\n")
    for line in sys.stdin:
        if line == "wait\\n":
            signal.pause()
        print(line, end="", flush=True)
    """
    (tmp_path / "p.py").write_text(textwrap.dedent(script))
    asked = Program([sys.executable, "p.py"], tmp_path, start_s=60, timeout_s=0.3)
    assert asked.ask("a") == "a\n"
    with pytest.raises(ModelError, match=r"did not answer within 0\.3 s"):
        asked.ask("wait")
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2 and all(gone(pid) for pid in pids)
    assert asked.ask("b") == "b\n"
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()[2:]]
    del asked
    assert len(pids) == 2 and all(gone(pid) for pid in pids)


def test_children_that_left_the_group_are_ended_as_well(tmp_path):
    """One in a session of its own, and one of which nobody is the parent any more."""
    script = """
    import os, subprocess, sys
    pause = [sys.executable, "-c", "import signal; signal.pause()"]
    child = subprocess.Popen(pause, start_new_session=True)
    if not os.fork():
        orphan = subprocess.Popen(pause, start_new_session=True)
        open("pids", "w").write(f"{child.pid} {orphan.pid}")
        os._exit(0)
    os.wait()
    for line in sys.stdin:
        print(line, end="", flush=True)
    """
    (tmp_path / "p.py").write_text(textwrap.dedent(script))
    asked = Program([sys.executable, "p.py"], tmp_path, start_s=60, timeout_s=60)
    assert asked.ask("a") == "a\n"
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    bystander = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    asked.end()
    assert len(pids) == 2 and all(gone(pid) for pid in pids)
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_a_child_that_left_the_group_does_not_block(tmp_path):
    """It keeps the pipes open and cannot be found; nobody waits for it. The limit is for code that does."""
    script = """
    import signal, subprocess, sys
    subprocess.Popen([sys.executable, "-c", "open('go').read()"], start_new_session=True, env={})
    for line in sys.stdin:
        signal.pause()
    """
    os.mkfifo(tmp_path / "go")
    (tmp_path / "p.py").write_text(textwrap.dedent(script))
    asked = Program([sys.executable, "p.py"], tmp_path, start_s=2, timeout_s=0.3)
    messages = []

    def ask() -> None:
        try:
            asked.ask("x" * 10**6)
        except ModelError as error:
            messages.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(30)
    (tmp_path / "go").write_text("")
    waited = thread.is_alive()
    thread.join()
    assert not waited and "did not answer within" in messages[0]


def test_a_program_that_never_reads_does_not_block(tmp_path):
    (tmp_path / "p.py").write_text("import signal\nsignal.pause()\n")
    asked = Program([sys.executable, "p.py"], tmp_path, start_s=0.2, timeout_s=0.2)
    with pytest.raises(ModelError, match="did not answer within"):
        asked.ask("x" * 10**6)


def test_a_program_that_writes_much_to_standard_error_does_not_block(tmp_path):
    text = "import sys\nfor line in sys.stdin:\n    sys.stderr.write('e' * 10**6)\n    print(1, flush=True)\n"
    (tmp_path / "p.py").write_text(text)
    assert Program([sys.executable, "p.py"], tmp_path, start_s=60, timeout_s=60).ask("a") == "1\n"


def test_a_line_that_never_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("common.models.programs.LONGEST", 1000)
    (tmp_path / "p.py").write_text("print('x' * 10**6, flush=True)\ninput(); input()\n")
    with pytest.raises(ModelError, match="wrote a line of more than 1000 bytes; it was ended"):
        Program([sys.executable, "p.py"], tmp_path, start_s=60, timeout_s=60).ask("a")


@pytest.mark.parametrize(
    ("answer", "outputs", "expected"),
    [
        ('"anger"', {}, [1, 0, 0, 0]),
        ('"fearful"', {"mapping": {"fearful": None}}, None),
        ("[1, 2, 3, 4]", {"labels": ["sadness", "anger", "happiness", "neutral"]}, [2, 3, 4, 1]),
        (
            '{"a": 1, "n": 2, "h": 3, "s": 4}',
            {"mapping": {"a": "anger", "n": "neutral", "h": "happiness", "s": "sadness"}},
            [1, 3, 2, 4],
        ),
    ],
)
def test_forms_of_classes(entry, targets, batch, signals, program, answer, outputs, expected):
    program(f"import sys\nfor line in sys.stdin: print('{{\"emotion\": {answer}}}', flush=True)\n")
    model = models.load(command(entry, outputs={"emotion": outputs}), targets, seed=0)
    values = model.predict(batch(signals[:2]))["emotion"]
    assert values.shape == (2, 4)
    if expected is not None:
        np.testing.assert_array_equal(values[1], expected)


@pytest.mark.parametrize(
    ("answer", "outputs", "message"),
    [
        ("[1, 2, 3, 4]", {}, "target 'emotion': scores without names"),
        ('{"anger": 1}', {}, "missing happiness, neutral, sadness; the model has: anger"),
        (
            '{"anger": 1}',
            {"labels": ["anger", "happiness", "neutral", "sadness"]},
            "no score for happiness, neutral, sadness, found: anger",
        ),
    ],
)
def test_scores_that_cannot_be_read(
    entry, targets, batch, signals, program, answer, outputs, message
):
    program(f"import sys\nfor line in sys.stdin: print('{{\"emotion\": {answer}}}', flush=True)\n")
    model = models.load(command(entry, outputs={"emotion": outputs}), targets, seed=0)
    with pytest.raises(ModelError, match=message):
        model.predict(batch(signals[:1]))


def test_faults_of_entries(entry, targets, program, tmp_path):
    (tmp_path / "tool").write_text("text")
    for fields, message in [
        ({"entry": ""}, r"entry: missing; the adapter command needs a command line"),
        ({"entry": "python 'a"}, r"entry: no command line: No closing quotation"),
        ({"path": "x"}, r"path: a command has none; name files in 'entry' or 'params.files'"),
        ({"outputs": {}}, r"outputs: missing; say which targets are answered"),
        ({"params": {"timeout": 3}}, r"unknown parameter 'timeout'\. Did you mean 'timeout_s'\?"),
        ({"params": {"timeout_s": "3"}}, r"params.timeout_s: expected seconds, found '3'"),
        ({"params": {"start_s": -1}}, r"params.start_s: expected seconds, found -1"),
        ({"params": {"send": "mp3"}}, r"params.send: unknown way to send 'mp3'"),
        ({"params": {"files": "weights"}}, r"params.files: expected a list of files"),
    ]:
        with pytest.raises(ConfigError, match=message):
            mine = command(entry, **fields)
            models.check(mine, targets)
            models.fingerprint(mine)
    for fields, message in [
        ({"entry": "python absent.py"}, r"no such file in the folder of the catalog: absent.py"),
        (
            {"entry": "no-such-program x"},
            r"'no-such-program' was not found \(looked in the folder of the",
        ),
        (
            {"entry": "tool x"},
            r"'tool' cannot be executed \(looked in the folder of the catalog and on",
        ),
        ({"params": {"files": ["absent"]}}, r"params.files: no such file or folder: absent"),
    ]:
        with pytest.raises(ModelError, match=message):
            mine = command(entry, **fields)
            models.check(mine, targets)
            models.fingerprint(mine)


def test_what_decides_is_in_the_fingerprint(entry, program, tmp_path):
    program("import helper\n" + PROGRAM)
    program("A = 1\n", "helper.py")
    (tmp_path / "weights.bin").write_bytes(b"1")
    (tmp_path / "config.json").write_text("{}")
    fields = {"entry": "python my_program.py weights.bin", "params": {"files": ["config.json"]}}

    def prints() -> str:
        return models.fingerprint(command(entry, **fields))

    seen = [prints()]
    program("A = 1  # a remark\n", "helper.py")
    assert prints() == seen[0]
    program("A = 2\n", "helper.py")
    seen.append(prints())
    (tmp_path / "weights.bin").write_bytes(b"2")
    seen.append(prints())
    (tmp_path / "config.json").write_text("{ }")
    seen.append(prints())
    fields["params"]["send"] = "wav"
    seen.append(prints())
    assert len(set(seen)) == 5


def test_an_executable_beside_the_catalog(entry, targets, batch, signals, tmp_path):
    (tmp_path / "tool").write_text(
        f"#!{sys.executable}\nimport sys\nfor line in sys.stdin: print('{{\"arousal\": 0.25}}', flush=True)\n"
    )
    (tmp_path / "tool").chmod(0o755)
    mine = command(entry, entry="tool --fast")
    models.check(mine, targets)
    assert models.load(mine, targets, seed=0).predict(batch(signals[:1]))["arousal"] == [0.25]
