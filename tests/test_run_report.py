"""What a run says about itself: its report, and its log for a program."""

from __future__ import annotations

import html
import json
import logging
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from common.cli import progress
from common.cli.main import main
from common.core import machine, stages
from common.core.paths import REPOSITORY, Paths
from common.core.stages import StageTimes
from common.engine.run import Engine
from common.figures.drawing import Drawing
from common.results import run_report

TESTS = ("correctness_regression", "correctness_distribution", "robustness_spectral_tilt")
STAGES = ["synthesis", "plan", "compare", "load", "attributes", "predict", "describe", "score"]
STAGES += ["intervals", "write", "figures", "sounds"]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def places(mini: Any) -> list[str]:
    root = mini.root
    options = ["--catalog", str(mini.catalog), "--output", str(root / "out")]
    return [*options, "--cache", str(root / "cache"), "--workers", "1"]


def run(places: list[str], *more: str) -> int:
    chosen = [f"--test={test}" for test in TESTS]
    return main(["run", "--dataset", "tones", "--model", "loud", *chosen, *places, *more])


def lose_a_recording(mini: Any) -> None:
    """Every cell of the model ends in an error."""
    min(mini.root.rglob("*.wav")).unlink()


def test_times_of_a_stage_add_up_and_its_cells_are_told_apart() -> None:
    wall, used = Clock(), Clock()
    times = StageTimes(wall, used)
    for cell, seconds in (("a", 2.0), ("b", 3.0), ("a", 4.0)):
        with times("score", cell=cell, model="mine"):
            assert stages.context() == {"stage": "score", "model": "mine"}
            wall.now, used.now = wall.now + seconds, used.now + 1
    with pytest.raises(ValueError, match="broken"), times("write"):
        wall.now += 1
        raise ValueError("broken")
    assert stages.context() == {}, "also after an error"
    assert [*times.stages] == ["score", "write"]
    score = times.stages["score"]
    assert (score.times, score.wall_s, score.processor_s) == (3, 9.0, 3.0)
    assert score.peak_bytes == pytest.approx(machine.peak_bytes(), rel=0.5)
    assert times.stages["write"].wall_s == 1.0
    assert times.cells == {"a": 6.0, "b": 3.0}


