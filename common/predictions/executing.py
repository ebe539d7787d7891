"""Who computes shards: the threads of this process, or whatever else answers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..models import programs
from .inputs import Piece, Request, Source, chunks
from .shards import Resources, Shard, ShardResult, Wish, compute

#: seconds that calls which were begun may still take when something goes wrong, and between two looks at them
GRACE_S, LOOK_S = 10.0, 1.0


@dataclass(frozen=True, eq=False)
class Assignment:
    """A shard, and what its result is for.

    Args:
        shard: what is to be computed
        ids: numbers in the source of its segments, ascending
        requests: those that its wishes belong to
    """

    shard: Shard
    ids: np.ndarray
    requests: tuple[Request, ...]

    def of(self, numbers: Sequence[int]) -> Assignment:
        """The same segments with some of the wishes."""
        wishes = [self.shard.wishes[n] for n in numbers]
        return Assignment(self.shard.of(wishes), self.ids, tuple(self.requests[n] for n in numbers))


def assignments(
    source: Source,
    requests: Sequence[Request],
    turn: Callable[[np.ndarray], dict[int, np.ndarray]],
    pieces: Iterable[Piece],
    root: str,
    *,
    workers: int = 1,
) -> Iterator[Assignment]:
    """Shards one after the other, each made when it is asked for.

    Args:
        source: distinct segments
        requests: what is wanted
        turn: says of some segments which of them are to be computed, when their turn comes: number of a
            request -> boolean, one for each of them; see :meth:`common.predictions.sharing.Sharing.turn`
        pieces: segments of each file
        root: folder of the audio
        workers: so many shards are computed at the same time
    """
    for chunk in chunks(pieces, workers):
        ids = np.sort(np.concatenate([piece.ids for piece in chunk]))
        masks = turn(ids)
        if not masks:
            continue
        union = np.logical_or.reduce([*masks.values()])
        ids = ids[union]
        left = (piece.ids[np.isin(piece.ids, ids)] for piece in chunk)
        wishes = (_wish(requests[n], mask[union]) for n, mask in masks.items())
        shard = Shard(
            source.database,
            source.version,
            root,
            files=source.column("file", ids),
            starts=source.column("start", ids),
            ends=source.column("end", ids),
            parts=tuple(np.searchsorted(ids, part) for part in left if len(part)),
            wishes=tuple(wishes),
        )
        yield Assignment(shard, ids, tuple(requests[n] for n in masks))


def _wish(request: Request, segments: np.ndarray) -> Wish:
    made_of = request.store.description
    columns = len(request.columns)
    return Wish(request.name, request.condition, columns, made_of, segments, request.again)


#: what to do with a result
Take = Callable[[Assignment, ShardResult], None]


class Executor(Protocol):
    """Computes shards.

    Attributes:
        elsewhere: whether models are loaded by other processes only
    """

    elsewhere: bool

    def run(self, work: Iterable[Assignment], take: Take, settled: Callable[[], None]) -> None:
        """Compute all shards, in any order.

        Args:
            work: the shards; asked for one by one, as there is room for them
            take: is given each result; also what is done already when something goes wrong
            settled: called now and then when results were taken

        Raises:
            BenchmarkError: if no more can be computed; what is done has been taken
        """
        ...


class Threads:
    """Computes shards in threads of this process.

    Args:
        workers: number of threads
        resources: with a lane for each thread
    """

    elsewhere = False

    def __init__(self, workers: int, resources: Resources):
        self._workers = workers
        self._resources = resources

    def run(self, work: Iterable[Assignment], take: Take, settled: Callable[[], None]) -> None:
        """As :meth:`Executor.run`; what was begun may be finished when something goes wrong.

        A model in a process of its own that does not answer in time is ended, or Ctrl-C would wait for one
        that hangs; a model in this process is waited for.
        """
        running: dict[Future[ShardResult], Assignment] = {}

        def settle() -> None:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                take(running.pop(future), future.result())
            settled()

        with ThreadPoolExecutor(self._workers) as pool:
            try:
                for assignment in work:
                    future: Future[ShardResult] = Future()
                    running[future] = assignment  # before it is begun: an interrupt would lose it
                    pool.submit(_answer, future, assignment.shard, self._resources)
                    if len(running) >= 2 * self._workers:
                        settle()
                while running:
                    settle()
            except BaseException:
                self._resources.stop.set()
                begun = {future for future in running if not future.cancel()}
                try:
                    for future in wait(begun, GRACE_S).done:
                        if not future.exception():
                            take(running[future], future.result())
                finally:
                    _end(begun)
                raise


def _answer(future: Future[ShardResult], shard: Shard, resources: Resources) -> None:
    """Compute a shard, unless it was given up before its turn came."""
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(compute(shard, resources))
        except BaseException as error:
            future.set_exception(error)


def _end(begun: set[Future[ShardResult]]) -> None:
    """End models that still answer, until nobody waits for them; what they were asked is asked next time."""
    while begun := wait(begun, 0).not_done:
        programs.end_all()
        wait(begun, LOOK_S)
