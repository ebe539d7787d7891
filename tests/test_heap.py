"""Freed memory stays with the process, and nothing else changes."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from common.core import heap, paths

FAULTS = """
import resource, sys
import numpy as np
from common.core import heap
if sys.argv[1] == "keep":
    assert heap.keep()
def work():
    for _ in range(100):
        arrays = [np.ones(60_000) for _ in range(8)]
        del arrays
work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
work()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")


def faults(how: str, environment: dict[str, str] | None = None) -> int:
    """Page faults of 100 rounds of temporary arrays, in a process of its own."""
    command = [sys.executable, "-c", FAULTS, how]
    done = subprocess.run(
        command, cwd=paths.REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@glibc
def test_temporary_arrays_cause_no_page_faults() -> None:
    assert faults("leave") > 10_000
    assert faults("keep") < 100
    assert faults("leave", heap.environment()) < 100


def test_the_user_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")
    assert heap.environment()["MALLOC_TRIM_THRESHOLD_"] == "1000000"
    assert heap.environment()["MALLOC_MMAP_THRESHOLD_"] == str(heap.OWN)


def test_other_systems_have_no_such_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap.sys, "platform", "darwin")
    assert not heap.keep()
