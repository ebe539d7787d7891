"""Processes that work beside the main one."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NamedTuple, TypeVar

from . import heap, leftovers, paths
from .errors import BenchmarkError

T = TypeVar("T")

#: what a terminal sends to all processes that were started in it; they are ended by the one that started them
_OF_TERMINALS = {getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)}


def pool(
    workers: int, start: Callable[..., None] | None = None, *args: Any, yielding: bool = False
) -> ProcessPoolExecutor:
    """Processes that are started when the first task comes.

    Ctrl-C is for the process that started them; when that one is killed, they end, and what it
    cannot give back any more bears its name.

    Args:
        workers: number of processes
        start: called in each before its first task
        args: for ``start``
        yielding: whether they leave the processor to others who want it
    """
    leftovers.clear()
    leftovers.name_semaphores()
    _start_tracker()
    return _Pool(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(yielding, start, args),
    )


class _Pool(ProcessPoolExecutor):
    """Processes that do not see Ctrl-C, not even while they start."""

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        """As that of Python, which starts all processes with the first task."""
        with shielded(not self._processes):
            return super().submit(*args, **kwargs)


@contextmanager
def shielded(is_wanted: bool) -> Iterator[None]:
    """Keep Ctrl-C from processes and threads that start meanwhile, and from those that they start.

    This process gets it when the block ends.

    Args:
        is_wanted: do so; otherwise nothing
    """
    if not is_wanted or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # it would let the signals through again in the thread that starts it
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def can_fork() -> bool:
    """Whether this system has processes that begin as a copy of this one."""
    return "fork" in multiprocessing.get_all_start_methods()


def forked(function: Callable[..., None], *args: Any) -> BaseProcess:
    """Start a copy of this process that calls a function; it ends with the process that started it.

    Args:
        function: its result is not wanted
        args: for the function; nothing is sent, so they may be anything
    """
    process = multiprocessing.get_context("fork").Process(
        target=_call, args=(function, args), daemon=True
    )
    process.start()
    return process


def beside(workers: int, work: Callable[[], T], *, yielding: bool = False) -> Callable[[], T]:
    """Begin something in a copy of this process; returns what waits for the result.

    With one worker, and where processes cannot be copied, it is done here and now.

    Args:
        workers: so many processes may work at the same time
        work: what it returns or raises is sent, so it must be possible to pickle it
        yielding: whether it leaves the processor to others who want it

    Returns:
        function that waits, returns the result or raises the error; it raises BenchmarkError if
        the process was killed
    """
    if workers < 2 or not can_fork():
        result = work()
        return lambda: result
    return Fork(lambda tell: work(), yielding=yielding).result


class ForkStep(NamedTuple):
    """What a process passes on, or its result in the end."""

    is_last: bool
    content: Any


class Fork(Generic[T]):
    """Work that a copy of this process begins now, and that tells how far it is when its result is waited for.

    Args:
        work: gets a function whose arguments are passed on; what it returns or raises is sent, so
            it must be possible to pickle it
        what: what it does, as in "a process that ... was killed"
        yielding: whether it leaves the processor to others who want it
        daemon: whether it begins no process itself
    """

    def __init__(
        self,
        work: Callable[[Callable[..., None]], T],
        what: str = "worked beside this one",
        *,
        yielding: bool = False,
        daemon: bool = True,
    ):
        context, self._what = multiprocessing.get_context("fork"), what
        self._pipe, theirs = context.Pipe(duplex=False)
        args = (work, self._pipe, theirs, yielding)
        self._process = context.Process(target=_call, args=(_send, args), daemon=daemon)
        self._process.start()
        theirs.close()  # ours then ends when that process does

    def fileno(self) -> int:
        """What :func:`multiprocessing.connection.wait` looks at: it is ready when there is an answer."""
        return self._pipe.fileno()

    def result(self, tell: Callable[..., None] = lambda *content: None) -> T:
        """Wait for the work; returns its result or raises its error. It can be called once.

        Args:
            tell: gets what the work passes on

        Raises:
            BenchmarkError: if the process was killed
        """
        while not (step := self.step()).is_last:
            tell(*step.content)
        result: T = step.content
        return result

    def step(self) -> ForkStep:
        """Wait for what the work passes on next, or for its result; raises what :meth:`result` raises."""
        try:
            is_done, content = self._message()
        except BenchmarkError:
            self._pipe.close()
            raise
        if is_done is None:
            return ForkStep(False, content)
        self._pipe.close()
        self._process.join()
        if not is_done:
            raise content
        return ForkStep(True, content)

    def _message(self) -> Any:
        with guarding(self._what):
            try:
                return self._pipe.recv()
            except (EOFError, OSError):  # the latter if it was killed while it sent something
                raise BrokenProcessPool from None

    def close(self) -> None:
        """End what nobody wants any more."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _send(
    work: Callable[[Callable[..., None]], Any], ours: Connection, theirs: Connection, yielding: bool
) -> None:
    ours.close()  # theirs then breaks when the other process ends
    _yield(yielding)
    try:
        answer = True, work(lambda *content: theirs.send((None, content)))
    except Exception as error:
        error.add_note(traceback.format_exc())  # the other process knows only where it waited
        answer = False, error
    theirs.send(answer)


def _call(function: Callable[..., None], args: tuple[Any, ...]) -> None:
    # Ctrl-C is for the process that started this one, and what that one does at the end is no exception here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    watch_parent()
    function(*args)


@contextmanager
def guarding(what: str) -> Iterator[None]:
    """Turn the death of a process into one line.

    Args:
        what: what the processes do, as in "a process that ... was killed"

    Raises:
        BenchmarkError: if a process of the pool was killed
    """
    try:
        yield
    except BrokenProcessPool:
        raise BenchmarkError(
            f"a process that {what} was killed, perhaps for lack of memory; "
            "what was computed is kept; try '--workers 1', which needs the least memory"
        ) from None


def command_of(function: Callable[[], None]) -> list[str]:
    """Command line of a Python that calls a public function of this package, and nothing else."""
    # a folder that the command is called in must not stand for the package
    code = f"from {function.__module__} import {function.__name__}; {function.__name__}()"
    return [sys.executable, "-P", "-c", code]


def environment_of(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment for :func:`command_of`: that of this process, with more variables."""
    search = [str(paths.PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    path = {"PYTHONPATH": os.pathsep.join(filter(None, search))}
    return {**os.environ, **(variables or {}), **path}


def _start_tracker() -> None:
    """Start the helper that gives back what killed processes leave, without its warnings of it."""
    silent = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(silent)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(silent)


def _begin(yielding: bool, start: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _OF_TERMINALS)
    watch_parent()
    _yield(yielding)
    heap.keep()
    if start is not None:
        start(*args)
    gc.freeze()


def _yield(yielding: bool) -> None:
    if yielding and hasattr(os, "nice"):
        os.nice(5)


def watch_parent() -> None:
    """Let this process end when the one that started it does, however that ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
