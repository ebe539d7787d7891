"""Predictions that several cells want are read once, in bounded memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from common.predictions import recent
from common.predictions.recent import RecentReads
from common.predictions.store import PredictionStore

COLUMNS = ["a", "b", "c"]


class _Counting(PredictionStore):
    reads = 0

    def read(self, keys, columns):
        type(self).reads += 1
        return super().read(keys, columns)


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame({"file": [f"{n}.wav" for n in range(6)], "start": 0, "end": -1, "truth": 1})


def _store(folder: Path, table: pd.DataFrame) -> PredictionStore:
    """All samples but the last one; the fourth one has no prediction in one column."""
    _Counting.reads = 0
    store = _Counting(folder, {"columns": COLUMNS})
    values = np.arange(18.0).reshape(6, 3)
    values[3, 1] = np.nan
    store.append(table.iloc[:5], values[:5], COLUMNS)
    return store


@pytest.mark.parametrize("largest", [recent.LARGEST, 0])
def test_the_same_as_the_store_says(tmp_path, table, monkeypatch, largest) -> None:
    monkeypatch.setattr(recent, "LARGEST", largest)
    store, reads = _store(tmp_path, table), RecentReads()
    for places, columns in [([4, 0, 0], ["c", "a"]), ([3, 5, 1], ["b"]), ([3], ["a"]), ([], ["b"])]:
        found = reads.read(store, "d", table, np.array(places, dtype=int), columns)
        expected = PredictionStore(tmp_path).read(table.iloc[places], columns)
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.found, expected.found)
    assert store.reads == (1 if largest else 4)


def test_memory_is_bounded(tmp_path, table, monkeypatch) -> None:
    monkeypatch.setattr(recent, "ROOM", 2 * 18 * 8)
    store, reads = _store(tmp_path, table), RecentReads()
    for dataset in ("d", "e", "d", "f", "d", "e"):
        reads.read(store, dataset, table, np.arange(2), ["a"])
    assert store.reads == 4  # 'e' has made room for 'f'
    assert reads._bytes == 2 * 18 * 8 and len(reads._held) == 2
