"""The prediction store: found by key, atomic, never a crash."""

from __future__ import annotations

import errno
import json
import logging
import os
import tempfile
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.core.errors import LengthError, OutputError
from common.predictions import store as module
from common.predictions.store import PredictionStore, match

COLUMNS = ["arousal", "valence"]


def table(count: int, per_file: int = 1) -> pd.DataFrame:
    numbers = np.arange(count)
    return pd.DataFrame(
        {
            "file": [f"audio/{n // per_file:05d}.wav" for n in numbers],
            "start": (numbers % per_file) * 10**9,
            "end": (numbers % per_file + 1) * 10**9 - (0 if per_file > 1 else 10**9 + 1),
        }
    )


def numbers(count: int, columns: int = 2) -> np.ndarray:
    return np.random.default_rng(count).random((count, columns)) / 3


@pytest.fixture
def store(tmp_path):
    return PredictionStore(tmp_path / "store", {"model": "mine", "version": "1.0.0"})


def parts(store):
    return sorted(store.folder.glob("*.parquet"))


def test_nothing_stored(store):
    values, found = store.read(table(3), COLUMNS)
    assert values.shape == (3, 2)
    assert np.isnan(values).all()
    assert found.tolist() == [False] * 3
    assert not store.folder.exists()


def test_values_come_back_to_the_last_bit(store):
    keys, values = table(50, per_file=4), numbers(50)
    store.append(keys, values, COLUMNS)
    back = store.read(keys, COLUMNS)
    assert back.values.tobytes() == values.tobytes()
    assert back.found.all()


def test_values_belong_to_keys_and_not_to_positions(store):
    """Fault A22: the reference gave cached values to rows by position."""
    keys, values = table(200, per_file=3), numbers(200)
    store.append(keys, values, COLUMNS)
    order = np.random.default_rng(0).permutation(200)
    back = store.read(keys.iloc[order], COLUMNS)
    np.testing.assert_array_equal(back.values, values[order])
    twice = store.read(keys.iloc[[5, 5, 199, 0]], COLUMNS)
    np.testing.assert_array_equal(twice.values, values[[5, 5, 199, 0]])


def test_what_is_missing(store):
    keys, values = table(10), numbers(10)
    store.append(keys.iloc[:6], values[:6], COLUMNS)
    back = store.read(keys, COLUMNS)
    assert back.found.tolist() == [True] * 6 + [False] * 4
    assert np.isnan(back.values[6:]).all()
    other = keys.iloc[:3].assign(start=1)
    assert not store.read(other, COLUMNS).found.any()


def test_columns(store):
    keys, values = table(4), numbers(4)
    store.append(keys, values, COLUMNS)
    swapped = store.read(keys, COLUMNS[::-1])
    np.testing.assert_array_equal(swapped.values, values[:, ::-1])
    more = store.read(keys, [*COLUMNS, "dominance"])
    assert not more.found.any()
    np.testing.assert_array_equal(more.values[:, :2], values)


def test_columns_of_several_parts_are_put_together(store):
    keys, values = table(4), numbers(4)
    store.append(keys, values[:, :1], COLUMNS[:1])
    store.append(keys, values[:, 1:], COLUMNS[1:])
    back = store.read(keys, COLUMNS)
    np.testing.assert_array_equal(back.values, values)
    assert back.found.all()


def test_rows_without_values_are_left_out(store):
    keys, values = table(3), numbers(3)
    values[1] = np.nan
    store.append(keys, values, COLUMNS)
    assert store.read(keys, COLUMNS).found.tolist() == [True, False, True]
    store.append(keys, np.full((3, 2), np.nan), COLUMNS)
    assert len(parts(store)) == 1


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
            st.integers(0, 3),
            st.sampled_from([-1, 5, 2**62]),
        ),
        unique=True,
        min_size=1,
        max_size=20,
    ),
    data=st.data(),
)
def test_any_order_gives_the_same_values(rows, data):
    keys = pd.DataFrame(rows, columns=["file", "start", "end"])
    order = data.draw(st.permutations(range(len(rows))))
    with tempfile.TemporaryDirectory() as folder:
        store = PredictionStore(folder)
        values = numbers(len(rows))
        store.append(keys, values, COLUMNS)
        np.testing.assert_array_equal(
            store.read(keys.iloc[order], COLUMNS).values, values[list(order)]
        )


def test_name_of_a_part_is_its_content(store):
    keys, values = table(20), numbers(20)
    store.append(keys, values, COLUMNS)
    order = np.random.default_rng(0).permutation(20)
    store.append(keys.iloc[order], values[order], COLUMNS)
    assert len(parts(store)) == 1
    store.append(keys.iloc[:5], values[:5], COLUMNS)
    assert len(parts(store)) == 2
    assert store.read(keys, COLUMNS).found.all()


def test_description(store):
    store.append(table(1), numbers(1), COLUMNS)
    text = (store.folder / "key.json").read_text()
    assert json.loads(text) == {"model": "mine", "version": "1.0.0"}


