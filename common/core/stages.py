"""What a command is doing now, for its log, and how long its stages took, for its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import machine

#: what is being done, the innermost last. Stages follow one another in the main thread; threads that
#: it starts meanwhile work for the same stage
_doing: list[dict[str, str]] = []


def context() -> dict[str, str]:
    """Stage, and target, model, test and dataset where there is one, of what is being done now."""
    return dict(_doing[-1]) if _doing else {}


@contextmanager
def doing(**about: str) -> Iterator[None]:
    """Say what is being done, besides what is said around it.

    >>> with doing(stage="score"), doing(model="mine"):
    ...     context()
    {'stage': 'score', 'model': 'mine'}
    >>> context()
    {}
    """
    _doing.append({**context(), **about})
    try:
        yield
    finally:
        _doing.pop()


@dataclass
class StageTime:
    """What a stage took in all.

    Args:
        times: how often it was entered
        wall_s: seconds of the wall clock
        processor_s: seconds of processor time of the main process, its threads included
        peak_bytes: peak memory of the main process until its end; None where the system does not say it
    """

    times: int = 0
    wall_s: float = 0.0
    processor_s: float = 0.0
    peak_bytes: int | None = None


@dataclass
class StageTimes:
    """Collects what stages took.

    Args:
        clock: seconds of the wall clock
        processor: seconds of processor time
        stages: name -> what it took, in the order in which they were first entered
        cells: cell -> seconds of the wall clock in all stages
        beside: process that was started -> its peak memory in bytes
    """

    clock: Callable[[], float] = time.perf_counter
    processor: Callable[[], float] = time.process_time
    stages: dict[str, StageTime] = field(default_factory=dict)
    cells: dict[str, float] = field(default_factory=dict)
    beside: dict[int, int] = field(default_factory=dict)

    @contextmanager
    def __call__(self, stage: str, cell: str = "", **about: str) -> Iterator[None]:
        """Measure a part of a stage.

        Args:
            stage: its name
            cell: cell that it is about, if it is about one
            about: for the log: target, model, test or dataset
        """
        entry = self.stages.setdefault(stage, StageTime())
        wall, used = self.clock(), self.processor()
        try:
            with doing(stage=stage, **about):
                yield
        finally:
            took = self.clock() - wall
            entry.times += 1
            entry.wall_s += took
            entry.processor_s += self.processor() - used
            entry.peak_bytes = machine.peak_bytes()
            if cell:
                self.cells[cell] = self.cells.get(cell, 0.0) + took
            else:
                self.look()

    def look(self) -> None:
        """Note the peak memory of the processes that were started and still run."""
        for process in machine.descendants():
            peak = machine.peak_bytes(process)
            if peak is not None:
                self.beside[process] = max(peak, self.beside.get(process, 0))
