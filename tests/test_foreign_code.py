"""Code of models runs in commands that run models, and in no others."""

from __future__ import annotations

import sys
import zipfile

import pytest

from common import results
from common.cli.main import main
from common.core.advice import ALLOW_CODE
from common.core.errors import ConfigError
from common.pages import framing
from common.samples import demo
from common.spec import load_benchmark

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
    monkeypatch.setattr(framing, "_sphinx", lambda *args: set())
    for name, function in {"filling": "fill", "listed": "write"}.items():
        module = framing.extension(f"site_frame.{name}")
        monkeypatch.setattr(module, function, lambda *args, **options: None)
    code, imported, text = told(*words)
    assert code == 0, text
    assert not imported


def test_a_run_imports_it(told) -> None:
    code, imported, text = told("run", "--model", "loud", "--test", TEST, "--dataset", "tones")
    assert (code, imported) == (0, True), text


CALLED = f"""
from pathlib import Path
Path(__file__).with_name("{MARK}").write_text("called")
print()
"""
ENTRIES = {
    "python": '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load"}',
    "python with outputs": '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", '
    "outputs: {arousal: {}}}",
    "command": '- {id: loud, version: 1.0.0, adapter: command, entry: "python called.py", '
    "outputs: {arousal: {}}}",
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("words", [("run", "--dataset", "tones"), ("models", "try", "loud")])
def test_code_of_a_catalog_waits_for_permission(mini, capsys, monkeypatch, entry, words) -> None:
    monkeypatch.delenv(ALLOW_CODE)
    mini.write("models.yaml", entry)
    mini.write(f"{mini.module}.py", MARKING)
    mini.write("called.py", CALLED)
    where = ("--catalog", mini.catalog, "--output", mini.root / "out")
    where += ("--cache", mini.root / "cache", "--workers", "1")
    chosen = ("--model", "loud") if words[0] == "run" else (mini.catalog / "tones" / "000.wav",)
    command = [*words, *map(str, (*chosen, *where))]
    mark = mini.catalog / MARK
    assert main(command) == 2
    adapter = "command" if "command" in entry else "python"
    error = (
        f"error: {mini.catalog}/models.yaml: model 'loud': adapter: '{adapter}' runs code that the "
        "catalog names; if you trust it, allow it with --allow-code or SPEECHPROOF_ALLOW_CODE=1\n"
    )
    assert error in capsys.readouterr().err
    assert not mark.exists()
    main([*command, "--allow-code"])
    assert mark.exists()
    capsys.readouterr()


#: entry -> what of it runs code
OF_FILES = {
    "- {id: loud, version: 1.0.0, adapter: torchscript, path: m.pt, outputs: {arousal: {}}}": (
        "adapter: 'torchscript' runs code that the catalog names"
    ),
    "- {id: loud, version: 1.0.0, adapter: skops, path: m.skops, outputs: {arousal: {}},"
    " params: {trusted: [timeit.timeit]}}": "params.trusted: types may run any code",
    "- {id: loud, version: 1.0.0, adapter: onnx, path: net, outputs: {arousal: {}}}": (
        "path: the transform of its folder runs code"
    ),
}


@pytest.mark.parametrize(("entry", "code"), OF_FILES.items(), ids=["torchscript", "skops", "onnx"])
@pytest.mark.parametrize("words", [("run", "--dataset", "tones"), ("models", "try", "loud")])
def test_files_that_run_code_wait_for_permission(
    mini, capsys, monkeypatch, entry, code, words
) -> None:
    """A graph of audonnx makes its transform from whatever its YAML file names."""
    monkeypatch.delenv(ALLOW_CODE)
    mark, net = mini.root / MARK, mini.catalog / "net"
    net.mkdir()
    (net / "model.onnx").write_bytes(b"")
    transform = f'!!python/object/apply:os.mkdir ["{mark}"]'
    (net / "model.yaml").write_text(
        f"$audonnx.core.model.Model==1.0.1:\n  path: model.onnx\n  transform: {transform}\n"
    )
    for name, parts in {
        "m.pt": ("m/constants.pkl", "m/code/m.py"),
        "m.skops": ("schema.json",),
    }.items():
        with zipfile.ZipFile(mini.catalog / name, "w") as content:
            for part in parts:
                content.writestr(part, "{}")
    mini.write("models.yaml", entry)
    where = ("--catalog", mini.catalog, "--output", mini.root / "out")
    where += ("--cache", mini.root / "cache", "--workers", "1")
    chosen = ("--model", "loud") if words[0] == "run" else (mini.catalog / "tones" / "000.wav",)
    assert main([*words, *map(str, (*chosen, *where))]) == 2
    refusal = f"{code}; if you trust it, allow it with --allow-code or SPEECHPROOF_ALLOW_CODE=1\n"
    assert refusal in capsys.readouterr().err
    assert not mark.exists()


def test_permission_is_asked_for_before_speech_is_made(mini, capsys, monkeypatch) -> None:
    monkeypatch.delenv(ALLOW_CODE)

    def spoken(*args, **more):
        pytest.fail("speech is synthesised for code that may not be run")

    monkeypatch.setattr(demo, "ensure", spoken)
    mini.write("models.yaml", ENTRIES["python with outputs"])
    where = ("--catalog", mini.catalog, "--output", mini.root / "out", "--cache", mini.root / "new")
    assert main(["run", "--model", "loud", *map(str, where)]) == 2
    assert "if you trust it, allow it with --allow-code" in capsys.readouterr().err


def test_the_environment_allows_code_or_is_refused(mini, capsys, monkeypatch) -> None:
    where = ("--catalog", mini.catalog, "--output", mini.root / "out")
    chosen = ("--model", "loud", "--test", TEST, "--dataset", "tones")
    command = ["run", *chosen, *map(str, (*where, "--cache", mini.root / "cache"))]
    for text, code in (("yes", 2), ("0", 2), ("", 2), ("1", 0)):
        monkeypatch.setenv(ALLOW_CODE, text)
        assert main([*command, "--workers", "1"]) == code, text
        error = capsys.readouterr().err
        assert (f"{ALLOW_CODE}: expected 0 or 1, found 'yes'" in error) == (text == "yes")


def test_an_entry_cannot_allow_itself(mini) -> None:
    for key in ("may_run_code", "_allowed", "allowed"):
        mini.write(
            "models.yaml",
            f'- {{id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", {key}: true}}',
        )
        with pytest.raises(ConfigError, match=f"{key}: unknown key"):
            load_benchmark([mini.catalog])


def test_a_broken_model_that_nobody_selects_stops_nothing(mini, capsys) -> None:
    mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load"}\n'
        '- {id: lost, version: 1.0.0, adapter: python, entry: "nowhere:load"}\n',
    )
    where = ("--catalog", mini.catalog, "--output", mini.root / "out")
    where += ("--cache", mini.root / "cache", "--workers", "1")
    command = ["run", "--test", TEST, "--dataset", "tones", *map(str, where)]
    for _ in range(2):  # what was looked at once is not taken for the whole
        assert main([*command, "--model", "loud"]) == 0
        assert main(["check", *map(str, where)]) == 1
        assert "no module 'nowhere'" in "".join(capsys.readouterr())
        assert main([*command, "--model", "lost"]) == 2
        assert main(command) == 2
        assert "no module 'nowhere'" in capsys.readouterr().err


def test_models_of_the_program_itself_need_no_permission() -> None:
    models = load_benchmark().models.values()
    assert "python" in {model.adapter for model in models}
    assert all(model.may_run_code for model in models)


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
    captured = capsys.readouterr()
    assert message in captured.err
    (line,) = [line for line in captured.out.splitlines() if line.startswith(f"{TEST}, tones: ")]
    assert line.endswith("loud error") and "loud 0/" not in line
    rows = results.read_all(mini.root / "out" / "method-tests")
    assert set(rows[rows.model == "loud"].status) == {"error"}
    assert set(rows[rows.model == "chance-value"].status) <= {"pass", "fail"}
