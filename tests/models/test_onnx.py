"""The adapter onnx, on graphs that are made here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from common import models
from common.core.errors import ConfigError, MissingDependency, ModelError
from common.models.labels import missing_labels
from common.models.onnx_session import providers

DIMENSIONS = ["arousal", "valence"]
CLASSES = ["anger", "happiness", "neutral", "sadness"]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Output nodes of every call of a session."""
    seen: list[list[str]] = []
    original = onnxruntime.InferenceSession.run

    def run(self, nodes, feed, *args):
        seen.append(list(nodes))
        return original(self, nodes, feed, *args)

    monkeypatch.setattr(onnxruntime.InferenceSession, "run", run)
    return seen


def load(entry, targets, **options):
    return models.load(entry, targets, seed=0, **options)


def test_values_are_found_by_label(entry, targets, graph, batch, signals, level, tmp_path):
    graph(tmp_path / "m.onnx", {"logits": [3, 1]})
    mine = entry(
        adapter="onnx",
        path="m.onnx",
        outputs={name: {"labels": ["valence", "arousal"]} for name in DIMENSIONS},
    )
    model = load(mine, targets)
    answer = model.predict(batch(signals[:1]))
    assert model.targets == ("arousal", "valence")
    assert answer["arousal"] == pytest.approx([level(signals[0])], rel=1e-6)
    assert answer["valence"] == pytest.approx([3 * level(signals[0])], rel=1e-6)
    assert answer["arousal"].dtype == np.float64


def test_one_call_serves_all_targets_and_needed_nodes_only(
    entry, targets, graph, batch, signals, calls, tmp_path
):
    """Fault A25: the reference called a model with several outputs twice per segment."""
    graph(
        tmp_path / "m.onnx",
        {"hidden": [1] * 8, "dimensions": [1, 2], "classes": [1, 2, 3, 4]},
    )
    mine = entry(
        adapter="onnx",
        path="m.onnx",
        outputs={
            "arousal": {"node": "dimensions", "labels": DIMENSIONS},
            "valence": {"node": "dimensions", "labels": DIMENSIONS},
            "emotion": {"node": "classes", "labels": CLASSES},
        },
    )
    model = load(mine, targets)
    answer = model.predict(batch(signals[:1]))
    assert list(answer) == ["arousal", "valence", "emotion"]
    assert calls == [["dimensions", "classes"]]


def test_largest_score_counts_among_the_classes_only(
    entry, targets, graph, batch, signals, level, tmp_path
):
    """Fault A24: a label outside the four classes won the arg max."""
    labels = ["fear", "sadness", "anger", "neutral", "happiness"]
    graph(tmp_path / "m.onnx", {"scores": [9, 1, 2, 4, 3]})
    mine = entry(adapter="onnx", path="m.onnx", outputs={"emotion": {"labels": labels}})
    scores = load(mine, targets).predict(batch(signals[:1]))["emotion"]
    expected = np.array([[2, 3, 4, 1]]) * level(signals[0])
    assert scores == pytest.approx(expected, rel=1e-6)
    assert targets["emotion"].labels[scores.argmax()] == "neutral"


def test_no_names_is_no_default_order(entry, targets, graph, tmp_path):
    """Fault A24: values without names were taken for the classes in a default order."""
    graph(tmp_path / "m.onnx", {"scores": [1, 2, 3, 4]})
    mine = entry(adapter="onnx", path="m.onnx")
    with pytest.raises(ModelError, match=r"none of the targets .*scores \(4 unnamed\)"):
        models.offered_targets(mine, targets)


def test_missing_class_is_named_with_what_the_model_has(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"scores": [1, 2, 3, 4]})
    labels = ["anger", "happiness", "neutral", "sad"]
    mine = entry(adapter="onnx", path="m.onnx", outputs={"emotion": {"labels": labels}})
    message = (
        r"models.yaml: model 'mine': outputs.emotion: missing sadness; "
        r"the model has: anger, happiness, neutral, sad. Perhaps 'mapping: \{sad: sadness\}'"
    )
    with pytest.raises(ModelError, match=message):
        load(mine, targets)


