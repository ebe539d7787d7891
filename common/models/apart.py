"""What the process of a model does: it calls what :mod:`common.models.isolated` asks it to call.

Questions and answers are frames: their size, a number that says which answer belongs to which question, and
what was pickled.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import machine
from ..core.errors import BenchmarkError, ModelError
from .base import Batch, LoadedModel, LoadOptions, one_line
from .programs import write_whole

#: calls that a process may work on at once
CALLS = 16
#: how much more willingly than others the system ends the process for lack of memory
OOM_SCORE = "500"
#: attributes of a model that the main process looks at
FACTS = tuple(LoadedModel.__annotations__)
#: size of what is pickled, and number
_HEAD = struct.Struct("<QQ")

#: whether this is the process of a model
is_here = False


def framed(number: int, data: bytes) -> bytes:
    """A question or an answer as it is sent."""
    return _HEAD.pack(len(data), number) + data


def part(stream: Any) -> tuple[int, bytes]:
    """Number and content of the next frame of a buffered stream.

    Raises:
        EOFError: if there is none
    """
    head = stream.read(_HEAD.size)
    size, number = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0)
    data: bytes = stream.read(size)
    if not size or len(data) < size:
        raise EOFError
    return number, data


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
    return {name: getattr(_model, name) for name in FACTS}


def predict(batch: Batch) -> dict[str, np.ndarray]:
    """Predictions of the model of this process.

    Raises:
        ModelError: if it fails
    """
    return _model.predict(batch)


def serve() -> None:
    """What the process does: call what it is asked to call, several at once, until nobody asks any more."""
    _serve(CALLS)


def serve_in_turn() -> None:
    """As :func:`serve`, one call after the other, in the order in which they were asked for."""
    _serve(1)


def _serve(calls: int) -> None:
    global is_here
    is_here = True
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what a model prints is no answer
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        (machine.PROCESSES / "self" / "oom_score_adj").write_text(OOM_SCORE)
    lock = threading.Lock()
    pool = ThreadPoolExecutor(calls)
    try:
        while True:
            number, question = part(questions)
            # read here, while a model computes on what was asked before
            pool.submit(_answer, number, _call(question), answers, lock)
    except EOFError:
        pass
    finally:
        os._exit(0)  # a call that hangs must not keep it


def _call(question: bytes) -> Callable[[], Any]:
    """What a question asks to be called; what cannot be read raises why when it is."""
    try:
        function, args = pickle.loads(question)
    except Exception as error:
        return partial(_fail, error)
    return partial(function, *args)


def _fail(error: BaseException) -> None:
    raise error


def _answer(number: int, call: Callable[[], Any], answers: Any, lock: threading.Lock) -> None:
    try:
        answer = pickle.dumps((False, call()), protocol=5)
    except BenchmarkError as error:
        answer = pickle.dumps((True, error))
    except BaseException as error:
        answer = pickle.dumps((True, ModelError(one_line(error))))
    with lock:
        write_whole(answers, framed(number, answer))
