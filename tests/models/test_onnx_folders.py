"""Folders as audonnx writes them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from common import models
from common.core.errors import MissingDependency, ModelError
from common.models.onnx_files import external, layout
from common.reports.reference import import_reference
from common.spec import load_benchmark

HEAD = "$audonnx.core.model.Model==1.0.1:\n"
CLASSES = "[sadness, anger, neutral, happiness]"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, "utf-8")


@pytest.fixture
def folder(tmp_path, graph):
    graph(tmp_path / "net" / "model.onnx", {"hidden": [1] * 3, "logits": [1, 2]})
    return tmp_path / "net"


def test_labels_of_nodes(entry, targets, folder, batch, signals, level):
    write(
        folder,
        "model.yaml",
        HEAD + "  path: model.onnx\n  labels:\n    logits: [valence, arousal]\n  transform: null\n",
    )
    mine = entry(adapter="onnx", path="net")
    assert models.offered_targets(mine, targets) == ("arousal", "valence")
    answer = models.load(mine, targets, seed=0).predict(batch(signals[:1]))
    assert answer["arousal"] == pytest.approx([2 * level(signals[0])], rel=1e-6)


def test_name_of_the_graph(entry, targets, folder):
    (folder / "model.onnx").rename(folder / "best.onnx")
    write(folder, "model.yaml", HEAD + "  path: best.onnx\n  labels: {logits: [arousal, x]}\n")
    assert models.offered_targets(entry(adapter="onnx", path="net"), targets) == ("arousal",)
    (folder / "best.onnx").unlink()
    with pytest.raises(ModelError, match=r"folder 'net' has no 'best.onnx'; its .onnx files: none"):
        models.fingerprint(entry(adapter="onnx", path="net"))


def test_labels_of_an_encoder(entry, targets, tmp_path, graph, batch, signals, level):
    """One node whose labels are not the classes: those of ``encoder.yaml`` count."""
    graph(tmp_path / "net" / "model.onnx", {"logits": [1, 2, 3, 4]})
    write(tmp_path / "net", "model.yaml", HEAD + "  path: model.onnx\n  labels: null\n")
    write(tmp_path / "net", "encoder.yaml", f"$my.package.Encoder==0.1:\n  labels: {CLASSES}\n")
    answer = models.load(entry(adapter="onnx", path="net"), targets, seed=0).predict(
        batch(signals[:1])
    )
    assert answer["emotion"] == pytest.approx(
        np.array([[2, 4, 3, 1]]) * level(signals[0]), rel=1e-6
    )


def test_labels_of_nodes_win_over_the_encoder(entry, targets, tmp_path, graph, batch, signals):
    graph(tmp_path / "net" / "model.onnx", {"logits": [1, 2, 3, 4]})
    write(
        tmp_path / "net",
        "model.yaml",
        HEAD + "  path: model.onnx\n  labels: [neutral, anger, sadness, happiness]\n",
    )
    write(tmp_path / "net", "encoder.yaml", f"labels: {CLASSES}\n")
    answer = models.load(entry(adapter="onnx", path="net"), targets, seed=0).predict(
        batch(signals[:1])
    )
    assert list(answer["emotion"][0].argsort()) == [2, 0, 3, 1]


def test_older_folders(entry, targets, folder):
    write(folder, "labels.yaml", "logits: [arousal, valence]\n")
    assert models.offered_targets(entry(adapter="onnx", path="net"), targets) == (
        "arousal",
        "valence",
    )


def test_folder_with_one_graph_of_any_name(entry, targets, folder):
    (folder / "model.onnx").rename(folder / "mine.onnx")
    assert layout(entry(adapter="onnx", path="net")).graph.name == "mine.onnx"
    (folder / "other.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"its .onnx files: mine.onnx, other.onnx"):
        layout(entry(adapter="onnx", path="net"))


def test_labels_are_text(entry, folder):
    """YAML would read a class named 'no' as a truth value."""
    write(folder, "model.yaml", HEAD + "  path: model.onnx\n  labels: {logits: [yes, no]}\n")
    assert layout(entry(adapter="onnx", path="net")).labels == {"logits": ("yes", "no")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  labels: [a, b]\n", "labels without node, but the graph has several outputs"),
        ("  labels: {logits: [a]}\n", "1 label, but output 'logits' has 2 values"),
        ("  labels: {logits: [a, a]}\n", "a label appears twice: a, a"),
        ("  labels: {logits: {a: 0}}\n", "expected a list of labels, found"),
        ("  labels: [\n", r"model.yaml, line 4, column 1: not valid YAML: did not find"),
    ],
)
def test_faults_in_the_yaml(entry, targets, folder, text, message):
    write(folder, "model.yaml", HEAD + "  path: model.onnx\n" + text)
    with pytest.raises(ModelError, match=message):
        models.load(entry(adapter="onnx", path="net"), targets, seed=0)


TRANSFORM = HEAD + (
    "  path: model.onnx\n  labels: {logits: [arousal, valence]}\n"
    "  transform:\n    $loudness.Louder==1.0.0: {factor: 3}\n"
)
LOUDER = """
import audobject
__version__ = '1.0.0'
class Louder(audobject.Object):
    def __init__(self, *, factor):
        self.factor = factor
    def __call__(self, signal, sampling_rate):
        return signal * self.factor
