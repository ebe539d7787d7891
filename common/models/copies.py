"""A model that is loaded in several processes, so that as many calls are made at the same time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import numpy as np

from ..core.errors import BenchmarkError
from . import apart
from .base import Batch
from .isolated import Isolated

logger = logging.getLogger(__name__)


class Copies:
    """A model in several processes of its own, each started when all others have a call.

    Args:
        first: the model in its first process
        another: loads it in another one
        most: so many processes at most
    """

    targets: tuple[str, ...]
    sampling_rate: int
    needs_audio: bool
    batch_size: int
    equal_length: bool
    group_size: int
    fingerprint: str

    def __init__(self, first: Isolated, another: Callable[[], Isolated], most: int):
        self._another, self._most = another, most
        self._copies = [first]
        self._calls = [0]
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        for name in apart.FACTS:
            setattr(self, name, getattr(first, name))

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """As :meth:`common.models.base.LoadedModel.predict`, by the process with fewest calls."""
        self._start()
        with self._lock:
            number = self._calls.index(min(self._calls))
            self._calls[number] += 1
        try:
            return self._copies[number].predict(batch)
        finally:
            with self._lock:
                self._calls[number] -= 1

    def _start(self) -> None:
        """Start another process if all have a call; a call beside this one does not wait for it.

        One that cannot be started, for lack of memory, say, is no fault of the samples.
        """
        if not self._is_wanted or not self._starting.acquire(blocking=False):
            return
        try:
            if self._is_wanted:
                copy = self._another()
                with self._lock:
                    self._copies.append(copy)
                    self._calls.append(0)
        except BenchmarkError as error:
            self._most = len(self._copies)
            logger.warning("%s; the run goes on with %d", error, self._most)
        finally:
            self._starting.release()

    @property
    def _is_wanted(self) -> bool:
        return len(self._copies) < self._most and all(self._calls)
