"""Changing the signals of a chunk: in this process, or in others beside it.

A perturbation is a row of short array operations, and threads of one process do most of these
one after the other. Processes do them at the same time. The signals of a chunk and what becomes
of them lie in memory that the processes share, so that no signal goes through a pipe. Where a
signal is changed makes no difference to any bit of it.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Protocol

import numpy as np

from ..core import leftovers, processes
from ..core.errors import BenchmarkError
from ..core.leftovers import SHARED
from ..models.base import SampleKey
from ..perturbations.library import Library
from ..spec import Benchmark

logger = logging.getLogger(__name__)

#: what the processes do, for the message if one is killed
WORK = "changes signals"
#: changed signals from which on processes pay for their start
PROCESSES_FROM = 2000
#: conditions that are worked on while the model hears another one
AHEAD = 2
#: room for what a changed signal is longer than its original, in seconds
LONGER_S = 0.1
#: largest shared memory of a lane, in bytes
LARGEST = 2**30
#: each signal begins at a multiple of so many bytes
ALIGNED = 64

#: number of a sample -> its changed signal; and -> why there is none
Changed = tuple[dict[int, np.ndarray], dict[int, str]]


class Lane(Protocol):
    """Changes the signals of one chunk after the other, for one thread."""

    #: conditions that may be begun before the first of them is asked for
    ahead: int

    def take(self, signals: Mapping[int, np.ndarray], sampling_rate: int) -> None:
        """The signals of the next chunk; those of the last one are no longer valid."""
        ...

    def begin(self, condition: str, keys: Mapping[int, SampleKey]) -> Callable[[], Changed]:
        """Begin to change the samples of ``keys``; what is returned waits for the outcome.

        The outcome is valid until ``ahead + 1`` more have been begun.
        """
        ...


def changes(
    lane: Lane, requests: Iterable[tuple[str, Mapping[int, SampleKey]]]
) -> Generator[tuple[str, Changed], None, None]:
    """Outcome of each condition, in order; some are worked on ahead.

    Each outcome is valid until the next one is asked for.
    """
    begun: deque[tuple[str, Callable[[], Changed]]] = deque()
    try:
        for condition, keys in requests:
            begun.append((condition, lane.begin(condition, keys)))
            if len(begun) > lane.ahead:
                name, outcome = begun.popleft()
                yield name, outcome()
        while begun:
            name, outcome = begun.popleft()
            yield name, outcome()
    finally:  # the lane is free only when nobody writes to its memory any more
        for _, outcome in begun:
            with suppress(Exception):
                outcome()


def _why(condition: str, key: SampleKey, error: BenchmarkError) -> str:
    return f"{condition}: {key}: {error}"


class Here:
    """A lane in this process.

    Args:
        library: the perturbations
    """

    ahead = 0

    def __init__(self, library: Library):
        self._library = library
        self._signals: Mapping[int, np.ndarray] = {}
        self._rate = 0

    def take(self, signals: Mapping[int, np.ndarray], sampling_rate: int) -> None:
        """The signals of the next chunk."""
        self._signals, self._rate = signals, sampling_rate

    def begin(self, condition: str, keys: Mapping[int, SampleKey]) -> Callable[[], Changed]:
        """The samples are changed when the outcome is asked for."""
        return lambda: self._change(condition, keys)

    def _change(self, condition: str, keys: Mapping[int, SampleKey]) -> Changed:
        changed: dict[int, np.ndarray] = {}
        broken: dict[int, str] = {}
        for number, key in keys.items():
            try:
                changed[number] = self._library.perturb(
                    condition, self._signals[number], self._rate, key
                )
            except BenchmarkError as error:
                broken[number] = _why(condition, key, error)
        return changed, broken


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
    """Signals that another process is to change in one condition.

    Args:
        lane: number of the lane
        memory: name of its shared memory
        condition: id of the perturbation
        sampling_rate: in Hz
        keys: identity of each sample
        places: where each signal lies
        room: first byte of where the outcome goes, and the byte behind it
    """

    lane: int
    memory: str
    condition: str
    sampling_rate: int
    keys: Sequence[SampleKey]
    places: Sequence[_Place]
    room: tuple[int, int]


class Beside:
    """A lane whose signals are changed by other processes.

    Args:
        number: of the lane
        library: the perturbations, for signals for which there is no shared memory
        pool: the processes
    """

    ahead = AHEAD

    def __init__(self, number: int, library: Library, pool: ProcessPoolExecutor):
        self._number = number
        self._pool = pool
        self._here = Here(library)
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

    def begin(self, condition: str, keys: Mapping[int, SampleKey]) -> Callable[[], Changed]:
        """Give the samples to a process."""
        memory = self._memory
        if memory is None or not self._places:
            return self._here.begin(condition, keys)
        room = self._rooms[self._count % len(self._rooms)]
        self._count += 1
        places = [self._places[number] for number in keys]
        named = (self._number, memory.name, condition, self._rate)
        task = _Task(*named, list(keys.values()), places, room)
        future = self._submit(task)
        return lambda: _outcome(memory, list(keys), future)

    def _submit(self, task: _Task) -> Future[list[_Place | np.ndarray | str]]:
        with processes.guarding(WORK):
            return self._pool.submit(_work, task)

    def close(self) -> None:
        """Give the shared memory back."""
        if self._memory is not None:
            self._memory.unlink()
            try:
                self._memory.close()
            except BufferError:  # a model kept a signal: the memory goes with it
                logger.debug("a signal in shared memory is still in use")
            self._memory = None


def _outcome(
    memory: SharedMemory, numbers: Sequence[int], future: Future[list[_Place | np.ndarray | str]]
) -> Changed:
    with processes.guarding(WORK):
        items = future.result()
    changed: dict[int, np.ndarray] = {}
    broken: dict[int, str] = {}
    for number, item in zip(numbers, items, strict=True):
        if isinstance(item, str):
            broken[number] = item
        else:
            changed[number] = item.view(memory) if isinstance(item, _Place) else item
    return changed, broken


def _has_room(size: int) -> bool:
    """Whether shared memory can grow; writing to what there is no room for kills a process."""
    try:
        filesystem = os.statvfs(SHARED)
    except (AttributeError, OSError):  # another system, which has no such limit
        return True
    return filesystem.f_bavail * filesystem.f_frsize >= 2 * size


class Perturbing:
    """Gives out lanes; starts processes when there is much to change.

    Args:
        library: the perturbations
        workers: number of processes; 1: everything is changed in this one
    """

    def __init__(self, library: Library, workers: int = 1):
        self._library = library
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._beside: list[Beside] = []

    def lanes(self, threads: int, signals: int) -> list[Lane]:
        """A lane for each thread.

        Args:
            threads: number of threads
            signals: how many are to be changed, by all threads
        """
        if self._pool is None and (self._workers == 1 or signals < PROCESSES_FROM):
            return [Here(self._library) for _ in range(threads)]
        if self._pool is None:
            library = self._library
            parts = (library.benchmark, library.cache, library.seed)
            self._pool = processes.pool(self._workers, _start, *parts)
        for number in range(len(self._beside), threads):
            self._beside.append(Beside(number, self._library, self._pool))
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
#: number of a lane -> its shared memory
_attached: dict[int, SharedMemory] = {}


def _start(benchmark: Benchmark, cache: Path, seed: int) -> None:
    global _library
    _library = Library(benchmark, cache, seed=seed)


def _work(task: _Task) -> list[_Place | np.ndarray | str]:
    """Change signals; those that do not fit into the room are sent as they are."""
    memory = _memory(task)
    start, end = task.room
    outcomes: list[_Place | np.ndarray | str] = []
    for key, place in zip(task.keys, task.places, strict=True):
        try:
            changed = _library.perturb(task.condition, place.view(memory), task.sampling_rate, key)
        except BenchmarkError as error:
            outcomes.append(_why(task.condition, key, error))
            continue
        slot = _Place.of(start, changed)
        if slot.end > end:
            outcomes.append(changed)
            continue
        slot.view(memory)[:] = changed
        outcomes.append(slot)
        start = slot.end
    return outcomes


def _memory(task: _Task) -> SharedMemory:
    """Shared memory of a lane; what it had before is let go."""
    memory = _attached.get(task.lane)
    if memory is None or memory.name != task.memory:
        if memory is not None:
            _attached.pop(task.lane).close()
        memory = _attached[task.lane] = SharedMemory(task.memory)
    return memory
