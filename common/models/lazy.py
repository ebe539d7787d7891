"""A model that is loaded when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..core.errors import BenchmarkError
from .base import LoadedModel


class Lazy:
    """Loads a model once, whichever thread asks first; a failure is raised every time.

    Args:
        load: loads it
    """

    def __init__(self, load: Callable[[], LoadedModel]):
        self._load = load
        self._lock = threading.Lock()
        self._model: LoadedModel | None = None
        self._error: BenchmarkError | None = None

    def __call__(self) -> LoadedModel:
        with self._lock:
            if self._error is not None:
                raise self._error
            if self._model is None:
                try:
                    self._model = self._load()
                except BenchmarkError as error:
                    self._error = error
                    raise
            return self._model
