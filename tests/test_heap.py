"""Freed memory stays with the process, and nothing else changes."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

from common.core import heap, paths

#: how many blocks the C library asked the system for one by one, and how many bytes are free
#: within the process after a hundred arrays of half a megabyte are gone, by its own book-keeping:
#: of all its areas, as it takes another one where the first cannot grow
KEPT = """
import ctypes, os, re, sys
import numpy as np
from common.core import heap
NAMES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in NAMES.split()]
library = ctypes.CDLL(None)
library.mallinfo2.restype = Info
library.fdopen.restype = ctypes.c_void_p
library.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
library.fclose.argtypes = [ctypes.c_void_p]
def free():
    here, there = os.pipe()
    file = library.fdopen(there, b"w")
    assert library.malloc_info(0, file) == 0 and library.fclose(file) == 0
    total = os.read(here, 1 << 16).decode().rpartition("</heap>")[2]
    sizes = re.findall('<total type="(?:fast|rest)" count="[0-9]+" size="([0-9]+)"/>', total)
    return sum(map(int, sizes))
if sys.argv[1] == "keep":
    assert heap.keep()
before = library.mallinfo2().hblks
arrays = [np.ones(60_000) for _ in range(100)]
alone = library.mallinfo2().hblks - before
del arrays
print(alone, free())
"""

glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="a setting of glibc, which tells since version 2.33 what it holds",
)


def kept(how: str, environment: dict[str, str] | None = None) -> tuple[int, int]:
    """Arrays with memory of their own, and bytes that stay, in a process of its own."""
    command = [sys.executable, "-c", KEPT, how]
    done = subprocess.run(
        command, cwd=paths.REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    alone, free = done.stdout.split()
    return int(alone), int(free)


@glibc
def test_memory_of_temporary_arrays_stays_with_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    # dask sets one in the process that starts workers, and does not take it back
    for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"):
        monkeypatch.delenv(name, raising=False)
    all_bytes = 100 * 60_000 * 8
    alone, free = kept("leave")
    assert alone == 100 and free < all_bytes / 10
    for alone, free in (kept("keep"), kept("leave", heap.environment())):
        assert alone == 0 and free >= all_bytes


def test_the_user_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")
    assert heap.environment()["MALLOC_TRIM_THRESHOLD_"] == "1000000"
    assert heap.environment()["MALLOC_MMAP_THRESHOLD_"] == str(heap.OWN)


def test_other_systems_have_no_such_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap.sys, "platform", "darwin")
    assert not heap.keep()


def test_garbage_is_looked_for_seldom_and_never_at_the_end() -> None:
    """What lives in a circle is not looked at when Python ends."""
    code = """
import gc
from common.core import heap
heap.keep()
assert gc.get_threshold()[0] == heap.GARBAGE
class Circle:
    def __init__(self): self.me = self
    def __del__(self): print("looked at")
Circle()
if {}: gc.collect()
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code.format(collects)],
            cwd=paths.REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for collects in (True, False)
    ]
    assert outputs == ["looked at\n", ""]
