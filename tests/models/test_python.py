"""The adapter python: factories in the folder of the catalog."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common import models
from common.core import rng
from common.core.errors import ConfigError, ModelError
from common.models import sources

LOUDNESS = '''
"""A model as a user writes it."""
import numpy as np


class Loudness:
    targets = ["emotion", "arousal", "trust"]
    labels = {"emotion": ["sadness", "fear", "anger", "happiness", "neutral"]}
    batch_size = 3

    def __init__(self, factor=1.0):
        self.factor = factor

    def predict(self, signals, sampling_rate):
        level = [self.factor * float(np.abs(s).mean()) for s in signals]
        scores = [[1, 9, 2, 3, 4]] * len(signals)
        return {"arousal": level, "emotion": scores, "more": None}


def give(value):
    return lambda signals, sampling_rate: value


def hide():
    return lambda signals, sampling_rate: {"arousal": np.ma.masked_array([0.1, 0.2], [True, False])}


def raises(signals, sampling_rate):
    raise RuntimeError("out of\\nmemory")


def quits(signals, sampling_rate):
    raise SystemExit(3)


class Odd(BaseException):
    def __str__(self):
        raise RuntimeError("no text")


def odd(signals, sampling_rate):
    raise Odd


def half(signals, sampling_rate):
    raise ValueError("half of \\ud83d, \\0 and \\x1b[2J")


def interrupted(signals, sampling_rate):
    raise KeyboardInterrupt


def giving(name):
    return globals()[name]


class Property:
    @property
    def targets(self):
        raise Odd

    def predict(self, signals, sampling_rate):
        raise Odd


def broken():
    return 1 / 0


def raising():
    return raises


def quitting():
    return quits
'''


def rewrite(path: Path, text: str) -> None:
    """Write a file with a new time stamp, however fast the test is."""
    time_ns = path.stat().st_mtime_ns + 10**9 if path.exists() else 10**18
    path.write_text(text, "utf-8")
    os.utime(path, ns=(time_ns, time_ns))


@pytest.fixture
def module(tmp_path, request):
    """Module of a name of its own beside the catalog file."""
    name = "loudness_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    (tmp_path / f"{name}.py").write_text(LOUDNESS, "utf-8")
    path = list(sys.path)
    yield name
    assert sys.path == path
    sys.modules.pop(name, None)


def load(entry, targets):
    return models.load(entry, targets, seed=0)


def test_object(entry, targets, module, batch, signals, level):
    mine = entry(adapter="python", entry=f"{module}:Loudness", params={"factor": 2.0})
    assert models.offered_targets(mine, targets) == ("arousal", "emotion")
    model = load(mine, targets)
    assert (model.targets, model.batch_size) == (("arousal", "emotion"), 3)
    assert (model.needs_audio, model.equal_length) == (True, False)
    answer = model.predict(batch([signals[0], signals[1][:, :100]]))
    expected = [2 * level(signals[0]), 2 * level(signals[1][:, :100])]
    assert answer["arousal"] == pytest.approx(expected, rel=1e-6)
    assert answer["emotion"].tolist() == [[2, 3, 4, 1]] * 2


def test_batch_size_of_the_entry_wins(entry, targets, module):
    mine = entry(adapter="python", entry=f"{module}:Loudness", batch_size=7)
    assert load(mine, targets).batch_size == 7


def test_outputs_of_the_entry(entry, targets, module, batch, signals):
    """A plain function; keys, labels, mapping and scale come from the entry."""
    mine = entry(
        adapter="python",
        entry=f"{module}:give",
        params={"value": {"activation": [4], "classes": [[1, 2, 3, 4]]}},
        outputs={
            "arousal": {"node": "activation", "scale": [1, 7]},
            "emotion": {
                "node": "classes",
                "labels": ["joy", "sadness", "anger", "neutral"],
                "mapping": {"joy": "happiness"},
            },
        },
    )
    answer = load(mine, targets).predict(batch(signals[:1]))
    assert answer["arousal"].tolist() == [0.5]
    assert answer["emotion"].tolist() == [[3, 1, 4, 2]]


def test_class_names(entry, targets, module, batch, signals):
    mine = entry(
        adapter="python",
        entry=f"{module}:give",
        params={"value": {"emotion": ["sad", "anger"]}},
        outputs={"emotion": {"mapping": {"sad": "sadness"}}},
    )
    answer = load(mine, targets).predict(batch(signals[:2]))
    assert answer["emotion"].tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]


def test_what_a_mask_hides_is_no_prediction(entry, targets, module, batch, signals):
    mine = entry(adapter="python", entry=f"{module}:hide", outputs={"arousal": {}})
    model = load(mine, targets)
    with pytest.raises(ModelError, match="arousal: NaN or infinite predictions for 1 of 2"):
        model.predict(batch(signals[:2]))


@pytest.mark.parametrize(
    ("target", "value", "message"),
    [
        ("arousal", 0.5, r"expected a dictionary target -> values, found float"),
        ("arousal", {"valence": [1, 2]}, r"no values for 'arousal', found: valence"),
        (
            "arousal",
            {"arousal": [1, 2, 3]},
            r"output 'arousal' has the shape \(3,\), expected \(2, 1\)",
        ),
        ("arousal", {"arousal": [[1, 2], [3, 4]]}, r"has the shape \(2, 2\), expected \(2, 1\)"),
        (
            "arousal",
            {"arousal": [1, float("nan")]},
            r"arousal: NaN or infinite predictions for 1 of 2",
        ),
        (
            "arousal",
            {"arousal": [float("-inf"), 1]},
            r"arousal: NaN or infinite predictions for 1 of 2",
        ),
        ("arousal", {"arousal": ["a", "b"]}, r"expected numbers, found .*'a'"),
        ("arousal", {"arousal": ["1", "2"]}, r"expected numbers, found .*'1'"),
        ("arousal", {"arousal": [1, 2j]}, r"expected numbers, found .*\(1\+0j\)"),
        ("arousal", {"arousal": [0.5, True]}, r"expected a number, found the truth value True"),
        ("emotion", {"emotion": ["anger", "joy"]}, r"unknown label 'joy'. Known: anger, happiness"),
        ("emotion", {"emotion": ["anger"]}, r"expected 2 class name\(s\), found the shape \(1,\)"),
        ("emotion", {"emotion": [[1, 2, 3, 4]] * 2}, r"scores without names; give the object"),
    ],
)
def test_nonsense(entry, targets, module, batch, signals, target, value, message):
    mine = entry(
        adapter="python", entry=f"{module}:give", params={"value": value}, outputs={target: {}}
    )
    model = load(mine, targets)
    with pytest.raises(ModelError, match=message) as caught:
        model.predict(batch(signals[:2]))
    assert str(caught.value).startswith("model 'mine': ")
    assert "\n" not in str(caught.value)


def test_model_that_raises(entry, targets, module, batch, signals):
    mine = entry(adapter="python", entry=f"{module}:raising", outputs={"arousal": {}})
    with pytest.raises(
        ModelError, match=r"model 'mine': predict raised RuntimeError: out of memory"
    ):
        load(mine, targets).predict(batch(signals[:1]))


def test_model_that_quits(entry, targets, module, batch, signals):
    mine = entry(adapter="python", entry=f"{module}:quitting", outputs={"arousal": {}})
    with pytest.raises(ModelError, match=r"predict raised SystemExit: 3"):
        load(mine, targets).predict(batch(signals[:1]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("odd", "predict raised Odd: its text cannot be had"),
        ("half", r"predict raised ValueError: half of \\ud83d, \\u0000 and"),
    ],
)
def test_errors_that_cannot_be_printed(entry, targets, module, batch, signals, name, message):
    mine = entry(
        adapter="python",
        entry=f"{module}:giving",
        params={"name": name},
        outputs={"arousal": {}},
    )
    with pytest.raises(ModelError, match=message) as caught:
        load(mine, targets).predict(batch(signals[:1]))
    str(caught.value).encode("utf-8")


def test_an_object_that_raises_when_it_is_asked(entry, targets, module):
    mine = entry(adapter="python", entry=f"{module}:Property")
    with pytest.raises(ModelError, match="the object raised Odd: its text cannot be had"):
        models.offered_targets(mine, targets)


def test_ctrl_c_is_the_users_in_the_main_thread_only(entry, targets, module, batch, signals):
    mine = entry(
        adapter="python",
        entry=f"{module}:giving",
        params={"name": "interrupted"},
        outputs={"arousal": {}},
    )
    model = load(mine, targets)
    with pytest.raises(KeyboardInterrupt):
        model.predict(batch(signals[:1]))
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(ModelError, match="predict raised KeyboardInterrupt"),
    ):
        pool.submit(model.predict, batch(signals[:1])).result()


@pytest.mark.parametrize("name", ["os:system", "subprocess:run", "os.path:join", "sys:exit"])
def test_modules_of_python_are_no_models(entry, targets, name):
    mine = entry(adapter="python", entry=name, params={"command": "true"})
    message = rf"module '{name.split(':')[0].split('.')[0]}' is part of Python; name a module in"
    for ask in (models.fingerprint, lambda one: load(one, targets)):
        with pytest.raises(ModelError, match=message):
            ask(mine)


def test_an_own_module_may_have_the_name_of_one_of_python(entry, targets, tmp_path, monkeypatch):
    (tmp_path / "antigravity.py").write_text("def load():\n    return print\n")
    mine = entry(adapter="python", entry="antigravity:load", outputs={"arousal": {}})
    assert load(mine, targets).targets == ("arousal",)
    sys.modules.pop("antigravity")
    # a catalog may be named from where one stands
    monkeypatch.chdir(tmp_path.parent)
    assert sources.find("antigravity", Path(tmp_path.name), "here") == tmp_path / "antigravity.py"


def test_labels_that_lack_a_class(entry, targets, module):
    labels = ["anger", "happiness", "calm", "sadness"]
    mine = entry(
        adapter="python", entry=f"{module}:Loudness", outputs={"emotion": {"labels": labels}}
    )
    with pytest.raises(ModelError, match=r"missing neutral; the model has: anger, happiness, calm"):
        load(mine, targets)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("{}", ConfigError, r'entry: expected "module:factory", found'),
        ("{}:Loudnes", ModelError, "unknown name in module .* 'Loudnes'. Did you mean 'Loudness'"),
        ("nowhere_at_all:make", ModelError, "no module 'nowhere_at_all' in the folder"),
        ("{}:broken", ModelError, "raised ZeroDivisionError: division by zero"),
        ("{}:give", ModelError, "raised TypeError: give.* missing 1 required positional"),
        ("math:pi", ModelError, "module 'math' is part of Python"),
    ],
)
def test_entries_that_cannot_be_loaded(entry, targets, module, name, error, message):
    mine = entry(adapter="python", entry=name.format(module), outputs={"arousal": {}})
    with pytest.raises(error, match=message):
        load(mine, targets)


def test_targets_must_be_known(entry, targets, module):
    mine = entry(adapter="python", entry=f"{module}:give", params={"value": {}})
    with pytest.raises(ModelError, match=r"does not say what it predicts; give the object a list"):
        models.offered_targets(mine, targets)
    other = {"pleasure": targets["valence"].model_copy(update={"id": "pleasure"})}
    mine = entry(adapter="python", entry=f"{module}:Loudness")
    with pytest.raises(ModelError, match=r"none of its targets arousal, emotion, trust is in the"):
        models.offered_targets(mine, other)


def test_targets_are_asked_once(entry, targets, module, tmp_path):
    cache = tmp_path / "cache"
    mine = entry(adapter="python", entry=f"{module}:Loudness")
    assert models.offered_targets(mine, targets, cache=cache) == ("arousal", "emotion")
    sys.modules.pop(module)
    assert models.offered_targets(mine, targets, cache=cache) == ("arousal", "emotion")
    assert module not in sys.modules


def test_path_is_handed_over(entry, targets, module, tmp_path, batch, signals):
    (tmp_path / f"{module}.py").write_text(
        "from pathlib import Path\n"
        "def make(path, gain):\n"
        "    value = float(Path(path).read_text()) * gain\n"
        "    return lambda signals, rate: {'arousal': [value] * len(signals)}\n"
    )
    (tmp_path / "weights.txt").write_text("0.25")
    fields = {"adapter": "python", "entry": f"{module}:make", "outputs": {"arousal": {}}}
    mine = entry(path="weights.txt", params={"gain": 2}, **fields)
    assert load(mine, targets).predict(batch(signals[:2]))["arousal"].tolist() == [0.5, 0.5]
    with pytest.raises(ConfigError, match=r"has both 'path' and 'params.path'"):
        load(entry(path="weights.txt", params={"path": "x"}, **fields), targets)
    with pytest.raises(ModelError, match=r"path: no such file or folder: other.txt"):
        load(entry(path="other.txt", **fields), targets)


def test_fingerprint_follows_code_and_files(entry, module, tmp_path):
    source = tmp_path / f"{module}.py"
    helper = tmp_path / f"helper_of_{module}.py"
    rewrite(helper, "FACTOR = 1\n")
    rewrite(source, f"import helper_of_{module}\n" + LOUDNESS)
    rewrite(tmp_path / "unrelated.py", "A = 1\n")
    (tmp_path / "weights.bin").write_bytes(b"1")
    mine = entry(adapter="python", entry=f"{module}:Loudness", params={"file": "weights.bin"})
    seen = [models.fingerprint(mine)]
    rewrite(tmp_path / "unrelated.py", "A = 2\n")
    rewrite(source, "# a comment\n" + source.read_text())
    assert models.fingerprint(mine) == seen[0]
    rewrite(helper, "FACTOR = 20\n")
    seen.append(models.fingerprint(mine))
    (tmp_path / "weights.bin").write_bytes(b"2")
    seen.append(models.fingerprint(mine))
    rewrite(source, source.read_text().replace("abs", "sqrt"))
    seen.append(models.fingerprint(mine))
    assert len(set(seen)) == 4
    assert module not in sys.modules


def test_source_that_is_no_python(entry, module, tmp_path):
    (tmp_path / f"{module}.py").write_text("def make(:\n")
    with pytest.raises(ModelError, match=rf"entry: {module}.py, line 1: invalid syntax"):
        models.fingerprint(entry(adapter="python", entry=f"{module}:make"))


def test_packages(entry, targets, module, tmp_path, batch, signals):
    """A model in a package, with a relative import inside ``predict``."""
    package = tmp_path / f"package_of_{module}"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("VALUE = 0.75\n")
    (package / "model.py").write_text(
        "def make():\n"
        "    def predict(signals, rate):\n"
        f"        from package_of_{module}.parts import VALUE\n"
        "        return {'arousal': [VALUE] * len(signals)}\n"
        "    return predict\n"
    )
    mine = entry(adapter="python", entry=f"{package.name}.model:make", outputs={"arousal": {}})
    before = models.fingerprint(mine)
    assert load(mine, targets).predict(batch(signals[:1]))["arousal"].tolist() == [0.75]
    rewrite(package / "parts.py", "VALUE = 0.5001\n")
    assert models.fingerprint(mine) != before
    for name in [n for n in sys.modules if n.startswith(package.name)]:
        sys.modules.pop(name)


def test_module_of_another_folder_with_the_same_name(entry, targets, module, tmp_path):
    mine = entry(adapter="python", entry=f"{module}:Loudness")
    load(mine, targets)
    other = tmp_path / "other"
    other.mkdir()
    (other / f"{module}.py").write_text(LOUDNESS)
    second = mine.model_copy(update={"origin": other / "models.yaml"})
    with pytest.raises(ModelError, match=r"of another folder is loaded already; rename loudness"):
        load(second, targets)


#: a model that stays inside until it is told to go on
HELD = """
log = []
def make():
    def predict(signals, rate):
        log.append("in")
        (second if inside.is_set() else inside).set()
        assert go_on.wait(60)
        log.append("out")
        return {'arousal': [0.5] * len(signals)}
    return predict
