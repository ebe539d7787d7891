"""``build.py`` on a machine where packages are missing: one line that says what to do."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from common.cli.main import main
from common.core import launching, paths

BUILD = paths.REPOSITORY / "build.py"
COMMANDS = [
    ["--help"],
    [],
    ["check"],
    ["list", "models"],
    ["run"],
    ["site"],
    ["summary"],
    ["compare", "a", "b"],
    ["events", "--truth", "a", "--estimate", "b"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_without_any_package(words: list[str], tmp_path: Path) -> None:
    python = [sys.executable, "-S", "-I"]  # as if nothing were installed
    done = subprocess.run([*python, str(BUILD), *words], cwd=tmp_path, capture_output=True)
    (line,) = done.stderr.decode().splitlines()
    assert done.returncode == 2 and not done.stdout
    assert line.startswith("error: the package '") and "is not installed for" in line
    assert "pip install -r " in line
    assert Path(tmp_path, line.rsplit(" ", 1)[1]).resolve() == paths.REPOSITORY / "requirements.txt"


@pytest.fixture
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_script", BUILD)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _lacking(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


def test_a_package_that_a_command_needs_later(
    build: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    _lacking(monkeypatch, "sphinx")
    folders = ["--output", str(tmp_path), "--cache", str(tmp_path / "cache")]
    monkeypatch.setattr(sys, "argv", ["build.py", "site", *folders])
    assert build.run() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: the package 'sphinx' is not installed")


@pytest.mark.parametrize("name", ["common.nothing", "json.nothing", "benchmark_site.nothing", None])
def test_faults_of_the_program_stay_visible(name: str | None) -> None:
    assert not launching.advice(ModuleNotFoundError("no module", name=name), None)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_killed_while_it_is_imported(
    number: int, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    # as in a terminal: what is started with nohup, as these tests may be, ignores SIGHUP
    handlers = {number: signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL}
    for each, handler in handlers.items():
        request.addfinalizer(partial(signal.signal, each, signal.signal(each, handler)))
    before = signal.getsignal(number)

    def start() -> int:
        os.kill(os.getpid(), number)
        raise AssertionError("it went on")

    assert launching.launch(start, None) == 130
    assert capsys.readouterr().err == "interrupted; what was computed is kept\n"
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(("said", "expected"), [("", "4"), ("20", "20")])
def test_threads_for_matrices_do_not_wait_at_work(
    monkeypatch: pytest.MonkeyPatch, said: str, expected: str
) -> None:
    """What the user says counts."""
    name, _ = launching.BLAS_WAIT
    monkeypatch.delenv(name, raising=False)
    if said:
        monkeypatch.setenv(name, said)
    assert launching.launch(lambda: int(os.environ[name]), None) == int(expected)


def test_it_is_said_before_numpy_is_loaded() -> None:
    code = "import sys, common.core.launching; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=paths.REPOSITORY, check=True)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("words", ["list models", "check"])
def test_standard_streams_may_be_closed(words: str, closed: str) -> None:
    command = f"'{sys.executable}' '{BUILD}' {words} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("option", ["--output", "--cache"])
def test_what_is_no_folder_is_refused_before_all_work(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that was named by mistake stays as it is."""
    file = tmp_path / "notes.txt"
    file.write_text("precious")
    for text, message in {
        "": "found an empty text",
        "s3://bucket/store": "found the URL 's3://bucket/store'",
        str(file): f"found the file {file}",
        str(file / "deeper"): f"found the file {file}",
    }.items():
        with pytest.raises(SystemExit) as ended:
            main(["list", "stale", option, text])
        assert ended.value.code == 2
        assert f"error: {option}: expected a folder, {message}" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert file.read_text() == "precious"
