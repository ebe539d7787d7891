"""What is printed: nothing of it is obeyed by a terminal."""

from __future__ import annotations

import ast
import io
import json
import logging
from pathlib import Path

import pytest

from common.cli.main import main
from common.core import paths
from common.core.terminal import Formatter, harmless, tell

#: what clears the screen, hides a line, turns the writing round, and half of a character
HOSTILE = "\x1b[2J\x9b2J\rall is well\x08\u202eabc\ud800"
#: what a catalog may hold of it; the rest is refused there
IN_CATALOGS = "\rall is well\u200fabc\u061c"
#: modules whose output is for a process that reads it, not for a person
PIPES = {"samples/demo/render.py", "samples/demo/espeak_worker.py", "cli/bench/event_peers.py"}
#: and those that a developer calls
TOOLS = {"models/demo/train_baseline.py", "models/demo/train_detector.py"}


def _obeyed(text: str) -> list[str]:
    return [
        c for c in text if (not c.isprintable() or "\ud800" <= c <= "\udfff") and c not in "\t\n"
    ]


def test_harmless() -> None:
    shown = harmless(HOSTILE)
    assert not _obeyed(shown)
    assert json.loads(f'"{shown}"') == HOSTILE
    assert harmless("ä\tΔ\n日本") == "ä\tΔ\n日本"


def test_a_terminal_of_few_characters() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")
    tell("ä Δ", to=stream)
    assert raw.getvalue() == b"\\u00e4 \\u0394\n"


def test_log_messages() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 1, "%s", (HOSTILE,), None)
    assert not _obeyed(Formatter("%(message)s").format(record))


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """A catalog whose texts are hostile, with one fault."""
    text = json.dumps(IN_CATALOGS)
    (tmp_path / "models.yaml").write_text(
        f"- id: a\n  version: 1.0.0\n  adapter: chance\n  label: {text}\n"
        f"  params: {{distribution: {text}}}\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "models"],
        ["list", "models", "--json"],
        ["check"],
        ["run", "--model", HOSTILE],
        ["list", HOSTILE],
        [HOSTILE],
        ["events", "--truth", HOSTILE, "--estimate", "x"],
    ],
    ids=lambda words: " ".join(words).encode("ascii", "backslashreplace").decode(),
)
def test_commands(
    catalog: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = ["--catalog", str(catalog), "--output", str(tmp_path), "--cache", str(tmp_path)]
    try:
        main([*arguments, *options] if len(arguments) > 1 or arguments == ["check"] else arguments)
    except SystemExit as ended:
        assert ended.code == 2
    told = capsys.readouterr()
    assert (told.out + told.err).strip()
    assert not _obeyed(told.out + told.err)
    if "--json" in arguments:
        assert json.loads(told.out)[-1]["label"] == IN_CATALOGS


@pytest.mark.parametrize("character", sorted(set(_obeyed(HOSTILE)) - {"\r", "\ud800"}))
def test_a_catalog_that_hides_or_turns_texts_is_refused(
    catalog: Path, character: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = catalog / "models.yaml"
    label = json.dumps(f"a{character}b")
    path.write_text(f"- id: a\n  version: 1.0.0\n  adapter: chance\n  label: {label}\n")
    assert main(["list", "models", "--catalog", str(catalog), "--cache", str(catalog)]) == 2
    told = capsys.readouterr().err
    assert (
        f"{path}, line 4" in told and f"the character U+{ord(character):04X}, which hides" in told
    )
    assert not _obeyed(told)


def _prints(path: Path) -> list[int]:
    """Lines that print, or write to an output of the process."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name == "print" or name.endswith(("stdout.write", "stderr.write")):
            found.append(node.lineno)
    return found


def test_everything_is_told_by_one_function() -> None:
    """A new 'print' would be a hole."""
    progress = "cli/progress.py"  # moves the cursor itself, with harmless text
    for path in sorted(paths.PACKAGE.rglob("*.py")):
        name = path.relative_to(paths.PACKAGE).as_posix()
        if name not in PIPES | TOOLS | {progress}:
            assert not _prints(path), f"{name}: use common.core.terminal.tell"
