"""Result rows as the downloads have them: with their source, their key, and why they are stale."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from common.results import COLUMNS, COUNTS, NUMBERS
from common.results.keys import row_keys

VERSION = "3"
#: columns beside those of a result file
MORE = {
    "key": "key of the row, for 'build.py explain'; empty for published results",
    "stale": "what changed since the row was computed; empty: nothing that is known here",
}
HEAD = ("source", *COLUMNS, *MORE)
#: so many rows are taken apart at once
CHUNK = 20_000
SOURCES = {"run": "computed by this program", "published": "published with the paper"}


class Owner(NamedTuple):
    """Whose a row is."""

    source: str
    target: str
    model: str


def stretches(rows: pd.DataFrame) -> list[tuple[Owner, int, int]]:
    """Rows of one owner in succession: the owner, the first row, and the first that is not its."""
    if rows.empty:
        return []
    begins = np.zeros(len(rows) - 1, dtype=bool)
    for values in (rows[name].array for name in Owner._fields):
        begins |= np.asarray(values[1:] != values[:-1], dtype=bool)
    bounds = [0, *(np.flatnonzero(begins) + 1).tolist(), len(rows)]
    firsts = rows[list(Owner._fields)].iloc[bounds[:-1]]
    names = zip(*(firsts[name].tolist() for name in Owner._fields), strict=True)
    pairs = zip(names, pairwise(bounds), strict=True)
    return [(Owner(*name), start, end) for name, (start, end) in pairs]


def places(owned: Iterable[tuple[Owner, int, int]]) -> dict[Owner, np.ndarray]:
    """Rows of each owner by place, from what :func:`stretches` gives."""
    parts: dict[Owner, list[np.ndarray]] = {}
    for owner, start, end in owned:
        parts.setdefault(owner, []).append(np.arange(start, end))
    return {owner: np.concatenate(ranges) for owner, ranges in parts.items()}


def of_target(
    table: pd.DataFrame, owned: Iterable[tuple[Owner, int, int]], target: str
) -> pd.DataFrame:
    """Rows of a target, from what :func:`stretches` gives: pieces of a table, which are hardly copied."""
    pieces: list[list[int]] = []
    for owner, start, end in owned:
        if owner.target == target and pieces and pieces[-1][1] == start:
            pieces[-1][1] = end
        elif owner.target == target:
            pieces.append([start, end])
    return pd.concat([table.iloc[start:end] for start, end in pieces])


def in_order(
    owned: Sequence[tuple[Owner, int, int]], rows: Mapping[Owner, bytes | Sequence[str]]
) -> Iterator[bytes]:
    r"""Rows of all owners as CSV, in their order, with their sources.

    Args:
        owned: what :func:`stretches` gives
        rows: rows of an owner, each with its line end; or, of an owner whose rows stand in succession
            and take a line each, all of them as they are in a file, which is much faster

    >>> one, other = Owner("run", "a", "m"), Owner("run", "b", "m")
    >>> rows = {one: ["1\n", "2\n"], other: b"3\n4\n"}
    >>> b"".join(in_order([(one, 0, 1), (other, 1, 3), (one, 3, 4)], rows))
    b'run,1\nrun,3\nrun,4\nrun,2\n'
    """
    done = dict.fromkeys(rows, 0)
    for owner, start, end in owned:
        block, source = rows[owner], f"{owner.source},"
        if isinstance(block, bytes):
            begin = source.encode()
            yield begin + block[:-1].replace(b"\n", b"\n" + begin) + b"\n"
        else:
            first = done[owner]
            done[owner] = last = first + end - start
            yield "".join(f"{source}{row}" for row in block[first:last]).encode()


def table_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with all columns of the downloads.

    Args:
        rows: result rows with ``source``, and ``stale`` of own ones
    """
    table = rows.reset_index(drop=True)
    mask = table["source"] == "run"
    stale = table["stale"].where(mask, "").astype("str")
    note = table["note"]
    if (stale != "").any():
        # the remark of the pages has a column of its own here
        bare = note.str.replace(r"^stale(; )?", "", regex=True)
        note = note.where(stale == "", bare).astype("str")
    key = row_keys(table).where(mask, "")
    return table.assign(key=key, stale=stale, note=note)[list(HEAD)]


def parquet(table: pd.DataFrame) -> bytes:
    """Rows as parquet; the version of the layout is in the metadata.

    Columns are copied together first: in how many pieces they were kept would show in the bytes.
    """
    import pyarrow
    import pyarrow.parquet

    arrays = {name: _arrow(table[name]) for name in HEAD}
    arrow_table = pyarrow.table(arrays).replace_schema_metadata({"version": VERSION})
    out = io.BytesIO()
    pyarrow.parquet.write_table(arrow_table.combine_chunks(), out, compression="zstd")
    return out.getvalue()


def _arrow(values: pd.Series) -> Any:
    """Column of an arrow table; a missing number is null."""
    import pyarrow

    if values.name in NUMBERS:
        return pyarrow.array(values.to_numpy(), pyarrow.float64(), from_pandas=True)
    if values.name in COUNTS:
        return pyarrow.array(values, pyarrow.int64())
    return pyarrow.array(values, pyarrow.large_string()).cast(pyarrow.string())


def csv_lines(table: pd.DataFrame) -> list[str]:
    """Each row as a line of CSV, without its source."""
    lines: list[str] = []
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\n")
    for start in range(0, len(table), CHUNK):
        part = table.iloc[start : start + CHUNK]
        writer.writerows(zip(*(_texts(part[name]) for name in HEAD[1:]), strict=True))
    return lines


def _texts(values: pd.Series) -> list[str]:
    """Entries of a column as text."""
    entries = values.tolist()
    if values.name in NUMBERS:
        return ["" if value != value else repr(value) for value in entries]
    if values.name in COUNTS:
        return ["" if value is pd.NA else str(value) for value in entries]
    return entries


def columns_of(table: pd.DataFrame) -> dict[str, Any]:
    """Rows by column; texts as numbers of entries of a list."""
    texts: dict[str, list[str]] = {}
    columns: dict[str, list[Any]] = {}
    for name in HEAD:
        if name in (*NUMBERS, *COUNTS):
            columns[name] = _plain(table[name])
        else:
            codes, entries = table[name].factorize(sort=True)
            texts[name] = entries.to_numpy("object").tolist()
            columns[name] = codes.tolist()
    return {"version": VERSION, "rows": len(table), "texts": texts, "columns": columns}


def _plain(values: pd.Series) -> list[Any]:
    """Numbers as JSON has them; None where there is none."""
    there = values.notna().to_numpy()
    kind, nothing = ("int64", 0) if values.name in COUNTS else ("float64", np.nan)
    numbers = np.full(len(values), None, dtype=object)  # most columns have few
    numbers[there] = values.to_numpy(kind, na_value=nothing)[there]
    return numbers.tolist()
