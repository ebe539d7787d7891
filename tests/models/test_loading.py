"""What all adapters have in common: fingerprints, offered targets, checked answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from common import models
from common.core.errors import ConfigError, ModelError, ModelTimeout, OutputError
from common.models import notes
from common.models.base import Batch, SampleKey
from common.models.checked import Checked, tail

KEYS = [SampleKey("db", "1.0.0", name, 0, -1) for name in ("a.wav", "b.wav")]


def test_unknown_adapter(entry, targets):
    with pytest.raises(ConfigError, match=r"adapter: unknown adapter 'onx'. Did you mean 'onnx'"):
        models.load(entry(adapter="onx"), targets, seed=0)


def test_fingerprint_covers_what_decides(entry, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    base = {"adapter": "onnx", "path": "m.onnx"}
    same = [{}, {"label": "x"}, {"description": "x"}, {"id": "other"}, {"license": "x"}]
    assert len({models.fingerprint(entry(**{**base, **f})) for f in same}) == 1
    differ = [
        {},
        {"sampling_rate": 8000},
        {"max_signal_length": 3},
        {"batch_size": 2},
        {"outputs": {"arousal": {}}},
        {"outputs": {"arousal": {"scale": [0, 2]}}},
    ]
    assert len({models.fingerprint(entry(**{**base, **f})) for f in differ}) == len(differ)


def test_fingerprint_follows_the_content_and_not_the_place(entry, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    before = models.fingerprint(entry(adapter="onnx", path="m.onnx"))
    graph(tmp_path / "deep" / "m.onnx", {"arousal": [1]})
    assert models.fingerprint(entry(adapter="onnx", path="deep/m.onnx")) == before
    graph(tmp_path / "m.onnx", {"arousal": [2]})
    assert models.fingerprint(entry(adapter="onnx", path="m.onnx")) != before


def test_loaded_model_has_what_was_announced(entry, graph, targets, tmp_path):
    """The order of targets decides about the columns of stored predictions."""
    graph(tmp_path / "m.onnx", {"valence": [1], "arousal": [2]})
    (tmp_path / "p.csv").write_text("emotion,file,valence,arousal\nanger,a.wav,1,1\n")
    for mine in (
        entry(adapter="onnx", path="m.onnx"),
        entry(adapter="onnx", path="m.onnx", outputs={"valence": {}, "arousal": {}}),
        entry(adapter="predictions", path="p.csv"),
        entry(adapter="predictions", path="p.csv", outputs={"emotion": {}, "arousal": {}}),
        entry(adapter="chance", params={"distribution": "categorical"}),
    ):
        model = models.load(mine, targets, seed=0)
        assert model.targets == models.offered_targets(mine, targets)
        assert model.fingerprint == models.fingerprint(mine)
        assert list(model.targets) == [name for name in targets if name in model.targets]


def test_part_of_the_classes_is_a_warning(entry, graph, targets, tmp_path, caplog):
    metadata = {"labels": "arousal,anger,happiness,sad"}
    graph(tmp_path / "m.onnx", {"logits": [1, 2, 3, 4]}, metadata=metadata)
    mine = entry(adapter="onnx", path="m.onnx")
    assert models.offered_targets(mine, targets) == ("arousal",)
    assert not caplog.text
    models.load(mine, targets, seed=0)
    assert "'logits' is not used for target 'emotion': missing neutral, sadness" in caplog.text


def test_graph_is_opened_once_to_know_its_targets(entry, graph, targets, tmp_path, monkeypatch):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    mine, cache = entry(adapter="onnx", path="m.onnx"), tmp_path / "cache"
    assert models.offered_targets(mine, targets, cache=cache) == ("arousal",)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert models.offered_targets(mine, targets, cache=cache) == ("arousal",)


def test_asking_imports_no_runtime(tmp_path, graph):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    (tmp_path / "p.csv").write_text("file,arousal\n")
    script = """
import sys
from pathlib import Path
from common import models, spec
t = {"arousal": spec.Target(id="arousal", label="A", kind="regression")}
def make(**fields):
    return spec.Model(id="m", version="1", origin=Path(sys.argv[1], "models.yaml"), **fields)
for fields in (
    {"adapter": "onnx", "path": "m.onnx", "outputs": {"arousal": {}}},
    {"adapter": "chance", "params": {"distribution": "gaussian"}},
    {"adapter": "predictions", "path": "p.csv", "outputs": {"arousal": {}}},
):
    assert models.fingerprint(make(**fields))
    assert models.offered_targets(make(**fields), t) == ("arousal",)
heavy = {"onnxruntime", "pyarrow", "scipy", "audonnx", "onnx", "torch", "sklearn"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(models.__file__).parents[2],
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("target", "values", "message"),
    [
        ("arousal", [1.0], r"arousal: predictions have shape \(1,\), expected \(2,\) or \(2, 1\)"),
        ("arousal", [1.0, np.nan], r"arousal: NaN or infinite predictions for 1 of 2 samples"),
        ("arousal", ["x", "y"], r"arousal: predictions are no numbers but of type <U1"),
        ("arousal", [[1.0], [1.0, 2.0]], r"arousal: predictions are no regular array of numbers"),
        ("emotion", [[1, 2, 3, 4]], r"emotion: predictions have shape \(1, 4\), expected \(2, 4\)"),
        ("emotion", [[1, 2, 3, 4], [1, np.inf, 3, 4]], r"emotion: NaN or infinite .* for 1 of 2"),
        ("emotion", None, r"emotion: predictions are no numbers but of type object"),
    ],
)
def test_answers_are_checked(entry, targets, target, values, message):
    stub = Stub(lambda: {target: values})
    stub.targets = (target,)
    model = Checked(stub, entry(adapter="chance"), targets, "")
    with pytest.raises(ModelError, match=f"^model 'mine': {message}"):
        model.predict(Batch(KEYS, [], 10))


