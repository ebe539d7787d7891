"""Processor time and peak memory, of this process and of those that it waited for."""

from __future__ import annotations

import resource
import sys
import threading
import time
from types import TracebackType

from ...core import machine

#: what ``ru_maxrss`` counts, in bytes
UNIT = 1 if sys.platform == "darwin" else 1024


def peak_mb(*, children: bool = False) -> int:
    """Largest memory so far in MB, of this process or of the largest of its children, too."""
    whose = (resource.RUSAGE_SELF, *([resource.RUSAGE_CHILDREN] if children else []))
    return round(max(resource.getrusage(who).ru_maxrss for who in whose) * UNIT / 1e6)


class Stopwatch:
    """Processor time and wall clock of a block.

    Args:
        wall_s: seconds of the wall clock, after the block
        processor_s: seconds of processor time, after the block
    """

    def __init__(self) -> None:
        self.wall_s = self.processor_s = 0.0

    def __enter__(self) -> Stopwatch:
        self._start = time.perf_counter(), machine.processor_s()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.wall_s = time.perf_counter() - self._start[0]
        self.processor_s = machine.processor_s() - self._start[1]


#: seconds between two looks at the memory of processes
EVERY_S = 0.2


class MemoryWatch:
    """Peak memory of a process and of all that it starts, together, during a block.

    It looks now and then, so a peak of less than :data:`EVERY_S` may be missed.

    Args:
        process: number of the process

    Attributes:
        peak_bytes: largest sum, pages that several processes share counted once; None where the system
            does not say it
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.peak_bytes: int | None = None

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            together = machine.tree_bytes(self._process)
            if together is not None:
                self.peak_bytes = max(self.peak_bytes or 0, together)
            if self._ended.wait(EVERY_S):
                return
