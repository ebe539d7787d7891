"""Models on a GPU: the numbers of the CPU, the same bytes each time, in a run and in a process of their own."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from common import models
from common.core.errors import BenchmarkError, MissingDependency
from common.core.paths import Paths
from common.engine import cost
from common.engine.plan import Filters
from common.engine.run import Engine
from common.models import onnx_session
from common.results import cost as cost_table
from common.spec import load_benchmark

from .conftest import CLASSES
from .hub import save_classifier, tiny
from .test_torchscript import EMOTION, save

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:torch"),
]
#: tests of signals as they are and of changed ones, none of them shorter than the network can hear
HEARD = ("correctness_classification", "fairness_sex", "robustness_spectral_tilt")
#: what the last digits of 32-bit floats may do to a logit
CLOSE = 1e-4


def torch_has_a_gpu() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


HAS = {
    "torch": torch_has_a_gpu(),
    "onnx": "CUDAExecutionProvider" in onnxruntime.get_available_providers(),
}
needs_torch, needs_onnx = (
    pytest.mark.skipif(not HAS[name], reason=f"{name} finds no GPU here") for name in HAS
)
needs_hub = pytest.mark.skipif(
    not HAS["torch"] or importlib.util.find_spec("transformers") is None,
    reason="torch finds no GPU here, or there is no transformers",
)


def convolution(path) -> None:
    """A graph with what a GPU computes in its own way: a convolution and a product of matrices."""
    rng = np.random.default_rng(2)
    weights = {
        "kernel": rng.normal(size=(32, 1, 64)).astype(np.float32),
        "head": rng.normal(size=(32, 4)).astype(np.float32),
        "channel": np.array([1], dtype=np.int64),
    }
    steps = [
        helper.make_node("Unsqueeze", ["signal", "channel"], ["wave"]),
        helper.make_node("Conv", ["wave", "kernel"], ["bands"], strides=[16]),
        helper.make_node("Relu", ["bands"], ["heard"]),
        helper.make_node("ReduceMean", ["heard"], ["level"], axes=[2], keepdims=0),
        helper.make_node("MatMul", ["level", "head"], ["emotion"]),
    ]
    described = helper.make_graph(
        steps,
        "bands",
        [helper.make_tensor_value_info("signal", TensorProto.FLOAT, ["batch", "time"])],
        [helper.make_tensor_value_info("emotion", TensorProto.FLOAT, ["batch", 4])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(described, opset_imports=opset, ir_version=8), path)


@pytest.fixture(
    params=[
        pytest.param("huggingface", marks=needs_hub),
        pytest.param("torchscript", marks=needs_torch),
        pytest.param("onnx", marks=needs_onnx),
    ]
)
def mine(request, entry, tmp_path):
    """An entry of each adapter that knows GPUs."""
    if request.param == "huggingface":
        save_classifier(tmp_path / "m", tiny())
        return entry(adapter="huggingface", path="m")
    if request.param == "torchscript":
        save(tmp_path / "m.pt")
        return entry(adapter="torchscript", path="m.pt", outputs=EMOTION)
    convolution(tmp_path / "m.onnx")
    outputs = {"emotion": {"node": "emotion", "labels": list(CLASSES)}}
    return entry(adapter="onnx", path="m.onnx", outputs=outputs)


def answers(model, batch, signals) -> np.ndarray:
    return np.concatenate([model.predict(batch([each]))["emotion"] for each in signals])


def test_the_numbers_of_the_cpu(mine, targets, batch, signals):
    heard = {
        device: answers(models.load(mine, targets, seed=0, device=device), batch, signals)
        for device in ("cpu", "cuda", "auto")
    }
    assert np.ptp(heard["cpu"], axis=0).max() > 10 * CLOSE
    np.testing.assert_allclose(heard["cuda"], heard["cpu"], atol=CLOSE, rtol=0)
    assert heard["auto"].tobytes() == heard["cuda"].tobytes()


def test_the_same_bytes_from_one_process_or_several(mine, targets, batch, signals):
    here = answers(models.load(mine, targets, seed=0, device="cuda"), batch, signals)
    for processes in (1, 2):
        apart = mine.model_copy(update={"isolate": True, "processes": processes})
        model = models.load(apart, targets, seed=0, device="cuda")
        with ThreadPoolExecutor(8) as pool:
            several = list(pool.map(model.predict, [batch([each]) for each in signals] * 8))
        heard = np.concatenate([answer["emotion"] for answer in several])
        assert heard.tobytes() == np.concatenate([here] * 8).tobytes()


def test_a_gpu_that_is_not_there(mine, targets, batch, signals):
    with pytest.raises(BenchmarkError, match=r"device|cannot be opened|does not start"):
        models.load(mine, targets, seed=0, device="cuda:63")


@needs_onnx
def test_onnx_runs_on_the_gpu(entry, targets, tmp_path):
    convolution(tmp_path / "m.onnx")
    mine = entry(adapter="onnx", path="m.onnx")
    options = models.base.LoadOptions(seed=0, device="cuda", threads=1, cache=None)
    session = onnx_session.open_graph(mine, tmp_path / "m.onnx", options)
    assert session.get_providers()[0] == "CUDAExecutionProvider"


@pytest.mark.skipif(HAS["onnx"], reason="this onnxruntime has CUDA")
def test_an_onnxruntime_for_the_cpu(entry, targets, tmp_path):
    convolution(tmp_path / "m.onnx")
    with pytest.raises(MissingDependency, match="this onnxruntime has no CUDA"):
        models.load(entry(adapter="onnx", path="m.onnx"), targets, seed=0, device="cuda")


@needs_hub
def test_a_run_and_its_cost(mini):
    """Two runs have the same files, and one on the CPU has the same cells."""
    save_classifier(mini.catalog / "m", tiny())
    mini.write("models.yaml", "- {id: hub, version: 1.0.0, adapter: huggingface, path: m}\n")
    benchmark = load_benchmark([mini.catalog], allow_code=True)
    for out, device, workers in (("one", "cuda", 1), ("two", "cuda", 2), ("cpu", "cpu", 2)):
        folders = Paths(mini.root / out, mini.root / f"cache-{out}")
        engine = Engine(benchmark, folders, workers=workers, device=device)
        report = engine.run(Filters(models=("hub",), datasets=("tones",), tests=HEARD))
        assert not report.errors and report.computed
    assert mini.files("one") == mini.files("two")
    assert mini.files("one").keys() == mini.files("cpu").keys()

    folders = Paths(mini.root / "one", mini.root / "cache-one")
    report = cost.update(benchmark, folders, Filters(models=("hub",)), device="cuda")
    assert (report.measured, report.errors) == (["hub"], {})
    assert {row.device for row in cost_table.read(folders.cost)} == {"cuda"}
