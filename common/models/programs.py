"""A program that stays running and answers lines: started when it is needed, ended in any case."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core import leftovers, machine
from ..core.errors import ModelError, ModelTimeout, writable

#: bytes of an answer; longer ones are no answer
LONGEST = 64 * 2**20
#: bytes of standard error that a message shows
SHOWN = 400
#: bytes of it that are read at once
PART = 1 << 16
#: seconds for a program to end when its input is closed, and between two looks whether its helpers have ended
FAREWELL_S, LOOK_S = 2.0, 0.02
#: seconds in which a line after the first answer shows that the program writes too many
SETTLE_S = 0.2
#: lines that are kept before anybody asks for them
MOST_AHEAD = 4
#: variable of the environment of programs by which those that they start are known
MARK = "SPEECHPROOF_PROGRAM"
#: programs that were begun, as long as somebody wants them
_begun: weakref.WeakSet[Process] = weakref.WeakSet()


class Program:
    """A program that reads a line and writes a line.

    After a failure it is ended, and started again by the next question. It is ended when the
    object goes, and sees the end of its input if this process is killed. A line that nobody asked for
    would be taken for the next answer, and so on: such a program is not asked again.

    Args:
        command: program and arguments
        folder: where it runs
        start_s: seconds that the first answer may take
        timeout_s: seconds that any other answer may take
    """

    def __init__(self, command: Sequence[str], folder: Path, *, start_s: float, timeout_s: float):
        self._command, self._folder = list(command), folder
        self._start_s, self._timeout_s = start_s, timeout_s
        self._running: _Running | None = None
        #: what is said of a program that wrote a line too many
        self._refused = ""

    def ask(self, line: str) -> str:
        """The line that the program writes for a line.

        Raises:
            ModelError: if it cannot be started, ends, or wrote a line that nobody asked for
            ModelTimeout: if it takes too long
        """
        if self._refused:
            raise ModelError(self._refused)
        first = self._running is None
        running = self._running or self._started()
        limit = self._start_s + self._timeout_s if first else self._timeout_s
        text = running.exchange(line, limit)
        if first and isinstance(text, str):
            text = running.settled(text)
        if isinstance(text, str):
            return text
        message = text.message(running)
        self.end()
        self._refused = message if text.surplus else ""
        raise (ModelError if text.limit_s is None else ModelTimeout)(message)

    def end(self) -> None:
        """End the program, if it runs."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _started(self) -> _Running:
        try:
            self._running = _Running(self._command, self._folder)
        except OSError as error:
            raise ModelError(f"the program cannot be started: {error.strerror or error}") from None
        return self._running


class _Failure:
    """Why there is no answer."""

    def __init__(self, limit_s: float | None = None, length: int = 0, surplus: bytes = b""):
        self.limit_s, self.length, self.surplus = limit_s, length, surplus

    def message(self, running: _Running) -> str:
        """One line with the last words of the program."""
        if self.surplus:
            line = writable(self.surplus[:SHOWN].decode("utf-8", "replace"))
            reason = f"wrote a line that nobody asked for, '{line:.60}'; it must write one line for each question"
        elif self.length:
            reason = f"wrote a line of more than {self.length} bytes; it was ended"
        elif self.limit_s is not None:
            reason = f"did not answer within {self.limit_s:g} s; it was ended"
        else:
            reason = f"ended before it answered ({running.how_it_ended()})"
        words = running.last_words()
        return f"the program {reason}; standard error: {words or 'empty'}"


class Process:
    """A program that runs beside this one; it is ended with all that it started when the object goes.

    What leaves its session is found by its environment, where the system says it (Linux). It has a
    temporary folder of its own, which goes with it.

    Args:
        command: program and arguments
        folder: where it runs
        environment: its environment; None: that of this process
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ):
        environment = os.environ if environment is None else environment
        # begins with that of the program that this process may be
        mark = f"{environment.get(MARK, '')}/{secrets.token_hex(8)}"
        place = _temporary()
        self.popen = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, MARK: mark, **({"TMPDIR": place} if place else {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # nothing waits for a lock that a blocked thread holds
            start_new_session=True,  # so that it is ended with all that it started
        )
        assert self.popen.stdin is not None and self.popen.stdout is not None
        self.questions, self.answers = self.popen.stdin, self.popen.stdout
        self.end = weakref.finalize(self, _end, self.popen, f"{MARK}={mark}", place)
        _begun.add(self)
        self._words = bytearray()
        # a pipe that nobody reads would block it, and a file could grow without end
        arguments = (self.popen.stderr, self._words)
        self._listener = threading.Thread(target=_keep_last, args=arguments, daemon=True)
        self._listener.start()

    def how_it_ended(self) -> str:
        """Exit code or signal; waits a moment for a process whose output has just ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(FAREWELL_S)
        code = self.popen.poll()
        if code is None:
            return "it closed its output"
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """End of standard error, in one line."""
        if self.popen.poll() is not None:
            self._listener.join(FAREWELL_S)
        text = self._words.decode("utf-8", "replace")
        return writable(" ".join(text.split()))


