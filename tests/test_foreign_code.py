"""Code of models runs in commands that run models, and in no others."""

from __future__ import annotations

import sys

import pytest

from common import results
from common.cli.main import main
from common.pages import rendering

MARK = "imported.txt"
#: the same model, changed in a way that makes its results stale, which leaves a mark on import
MARKING = f"""
from pathlib import Path
Path(__file__).with_name("{MARK}").write_text("imported")
"""
TEST = "correctness_regression"


@pytest.fixture
def told(mini, capsys):
    """Runs a command; returns its exit code and whether it imported the model."""

    def run(*words: str) -> tuple[int, bool, str]:
        mark = mini.catalog / MARK
        mark.unlink(missing_ok=True)
        sys.modules.pop(mini.module, None)
        where = ("--catalog", mini.catalog, "--output", mini.root / "out")
        code = main([*words, *map(str, (*where, "--cache", mini.root / "cache")), "--workers", "1"])
        return code, mark.exists(), "".join(capsys.readouterr())

    mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load"}\n'
        '- {id: twin, version: 1.0.0, adapter: python, entry: "MODULE:load"}\n',
    )
    chosen = ("--model", "loud", "--model", "twin", "--test", TEST, "--dataset", "tones")
    assert run("run", *chosen)[0] == 0
    source = mini.catalog / f"{mini.module}.py"
    source.write_text(source.read_text() + MARKING)
    return run


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("list", "models"),
        ("list", "tests"),
        ("list", "stale"),
        ("summary",),
        ("summary", "--json"),
        ("compare", "loud", "twin"),
        ("site",),
    ],
    ids=" ".join,
)
def test_commands_that_run_no_model(told, words, monkeypatch) -> None:
    # the pages themselves import no model: tests/test_layers.py
    monkeypatch.setattr(rendering, "_sphinx", lambda *args: set())
    monkeypatch.setattr(rendering._extension("site_frame.filling"), "fill", lambda *args: None)
    code, imported, text = told(*words)
    assert code == 0, text
    assert not imported


def test_a_run_imports_it(told) -> None:
    code, imported, text = told("run", "--model", "loud", "--test", TEST, "--dataset", "tones")
    assert (code, imported) == (0, True), text


FAILING = """
class Odd(BaseException):
    def __str__(self):
        raise RuntimeError

class Loud:
    targets = ["arousal"]

    def __init__(self, fail):
        self.fail = fail

    def predict(self, signals, sampling_rate):
        if self.fail == "interrupt":
            raise KeyboardInterrupt
        if self.fail == "half":
            raise ValueError("half of \\ud83d \\x1b[2J \\0")
        raise Odd

def load(fail):
    if fail == "load":
        raise Odd
    return Loud(fail)
"""


@pytest.mark.parametrize(
    ("fail", "message"),
    [
        ("odd", "predict raised Odd: its text cannot be had"),
        ("load", "raised Odd: its text cannot be had"),
        ("half", "half of \\ud83d"),
        ("interrupt", "predict raised KeyboardInterrupt"),
    ],
)
def test_whatever_a_model_raises_is_an_error_row(mini, capsys, fail: str, message: str) -> None:
    mini.write(f"{mini.module}.py", FAILING)
    mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", '
        f"params: {{fail: {fail}}}, outputs: {{arousal: {{}}}}}}\n"
        "- {id: chance-value, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}\n",
    )
    where = ("--catalog", mini.catalog, "--output", mini.root / "out")
    where += ("--cache", mini.root / "cache", "--workers", "1")
    models = ("--model", "loud", "--model", "chance-value", "--target", "arousal")
    chosen = (*models, "--test", TEST, "--dataset", "tones")
    assert main(["run", *chosen, *map(str, where)]) == 3
    assert message in capsys.readouterr().err
    rows = results.read_all(mini.root / "out" / "method-tests")
    assert set(rows[rows.model == "loud"].status) == {"error"}
    assert set(rows[rows.model == "chance-value"].status) <= {"pass", "fail"}