def test_wrong_shape(store):
    with pytest.raises(
        LengthError, match=r"store: values have the shape \(2, 2\), expected \(3, 2\)"
    ):
        store.append(table(3), numbers(2), COLUMNS)


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "text"])
def test_damaged_part_is_missing_and_set_aside(store, damage, caplog):
    keys, values = table(40), numbers(40)
    store.append(keys.iloc[:20], values[:20], COLUMNS)
    (broken,) = parts(store)
    store.append(keys.iloc[20:], values[20:], COLUMNS)
    data = bytearray(broken.read_bytes())
    data[len(data) // 2] ^= 1
    content = {"truncated": data[:-30], "empty": b"", "changed": data, "text": b"no parquet"}
    broken.write_bytes(content[damage])
    with caplog.at_level(logging.WARNING):
        back = store.read(keys, COLUMNS)
    assert back.found.tolist() == [False] * 20 + [True] * 20
    assert "damaged: " in caplog.text and "it is set aside and made again" in caplog.text
    assert not broken.exists()
    assert broken.with_name(broken.name + ".broken").exists()
    store.append(keys.iloc[:20], values[:20], COLUMNS)
    np.testing.assert_array_equal(store.read(keys, COLUMNS).values, values)


def test_part_that_is_no_table_of_predictions(store, caplog):
    store.append(table(2), numbers(2), COLUMNS)
    data = module._encode(pd.DataFrame({"file": table(1)["file"], "other": [1.0]}))
    (store.folder / module._name(data)).write_bytes(data)
    assert not store.read(table(3), COLUMNS).found[2]
    assert "columns are missing" in caplog.text


def test_damaged_part_that_cannot_be_moved(store, caplog, monkeypatch):
    store.append(table(2), numbers(2), COLUMNS)
    (part,) = parts(store)
    part.write_bytes(b"")
    monkeypatch.setattr(type(part), "rename", _fails(errno.EROFS))
    assert not store.read(table(2), COLUMNS).found.any()
    assert "cannot be set aside" in caplog.text


def _fails(number):
    def function(*args, **kwargs):
        raise OSError(number, os.strerror(number))

    return function


def test_compact(store):
    keys, values = table(30), numbers(30)
    for n in range(0, 30, 5):
        store.append(keys.iloc[n : n + 7], values[n : n + 7], COLUMNS)
    assert store.compact() == 6
    assert len(parts(store)) == 1
    np.testing.assert_array_equal(store.read(keys, COLUMNS).values, values)
    before = parts(store)
    assert store.compact() == 1
    assert parts(store) == before


def test_compact_keeps_a_part_that_holds_everything(store):
    keys, values = table(30), numbers(30)
    store.append(keys, values, COLUMNS)
    store.append(keys.iloc[:3], values[:3], COLUMNS)
    store.compact()
    assert len(parts(store)) == 1
    assert store.read(keys, COLUMNS).found.all()


def test_part_that_is_compacted_away_while_reading(store, monkeypatch):
    keys, values = table(10), numbers(10)
    store.append(keys.iloc[:5], values[:5], COLUMNS)
    store.append(keys.iloc[5:], values[5:], COLUMNS)
    other = PredictionStore(store.folder)
    original = module._content
    seen = []

    def read(part, *args):
        if not seen:
            seen.append(part)
            other.compact()
        return original(part, *args)

    monkeypatch.setattr(module, "_content", read)
    np.testing.assert_array_equal(store.read(keys, COLUMNS).values, values)


def test_writers_at_the_same_time(store):
    keys, values = table(100), numbers(100)

    def write(first):
        own = PredictionStore(store.folder, store.description)
        for n in range(first, 100, 10):
            own.append(keys.iloc[n : n + 10], values[n : n + 10], COLUMNS)

    threads = [threading.Thread(target=write, args=(n,)) for n in (0, 0, 5, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(store.read(keys, COLUMNS).values, values)
    assert not list(store.folder.glob(".*.tmp"))


def test_disk_that_is_full_or_read_only(store, monkeypatch):
    monkeypatch.setattr(os, "fdopen", _fails(errno.ENOSPC))
    with pytest.raises(OutputError, match=r"cannot be written: No space left on device"):
        store.append(table(2), numbers(2), COLUMNS)
    assert not parts(store)
    monkeypatch.undo()
    store.folder.rmdir()
    store.folder.write_text("a file where the folder should be")
    store.append(table(2), numbers(2), COLUMNS)
    assert store.read(table(2), COLUMNS).found.all()
    assert store.folder.with_name("store.broken").read_text().startswith("a file where")


def test_hashes_that_collide(monkeypatch):
    """A collision makes a sample look missing; it never gets the value of another one."""
    monkeypatch.setattr(module, "_codes", lambda file, start, end: np.zeros(len(file), np.uint64))
    keys = table(3)
    assert match(keys, keys).tolist() == [0, -1, -1]
    assert match(keys.iloc[[2, 0]], keys).tolist() == [-1, 0]


def test_parts_of_a_key_are_not_mixed_up():
    """Swapped or shifted times are other samples."""
    keys = pd.DataFrame({"file": ["a", "a"], "start": [1, 2], "end": [2, 1]})
    codes = module._codes(*module._columns(keys))
    assert codes[0] != codes[1]
    assert match(keys.iloc[::-1], keys).tolist() == [1, 0]


def test_a_million_codes_do_not_collide():
    keys = table(100_000, per_file=100)
    assert len(np.unique(module._codes(*module._columns(keys)))) == len(keys)
