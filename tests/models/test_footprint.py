"""What models weigh: parameters and size of files, adapter by adapter, and declared numbers."""

from __future__ import annotations

import json
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from common import models
from common.cli.main import main
from common.core.errors import MissingDependency, ModelError
from common.models import python, skops, torchscript
from common.models.footprint import Footprint, is_noted

from . import test_skops, test_torchscript
from .hub import folder_without_torch, needs_torch, save_classifier, tiny

EMOTION = {"emotion": {"labels": ["sadness", "anger", "neutral", "happiness"]}}


def save_graph(path, *, external=False):
    """A graph with six weights, two half-precision ones, and two numbers that are a shape."""
    tensors = [
        numpy_helper.from_array(np.ones((2, 3), np.float32), "w"),
        numpy_helper.from_array(np.ones(2, np.float16), "h"),
        numpy_helper.from_array(np.array([1, 4], np.int64), "shape"),
    ]
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["time"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["time"])],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    onnx.save_model(
        model, path, save_as_external_data=external, location="weights.bin", size_threshold=0
    )


def test_onnx_counts_weights_and_no_shapes(entry, tmp_path):
    save_graph(tmp_path / "m.onnx")
    mine = entry(adapter="onnx", path="m.onnx")
    size = (tmp_path / "m.onnx").stat().st_size
    assert models.footprint(mine) == Footprint(8, size, "files")


def test_onnx_counts_files_beside_the_graph(entry, tmp_path):
    save_graph(tmp_path / "m.onnx", external=True)
    (tmp_path / "readme.txt").write_text("none of its files")
    sizes = [(tmp_path / name).stat().st_size for name in ("m.onnx", "weights.bin")]
    expected = Footprint(8, sum(sizes), "files")
    mine = entry(adapter="onnx", path="m.onnx")
    assert models.footprint(mine, cache=tmp_path / "cache") == expected
    # the note of the cache says the same
    assert models.footprint(mine, cache=tmp_path / "cache") == expected