@pytest.mark.parametrize(
    ("labels", "hint"),
    [
        (["fear", "surprise", "disgust", "calm"], ""),
        (["male", "female", "sad", "neutral"], "mapping: {sad: sadness}"),
        (["alarm", "bell", "unusual", "advance"], ""),
        (["a", "h", "n", "s"], ""),
        (["Ang", "happy", "neu", "sad"], "mapping: {Ang: anger, happy: happiness, neu: neutral, sad: sadness}"),
    ],
)  # fmt: skip
def test_only_labels_that_are_alike_are_offered(targets, labels, hint):
    text = str(missing_labels(targets["emotion"], labels, {}, "here"))
    assert text.partition(". Perhaps ")[2] == (f"'{hint}'" if hint else "")


def test_mapping_and_scale(entry, targets, graph, batch, signals, level, tmp_path):
    graph(tmp_path / "m.onnx", {"activation": [1], "scores": [1, 2, 3, 4, 5]})
    mine = entry(
        adapter="onnx",
        path="m.onnx",
        outputs={
            "arousal": {"node": "activation", "scale": [-1, 1]},
            "emotion": {
                "node": "scores",
                "labels": ["sad", "joy", "anger", "excited", "neutral"],
                "mapping": {"sad": "sadness", "joy": "happiness", "excited": "happiness"},
            },
        },
    )
    answer = load(mine, targets).predict(batch(signals[:1]))
    value = level(signals[0])
    assert answer["arousal"] == pytest.approx([(value + 1) / 2], rel=1e-6)
    # joy and excited are both happiness: the larger one counts
    assert answer["emotion"] == pytest.approx(np.array([[3, 4, 5, 1]]) * value, rel=1e-6)


@pytest.mark.parametrize(
    ("outputs", "error", "message"),
    [
        (
            {"arousel": {}},
            ConfigError,
            r"outputs: unknown target 'arousel'. Did you mean 'arousal'",
        ),
        (
            {"arousal": {"node": "logit"}},
            ModelError,
            r"unknown node 'logit'. Did you mean 'logits'",
        ),
        ({"arousal": {"labels": ["arousal"]}}, ModelError, r"1 label, but the model has 2 values"),
        ({"arousal": {"labels": ["arousal"] * 2}}, ConfigError, r"a label appears twice"),
        ({"arousal": {}}, ModelError, r"outputs.arousal: not among the outputs"),
        (
            {"arousal": {"labels": ["arousal", "b"], "mapping": {"c": "arousal"}}},
            ModelError,
            r"unknown label of the model 'c'",
        ),
        (
            {"emotion": {"labels": ["a", "b"], "mapping": {"a": "angry"}}},
            ConfigError,
            r"mapping: unknown label 'angry'. Did you mean 'anger'",
        ),
        ({"arousal": {"scale": [1, 1]}}, ConfigError, r"scale: expected \[low, high\]"),
        ({"emotion": {"scale": [0, 1]}}, ConfigError, r"only a regression target has a scale"),
    ],
)
def test_wrong_outputs(entry, targets, graph, tmp_path, outputs, error, message):
    graph(tmp_path / "m.onnx", {"logits": [1, 2]})
    with pytest.raises(error, match=message):
        load(entry(adapter="onnx", path="m.onnx", outputs=outputs), targets)


def test_node_with_the_name_of_a_target(entry, targets, graph, batch, signals, level, tmp_path):
    graph(tmp_path / "m.onnx", {"hidden": [1, 2], "valence": [2], "arousal": [1]})
    model = load(entry(adapter="onnx", path="m.onnx"), targets)
    assert model.targets == ("arousal", "valence")
    answer = model.predict(batch(signals[:1]))
    assert answer["valence"] == pytest.approx([2 * level(signals[0])], rel=1e-6)


def test_node_with_the_name_of_a_target_and_several_values(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"valence": [1, 2, 3]})
    with pytest.raises(ModelError, match=r"none of the targets .*: valence \(3 unnamed\)"):
        load(entry(adapter="onnx", path="m.onnx"), targets)


