"""Event lists in pandas tables: DCASE ground truth and detections, audformat, parquet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import parquet
from ...core.errors import DataError, MissingDependency, reason_of
from ...core.registry import unknown
from .columns import TIMES, find_columns
from .databases import open_database
from .table import EventTable, label_or_none, posix

if TYPE_CHECKING:
    import pandas as pd


def from_frame(frame: pd.DataFrame, source: str = "table") -> EventTable:
    """Events of a table such as those of DCASE task 4 and psds_eval.

    Args:
        frame: columns filename, onset, offset and event_label (or other names that
            :mod:`common.samples.event_lists.columns` knows), in any order; others are ignored. A row
            with missing times is a recording without events
        source: name for messages

    Returns:
        rows in the order of the table; row numbers count from 1

    Raises:
        DataError: if it is no table, a column is missing, or a time cannot be one
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{source}: is no table but of type {type(frame).__name__}")
    places = find_columns(list(frame.columns)) or {}
    missing = {"file", "onset", "offset", "label"} - set(places)
    if missing:
        header = ", ".join(map(str, frame.columns)) or "none"
        raise DataError(
            f"{source}: no column for {', '.join(sorted(missing))}. Found: {header};"
            " expected: filename, onset, offset, event_label"
        )
    rows = range(1, len(frame) + 1)
    columns = {name: frame.iloc[:, at].set_axis(rows) for name, at in places.items()}
    onset, offset = (
        numbers(columns[name], source, f"{name} ", what="time in seconds", missing=True)
        for name in TIMES
    )
    files, labels = texts(columns["file"], posix), texts(columns["label"], label_or_none)
    return EventTable.of(files, onset, offset, labels, rows, source)


def texts(values: pd.Series, clean: Any) -> list[str | None]:
    """Text of each value, None where it is missing; whole numbers without decimals.

    Args:
        values: names
        clean: what is done to each text
    """
    code_texts: dict[Any, str | None] = {}
    codes, distinct = values.factorize()
    for code, value in enumerate(distinct):
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        code_texts[code] = clean(str(value).strip()) or None
    code_texts[-1] = None
    return [code_texts[code] for code in codes.tolist()]


def numbers(
    values: pd.Series, where: str, name: str = "", *, what: str = "number", missing: bool = False
) -> np.ndarray:
    """A column of numbers or their text as numbers.

    Args:
        values: the column; its index holds the numbers of the rows
        where: source, for messages
        name: of the column, for messages
        what: what a value should be, for messages
        missing: whether a value may be missing, which gives NaN

    Raises:
        DataError: with the first row whose value is no number
    """
    import pandas as pd

    floats = pd.to_numeric(values, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.isnan(floats) & (values.notna().to_numpy() | (not missing))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise DataError(
            f"{where}: row {values.index[at]}: {name}{values.iloc[at]!r:.60} is no {what}"
        )
    return floats


def read_parquet(path: Path) -> pd.DataFrame:
    """A parquet file as table.

    Raises:
        MissingDependency: if pyarrow is not installed
        DataError: if it cannot be read
    """
    try:
        return parquet.frame(path)
    except ImportError:
        raise MissingDependency(f"{path}: parquet needs pyarrow", "pip install pyarrow") from None
    except (OSError, ValueError) as error:
        text = " ".join(reason_of(error).split())
        raise DataError(f"{path}: cannot be read: {text}") from None


def from_audformat(
    table: Any,
    column: str | None = None,
    *,
    durations: Mapping[str, float] | None = None,
    source: str = "table",
) -> EventTable:
    """Events of a segmented audformat table.

    Args:
        table: ``audformat.Table``, or a Series or DataFrame with its index (file, start, end);
            a file-wise index stands for whole files
        column: column with the labels; None: the only one
        durations: length of each file in s, for segments that end with their file
        source: name for messages

    Returns:
        rows in the order of the table; a row without label is a file without events

    Raises:
        DataError: if there is no such column or index, or a segment ends with a file whose
            duration is not known
    """
    import pandas as pd

    frame = table.df if hasattr(table, "df") else table
    frame = frame.to_frame() if isinstance(frame, pd.Series) else frame
    names = [str(name) for name in frame.columns]
    if column is None and len(names) != 1:
        raise DataError(f"{source}: name one of its columns: {', '.join(names) or 'it has none'}")
    if column is not None and column not in names:
        raise DataError(str(unknown("column", column, names, source)))
    labels = texts(frame.iloc[:, names.index(column) if column else 0], label_or_none)
    index = frame.index
    if "file" not in index.names:
        raise DataError(f"{source}: has no index 'file' as audformat tables have")
    files = [posix(str(file)) for file in index.get_level_values("file")]
    segmented = {"start", "end"} <= set(index.names)
    onset, offset = np.zeros(len(frame)), np.full(len(frame), np.nan)
    if segmented:
        onset = _seconds(index.get_level_values("start"))
        onset[np.isnan(onset)] = 0.0
        offset = _seconds(index.get_level_values("end"))
    for at in np.flatnonzero(np.isnan(offset)):
        if labels[at] is None:
            continue
        if files[at] not in (durations or {}):
            raise DataError(
                f"{source}: row {at + 1}: the segment ends with '{files[at]}',"
                " whose duration is not known"
            )
        offset[at] = (durations or {})[files[at]]
    empty = np.array([label is None for label in labels], dtype=bool)
    onset[empty] = offset[empty] = np.nan
    return EventTable.of(files, onset, offset, labels, np.arange(1, len(frame) + 1), source)


def _seconds(times: Any) -> np.ndarray:
    return np.array(times.total_seconds(), dtype=np.float64)


def read_audformat(
    root: Path,
    table: str,
    column: str | None = None,
    *,
    durations: Mapping[str, float] | None = None,
) -> EventTable:
    """Events of a table of an audformat database on disk.

    Args:
        root: folder with ``db.yaml``
        table: id of the table
        column: as for :func:`from_audformat`
        durations: as for :func:`from_audformat`

    Raises:
        MissingDependency: if audformat is not installed
        DataError: if there is no database, table or column
    """
    try:
        database = open_database(Path(root))
    except ImportError:
        raise MissingDependency(f"{root}: needs audformat", "pip install audformat") from None
    except FileNotFoundError:
        raise DataError(f"{root}: holds no audformat database (db.yaml)") from None
    except DataError:
        raise
    # audformat and its readers have no exception of their own for broken files
    except Exception as error:
        text = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{root}: db.yaml or a table cannot be read: {text}") from None
    if table not in database.tables:
        raise DataError(str(unknown("table", table, database.tables, str(root))))
    return from_audformat(
        database[table], column, durations=durations, source=f"{root}, table '{table}'"
    )
