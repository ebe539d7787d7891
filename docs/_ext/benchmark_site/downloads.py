"""Files to download, written beside the pages by processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Protocol

from benchmark_site import export
from benchmark_site.content import Content
from benchmark_site.memory import Inputs, Memory
from common.core import processes


class Writer(Protocol):
    """Writes some of the files."""

    def __call__(self, content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
        """Arguments as of :func:`benchmark_site.export.write`."""


class Downloads:
    """Files to download that no page shows: they are written when a processor is free.

    Args:
        content: what the website shows
        folder: where the files go
        memory: what was made from what; gets the notes of all that was written
        inputs: what files are made from
        workers: with one, files are written where it is told to begin
    """

    def __init__(
        self, content: Content, folder: Path, memory: Memory, inputs: Inputs, workers: int
    ):
        self._content, self._folder = content, folder
        self._memory, self._inputs, self._workers = memory, inputs, workers
        self._waiting: list[Callable[[], dict[str, Any]]] = []

    def begin(self, write: Writer) -> None:
        """Begin to write some of the files."""
        branch = self._memory.branch()

        def work() -> dict[str, Any]:
            write(self._content, self._folder, branch, self._inputs)
            return branch.notes

        self._waiting.append(processes.beside(self._workers, work, yielding=True))

    def settle(self) -> None:
        """Let nothing be written any more after something else went wrong, which is what is told."""
        for wait in self._waiting:
            with suppress(Exception):
                wait()

    def finish(self) -> None:
        """Wait for all files, note what was made from what, and remove files that are no longer made.

        Raises:
            BenchmarkError: if a process was killed, or a file cannot be written; the others are
                waited for, too
        """
        with ExitStack() as failed:
            failed.callback(self.settle)
            failed.callback(self._memory.write)
            while self._waiting:
                self._memory.join(self._waiting.pop(0)())
            failed.pop_all()
        self._memory.write()
        # not before: while a file is written, it lies beside its place under another name
        export.remove_others(self._content, self._folder)
