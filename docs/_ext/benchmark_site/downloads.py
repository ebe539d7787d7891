"""Files to download, written beside the pages by processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from benchmark_site import export
from benchmark_site.content import Content
from benchmark_site.memory import Inputs, Memory
from common.core import processes


class Writer(Protocol):
    """Writes some of the files."""

    def __call__(self, content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
        """Arguments as of :func:`benchmark_site.export.write_rows`."""


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
        self._late: list[Callable[[], dict[str, Any]]] = []
        self._fault: Exception | None = None

    def begin(self, write: Writer, *, late: bool = False) -> None:
        """Begin to write some of the files, by a process that leaves processors to others.

        Args:
            write: writes them
            late: whether nothing waits for them before :meth:`finish`
        """
        (self._late if late else self._waiting).append(self._begun(write, yielding=True))

    def _begun(self, write: Writer, *, yielding: bool) -> Callable[[], dict[str, Any]]:
        branch = self._memory.branch()

        def work() -> dict[str, Any]:
            write(self._content, self._folder, branch, self._inputs)
            return branch.notes

        return processes.beside(self._workers, work, yielding=yielding)

    def begin_last(self, write: Writer) -> None:
        """Begin to write what is made of other files, when all but late ones are there; not if one is lacking."""
        self._settle(self._waiting)
        if self._fault is None:
            self._waiting.append(self._begun(write, yielding=False))

    def settle(self) -> None:
        """Wait for all files that were begun, and note what was made from what; :meth:`finish` tells faults."""
        self._settle(self._waiting)
        self._settle(self._late)

    def _settle(self, waiting: list[Callable[[], dict[str, Any]]]) -> None:
        while waiting:
            wait = waiting.pop(0)
            try:
                self._memory.join(wait())
            except Exception as error:
                self._fault = self._fault or error

    def finish(self) -> None:
        """Wait for all files, note what was made from what, and remove files that are no longer made.

        Raises:
            BenchmarkError: if a process was killed, or a file cannot be written; the others are
                waited for, too
        """
        self.settle()
        self._memory.write()
        if self._fault is not None:
            raise self._fault
        # not before: while a file is written, it lies beside its place under another name
        export.remove_others(self._content, self._folder)
