"""The guide on datasets: its commands run, and it names every corpus that is known."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from common.cli.main import main
from common.core import paths
from common.samples.importing import layouts
from tests.importing.test_layouts import KNOWN, miniature, sound

GUIDE = (paths.DOCS / "howto" / "add_a_dataset.rst").read_text("utf-8")
COMMANDS = re.findall(r"^   \$ python build\.py (import .*)$", GUIDE, re.MULTILINE)


def example() -> str:
    """The layout of the guide."""
    text = GUIDE.partition("   # my-corpus.yaml\n")[2].partition("\n.. code-block")[0]
    return "\n".join(line[3:] for line in text.splitlines()) + "\n"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders that the commands of the guide name."""
    monkeypatch.chdir(tmp_path)
    miniature(KNOWN["crema-d"], tmp_path / "downloads" / "CREMA-D")
    for speaker, word in (("s1", "wut"), ("s2", "ruhe"), ("s1", "ruhe"), ("s2", "wut")):
        sound(tmp_path / "recordings" / speaker / f"{word}_1.wav")
    (tmp_path / "recordings" / "speakers.csv").write_text("id,gender,age\ns1,f,30\ns2,m,40\n")
    sound(tmp_path / "interviews" / "audio" / "a.wav")
    (tmp_path / "interviews" / "metadata.csv").write_text("path,label,who\naudio/a.wav,joy,p1\n")
    sound(tmp_path / "kaldi" / "wav" / "u1.wav")
    folder = tmp_path / "kaldi" / "data" / "test"
    folder.mkdir(parents=True)
    (folder / "wav.scp").write_text("u1 wav/u1.wav\n")
    (folder / "utt2spk").write_text("u1 s1\n")
    (folder / "text").write_text("u1 good morning\n")
    return tmp_path


def test_commands_of_the_guide_run(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COMMANDS) == 5
    (data / "my-corpus.yaml").write_text(example(), encoding="utf-8")
    for command in COMMANDS:
        words = shlex.split(command)
        assert main(words) == 0, command
        text = capsys.readouterr().out
        assert "fault:" not in text, text
        if "--guess" in words:
            (data / "guess.yaml").write_text(text, encoding="utf-8")
    assert "emotion: anger 2, neutral 2" in text
    assert main([*words[:2], "--as", "again", "--layout", "guess.yaml"]) == 0
    assert len(example().splitlines()) <= 10


def test_the_guide_names_every_corpus() -> None:
    text = " ".join(GUIDE.split())
    assert [one.label for one in layouts.known().values() if one.label not in text] == []
    readme = (paths.REPOSITORY / "README.md").read_text("utf-8")
    assert f"downloads of {len(layouts.known())} corpora" in readme