def test_values_are_kept(entry, targets):
    stub = Stub(lambda: {"arousal": np.array([0.1, 1.7], dtype=np.float32)})
    model = Checked(stub, entry(adapter="chance"), targets, "")
    values = model.predict(Batch(KEYS, [], 10))["arousal"]
    assert values.dtype == np.float64
    assert values.tolist() == [np.float32(0.1), np.float32(1.7)]


class Stub:
    """A model of an adapter that does what it is told."""

    targets = ("arousal",)
    sampling_rate = 10
    needs_audio = True
    batch_size = 1
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(self, action):
        self.action = action
        self.lengths: list[int] = []

    def predict(self, batch):
        self.lengths += [signal.shape[-1] for signal in batch.signals]
        return self.action()


class OfItsOwn(ModelError):
    """An error of a model that takes more than a text."""

    def __init__(self, text, number):
        super().__init__(text)
        self.number = number


def failing(error):
    def action():
        raise error

    return action


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (failing(ValueError("a\nb")), ModelError, "^model 'mine': predict raised ValueError: a b$"),
        (failing(MemoryError()), ModelError, "^model 'mine': predict raised MemoryError$"),
        (failing(ModelError("why")), ModelError, "^model 'mine': why$"),
        (failing(ModelTimeout("late")), ModelTimeout, "^model 'mine': late$"),
        (failing(OfItsOwn("why", 1)), ModelError, "^model 'mine': why$"),
        (failing(OutputError("full")), OutputError, "^full$"),
        (failing(KeyboardInterrupt()), KeyboardInterrupt, "^$"),
        (lambda: {"valence": [1]}, ModelError, "target 'arousal': no values, found valence"),
        (
            lambda: {"arousal": [np.nan]},
            ModelError,
            "^model 'mine': arousal: NaN or infinite",
        ),
    ],
)
def test_faults_become_one_kind_of_error(entry, targets, action, error, message):
    model = Checked(Stub(action), entry(adapter="onnx"), targets, "")
    with pytest.raises(error, match=message):
        model.predict(Batch(KEYS[:1], [np.zeros((1, 5), np.float32)], 10))


@pytest.mark.parametrize(
    ("seconds", "length"), [(0.5, 5), (0.44, 4), (0.46, 5), (0.001, 1), (9, 20)]
)
def test_last_seconds(entry, targets, seconds, length):
    stub = Stub(lambda: {"arousal": [0.5]})
    model = Checked(stub, entry(adapter="onnx", max_signal_length=seconds), targets, "")
    model.predict(Batch(KEYS[:1], [np.arange(20.0)[None]], 10))
    assert stub.lengths == [length]


def test_tail_is_the_end():
    np.testing.assert_array_equal(
        tail(np.arange(20).reshape(2, 10), 3, 1), [[7, 8, 9], [17, 18, 19]]
    )


def test_note_of_a_file(tmp_path):
    path, cache = tmp_path / "m.bin", tmp_path / "cache"
    path.write_bytes(b"one")
    os.utime(path, ns=(10**18, 10**18))
    first = notes.content_digest(path, cache, "here")
    # the same file: taken from the note without reading
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notes, "file_digest", None)
        assert notes.content_digest(path, cache, "here") == first
    os.utime(path, ns=(10**18 + 1, 10**18 + 1))
    assert notes.content_digest(path, cache, "here") == first


def test_note_of_another_file_of_the_same_place_size_and_time(tmp_path):
    """Its cache was copied, or a build gives all files one time."""
    path, cache = tmp_path / "m.bin", tmp_path / "cache"
    found = []
    for content in (b"one", b"two"):
        other = tmp_path / "other.bin"
        other.write_bytes(content)
        os.utime(other, ns=(10**18, 10**18))
        other.replace(path)
        found.append(notes.content_digest(path, cache, "here"))
    assert found[0] != found[1]


def test_file_that_is_being_written_has_no_note(tmp_path):
    path, cache = tmp_path / "m.bin", tmp_path / "cache"
    path.write_bytes(b"one")
    notes.content_digest(path, cache, "here")
    assert not cache.exists()


def test_damaged_note_and_cache_that_cannot_be_written(tmp_path):
    path, cache = tmp_path / "m.bin", tmp_path / "cache"
    path.write_bytes(b"one")
    os.utime(path, ns=(10**18, 10**18))
    digest = notes.content_digest(path, cache, "here")
    (note,) = (cache / "models").iterdir()
    note.write_text("{")
    assert notes.content_digest(path, cache, "here") == digest
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    assert notes.content_digest(path, blocked, "here") == digest
    with pytest.raises(ModelError, match=r"here: 'none.bin' cannot be read: No such file"):
        notes.content_digest(tmp_path / "none.bin", cache, "here")
