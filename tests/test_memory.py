"""Memory that must not grow with the number of samples: peaks of allocations at two sizes."""

from __future__ import annotations

import errno
import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common.core.documents import indented_json
from common.engine import publish
from common.metrics.events.lists import EventList
from common.metrics.events.recordings import SoundEvents
from common.metrics.events.tallies import by_intersection
from common.pages.listening.sample_lists import SampleKeys
from common.predictions import inputs
from common.predictions import parts as layout
from common.predictions import store as module
from common.predictions.inputs import Source, chunks, pieces
from common.predictions.store import PredictionStore
from common.samples.folder_adapter import CsvTable

COLUMNS = ["number"]
SECOND = 10**9
#: so much may the peak of ten times the samples be larger
GROWTH = 1.5


def peak_of(work: Callable[[], object]) -> int:
    """Largest number of bytes that were allocated at once."""
    work()  # what is imported and kept once does not count
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_table_of_numbers_as_json_needs_little_more_than_its_text() -> None:
    content = {"counts": [[0] * 500 for _ in range(500)]}
    text = indented_json(content)
    assert text == json.dumps(content, indent=1)
    assert peak_of(lambda: indented_json(content)) < 10_000_000 + 3 * len(text)


def test_counts_of_recordings_hold_no_table_of_labels_by_labels_for_each() -> None:
    number, labels = 200, tuple(f"label-{n}" for n in range(100))
    file, label = np.divmod(np.arange(number * 2), 2)
    onset = np.zeros(len(file))
    listed = EventList(file, label, onset, onset + 2)
    events = SoundEvents(labels, listed, np.full(number, 10.0))
    counts = by_intersection(events, events, dtc=0.5, gtc=0.5)
    assert counts.tp.sum() == counts.ref.sum() == counts.sys.sum() == 2 * number
    cells = number * len(labels)
    assert peak_of(lambda: by_intersection(events, events, dtc=0.5, gtc=0.5)) < 100 * 8 * cells / 4


def table(count: int, per_file: int = 100) -> pd.DataFrame:
    numbers = np.arange(count)
    files = [f"recordings/{n // per_file:06d}.wav" for n in numbers]
    start = numbers % per_file * SECOND
    return pd.DataFrame({"file": files, "start": start, "end": start + 5 * SECOND})


def filled(folder: Path, count: int, step: int = 1000) -> PredictionStore:
    store, keys = PredictionStore(folder), table(count)
    for start in range(0, count, step):
        rows = keys.iloc[start : start + step]
        store.append(rows, np.arange(start, start + len(rows))[:, None] / 7, COLUMNS)
    return store


def source(count: int, per_file: int = 100) -> Source:
    dataset = SimpleNamespace(database="db", version="1.0.0")
    one = Source(SimpleNamespace(dataset=dataset))  # type: ignore[arg-type]
    one.add("data", table(count, per_file))
    one.freeze()
    return one


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "PART_ROWS", 4000)


def test_reading_a_part_of_a_store_needs_no_more_if_more_is_stored(
    tmp_path: Path, small_parts: None
) -> None:
    peaks = []
    for count in (8000, 80_000):
        store = filled(tmp_path / str(count), count)
        store.compact()
        keys = table(count).iloc[500:1500]
        assert store.read(keys, COLUMNS).found.all()
        peaks.append(peak_of(lambda: store.read(keys, COLUMNS)))  # noqa: B023
    assert peaks[1] < GROWTH * peaks[0]


def test_putting_files_together_needs_no_more_if_there_are_more(
    tmp_path: Path, small_parts: None
) -> None:
    peaks = []
    for count in (8000, 80_000):
        stores = [filled(tmp_path / f"{count}-{turn}", count) for turn in range(2)]
        peaks.append(peak_of(lambda: stores.pop().compact()))  # noqa: B023
        assert not stores
        parts = layout.parts_of(tmp_path / f"{count}-0")
        assert len(parts) == count // 4000
        back = PredictionStore(tmp_path / f"{count}-0").read(table(count), COLUMNS)
        assert back.values[:, 0].tolist() == (np.arange(count) / 7).tolist() and back.found.all()
    assert peaks[1] < GROWTH * peaks[0]


def test_files_of_other_recordings_are_not_read(
    tmp_path: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path, 40_000)
    store.compact()
    parts, original = [], module._content
    monkeypatch.setattr(
        module, "_content", lambda part, *a: parts.append(part) or original(part, *a)
    )
    keys = table(40_000)
    assert store.read(keys.iloc[[0, 10]], COLUMNS).found.all() and len(parts) == 1
    parts.clear()
    assert store.read(keys.iloc[[0, 39_999]], COLUMNS).found.all()
    parts.clear()
    assert not store.read(keys.iloc[:3].assign(file="zzz"), COLUMNS).found.any() and not parts


