"""Model x segments x condition -> predictions, through the store.

All segments of one database that any test wants are put together first. Each file is then
read once, each segment is perturbed once per condition, and each model sees each distinct
(segment, condition) once, whatever the number of tests, targets and datasets that use it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from ..core.errors import AudioError, BenchmarkError, ModelError
from ..models.base import Batch, LoadedModel, SampleKey
from ..samples import audio
from ..spec.view import ORIGINAL
from .inputs import Piece, Request, Source, chunks, pieces
from .perturbing import Lane, Perturbing, changes

logger = logging.getLogger(__name__)

#: bytes of signals that a worker loads before it predicts what it has
LOADED_BYTES = 1 << 28
#: rows and seconds after which new predictions go to disk
FLUSH_ROWS = 20_000
FLUSH_S = 20.0
#: calls in a row that fail before a model is given up for the database
GIVE_UP = 5
#: seconds that a group of calls may take for the next one to be larger
GROUP_S = 0.1
#: start of the reason of samples that were not even tried
NOT_TRIED = "not tried"

#: (signals done, signals in all) -> None
Progress = Callable[[int, int], None]
#: numbers of segments, their signals, and why there is none
_Loaded = tuple[np.ndarray, dict[int, np.ndarray], dict[int, str]]


@dataclass
class _Answer:
    request: Request
    ids: list[int]
    values: np.ndarray
    failed: dict[int, str]


class Predictor:
    """Fulfils requests on one source.

    Args:
        source: distinct segments
        requests: what is wanted; each is filled in place
        workers: number of threads
        perturbing: changes signals; needed if a request is about a condition
        progress: told how far it is
    """

    def __init__(
        self,
        source: Source,
        requests: Sequence[Request],
        *,
        workers: int = 1,
        perturbing: Perturbing | None = None,
        progress: Progress | None = None,
    ):
        self.source = source
        self.workers = max(1, workers)
        self.perturbing = perturbing
        self._lanes: SimpleQueue[Lane] = SimpleQueue()
        self.progress = progress or (lambda done, total: None)
        self._stop = threading.Event()
        self.requests: list[Request] = []
        self.missing: list[np.ndarray] = []
        for request in requests:
            missing = request.read(source)
            if missing.any():
                self.requests.append(request)
                self.missing.append(missing)

    def run(self) -> None:
        """Predict what is missing; keeps what was computed when it is interrupted."""
        if not self.requests:
            return
        union = np.logical_or.reduce(self.missing)
        total = int(sum(m.sum() for m in self.missing))
        files = self.source.keys["file"].iloc[np.flatnonzero(union)].unique().tolist()
        root = None
        opened = [self._opened(request) for request in self.requests]
        if any(opened):
            from ..samples import datasets

            root = datasets.media(self.source.samples, files)
        if self.perturbing is not None:
            for lane in self.perturbing.lanes(self.workers, self._changes()):
                self._lanes.put(lane)
        buffer = _Buffer(self.source)
        done = 0
        work = chunks(pieces(self.source, union))
        with ThreadPoolExecutor(self.workers) as pool:
            running: set[Future[list[_Answer]]] = set()
            try:
                for chunk in work:
                    running.add(pool.submit(self._chunk, chunk, root))
                    if len(running) >= 2 * self.workers:
                        finished, running = wait(running, return_when=FIRST_COMPLETED)
                        done += sum(buffer.take(future.result()) for future in finished)
                        self.progress(done, total)
                while running:
                    finished, running = wait(running, return_when=FIRST_COMPLETED)
                    done += sum(buffer.take(future.result()) for future in finished)
                    self.progress(done, total)
            except BaseException:
                self._stop.set()
                begun = [future for future in running if not future.cancel()]
                for future in wait(begun).done:
                    if not future.exception():
                        buffer.take(future.result())
                raise
            finally:
                buffer.flush()
        for request in self.requests:
            request.store.compact()

    def _changes(self) -> int:
        """How many signals are to be changed."""
        masks: dict[str, np.ndarray] = {}
        for request, missing in zip(self.requests, self.missing, strict=True):
            if request.condition != ORIGINAL:
                masks[request.condition] = masks.get(request.condition, False) | missing
        return int(sum(union.sum() for union in masks.values()))

    def _opened(self, request: Request) -> bool:
        """Whether the model of a request wants audio; a model that fails here fails later."""
        try:
            return request.model().needs_audio
        except BenchmarkError:
            return False

    def _chunk(self, parts: list[Piece], root: object) -> list[_Answer]:
        answers = []
        ids = np.concatenate([piece.ids for piece in parts])
        by_rate: dict[int | None, list[int]] = {}
        for n, request in enumerate(self.requests):
            if not self.missing[n][ids].any():
                continue
            try:
                model = request.model()
            except BenchmarkError as error:
                lost = {int(i): str(error) for i in ids[self.missing[n][ids]]}
                answers.append(_Answer(request, [], np.empty((0, 0)), lost))
                continue
            by_rate.setdefault(model.sampling_rate if model.needs_audio else None, []).append(n)
        for rate, numbers in by_rate.items():
            loads = [(ids, {}, {})] if rate is None else self._loads(parts, root, rate)
            for load_ids, signals, failed in loads:
                conditions = self._conditions(load_ids, numbers, signals, failed, rate)
                for condition, changed, broken in conditions:
                    for n in numbers:
                        if self.requests[n].condition == condition:
                            todo = [int(i) for i in load_ids[self.missing[n][load_ids]]]
                            answer = self._predict(self.requests[n], todo, changed, broken, rate)
                            answers.append(answer)
        return answers

    def _loads(self, parts: list[Piece], root: object, rate: int) -> Iterator[_Loaded]:
        """Segments of pieces and their signals, so many at once as memory is meant for.

        The length of whole files is not known before they are read.
        """
        ids: list[np.ndarray] = []
        signals: dict[int, np.ndarray] = {}
        failed: dict[int, str] = {}
        for piece in parts:
            if self._stop.is_set():
                return
            if sum(signal.nbytes for signal in signals.values()) > LOADED_BYTES:
                yield np.concatenate(ids), signals, failed
                ids, signals, failed = [], {}, {}
            ids.append(piece.ids)
            rows = self.source.keys.iloc[piece.ids]
            segments = list(zip(rows["start"].tolist(), rows["end"].tolist(), strict=True))
            ids_of_piece = piece.ids.tolist()

            def heard(n: int, peak: float, numbers: list[int] = ids_of_piece) -> None:
                self.source.peaks[numbers[n]] = peak

            loaded = audio.load_many(root, piece.file, segments, rate, heard)
            for number, item in zip(piece.ids, loaded, strict=True):
                if isinstance(item, AudioError):
                    failed[int(number)] = str(item)
                else:
                    signals[int(number)] = item
        yield np.concatenate(ids), signals, failed

    def _conditions(
        self,
        ids: np.ndarray,
        numbers: Sequence[int],
        signals: dict[int, np.ndarray],
        failed: dict[int, str],
        rate: int | None,
    ) -> Iterator[tuple[str, dict[int, np.ndarray], dict[int, str]]]:
        """Signals of a chunk in each condition that the requests of some numbers are about.

        They are valid until the next condition is asked for.
        """
        conditions = list(dict.fromkeys(self.requests[n].condition for n in numbers))
        if rate is None:
            yield from ((condition, signals, failed) for condition in conditions)
            return
        if ORIGINAL in conditions:
            conditions.remove(ORIGINAL)
            yield ORIGINAL, signals, failed
        if not conditions:
            return
        lane = self._lanes.get_nowait()  # there is one for each thread
        try:
            lane.take(signals, rate)
            key_maps = ((name, self._keys(name, ids, numbers, signals)) for name in conditions)
            with closing(changes(lane, key_maps)) as outcomes:
                for condition, (changed, broken) in outcomes:
                    if self._stop.is_set():
                        return
                    yield condition, changed, {**failed, **broken}
        finally:
            self._lanes.put(lane)

    def _keys(
        self, condition: str, ids: np.ndarray, numbers: Sequence[int], signals: Mapping[int, object]
    ) -> dict[int, SampleKey]:
        """The samples of a chunk that are wanted in a condition and can be had."""
        mask = np.zeros(len(ids), dtype=bool)
        for n in numbers:
            if self.requests[n].condition == condition:
                mask |= self.missing[n][ids]
        chosen = [int(number) for number in ids[mask] if int(number) in signals]
        return {number: self.source.sample_key(number, condition) for number in chosen}

    def _predict(
        self,
        request: Request,
        todo: list[int],
        signals: dict[int, np.ndarray],
        broken: dict[int, str],
        rate: int | None,
    ) -> _Answer:
        failed = {number: broken[number] for number in todo if number in broken}
        ready = [number for number in todo if number not in broken]
        if rate is not None:
            ready.sort(key=lambda number: (signals[number].shape[-1], number))
        model = request.model()
        good: list[int] = []
        values: list[np.ndarray] = []
        for batch in self._batches(model, ready, signals):
            if self._stop.is_set():
                break
            outcome, lost = self._call(request, model, batch, signals, rate)
            good += outcome[0]
            values += outcome[1]
            failed.update(lost)
        stacked = np.concatenate(values) if values else np.empty((0, len(request.columns)))
        return _Answer(request, good, stacked, failed)

    @staticmethod
    def _batches(
        model: LoadedModel, ready: list[int], signals: dict[int, np.ndarray]
    ) -> Iterator[list[int]]:
        """Samples that are given to the model together; each when the one before is settled."""
        if model.batch_size == 1 and model.group_size > 1:
            yield from _groups(ready, model.group_size)
            return
        batch: list[int] = []
        for number in ready:
            differs = (
                batch
                and model.needs_audio
                and model.equal_length
                and signals[number].shape[-1] != signals[batch[0]].shape[-1]
            )
            if batch and (differs or len(batch) >= model.batch_size):
                yield batch
                batch = []
            batch.append(number)
        if batch:
            yield batch

    def _call(
        self,
        request: Request,
        model: LoadedModel,
        numbers: list[int],
        signals: dict[int, np.ndarray],
        rate: int | None,
    ) -> tuple[tuple[list[int], list[np.ndarray]], dict[int, str]]:
        """One call; a batch that fails is tried sample by sample to find the culprit."""
        if model.needs_audio and request.failures_in_a_row >= GIVE_UP:
            reason = f"{NOT_TRIED}: model '{request.name}' failed {GIVE_UP} times in a row"
            return ([], []), dict.fromkeys(numbers, reason)
        batch = Batch(
            [self.source.sample_key(number, request.condition) for number in numbers],
            [] if rate is None else [signals[number] for number in numbers],
            rate or model.sampling_rate,
        )
        try:
            with request.lock:
                request.calls += len(numbers)
            output = model.predict(batch)
            values = np.column_stack([_columns(output[t]) for t in model.targets])
        except ModelError as error:
            if len(numbers) > 1:
                return self._singly(request, model, numbers, signals, rate)
            request.failures_in_a_row += 1
            return ([], []), {numbers[0]: f"{batch.keys[0]}: {error}"}
        request.failures_in_a_row = 0
        return (numbers, [values]), {}

    def _singly(
        self,
        request: Request,
        model: LoadedModel,
        numbers: list[int],
        signals: dict[int, np.ndarray],
        rate: int | None,
    ) -> tuple[tuple[list[int], list[np.ndarray]], dict[int, str]]:
        good: list[int] = []
        values: list[np.ndarray] = []
        failed: dict[int, str] = {}
        for number in numbers:
            outcome, lost = self._call(request, model, [number], signals, rate)
            good += outcome[0]
            values += outcome[1]
            failed.update(lost)
        return (good, values), failed


def _groups(ready: list[int], largest: int) -> Iterator[list[int]]:
    """Parts of a list that grow while they are settled soon, so that Ctrl-C need not wait."""
    start, count = 0, 1
    while start < len(ready):
        began = time.monotonic()
        yield ready[start : start + count]
        start += count
        if time.monotonic() - began < GROUP_S:
            count = min(2 * count, largest)


def _columns(values: np.ndarray) -> np.ndarray:
    return values[:, None] if values.ndim == 1 else values


class _Buffer:
    """Collects answers and writes them to the stores now and then."""

    def __init__(self, source: Source):
        self.source = source
        self.rows: dict[int, tuple[Request, list[int]]] = {}
        self.count = 0
        self.written = time.monotonic()

    def take(self, answers: list[_Answer]) -> int:
        """Keep answers; returns the number of signals that they settle."""
        settled = 0
        for answer in answers:
            request = answer.request
            if answer.ids:
                request.values[answer.ids] = answer.values
                self.rows.setdefault(id(request), (request, []))[1].extend(answer.ids)
                self.count += len(answer.ids)
            request.failed.update(answer.failed)
            settled += len(answer.ids) + len(answer.failed)
        if self.count >= FLUSH_ROWS or time.monotonic() - self.written > FLUSH_S:
            self.flush()
        return settled

    def flush(self) -> None:
        """Write what is collected."""
        for request, ids in self.rows.values():
            ids = sorted(ids)
            keys = self.source.keys.iloc[ids].reset_index(drop=True)
            request.store.append(keys, request.values[ids], request.columns)
        self.rows, self.count, self.written = {}, 0, time.monotonic()
