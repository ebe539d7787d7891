"""Independent parts of the site, made at the same time in processes of their own.

Each part notes in a memory of its own what it was made from; the notes are put together in the end,
so nothing depends on which part is finished first. A process is a fork: it sees all results that
were read before, and copies nothing but what it touches. As that adds up, a process makes part after part,
each time the next one that no other process has taken.
"""

from __future__ import annotations

import gc
import os
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any, cast

from benchmark_site.memory import Memory
from common.core import processes
from common.core.processes import Fork

Part = Callable[[Memory], None]
#: number of a part in a pipe
NUMBER = struct.Struct("=I")


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
        self._waiting: deque[_Batch] = deque()
        self._working: list[Fork[None]] = []

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
            for other in (*self._working, *self._waiting):
                other.close()

    def begin(self, *parts: Part) -> None:
        """Make parts, which may end before or after this returns.

        Raises:
            BenchmarkError: if the process of another part was killed
            Exception: what another part raised
        """
        if self._workers < 2:
            for part in parts:
                self._keep(_noted(part, self._memory))
        elif parts:
            number = min(self._workers, len(parts))
            self._waiting += [_Batch(parts, number)] * number
            self._go_on(timeout_s=0)

    def end(self) -> None:
        """Wait for all parts; raises what :meth:`begin` raises."""
        while self._working:
            self._go_on()

    def _go_on(self, timeout_s: float | None = None) -> None:
        """Note which parts are made, after so many seconds at most, and begin others in their place."""
        for ready in wait(self._working, timeout_s):
            fork = cast("Fork[None]", ready)
            step = fork.step()
            if step.is_last:
                self._working.remove(fork)
            else:
                self._keep(*step.content)
        while self._waiting and len(self._working) < self._workers:
            batch = self._waiting.popleft()
            self._working.append(Fork(partial(_made, batch, self._memory), "made pages"))
            batch.begun()

    def _keep(self, notes: dict[str, Any]) -> None:
        """Add the notes of a part that is made."""
        self._memory.join(notes)
        self._made += 1
        self._progress(self._made)


class _Batch:
    """Parts of which each is taken once, by whichever process comes first.

    Their numbers lie in a pipe, which hands each of them to one reader.

    Args:
        parts: the parts
        workers: processes that will take them
    """

    def __init__(self, parts: Sequence[Part], workers: int):
        self._parts, self._missing = parts, workers
        self._reader, writer = os.pipe()
        with os.fdopen(writer, "wb") as numbers:
            numbers.write(b"".join(map(NUMBER.pack, range(len(parts)))))

    def __iter__(self) -> Iterator[Part]:
        """Take what is left."""
        while number := os.read(self._reader, NUMBER.size):
            yield self._parts[NUMBER.unpack(number)[0]]

    def begun(self, workers: int = 1) -> None:
        """Let go of the numbers when as many processes as were expected have them."""
        self._missing -= workers
        if not self._missing:
            os.close(self._reader)

    def close(self) -> None:
        """Let go of the numbers, as no more processes will come."""
        if self._missing:
            self.begun(self._missing)


def _made(batch: _Batch, memory: Memory, tell: Callable[..., None]) -> None:
    """Make parts of a batch, and tell of each what it was made from."""
    gc.disable()  # a process that ends soon leaves nothing behind
    for part in batch:
        tell(_noted(part, memory))


def _noted(part: Part, memory: Memory) -> dict[str, Any]:
    """What a part was made from."""
    branch = memory.branch()
    part(branch)
    return branch.notes
