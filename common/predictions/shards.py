"""Shards: the unit of work, and the only way in which predictions are made.

A shard is some segments of one database and what is asked of models about them. It is described by
values only, so that it may be computed anywhere, twice, or by a process that is killed: by threads of
this process, or by a worker on another machine. :func:`compute` reads each file once, changes each
segment once per condition, and gives it to each model once.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from queue import SimpleQueue
from typing import Any

import numpy as np

from ..core.errors import AudioError, BenchmarkError, ModelError, ModelTimeout
from ..core.provenance import digest
from ..models.base import Batch, LoadedModel, SampleKey
from ..samples import audio
from ..spec.view import ORIGINAL
from .calls import batches, in_order, predictions
from .lanes import Lane, Order, OrderResult, outcomes

#: bytes of signals that are loaded before models hear what there is
LOADED_BYTES = 1 << 28
#: calls in a row that fail before a model is not asked any more, for the time being
GIVE_UP = 5
#: start of the reason of samples that were not even tried
NOT_TRIED = "not tried"

#: numbers of segments, their signals, and why there is none
_Loaded = tuple[np.ndarray, dict[int, np.ndarray], dict[int, str]]


@dataclass(frozen=True, eq=False)
class Wish:
    """What is asked of one model in one condition.

    Args:
        model: id of the model
        condition: condition of the input: the original or the id of a perturbation
        columns: number of prediction columns
        made_of: what decides about the predictions, see :func:`common.predictions.inputs.description`
        segments: which segments of the shard, boolean, one each
        again: whether it is known that the model does answer: only calls that take too long end the questions then
    """

    model: str
    condition: str
    columns: int
    made_of: Mapping[str, Any]
    segments: np.ndarray
    again: bool = False

    @property
    def streak(self) -> tuple[str, str, bool]:
        """What calls in a row have in common."""
        return self.model, self.condition, self.again


@dataclass(frozen=True, eq=False)
class Shard:
    """Segments of one database and what is asked about them.

    Args:
        database: name of the database
        version: its version
        root: folder of its audio; empty: no model hears it
        files: file of each segment
        starts: start of each segment in ns
        ends: end of each segment in ns; -1: end of the file
        parts: numbers of segments of one file each, as they are read
        wishes: what is asked of models
    """

    database: str
    version: str
    root: str
    files: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    parts: tuple[np.ndarray, ...]
    wishes: tuple[Wish, ...]

    @cached_property
    def key(self) -> str:
        """Hash of everything that decides about the result; where the audio lies does not."""
        wishes = [
            [*w.streak, digest(w.made_of), np.flatnonzero(w.segments).tolist()] for w in self.wishes
        ]
        segments = [self.files, self.starts, self.ends]
        return digest([self.database, self.version, segments, wishes])

    def of(self, wishes: Sequence[Wish]) -> Shard:
        """The same segments with some of the wishes."""
        return replace(self, wishes=tuple(wishes))

    def sample_key(self, number: int, condition: str) -> SampleKey:
        """Identity of a segment in a condition."""
        name = "" if condition == ORIGINAL else condition
        segment = self.files[number], self.starts[number], self.ends[number]
        return SampleKey(self.database, self.version, *segment, name)


@dataclass
class WishResult:
    """What became of a wish.

    Args:
        columns: number of prediction columns
        segments: numbers of the segments that have predictions
        parts: their predictions, arrays of shape (some segments, number of columns)
        failed: number of a segment -> why it has none
        unheard: numbers of those of them whose audio cannot be read or changed
        calls: number of signals that were given to the model
        streak: number of calls without an answer at the end, that count
    """

    columns: int
    segments: list[int] = field(default_factory=list)
    parts: list[np.ndarray] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)
    unheard: set[int] = field(default_factory=set)
    calls: int = 0
    streak: int = 0

    @property
    def values(self) -> np.ndarray:
        """Predictions of the segments, shape (number of segments, number of columns)."""
        return np.concatenate(self.parts) if self.parts else np.empty((0, self.columns))


@dataclass(frozen=True)
class ShardResult:
    """What became of a shard.

    Args:
        answers: of each of its wishes
        peaks: number of a segment that was read -> largest absolute value
    """

    answers: tuple[WishResult, ...]
    peaks: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Resources:
    """What a process needs to compute shards; made once and shared by its threads.

    Args:
        models: id -> the model, loaded when it is first asked for
        lanes: change signals; as many as there are threads
        stop: set when nobody wants more than what is done already
        askable: models that each lane can ask
        streaks: model, condition and whether again -> number of calls in a row that failed
    """

    models: Mapping[str, Callable[[], LoadedModel]]
    lanes: SimpleQueue[Lane] = field(default_factory=SimpleQueue)
    stop: threading.Event = field(default_factory=threading.Event)
    askable: frozenset[str] = frozenset()
    streaks: dict[tuple[str, str, bool], int] = field(default_factory=lambda: defaultdict(int))


def not_tried(model: str) -> str:
    """Why there is no prediction of a model that was not asked any more."""
    return f"{NOT_TRIED}: model '{model}' failed {GIVE_UP} times in a row"


def compute(shard: Shard, resources: Resources) -> ShardResult:
    """Predictions of a shard; failures of models and files are part of the result.

    Args:
        shard: what is asked
        resources: models and lanes of this process

    Returns:
        answers to all wishes; incomplete if ``resources.stop`` is set meanwhile
    """
    return _Computation(shard, resources).run()


class _Computation:
    """One shard on its way through audio, conditions and models."""

    def __init__(self, shard: Shard, resources: Resources):
        self.shard = shard
        self.resources = resources
        self.answers = tuple(WishResult(wish.columns) for wish in shard.wishes)
        self.peaks: dict[int, float] = {}

    def run(self) -> ShardResult:
        """Answers to all wishes, those of one sampling rate together."""
        for rate, wishes in self._by_rate().items():
            every = np.concatenate(self.shard.parts)
            for ids, signals, failed in [(every, {}, {})] if rate is None else self._loads(rate):
                for condition, outcome in self._conditions(ids, wishes, signals, rate):
                    broken = {**failed, **outcome.broken}
                    heard = OrderResult(outcome.signals, broken, outcome.answers)
                    for n in wishes:
                        if self.shard.wishes[n].condition == condition:
                            self._answer(n, ids, heard, rate)
        return ShardResult(self.answers, self.peaks)

    def _by_rate(self) -> dict[int | None, list[int]]:
        """Sampling rate, None if a model does not hear, -> numbers of wishes."""
        by_rate: dict[int | None, list[int]] = {}
        for n, wish in enumerate(self.shard.wishes):
            try:
                model = self._model(wish)
            except BenchmarkError as error:
                lost = np.flatnonzero(wish.segments).tolist()
                self.answers[n].failed.update(dict.fromkeys(lost, str(error)))
                continue
            by_rate.setdefault(model.sampling_rate if model.needs_audio else None, []).append(n)
        return by_rate

    def _model(self, wish: Wish) -> LoadedModel:
        return self.resources.models[wish.model]()

    def _loads(self, rate: int) -> Iterator[_Loaded]:
        """Segments and their signals, so many at once as memory is meant for.

        The length of whole files is not known before they are read.
        """
        shard = self.shard
        ids: list[np.ndarray] = []
        signals: dict[int, np.ndarray] = {}
        failed: dict[int, str] = {}
        for part in shard.parts:
            if self.resources.stop.is_set():
                return
            if sum(signal.nbytes for signal in signals.values()) > LOADED_BYTES:
                yield np.concatenate(ids), signals, failed
                ids, signals, failed = [], {}, {}
            ids.append(part)
            numbers = part.tolist()

            def heard(n: int, peak: float, numbers: list[int] = numbers) -> None:
                self.peaks[numbers[n]] = peak

            segments = [(shard.starts[number], shard.ends[number]) for number in numbers]
            loaded = audio.load_many(shard.root, shard.files[numbers[0]], segments, rate, heard)
            for number, item in zip(numbers, loaded, strict=True):
                if isinstance(item, AudioError):
                    failed[number] = str(item)
                else:
                    signals[number] = item
        yield np.concatenate(ids), signals, failed

    def _conditions(
        self,
        ids: np.ndarray,
        wishes: Sequence[int],
        signals: dict[int, np.ndarray],
        rate: int | None,
    ) -> Iterator[tuple[str, OrderResult]]:
        """Signals in each condition that some wishes are about, and what is said of them already.

        They are valid until the next condition is asked for.
        """
        conditions = list(dict.fromkeys(self.shard.wishes[n].condition for n in wishes))
        if rate is None:
            yield from ((condition, OrderResult(signals, {})) for condition in conditions)
            return
        orders = [self._order(name, ids, wishes, signals) for name in sorted(conditions, key=_last)]
        if len(orders) == 1 and orders[0].is_free:
            yield ORIGINAL, OrderResult(signals, {})
            return
        lane = self.resources.lanes.get_nowait()  # there is one for each thread
        try:
            lane.take(signals, rate)
            with closing(outcomes(lane, orders)) as settled:
                for condition, outcome in settled:
                    if self.resources.stop.is_set():
                        return
                    yield condition, outcome
        finally:
            self.resources.lanes.put(lane)

    def _order(
        self, condition: str, ids: np.ndarray, wishes: Sequence[int], signals: Mapping[int, object]
    ) -> Order:
        """The segments that some wishes are about in a condition and that can be had."""
        mask = np.zeros(len(ids), dtype=bool)
        questions: dict[str, list[int]] = {}
        for n in wishes:
            wish = self.shard.wishes[n]
            if wish.condition == condition:
                mask |= wish.segments[ids]
                if wish.model in self.resources.askable:
                    about = ids[wish.segments[ids]].tolist()
                    questions[wish.model] = [number for number in about if number in signals]
        chosen = [number for number in ids[mask].tolist() if number in signals]
        keys = {number: self.shard.sample_key(number, condition) for number in chosen}
        return Order(condition, keys, questions)

    def _answer(self, n: int, ids: np.ndarray, heard: OrderResult, rate: int | None) -> None:
        """Ask the model of a wish about those segments of which nobody has asked it yet."""
        wish, answer = self.shard.wishes[n], self.answers[n]
        todo = ids[wish.segments[ids]].tolist()
        broken = {number: heard.broken[number] for number in todo if number in heard.broken}
        answer.failed.update(broken)
        answer.unheard.update(broken)
        ready = [number for number in todo if number not in broken]
        if wish.model in heard.answers:
            numbers, values = heard.answers[wish.model]
            self._keep(wish, answer, numbers, values)
            answer.calls += len(numbers)
            settled = set(numbers)
            ready = [number for number in ready if number not in settled]
        if rate is not None:
            ready = in_order(ready, heard.signals)
        model = self._model(wish)
        for batch in batches(model, ready, heard.signals):
            if self.resources.stop.is_set():
                break
            self._call(wish, answer, model, batch, heard.signals, rate)

    def _keep(self, wish: Wish, answer: WishResult, numbers: list[int], values: np.ndarray) -> None:
        self.resources.streaks[wish.streak] = answer.streak = 0
        answer.segments += numbers
        answer.parts.append(values)

    def _call(
        self,
        wish: Wish,
        answer: WishResult,
        model: LoadedModel,
        numbers: list[int],
        signals: dict[int, np.ndarray],
        rate: int | None,
    ) -> None:
        """One call; a batch that fails is tried sample by sample to find the culprit."""
        streaks = self.resources.streaks
        if model.needs_audio and streaks[wish.streak] >= GIVE_UP:
            answer.failed.update(dict.fromkeys(numbers, not_tried(wish.model)))
            return
        batch = Batch(
            [self.shard.sample_key(number, wish.condition) for number in numbers],
            [] if rate is None else [signals[number] for number in numbers],
            rate or model.sampling_rate,
        )
        answer.calls += len(numbers)
        try:
            values = predictions(model, batch)
        except ModelError as error:
            if len(numbers) > 1:
                for number in numbers:
                    self._call(wish, answer, model, [number], signals, rate)
                return
            if not wish.again or isinstance(error, ModelTimeout):
                streaks[wish.streak] += 1
                answer.streak += 1
            answer.failed[numbers[0]] = f"{batch.keys[0]}: {error}"
            return
        self._keep(wish, answer, numbers, values)


def _last(condition: str) -> bool:
    """Sorts conditions: the original first, the others as they are."""
    return condition != ORIGINAL