"""


def test_transform(entry, targets, folder, batch, signals, level, monkeypatch, tmp_path):
    pytest.importorskip("audonnx")
    write(folder, "model.yaml", TRANSFORM)
    write(tmp_path, "loudness.py", LOUDER)
    monkeypatch.syspath_prepend(tmp_path)
    mine = entry(adapter="onnx", path="net")
    assert models.offered_targets(mine, targets) == ("arousal", "valence")
    model = models.load(mine, targets, seed=0)
    answer = model.predict(batch(signals[:1]))
    assert model.batch_size == 1
    assert answer["arousal"] == pytest.approx([3 * level(signals[0])], rel=1e-5)
    sys.modules.pop("loudness")


def test_transform_that_is_not_installed(entry, targets, folder, monkeypatch):
    pytest.importorskip("audonnx")
    write(folder, "model.yaml", TRANSFORM.replace("loudness.", "nowhere_to_be_found."))
    with pytest.raises(MissingDependency, match=r"the transform needs the package 'nowhere_to_be"):
        models.load(entry(adapter="onnx", path="net"), targets, seed=0)
    monkeypatch.setitem(sys.modules, "audonnx", None)
    with pytest.raises(MissingDependency, match=r"has a transform, which needs audonnx"):
        models.load(entry(adapter="onnx", path="net"), targets, seed=0)


def test_external_tensors_are_part_of_the_model(entry, targets, tmp_path, graph):
    import onnx

    path = graph(tmp_path / "net" / "model.onnx", {"arousal": [1] * 1})
    onnx.save_model(
        onnx.load(path), path, save_as_external_data=True, location="weights.bin", size_threshold=0
    )
    write(path.parent, "README.md", "about the model")
    assert [p.name for p in external(path)] == ["weights.bin"]
    mine = entry(adapter="onnx", path="net")
    before = models.fingerprint(mine)
    write(path.parent, "README.md", "more about the model")
    assert models.fingerprint(mine) == before
    weights = path.parent / "weights.bin"
    weights.write_bytes(weights.read_bytes()[::-1])
    assert models.fingerprint(mine) != before


@pytest.mark.parametrize(
    ("labels", "offered"),
    [
        ("[arousal, dominance, valence]", ("arousal", "valence")),
        ("[anger, happiness, neutral, sadness]", ("emotion",)),
    ],
)
def test_the_two_kinds_of_models_of_the_paper(
    entry, targets, tmp_path, graph, batch, signals, labels, offered
):
    """Hidden states beside the logits, whose labels stand in ``model.yaml``."""
    outputs = {"hidden_states": [1] * 4, "logits": range(1, labels.count(",") + 2)}
    graph(tmp_path / "net" / "model.onnx", outputs)
    text = f"  path: model.onnx\n  labels:\n    logits: {labels}\n  transform: null\n"
    write(tmp_path / "net", "model.yaml", HEAD + text)
    mine = entry(adapter="onnx", path="net")
    assert models.offered_targets(mine, targets) == offered
    assert set(models.load(mine, targets, seed=0).predict(batch(signals[:1]))) == set(offered)


def test_networks_of_the_reference_suite_become_entries(folder, tmp_path):
    """Networks lie in folders of audonnx that are named as the model."""
    header = (
        HEAD + "  path: model.onnx\n  labels: {logits: [arousal, valence]}\n  transform: null\n"
    )
    write(folder, "model.yaml", header)
    (tmp_path / "networks").mkdir()
    folder.rename(tmp_path / "networks" / "1a2b-1.0.0")
    for model in ("1a2b-1.0.0", "3c4d-1.0.0"):
        place = tmp_path / "ser-tests/docs/results/test/arousal" / model / "correctness_regression"
        place.mkdir(parents=True)
        data = "iemocap-2.3.0-emotion.dimensions.test.gold_standard"
        write(place, "mean-absolute-error.csv", f"Data,Mean Absolute Error\n{data},0.1\n")
    catalog, networks = tmp_path / "catalog", tmp_path / "networks"
    report = import_reference(tmp_path / "ser-tests", catalog, networks=networks)
    assert report.entries == ["1a2b-1.0.0"]
    benchmark = load_benchmark([catalog])
    offered = models.offered_targets(benchmark.models["1a2b-1.0.0"], benchmark.targets)
    assert offered == ("arousal", "valence")
    (lacking,) = (item for item in report.left_out if item.what == "model")
    assert lacking.place == "3c4d-1.0.0" and "has no folder of this name" in lacking.reason
