"""Faults in the files of models that a check finds, without a runtime."""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
import pytest

from common import models
from common.cli.main import main
from common.core.errors import ModelError

OUTPUTS = {"emotion": {"node": "scores", "labels": ["anger", "happiness", "neutral", "sadness"]}}
SCORES = {"scores": [1.0, 0.5, 0.2, 0.1]}


@pytest.fixture(autouse=True)
def no_runtime(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)


def test_a_good_file_has_no_fault(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", SCORES)
    models.check(entry(adapter="onnx", path="m.onnx", outputs=OUTPUTS), targets)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"models.yaml: model 'mine': path: 'm\.onnx' is no ONNX file: it is empty"),
        (b"no graph at all\n", r"is no ONNX file: expected a model .*begin with b'no graph"),
        (b"version https://git-lfs.github.com/spec/v1\n", "found 43 bytes that begin with"),
        (b"\x08\x08", r"is no ONNX file: expected a model with a graph, found 2 bytes"),
        (bytes(64), "is no ONNX file"),
    ],
)
def test_files_that_are_no_graph(entry, targets, tmp_path, content, message):
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(ModelError, match=message):
        models.check(entry(adapter="onnx", path="m.onnx", outputs=OUTPUTS), targets)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off(entry, targets, graph, tmp_path, share):
    graph(tmp_path / "m.onnx", SCORES)
    whole = (tmp_path / "m.onnx").read_bytes()
    (tmp_path / "m.onnx").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ModelError, match=r"'m.onnx' (is cut off: \d+ bytes|is no ONNX file)"):
        models.check(entry(adapter="onnx", path="m.onnx", outputs=OUTPUTS), targets)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"node": "score"}, r"unknown node 'score'. Did you mean 'scores'\?"),
        ({"node": "scores", "labels": ["anger", "sadness"]}, r"2 labels, but the model has 4 val"),
    ],
)
def test_outputs_that_the_graph_does_not_have(entry, targets, graph, tmp_path, output, message):
    graph(tmp_path / "m.onnx", SCORES)
    with pytest.raises(ModelError, match=message):
        models.check(entry(adapter="onnx", path="m.onnx", outputs={"emotion": output}), targets)


def test_the_header_is_what_the_library_reads(graph, tmp_path):
    from common.models import onnx_header

    path = tmp_path / "m.onnx"
    graph(path, {**SCORES, "arousal": [0.5]})
    header = onnx_header.read(path, "m")
    known = onnx.load(path).graph
    assert [value.name for value in header.outputs] == [value.name for value in known.output]
    for value, other in zip(
        (*header.inputs, *header.outputs), (*known.input, *known.output), strict=True
    ):
        dimensions = other.type.tensor_type.shape.dim
        shape = [
            d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in dimensions
        ]
        assert (value.name, value.type, value.shape) == (other.name, "tensor(float)", shape)


def test_tensors_in_a_file_that_is_missing(entry, targets, graph, tmp_path):
    path = tmp_path / "m.onnx"
    graph(path, SCORES)
    model = onnx.load(path)
    onnx.save_model(
        model, path, save_as_external_data=True, location="weights.bin", size_threshold=0
    )
    stated = entry(adapter="onnx", path="m.onnx", outputs=OUTPUTS)
    models.check(stated, targets)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(ModelError, match=r"'m.onnx' needs the file 'weights.bin' beside it"):
        models.check(stated, targets)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a.wav,anger\nb.wav,fearful\n", "row 3: column 'emotion': unknown label 'fearful'"),
        ("a.wav,anger\na.wav,anger\n", "rows 2 and 3 are for the same sample: a.wav"),
        ("a.wav\n", "line 2: expected 2 cells, found 1"),
    ],
)
def test_predictions(entry, targets, tmp_path, rows, message):
    (tmp_path / "p.csv").write_text("file,emotion\n" + rows)
    with pytest.raises(ModelError, match=message):
        models.check(entry(adapter="predictions", path="p.csv"), targets)


def test_the_command_names_file_place_and_what_is_allowed(tmp_path: Path, capsys):
    (tmp_path / "p.csv").write_text("file,emotion\na.wav,fearful\n")
    (tmp_path / "m.onnx").write_text("text")
    (tmp_path / "models.yaml").write_text(
        "- {id: told, version: 1, adapter: predictions, path: p.csv}\n"
        "- {id: text, version: 1, adapter: onnx, path: m.onnx, outputs: {arousal: {}}}\n"
    )
    assert main(["check", "--catalog", str(tmp_path)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert (
        "models.yaml: model 'told': p.csv: row 2: column 'emotion': unknown label 'fearful'"
        in first
    )
    assert "Known: anger, happiness, neutral, sadness" in first
    assert "models.yaml: model 'text': path: 'm.onnx' is no ONNX file: expected a model" in second


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, "datasets.yaml: mine.path: folder "),
        ("file,emotion\na.wav,anger\na.wav,anger\n", "row 2 (a.wav): the same segment as row 1"),
        ("file,start,end,emotion\na.wav,2,1,anger\n", "start 2 s, end 1 s is no segment"),
    ],
)
def test_data_of_the_user_are_read(tmp_path: Path, capsys, table, message):
    (tmp_path / "data").mkdir()
    if table:
        (tmp_path / "data" / "metadata.csv").write_text(table)
    (tmp_path / "datasets.yaml").write_text(
        "- {id: mine, version: 1, adapter: folder, path: data, columns: {emotion: emotion}}\n"
    )
    assert main(["check", "--catalog", str(tmp_path)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert message in line
