"""Changing the signals of a chunk in other processes, which ask our own models about them, too.

A perturbation is a row of short array operations, and threads of one process do most of these
one after the other. Processes do them at the same time. The signals of a chunk and what becomes
of them lie in memory that the processes share, so that no signal goes through a pipe. Where a
signal is changed makes no difference to any bit of it.

The models of our own catalog are rows of array operations as well, and small: each process loads
them for itself, and so it does with methods that measure something of a signal. Models of users are
large and may keep state; the process of the run asks them.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np

from .. import models
from ..core import leftovers, processes
from ..core.errors import BenchmarkError
from ..core.leftovers import SHARED
from ..models.base import LoadedModel
from ..models.lazy import Lazy
from ..perturbations.library import Library
from ..spec import Benchmark
from ..spec.view import ORIGINAL
from .calls import all_predictions
from .lanes import Answer, Here, Lane, Order, OrderResult, why

logger = logging.getLogger(__name__)

#: what the processes do, for the message if one is killed
WORK = "changes signals"
#: signals to change or to be heard from which on processes pay for their start
PROCESSES_FROM = 2000
#: conditions that are worked on while the model hears another one
AHEAD = 2
#: room for what a changed signal is longer than its original, in seconds
LONGER_S = 0.1
#: largest shared memory of a lane, in bytes
LARGEST = 2**30
#: each signal begins at a multiple of so many bytes
ALIGNED = 64

#: name -> loads a model
Methods = Mapping[str, Callable[[], LoadedModel]]

#: of each sample where its signal lies, the signal itself, or why there is none; and the answers of models
_Done = tuple[Sequence["_Place | np.ndarray | str"], Mapping[str, Answer]]


@dataclass(frozen=True)
class _Place:
    """Where a signal lies: first byte, channels and samples."""

    start: int
    shape: tuple[int, int]

    @classmethod
    def of(cls, start: int, signal: np.ndarray) -> _Place:
        channels, samples = signal.shape
        return cls(start, (channels, samples))

    @property
    def end(self) -> int:
        """First byte behind it at which another one may begin."""
        return _aligned(self.start + 4 * self.shape[0] * self.shape[1])

    def view(self, memory: SharedMemory) -> np.ndarray:
        """The signal itself."""
        return np.ndarray(self.shape, np.float32, memory.buf, self.start)


def _aligned(count: int) -> int:
    return -(-count // ALIGNED) * ALIGNED


@dataclass(frozen=True)
class _Task:
    """An order for another process.

    Args:
        lane: number of the lane
        memory: name of its shared memory
        order: what is wanted
        sampling_rate: in Hz
        recordings: where those are that the condition draws from, pickled
        places: where the signal of each sample lies
        room: first byte of where the outcome goes, and the byte behind it
    """

    lane: int
    memory: str
    order: Order
    sampling_rate: int
    recordings: bytes
    places: Sequence[_Place]
    room: tuple[int, int]


class Beside:
    """A lane whose signals are changed by other processes.

    Args:
        number: of the lane
        library: the perturbations; used for signals for which there is no shared memory
        pool: the processes
        models: that they can ask
    """

    ahead = AHEAD

    def __init__(
        self, number: int, library: Library, pool: ProcessPoolExecutor, models: frozenset[str]
    ):
        self.models = models
        self._number = number
        self._pool = pool
        self._library = library
        self._here = Here(library)
        self._recordings: dict[str, bytes] = {}
        self._memory: SharedMemory | None = None
        self._places: dict[int, _Place] = {}
        self._rooms: list[tuple[int, int]] = []
        self._rate = 0
        self._count = 0

    def take(self, signals: Mapping[int, np.ndarray], sampling_rate: int) -> None:
        """Copy the signals of the next chunk to where the processes see them."""
        self._here.take(signals, sampling_rate)
        self._rate, self._places = sampling_rate, {}
        places, end = {}, 0
        for number, signal in signals.items():
            places[number] = _Place.of(end, signal)
            end = places[number].end
        room = end + len(signals) * _aligned(4 * round(LONGER_S * sampling_rate))
        memory = self._of_size(end + (AHEAD + 1) * room)
        if memory is None:
            return
        for number, signal in signals.items():
            places[number].view(memory)[:] = signal
        self._places = places
        self._rooms = [(end + n * room, end + (n + 1) * room) for n in range(AHEAD + 1)]

    def _of_size(self, size: int) -> SharedMemory | None:
        """Shared memory of at least a size; none if there is no room for it."""
        if self._memory is not None and self._memory.size >= size:
            return self._memory
        self.close()
        if size == 0 or size > LARGEST or not _has_room(size):
            logger.debug("no shared memory of %d bytes: signals are changed by one process", size)
            return None
        self._memory = SharedMemory(leftovers.new_name(), create=True, size=size)
        return self._memory

    def begin(self, order: Order) -> Callable[[], OrderResult]:
        """Give an order to a process."""
        memory = self._memory
        if memory is None or not self._places or order.is_free:
            return self._here.begin(order)
        room = self._rooms[self._count % len(self._rooms)]
        self._count += 1
        places = [self._places[number] for number in order.keys]
        recordings = self._located(order.condition)
        future = self._submit(
            _Task(self._number, memory.name, order, self._rate, recordings, places, room)
        )
        return lambda: _outcome(memory, list(order.keys), future)

    def _located(self, condition: str) -> bytes:
        """Where the recordings of a condition are: what was loaded after the processes began is told so."""
        if condition not in self._recordings:
            located = {} if condition == ORIGINAL else self._library.located(condition)
            self._recordings[condition] = pickle.dumps(located)
        return self._recordings[condition]

    def _submit(self, task: _Task) -> Future[_Done]:
        with processes.guarding(WORK):
            return self._pool.submit(_work, task)

    def close(self) -> None:
        """Give the shared memory back.

        If the process that tracks it was killed, each process that uses it has one of its own, which gives it
        back when that process ends.
        """
        if self._memory is not None:
            try:
                self._memory.unlink()
            except FileNotFoundError:
                resource_tracker.unregister(f"/{self._memory.name}", "shared_memory")
            try:
                self._memory.close()
            except BufferError:  # a model kept a signal: the memory goes with it
                logger.debug("a signal in shared memory is still in use")
            self._memory = None


def _outcome(memory: SharedMemory, numbers: Sequence[int], future: Future[_Done]) -> OrderResult:
    with processes.guarding(WORK):
        items, answers = future.result()
    changed: dict[int, np.ndarray] = {}
    broken: dict[int, str] = {}
    for number, item in zip(numbers, items, strict=True):
        if isinstance(item, str):
            broken[number] = item
        else:
            changed[number] = item.view(memory) if isinstance(item, _Place) else item
    return OrderResult(changed, broken, answers)


def _has_room(size: int) -> bool:
    """Whether shared memory can grow; writing to what there is no room for kills a process."""
    try:
        filesystem = os.statvfs(SHARED)
    except (AttributeError, OSError):  # another system, which has no such limit
        return True
    return filesystem.f_bavail * filesystem.f_frsize >= 2 * size


def small(benchmark: Benchmark) -> frozenset[str]:
    """Models that each process may load for itself: those of our own catalog that hear."""
    entries = benchmark.models.values()
    return frozenset(e.id for e in entries if e.builtin and models.listens(e))


class Perturbing:
    """Gives out lanes; starts processes when there is much to change or to hear.

    Args:
        library: the perturbations
        workers: number of processes; 1: everything is changed in this one
        methods: name -> loads what measures something of signals, for each process
    """

    def __init__(self, library: Library, workers: int = 1, methods: Methods | None = None):
        self._methods = methods or {}
        #: models that each process may load for itself
        self.small = small(library.benchmark) | self._methods.keys()
        self._library = library
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._beside: list[Beside] = []

    def lanes(self, threads: int, signals: int) -> list[Lane]:
        """A lane for each thread.

        Args:
            threads: number of threads
            signals: how many are to be changed, or to be heard by :attr:`small` models, by all threads
        """
        if self._pool is None and (self._workers == 1 or signals < PROCESSES_FROM):
            return [Here(self._library) for _ in range(threads)]
        if self._pool is None:
            library = self._library
            parts = (library.benchmark, library.cache, library.seed, self._methods)
            self._pool = processes.pool(self._workers, _start, *parts)
            with processes.guarding(WORK):
                for _ in range(self._workers):
                    self._pool.submit(_ready)
        for number in range(len(self._beside), threads):
            self._beside.append(Beside(number, self._library, self._pool, self.small))
        return list(self._beside[:threads])

    def close(self) -> None:
        """Stop the processes and give their memory back."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        for lane in self._beside:
            lane.close()
        self._pool, self._beside = None, []


