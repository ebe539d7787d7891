"""Folders of Hugging Face models: what can be known of them without torch."""

from __future__ import annotations

import json
import sys

import pytest

from common import models
from common.cli.main import main
from common.core.errors import ConfigError, MissingDependency, ModelError
from common.models import hub_folders, synonyms

from .hub import folder_without_torch


@pytest.fixture(autouse=True)
def no_runtime(monkeypatch):
    for name in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache of the hub."""
    folder = tmp_path / "hub"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    return folder


def edit(path, **fields):
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**content, **fields}))


def test_known_labels_are_those_of_the_suite(entry, targets, tmp_path):
    folder_without_torch(tmp_path / "m")
    mine = entry(adapter="huggingface", path="m")
    models.check(mine, targets)
    assert models.offered_targets(mine, targets) == ("emotion",)


def test_dimensions_are_found_by_their_names(entry, targets, tmp_path):
    folder_without_torch(tmp_path / "m", labels=["activation", "dominance", "valence"])
    mine = entry(adapter="huggingface", path="m")
    assert models.offered_targets(mine, targets) == ("arousal", "valence")
    one = entry(adapter="huggingface", path="m", outputs={"valence": {}})
    assert models.offered_targets(one, targets) == ("valence",)


def test_what_was_mapped_is_told(entry, targets, tmp_path, caplog):
    mine = entry(adapter="huggingface", path="m", outputs={"emotion": {"mapping": {"x": "anger"}}})
    changed, told = synonyms.translated(mine, targets, ["x", "HAP", "neutral", "sad"])
    assert synonyms.translated(changed, targets, ["x", "HAP", "neutral", "sad"]) == (changed, {})
    other = entry(adapter="huggingface", outputs={"emotion": {"mapping": {"sad": "anger"}}})
    assert synonyms.translated(other, targets, ["sad", "hap"])[1]["emotion"] == {"hap": "happiness"}
    assert told == {"emotion": {"HAP": "happiness", "sad": "sadness"}}
    assert changed.outputs["emotion"].mapping == {
        **{"x": "anger", "HAP": "happiness"},
        **{"sad": "sadness"},
    }
    synonyms.tell(mine, told)
    assert "labels of the model taken for 'emotion': HAP = happiness, sad = sadness" in caplog.text


def test_names_that_say_nothing_are_refused(entry, targets, tmp_path):
    folder_without_torch(tmp_path / "m", labels=["LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3"])
    with pytest.raises(ModelError, match=r"none of the targets .*: logits \(LABEL_0, LABEL_1"):
        models.check(entry(adapter="huggingface", path="m"), targets)
    outputs = {"emotion": {"labels": ["ang", "hap", "neu", "sad"]}}
    models.check(entry(adapter="huggingface", path="m", outputs=outputs), targets)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", None, r"model 'mine': path: folder 'm' has no 'config.json'"),
        ("config.json", b"{", r"config.json, line 1, column 2: not valid JSON"),
        ("config.json", b"[]", r"'config.json': expected a mapping"),
        ("config.json", b"{}", r"'config.json' has no 'model_type'"),
        ("preprocessor_config.json", None, r"has no 'preprocessor_config.json', which says how"),
        ("model.safetensors", None, r"no weights; expected one of: model.safetensors, pytorch"),
        ("model.safetensors", b"\x10", r"'model.safetensors' is no safetensors file, or it is cut"),
        ("model.safetensors", b"\2" + bytes(7) + b"[]", r"is no safetensors file"),
        (
            "model.safetensors",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            r"'model.safetensors' only stands for a file in Git LFS; fetch it: git lfs pull",
        ),
    ],
)
def test_faults_of_files(entry, targets, tmp_path, file, content, message):
    path = folder_without_torch(tmp_path / "m") / file
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        models.check(entry(adapter="huggingface", path="m"), targets)


def test_weights_that_are_cut_off(entry, targets, tmp_path):
    path = folder_without_torch(tmp_path / "m") / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ModelError, match=r"'model.safetensors' is cut off: 3 bytes are missing"):
        models.check(entry(adapter="huggingface", path="m"), targets)


def test_weights_in_parts(entry, targets, tmp_path):
    folder = folder_without_torch(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"classifier.weight": "model-1.safetensors"}}))
    mine = entry(adapter="huggingface", path="m")
    models.check(mine, targets)
    before = models.fingerprint(mine)
    (folder / "model-1.safetensors").write_bytes((folder / "model-1.safetensors").read_bytes()[:-1])
    assert models.fingerprint(mine) != before
    (folder / "model-1.safetensors").rename(tmp_path / "model-1.safetensors")
    index.write_text(json.dumps({"weight_map": {"classifier.weight": "../model-1.safetensors"}}))
    with pytest.raises(ModelError, match=r"names '\.\./model-1.safetensors', which does not exist"):
        models.check(mine, targets)


def test_another_sampling_rate(entry, targets, tmp_path):
    folder_without_torch(tmp_path / "m")
    with pytest.raises(ModelError, match=r"sampling_rate: 8000 Hz, but 'preprocessor_config.json'"):
        models.check(entry(adapter="huggingface", path="m", sampling_rate=8000), targets)


def test_everything_that_decides_is_in_the_fingerprint(entry, tmp_path):
    folder = folder_without_torch(tmp_path / "m")
    seen = {models.fingerprint(entry(adapter="huggingface", path="m"))}
    edit(folder / "config.json", num_hidden_layers=3)
    seen.add(models.fingerprint(entry(adapter="huggingface", path="m")))
    edit(folder / "preprocessor_config.json", do_normalize=False)
    seen.add(models.fingerprint(entry(adapter="huggingface", path="m")))
    (folder / "README.md").write_text("nothing that decides")
    seen.add(models.fingerprint(entry(adapter="huggingface", path="m")))
    assert len(seen) == 3


def test_a_name_is_looked_up_in_the_cache_and_never_fetched(entry, targets, cache):
    mine = entry(adapter="huggingface", path="people/model")
    with pytest.raises(ModelError, match=r"Download it with: hf download people/model$"):
        models.check(mine, targets)
    folder_without_torch(cache / "models--people--model" / "snapshots" / "abc")
    old = entry(adapter="huggingface", path="people/model", params={"revision": "abc"})
    models.check(old, targets)
    (cache / "models--people--model" / "refs").mkdir()
    (cache / "models--people--model" / "refs" / "main").write_text("abc\n")
    models.check(mine, targets)
    absent = entry(adapter="huggingface", path="people/model", params={"revision": "v2"})
    with pytest.raises(ModelError, match=r"hf download people/model --revision v2"):
        models.check(absent, targets)


def test_the_check_takes_a_name_for_a_name(cache, tmp_path, capsys):
    snapshots = cache / "models--people--model" / "snapshots"
    folder_without_torch(snapshots / "abc")
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "models.yaml").write_text(
        "- {id: m, version: 1, adapter: huggingface, path: people/model, params: {revision: abc}}\n"
    )
    assert main(["check", "--catalog", str(tmp_path / "catalog")]) == 0
    (snapshots / "abc" / "config.json").unlink()
    assert main(["check", "--catalog", str(tmp_path / "catalog")]) == 1
    assert "hf download people/model --revision abc" in capsys.readouterr().out


def test_faults_of_entries(entry, targets, tmp_path):
    with pytest.raises(ConfigError, match="path: missing; the adapter huggingface needs a folder"):
        models.check(entry(adapter="huggingface"), targets)
    with pytest.raises(ModelError, match="path: no such folder: absent"):
        models.check(entry(adapter="huggingface", path="absent"), targets)
    with pytest.raises(
        ConfigError, match=r"unknown parameter 'revison'\. Did you mean 'revision'\?"
    ):
        models.check(entry(adapter="huggingface", path="m", params={"revison": "x"}), targets)


def test_without_torch_one_line_names_the_command(entry, targets, tmp_path):
    folder_without_torch(tmp_path / "m")
    with pytest.raises(
        MissingDependency,
        match=r"need torch and transformers\. Install it with: pip install torch tra.*s$",
    ):
        models.load(entry(adapter="huggingface", path="m"), targets, seed=0)


def test_an_extractor_among_other_parts(tmp_path):
    folder = folder_without_torch(tmp_path / "m")
    own = json.loads((folder / "preprocessor_config.json").read_text("utf-8"))
    (folder / "preprocessor_config.json").unlink()
    (folder / "processor_config.json").write_text(json.dumps({"feature_extractor": own}))
    assert hub_folders.read(folder, "m").sampling_rate == 16000
