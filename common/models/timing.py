"""How long calls of a model take: for ``models try`` and for the cost of a model."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .base import Batch, LoadedModel

#: seconds, from any begin
Clock = Callable[[], float]


class CallTimes(NamedTuple):
    """Times of calls with one batch.

    Args:
        answer: what the last call gave
        first_s: time of the first call
        later_s: times of those that count
    """

    answer: dict[str, Any]
    first_s: float
    later_s: tuple[float, ...]

    @property
    def latency_s(self) -> float:
        """Median time of a call."""
        return statistics.median(self.later_s)

    @property
    def spread_s(self) -> tuple[float, float]:
        """Shortest and longest time of a call."""
        return min(self.later_s), max(self.later_s)


def call_times(
    model: LoadedModel,
    batch: Batch,
    *,
    repetitions: int,
    longest_s: float | None = None,
    fewest: int = 1,
    clock: Clock = time.perf_counter,
) -> CallTimes:
    """Call a model again and again with the same batch.

    The first call is apart: runtimes set themselves up for a length of signal then.

    Args:
        model: a loaded model
        batch: what it predicts
        repetitions: number of calls that count
        longest_s: fewer are made when they took so long together; None: all are made
        fewest: so many are made in any case
        clock: tells the time

    Raises:
        ModelError: if the model fails
    """
    begin = clock()
    answer = model.predict(batch)
    first = clock() - begin
    later: list[float] = []
    while len(later) < repetitions:
        if longest_s is not None and len(later) >= fewest and sum(later) >= longest_s:
            break
        begin = clock()
        answer = model.predict(batch)
        later.append(clock() - begin)
    return CallTimes(answer, first, tuple(later))


def real_time_factor(latency_s: float, duration_s: float) -> float:
    """Time of a call per time of the signal; NaN for a signal of no length.

    >>> real_time_factor(0.5, 10.0), real_time_factor(0.5, 0.0)
    (0.05, nan)
    """
    return latency_s / duration_s if duration_s else float("nan")
