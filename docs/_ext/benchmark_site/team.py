"""Independent parts of the site, made at the same time in processes of their own.

Each part notes in a memory of its own what it was made from; the notes are put together in the end,
so nothing depends on which part is finished first. A process is a fork: it sees all results that
were read before, and copies nothing.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any

from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available

from benchmark_site.memory import Memory
from common.core import processes


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
        alone = workers < 2 or not parallel_available
        self._tasks: Any = SerialTasks() if alone else ParallelTasks(workers)
        self._alone = alone
        self._others = set(multiprocessing.active_children())

    def __enter__(self) -> Team:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        """Wait for all parts; where something else went wrong meanwhile, end them.

        A process that nobody listens to would never end, and Python would wait for it.
        """
        if kind is None:
            self.end()
        else:
            self._stop()

    def _stop(self) -> None:
        for child in set(multiprocessing.active_children()) - self._others:
            child.kill()
            child.join()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """End all of them, and say it in one line, if one was killed."""
        with processes.guarding("made pages"):
            try:
                yield
            except EOFError:
                self._stop()
                raise BrokenProcessPool from None

    def begin(self, part: Callable[[Memory], None]) -> None:
        """Make a part, which may end before or after this returns.

        Raises:
            BenchmarkError: if the process of another part was killed
        """
        keep = self._keep if self._alone else lambda _, notes: self._keep(notes)
        make = _noted if self._alone else _noted_apart
        with self._listening():
            self._tasks.add_task(partial(make, part, self._memory), result_func=keep)

    def _keep(self, notes: dict[str, Any]) -> None:
        """Add the notes of a part that is made."""
        self._memory.join(notes)
        self._made += 1
        self._progress(self._made)

    def end(self) -> None:
        """Wait for all parts.

        Raises:
            BenchmarkError: if the process of one of them was killed
            SphinxParallelError: if one of them failed in another process
        """
        with self._listening():
            self._tasks.join()


def _noted_apart(part: Callable[[Memory], None], memory: Memory) -> dict[str, Any]:
    """The same in a process that ends with the one that started it."""
    processes.watch_parent()
    return _noted(part, memory)


def _noted(part: Callable[[Memory], None], memory: Memory) -> dict[str, Any]:
    """What a part was made from."""
    branch = memory.branch()
    part(branch)
    return branch.notes
