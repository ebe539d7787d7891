"""Datasets in audformat: a folder with ``db.yaml``, tables and audio."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core import parquet
from ..core.errors import DataError
from ..core.provenance import digest
from ..spec import Dataset, Target, read_yaml
from .base import KEYS, Samples, definition, media_fingerprint
from .entries import place
from .event_lists import EventTable, durations_of_audio, from_audformat
from .event_lists.databases import HEADER, open_database
from .tables import missing, objects, sample_table

#: files -> length of each in s
Durations = Callable[[Collection[str]], dict[str, float]]


class AudformatTables:
    """Tables of an ``audformat.Database``, for :func:`~common.samples.tables.sample_table`.

    Args:
        db: the database
        where: start of messages about it
        durations: files -> length of each in s
    """

    def __init__(self, db: Any, where: str, durations: Durations):
        self.db = db
        self.where = where
        self._durations = durations
        self._keys: dict[str, pd.DataFrame] = {}

    def names(self) -> list[str]:
        return list(self.db.tables)

    def unusable(self) -> dict[str, str]:
        why = "has no files; name a column whose scheme it describes, and use 'map'"
        return dict.fromkeys(self.db.misc_tables, why)

    def columns(self, table: str) -> list[str]:
        return list(self.db[table].columns)

    def is_segmented(self, table: str) -> bool:
        return bool(self.db[table].is_segmented)

    def keys(self, table: str) -> pd.DataFrame:
        if table not in self._keys:
            index = self._frame(table).index
            files = index.get_level_values("file").astype(object)
            keys = pd.DataFrame({"file": np.asarray(files, dtype=object), "start": 0, "end": -1})
            if self.is_segmented(table):
                for level, missing_time in (("start", 0), ("end", -1)):
                    times = index.get_level_values(level)
                    ns = times.to_numpy(dtype="timedelta64[ns]").astype(np.int64)
                    keys[level] = np.where(times.isna(), missing_time, ns)
            self._keys[table] = keys[KEYS]
        return self._keys[table]

    def values(self, table: str, column: str) -> np.ndarray:
        return objects(self._frame(table)[column])

    def mapped(self, table: str, column: str, key: str, place: str) -> np.ndarray:
        scheme_id = self.db[table].columns[column].scheme_id
        if scheme_id is None:
            raise DataError(f"{place}: column '{column}' of table '{table}' has no scheme")
        labels = self.db.schemes[scheme_id].labels
        if isinstance(labels, str):
            frame = self._frame(labels)
            if key not in frame:
                raise missing(f"column of table '{labels}'", key, frame.columns, place)
            chosen = dict(zip(frame.index, objects(frame[key]), strict=True))
        else:
            fields = labels if isinstance(labels, Mapping) else {}
            field_names = {field: None for entry in fields.values() for field in _fields(entry)}
            if key not in field_names:
                raise missing(f"key of the labels of scheme '{scheme_id}'", key, field_names, place)
            chosen = {label: _fields(entry).get(key) for label, entry in fields.items()}
        values = [chosen.get(value) for value in self.values(table, column)]
        return objects(pd.Series(values, dtype=object))

    def events(self, table: str, column: str, durations: Mapping[str, float]) -> EventTable:
        source = f"{self.where}: table '{table}'"
        frame = self._frame(table)
        return from_audformat(frame, column, durations=durations, source=source)

    def durations(self, files: Collection[str]) -> dict[str, float]:
        return self._durations(files)

    def _frame(self, table: str) -> pd.DataFrame:
        with readable(f"{self.where}: table '{table}'"):
            frame: pd.DataFrame = self.db[table].df
        return frame


def _fields(entry: Any) -> Mapping[str, Any]:
    return entry if isinstance(entry, Mapping) else {}


#: what audformat raises for files that hold something else than it expects
DAMAGED = (OSError, ValueError, RuntimeError, LookupError, TypeError, AttributeError)


@contextlib.contextmanager
def readable(where: str) -> Iterator[None]:
    """Turn what audformat and its readers raise about broken files into a DataError."""
    import yaml

    try:
        yield
    except DataError:
        raise
    except (*DAMAGED, yaml.YAMLError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise DataError(f"{where}: cannot be read: {lines[0]}") from error


def availability(dataset: Dataset, cache: Path, *, download: bool) -> str:
    """Empty if the folder holds a database."""
    for folder in (dataset.resolve(dataset.path), _audio_root(dataset)):
        if not folder.is_dir():
            return f"folder {folder} does not exist"
    root = dataset.resolve(dataset.path)
    return "" if (root / HEADER).is_file() else f"folder {root} holds no {HEADER}"


def columns(dataset: Dataset) -> list[str]:
    """Columns that all sample tables have."""
    header = dataset.resolve(dataset.path) / HEADER
    tables = _header(header, header.stat().st_mtime_ns) if header.is_file() else {}
    headers = [tables.get(name, []) for name in dataset.tables]
    return (
        [name for name in headers[0] if all(name in other for other in headers)] if headers else []
    )


@lru_cache
def _header(path: Path, changed: int) -> dict[str, list[str]]:
    """Tables and their columns; asked often while a run is planned."""
    content = read_yaml(path)
    tables = content.get("tables") if isinstance(content, dict) else None
    return {
        name: list((table or {}).get("columns") or ()) for name, table in (tables or {}).items()
    }


def fingerprint(dataset: Dataset, cache: Path) -> str:
    """Hash of header, tables and sizes of the audio files."""
    root = dataset.resolve(dataset.path)
    content = hashlib.sha256()
    for path in sorted(root.glob("db.*")):
        content.update(path.name.encode() + b"\0" + path.read_bytes())
    audio = media_fingerprint(_audio_root(dataset), _audio(dataset, root))
    return digest([definition(dataset), content.hexdigest(), audio])


def load(
    dataset: Dataset, cache: Path, targets: Mapping[str, Target], *, download: bool
) -> Samples:
    """Sample table; the audio stays where it is."""
    root = _audio_root(dataset)
    table = sample_table(dataset, _tables(dataset), targets)
    audio = media_fingerprint(root, table["file"].unique())
    return Samples(dataset, table, root, fingerprint(dataset, cache), audio, cache, download)


def media(samples: Samples, files: Collection[str]) -> Path:
    """The folder with the audio."""
    return samples.root


def _audio_root(dataset: Dataset) -> Path:
    """Folder that the files of the tables are relative to."""
    return dataset.resolve(dataset.audio or dataset.path)


def _tables(dataset: Dataset) -> AudformatTables:
    root = dataset.resolve(dataset.path)
    with readable(f"{place(dataset, 'path')}: {root / HEADER}"):
        db = open_database(root)
    audio = _audio_root(dataset)
    return AudformatTables(db, place(dataset), lambda files: durations_of_audio(audio, files))


def _audio(dataset: Dataset, root: Path) -> list[str]:
    """Files of the sample tables, if possible without audformat; none of what is broken."""
    files: list[str] = []
    for name in dataset.tables:
        columns, csv = root / f"db.{name}.parquet", root / f"db.{name}.csv"
        with contextlib.suppress(OSError, ValueError, LookupError, DataError):
            if columns.is_file():
                files += parquet.table(columns, ["file"])["file"].to_pylist()
            elif csv.is_file():
                files += pd.read_csv(csv, usecols=["file"], dtype=str)["file"].tolist()
            else:
                files += _tables(dataset).keys(name)["file"].tolist()
    return list(dict.fromkeys(str(file) for file in files))
