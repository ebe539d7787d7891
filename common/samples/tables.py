"""From the tables of a database to one sample table: joins, mapping, scaling, validation.

The same for all formats; an adapter only has to offer :class:`Tables`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, cast

import numpy as np
import pandas as pd

from ..core.errors import DataError
from ..core.registry import unknown
from ..spec import Column, Dataset, Target, kinds
from .base import KEYS, rating_column
from .entries import alternatives, check, limits, place
from .event_tables import WholeFiles, annotated
from .protocol import Tables

NS = 1_000_000_000

#: how far a value may lie outside its range: labels are often stored with single precision
TOLERANCE = 1e-6

#: what is no relative path: it begins at a root, or holds a character that no name of a file has
_NO_PATH = re.compile(r"[A-Za-z]:|[/\\]|[^\0]*\0")


def missing(what: str, name: str, names: Iterable[str], where: str) -> DataError:
    """Error for something that the data do not have, with the nearest name."""
    return DataError(str(unknown(what, name, names, where)))


def sample_table(
    dataset: Dataset, tables: Tables, targets: Mapping[str, Target], default: Iterable[str] = ()
) -> pd.DataFrame:
    """Sample table of an entry, as described in :class:`common.samples.base.Samples`.

    Args:
        dataset: the entry
        tables: tables of its database
        targets: decides which columns are numbers and which labels
        default: names of the sample tables if the entry names none

    Raises:
        ConfigError: if the entry is wrong in itself
        DataError: if the data are not as declared
    """
    check(dataset)
    names = list(dataset.tables) or list(default)
    for name in names:
        _check_table(dataset, tables, name, "table")
    everywhere = set(tables.columns(names[0])).intersection(*map(tables.columns, names[1:]))
    columns = dataset.columns or {
        name: Column(column=name) for name in tables.columns(names[0]) if name in everywhere
    }
    timed = {name: targets[name] for name in columns if _is_timed(targets.get(name))}
    if timed:
        tables = cast(Tables, WholeFiles(dataset, tables))
    keys = []
    values: dict[str, list[np.ndarray]] = {name: [] for name in columns}
    for name in names:
        keys.append(tables.keys(name))
        if keys[-1].empty:
            raise DataError(f"{place(dataset, 'table')}: table '{name}' has no rows")
        for column, source in columns.items():
            if column in timed:
                _check_events(dataset, tables, name, column, source)
                files = keys[-1]["file"].tolist()
                cells = annotated(dataset, tables, name, timed[column], source, files)
            else:
                cells = _column(dataset, tables, name, column, source)
            values[column].append(cells)
    table = pd.concat(keys, ignore_index=True)
    joined = {name: np.concatenate(parts) for name, parts in values.items()}
    _check_keys(dataset, table, joined)
    content = {
        column: pd.Series(list(raw), dtype=object, index=table.index)
        if column in timed
        else _content(dataset, table, column, raw, targets.get(column))
        for column, raw in joined.items()
    }
    if content:  # at once: pandas copies a table for each column that is added to it
        table = pd.concat([table, pd.DataFrame(content)], axis=1)
    for name in dataset.ratings:
        table = table.assign(**_ratings(dataset, tables, names, table, name, targets))
    return table


def _content(
    dataset: Dataset, table: pd.DataFrame, column: str, raw: np.ndarray, target: Target | None
) -> pd.Series:
    """Values of a column as numbers or labels."""
    if target is not None and kinds.of(target).is_number:
        return pd.Series(_numbers(dataset, table, column, raw, target), index=table.index)
    labels = _labels(dataset, column, raw, target)
    return pd.Series(labels, dtype=object, index=table.index)


def _ratings(
    dataset: Dataset,
    tables: Tables,
    names: Sequence[str],
    table: pd.DataFrame,
    name: str,
    targets: Mapping[str, Target],
) -> dict[str, Any]:
    """Columns of ratings of a target, or of the votes for its classes."""
    where = place(dataset, f"ratings.{name}")
    if name not in targets:
        raise unknown("target", name, targets, where)
    target, ratings = targets[name], dataset.ratings[name]
    if bool(ratings.votes) and kinds.of(target).is_number:
        raise DataError(f"{where}: votes go with classes, and {name} has none")
    if ratings.votes:
        for label in ratings.votes:
            if label not in target.labels:
                raise unknown("class", label, target.labels, f"{where}.votes")
    columns: dict[str, Any] = {}
    for column in ratings.names:
        source = Column(column=column, table=ratings.table)
        key = f"ratings.{name}"
        parts = [_column(dataset, tables, table_name, name, source, key) for table_name in names]
        raw, own_name = np.concatenate(parts), rating_column(name, column)
        if ratings.votes:
            columns[own_name] = _votes(dataset, table, column, raw)
        elif kinds.of(target).is_number:
            columns[own_name] = _numbers(dataset, table, name, raw, target)
        else:
            labels = _labels(dataset, name, raw, target)
            columns[own_name] = pd.Series(labels, dtype=object, index=table.index)
    return columns


def _votes(dataset: Dataset, table: pd.DataFrame, column: str, values: np.ndarray) -> np.ndarray:
    """Numbers of votes; missing 0."""
    result = np.zeros(len(values))
    for row, value in enumerate(values):
        if value is not None:
            try:
                result[row] = float(value)
            except (TypeError, ValueError):
                _refuse(dataset, table, row, column, value, "is no number of votes")
            if not (result[row] >= 0 and result[row].is_integer()):
                _refuse(dataset, table, row, column, value, "is no number of votes")
    return result


def _is_timed(target: Target | None) -> bool:
    return target is not None and kinds.get(target.kind).keeps_time


def _check_events(dataset: Dataset, tables: Tables, table: str, name: str, source: Column) -> None:
    """Refuse a declaration of events that names no column of a table."""
    if not source.column or source.map:
        where = place(dataset, f"columns.{name}")
        raise DataError(f"{where}: sound events need 'column', and may have 'table' and 'overlap'")
    other = source.table or table
    _check_table(dataset, tables, other, f"columns.{name}.table")
    if source.column not in tables.columns(other):
        where = place(dataset, f"columns.{name}")
        raise missing(f"column of table '{other}'", source.column, tables.columns(other), where)


def _check_table(dataset: Dataset, tables: Tables, name: str, key: str) -> None:
    if name in tables.unusable():
        raise DataError(f"{place(dataset, key)}: table '{name}' {tables.unusable()[name]}")
    if name not in tables.names():
        raise missing("table", name, tables.names(), place(dataset, key))


def _column(
    dataset: Dataset, tables: Tables, table: str, name: str, column: Column, key: str = ""
) -> np.ndarray:
    """Values of a declared column for the rows of a sample table."""
    key = key or f"columns.{name}"
    for source in alternatives(column):
        constant = source.by_table.get(table, source.value)
        if constant is not None:
            return np.full(len(tables.keys(table)), constant, dtype=object)
        other = source.table or table
        has = other in tables.names() and source.column in tables.columns(other)
        if has or source.otherwise is None:
            break
        key += ".otherwise"
    if source.optional and not has and other not in tables.unusable():
        return np.full(len(tables.keys(table)), None, dtype=object)
    _check_table(dataset, tables, other, f"{key}.table")
    if not has:
        what = f"column of table '{other}'"
        raise missing(what, source.column, tables.columns(other), place(dataset, key))
    if source.map:
        values = tables.mapped(other, source.column, source.map, place(dataset, f"{key}.map"))
    else:
        values = tables.values(other, source.column)
    return values if other == table else _joined(dataset, tables, table, other, values, key)


def _joined(
    dataset: Dataset, tables: Tables, table: str, other: str, values: np.ndarray, key: str
) -> np.ndarray:
    """Values of another table for the rows of a sample table; None where it has no such row."""
    on = KEYS if tables.is_segmented(other) else ["file"]
    there = pd.MultiIndex.from_frame(tables.keys(other)[on])
    repeated = there.duplicated()
    if repeated.any():
        file = there[int(np.argmax(repeated))][0]
        raise DataError(f"{place(dataset, key)}: table '{other}' has several rows for '{file}'")
    rows = there.get_indexer(pd.MultiIndex.from_frame(tables.keys(table)[on]))
    if (rows < 0).all():
        what = "segments" if len(on) > 1 else "files"
        raise DataError(
            f"{place(dataset, key)}: table '{other}' has none of the {what} of '{table}'"
        )
    result = np.full(len(rows), None, dtype=object)
    result[rows >= 0] = values[rows[rows >= 0]]
    return result


def _check_keys(dataset: Dataset, table: pd.DataFrame, columns: Mapping[str, np.ndarray]) -> None:
    for file in table["file"].unique():
        if not isinstance(file, str) or not file or _NO_PATH.match(file):
            raise DataError(f"{place(dataset)}: '{file}' must be a path relative to the database")
        if ".." in file and ".." in file.split("/"):
            raise DataError(f"{place(dataset)}: '{file}' leads out of the database")
    start, end = table["start"].to_numpy(), table["end"].to_numpy()
    wrong = (start < 0) | ((end != -1) & (end < start))
    if wrong.any():
        row = int(np.argmax(wrong))
        times = f"start {start[row] / NS:g} s, end {end[row] / NS:g} s"
        raise DataError(f"{_row(dataset, table, row)}: {times} is no segment")
    repeated = table.duplicated(KEYS).to_numpy()
    if repeated.any():
        second = int(np.argmax(repeated))
        same = (table[KEYS] == table.loc[second, KEYS]).all(axis=1).to_numpy()
        first = int(np.argmax(same))
        pairs = {name: (str(each[first]), str(each[second])) for name, each in columns.items()}
        what = [f"{name} '{a}' and '{b}'" for name, (a, b) in pairs.items() if a != b]
        with_what = f", with {', '.join(what)}" if what else ""
        raise DataError(
            f"{_row(dataset, table, second)}: the same segment as row {first + 1}{with_what}"
        )


def _row(dataset: Dataset, table: pd.DataFrame, row: int) -> str:
    file, start, end = (table[key].iloc[row] for key in KEYS)
    times = "" if (start, end) == (0, -1) else f" from {start / NS:g} s"
    return f"{place(dataset)}: row {row + 1} ({file}{times})"


def _numbers(
    dataset: Dataset, table: pd.DataFrame, column: str, values: np.ndarray, target: Target
) -> np.ndarray:
    """Values of a regression target, scaled to its range; missing NaN."""
    result = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is not None:
            try:
                result[row] = float(value)
            except (TypeError, ValueError):
                _refuse(dataset, table, row, column, value, "is no number")
    low, high = target.range or (0.0, 1.0)
    declared = limits(dataset, column)
    if declared is not None:
        result = (result - declared[0]) / (declared[1] - declared[0]) * (high - low) + low
    outside = (result < low - TOLERANCE) | (result > high + TOLERANCE)
    if outside.any():
        row = int(np.argmax(outside))
        least, most = declared or (low, high)
        why = f"lies outside [{least:g}, {most:g}]; 'scale: [min, max]' in the entry sets the range"
        _refuse(dataset, table, row, column, values[row], why)
    return np.clip(result, low, high)


def _refuse(
    dataset: Dataset, table: pd.DataFrame, row: int, column: str, value: object, why: str
) -> NoReturn:
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    raise DataError(f"{_row(dataset, table, row)}: {column} = {shown} {why}")


def _labels(dataset: Dataset, column: str, values: np.ndarray, target: Target | None) -> np.ndarray:
    """Values as text after the label mapping; missing None."""
    mapping = dataset.mapping
    if any(isinstance(labels, Mapping) for labels in mapping.values()):
        mapping = mapping.get(column, {})
    elif target is None or not kinds.of(target).has_classes:
        mapping = {}
    renamed = {text(old): new for old, new in mapping.items()}
    seen: dict[Any, str | None] = {None: None}
    result = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        if value not in seen:
            label = text(value)
            seen[value] = renamed.get(label, label)
        result[row] = seen[value]
    return result


def text(value: Any) -> str | None:
    """A label as text: without blanks around it, whole numbers without a decimal point.

    >>> text(3.0), text("03 "), text(0.5), text("")
    ('3', '03', '0.5', None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def objects(values: pd.Series) -> np.ndarray:
    """Values of any type as objects; NaN, NaT and NA become None.

    >>> objects(pd.Series(["a", None])).tolist(), objects(pd.Series([1.5, float("nan")])).tolist()
    (['a', None], [1.5, None])
    """
    result = values.to_numpy(dtype=object, copy=True)
    result[values.isna().to_numpy()] = None
    return result