def test_logits_come_first(entry, targets, graph, batch, signals, level, tmp_path):
    """Spec 3.1: of several nodes that fit, first ``logits``, then the order of the file."""
    outputs = {name: {"labels": DIMENSIONS} for name in DIMENSIONS}
    graph(tmp_path / "m.onnx", {"first": [1, 2], "logits": [3, 4]})
    model = load(entry(adapter="onnx", path="m.onnx", outputs=outputs), targets)
    assert model.predict(batch(signals[:1]))["arousal"] == pytest.approx(
        [3 * level(signals[0])], rel=1e-6
    )
    graph(tmp_path / "m.onnx", {"first": [1, 2], "second": [3, 4]})
    with pytest.raises(ModelError, match=r"say with 'node' to which of these .*: first, second"):
        load(entry(adapter="onnx", path="m.onnx", outputs=outputs), targets)


def test_labels_in_the_metadata_of_the_file(entry, targets, graph, tmp_path):
    metadata = {"labels": "neutral, anger, happiness, sadness", "sampling_rate": "16000"}
    graph(tmp_path / "m.onnx", {"probabilities": [1, 2, 3, 4]}, metadata=metadata)
    assert models.offered_targets(entry(adapter="onnx", path="m.onnx"), targets) == ("emotion",)


def test_sampling_rate_of_the_file_contradicts_the_entry(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]}, metadata={"sampling_rate": "8000"})
    with pytest.raises(ModelError, match=r"sampling_rate: 16000 Hz, but the model file says 8000"):
        load(entry(adapter="onnx", path="m.onnx"), targets)


@pytest.mark.parametrize("shape", [("time",), (1, "time"), (1, 1, "time"), ("batch", 1, "time")])
def test_forms_of_the_input(entry, targets, graph, batch, signals, level, tmp_path, shape):
    graph(tmp_path / "m.onnx", {"arousal": [1]}, shape=shape)
    model = load(entry(adapter="onnx", path="m.onnx"), targets)
    assert (model.batch_size, model.equal_length, model.needs_audio) == (1, True, True)
    answer = model.predict(batch(signals[3:4]))
    assert answer["arousal"] == pytest.approx([level(signals[3])], rel=1e-6)


def test_other_number_types(entry, targets, graph, batch, signals, level, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]}, dtype=TensorProto.DOUBLE)
    answer = load(entry(adapter="onnx", path="m.onnx"), targets).predict(batch(signals[:1]))
    assert answer["arousal"] == pytest.approx([level(signals[0])], rel=1e-6)


def test_batches(entry, targets, graph, batch, signals, level, calls, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]}, shape=("batch", "time"))
    model = load(entry(adapter="onnx", path="m.onnx", batch_size=4), targets)
    assert model.batch_size == 4
    answer = model.predict(batch(signals[:4]))
    assert answer["arousal"] == pytest.approx([level(s) for s in signals[:4]], rel=1e-6)
    assert len(calls) == 1


def test_batch_size_that_the_model_does_not_allow(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    with pytest.raises(ModelError, match=r"batch_size: the model takes one signal per call"):
        load(entry(adapter="onnx", path="m.onnx", batch_size=2), targets)
    graph(tmp_path / "m.onnx", {"arousal": [1]}, shape=(3, "time"))
    with pytest.raises(ModelError, match=r"takes exactly 3 signals per call"):
        load(entry(adapter="onnx", path="m.onnx"), targets)


def test_further_inputs_are_refused_by_name(entry, targets, graph, tmp_path):
    state = helper.make_tensor_value_info("state", TensorProto.FLOAT, [2, None, 128])
    rate = helper.make_tensor_value_info("sr", TensorProto.INT64, [])
    graph(tmp_path / "m.onnx", {"arousal": [1]}, extra=[state, rate])
    message = (
        r"expected one input, the signal, found 3: signal .*; state .*128\]; sr tensor\(int64\)"
    )
    with pytest.raises(ModelError, match=message):
        models.offered_targets(entry(adapter="onnx", path="m.onnx"), targets)


@pytest.mark.parametrize("shape", [(1, "frames", 40), (1, 2, 3, "time")])
def test_features_are_no_signal(entry, targets, graph, tmp_path, shape):
    graph(tmp_path / "m.onnx", {"arousal": [1]}, shape=shape)
    with pytest.raises(ModelError, match=r"takes no signal; expected floats as"):
        load(entry(adapter="onnx", path="m.onnx"), targets)


def test_length_and_channels_that_do_not_fit(entry, targets, graph, batch, signals, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]}, shape=(1, 16000))
    model = load(entry(adapter="onnx", path="m.onnx"), targets)
    with pytest.raises(ModelError, match=r"model 'mine': input 'signal' takes 16000 samples, the"):
        model.predict(batch(signals[:1]))
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    model = load(entry(adapter="onnx", path="m.onnx"), targets)
    with pytest.raises(ModelError, match=r"takes 1 channel\(s\), the signal has 2"):
        model.predict(batch([np.zeros((2, 100), np.float32)]))


