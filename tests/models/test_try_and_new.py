"""``models try`` and ``models new``: one file through one model, and an entry for a model."""

from __future__ import annotations

import json
import shlex
import sys
import zipfile

import numpy as np
import pytest
import soundfile
import yaml

from common.cli.main import main
from common.core import advice

from .hub import folder_without_torch

LABELS = ["--labels", "sad,ang,neu,hap"]


@pytest.fixture
def catalog(tmp_path):
    folder = tmp_path / "catalog"
    folder.mkdir()
    return folder


@pytest.fixture
def command(catalog, tmp_path, capsys):
    def run(*arguments):
        options = ["--cache", str(tmp_path / "cache")]
        options += ["--catalog", str(catalog)] if (catalog / "models.yaml").exists() else []
        code = main([*map(str, arguments), *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def new(command, catalog):
    def run(path, *options):
        code, out, err = command("models", "new", path, "--as", "mine", "--to", catalog, *options)
        entries = yaml.safe_load((catalog / "models.yaml").read_text()) if code == 0 else []
        return code, out + err, next((e for e in entries if e["id"] == "mine"), {})

    return run


@pytest.fixture
def recording(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.full(8000, 0.25), 16000, subtype="FLOAT")
    return tmp_path / "a.wav"


@pytest.fixture
def level_model(catalog, graph):
    graph(catalog / "m.onnx", {"arousal": [1.0], "scores": [0.1, 0.4, 0.3, 0.2]})
    (catalog / "models.yaml").write_text(
        "- {id: level, version: 1.0.0, adapter: onnx, path: m.onnx, outputs: {arousal: {node: "
        "arousal}, emotion: {node: scores, labels: [anger, happiness, neutral, sadness]}}}\n"
    )


def test_outputs_latency_and_real_time_factor(command, level_model, recording):
    code, out, err = command("models", "try", "level", recording)
    lines = out.splitlines()
    assert (code, err) == (0, "") and lines[0] == "level 1.0.0 on a.wav (0.50 s)"
    assert lines[1] == "  arousal: 0.25"
    assert lines[2].startswith("  emotion: happiness (happiness 0.1, neutral 0.075, sadness 0.05")
    assert "real-time factor" in lines[3] and "first call" in lines[3]
    trial = json.loads(command("models", "try", "level", recording, "--json")[1])
    assert trial["outputs"]["emotion"]["happiness"] == pytest.approx(0.1)
    assert trial["duration_s"] == 0.5 and trial["latency_s"] > 0
    assert trial["real_time_factor"] == pytest.approx(trial["latency_s"] / 0.5)


def test_the_number_of_calls(command, level_model, recording, monkeypatch):
    from common.models.onnx import OnnxModel

    calls = []
    predict = OnnxModel.predict
    monkeypatch.setattr(OnnxModel, "predict", lambda *a: calls.append(1) or predict(*a))
    command("models", "try", "level", recording, "--repetitions", "3")
    assert len(calls) == 4


def test_sound_events_and_predictions_can_be_tried(command, recording, catalog):
    code, out, _ = command("models", "try", "detector", recording)
    assert code == 0 and "  sound-events: " in out
    assert "13 frames, largest score 0" in command("models", "try", "always-silent", recording)[1]
    (catalog / "p.csv").write_text("file,arousal\nx/a.wav,0.25\n")
    (catalog / "models.yaml").write_text(
        "- {id: told, version: 1, adapter: predictions, path: p.csv}\n"
    )
    assert "  arousal: 0.25" in command("models", "try", "told", "x/a.wav")[1]


def test_faults_of_a_try(command, recording, tmp_path):
    for arguments, message in [
        (("baselin", recording), "unknown model 'baselin'. Did you mean 'baseline'?"),
        (("baseline",), "models try needs an id and an audio file"),
        (("baseline", tmp_path / "absent.wav"), "absent.wav"),
    ]:
        code, _, err = command("models", "try", *arguments)
        assert code == 2 and message in err


def test_a_folder_of_hugging_face(new, command, tmp_path, catalog):
    folder_without_torch(tmp_path / "m")
    code, out, entry = new(tmp_path / "m")
    assert code == 0 and "emotion: neu = neutral, hap = happiness" in out
    mapping = {"neu": "neutral", "hap": "happiness", "ang": "anger", "sad": "sadness"}
    assert entry == {
        **{"id": "mine", "version": "1.0.0", "adapter": "huggingface", "path": "../m"},
        **{"sampling_rate": 16000, "outputs": {"emotion": {"mapping": mapping}}},
    }
    assert command("check")[0] == 0 and "to do" not in out


def test_names_that_say_nothing_are_left_to_do(new, command, tmp_path):
    folder_without_torch(tmp_path / "m", labels=["LABEL_0", "LABEL_1"])
    code, out, entry = new(tmp_path / "m")
    assert code == 0 and "to do: outputs: none of the targets" in out and "outputs" not in entry
    code, _, entry = new(tmp_path / "m", "--force", "--labels", "valence,activation")
    outputs = {
        "arousal": {"labels": ["valence", "activation"], "mapping": {"activation": "arousal"}},
        "valence": {"labels": ["valence", "activation"]},
    }
    assert entry["outputs"] == outputs and command("check")[0] == 0


def test_a_graph(new, command, catalog, graph):
    graph(catalog / "m.onnx", {"logits": [1, 2, 3, 4]})
    code, out, entry = new(catalog / "m.onnx")
    assert code == 0 and "to do: models.yaml: model 'mine': none of the targets" in out
    _, out, entry = new(catalog / "m.onnx", "--force", *LABELS)
    assert "to do" not in out and entry["path"] == "m.onnx" and command("check")[0] == 0


def test_torchscript_and_skops(new, command, catalog):
    with zipfile.ZipFile(catalog / "m.pt", "w") as content:
        content.writestr("m/constants.pkl", "")
        content.writestr("m/code/x.py", "")
    _, out, entry = new(catalog / "m.pt", *LABELS)
    assert entry["adapter"] == "torchscript" and "to do" not in out and command("check")[0] == 0
    with zipfile.ZipFile(catalog / "m.skops", "w") as content:
        content.writestr("schema.json", "{}")
    _, out, entry = new(catalog / "m.skops", *LABELS, "--force")
    assert entry["adapter"] == "skops" and command("check")[0] == 0
    assert "to do: frontend: say which features the pipeline takes" in out


def test_weights_get_a_template_that_says_what_is_missing(new, command, catalog, recording):
    (catalog / "weights.pth").touch()
    code, out, entry = new(catalog / "weights.pth", *LABELS)
    assert code == 0 and "to do: fill in mine.py" in out and entry["entry"] == "mine:load"
    assert command("check")[0] == 0
    code, _, err = command("models", "try", "mine", recording)
    assert code == 2 and "NotImplementedError: call your model here" in err
    text = (catalog / "mine.py").read_text()
    filled = text.replace(
        'raise NotImplementedError("call your model here")',
        'return {"emotion": [[1, 4, 2, 3] for _ in signals]}',
    )
    (catalog / "mine.py").write_text(filled)
    assert "emotion: anger (anger 4, happiness 3" in command("models", "try", "mine", recording)[1]
    assert (
        "already exists and is not overwritten; move it"
        in new(catalog / "weights.pth", "--force")[1]
    )


def test_a_python_file(new, command, catalog, tmp_path):
    (catalog / "own.py").write_text("class Model:\n    targets = ('arousal',)\n")
    assert new(catalog / "own.py")[2]["entry"] == "own:Model"
    (catalog / "own.py").write_text("class Net: ...\ndef load(): ...\n")
    assert new(catalog / "own.py", "--force")[2]["entry"] == "own:load"


PYTHON = """
class Model:
    targets = ("arousal", "emotion")
    labels = {"emotion": ["anger", "happiness", "neutral", "sadness"]}

    def predict(self, signals, sampling_rate):
        return {"arousal": [0.5] * len(signals), "emotion": ["anger"] * len(signals)}


def load():
    return Model()
"""


def test_the_entry_of_a_python_file_is_complete_and_its_commands_work_as_they_stand(
    catalog, tmp_path, capsys, monkeypatch, recording
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(advice.ALLOW_CODE)
    (catalog / "net.py").write_text(PYTHON)
    made = ["models", "new", "catalog/net.py", "--as", "mine", "--to", "catalog"]
    monkeypatch.setattr(sys, "argv", ["build.py"])
    assert main(made) == 0
    printed = capsys.readouterr().out
    (entry,) = yaml.safe_load((catalog / "models.yaml").read_text())
    assert entry["outputs"] == {"arousal": {}, "emotion": {}} and "to do" not in printed
    commands = [line.partition(": python build.py ")[2] for line in printed.splitlines()]
    check, trial = (shlex.split(text) for text in commands if text)
    assert main([*check, "--cache", str(tmp_path / "cache")]) == 0
    trial = [str(recording) if word == "recording.wav" else word for word in trial]
    assert main([*trial, "--cache", str(tmp_path / "cache")]) == 0
    assert "anger" in capsys.readouterr().out


def test_a_python_file_that_does_not_say_what_it_predicts(new, command, catalog):
    (catalog / "net.py").write_text(PYTHON.replace("targets =", "names ="))
    code, out, entry = new(catalog / "net.py")
    assert code == 0 and "outputs" not in entry
    assert "to do: net.py does not say what the model predicts" in out
    assert "'outputs: {arousal: {}}' for numbers" in out
    assert "'outputs: {emotion: {labels: [anger, happiness, neutral, sadness]}}'" in out
    _, out, entry = new(catalog / "net.py", *LABELS, "--force")
    assert entry["outputs"]["emotion"]["labels"] == ["sad", "ang", "neu", "hap"]
    assert "to do" not in out and command("check")[0] == 0


def test_what_is_no_model(new, catalog, tmp_path):
    (catalog / "own.py").write_text("def run(): ...\n")
    (tmp_path / "own.py").write_text("def load(): ...\n")
    (tmp_path / "p.csv").write_text("file,arousal\n")
    (tmp_path / "notes.doc").write_text("x")
    for path, message in [
        (catalog / "own.py", "defines none of load, Model; it has: run"),
        (tmp_path / "own.py", "must lie in the folder of the catalog"),
        (tmp_path / "p.csv", "is a table; make a model of its predictions with: "),
        (tmp_path / "notes.doc", "unknown kind of model. Known: folders, .onnx, .pt"),
        (tmp_path / "absent", "no such file or folder"),
        ("people/model", "Download it with: hf download people/model"),
    ]:
        code, out, _ = new(path)
        assert code == 2 and message in out
    assert not (catalog / "models.yaml").exists()


def test_an_id_is_not_taken_twice(new, tmp_path):
    folder_without_torch(tmp_path / "m")
    assert new(tmp_path / "m")[0] == 0
    assert "has a model 'mine' already; --force replaces it" in new(tmp_path / "m")[1]


def test_a_program_is_told_about_the_adapter_for_it(command, catalog, tmp_path):
    for path, hint in (
        (tmp_path / "predict.sh", 'entry: "predict.sh"\''),
        (catalog / "predict.py", 'entry: "python predict.py"\''),
    ):
        path.write_text("import sys\n")
        code, _, err = command("models", "new", path, "--to", catalog)
        assert code == 2 and "'adapter: command'" in err and hint in err
        assert err.count("\n") == 1


def test_values_on_another_scale_are_told(command, catalog, graph, recording):
    graph(catalog / "m.onnx", {"arousal": [28.0]})
    entry = (
        "- {id: level, version: 1.0.0, adapter: onnx, path: m.onnx, outputs: {arousal: {OUTPUT}}}\n"
    )
    (catalog / "models.yaml").write_text(entry.replace("OUTPUT", ""))
    code, out, err = command("models", "try", "level", recording)
    assert (code, err) == (0, "")
    assert (
        "  warning: model 'level': arousal: the value 7, expected 0 to 1; 'outputs: {arousal:"
        in out
    )
    (catalog / "models.yaml").write_text(entry.replace("OUTPUT", "scale: [1, 7]"))
    assert "warning" not in command("models", "try", "level", recording)[1]


def test_a_table_on_another_scale_is_told_by_check(command, catalog, caplog):
    (catalog / "p.csv").write_text("file,arousal\na.wav,1\nb.wav,6.5\n")
    entry = "- {id: level, version: 1.0.0, adapter: predictions, path: p.csv, outputs: {arousal: {OUTPUT}}}\n"
    (catalog / "models.yaml").write_text(entry.replace("OUTPUT", ""))
    code, out, _ = command("check")
    assert code == 0 and "no fault" in out
    assert "model 'level': arousal: values from 1 to 6.5, expected 0 to 1;" in caplog.text
    caplog.clear()
    (catalog / "models.yaml").write_text(entry.replace("OUTPUT", "scale: [1, 7]"))
    assert command("check")[0] == 0 and not caplog.text
