"""A run where nothing can be written: one line says so, nothing is lost, and the next run makes the same bytes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.core import paths

TESTS = ("correctness_classification", "correctness_regression")


def full_disk() -> None:
    """No file may grow beyond some bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def run(mini, out: str, fault: Callable[[], None] | None = None, **variables: str):
    """The command line on the miniature benchmark, under a limit of the operating system."""
    command = [sys.executable, str(paths.REPOSITORY / "build.py"), "run", "--workers", "2"]
    for option, values in (
        ("--model", ("loud", "chance-value", "chance-class")),
        ("--test", TESTS),
        ("--dataset", ("tones",)),
        ("--catalog", (str(mini.catalog),)),
        ("--output", (str(mini.root / out),)),
        ("--cache", (str(mini.root / f"cache-{out}"),)),
    ):
        command += [word for value in values for word in (option, value)]
    return subprocess.run(
        command,
        env={**os.environ, **variables},
        preexec_fn=fault,
        capture_output=True,
        text=True,
        check=False,
    )


def undisturbed(mini) -> dict[str, bytes]:
    done = run(mini, "good")
    assert done.returncode == 0, done.stderr
    return mini.files("good")


def begun(root: Path) -> list[Path]:
    """Files that were begun and never finished."""
    return sorted(root.rglob(".*.tmp"))


def test_a_full_disk(mini) -> None:
    # Python itself leaves half a compiled module where a disk is full
    done = run(mini, "out", full_disk, PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode != 0, done.stdout
    assert "cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not begun(mini.root)
    again = run(mini, "out")
    assert again.returncode == 0, again.stderr
    assert mini.files() == undisturbed(mini)


@pytest.mark.parametrize("name", ["out", "cache-out"])
def test_a_file_where_a_folder_should_be(mini, name) -> None:
    (mini.root / name).write_text("in the way")
    done = run(mini, "out")
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert str(mini.root / name) in line
    (mini.root / name).unlink()
    assert run(mini, "out").returncode == 0
    assert mini.files() == undisturbed(mini)
