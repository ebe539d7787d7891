"""All benchmarks about speed, and the page that keeps their figures from commit to commit.

Each runs in a process of its own, so none finds what another has imported, and memory is its own.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...core import files
from ...core.errors import BenchmarkError
from ...core.machine import processor
from ...core.paths import REPOSITORY
from ..options import SPEED
from .command import ALL, PEAK, Suite

#: what ends the name of a figure that the page shows
SHOWN = "processor time"
#: between these lines the page holds the table
BEGIN, END = ".. begin of the table\n", ".. end of the table\n"
COLUMNS = ("Date", "Commit", "Machine", *SPEED)
#: how a row, another cell and another line of a cell begin
ROW, COLUMN, LINE = "   * - ", "\n     -", "\n       "
HEAD = """
.. list-table::
   :header-rows: 1

"""
#: stands in the table before anything was measured
NONE = "not yet measured"

Figures = Mapping[str, Mapping[str, Any]]


def bench_all(
    suite: Suite, *, workers: int, say: Callable[[str], None], page: Path | None = None
) -> dict[str, Any]:
    """Run all benchmarks about speed, one after the other.

    Args:
        suite: what ``bench suite`` runs
        workers: parallel workers
        say: takes one line for a person
        page: where the figures are noted; None: nowhere

    Returns:
        benchmark -> its figures

    Raises:
        BenchmarkError: if one fails, or if the page cannot take the figures
    """
    if page is not None:
        noted(page.read_text("utf-8"), row({}, *here()))  # a fault is told before hours of work
    figures = {}
    for name in SPEED:
        figures[name] = measured(name, suite, workers)
        for line in cell(figures[name]):
            say(f"{name}: {line}")
    if page is not None:
        files.write_text(page, noted(page.read_text("utf-8"), row(figures, *here())))
    return figures


def measured(name: str, suite: Suite, workers: int) -> dict[str, Any]:
    """Figures of a benchmark that runs in a process of its own.

    Raises:
        BenchmarkError: if it fails
    """
    command = [sys.executable, str(REPOSITORY / "build.py"), "bench", name, "--json", "--quiet"]
    command += ["--workers", str(workers)]
    if name == "suite":
        options = (
            ("catalog", suite.catalogs),
            ("model", suite.models),
            ("dataset", suite.datasets),
        )
        command += [f"--{option}={value}" for option, values in options for value in values]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise BenchmarkError(f"bench {name}: {lines[-1]}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def cell(figures: Mapping[str, Any]) -> list[str]:
    """Lines of a cell of the table: processor time of each case, and peak memory.

    >>> cell({"cold": 2.0, "cold: processor time": 3.14, "in all: peak memory in MB": 500})
    ['cold 3.1 s', '500 MB']
    """
    shown = [name for name in figures if name.endswith(SHOWN) and name != ALL]
    lines = [
        f"{name.removesuffix(SHOWN).rstrip(': ')} {figures[name]:.1f} s" for name in shown or [ALL]
    ]
    return [*lines, f"{figures[PEAK]} MB"]


def here() -> tuple[str, str, str]:
    """Date, commit and machine.

    Raises:
        BenchmarkError: if this is no clone
    """
    command = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty=*", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchmarkError(f"bench all --write: the commit is not known: {error}") from None
    return datetime.now(UTC).date().isoformat(), done.stdout.strip(), machine()


def machine() -> str:
    """Processor, cores and Python."""
    return f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def row(figures: Figures, date: str, commit: str, where: str) -> dict[str, str]:
    """A row of the table, by column; benchmarks that were not run are left empty."""
    cells = {name: LINE.join(f"| {text}" for text in cell(figures[name])) for name in figures}
    return dict(zip(COLUMNS, (date, commit, where), strict=False)) | cells


def noted(page: str, new: Mapping[str, str]) -> str:
    """The page with a new row on top; one of the same commit and machine is replaced.

    Raises:
        BenchmarkError: if the page has no place for the table
    """
    before, begin, rest = page.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not (begin and end):
        raise BenchmarkError(f"speed.rst: no lines '{BEGIN.strip()}' and '{END.strip()}'")
    names, *rows = [_cells(text) for text in table.split(ROW)[1:]] or [[]]
    records = [dict(zip(names, cells, strict=True)) for cells in rows]
    others = [row for row in records if row["Date"] != NONE and _key(row) != _key(new)]
    texts = [_text(row) for row in ({name: name for name in COLUMNS}, new, *others)]
    return f"{before}{begin}{HEAD}{''.join(texts)}\n{end}{after}"


def _key(row: Mapping[str, str]) -> tuple[str, str]:
    return row["Commit"], row["Machine"]


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split(COLUMN)]


def _text(row: Mapping[str, str]) -> str:
    cells = (row.get(name, "") for name in COLUMNS)
    return f"{ROW}{COLUMN.join(f' {cell}'.rstrip() for cell in cells)[1:]}\n"