def test_a_run_says_what_it_took_and_what_was_stored(
    mini: Any, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(places) == 0
    folders = Paths(mini.root / "out", mini.root / "cache")
    first = run_report.read(folders)
    assert (first.command, first.ended, first.workers) == ("run", "done", 1)
    assert [one["stage"] for one in first.stages] == STAGES
    assert first.wall_s >= max(one["wall_s"] for one in first.stages) > 0
    assert first.cells["computed"] == len(first.slowest) == 5 and not first.errors
    assert {cell.split("/")[1] for cell, _ in first.slowest} == {"loud"}
    assert first.total("distinct") == first.total("calls") > 0 == first.total("stored")
    assert {one["condition"] for one in first.predictions} >= {"original", "upward-tilt"}
    text = folders.run_report.read_text("utf-8")
    assert run(places) == 0
    assert folders.run_report.read_text("utf-8") == text, "nothing was done"
    capsys.readouterr()
    assert run(places, "--force", "--verbose") == 0
    again = run_report.read(folders)
    assert again.total("distinct") == again.total("stored") == first.total("distinct")
    assert again.total("calls") == 0
    said = capsys.readouterr().out
    assert f"{again.total('stored'):,} were stored, 0 signals given to models" in said
    assert str(folders.run_report) in said
    assert not list(folders.method_tests.rglob("*report*")), "results are the same in each run"


def test_the_report_of_the_last_run_is_listed(
    mini: Any, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "run", *places]) == 2
    assert "no run has left a report in this output folder" in capsys.readouterr().err
    lose_a_recording(mini)
    assert run(places) == 3
    capsys.readouterr()
    assert main(["list", "run", *places]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("build.py run of ") and lines[0].endswith(": done; 1 worker")
    report = run_report.read(Paths(mini.root / "out", mini.root / "cache"))
    first = next(n for n, line in enumerate(lines) if line.startswith("stage ")) + 1
    names = [one["stage"] for one in report.stages]
    assert {"load", "predict", "score"} <= set(names)
    assert [line.split()[0] for line in lines[first : lines.index("", first)]] == names
    errors = lines[lines.index("errors:") + 1 :]
    assert errors and sum(int(line.split()[0]) for line in errors) >= 5
    assert main(["list", "run", "--json", *places]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["cells"]["errors"] >= 5 and content["predictions"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', "stages"])
def test_a_damaged_report_is_refused_in_one_line(
    mini: Any, places: list[str], capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = Paths(mini.root / "out", mini.root / "cache").run_report
    path.parent.mkdir(parents=True, exist_ok=True)
    if text == "stages":
        report = run_report.RunReport("run", "done", "", 1, "", 1.0, 1.0, stages=[{"stage": 1}])
        run_report.write(report, Paths(mini.root / "out", mini.root / "cache"))
    else:
        path.write_text(text, "utf-8")
    assert main(["list", "run", *places]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {path}: is no report of a run") and err.count("\n") == 1


def test_a_run_counts_where_its_report_cannot_be_written(
    mini: Any, places: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(mini.write("in_the_way", "")))
    assert run(places) == 0
    assert "in_the_way/speechproof/runs" in caplog.text and "cannot be written" in caplog.text
    assert not (mini.root / "out" / "build").exists(), "two runs leave the same output"


def test_an_interrupted_run_leaves_a_report(
    mini: Any, places: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "_evaluate", interrupt)
    assert run(places) == 130
    report = run_report.read(Paths(mini.root / "out", mini.root / "cache"))
    assert report.ended == "interrupted" and report.total("calls") > 0
    assert "predict" in {one["stage"] for one in report.stages}


def test_a_log_for_programs_has_one_object_per_line(mini: Any, places: list[str]) -> None:
    lose_a_recording(mini)
    chosen = ["--model=loud", "--dataset=tones", f"--test={TESTS[0]}"]
    done = _program("run", *chosen, *places, "--allow-code", "--verbose")
    assert done.returncode == 3
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert all({"time", "level", "logger", "message"} <= set(record) for record in records)
    about = [record for record in records if record.get("model") == "loud"]
    assert about and {"target", "test", "dataset"} <= set(about[0])
    assert any(record.get("progress", "").startswith("predict") for record in records)
    assert any(record.get("stage") == "predict" for record in records)
    last = [record for record in records if record["level"] == "error"]
    assert last and "error (" in last[-1]["message"]
    assert "{" not in done.stdout


def test_faults_of_the_command_line_are_in_the_log(mini: Any, places: list[str]) -> None:
    done = _program("run", "--model=nobody", *places)
    (record,) = map(json.loads, done.stderr.splitlines())
    assert done.returncode == 2 and record["level"] == "error"
    assert record["message"].startswith("--model: unknown model 'nobody'")


def _program(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "build.py"), *words, "--log-format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_progress_in_a_log(caplog: pytest.LogCaptureFixture) -> None:
    clock, logger = Clock(), logging.getLogger("test of progress")
    said: list[str] = []
    line = progress.ProgressLine(said.append, header="begin", clock=clock, log=logger)
    with caplog.at_level(logging.INFO):
        for done in range(25):
            line("predict", done, 100)
            clock.now += 1
        line("score", 1, 2)
    assert said == ["begin"]
    about = [record.about for record in caplog.records]  # type: ignore[attr-defined]
    assert [(one["progress"], one["done"]) for one in about] == [
        ("predict", 0),
        ("predict", 10),
        ("predict", 20),
        ("score", 1),
    ]
    assert caplog.messages[1] == "predict 10/100, 1 per second, about 2 min left"


def test_figures_that_are_waited_for_are_counted() -> None:
    """Two are there; the third is drawn while it is waited for."""
    told: list[tuple[int, int]] = []
    futures: list[Future[dict[str, str]]] = [Future() for _ in range(3)]
    for future in futures[:2]:
        future.set_result({})
    drawing = Drawing([(future, "", Path()) for future in futures])

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        futures[2].set_result({})

    assert len(drawing.result(tell)) == 3
    assert told == [(2, 3)]


def test_a_report_is_published_where_somebody_wants_it(mini: Any, places: list[str]) -> None:
    folders = Paths(mini.root / "out", mini.root / "cache")
    lose_a_recording(mini)
    assert run(places, "--run-report") == 3
    report = run_report.published(folders)
    assert report is not None and (report.command, report.ended) == ("run", "done")
    assert {"predict", "score"} <= {one["stage"] for one in report.stages} and report.errors
    assert run(places, "--force") == 3
    assert run_report.published(folders) is None, "that was another run"
    assert main(["site", "--run-report", *places]) == 0
    assert run_report.published(folders) == run_report.read(folders)
    page = (folders.html / "results" / "run.html").read_text("utf-8")
    for words in ("The last run", "predict", "Peak memory", *report.errors):
        assert html.escape(words) in page
    assert 'href="run.html"' in (folders.html / "results" / "index.html").read_text("utf-8")
    run_report.withdraw(folders)
    assert main(["site", *places]) == 0
    assert not (folders.html / "results" / "run.html").exists()


def test_what_strangers_published_as_a_report_is_text_or_refused(
    mini: Any, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folders = Paths(mini.root / "out", mini.root / "cache")
    lose_a_recording(mini)
    assert run(places, "--run-report") == 3
    content = json.loads(folders.published_report.read_text("utf-8"))
    bad = "<script>alert(1)</script>"
    content |= {"machine": bad, "errors": {bad: 2}, "slowest": [[f"{bad}/{bad}/{bad}/x", 1]]}
    folders.published_report.write_text(json.dumps(content), "utf-8")
    assert main(["site", *places]) == 0
    page = (folders.html / "results" / "run.html").read_text("utf-8")
    assert bad not in page and page.count(html.escape(bad)) >= 4
    wall_s = content["stages"][0].pop("wall_s")
    for faulty in (bad, -1, float("inf"), float("nan"), 10**400):
        content["stages"][0]["wall_s"] = faulty
        folders.published_report.write_text(json.dumps(content), "utf-8")
        capsys.readouterr()
        assert main(["site", *places]) == 2
        assert "run.json: is no report of a run" in capsys.readouterr().err
    content["stages"][0]["wall_s"] = wall_s
    for name in ("workers", "peak_bytes"):
        folders.published_report.write_text(json.dumps({**content, name: 10**400}), "utf-8")
        assert main(["site", *places]) == 2
        assert "run.json: is no report of a run" in capsys.readouterr().err
