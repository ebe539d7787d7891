"""Processes that are killed from outside end a run in one line."""

from __future__ import annotations

import array
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.core import paths, processes
from common.core.errors import BenchmarkError, OutputError
from common.figures.drawing import Drawing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_figures_of_a_killed_process(tmp_path: Path) -> None:
    with processes.pool(1) as pool:
        drawing = Drawing([(pool.submit(die), "now", tmp_path)])  # type: ignore[list-item]
        with pytest.raises(
            BenchmarkError, match=r"a process that draws figures was killed"
        ) as caught:
            drawing.result()
        assert caught.value.__cause__ is None and caught.value.__suppress_context__
        again = pytest.raises(BenchmarkError, match=r"a process that begins anew was killed")
        with again, processes.guarding("begins anew"):
            pool.submit(die)


SCRIPT = """
import multiprocessing, os, signal, sys
from common.core import processes

def begin():
    begin.lock = multiprocessing.get_context("spawn").Lock()  # one that it cannot give back

def die():
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    pool = processes.pool(1, begin)
    try:
        with processes.guarding("dies"):
            pool.submit(die).result()
    except Exception as error:
        print(error)
    pool.shutdown(cancel_futures=True)  # as the program does: Python ends a broken pool twice else, in two threads
"""


def test_what_a_killed_process_leaves_is_given_back_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY)}
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("a process that dies was killed, perhaps for lack of memory")
    assert (done.returncode, done.stderr) == (0, "")


#: starts a copy of itself that waits for ever, says its number, and is killed
PARENT = """
import os, signal
from common.core import processes

if __name__ == "__main__":
    print(processes.forked(signal.pause).pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not processes.can_fork(), reason="this system has no copies of processes")
def test_a_copy_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PARENT, "utf-8")
    command = [sys.executable, str(tmp_path / "script.py")]
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY)}
    # the copy holds the other end of the pipe: all is read when it has ended, too
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL and int(done.stdout) > 0


forking = pytest.mark.skipif(
    not processes.can_fork(), reason="this system has no copies of processes"
)


@forking
def test_early_work_begins_at_once_and_tells_how_far_it_is_when_it_is_wanted() -> None:
    here, there = os.pipe()

    def work(tell: Callable[..., None]) -> str:
        os.write(there, b"begun")
        tell("reading", 1)
        tell("reading", 2)
        return "done"

    early = processes.Fork(work)
    assert os.read(here, 5) == b"begun"
    heard: list[tuple[str, int]] = []
    assert early.result(lambda *content: heard.append(content)) == "done"
    assert heard == [("reading", 1), ("reading", 2)]
    early.close()


@forking
def test_an_error_of_early_work_is_raised_when_it_is_wanted() -> None:
    def work(tell: Callable[..., None]) -> None:
        raise OutputError("website: 1 warnings of Sphinx", "index.rst:3: WARNING: no")

    early = processes.Fork(work)
    early._process.join()
    with pytest.raises(OutputError, match=r"1 warnings of Sphinx\nindex.rst:3: WARNING: no"):
        early.result(print)
    early.close()
    early = processes.Fork(lambda tell: die())
    with pytest.raises(BenchmarkError, match="a process that worked beside this one was killed"):
        early.result(print)
    early.close()


@forking
def test_early_work_that_nobody_wants_is_ended() -> None:
    here, there = os.pipe()

    def work(tell: Callable[..., None]) -> None:
        while True:
            tell("x" * 100_000)  # more than a pipe holds
            os.write(there, b"told")

    processes.Fork(work).close()
    os.close(there)
    assert os.read(here, 4) == b""  # which comes when no process has the other end


#: bytes in front of a long message, which say how long it is
HEADER = 12


@forking
def test_a_copy_that_is_killed_while_it_sends_its_answer_is_said_in_one_line() -> None:
    """The first bytes of the answer are there already, and the others never come."""
    import fcntl
    import termios

    fork = processes.Fork(lambda tell: "x" * (1 << 24))  # more than a pipe holds
    there = array.array("i", [0])
    while there[0] <= HEADER:
        assert fork._process.is_alive()
        fcntl.ioctl(fork.fileno(), termios.FIONREAD, there)
    os.kill(fork._process.pid or 0, signal.SIGKILL)
    with pytest.raises(BenchmarkError, match="a process that worked beside this one was killed"):
        fork.result()
    fork.close()
