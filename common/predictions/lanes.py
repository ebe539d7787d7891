"""Lanes: what turns the signals of one chunk after the other into those of each condition."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..core.errors import BenchmarkError
from ..models.base import SampleKey
from ..perturbations.library import Library
from ..spec.view import ORIGINAL

#: numbers of samples and what a model says of them, shape (N, number of columns)
Answer = tuple[list[int], np.ndarray]


@dataclass(frozen=True)
class Order:
    """What is wanted of a lane in one condition.

    Args:
        condition: id of the perturbation, or the original
        keys: number of a sample -> its identity
        questions: model that the lane can ask -> numbers of the samples that it is asked about
    """

    condition: str
    keys: Mapping[int, SampleKey]
    questions: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def is_free(self) -> bool:
        """Whether nothing is to be done: the signals are heard as they are, by models that the lane cannot ask."""
        return self.condition == ORIGINAL and not self.questions


@dataclass(frozen=True)
class OrderResult:
    """What became of an order.

    Args:
        signals: number of a sample -> its signal
        broken: number of a sample -> why it has none
        answers: model -> its predictions; without those that failed in any way
    """

    signals: dict[int, np.ndarray]
    broken: dict[int, str]
    answers: Mapping[str, Answer] = field(default_factory=dict)


class Lane(Protocol):
    """Changes the signals of one chunk after the other, for one thread."""

    #: orders that may be begun before the outcome of the first of them is asked for
    ahead: int
    #: models that it can ask
    models: frozenset[str]

    def take(self, signals: Mapping[int, np.ndarray], sampling_rate: int) -> None:
        """The signals of the next chunk; those of the last one are no longer valid."""
        ...

    def begin(self, order: Order) -> Callable[[], OrderResult]:
        """Begin with an order; what is returned waits for the outcome.

        The outcome is valid until ``ahead + 1`` more have been begun.
        """
        ...


def outcomes(lane: Lane, orders: Iterable[Order]) -> Generator[tuple[str, OrderResult], None, None]:
    """Condition and outcome of each order, one after the other; some are worked on ahead.

    Each outcome is valid until the next one is asked for.
    """
    begun: deque[tuple[str, Callable[[], OrderResult]]] = deque()
    try:
        for order in orders:
            begun.append((order.condition, lane.begin(order)))
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


def why(condition: str, key: SampleKey, error: BenchmarkError) -> str:
    """Why there is no signal of a sample in a condition."""
    return f"{condition}: {key}: {error}"


class Here:
    """A lane in this process, which asks no model.

    Args:
        library: the perturbations
    """

    ahead = 0
    models: frozenset[str] = frozenset()

    def __init__(self, library: Library):
        self._library = library
        self._signals: Mapping[int, np.ndarray] = {}
        self._rate = 0

    def take(self, signals: Mapping[int, np.ndarray], sampling_rate: int) -> None:
        """The signals of the next chunk."""
        self._signals, self._rate = signals, sampling_rate

    def begin(self, order: Order) -> Callable[[], OrderResult]:
        """The samples are changed when the outcome is asked for."""
        return lambda: self._change(order)

    def _change(self, order: Order) -> OrderResult:
        if order.condition == ORIGINAL:
            return OrderResult({number: self._signals[number] for number in order.keys}, {})
        changed: dict[int, np.ndarray] = {}
        broken: dict[int, str] = {}
        for number, key in order.keys.items():
            try:
                changed[number] = self._library.perturb(
                    order.condition, self._signals[number], self._rate, key
                )
            except BenchmarkError as error:
                broken[number] = why(order.condition, key, error)
        return OrderResult(changed, broken)