# what follows runs in the other processes

_library: Library
#: id -> a model, loaded when it is first asked
_models: Mapping[str, Lazy] = {}
#: conditions of which it is known where their recordings are
_located: set[str] = set()
#: number of a lane -> its shared memory
_attached: dict[int, SharedMemory] = {}


def _ready() -> None:
    """Nothing: a process that is asked for it starts."""


def _start(benchmark: Benchmark, cache: Path, seed: int, methods: Methods) -> None:
    global _library, _models
    _library = Library(benchmark, cache, seed=seed)
    load = partial(models.load, targets=benchmark.targets, seed=seed, cache=cache)
    loads: Methods = {name: partial(load, benchmark.models[name]) for name in small(benchmark)}
    _models = {name: Lazy(load) for name, load in {**loads, **methods}.items()}


def _work(task: _Task) -> _Done:
    """Change signals and ask models about them; signals that do not fit into the room are sent as they are."""
    memory = _memory(task)
    items: Sequence[_Place | np.ndarray | str] = task.places
    if task.order.condition != ORIGINAL:
        items = _changed(task, memory)
    signals = {
        number: item.view(memory) if isinstance(item, _Place) else item
        for number, item in zip(task.order.keys, items, strict=True)
        if not isinstance(item, str)
    }
    return items, _answers(task, signals)


