"""From a table of events to the annotations of recordings: one sample per file.

The samples of a dataset with sound events are whole files. Their events stand in a table of
their own, or the table of the samples is the one of the events; then a row without label is a
recording without events.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..core.errors import DataError
from ..metrics.events.lists import EventList, merged
from ..spec import Column, Dataset, Target
from ..spec.kinds.events import Annotation
from .base import KEYS
from .entries import place
from .event_lists import EventTable, check_events
from .event_lists.checking import SLACK_S
from .protocol import Tables


class WholeFiles:
    """Tables whose samples are files: rows of one file become one row.

    Args:
        dataset: the entry
        tables: tables of its database
    """

    def __init__(self, dataset: Dataset, tables: Tables):
        self.dataset = dataset
        self._tables = tables

    def __getattr__(self, name: str) -> object:
        return getattr(self._tables, name)

    def is_segmented(self, table: str) -> bool:
        """No table is, as files are the samples."""
        return False

    def keys(self, table: str) -> pd.DataFrame:
        """One row per file, in the order of first occurrence."""
        files = self._tables.keys(table)["file"].drop_duplicates().to_numpy()
        return pd.DataFrame({"file": files, "start": 0, "end": -1})[KEYS]

    def values(self, table: str, column: str) -> np.ndarray:
        """Value of each file."""
        return self._of_files(table, self._tables.values(table, column), column)

    def mapped(self, table: str, column: str, key: str, place: str) -> np.ndarray:
        """Mapped value of each file."""
        return self._of_files(table, self._tables.mapped(table, column, key, place), column)

    def _of_files(self, table: str, values: np.ndarray, column: str) -> np.ndarray:
        """Value of each file; refuses rows of a file that differ."""
        codes, names = pd.factorize(self._tables.keys(table)["file"].to_numpy(dtype=object))
        file_values = np.full(len(names), None, dtype=object)
        seen = np.zeros(len(names), dtype=bool)
        for code, value in zip(codes, values, strict=True):
            if seen[code] and file_values[code] != value:
                raise DataError(
                    f"{place(self.dataset)}: table '{table}': '{names[code]}' has several values"
                    f" of '{column}', {file_values[code]!r} and {value!r}; a sample is a whole file"
                )
            file_values[code], seen[code] = value, True
        return file_values


def annotated(
    dataset: Dataset,
    tables: Tables,
    samples: str,
    target: Target,
    source: Column,
    files: list[str],
) -> np.ndarray:
    """Annotations of the files of a sample table.

    Args:
        dataset: the entry
        tables: tables of its database
        samples: name of the sample table
        target: sound events
        source: where the entry says that they are
        files: the files, each once

    Returns:
        :class:`~common.spec.kinds.events.Annotation` per file, shape (N,)

    Raises:
        DataError: with table, row and file, for an event that cannot be right
    """
    table = source.table or samples
    durations = tables.durations(files)
    for file in files:
        if not durations.get(file, 0) > 0:
            raise DataError(f"{place(dataset)}: '{file}': its duration is not known")
    events = tables.events(table, source.column, durations)
    file_names = set(files)
    events = events[np.array([file in file_names for file in events.file], dtype=bool)]
    if table != samples and not len(events):
        where = place(dataset, f"columns.{target.id}")
        raise DataError(f"{where}: table '{table}' has none of the files of '{samples}'")
    events = _renamed(dataset, target, events[events.is_event])
    check_events(
        events,
        labels=target.labels,
        durations=durations,
        overlap="error" if source.overlap == "error" else "allow",
        repeated="error" if source.overlap == "error" else "allow",
    )
    coded_events, _ = events.encode(files, target.labels)
    if source.overlap == "merge":
        coded_events = merged(coded_events)
    return _by_file(coded_events, files, durations)


def _renamed(dataset: Dataset, target: Target, events: EventTable) -> EventTable:
    """Events with the labels of the target; labels that are mapped to nothing are left out."""
    mapping = dataset.mapping
    if any(isinstance(labels, Mapping) for labels in mapping.values()):
        mapping = mapping.get(target.id, {})
    names = {str(old): new for old, new in mapping.items()}
    label = np.array([names.get(name, name) for name in events.label], dtype=object)
    mask = np.array([name is not None for name in label], dtype=bool)
    return EventTable(
        events.file[mask],
        events.onset[mask],
        events.offset[mask],
        label[mask],
        events.row[mask],
        events.source[mask],
    )


def _by_file(events: EventList, files: list[str], durations: Mapping[str, float]) -> np.ndarray:
    """Annotation of each file; events that are rounded beyond its end are cut there."""
    events = events[events.order()]
    borders = np.searchsorted(events.file, np.arange(len(files) + 1))
    file_annotations = np.empty(len(files), dtype=object)
    for number, file in enumerate(files):
        part = events[borders[number] : borders[number + 1]]
        duration = float(durations[file])
        offset = np.minimum(part.offset, duration)
        onset = np.minimum(part.onset, offset)
        file_annotations[number] = Annotation(duration, onset, offset, part.label)
    return file_annotations


__all__ = ["SLACK_S", "WholeFiles", "annotated"]
