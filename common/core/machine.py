"""The machine: what its processor is called, and the memory that a process needed."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PROCESSES = Path("/proc")
PROCESSOR = re.compile(r"^model name\s*:\s*(.+)$", re.M)
PEAK = re.compile(r"^VmHWM:\s*(\d+) kB$", re.M)
SHARE = re.compile(r"^Pss:\s*(\d+) kB$", re.M)


def processor() -> str:
    """Name of the processor, as the system has it."""
    try:
        match = PROCESSOR.search((PROCESSES / "cpuinfo").read_text("utf-8"))
    except OSError:
        match = None
    return match[1].strip() if match else platform.processor() or platform.machine()


def peak_bytes(process: int | None = None, processes: Path = PROCESSES) -> int | None:
    """Largest memory that a process had so far; None where the system does not say it.

    ``ru_maxrss`` of Linux is no such number: a process that another one starts inherits its peak.

    Args:
        process: its number; None: this one
        processes: folder in which Linux describes processes
    """
    try:
        text = (processes / str(process or "self") / "status").read_text("utf-8")
    except OSError:
        return _peak_of_this_one() if process is None and sys.platform == "darwin" else None
    match = PEAK.search(text)
    return int(match[1]) * 1024 if match else None


def _peak_of_this_one() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def address_limit_bytes() -> int | None:
    """Largest address space of a process (``ulimit -v``); None: as large as it likes."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def processor_s() -> float:
    """Seconds of processor time so far, of this process and of those that it waited for."""
    import resource

    parts = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in parts)


def descendants(process: int | str = "self", processes: Path = PROCESSES) -> Iterator[int]:
    """Numbers of the processes that a process started and that still run, theirs too.

    Args:
        process: its number
        processes: folder in which Linux describes processes
    """
    for path in sorted((processes / str(process) / "task").glob("*/children")):
        try:
            numbers = path.read_text("utf-8").split()
        except OSError:  # it has ended
            continue
        for number in map(int, numbers):
            yield number
            yield from descendants(number, processes)


def with_environment(entry: str, processes: Path = PROCESSES) -> Iterator[int]:
    """Numbers of the processes that were started with an environment that has an entry.

    Children have it from their parents, wherever they go.

    Args:
        entry: ``NAME=value``, or how it begins
        processes: folder in which Linux describes processes
    """
    start = os.fsencode(entry)
    for path in processes.glob("[0-9]*/environ"):
        try:
            entries = path.read_bytes().split(b"\0")
        except OSError:  # it has ended, or belongs to somebody else
            continue
        if any(each.startswith(start) for each in entries):
            yield int(path.parent.name)


def is_tracker(number: int, processes: Path = PROCESSES) -> bool:
    """Whether a process is one of Python that gives back what others leave in shared memory."""
    try:
        return (
            b"multiprocessing.resource_tracker"
            in (processes / str(number) / "cmdline").read_bytes()
        )
    except OSError:  # it has ended
        return False


def tree_bytes(process: int, processes: Path = PROCESSES) -> int | None:
    """Memory that a process and those that it started need now; None where the system does not say it.

    Args:
        process: its number
        processes: folder in which Linux describes processes
    """
    total = None
    for number in (process, *descendants(process, processes)):
        try:
            text = (processes / str(number) / "smaps_rollup").read_text("utf-8")
        except OSError:  # it has ended
            continue
        match = SHARE.search(text)
        total = (total or 0) + (int(match[1]) * 1024 if match else 0)
    return total
