"""Datasets without a framework: a folder with audio and a ``metadata.csv``.

One row per file or segment. Column ``file`` is the path relative to the folder; ``start`` and
``end`` are optional, in seconds or as audformat writes them (``0 days 00:00:01.5``). All other
columns are labels; the entry may pick and rename them with ``columns``. Empty fields and the
words in :data:`MISSING` are missing values. A comma, semicolon or tab separates fields.
"""

from __future__ import annotations

import csv
import hashlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.errors import DataError
from ..core.provenance import digest
from ..core.wording import counted
from ..spec import Dataset, Target
from .base import KEYS, MOST_COLUMNS, Samples, definition, media_fingerprint
from .entries import needed, place
from .event_lists import EventTable, durations_of_audio, read_events
from .event_lists.columns import NAMES, find_columns
from .tables import missing, sample_table

METADATA = "metadata.csv"
MISSING = frozenset({"", "NA", "NaN", "nan", "NaT", "<NA>", "null", "None"})
DELIMITERS = ",;\t"
#: different texts of a table that are looked up; what is more often another one is not worth it
MOST_SHARED = 1 << 17


class CsvTable:
    """One CSV file, read and checked.

    Args:
        path: the file
        where: start of messages, before the path; may be empty
        only: columns that are kept; empty: all

    Attributes:
        lines: line of each row in the file, shape (N,)
        columns: name -> text of each row; equal texts are one object, up to :data:`MOST_SHARED` of them

    Raises:
        DataError: if it is no table with a column ``file``, or has too many columns
    """

    def __init__(self, path: Path, where: str, only: Collection[str] = ()):
        self.where = f"{where}: {path}" if where else str(path)
        self.columns: dict[str, list[str]] = {}
        lines = array("q")
        rows = self._rows(path)
        _, first = next(rows, (0, None))
        if first is None:
            raise DataError(f"{self.where}: is empty")
        if len(first) > MOST_COLUMNS:
            fault = f"{len(first):,} columns, at most {MOST_COLUMNS:,} are read"
            raise DataError(f"{self.where}: {fault}")
        header = [name.strip() for name in first]
        if "file" not in header:
            raise missing("column", "file", header, self.where)
        repeated = [name for name, number in Counter(header).items() if number > 1]
        if repeated:
            raise DataError(f"{self.where}: column '{min(repeated)}' appears twice")
        self.columns = {name: [] for name in header if not only or name in only}
        numbered = [
            (n, self.columns[name]) for n, name in enumerate(header) if name in self.columns
        ]
        shared: dict[str, str] = {}
        for line, row in rows:
            if len(row) != len(header):
                fault = f"{counted(len(row), 'field')}, expected {len(header)}"
                raise DataError(f"{self.where}: line {line}: {fault}")
            lines.append(line)
            for n, column in numbered:
                text = row[n].strip()
                if len(shared) < MOST_SHARED:
                    column.append(shared.setdefault(text, text))
                else:
                    column.append(shared.get(text, text))
        self.lines = np.frombuffer(lines, dtype=np.int64) if lines else np.empty(0, dtype=np.int64)

    def _rows(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        """Lines that are not empty, with their numbers."""
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                first = file.readline()
                file.seek(0)
                reader = csv.reader(file, delimiter=_delimiter(first), skipinitialspace=True)
                for row in reader:
                    if any(row):
                        yield reader.line_num, row
        except FileNotFoundError:
            raise DataError(f"{self.where}: no such file") from None
        except UnicodeDecodeError:
            raise DataError(f"{self.where}: is not UTF-8 text") from None
        except (OSError, csv.Error) as error:
            raise DataError(f"{self.where}: cannot be read: {error}") from None

    @property
    def is_segmented(self) -> bool:
        """Whether there is a start or an end anywhere."""
        return any(set(self.columns.get(name, ())) - MISSING for name in ("start", "end"))

    def files(self) -> list[str]:
        """File of each row, with forward slashes; raises DataError if one is missing."""
        files = self.columns["file"]
        if not all(files):
            raise DataError(f"{self.where}: line {self.lines[files.index('')]}: file: missing")
        return [file.replace("\\", "/") for file in files]

    def keys(self) -> pd.DataFrame:
        """Columns file, start and end, as in :class:`common.samples.tables.Tables`."""
        keys = pd.DataFrame({"file": np.array(self.files(), dtype=object)})
        for name, default in (("start", 0), ("end", -1)):
            texts = self.columns.get(name)
            if texts is None:
                keys[name] = np.full(len(keys), default, dtype=np.int64)
                continue
            times = (
                default if text in MISSING else self._time(text, line, name)
                for line, text in zip(self.lines, texts, strict=True)
            )
            keys[name] = np.fromiter(times, np.int64, len(texts))
        return keys

    def _time(self, text: str, line: int, name: str) -> int:
        seconds = float("nan")
        try:
            seconds = float(text)
        except ValueError:
            # pandas drops commas: it would take "0,50" for 50 ns
            if "," not in text:
                with suppress(ValueError):
                    return int(pd.Timedelta(text).value)
        if not abs(seconds) < 1e9:
            where = f"{self.where}: line {line}"
            raise DataError(f"{where}: {name} = {text!r} is no time; expected seconds, such as 0.5")
        return round(seconds * 1e9)


class FolderTables:
    """CSV files of a dataset, for :func:`~common.samples.tables.sample_table`."""

    def __init__(self, dataset: Dataset):
        self.dataset = dataset
        self._tables: dict[str, CsvTable] = {}

    def names(self) -> list[str]:
        there = {name for name in needed(self.dataset) if _path(self.dataset, name).is_file()}
        return sorted(there | {_default(self.dataset), *_csv_files(self.dataset)})

    def unusable(self) -> dict[str, str]:
        return {}

    def columns(self, table: str) -> list[str]:
        path = _path(self.dataset, table)
        if table not in self._tables and path.is_file() and self._is_event_list(table):
            return _names_of_events(path)
        return [name for name in self._table(table).columns if name not in KEYS]

    def _is_event_list(self, table: str) -> bool:
        """Whether only events come from a table, which may have other names for the keys."""
        return table not in (*self.dataset.tables, _default(self.dataset))

    def is_segmented(self, table: str) -> bool:
        return self._table(table).is_segmented

    def keys(self, table: str) -> pd.DataFrame:
        return self._table(table).keys()

    def values(self, table: str, column: str) -> np.ndarray:
        values = [None if v in MISSING else v for v in self._table(table).columns[column]]
        return np.array(values, dtype=object)

    def mapped(self, table: str, column: str, key: str, place: str) -> np.ndarray:
        raise DataError(f"{place}: a CSV file has no schemes; use 'table' to name another file")

    def events(self, table: str, column: str, durations: Mapping[str, float]) -> EventTable:
        path = _path(self.dataset, table)
        names = _names_of_events(path)
        columns = find_columns(names) or {}
        if names.index(column) != columns.get("label"):
            aliases = ", ".join(NAMES["label"])
            raise DataError(f"{path}: labels of events stand in a column named: {aliases}")
        return read_events(path)

    def durations(self, files: Collection[str]) -> dict[str, float]:
        return durations_of_audio(_root(self.dataset), files)

    def _table(self, name: str) -> CsvTable:
        if name not in self._tables:
            self._tables[name] = CsvTable(_path(self.dataset, name), place(self.dataset))
        return self._tables[name]


def availability(dataset: Dataset, cache: Path, *, download: bool) -> str:
    """Empty if the folder and its table are there."""
    path = dataset.resolve(dataset.path)
    if not path.exists():
        return f"folder {path} does not exist"
    first = _path(dataset, (*dataset.tables, _default(dataset))[0])
    return "" if first.is_file() else f"folder {path} holds no {first.name}"


def columns(dataset: Dataset) -> list[str]:
    """Columns that all sample tables have."""
    paths = [_path(dataset, name) for name in dataset.tables or (_default(dataset),)]
    headers = [_header(path, path.stat().st_mtime_ns) for path in paths if path.is_file()]
    return (
        [name for name in headers[0] if all(name in other for other in headers)] if headers else []
    )


@lru_cache
def _header(path: Path, changed: int) -> list[str]:
    """Names of the label columns; asked often while a run is planned."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline()
    names = next(csv.reader([first], delimiter=_delimiter(first), skipinitialspace=True), [])
    return [name.strip() for name in names if name.strip() not in KEYS]


def fingerprint(dataset: Dataset, cache: Path) -> str:
    """Hash of the CSV files and of the sizes of the audio files."""
    names = needed(dataset) or [_default(dataset)]
    content = hashlib.sha256()
    for name in names:
        path = _path(dataset, name)
        if not path.is_file():
            content.update(b"missing")
            continue
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                content.update(block)
    return digest([definition(dataset), content.hexdigest(), _media(dataset)])


def _media(dataset: Dataset) -> str:
    files: set[str] = set()
    for name in dataset.tables or (_default(dataset),):
        try:
            files |= set(CsvTable(_path(dataset, name), "", only=KEYS).keys()["file"])
        except DataError:  # told when the dataset is loaded
            continue
    return media_fingerprint(_root(dataset), files)


def load(
    dataset: Dataset, cache: Path, targets: Mapping[str, Target], *, download: bool
) -> Samples:
    """Sample table; the audio stays where it is."""
    table = sample_table(dataset, FolderTables(dataset), targets, default=[_default(dataset)])
    audio = media_fingerprint(_root(dataset), table["file"].unique())
    dataset_hash = fingerprint(dataset, cache)
    return Samples(dataset, table, _root(dataset), dataset_hash, audio, cache, download)


def media(samples: Samples, files: Collection[str]) -> Path:
    """The folder of the dataset."""
    return samples.root


def _root(dataset: Dataset) -> Path:
    path = dataset.resolve(dataset.path)
    return path.parent if path.is_file() else path


def _default(dataset: Dataset) -> str:
    """Name of the table if the entry names none: that of ``path`` if it is a file."""
    path = dataset.resolve(dataset.path)
    return path.name if path.is_file() else METADATA


def _path(dataset: Dataset, name: str) -> Path:
    """A table lies in the folder or beside the catalog; its extension may be left out."""
    root = _root(dataset)
    candidates = [root / name, root / f"{name}.csv", dataset.resolve(name)]
    return next((path for path in candidates if path.is_file()), candidates[0])


def _csv_files(dataset: Dataset) -> list[str]:
    return [path.name for path in _root(dataset).glob("*.csv")]


def _names_of_events(path: Path) -> list[str]:
    """Columns of an event list, which may have other names for the keys."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline()
    delimiter = max(DELIMITERS, key=first.count)
    names = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True), [])
    return [name.strip() for name in names]


def _delimiter(header: str) -> str:
    for delimiter in DELIMITERS:
        if "file" in (name.strip(' "\r\n\ufeff') for name in header.split(delimiter)):
            return delimiter
    return ","
