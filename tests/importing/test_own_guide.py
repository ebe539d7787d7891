"""The guide to own data and an own model: its commands run, as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.cli.main import main
from common.core import paths

PAGE = (paths.DOCS / "howto" / "test_your_own_model.rst").read_text("utf-8")
GUIDE = PAGE.partition("Test your Hugging Face model")[0]
COMMANDS = [shlex.split(c) for c in re.findall(r"^   \$ python build\.py (.*)$", GUIDE, re.M)]
EMOTIONS = ("anger", "happiness", "neutral", "sadness")
MODEL = """- id: my-model
  version: 1.0.0
  adapter: predictions
  path: predictions.csv
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the folder of the guide, and the model as predictions that are mostly right."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folder, catalog = tmp_path / "corpora" / "interviews" / "wav", tmp_path / "my-catalog"
    folder.mkdir(parents=True)
    catalog.mkdir()
    (catalog / "models.yaml").write_text(MODEL, "utf-8")
    rows, answers = ["file,speaker,gender,emotion"], ["file,emotion"]
    for number in range(48):
        file, emotion = f"wav/{number:03d}.wav", EMOTIONS[number % 4]
        tone = np.sin(np.arange(4000) * (0.02 + 0.001 * number)) / 4
        soundfile.write(folder.parent / file, tone, 16000)
        rows.append(
            f"{file},s{number % 6},{'mf'[number % 2]},{emotion.replace('happiness', 'joy')}"
        )
        answers.append(f"{file},{EMOTIONS[(number + (number % 7 == 0)) % 4]}")
    (folder.parent / "metadata.csv").write_text("\n".join(rows) + "\n", "utf-8")
    (catalog / "predictions.csv").write_text("\n".join(answers) + "\n", "utf-8")
    return tmp_path


def test_commands_of_the_guide_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [words[0] for words in COMMANDS]
    assert names == ["import", "check", "list", "run", "summary", "site", "report"]
    said = {}
    for words in COMMANDS:
        changed = [str(Path(w).expanduser()) if w.startswith("~") else w for w in words]
        changed = [word for word in changed if word != "--serve"]
        if words[0] in ("run", "summary", "site", "report"):
            changed += ["--output", "out", "--cache", "cache"]
        assert main(changed) == 0, words
        said[words[0]] = capsys.readouterr().out
    assert "48 samples in 48 files" in said["import"] and "6 speakers" in said["import"]
    assert "female 24, male 24" in said["import"] and "happiness 12" in said["import"]
    assert re.search(r"emotion +correctness_classification +takes part", said["list"])
    assert "my-model" in said["summary"] and "random-categorical" in said["summary"]
    page = home / "out" / "build" / "html" / "results" / "emotion" / "model" / "my-model.html"
    assert "interviews" in page.read_text("utf-8")
    assert list((home / "out").rglob("*my-model*.html"))
