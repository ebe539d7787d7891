"""The guide to the paper: its commands run, on miniatures of the downloads."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from common.cli.main import main
from common.core import paths
from tests.importing.test_layouts import KNOWN, miniature

GUIDE = (paths.DOCS / "howto" / "reproduce_the_paper.rst").read_text("utf-8")
COMMANDS = re.findall(r"^   \$ python build\.py (.*)$", GUIDE, re.MULTILINE)
DOWNLOADS = {"emodb": "emodb", "crema-d": "CREMA-D", "ravdess": "RAVDESS"}

MODEL = """- id: my-model
  version: 1.0.0
  adapter: predictions
  path: predictions.csv
"""


def test_commands_of_the_guide_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for corpus, folder in DOWNLOADS.items():
        miniature(KNOWN[corpus], tmp_path / "downloads" / folder)
    catalog, rows = tmp_path / "catalog", ["dataset,file,emotion"]
    names = [shlex.split(command)[0] for command in COMMANDS]
    assert names == ["summary", "list", "import", "import", "import", "run", "site"]
    for name, command in zip(names, COMMANDS, strict=True):
        words = shlex.split(command)
        if name in ("run", "site", "summary"):
            words += ["--output", "out", "--cache", "cache", "--workers", "1"]
        if name == "run":
            for corpus in DOWNLOADS:
                words += ["--dataset", corpus]  # the model has no answers on others
                table = catalog / f"{corpus}-audformat" / "db.files.csv"
                lines = table.read_text("utf-8").splitlines()
                rows += [f"{corpus},{line.split(',')[0]},anger" for line in lines[1:]]
            (catalog / "predictions.csv").write_text("\n".join(rows) + "\n", "utf-8")
            (catalog / "models.yaml").write_text(MODEL, "utf-8")
        capsys.readouterr()
        assert main(words) == 0, command
        said = capsys.readouterr().out
        assert "fault:" not in said, said
        if name == "summary":
            assert "Table VII" in said
        if name == "list":
            assert all(corpus in said for corpus in DOWNLOADS)
    results = tmp_path / "out" / "method-tests" / "emotion" / "my-model"
    table = (results / "correctness_classification.csv").read_text("utf-8")
    assert all(f"{corpus}," in table for corpus in DOWNLOADS)
    page = tmp_path / "out" / "build" / "html" / "results" / "emotion" / "model" / "my-model.html"
    assert "my-model" in page.read_text("utf-8")