def _changed(task: _Task, memory: SharedMemory) -> list[_Place | np.ndarray | str]:
    """What becomes of each signal, written to the room while there is some."""
    start, end = task.room
    condition = task.order.condition
    if condition not in _located:
        _library.corpora.take(pickle.loads(task.recordings))
        _located.add(condition)
    items: list[_Place | np.ndarray | str] = []
    for key, place in zip(task.order.keys.values(), task.places, strict=True):
        try:
            changed = _library.perturb(condition, place.view(memory), task.sampling_rate, key)
        except BenchmarkError as error:
            items.append(why(condition, key, error))
            continue
        slot = _Place.of(start, changed)
        if slot.end > end:
            items.append(changed)
            continue
        slot.view(memory)[:] = changed
        items.append(slot)
        start = slot.end
    return items


def _answers(task: _Task, signals: Mapping[int, np.ndarray]) -> dict[str, Answer]:
    """Answers of the models that answer; the others are asked again by those who say what is wrong."""
    answers = {}
    for name, wished in task.order.questions.items():
        numbers = [number for number in wished if number in signals]
        try:
            model = _models[name]()
            if numbers:
                answers[name] = all_predictions(
                    model, numbers, signals, task.order.keys.__getitem__, task.sampling_rate
                )
        except BenchmarkError as error:
            logger.debug("%s: %s", name, error)
    return answers


def _memory(task: _Task) -> SharedMemory:
    """Shared memory of a lane; what it had before is let go."""
    memory = _attached.get(task.lane)
    if memory is None or memory.name != task.memory:
        if memory is not None:
            _attached.pop(task.lane).close()
        memory = _attached[task.lane] = SharedMemory(task.memory)
    return memory
