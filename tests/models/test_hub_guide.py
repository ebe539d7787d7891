"""The guide on models of Hugging Face: its commands, as they stand there."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import soundfile
import yaml

from common.cli.main import main
from common.cli.options import parser
from common.core import paths

from .hub import LABELS, folder_without_torch, save_classifier, tiny

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
SECTION = "Test your Hugging Face model in ten minutes"


def guide_commands() -> list[list[str]]:
    page = (paths.DOCS / "howto" / "test_your_own_model.rst").read_text("utf-8")
    text = page.partition(SECTION)[2]
    return [shlex.split(line) for line in re.findall(r"^   \$ python build\.py (.*)$", text, re.M)]


@pytest.fixture
def snapshot(monkeypatch, tmp_path) -> Path:
    """Where the model of the guide would be in the cache of the hub."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    soundfile.write(tmp_path / "recording.wav", np.sin(np.arange(8000) / 9) / 4, 16000)
    model = tmp_path / "hub" / "models--organisation--model"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("abc")
    return model / "snapshots" / "abc"


def test_every_command_is_one() -> None:
    commands = guide_commands()
    assert [command[0] for command in commands] == ["models", "models", "run", "site"]
    for command in commands:
        parser().parse_args(command)


def test_the_entry_is_written_and_has_no_fault(snapshot, tmp_path) -> None:
    folder_without_torch(snapshot)
    assert main(guide_commands()[0]) == 0
    (entry,) = yaml.safe_load((tmp_path / "my-catalog" / "models.yaml").read_text())
    assert entry["path"] == "organisation/model" and set(entry["outputs"]["emotion"]) == {"mapping"}
    assert main(["check", "--catalog", "my-catalog"]) == 0


@pytest.mark.skipif(not HAS_TORCH, reason="torch and transformers are optional")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_one_recording_is_tried(snapshot, capsys) -> None:
    snapshot.mkdir(parents=True)
    save_classifier(snapshot, tiny(labels=LABELS))
    new, once, *_ = guide_commands()
    assert main(new) == 0 and main([*once, "--cache", "cache"]) == 0
    out = capsys.readouterr().out
    assert "my-transformer 1.0.0 on recording.wav (0.50 s)" in out and "real-time factor" in out


@pytest.mark.skipif(not HAS_TORCH, reason="torch and transformers are optional")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_is_run_on_own_data_and_has_a_page(snapshot, tmp_path) -> None:
    snapshot.mkdir(parents=True)
    save_classifier(snapshot, tiny(labels=LABELS))
    rows = ["file,speaker,emotion"]
    for number in range(12):
        sound = np.sin(np.arange(4000) * (0.02 + 0.002 * number)) / 4
        soundfile.write(tmp_path / f"{number}.wav", sound, 16000)
        rows.append(f"{number}.wav,s{number % 3},{('anger', 'happiness')[number % 2]}")
    (tmp_path / "metadata.csv").write_text("\n".join(rows) + "\n", "utf-8")
    (tmp_path / "recording.wav").unlink()
    new, _, run, site = guide_commands()
    mine = ["import", str(tmp_path), "--as", "mine", "--to", "my-catalog"]
    places = ["--output", "out", "--cache", "cache"]
    assert main(new) == 0 and main(mine) == 0
    assert main([*run, *places, "--dataset", "mine"]) == 0 and main([*site, *places]) == 0
    page = tmp_path / "out/build/html/results/emotion/model/my-transformer.html"
    assert "mine" in page.read_text("utf-8")