def test_last_seconds_only(entry, targets, graph, batch, signals, level, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    plain = entry(adapter="onnx", path="m.onnx")
    short = entry(adapter="onnx", path="m.onnx", max_signal_length=0.025)
    answer = load(short, targets).predict(batch(signals[:1]))
    assert answer["arousal"] == pytest.approx([level(signals[0][:, -400:])], rel=1e-6)
    assert models.fingerprint(short) != models.fingerprint(plain)


@pytest.mark.parametrize(
    ("ending", "weights", "message"),
    [
        ("Gather", [1], r"model 'mine': predict raised InvalidArgument: .*Gather"),
        ("Log", [-1], r"model 'mine': arousal: NaN or infinite predictions for 1 of 1"),
    ],
)
def test_model_that_fails(
    entry, targets, graph, batch, signals, tmp_path, ending, weights, message
):
    graph(tmp_path / "m.onnx", {"arousal": weights}, ending=ending)
    model = load(entry(adapter="onnx", path="m.onnx"), targets)
    with pytest.raises(ModelError, match=message) as caught:
        model.predict(batch(signals[:1]))
    assert "\n" not in str(caught.value)


def test_wrong_shape(entry, targets, batch, signals, tmp_path):
    """A value per sample instead of one per signal."""
    import onnx

    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Abs", ["signal"], ["arousal"])],
        "frames",
        [info("signal", TensorProto.FLOAT, [1, "time"])],
        [info("arousal", TensorProto.FLOAT, [1, "time"])],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(body, opset_imports=opset, ir_version=8), tmp_path / "m.onnx")
    model = load(entry(adapter="onnx", path="m.onnx"), targets)
    with pytest.raises(ModelError, match=r"'arousal' has the shape \(1, 800\), expected \(1, 1\)"):
        model.predict(batch(signals[:1]))


def test_files_that_are_no_models(entry, targets, tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"'m.onnx' cannot be opened: InvalidProtobuf") as caught:
        load(entry(adapter="onnx", path="m.onnx"), targets)
    assert str(tmp_path) not in str(caught.value)
    with pytest.raises(ModelError, match=r"path: no such file or folder: other.onnx"):
        models.fingerprint(entry(adapter="onnx", path="other.onnx"))
    with pytest.raises(ConfigError, match=r"path: missing; the adapter onnx needs a file"):
        models.fingerprint(entry(adapter="onnx"))


def test_threads_do_not_change_a_digit(entry, targets, graph, batch, signals, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1 / 3]})
    mine = entry(adapter="onnx", path="m.onnx")
    one = load(mine, targets).predict(batch(signals[:1]))["arousal"]
    two = load(mine, targets, threads=2).predict(batch(signals[:1]))["arousal"]
    assert one.tobytes() == two.tobytes()


def test_devices():
    cpu, cuda = "CPUExecutionProvider", "CUDAExecutionProvider"
    assert providers("auto", [cpu]) == [cpu]
    assert providers("cpu", [cuda, cpu]) == [cpu]
    assert [name for name, _ in providers("cuda:1", [cuda, cpu])[:1]] == [cuda]
    assert providers("cuda:1", [cuda, cpu])[0][1]["device_id"] == "1"
    assert providers("auto", [cuda, cpu])[1] == cpu
    with pytest.raises(MissingDependency, match=r"device cuda: this onnxruntime has no CUDA"):
        providers("cuda", [cpu])
    with pytest.raises(ConfigError, match=r"unknown device 'gpu'. Known: auto, cpu, cuda"):
        providers("gpu", [cpu])