"""


class Watched:
    """A lock that tells when somebody has to wait for it."""

    waits: threading.Event

    def __init__(self) -> None:
        self.lock = LOCK()

    def __enter__(self) -> None:
        if not self.lock.acquire(blocking=False):
            self.waits.set()
            self.lock.acquire()

    def __exit__(self, *fault: object) -> None:
        self.lock.release()


LOCK = threading.Lock


@pytest.fixture
def held(entry, targets, module, tmp_path, monkeypatch):
    """That model and its module; it was given watched locks."""
    (tmp_path / f"{module}.py").write_text(HELD)
    locks: list[Watched] = []
    with monkeypatch.context() as patch:
        patch.setattr(threading, "Lock", lambda: locks.append(Watched()) or locks[-1])
        mine = entry(adapter="python", entry=f"{module}:make", outputs={"arousal": {}})
        model = load(mine, targets)
    code = sys.modules[module]
    code.inside, code.second, code.go_on = (threading.Event() for _ in range(3))
    for lock in locks:
        lock.waits = code.second
    return model, code


def test_calls_are_made_one_after_the_other(held, batch, signals):
    """The second caller waits for the lock or, without one, is inside: both are told."""
    model, code = held
    threads = [threading.Thread(target=model.predict, args=(batch(signals[:1]),)) for _ in range(2)]
    threads[0].start()
    assert code.inside.wait(60)
    threads[1].start()
    assert code.second.wait(60)
    code.go_on.set()
    for thread in threads:
        thread.join()
    assert code.log == ["in", "out"] * 2


def test_slow_models_have_their_time(held, batch, signals):
    model, code = held
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(model.predict, batch(signals[:1]))
        assert code.inside.wait(60) and not answer.done()
        code.go_on.set()
        assert answer.result()["arousal"].tolist() == [0.5]


def test_module_of_the_program_itself(tmp_path):
    """Built-in models name modules of the installed program; what these import counts."""
    folder = tmp_path / "site"
    package = folder / "program" / "parts"
    package.mkdir(parents=True)
    (folder / "program" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "model.py").write_text("import math\nfrom program.parts import features\n")
    (package / "features.py").write_text("from . import filters\nA = 1\n")
    (package / "filters.py").write_text("B = 1\n")
    (package / "other.py").write_text("C = 1\n")
    (folder / "math.py").write_text("raise ValueError('not of this package')\n")
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    seen = []
    for name in ("", "other", "features", "filters"):
        if name:
            rewrite(package / f"{name}.py", "CHANGED = 1\nfrom . import filters\n")
        sys.path.insert(0, str(folder))
        seen.append(sources.digest("program.parts.model", catalog, "here"))
        sys.path.remove(str(folder))
    assert seen[0] == seen[1]
    assert len(set(seen)) == 3
    assert sources.find("common.core.rng", catalog, "") == Path(rng.__file__)