def test_work_is_handed_out_chunk_by_chunk() -> None:
    """A database of many short files: what is to be done is not listed beforehand."""
    peaks = []
    for count in (5000, 50_000):
        one = source(count, per_file=1)
        missing = np.ones(count, dtype=bool)
        fixed = peak_of(lambda: next(pieces(one, missing)))  # noqa: B023
        whole = peak_of(lambda: sum(1 for _ in chunks(pieces(one, missing))))  # noqa: B023
        peaks.append(whole - fixed)
    assert peaks[1] < 100_000


def test_workers_do_not_end_their_chunks_at_the_same_time() -> None:
    """24 files of 5 s make a chunk; all are handed out, in order."""
    one = source(240, per_file=1)
    missing = np.ones(240, dtype=bool)

    def sizes(workers: int) -> list[int]:
        found = list(chunks(pieces(one, missing), workers))
        assert [i for chunk in found for piece in chunk for i in piece.ids] == [*range(240)]
        return [len(chunk) for chunk in found]

    assert sizes(1) == [24] * 10
    assert sizes(2) == [12, *[24] * 9, 12]
    assert sizes(4) == [6, 12, 18, *[24] * 8, 12]


def test_segments_are_no_objects() -> None:
    """Segments of a database take no more than their numbers, whatever is asked of single ones."""
    before, after = (peak_of(lambda count=count: source(count)) for count in (20_000, 40_000))
    assert (after - before) / 20_000 < 250
    one = source(20_000)
    ids = np.array([150, 3])
    assert one.column("file", ids) == ("recordings/000001.wav", "recordings/000000.wav")
    assert one.column("start", ids) == (50 * SECOND, 3 * SECOND)
    assert one.column("end", ids) == (55 * SECOND, 8 * SECOND)
    assert {type(value) for value in one.column("start", ids)} == {int}


def test_equal_texts_of_a_table_are_one_object(tmp_path: Path) -> None:
    """100 recordings, 4 words; ten times the rows add numbers, not texts."""
    peaks = []
    for count in (20_000, 40_000):
        path = tmp_path / f"{count}.csv"
        rows = (f"recording-{n % 100:020d}.wav,word {n % 4}" for n in range(count))
        path.write_text("\n".join(["file,label", *rows, ""]), "utf-8")
        peaks.append(peak_of(lambda: CsvTable(path, "")))  # noqa: B023
    assert (peaks[1] - peaks[0]) / 20_000 < 50, "bytes per row"


def test_keys_of_samples_are_made_when_asked_for() -> None:
    rows = table(40_000)
    keys = SampleKeys(rows)
    assert keys[150] == ("recordings/000001.wav", 50 * SECOND, 55 * SECOND)
    assert keys[150:152] == [keys[150], keys[151]] and len(keys) == 40_000
    assert peak_of(lambda: SampleKeys(rows)) / 40_000 < 60
    assert peak_of(lambda: [keys[n] for n in range(0, 40_000, 10_000)]) < 10_000


def test_figures_are_begun_before_too_many_predictions_wait(
    mini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are the same, however often they are written."""
    waiting: list[int] = []
    original = publish.Publisher.write
    monkeypatch.setattr(
        publish.Publisher, "write", lambda self: waiting.append(len(self._due)) or original(self)
    )
    mini.run()
    first = mini.files()
    calls = len(waiting)
    monkeypatch.setattr(publish, "HELD_BYTES", 1)
    mini.run(force=True)
    assert mini.files() == first
    assert len(waiting) > calls + 5 and max(waiting[calls:]) < max(waiting[:calls])


def test_many_values_lie_in_a_file_that_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(0).random((100_000, 4))
    monkeypatch.setattr(inputs, "FILED_BYTES", numbers.nbytes)
    filed = inputs.evictable(numbers, tmp_path / "there" / "will be a store")
    assert filed is not numbers and type(filed) is np.ndarray
    assert isinstance(filed.base, np.memmap)
    np.testing.assert_array_equal(filed, numbers)
    filed[0] = 2
    assert filed[:2].sum() == 8 + numbers[1].sum()
    assert list(tmp_path.iterdir()) == []
    fewer = numbers[1:]
    assert inputs.evictable(fewer, tmp_path) is fewer
    objects = np.empty((1_000_000, 4), dtype=object)
    assert inputs.evictable(objects, tmp_path) is objects


def test_without_room_on_disk_values_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*room: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(inputs, "FILED_BYTES", 0)
    monkeypatch.setattr(os, "posix_fallocate", full)
    values = np.zeros((3, 2))
    assert inputs.evictable(values, tmp_path) is values
    assert list(tmp_path.iterdir()) == []