def test_counting_an_onnx_file_needs_no_runtime(entry, tmp_path, monkeypatch):
    save_graph(tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert models.footprint(entry(adapter="onnx", path="m.onnx")).parameters == 8


@needs_torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:torch")
def test_hugging_face_counts_the_tensors_of_safetensors(entry, tmp_path):
    network = save_classifier(tmp_path / "m", tiny())
    counted = sum(t.numel() for t in network.state_dict().values() if t.is_floating_point())
    size = (tmp_path / "m" / "model.safetensors").stat().st_size
    mine = entry(adapter="huggingface", path="m")
    assert models.footprint(mine) == Footprint(counted, size, "files")


@needs_torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:torch")
def test_hugging_face_counts_weights_of_torch_once(entry, tmp_path, monkeypatch):
    import torch

    network = save_classifier(tmp_path / "m", tiny())
    (tmp_path / "m" / "model.safetensors").unlink()
    torch.save(network.state_dict(), tmp_path / "m" / "pytorch_model.bin")
    mine = entry(adapter="huggingface", path="m")
    first = models.footprint(mine, cache=tmp_path / "cache")
    assert first.parameters == sum(
        t.numel() for t in network.state_dict().values() if t.is_floating_point()
    )
    monkeypatch.setitem(sys.modules, "torch", None)
    assert models.footprint(mine, cache=tmp_path / "cache") == first
    with pytest.raises(MissingDependency, match="need torch"):
        models.footprint(mine)
    stated = entry(adapter="huggingface", path="m", parameters=90_000)
    assert models.footprint(stated)[::2] == (90_000, "entry")


def test_a_folder_is_counted_without_torch(entry, tmp_path, monkeypatch):
    folder_without_torch(tmp_path / "m")
    monkeypatch.setitem(sys.modules, "torch", None)
    header = (tmp_path / "m" / "model.safetensors").read_bytes()
    length = int.from_bytes(header[:8], "little")
    tensors = json.loads(header[8 : 8 + length])
    counted = sum(int(np.prod(t["shape"])) for name, t in tensors.items() if name != "__metadata__")
    assert models.footprint(entry(adapter="huggingface", path="m")).parameters == counted


@test_torchscript.needs_torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torchscript_is_opened_once_to_be_counted(entry, targets, tmp_path, monkeypatch):
    test_torchscript.save(tmp_path / "m.pt")
    mine = entry(adapter="torchscript", path="m.pt", outputs=EMOTION)
    # a run has loaded it by then, and what it weighs was noted
    models.load(mine, targets, seed=0, cache=tmp_path / "cache")
    monkeypatch.setattr(torchscript, "_network", None)
    size = (tmp_path / "m.pt").stat().st_size
    assert models.footprint(mine, cache=tmp_path / "cache") == Footprint(4, size, "files")


@test_skops.needs_skops
def test_skops_counts_coefficients_where_there_are_some(entry, tmp_path, monkeypatch):
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPRegressor

    x, y = test_skops.training()
    network = MLPRegressor(hidden_layer_sizes=(3,), tol=1e6, random_state=0)
    for estimator, labels, counted in (
        (LogisticRegression(), y, 4 * 10 + 4),
        (network, x[:, 0], 10 * 3 + 3 + 3 + 1),
        (KNeighborsClassifier(), y, None),
    ):
        test_skops.save(tmp_path / "m.skops", estimator, x, labels)
        trusted = skops_types(tmp_path / "m.skops")
        mine = entry(adapter="skops", path="m.skops", outputs=EMOTION, params={"trusted": trusted})
        size = (tmp_path / "m.skops").stat().st_size
        assert models.footprint(mine)[:2] == (counted, size)
    monkeypatch.setattr(skops, "_pipeline", None)
    stated = mine.model_copy(update={"parameters": 7})
    assert models.footprint(stated).parameters == 7


def skops_types(path):
    import skops.io

    return skops.io.get_untrusted_types(file=path)


PYTHON = """
class Mine:
    targets = ("arousal",)
    parameters = {stated}

    def __init__(self, path=None):
        pass

    def predict(self, signals, sampling_rate):
        return {{"arousal": [0.5] * len(signals)}}
"""


@pytest.mark.parametrize(
    ("stated", "parameters"), [("1_234", 1234), ("'lots'", None), ("True", None), ("-1", None)]
)
def test_an_object_may_say_how_many_it_has(entry, tmp_path, stated, parameters):
    name = f"says_{abs(hash(stated))}"
    (tmp_path / f"{name}.py").write_text(PYTHON.format(stated=stated))
    (tmp_path / "w.npy").write_bytes(bytes(100))
    mine = entry(adapter="python", entry=f"{name}:Mine", path="w.npy")
    assert models.footprint(mine)[:2] == (parameters, 100)


def test_an_object_is_not_made_only_to_be_asked(entry, targets, tmp_path, monkeypatch):
    (tmp_path / "asked_once.py").write_text(PYTHON.format(stated=5))
    mine = entry(adapter="python", entry="asked_once:Mine")
    models.load(mine, targets, seed=0, cache=tmp_path / "cache")
    monkeypatch.setattr(python, "_create", None)
    assert models.footprint(mine, cache=tmp_path / "cache") == Footprint(5, None, "files")
    stated = mine.model_copy(update={"parameters": 6})
    assert models.footprint(stated) == Footprint(6, None, "entry")


def test_what_is_elsewhere_is_stated_or_not(entry, tmp_path):
    (tmp_path / "weights").write_bytes(bytes(30))
    command = entry(
        adapter="command", entry="python x.py", params={"files": ["weights"]}, outputs=EMOTION
    )
    assert models.footprint(command) == Footprint(None, 30, "")
    url = {"url": "http://127.0.0.1:8000/predict"}
    server = entry(adapter="http", params=url, outputs=EMOTION)
    assert models.footprint(server) == Footprint()
    server = entry(adapter="http", params=url, outputs=EMOTION, parameters=94_000_000)
    assert models.footprint(server) == Footprint(94_000_000, None, "entry")


@pytest.mark.parametrize("wrong", ["lots", "true", "9.4", "-1", "94M"])
def test_a_check_refuses_what_is_no_number(tmp_path, capsys, wrong):
    (tmp_path / "models.yaml").write_text(
        f"- {{id: mine, version: 1.0.0, adapter: chance, parameters: {wrong}}}\n"
    )
    code = main(["check", "--catalog", str(tmp_path), "--cache", str(tmp_path / "cache")])
    error = capsys.readouterr().err
    assert code == 2 and error.count("\n") == 1
    assert "models[0] (mine).parameters" in error and "found" in error


def test_a_check_refuses_millions_that_were_left_out(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"arousal": [1.0]})
    counted = models.footprint(entry(adapter="onnx", path="m.onnx")).parameters
    assert counted
    models.check(entry(adapter="onnx", path="m.onnx", parameters=counted), targets)
    many = entry(adapter="onnx", path="m.onnx", parameters=1000 * counted)
    with pytest.raises(
        ModelError, match=f"'mine': parameters: {1000 * counted}, but .* {counted} values"
    ):
        models.check(many, targets)


def test_what_a_manifest_notes_follows_the_entry(entry):
    counted = {"parameters": 8, "size_bytes": 1, "parameters_from": "files"}
    stated = {"parameters": 9, "size_bytes": 1, "parameters_from": "entry"}
    plain, declared = entry(adapter="chance"), entry(adapter="chance", parameters=9)
    assert is_noted(counted, plain) and is_noted(stated, declared)
    assert not is_noted({}, plain)
    assert not is_noted(stated, plain) and not is_noted(counted, declared)
    assert not is_noted({**stated, "parameters": 8}, declared)
