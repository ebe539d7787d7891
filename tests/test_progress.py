"""What a person sees while a command works."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.cli.main import main
from common.cli.progress import CLEAR, EVERY_S, ProgressLine
from common.core import paths


class Clock:
    """A time that goes on when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[ProgressLine, list[str], Clock]]:
    """Function that makes a progress line on an error output that is a terminal, or none."""

    def line(*, terminal: bool, **options: object) -> tuple[ProgressLine, list[str], Clock]:
        shown, clock = io.StringIO(), Clock()
        monkeypatch.setattr(shown, "isatty", lambda: terminal)
        monkeypatch.setattr(sys, "stderr", shown)
        said: list[str] = []
        return ProgressLine(said.append, clock=clock, **options), said, clock  # type: ignore[arg-type]

    return line


def shown() -> str:
    stream = sys.stderr
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_a_terminal_has_one_line_with_the_time_that_is_left(line) -> None:
    progress, said, clock = line(terminal=True, header="22 tests")
    progress("predict", 0, 100)
    clock.now += 30
    progress("predict", 60, 100)
    assert said == ["22 tests"]
    assert (
        shown()
        == f"{CLEAR}{CLEAR}predict 0/100{CLEAR}predict 60/100, 2 per second, about 20 s left"
    )
    clock.now += 5
    progress("score", 1, 2)
    assert shown().endswith(f"{CLEAR}score 1/2"), "a new stage has a time of its own"
    progress.result("done")
    assert shown().endswith(f"score 1/2{CLEAR}") and said == ["22 tests", "done"]


def test_a_terminal_is_not_flooded(line) -> None:
    progress, _, clock = line(terminal=True)
    for done in range(1001):
        progress("describe", done, 1000)
        clock.now += 0.001
    assert shown().count(CLEAR) <= 13 and shown().startswith(f"{CLEAR}describe 0/1000{CLEAR}")
    assert shown().endswith(f"{CLEAR}describe 1000/1000")


def test_elsewhere_a_line_comes_now_and_then(line) -> None:
    progress, said, clock = line(terminal=False, header="22 tests")
    for done in range(31):
        progress("predict", done, 100)
        clock.now += EVERY_S / 10
    assert said == [
        "22 tests",
        "predict 10/100, 1 per second, about 2 min left",
        "predict 20/100, 1 per second, about 1 min left",
        "predict 30/100, 1 per second, about 1 min left",
    ]
    assert shown() == ""


def test_a_line_waits_until_it_can_tell_the_time_that_is_left(line) -> None:
    progress, said, clock = line(terminal=False, lines=True)
    progress("load", 0, 0)
    clock.now += EVERY_S
    for done in range(20):
        progress("predict", done, 100)
        clock.now += 0.1
    assert len(said) == 1 and said[0].endswith("/100, 10 per second, about 9 s left")
    for stage in range(30):  # short stages cannot, and are told all the same
        clock.now += 0.5
        progress(f"attributes {stage}", 1, 2)
    assert len(said) == 2 and said[1].startswith("attributes ")


@pytest.mark.parametrize("options", [{}, {"quiet": True, "header": ""}])
def test_without_a_header_other_outputs_stay_empty(line, options: dict[str, object]) -> None:
    progress, said, clock = line(terminal=False, **options)
    for done in range(3):
        clock.now += 60
        progress("predict", done, 3)
    assert not said and not shown()


def test_names_cannot_move_the_cursor(line) -> None:
    progress, _, _ = line(terminal=True)
    progress("predict \x1b[2Jbad", 1, 2)
    assert shown() == f"{CLEAR}predict \\u001b[2Jbad 1/2"


def test_results_of_tests_are_named_as_they_come(mini, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--catalog", str(mini.catalog), "--output", str(mini.root / "out")]
    where += ["--cache", str(mini.root / "cache"), "--workers", "1"]
    tests = sorted(path.stem for path in paths.SUITE.glob("correctness_*.yaml"))[:3]
    chosen = ["--model", "loud", "--dataset", "tones"]
    chosen += [word for name in tests for word in ("--test", name)]
    assert main(["run", *chosen, *where]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == f"3 tests, 1 model; results: {mini.root / 'out' / 'method-tests'}"
    told = [text.split(", tones: loud ") for text in lines if ", tones: loud " in text]
    assert [test for test, _ in told] == tests[: len(told)] and len(told) >= 2
    for _, share in told:
        passed, executed = share.removesuffix(" passed").split("/")
        assert 0 <= int(passed) <= int(executed) and int(executed) > 0
    assert main(["run", *chosen, *where]) == 0
    assert capsys.readouterr().out.startswith("nothing to do"), "no line about tests"


def test_a_test_that_judges_nothing_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Groups of 12: ``list`` tells it beforehand, ``run`` when nothing was judged."""
    (tmp_path / "small").mkdir()
    lines = [f"{n}.wav,0.{n:02d},{'female' if n % 2 else 'male'}" for n in range(24)]
    text = "\n".join(["file,arousal,sex", *lines])
    (tmp_path / "small" / "metadata.csv").write_text(f"{text}\n", "utf-8")
    where = ["--cache", str(tmp_path / "cache"), "--output", str(tmp_path / "out")]
    catalog = tmp_path / "catalog"
    assert main(["import", str(tmp_path / "small"), "--to", str(catalog), *where]) == 1  # no audio
    where += ["--catalog", str(catalog), "--workers", "1"]
    capsys.readouterr()
    assert main(["list", "tests", "--dataset", "small", *where]) == 0
    listed = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    status = {(target, test): text for target, test, text in listed}
    why = "fewer than 2 groups of sex with at least 100 samples; samples: female 12; male 12"
    assert status["arousal", "fairness_sex"] == f"nothing to judge: {why}"
    assert status["arousal", "correctness_regression"] == "takes part"
    chosen = ["--model", "random-gaussian", "--dataset", "small", "--target", "arousal"]
    chosen += ["--test", "fairness_sex", "--test", "correctness_regression"]
    assert main(["run", *chosen, *where]) == 0
    out = capsys.readouterr().out
    assert f"fairness_sex, small: random-gaussian nothing to judge: {why}\n" in out
    assert "correctness_regression, small: random-gaussian 0/3 passed\n" in out


def test_data_that_cannot_be_read_take_part_in_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "metadata.csv").write_text("file,arousal\na.wav,high\n", "utf-8")
    entry = (
        "- {id: small, version: 1.0.0, adapter: folder, path: small, columns: {arousal: arousal}}\n"
    )
    (tmp_path / "datasets.yaml").write_text(entry, "utf-8")
    where = ["--cache", str(tmp_path / "cache"), "--catalog", str(tmp_path)]
    assert main(["list", "tests", "--dataset", "small", *where]) == 2
    out, err = capsys.readouterr()
    assert "takes part" not in out and "'high' is no number" in err and err.count("\n") == 1
