"""All benchmarks about speed, and the page that keeps their figures."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from common.cli.bench import command, everything, fairness
from common.cli.bench.everything import BEGIN, COLUMNS, END, NONE, Suite, noted, row
from common.cli.bench.usage import Stopwatch
from common.cli.main import main
from common.core import paths
from common.core.errors import BenchmarkError

EMPTY = f"Speed\n=====\n\n{BEGIN}{END}\nEnd.\n"
FIGURES = {"cold": 9.0, "cold: processor time": 3.14, command.ALL: 5.0, command.PEAK: 400}
#: what stands in a cell of a benchmark
LINES = re.compile(r"(\| \S.* \d+\.\d s\n)*\| \d+ MB")


def rows(page: str) -> list[dict[str, str]]:
    """Rows of the table, read by docutils."""
    from docutils.core import publish_doctree
    from docutils.nodes import row as Row

    text = page.partition(BEGIN)[2].partition(END)[0]
    tree = publish_doctree(text, settings_overrides={"halt_level": 2})
    head, *body = [
        [cell.astext().replace("\n\n", "\n") for cell in found.children]
        for found in tree.findall(Row)
    ]
    return [dict(zip(head, cells, strict=True)) for cells in body]


def test_the_page_has_a_row_per_commit_and_machine_newest_first() -> None:
    page = command.PAGE.read_text("utf-8")
    found = rows(page)
    assert found and all(tuple(line) == COLUMNS for line in found)
    if [line["Date"] for line in found] == [NONE]:
        return
    dates = [date.fromisoformat(line["Date"]) for line in found]
    assert dates == sorted(dates, reverse=True)
    assert len({(line["Commit"], line["Machine"]) for line in found}) == len(found)
    for line in found:
        assert re.fullmatch(r"[0-9a-f]{7,}\*?", line["Commit"])
        assert re.fullmatch(r"\S.*, \d+ cores, Python 3\.\d+\.\d+", line["Machine"])
    table = page.partition(BEGIN)[2].partition(END)[0].split(everything.ROW)[2:]
    for cells in map(everything._cells, table):
        assert all(not cell or LINES.fullmatch(re.sub("\n +", "\n", cell)) for cell in cells[3:])


def test_a_new_row_stands_on_top_and_replaces_that_of_its_commit_and_machine() -> None:
    page = noted(EMPTY, {"Date": NONE})
    assert rows(page) == [{name: NONE if name == "Date" else "" for name in COLUMNS}]
    for day, commit in (("2026-01-01", "abc"), ("2026-01-02", "def"), ("2026-01-03", "abc")):
        page = noted(page, row({"suite": FIGURES}, day, commit, "M 1, 2 cores"))
    first, second = rows(page)
    assert (first["Date"], first["Commit"], first["Machine"]) == (
        "2026-01-03",
        "abc",
        "M 1, 2 cores",
    )
    assert (second["Date"], second["Commit"]) == ("2026-01-02", "def")
    assert first["suite"] == "cold 3.1 s\n400 MB" and first["site"] == ""
    other = noted(page, row({}, "2026-01-04", "abc", "M 2, 2 cores"))
    assert len(rows(other)) == 3
    assert other.startswith("Speed\n=====\n") and other.endswith("\nEnd.\n")


def test_rows_outlive_a_change_of_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    page = noted(EMPTY, row({"suite": FIGURES}, "2026-01-01", "abc", "M"))
    columns = tuple(name for name in COLUMNS if name != "site")
    monkeypatch.setattr(everything, "COLUMNS", (*columns[:3], "another", *columns[3:]))
    old = rows(noted(page, row({"another": FIGURES}, "2026-01-02", "def", "M")))[1]
    assert old["suite"] == "cold 3.1 s\n400 MB" and old["another"] == "" and "site" not in old


def test_a_page_without_a_place_for_the_table() -> None:
    with pytest.raises(BenchmarkError, match=r"speed\.rst: no lines '\.\. begin of the table'"):
        noted("Speed\n", {})


def test_the_reference_leads_to_the_page() -> None:
    index = (paths.DOCS / "reference" / "index.rst").read_text("utf-8")
    assert "* - :doc:`speed`" in index and "\n   speed\n" in index


@pytest.mark.parametrize("write", [True, False])
def test_all_benchmarks_are_run_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, write: bool
) -> None:
    """One of them, on few samples and in this process."""
    page = tmp_path / "speed.rst"
    page.write_text(EMPTY)
    monkeypatch.setattr(command, "PAGE", page)
    monkeypatch.setattr(everything, "SPEED", ("fairness",))
    monkeypatch.setattr(fairness, "SAMPLES", 600)
    monkeypatch.setattr(fairness, "ROWS", 6000)
    monkeypatch.setattr(fairness, "bench_fairness", fairness._measure)
    monkeypatch.setattr(
        everything,
        "measured",
        lambda name, suite, workers: command.run(name, workers=workers, say=lambda line: None),
    )
    assert main(["bench", "all", *(["--write"] if write else [])]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^fairness: balance \d+\.\d s$", told, re.M)
    assert re.search(r"^fairness: \d+ MB$", told, re.M)
    if not write:
        assert page.read_text() == EMPTY
        return
    (line,) = rows(page.read_text())
    assert date.fromisoformat(line["Date"]) and line["Commit"] and "cores" in line["Machine"]
    assert re.fullmatch(r"scores \d+\.\d s\nbalance \d+\.\d s\n\d+ MB", line["fairness"])
    assert line["suite"] == ""


def test_a_benchmark_that_fails_is_named() -> None:
    with pytest.raises(
        BenchmarkError, match=r"^bench nothing: error: unknown value 'nothing' after 'bench'"
    ):
        everything.measured("nothing", Suite(), 1)


def test_options_that_do_not_go_together(capsys) -> None:
    assert main(["bench", "site", "--write"]) == 2
    assert "--write goes with 'bench all' only" in capsys.readouterr().err


def test_processor_time_counts_processes_that_were_waited_for() -> None:
    busy = "import os; sum(range(5_000_000)); print(sum(os.times()[:2]))"
    with Stopwatch() as watch:
        done = subprocess.run([sys.executable, "-c", busy], check=True, stdout=subprocess.PIPE)
    assert watch.processor_s >= float(done.stdout) > 0
