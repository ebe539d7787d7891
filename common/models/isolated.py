"""A model in a process of its own: it may hang, leak, exit or crash, and the run goes on.

What a model raises is an answer. What ends its process, or takes longer than the entry allows, becomes the
error of the call that did it: calls that ran beside it are made again one by one, so that no other sample pays.
The process is started again for the next call. What a model prints goes nowhere but, if it ends, into the message.

Which adapters do so by themselves is said there (``ISOLATED``); ``isolate`` in an entry decides otherwise, and
``processes`` asks for several, each with the model.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import pickle
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import processes
from ..core.errors import ModelError, ModelTimeout
from . import apart
from .base import Batch, LoadOptions
from .programs import Process, write_whole

#: seconds that a model may take to be loaded, and for a call if its entry does not say
LOAD_S, CALL_S = 1800.0, 600.0
#: calls that are sent to a process that makes one after the other: the next is there when one ends
AHEAD = 2


class _Lost(Exception):
    """There is no answer.

    Args:
        reason: why, as the end of a sentence about the process
        late: whether time was up
        beside: whether it worked on other calls as well, one of which may be to blame
    """

    def __init__(self, reason: str, *, late: bool, beside: bool):
        super().__init__(reason)
        self.late, self.beside = late, beside


def is_apart(entry: spec.Model, by_itself: bool) -> bool:
    """Whether a model gets a process of its own.

    Args:
        entry: its catalog entry
        by_itself: whether its adapter asks for one
    """
    if apart.is_here or entry.builtin:
        return False
    return by_itself or entry.processes > 1 if entry.isolate is None else entry.isolate


def once(function: Callable[..., Any], entry: spec.Model) -> Any:
    """What a public function says about a model whose adapter asks for a process of its own.

    It is asked in such a process, unless the entry decides otherwise.

    Raises:
        ModelError: if the model ends the process or takes too long
        BenchmarkError: as the function does
    """
    if not is_apart(entry, by_itself=True):
        return function(entry)
    try:
        return _Process(in_turn=True).ask(function, entry, limit_s=LOAD_S)
    except _Lost as lost:
        raise _error(entry, lost, ", while it was looked at") from None


class Isolated:
    """A model in a process of its own.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        options: how it is loaded
        serial: whether it gets one call after the other in any case

    Raises:
        BenchmarkError: if it cannot be loaded
    """

    targets: tuple[str, ...]
    sampling_rate: int
    needs_audio: bool
    batch_size: int
    equal_length: bool
    group_size: int
    fingerprint: str

    def __init__(
        self,
        entry: spec.Model,
        targets: Mapping[str, spec.Target],
        options: LoadOptions,
        *,
        serial: bool,
    ):
        self._entry, self._targets, self._options = entry, dict(targets), options
        self._limit_s = entry.timeout_s or CALL_S
        self._in_turn = serial
        self._gate = _Gate(AHEAD if serial else apart.CALLS)
        self._starting = threading.Lock()
        self._process: _Process | None = None
        self._facts: dict[str, Any] = {}
        self._started()
        for name in apart.FACTS:
            setattr(self, name, self._facts[name])

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """As :meth:`common.models.base.LoadedModel.predict`."""
        try:
            with self._gate.beside_others():
                return self._ask(batch)
        except _Lost as lost:
            if not lost.beside:
                raise _error(self._entry, lost) from None
        try:
            with self._gate.alone():
                return self._ask(batch)
        except _Lost as lost:
            raise _error(self._entry, lost) from None

    def _ask(self, batch: Batch) -> dict[str, np.ndarray]:
        answer: dict[str, np.ndarray] = self._started().ask(
            apart.predict, batch, limit_s=self._limit_s
        )
        return answer

    def _started(self) -> _Process:
        """The process with the loaded model; a new one if the last one is over."""
        with self._starting:
            if self._process is None or self._process.is_over:
                process = _Process(in_turn=self._in_turn)
                arguments = (self._entry, self._targets, self._options)
                try:
                    self._facts = process.ask(apart.load, *arguments, limit_s=LOAD_S)
                except _Lost as lost:
                    raise _error(self._entry, lost, ", while it was loaded") from None
                self._process = process
            return self._process


def _error(entry: spec.Model, lost: _Lost, when: str = "") -> ModelError:
    kind = ModelTimeout if lost.late else ModelError
    return kind(f"model '{entry.id}': its process {lost}{when}")


class _Gate:
    """Lets calls in: several at once, or one alone.

    Args:
        places: how many at once
    """

    def __init__(self, places: int):
        self._places = places
        self._free = threading.Semaphore(places)
        self._loner = threading.Lock()

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """For a call that may have others beside it."""
        with self._free:
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """For a call that may not; waits until those that are inside have left."""
        with self._loner, contextlib.ExitStack() as places:
            for _ in range(self._places):
                places.enter_context(self._free)
            yield


class _Process:
    """A process that calls public functions of this package.

    Args:
        in_turn: whether it makes one call after the other, or several at once
    """

    def __init__(self, *, in_turn: bool) -> None:
        command = processes.command_of(apart.serve_in_turn if in_turn else apart.serve)
        try:
            self._process = Process(command, Path.cwd(), processes.environment_of())
        except OSError as error:
            raise ModelError(f"no process can be started: {error.strerror or error}") from None
        self._waiting = _Waiting(in_turn=in_turn)
        self._questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # threads that know the streams only, so that the process ends when nobody wants it any more
        self._begin(_write, self._process.questions, self._questions)
        self._begin(_read, self._process.answers, self._waiting)
        weakref.finalize(self, self._questions.put, b"")

    @staticmethod
    def _begin(function: Callable[..., None], *args: Any) -> None:
        threading.Thread(target=function, args=args, daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Whether it answers no more."""
        return self._waiting.is_over

    def ask(self, function: Callable[..., Any], *args: Any, limit_s: float) -> Any:
        """What a function returns or raises there.

        Raises:
            _Lost: if there is no answer in time; the process is over then
        """
        question = pickle.dumps((function, args), protocol=5)
        number, answer = self._waiting.enter(question, self._questions)
        left_s = limit_s
        try:
            while True:
                try:
                    return answer.result(left_s)
                except TimeoutError:
                    left_s = limit_s - self._waiting.since_s(number)
                    if left_s <= 0:
                        raise
        except TimeoutError:
            reason = f"did not answer within {limit_s:g} s and was ended"
            raise self._lost(number, reason, late=True) from None
        except EOFError:
            reason = f"ended ({self._process.how_it_ended()})"
            raise self._lost(number, reason, late=False) from None
        finally:
            self._waiting.leave(number)

    def _lost(self, number: int, reason: str, *, late: bool) -> _Lost:
        self._waiting.end()
        self._process.end()
        words = self._process.last_words()
        beside = self._waiting.may_be_innocent(number)
        return _Lost(f"{reason}{': ' if words else ''}{words}", late=late, beside=beside)


