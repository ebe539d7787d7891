"""Model x segments x condition -> predictions, through the store.

All segments of one database that any test wants are put together first. What the store has is
taken; the rest is divided into shards (:mod:`common.predictions.shards`), in which each file is
read once, each segment is perturbed once per condition, and each model sees each distinct
(segment, condition) once, whatever the number of tests, targets and datasets that use it.
What another version of the database has of the same audio is taken from there
(:mod:`common.predictions.relatives`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from ..core.errors import BenchmarkError
from ..spec.view import ORIGINAL
from .claims import WorkClaims
from .deciding import DecidingSamples
from .executing import Assignment, Executor, Threads, assignments
from .inputs import Request, Source, pieces
from .lanes import Lane
from .perturbing import Perturbing
from .shards import NOT_TRIED, Resources, ShardResult
from .sharing import Sharing

logger = logging.getLogger(__name__)

#: rows and seconds after which new predictions go to disk
FLUSH_ROWS = 1_000_000
FLUSH_S = 20.0

#: (signals done, signals in all) -> None
Progress = Callable[[int, int], None]


class Predictor:
    """Fulfils requests on one source.

    Args:
        source: distinct segments
        requests: what is wanted; each is filled in place
        workers: number of threads
        perturbing: changes signals; needed if a request is about a condition
        progress: told how far it is
        executor: computes shards; default: threads of this process
        cache: folder of the cache that holds the stores; what other runs that use it compute meanwhile is
            left to them. None: nobody else does
    """

    def __init__(
        self,
        source: Source,
        requests: Sequence[Request],
        *,
        workers: int = 1,
        perturbing: Perturbing | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
        cache: Path | None = None,
    ):
        self.source = source
        self.workers = max(1, workers)
        self.perturbing = perturbing
        self.progress = progress or (lambda done, total: None)
        self.executor = executor
        self.cache = cache
        self.requests = list(requests)
        self.missing = [request.read(source) for request in requests]
        self._deciding = [DecidingSamples(request) for request in self.requests]
        self._look_ahead()
        self._drop_done()

    def run(self) -> None:
        """Predict what is missing; keeps what was computed when it is interrupted."""
        self._share()
        self._predict()
        gaps = [few for few in self._deciding if _has_gaps(few.request)]
        self._ask_again({few.request: few.undecided() for few in gaps})
        gaps = [few for few in gaps if not few.has_failed]
        self._ask_again({few.request: few.not_tried() for few in gaps})
        for few in self._deciding:
            few.conclude()

    def _ask_again(self, missing: Mapping[Request, np.ndarray]) -> None:
        """Ask models about samples that were left out because of others."""
        self.requests, self.missing = list(missing), list(missing.values())
        self._drop_done()
        self._predict()

    def _drop_done(self) -> None:
        """Leave requests out of which nothing is missing."""
        left = [n for n, missing in enumerate(self.missing) if missing.any()]
        self.requests = [self.requests[n] for n in left]
        self.missing = [self.missing[n] for n in left]

    def _look_ahead(self) -> None:
        """Ask models for a later version, too, about signals that are to be heard in any case."""
        heard: dict[str, np.ndarray] = {}
        for request, missing in zip(self.requests, self.missing, strict=True):
            if request.listens:
                heard[request.condition] = heard.get(request.condition, False) | missing
        for request, missing in zip(self.requests, self.missing, strict=True):
            if len(request.ahead):
                more = request.ahead & heard[request.condition] & ~request.wanted
                request.wanted |= more
                request.fill(self.source, more)
                missing |= more

    def _share(self) -> None:
        """Take what other versions of the database have, once the audio is here as it would be without."""
        if not any(request.relatives for request in self.requests):
            return
        self._media(np.logical_or.reduce(self.missing))
        for request, missing in zip(self.requests, self.missing, strict=True):
            request.share(self.source, missing)
        self._drop_done()

    def _predict(self) -> None:
        """Predict what is missing."""
        if not self.requests:
            return
        union = np.logical_or.reduce(self.missing)
        total = int(sum(m.sum() for m in self.missing))
        # first of all, so that processes start while models are loaded
        executor = self.executor or Threads(self.workers, self._resources())
        root = self._media(union)
        with WorkClaims(self.cache) as claims:
            parts = self.source, self.requests, self.missing
            sharing = Sharing(*parts, claims, self.cache)
            buffer = _Buffer(*parts, sharing)

            def settled() -> None:
                self.progress(buffer.done, total)

            try:
                while True:
                    union = np.logical_or.reduce(self.missing)
                    work = assignments(
                        self.source,
                        self.requests,
                        sharing.turn,
                        pieces(self.source, union),
                        root,
                        workers=self.workers,
                    )
                    executor.run(work, buffer.take, settled)
                    buffer.flush()
                    if not (claims.has_left and any(mask.any() for mask in self.missing)):
                        break
                    logger.info("%s: waits for what another run computes", self.source.name)
                    claims.wait(settled)
            finally:
                buffer.flush()
        for request in self.requests:
            request.store.compact()

    def _media(self, union: np.ndarray) -> str:
        """Folder of the audio, once it is there; empty if no model hears it."""
        hears = [self._hears(request) for request in self.requests]  # all models are loaded here
        if not any(hears):
            return ""
        from ..samples import datasets

        files = self.source.keys["file"].iloc[np.flatnonzero(union)].unique().tolist()
        return str(datasets.media(self.source.samples, files))

    def _hears(self, request: Request) -> bool:
        """Whether the model of a request wants audio; a model that fails here fails later."""
        elsewhere = self.executor is not None and self.executor.elsewhere
        if request.listens and (elsewhere or request.relatives):
            return True
        try:
            return request.model().needs_audio
        except BenchmarkError:
            return False

    def _resources(self) -> Resources:
        """What threads of this process compute with."""
        lanes: SimpleQueue[Lane] = SimpleQueue()
        askable: frozenset[str] = frozenset()
        if self.perturbing is not None:
            signals = self._signals(self.perturbing.small)
            for lane in self.perturbing.lanes(self.workers, signals):
                lanes.put(lane)
                askable = lane.models
        models = {request.name: request.model for request in self.requests}
        return Resources(models, lanes, askable=askable)

    def _signals(self, small: frozenset[str]) -> int:
        """How many signals are to be changed, or to be heard by small models."""
        masks: dict[str, np.ndarray] = {}
        for request, missing in zip(self.requests, self.missing, strict=True):
            if request.condition != ORIGINAL or request.name in small:
                masks[request.condition] = masks.get(request.condition, False) | missing
        return int(sum(union.sum() for union in masks.values()))


class _Buffer:
    """Collects results and writes them to the stores now and then."""

    def __init__(
        self,
        source: Source,
        requests: Sequence[Request],
        missing: Sequence[np.ndarray],
        sharing: Sharing,
    ):
        self.source = source
        self.sharing = sharing
        self.missing = {id(request): mask for request, mask in zip(requests, missing, strict=True)}
        self.rows: dict[int, tuple[Request, list[int]]] = {}
        self.count = 0
        self.written = time.monotonic()
        self._computed = 0

    @property
    def done(self) -> int:
        """Number of signals that are settled."""
        return self._computed + self.sharing.taken_over

    def take(self, assignment: Assignment, result: ShardResult) -> None:
        """Keep the result of a shard."""
        ids = assignment.ids
        for number, peak in result.peaks.items():
            self.source.peaks[int(ids[number])] = peak
        for request, answer in zip(assignment.requests, result.answers, strict=True):
            request.calls += answer.calls
            lost = {int(ids[number]): reason for number, reason in answer.failed.items()}
            request.failed.update(lost)
            request.unheard.update(int(ids[number]) for number in answer.unheard)
            places = ids[answer.segments]
            if len(places):
                request.values[places] = answer.values
                self.rows.setdefault(id(request), (request, []))[1].extend(places.tolist())
                self.count += len(places)
            mask = self.missing[id(request)]
            for settled in (places, np.array([*lost], dtype=int)):
                self._computed += int(mask[settled].sum())
                mask[settled] = False
        if self.count >= FLUSH_ROWS or time.monotonic() - self.written > FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Write what is collected, and let other runs know."""
        for request, ids in self.rows.values():
            request.write(self.source, sorted(ids))
        self.rows, self.count, self.written = {}, 0, time.monotonic()
        self.sharing.stored()


def _has_gaps(request: Request) -> bool:
    """Whether segments were not tried because others had failed."""
    return any(reason.startswith(NOT_TRIED) for reason in request.failed.values())
