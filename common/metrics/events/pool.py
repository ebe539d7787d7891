"""Counts that grow file by file, in one process or in several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ...core.errors import ConfigError, DataError

T = TypeVar("T", bound=tuple[Any, ...])
SelfPool = TypeVar("SelfPool", bound="Pool[Any]")


class Pool(Generic[T]):
    """Base of the accumulators: counts of files, scored together.

    Counts are added per file, never figures: folds of a cross-validation are pooled and scored
    once. A file counts once; the same name a second time is an error, as it is nearly always
    the same recording twice.

    Args:
        labels: names of the evaluated classes
        settings: what must be equal in pools that are merged
    """

    def __init__(self, labels: Sequence[str], **settings: Any):
        self.labels = tuple(labels)
        self.settings: Mapping[str, Any] = settings
        self._parts: list[T] = []
        self._rows: dict[str, int] = {}
        if len(set(self.labels)) < len(self.labels):
            repeated = next(name for name in self.labels if self.labels.count(name) > 1)
            raise ConfigError(f"labels: '{repeated}' is named twice")

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files so far, in the order in which they were added."""
        return tuple(self._rows)

    def merge(self: SelfPool, other: SelfPool) -> SelfPool:
        """Add what another pool has counted, for example in another process.

        Args:
            other: pool of the same kind, labels and settings; stays as it is

        Returns:
            this pool

        Raises:
            ConfigError: if kind, labels or settings differ
            DataError: if both hold a file
        """
        if type(other) is not type(self) or other.labels != self.labels:
            raise ConfigError("merge: pools differ in their kind or labels")
        for name, value in self.settings.items():
            if other.settings[name] != value:
                raise ConfigError(f"merge: {name} is {value} here and {other.settings[name]} there")
        self._check(other.files)
        # nothing is changed before everything is checked
        for part in other._parts:
            self._parts.append(part)
        self._name(other.files)
        return self

    def _append(self, files: Sequence[str], part: T) -> None:
        """Add counts of files that are not in the pool."""
        self._check(files)
        self._name(files)
        self._parts.append(part)

    def _check(self, files: Sequence[str]) -> None:
        for file in files:
            if file in self._rows:
                raise DataError(f"file '{file}' is evaluated twice")
        if len(set(files)) < len(files):
            repeated = next(file for file in files if list(files).count(file) > 1)
            raise DataError(f"file '{repeated}' is evaluated twice")

    def _name(self, files: Sequence[str]) -> None:
        for file in files:
            self._rows[file] = len(self._rows)

    def _joined(self) -> T | None:
        """Counts of all files; None without any."""
        if len(self._parts) > 1:
            self._parts = [self._join(self._parts)]
        return self._parts[0] if self._parts else None

    def _join(self, parts: Sequence[T]) -> T:
        """One part of several; here each array has the files as first axis."""
        return type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _row(self, file: str) -> int:
        if file not in self._rows:
            raise DataError(f"file '{file}' is not among the {len(self._rows)} evaluated files")
        return self._rows[file]
