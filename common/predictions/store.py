"""Predictions on disk: what was predicted once is not predicted again.

A store is a folder for one (model, database, condition), each with everything that decides
about its predictions; the caller derives the folder from these and describes them in
``key.json``. It holds parquet files, each written at once and named by the hash of its
content, with the columns ``file``, ``start``, ``end`` and one per prediction, float64 and not
rounded. Values are found by (file, start, end), never by position. Several processes may
write at the same time; rows that are there twice are equal and read once.

A file holds at most about :data:`~common.predictions.parts.PART_ROWS` rows. One after the other is read, only the columns that
are asked for, and none whose recordings are not asked for: memory grows with what is asked, not with
what is stored.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import parquet
from ..core.errors import LengthError, OutputError, reason_of
from ..core.files import clear_way, keep, set_aside, write_bytes
from ..samples.base import KEYS
from .parts import SUFFIX, groups_of, overlaps, parts_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DESCRIPTION", "LEVELS", "PredictionStore", "Stored", "damage", "match", "parts_of"]

logger = logging.getLogger(__name__)

DESCRIPTION = "key.json"
#: folders of a cache above a part: of predictions, model, database and condition
LEVELS = 4
#: how often a folder is listed again when a file of it was compacted away meanwhile
_ATTEMPTS = 5


class Stored(NamedTuple):
    """What a store has.

    Args:
        values: shape (N, number of columns), blank where nothing is stored
        found: whether all columns of a row are there, bool, shape (N,)
    """

    values: np.ndarray
    found: np.ndarray


class PredictionStore:
    """Predictions of one model on one database in one condition.

    Args:
        folder: where they are; made with the first :meth:`append`
        description: what the folder is, written to ``key.json`` for people
        reads_only: whether files that are damaged stay where they are, for a run to make them again
    """

    def __init__(
        self,
        folder: Path,
        description: Mapping[str, Any] | None = None,
        *,
        reads_only: bool = False,
    ):
        self.folder = Path(folder)
        self._reads_only = reads_only
        self.description = dict(description or {})

    def read(self, keys: pd.DataFrame, columns: Sequence[str]) -> Stored:
        """Stored predictions of some samples.

        Of a file that is damaged a warning tells, and its predictions are missing; it is set aside, unless the store only reads.

        Args:
            keys: columns ``file``, ``start``, ``end``; N rows in any order
            columns: prediction columns

        Returns:
            values and whether they were found, in the order of ``keys``
        """
        values = self.blank(len(keys), len(columns))
        there = np.zeros(len(keys), dtype=bool)
        for _ in range(_ATTEMPTS if len(keys) else 0):
            try:
                self._fill(values, there, keys, columns)
                break
            except FileNotFoundError:
                # another process compacted the folder; what it removed is in a new file
                continue
        return Stored(values, ~self.is_blank(values).any(axis=1) & there)

    def _fill(
        self, values: np.ndarray, there: np.ndarray, keys: pd.DataFrame, columns: Sequence[str]
    ) -> None:
        """Put what files have where there is no value yet, and note which samples they have.

        Raises:
            FileNotFoundError: if a file is gone meanwhile
        """
        parts = self._parts()
        if parts:
            self._describe()
        files = keys["file"].to_numpy()
        first, last = (str(end(files)) for end in (min, max)) if len(parts) > 1 else ("", "")
        for part in parts:
            if len(parts) > 1 and not overlaps(part, first, last):
                continue
            open_rows = np.flatnonzero(self.is_blank(values).any(axis=1) | ~there)
            if not len(open_rows):
                return
            table = self._read(part, columns)
            if table is None:
                continue
            table = _distinct(table)
            rows = match(keys.iloc[open_rows], table)
            there[open_rows[rows >= 0]] = True
            for n, column in enumerate(columns):
                if column in table:
                    use = (rows >= 0) & self.is_blank(values[open_rows, n])
                    stored = table[column].to_numpy()[rows[use]]
                    values[open_rows[use], n] = self._unpacked(stored)

    def append(self, keys: pd.DataFrame, values: np.ndarray, columns: Sequence[str]) -> str:
        """Store predictions. Rows without any value are left out.

        Args:
            keys: columns ``file``, ``start``, ``end``; N rows
            values: shape (N, number of columns)
            columns: prediction columns

        Returns:
            name of the file that has them, empty if there is nothing to store

        Raises:
            LengthError: if rows or columns do not fit together
            OutputError: if the folder cannot be written
        """
        import pandas as pd

        if np.shape(values) != (len(keys), len(columns)):
            raise LengthError(
                f"{self.folder.name}: values have the shape {np.shape(values)}, "
                f"expected ({len(keys)}, {len(columns)})"
            )
        packed = self._packed(values)
        table = keys[KEYS].reset_index(drop=True)
        table = pd.concat([table, pd.DataFrame(packed, columns=list(columns))], axis=1)
        empty: np.ndarray = np.asarray(self.is_blank(packed).all(axis=1))
        return self._write(table.loc[~empty])

    def blank(self, rows: int, columns: int) -> np.ndarray:
        """Values that are not there yet: NaN."""
        return np.full((rows, columns), np.nan)

    def is_blank(self, values: np.ndarray) -> np.ndarray:
        """Where there is no value."""
        return np.isnan(values)

    def _packed(self, values: Any) -> np.ndarray:
        """Values as they stand in the files."""
        return np.asarray(values, dtype=np.float64)

    def _unpacked(self, column: np.ndarray) -> np.ndarray:
        """Values of a column of the files."""
        return column

    def compact(self) -> int:
        """Put small files together into as few as :data:`~common.predictions.parts.PART_ROWS` allows; returns how many there were.

        Raises:
            OutputError: if the folder cannot be written
        """
        parts = self._parts()
        try:
            for group in groups_of(parts):
                file_name = self._write(self._table(group))
                for part in group:
                    if part.name != file_name:
                        part.unlink(missing_ok=True)
        except FileNotFoundError:
            logger.debug("%s: another process puts it together", self.folder)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from None
        return len(parts)

    def table(self) -> pd.DataFrame:
        """All rows, each sample once: ``file``, ``start``, ``end`` in ns, and the predictions.

        A file that is damaged is set aside with a warning.
        """
        return self._table()

    def _parts(self) -> list[Path]:
        return parts_of(self.folder)

    def _table(self, parts: Sequence[Path] | None = None) -> pd.DataFrame:
        """All rows, each sample once."""
        import pandas as pd

        for attempt in range(_ATTEMPTS):
            try:
                tables = [self._read(part) for part in (self._parts() if parts is None else parts)]
                break
            except FileNotFoundError:
                # another process compacted the folder; what it removed is in a new file
                if parts is not None or attempt == _ATTEMPTS - 1:
                    raise
        good = [table for table in tables if table is not None]
        if not good:
            return pd.DataFrame(columns=KEYS)
        return _distinct(good[0] if len(good) == 1 else pd.concat(good, ignore_index=True))

    def _read(self, part: Path, columns: Sequence[str] | None = None) -> pd.DataFrame | None:
        """Rows of a file, None if it is damaged; ``columns`` as in :func:`_content`."""
        try:
            return _content(part, columns)
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            if self._reads_only:
                logger.warning("%s: damaged: %s", part, reason_of(error))
            else:
                set_aside(part, f"damaged: {reason_of(error)}")
            return None

    def _describe(self) -> None:
        """Write what the folder is, also where that was lost or damaged."""
        if self.description:
            text = json.dumps(self.description, indent=1, ensure_ascii=False, default=str)
            keep(self.folder / DESCRIPTION, text + "\n")

    def _write(self, table: pd.DataFrame) -> str:
        """Write a part; returns the name of its file, empty if there is nothing to write."""
        if table.empty:
            return ""
        data = _encode(_distinct(table).sort_values(KEYS, kind="stable", ignore_index=True))
        name = _name(data)
        clear_way(self.folder / name, LEVELS)
        self._describe()
        if not (self.folder / name).exists():
            write_bytes(self.folder / name, data)
        return name


def damage(part: Path) -> str:
    """What is wrong with a file of a store; empty if nothing is."""
    try:
        _content(part)
    except (OSError, ValueError) as error:
        return reason_of(error)
    return ""


def match(keys: pd.DataFrame, table: pd.DataFrame) -> np.ndarray:
    """Row of each sample in a table.

    Compared by a 64-bit hash first and then in full, so that a collision of hashes costs a
    prediction made again but never gives the value of another sample.

    Args:
        keys: columns ``file``, ``start``, ``end``; N rows
        table: the same columns, each sample once

    Returns:
        positions in ``table``, -1 where there is none, shape (N,)

    >>> import pandas as pd
    >>> table = pd.DataFrame({"file": ["a", "b"], "start": [0, 0], "end": [-1, -1]})
    >>> match(table.iloc[[1, 1, 0]], table)
    array([1, 1, 0])
    """
    import pandas as pd

    key_columns, stored = _columns(keys), _columns(table)
    codes = pd.Index(_codes(*stored))
    first = np.flatnonzero(~codes.duplicated())
    positions = codes[first].get_indexer(pd.Index(_codes(*key_columns)))
    rows = np.where(positions >= 0, first[positions], -1)
    hit = np.flatnonzero(rows >= 0)
    for mine, theirs in zip(key_columns, stored, strict=True):
        hit = hit[mine[hit] == theirs[rows[hit]]]
    result = np.full(len(rows), -1)
    result[hit] = rows[hit]
    return result


def _columns(keys: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        keys["file"].to_numpy(dtype=object),
        keys["start"].to_numpy(dtype=np.int64),
        keys["end"].to_numpy(dtype=np.int64),
    )


def _codes(file: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    import pandas as pd

    code = pd.util.hash_array(file, categorize=True)
    for part in (start, end):
        # multiply and shift as in splitmix64, so that all bits take part
        code = (code ^ part.view(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        code ^= code >> np.uint64(29)
    return np.asarray(code)


def _distinct(table: pd.DataFrame) -> pd.DataFrame:
    """Each sample once; of several rows the first value of each column."""
    if not table.duplicated(KEYS).any():
        return table
    return table.groupby(KEYS, sort=False, as_index=False).first()


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32] + SUFFIX


def _encode(table: pd.DataFrame) -> bytes:
    import pyarrow
    import pyarrow.parquet

    arrays = {"file": pyarrow.array(table["file"].to_numpy(dtype=object), pyarrow.string())}
    for column in table.columns[1:]:
        kind = pyarrow.int64() if column in KEYS else pyarrow.float64()
        if table[column].dtype == object:
            kind = pyarrow.large_binary()
        arrays[column] = pyarrow.array(table[column].to_numpy(), kind)
    values = [column for column, array in arrays.items() if array.type == pyarrow.float64()]
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.table(arrays),
        buffer,
        compression="zstd",
        use_dictionary=["file"],
        use_byte_stream_split=values or False,
    )
    return buffer.getvalue()


def _content(part: Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Rows of a file, with the keys and those of some columns that it has; None: all.

    Raises:
        OSError: if it cannot be read
        ValueError: if it is damaged
    """
    import pandas as pd

    data = part.read_bytes()
    if _name(data) != part.name:
        raise ValueError("content and name do not belong together")
    names = None if columns is None else list(dict.fromkeys([*KEYS, *columns]))
    table = parquet.table(data, names)
    if not set(KEYS) <= set(table.column_names):
        raise ValueError("columns are missing")
    arrays = {name: table[name].to_numpy() for name in table.column_names}
    return pd.DataFrame({name: pd.Series(a, dtype=a.dtype) for name, a in arrays.items()})
