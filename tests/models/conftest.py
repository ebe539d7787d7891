"""Small models and entries that the tests of the adapters share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from common import spec
from common.models.base import Batch, SampleKey

CLASSES = ("anger", "happiness", "neutral", "sadness")


@pytest.fixture
def targets() -> dict[str, spec.Target]:
    """Two dimensions and one set of classes."""
    return {
        "arousal": spec.Target(id="arousal", label="Arousal", kind="regression", range=(0, 1)),
        "valence": spec.Target(id="valence", label="Valence", kind="regression", range=(0, 1)),
        "emotion": spec.Target(
            id="emotion", label="Emotion", kind="classification", labels=CLASSES
        ),
    }


@pytest.fixture
def entry(tmp_path: Path) -> Callable[..., spec.Model]:
    """Makes an entry as if it stood in ``models.yaml`` of the temporary folder."""

    def make(**fields: Any) -> spec.Model:
        # what a test looks at lies in this process, unless it is about the other
        content = {"id": "mine", "version": "1.0.0", "isolate": False, **fields}
        path = tmp_path / "models.yaml"
        return spec.parse(spec.Model, content, path, "models[0]", builtin=False).allowed()

    return make


@pytest.fixture
def signals() -> list[np.ndarray]:
    """Five mono signals of one length and rising level."""
    noise = np.random.default_rng(1).standard_normal((5, 1, 800)).astype(np.float32)
    levels = np.linspace(0.02, 0.2, 5, dtype=np.float32)[:, None, None]
    return list(noise * levels)


def batch(signals: Sequence[np.ndarray], rate: int = 16000) -> Batch:
    """Batch of whole files f0.wav, f1.wav, ..."""
    keys = [SampleKey("db", "1.0.0", f"f{n}.wav", 0, -1) for n in range(len(signals))]
    return Batch(keys, list(signals), rate)


@pytest.fixture(name="batch")
def _batch() -> Callable[..., Batch]:
    return batch


def graph(
    path: Path,
    outputs: dict[str, Sequence[float]],
    *,
    shape: Sequence[Any] = (1, "time"),
    ending: str = "",
    extra: Sequence[Any] = (),
    metadata: dict[str, str] | None = None,
    dtype: int = TensorProto.FLOAT,
) -> Path:
    """Write a graph whose output nodes are ``weights * mean(|signal|)``.

    Args:
        path: file to write
        outputs: node -> weights, one per value
        shape: shape of the input ``signal``
        ending: node type put before each output: ``Log`` of the negative level gives NaN,
            ``Gather`` of a value that is not there raises
        extra: further inputs
        metadata: metadata of the file
        dtype: type of the input
    """
    axes = [len(shape) - 1] if len(shape) < 3 else [1, 2]
    steps = [helper.make_node("Abs", ["signal"], ["absolute"])]
    steps.append(helper.make_node("ReduceMean", ["absolute"], ["mean"], axes=axes, keepdims=1))
    constants = [numpy_helper.from_array(np.array([-1, 1], dtype=np.int64), "column")]
    steps.append(helper.make_node("Reshape", ["mean", "column"], ["column_level"]))
    steps.append(helper.make_node("Cast", ["column_level"], ["level"], to=TensorProto.FLOAT))
    results = []
    for name, weights in outputs.items():
        row = np.asarray(weights, dtype=np.float32)[None]
        constants.append(numpy_helper.from_array(row, f"{name}_weights"))
        last = f"{name}_raw" if ending else name
        steps.append(helper.make_node("MatMul", ["level", f"{name}_weights"], [last]))
        if ending == "Gather":
            constants.append(numpy_helper.from_array(np.array([99]), f"{name}_position"))
            steps.append(helper.make_node("Gather", [last, f"{name}_position"], [name], axis=1))
        elif ending:
            steps.append(helper.make_node(ending, [last], [name]))
        rows = shape[0] if len(shape) > 1 else 1
        size = [rows, len(weights)]
        results.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, size))
    inputs = [helper.make_tensor_value_info("signal", dtype, list(shape)), *extra]
    model = helper.make_model(
        helper.make_graph(steps, "level", inputs, results, constants),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    for key, value in (metadata or {}).items():
        model.metadata_props.add(key=key, value=value)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)
    return path


@pytest.fixture(name="graph")
def _graph() -> Callable[..., Path]:
    return graph


def level(signal: np.ndarray) -> float:
    """Mean of the absolute samples, as the graphs compute it."""
    return float(np.abs(signal.astype(np.float64)).mean())


@pytest.fixture(name="level")
def _level() -> Callable[[np.ndarray], float]:
    return level
