"""Independent parts of the site, made at the same time in processes of their own.

Each part notes in a memory of its own what it was made from; the notes are put together in the end,
so nothing depends on which part is finished first. A process is a fork: it sees all results that
were read before, and copies nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any, cast

from benchmark_site.memory import Memory
from common.core import processes
from common.core.processes import Fork

Part = Callable[[Memory], None]


class Team:
    """Makes parts of the site.

    Args:
        memory: what was made from what; gets the notes of all parts
        workers: so many parts at the same time; 1: one after the other in this process
        progress: gets the number of parts that are made
    """

    def __init__(
        self, memory: Memory, workers: int, progress: Callable[[int], None] = lambda number: None
    ):
        self._memory, self._progress, self._made = memory, progress, 0
        self._workers = workers if processes.can_fork() else 1
        self._waiting: deque[Part] = deque()
        self._working: list[Fork[dict[str, Any]]] = []

    def __enter__(self) -> Team:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        """Wait for all parts; where something went wrong, end them.

        A process that nobody listens to would never end, and Python would wait for it.
        """
        try:
            if kind is None:
                self.end()
        finally:
            for fork in self._working:
                fork.close()

    def begin(self, part: Part) -> None:
        """Make a part, which may end before or after this returns.

        Raises:
            BenchmarkError: if the process of another part was killed
            Exception: what another part raised
        """
        if self._workers < 2:
            self._keep(_noted(part, self._memory))
            return
        self._waiting.append(part)
        self._go_on(timeout_s=0)

    def end(self) -> None:
        """Wait for all parts; raises what :meth:`begin` raises."""
        while self._working:
            self._go_on()

    def _go_on(self, timeout_s: float | None = None) -> None:
        """Note which parts are made, after so many seconds at most, and begin others in their place."""
        for ready in wait(self._working, timeout_s):
            fork = cast(Fork[dict[str, Any]], ready)
            self._working.remove(fork)
            self._keep(fork.result())
        while self._waiting and len(self._working) < self._workers:
            work = partial(_noted, self._waiting.popleft(), self._memory)
            self._working.append(Fork(lambda tell, work=work: work(), "made pages"))

    def _keep(self, notes: dict[str, Any]) -> None:
        """Add the notes of a part that is made."""
        self._memory.join(notes)
        self._made += 1
        self._progress(self._made)


def _noted(part: Part, memory: Memory) -> dict[str, Any]:
    """What a part was made from."""
    branch = memory.branch()
    part(branch)
    return branch.notes
