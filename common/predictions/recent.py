"""Stored predictions of a dataset that several cells want, read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .store import PredictionStore, Stored

if TYPE_CHECKING:
    import pandas as pd

#: bytes of predictions that are held at a time, and of those of one condition that are worth it
ROOM, LARGEST = 1 << 26, 1 << 22


class RecentReads:
    """Reads stores; holds what it read lately as far as there is room.

    A small dataset is read as a whole, with all columns, since other cells want other parts of it. Of a large
    one only what is asked for is read, each time.
    """

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[Path, str], np.ndarray] = OrderedDict()
        self._bytes = 0

    def read(
        self,
        store: PredictionStore,
        dataset: str,
        table: pd.DataFrame,
        places: np.ndarray,
        columns: Sequence[str],
    ) -> Stored:
        """Stored predictions of some samples of a dataset.

        Args:
            store: where they are; its description names all columns that it has
            dataset: id of the dataset
            table: all its samples, with columns ``file``, ``start``, ``end``
            places: rows of the samples in ``table``, shape (N,)
            columns: prediction columns, some of those of the store

        Returns:
            values and whether they were found, in the order of ``places``
        """
        every = list(store.description["columns"])
        size = len(table) * len(every) * np.dtype(float).itemsize
        if store.description.get("layouts") or size > LARGEST:
            return store.read(table[["file", "start", "end"]].iloc[places], columns)
        key = store.folder, dataset
        if key not in self._held:
            self._hold(key, store.read(table[["file", "start", "end"]], every).values)
        self._held.move_to_end(key)
        chosen = np.array([every.index(name) for name in columns], dtype=int)
        values = self._held[key][places[:, None], chosen]
        return Stored(values, np.asarray(~store.is_blank(values).any(axis=1)))

    def _hold(self, key: tuple[Path, str], values: np.ndarray) -> None:
        self._held[key] = values
        self._bytes += values.nbytes
        while self._bytes > ROOM and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1].nbytes
