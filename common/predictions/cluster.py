"""Shards on the workers of a dask cluster.

A future is named by the key of its shard and the setting of the run: the same shard of two runs that go on
at the same time is computed once. Dask computes the shards of lost workers again. Results come back as
values; this process writes them to the stores, as it does with its own.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import BenchmarkError
from ..models.base import one_line
from . import remote, tidy
from .executing import Assignment, Take
from .remote import RefusedWorkError, Setting
from .schedulers import PATIENCE_S, Scheduler
from .shards import GIVE_UP, ShardResult, WishResult, not_tried

if TYPE_CHECKING:
    from distributed import Client, Future

logger = logging.getLogger(__name__)

#: resource of workers that have a GPU
GPU = "GPU"
#: seconds without a result after which it is said that there is no worker for what is asked
TELL_S = 20.0


class Cluster:
    """Computes shards on the workers of a dask cluster; connects when there is something to compute.

    Args:
        scheduler: the cluster
        setting: what workers need besides shards
    """

    elsewhere = True

    def __init__(self, scheduler: Scheduler, setting: Setting):
        self._scheduler = scheduler
        self._setting = setting
        self._stack = ExitStack()
        self._client: Client | None = None

    def close(self) -> None:
        """Let go of the scheduler; a cluster that was started for the run ends."""
        self._client = None
        self._stack.close()

    def run(self, work: Iterable[Assignment], take: Take, settled: Callable[[], None]) -> None:
        """As :meth:`common.predictions.executing.Executor.run`.

        Raises:
            BenchmarkError: if the scheduler cannot be reached any more, or a worker would compute
                something else
        """
        _Round(self._connected(), self._setting, take).run(work, settled)

    def _connected(self) -> Client:
        """A client of the cluster whose present workers compute what this process would."""
        if self._client is None:
            client = self._stack.enter_context(self._scheduler.client())
            _compare(client, self._setting.identity)
            self._client = client
        return self._client


def _compare(client: Client, identity: Mapping[str, str]) -> None:
    """Refuse workers that would compute something else; those that come later are asked by their shards.

    Raises:
        RefusedWorkError: naming one of them
    """
    with _reaching():
        try:
            client.run_on_scheduler(remote.hand_over, None)
        except (ImportError, AttributeError) as error:
            raise _lacking("the scheduler", error) from None
        answers = client.run(remote.difference, dict(identity), on_error="return")
    for worker, answer in sorted(answers.items()):
        if isinstance(answer, BaseException):
            raise _lacking(f"worker {worker}", answer)
        if answer:
            raise RefusedWorkError(remote.refusal(worker, answer))
    if not answers:
        logger.warning("the cluster has no worker yet; waiting for one")


def _resources(client: Client) -> list[Mapping[str, float]]:
    """Resources of each worker of a cluster, as its scheduler answers at this moment.

    What the client remembers of it is overwritten every other second by an answer that names no
    worker, and that may come between question and reading.
    """
    if client.scheduler is None:
        raise OSError("the client is closed")
    answer = client.sync(client.scheduler.identity, n_workers=-1)
    return [worker["resources"] for worker in answer["workers"].values()]


def _lacking_workers(resources: Sequence[Mapping[str, float]]) -> str:
    """Which workers a cluster lacks; empty if it has some with a GPU.

    >>> _lacking_workers([]), _lacking_workers([{}]), _lacking_workers([{}, {"GPU": 1}])
    (' yet', ' with the resource GPU yet', '')
    """
    if not resources:
        return " yet"
    return (
        "" if any(each.get(GPU, 0) >= 1 for each in resources) else f" with the resource {GPU} yet"
    )


def _lacking(who: str, error: BaseException) -> RefusedWorkError:
    return RefusedWorkError(
        f"{who} cannot run this program: {one_line(error)}; start it where the program is installed, or"
        " with PYTHONPATH set to the clone"
    )


class _Round:
    """Shards of one source on their way to workers and back.

    Args:
        client: of the cluster
        setting: what workers need besides shards
        take: takes results
    """

    def __init__(self, client: Client, setting: Setting, take: Take):
        self._client = client
        self._setting = setting
        self._take = take
        self._ended: SimpleQueue[Future[ShardResult]] = SimpleQueue()
        self._running: dict[str, tuple[Future[ShardResult], Assignment]] = {}
        #: whose workers died; each has one model
        self._suspects: list[Assignment] = []
        #: model, condition and whether again -> number of calls in a row that failed
        self._streaks: dict[tuple[str, str, bool], int] = defaultdict(int)
        name = f"speechproof-setting-{setting.digest}"
        self._shared = client.submit(remote.hand_over, setting, key=name)

    def run(self, work: Iterable[Assignment], settled: Callable[[], None]) -> None:
        """Compute all shards; a bounded number of them is on its way at a time.

        Dask blames all shards that a dead worker had. So they are computed once more, one after the
        other, each with one model: what kills workers then is certain.
        """
        try:
            for assignment in work:
                for part in self._parts(assignment):
                    self._submit(part)
                while len(self._running) >= self._most():
                    self._settle(self._suspect)
                    settled()
            while self._running:
                self._settle(self._suspect)
                settled()
            for suspect in self._suspects:
                for part in self._parts(suspect):
                    self._submit(part, "alone")
                    self._settle(self._convict)
                    settled()
        except BaseException:
            self._save()
            raise

    def _most(self) -> int:
        """How many shards may be on their way: two for each thread of a worker."""
        with _reaching():
            threads = self._client.nthreads()
        return max(2, 2 * sum(threads.values()))

    def _parts(self, assignment: Assignment) -> Iterator[Assignment]:
        """Models that need a GPU apart from others; those that were given up are answered here."""
        groups: dict[str, list[int]] = {}
        for n, wish in enumerate(assignment.shard.wishes):
            tired = self._streaks[wish.streak] >= GIVE_UP
            gpu = self._setting.needs_gpu(wish.model)
            groups.setdefault("tired" if tired else GPU if gpu else "", []).append(n)
        lost = groups.pop("tired", None)
        if lost:
            self._lose(assignment.of(lost), not_tried)
        yield from map(assignment.of, groups.values())

    def _lose(self, part: Assignment, why: Callable[[str], str]) -> None:
        """Answer wishes by why there are no predictions, said of a model."""
        answers = []
        for wish in part.shard.wishes:
            numbers = np.flatnonzero(wish.segments).tolist()
            answers.append(WishResult(wish.columns, failed=dict.fromkeys(numbers, why(wish.model))))
        self._take(part, ShardResult(tuple(answers)))

    def _submit(self, part: Assignment, how: str = "shard") -> None:
        gpu = any(self._setting.needs_gpu(wish.model) for wish in part.shard.wishes)
        key = f"speechproof-{how}-{part.shard.key}-{self._setting.digest}"
        needs = {GPU: 1} if gpu else None
        with _reaching():
            sizes = remote.audio_sizes(part.shard)
            future = self._client.submit(
                tidy.work, self._shared, part.shard, sizes, key=key, resources=needs
            )
        self._running[key] = future, part
        future.add_done_callback(self._ended.put)

    def _settle(self, killed: Callable[[Assignment], None]) -> None:
        """Wait for a shard, and take all that are done.

        Args:
            killed: is given those whose workers died
        """
        from distributed.scheduler import KilledWorker

        futures = [self._next()]
        with suppress(Empty):
            while True:
                futures.append(self._ended.get_nowait())
        for future in futures:
            part = self._running[str(future.key)][1]
            try:
                with _reaching():
                    result = future.result()
            except KilledWorker:
                del self._running[str(future.key)]
                killed(part)
            else:
                del self._running[str(future.key)]
                self._receive(part, result)

    def _next(self) -> Future[ShardResult]:
        """The next shard that ended; says now and then if there is no worker that could compute one."""
        while True:
            try:
                return self._ended.get(timeout=TELL_S)
            except Empty:
                with _reaching():
                    workers = _resources(self._client)
                lacking = _lacking_workers(workers)
                shards = [part.shard for _, part in self._running.values()]
                wishes = [wish.model for shard in shards for wish in shard.wishes]
                if lacking and (not workers or all(map(self._setting.needs_gpu, wishes))):
                    logger.warning("the cluster has no worker%s; waiting for one", lacking)

    def _receive(self, part: Assignment, result: ShardResult) -> None:
        for wish, answer in zip(part.shard.wishes, result.answers, strict=True):
            before = 0 if answer.segments else self._streaks[wish.streak]
            self._streaks[wish.streak] = before + answer.streak
        self._take(part, result)

    def _suspect(self, part: Assignment) -> None:
        """Put a shard off whose workers died, divided by models."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for n, wish in enumerate(part.shard.wishes):
            numbers[wish.model].append(n)
        self._suspects += map(part.of, numbers.values())

    def _convict(self, part: Assignment) -> None:
        """Give up a shard that kills workers, and in the end its model."""
        for wish in part.shard.wishes:
            self._streaks[wish.streak] += 1
        self._lose(part, lambda model: f"model '{model}': the workers that computed it died")

    def _save(self) -> None:
        """Take what is done already, and give up the rest."""
        for key, (future, part) in list(self._running.items()):
            if future.status == "finished":
                with suppress(Exception):  # what cannot be had is computed again by the next run
                    self._take(part, future.result(timeout=PATIENCE_S))
                    del self._running[key]
        with suppress(Exception):
            self._client.cancel([future for future, _ in self._running.values()])


@contextmanager
def _reaching() -> Iterator[None]:
    """Say in one line that the scheduler does not answer any more.

    Raises:
        BenchmarkError: if it does not
    """
    try:
        yield
    except (OSError, CancelledError):
        raise BenchmarkError(
            "the scheduler of the cluster cannot be reached any more; what was computed is kept, and the"
            " next run goes on from there"
        ) from None