def end_all() -> None:
    """End all programs that run: nobody waits for their answers any more."""
    for process in list(_begun):
        process.end()


class _Running(Process):
    """A running program with a thread that reads its answers."""

    def __init__(self, command: Sequence[str], folder: Path):
        super().__init__(command, folder)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_collect, args=(self.answers, self._lines), daemon=True).start()

    def exchange(self, line: str, limit_s: float) -> str | _Failure:
        """Answer to a line, or why there is none."""
        if not self._lines.empty():
            return self._unasked()
        # a program that does not read would block a long line for ever
        arguments = (self.questions, line.encode() + b"\n")
        writer = threading.Thread(target=write_whole, args=arguments, daemon=True)
        writer.start()
        try:
            answer = self._lines.get(timeout=limit_s)
        except queue.Empty:
            return _Failure(limit_s)
        if len(answer) > LONGEST:
            return _Failure(length=LONGEST)
        writer.join(SETTLE_S)
        if answer and (writer.is_alive() or _unread(self.questions)):
            return _Failure(surplus=answer)  # it has not read the question
        return answer.decode("utf-8", "replace") if answer else _Failure()

    def settled(self, answer: str) -> str | _Failure:
        """The first answer, unless another line follows at once: then the first one was a greeting."""
        try:
            line = self._lines.get(timeout=SETTLE_S)
        except queue.Empty:
            return answer
        self._lines.put(line)
        return _Failure(surplus=answer.encode()) if line else answer

    def _unasked(self) -> _Failure:
        """What is said where there is a line before a question: it is one too many, or the end."""
        line = self._lines.get()
        self._lines.put(line)
        return _Failure(surplus=line)


def _unread(stream: Any) -> bool:
    """Whether a program has left a part of what was written to it; systems that cannot tell say no."""
    try:
        import fcntl
        import termios

        return any(fcntl.ioctl(stream.fileno(), termios.FIONREAD, bytes(4)))
    except (ImportError, AttributeError, OSError, ValueError):
        return False


def _collect(stream: Any, answers: queue.SimpleQueue[bytes]) -> None:
    """Pass on lines, a few ahead of the questions; an empty one stands for the end."""
    with contextlib.suppress(OSError, ValueError), io.BufferedReader(stream) as lines:
        while line := lines.readline(LONGEST + 1):
            answers.put(line)
            if answers.qsize() > MOST_AHEAD:
                break
    answers.put(b"")


def _keep_last(stream: Any, words: bytearray) -> None:
    """Read what a program says, however much it is, and keep the end."""
    with contextlib.suppress(OSError, ValueError), stream:
        while part := stream.read(PART):
            words[:] = (words + part)[-SHOWN:]


def write_whole(stream: Any, data: bytes) -> None:
    """Write to a program; when it ended, its answer says so."""
    rest = memoryview(data)
    with contextlib.suppress(OSError, ValueError):
        while rest:
            rest = rest[stream.write(rest) :]


def _temporary() -> str:
    """A folder for what a program writes for a while; empty where there is none."""
    try:
        return tempfile.mkdtemp(prefix=leftovers.prefix())
    except OSError:
        return ""


def _end(process: subprocess.Popen[bytes], mark: str, place: str) -> None:
    """End a program and all that it started; the threads that read close its output.

    Trackers of Python give shared memory back once all that used it has ended, so they come last.
    """
    process.kill()
    process.wait()
    until = time.monotonic() + FAREWELL_S
    while trackers := _kill(mark, spared=True):
        if time.monotonic() > until:
            break
        time.sleep(LOOK_S)
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if trackers:
        _kill(mark, spared=False)
    if place:
        shutil.rmtree(place, ignore_errors=True)
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _kill(mark: str, *, spared: bool) -> bool:
    """Kill all with an entry in their environment; returns whether trackers, if they are spared, are among them."""
    left = False
    for number in machine.with_environment(mark):
        if spared and machine.is_tracker(number):
            left = True
            continue
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(number, signal.SIGKILL)
    return left
