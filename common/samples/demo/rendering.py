"""The processes that make the audio of embedded corpora, from the side that waits for them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Self

from ...core import heap, paths
from ...core.errors import DataError
from .corpus import CorpusRecipe

RENDER = "common.samples.demo.render"

Progress = Callable[[int, int], None]


class Counter:
    """Counts finished files of several processes and tells about it.

    Args:
        total: number of files
        progress: called with the number of files that are done and of all
    """

    def __init__(self, total: int, progress: Progress | None):
        self.total, self.progress, self.done = total, progress, 0
        self.lock = threading.Lock()

    def one(self) -> None:
        """One more file is done."""
        with self.lock:
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)


class Rendering(contextlib.ExitStack):
    """Several processes that render corpora one after the other, each its share of every corpus.

    The processes are started once for all corpora, as importing what they need takes as long
    as thirty files. They end with the ``with`` block.

    Args:
        jobs: recipe and folder of each corpus
        workers: number of processes
        counter: told about each file
    """

    def __init__(self, jobs: Sequence[tuple[CorpusRecipe, Path]], workers: int, counter: Counter):
        super().__init__()
        self._jobs, self._counter = jobs, counter
        self._shares = max(1, workers)
        self._changed = threading.Condition()
        #: of each process: corpora that it is done with, and whether it told its last
        self._done = [0] * self._shares
        self._ended = [False] * self._shares
        self._processes: list[tuple[subprocess.Popen[bytes], IO[bytes]]] = []

    def __enter__(self) -> Self:
        super().__enter__()
        self._processes = [self._start(share) for share in range(self._shares)]
        for share, (process, _) in enumerate(self._processes):
            assert process.stdout is not None
            reader = threading.Thread(target=self._read, args=[share, process.stdout])
            reader.start()
            self.callback(reader.join)
        for process, _ in self._processes:
            self.callback(process.terminate)  # ends what is left after a failure or Ctrl-C
        return self

    def wait(self, number: int) -> None:
        """Wait for all files of a corpus.

        Raises:
            DataError: if one of them fails
        """
        with self._changed:
            self._changed.wait_for(
                lambda: all(
                    done > number or ended
                    for done, ended in zip(self._done, self._ended, strict=True)
                )
            )
            lacking = [share for share, done in enumerate(self._done) if done <= number]
        for share in lacking:
            process, complaint = self._processes[share]
            process.wait()
            name = self._jobs[number][0].id
            raise DataError(f"{name}: cannot be made: {_last_line(complaint)}")

    def _start(self, share: int) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
        """Process that renders a share, and the file with its complaints."""
        complaint = self.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (closed by the stack)
        command = [sys.executable, "-m", paths.imported(RENDER), str(share), str(self._shares)]
        for recipe, folder in self._jobs:
            command += [str(recipe.origin.resolve()), str(folder.resolve())]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=complaint,
            cwd=paths.PACKAGE.parent,
            env=heap.environment(),
        )
        return self.enter_context(process), complaint

    def _read(self, share: int, stream: IO[bytes]) -> None:
        """Count files; an empty line says that a corpus is done."""
        for line in stream:
            if line.strip():
                self._counter.one()
                continue
            with self._changed:
                self._done[share] += 1
                self._changed.notify_all()
        with self._changed:
            self._ended[share] = True
            self._changed.notify_all()


def render_all(recipe: CorpusRecipe, folder: Path, *, workers: int) -> None:
    """Write all audio files of a corpus below ``folder`` with several processes.

    Raises:
        DataError: if one of them fails
    """
    with Rendering([(recipe, folder)], workers, Counter(0, None)) as rendering:
        rendering.wait(0)


def _last_line(complaint: IO[bytes]) -> str:
    complaint.seek(0)
    lines = complaint.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "the process was killed"