def test_cuda_that_does_not_start(entry, targets, graph, tmp_path, monkeypatch, caplog):
    """The runtime lists CUDA, but the machine has no driver."""
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    original = onnxruntime.InferenceSession
    listed = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: listed)
    monkeypatch.setattr(
        onnxruntime,
        "InferenceSession",
        lambda path, sess_options, providers: original(
            path, sess_options=sess_options, providers=["CPUExecutionProvider"]
        ),
    )
    mine = entry(adapter="onnx", path="m.onnx")
    assert load(mine, targets).targets == ("arousal",)
    assert "CUDA is installed but does not start; running on the CPU" in caplog.text
    with pytest.raises(ModelError, match=r"CUDA is installed but does not start"):
        load(mine, targets, device="cuda")


def test_runtime_is_not_installed(entry, targets, graph, tmp_path, monkeypatch):
    graph(tmp_path / "m.onnx", {"arousal": [1]})
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    mine = entry(adapter="onnx", path="m.onnx")
    assert models.fingerprint(mine)
    with pytest.raises(MissingDependency, match=r"Install it with: pip install onnxruntime"):
        load(mine, targets)


def test_runtime_is_silent(graph, tmp_path):
    """Warnings of the runtime about the graph are for the author of the model."""
    path = graph(tmp_path / "m.onnx", {"arousal": [1]})
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(3, np.float32), "unused"))
    onnx.save(model, path)
    script = (
        "import sys; from pathlib import Path; from common import spec, models;"
        "t = {'arousal': spec.Target(id='arousal', label='A', kind='regression')};"
        "e = spec.Model(id='m', version='1', adapter='onnx', path=sys.argv[1]);"
        "print(models.load(e, t, seed=0).targets)"
    )
    root = Path(models.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        cwd=root,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("('arousal',)\n", "")


def recurrent(path: Path, labels: list[str]) -> None:
    """A classifier as others write them: frames of 10 ms, an LSTM, its last state, softmax."""
    import onnx
    from onnx import numpy_helper

    rng, units = np.random.default_rng(0), 8
    shapes = {
        "input": (1, 4 * units, 160),
        "recurrence": (1, 4 * units, units),
        "output": (units, len(labels)),
    }
    tensors = {name: rng.normal(0, 0.3, shape) for name, shape in shapes.items()}
    constants = [numpy_helper.from_array(v.astype(np.float32), n) for n, v in tensors.items()]
    constants.append(numpy_helper.from_array(np.array([-1, 1, 160]), "frames"))
    constants.append(numpy_helper.from_array(np.array([1, units]), "row"))
    steps = [
        helper.make_node("Reshape", ["signal", "frames"], ["framed"]),
        helper.make_node(
            "LSTM", ["framed", "input", "recurrence"], ["", "last"], hidden_size=units
        ),
        helper.make_node("Reshape", ["last", "row"], ["state"]),
        helper.make_node("MatMul", ["state", "output"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    ends = (("signal", [1, "time"]), ("probabilities", [1, len(labels)]))
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, size) for name, size in ends]
    model = helper.make_model(
        helper.make_graph(steps, "recurrent", values[:1], values[1:], constants),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    model.metadata_props.add(key="labels", value=",".join(labels))
    onnx.save(model, path)


def test_recurrent_classifier_with_names_in_its_metadata(entry, targets, batch, tmp_path):
    labels = ["neutral", "anger", "happiness", "sadness"]
    recurrent(tmp_path / "lstm.onnx", labels)
    outputs = {"emotion": {"node": "probabilities", "labels": labels}}
    named = load(entry(adapter="onnx", path="lstm.onnx", outputs=outputs), targets)
    plain = load(entry(adapter="onnx", path="lstm.onnx"), targets)
    noise = np.random.default_rng(0).standard_normal((1, 20000)).astype(np.float32) * 0.1
    scores = named.predict(batch([noise]))["emotion"]
    assert scores.sum() == pytest.approx(1, abs=1e-6) and len(np.unique(scores)) == 4
    assert np.array_equal(plain.predict(batch([noise]))["emotion"], scores)
