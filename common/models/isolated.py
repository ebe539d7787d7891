"""A model in a process of its own: it may hang, leak, exit or crash, and the run goes on.

What a model raises is an answer. What ends its process, or takes longer than the entry allows, becomes the
error of the call that did it: calls that ran beside it are made again one by one, so that no other sample pays.
The process is started again for the next call. What a model prints goes nowhere but, if it ends, into the message.

Which adapters do so by themselves is said there (``ISOLATED``); ``isolate`` in an entry decides otherwise.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import pickle
import queue
import struct
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import machine, processes
from ..core.errors import BenchmarkError, ModelError
from .base import Batch, LoadedModel, LoadOptions, one_line
from .programs import Process, write_whole

#: seconds that a model may take to be loaded, and for a call if its entry does not say
LOAD_S, CALL_S = 1800.0, 600.0
#: calls that a process may work on at once
CALLS = 16
#: how much more willingly than others the system ends the process for lack of memory
OOM_SCORE = "500"
_LENGTH = struct.Struct("<Q")
#: attributes of a model that the main process looks at
_FACTS = tuple(LoadedModel.__annotations__)

#: whether this is the process of a model
_is_here = False


class _Lost(Exception):
    """There is no answer.

    Args:
        reason: why, as the end of a sentence about the process
        beside: whether it worked on other calls as well, one of which may be to blame
    """

    def __init__(self, reason: str, *, beside: bool):
        super().__init__(reason)
        self.beside = beside


def is_apart(entry: spec.Model, by_itself: bool) -> bool:
    """Whether a model gets a process of its own.

    Args:
        entry: its catalog entry
        by_itself: whether its adapter asks for one
    """
    if _is_here or entry.builtin:
        return False
    return by_itself if entry.isolate is None else entry.isolate


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
        return _Process().ask(function, entry, limit_s=LOAD_S)
    except _Lost as lost:
        raise _error(entry, f"{lost}, while it was looked at") from None


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
        self._gate = _Gate(1 if serial else CALLS)
        self._starting = threading.Lock()
        self._process: _Process | None = None
        self._facts: dict[str, Any] = {}
        self._started()
        for name in _FACTS:
            setattr(self, name, self._facts[name])

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """As :meth:`common.models.base.LoadedModel.predict`."""
        try:
            with self._gate.beside_others():
                return self._ask(batch)
        except _Lost as lost:
            if not lost.beside:
                raise _error(self._entry, str(lost)) from None
        try:
            with self._gate.alone():
                return self._ask(batch)
        except _Lost as lost:
            raise _error(self._entry, str(lost)) from None

    def _ask(self, batch: Batch) -> dict[str, np.ndarray]:
        answer: dict[str, np.ndarray] = self._started().ask(predict, batch, limit_s=self._limit_s)
        return answer

    def _started(self) -> _Process:
        """The process with the loaded model; a new one if the last one is over."""
        with self._starting:
            if self._process is None or self._process.is_over:
                process = _Process()
                arguments = (self._entry, self._targets, self._options)
                try:
                    self._facts = process.ask(load, *arguments, limit_s=LOAD_S)
                except _Lost as lost:
                    raise _error(self._entry, f"{lost}, while it was loaded") from None
                self._process = process
            return self._process


def _error(entry: spec.Model, what: str) -> ModelError:
    return ModelError(f"model '{entry.id}': its process {what}")


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
    """A process that calls public functions of this package, several at once."""

    def __init__(self) -> None:
        environment = processes.environment_of()
        try:
            self._process = Process(processes.command_of(serve), Path.cwd(), environment)
        except OSError as error:
            raise ModelError(f"no process can be started: {error.strerror or error}") from None
        self._waiting = _Waiting()
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
        number, answer = self._waiting.enter()
        self._questions.put(_framed(pickle.dumps((number, function, args), protocol=5)))
        try:
            return answer.result(limit_s)
        except TimeoutError:
            raise self._lost(f"did not answer within {limit_s:g} s and was ended") from None
        except EOFError:
            raise self._lost(f"ended ({self._process.how_it_ended()})") from None
        finally:
            self._waiting.leave(number)

    def _lost(self, reason: str) -> _Lost:
        beside = self._waiting.is_crowded
        self._waiting.end()
        self._process.end()
        words = self._process.last_words()
        return _Lost(f"{reason}{': ' if words else ''}{words}", beside=beside)


class _Waiting:
    """Calls that wait for their answers."""

    def __init__(self) -> None:
        self.is_over = False
        #: whether two calls were there at the same time since nobody was
        self.is_crowded = False
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._answers: dict[int, Future[Any]] = {}

    def enter(self) -> tuple[int, Future[Any]]:
        """A new call: its number, and where its answer comes."""
        answer: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self.is_crowded = bool(self._answers)
            self._answers[number] = answer
            if self.is_over:
                answer.set_exception(EOFError())
        return number, answer

    def leave(self, number: int) -> None:
        """A call that has its answer, or gets none."""
        with self._lock:
            del self._answers[number]

    def settle(self, number: int, is_error: bool, content: Any) -> None:
        """Give a call its answer; nobody may wait for it any more."""
        with self._lock:
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
            self.is_over = True
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(EOFError())


def _framed(data: bytes) -> bytes:
    return _LENGTH.pack(len(data)) + data


def _part(stream: Any) -> bytes:
    """The next frame of a buffered stream.

    Raises:
        EOFError: if there is none
    """
    head = stream.read(_LENGTH.size)
    size = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
    data: bytes = stream.read(size)
    if not size or len(data) < size:
        raise EOFError
    return data


def _write(stream: Any, questions: queue.SimpleQueue[bytes]) -> None:
    while question := questions.get():
        write_whole(stream, question)


def _read(stream: Any, waiting: _Waiting) -> None:
    """Pass answers on until the process ends or writes what is no answer."""
    with contextlib.suppress(Exception), io.BufferedReader(stream) as answers:
        while True:
            waiting.settle(*pickle.loads(_part(answers)))
    waiting.end()


# what follows runs in the process of the model

_model: LoadedModel


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> dict[str, Any]:
    """Load the model of this process; returns its attributes.

    Raises:
        BenchmarkError: if it cannot be loaded
    """
    from . import load_here

    global _model
    _model = load_here(entry, targets, options)
    return {name: getattr(_model, name) for name in _FACTS}


def predict(batch: Batch) -> dict[str, np.ndarray]:
    """Predictions of the model of this process.

    Raises:
        ModelError: if it fails
    """
    return _model.predict(batch)


def serve() -> None:
    """What the process does: call what it is asked to call, until nobody asks any more."""
    global _is_here
    _is_here = True
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what a model prints is no answer
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        (machine.PROCESSES / "self" / "oom_score_adj").write_text(OOM_SCORE)
    lock = threading.Lock()
    pool = ThreadPoolExecutor(CALLS)
    try:
        while True:
            pool.submit(_answer, _part(questions), answers, lock)
    except EOFError:
        pass
    finally:
        os._exit(0)  # a call that hangs must not keep it


def _answer(question: bytes, answers: Any, lock: threading.Lock) -> None:
    number, function, args = pickle.loads(question)
    try:
        answer = pickle.dumps((number, False, function(*args)), protocol=5)
    except BenchmarkError as error:
        answer = pickle.dumps((number, True, error))
    except BaseException as error:
        answer = pickle.dumps((number, True, ModelError(one_line(error))))
    with lock:
        write_whole(answers, _framed(answer))