class _Waiting:
    """Calls that wait for their answers.

    Args:
        in_turn: whether the process makes one call after the other, so that the first of those that
            wait is the one that it works on
    """

    def __init__(self, *, in_turn: bool) -> None:
        self.is_over = False
        self._in_turn = in_turn
        #: whether two calls were there at the same time since nobody was
        self._is_crowded = False
        #: the call that a process worked on when it ended, if it makes one after the other
        self._last: int | None = None
        #: when the last answer came, and each question was sent
        self._answered_s, self._sent_s = 0.0, dict[int, float]()
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._answers: dict[int, Future[Any]] = {}

    def enter(self, question: bytes, to: queue.SimpleQueue[bytes]) -> tuple[int, Future[Any]]:
        """Send a question; its number, and where its answer comes."""
        answer: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self._is_crowded = bool(self._answers) or self.is_over
            self._answers[number], self._sent_s[number] = answer, time.monotonic()
            if self.is_over:
                answer.set_exception(EOFError())
            to.put(apart.framed(number, question))
        return number, answer

    def since_s(self, number: int) -> float:
        """Seconds that the process has worked on a call; 0 if others have to be answered first."""
        with self._lock:
            if self._in_turn and number != self._first():
                return 0.0
            began = max(self._sent_s[number], self._answered_s if self._in_turn else 0.0)
            return time.monotonic() - began

    def _first(self) -> int | None:
        """The oldest call without an answer."""
        return next((n for n, answer in self._answers.items() if not answer.done()), None)

    def may_be_innocent(self, number: int) -> bool:
        """Whether another call may be to blame for the end of the process."""
        return number != self._last if self._in_turn else self._is_crowded

    def leave(self, number: int) -> None:
        """A call that has its answer, or gets none."""
        with self._lock:
            del self._answers[number], self._sent_s[number]

    def settle(self, number: int, is_error: bool, content: Any) -> None:
        """Give a call its answer; nobody may wait for it any more."""
        with self._lock:
            self._answered_s = time.monotonic()
            answer = self._answers.get(number)
            if answer is None or answer.done():
                return
            if is_error:
                answer.set_exception(content)
            else:
                answer.set_result(content)

    def end(self) -> None:
        """No more answers come."""
        with self._lock:
            if not self.is_over:
                self._last = self._first()
            self.is_over = True
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(EOFError())


def _write(stream: Any, questions: queue.SimpleQueue[bytes]) -> None:
    while question := questions.get():
        write_whole(stream, question)


def _read(stream: Any, waiting: _Waiting) -> None:
    """Pass answers on until the process ends or writes what is no answer."""
    with contextlib.suppress(Exception), io.BufferedReader(stream) as answers:
        while True:
            number, answer = apart.part(answers)
            waiting.settle(number, *pickle.loads(answer))
    waiting.end()
