"""Result rows that are read once and kept as columns, under the hash of the files they come from.

Parsing the result files of a hundred models takes seconds; their columns are there in a fraction of
one. What is kept is known by the content of the files and by the code that reads them. Columns that
cannot be read, or are not as they were written, are made again. Where little changed, it is written
beside what was kept before. Threads of pyarrow are not used, as in :mod:`common.core.parquet`.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core import closure, files
from ..core.documents import parse_json
from ..core.provenance import digest, file_digest
from . import tables

if TYPE_CHECKING:
    import pandas as pd

#: endings of the columns, and of the note that says what they are
DATA, NOTE = ".arrow", ".json"
#: what is added to the name for rows that changed since the others were written
CHANGED = "-changed"
#: if they, or those that are no longer needed, are more than this part of all rows, all are written
LARGEST_CHANGE = 0.25
#: a table in more pieces is copied together
MOST_PIECES = 32
#: packages that decide how columns look
PACKAGES = ("pandas", "pyarrow")


class Stretch(NamedTuple):
    """Rows of one group.

    Args:
        table: arrow table that has them
        start: their first row there
        size: how many they are
    """

    table: Any
    start: int
    size: int


class KeptColumns(NamedTuple):
    """Columns as they are kept.

    Args:
        table: arrow table; None: nothing is kept
        groups: name of a group of rows -> its key, first row and number of rows
    """

    table: Any
    groups: Mapping[str, Sequence[Any]]


def read_all(
    method_tests: Path, place: Path, digests: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """As :func:`common.results.tables.read_all`, but only files that changed are parsed.

    Args:
        method_tests: folder with a folder per target, with a folder per model
        place: where to keep columns: a path without ending
        digests: hash of each file by its name below the folder, if they are known

    Raises:
        DataError: if a file is not a result file
    """
    models: dict[str, list[str]] = {}
    for target, model, name in sorted(_tables(method_tests, digests)):
        models.setdefault(f"{target}/{model}", []).append(name)
    keys = {model: _key(method_tests, model, names, digests) for model, names in models.items()}
    if not keys:
        return tables.frame([])
    code, beside = _code(tables.__name__), place.with_name(place.name + CHANGED)
    before, since = _load(place, code), _load(beside, code)
    groups = {
        name: Stretch(store.table, *entry[1:])
        for store in (since, before)
        for name, entry in store.groups.items()
        if keys.get(name) == entry[0]
    }
    due = {model: names for model, names in models.items() if model not in groups}
    # those that are parsed now
    keys |= {model: _key(method_tests, model, names) for model, names in due.items()}
    groups |= _parsed({m: [method_tests / m / name for name in names] for m, names in due.items()})
    pieces = {name: groups[name] for name in models}
    whole = _joined(pieces.values())
    changed = {name: p for name, p in pieces.items() if p.table is not before.table}
    kept_rows, moved = len(before.table or ()), sum(piece.size for piece in changed.values())
    unused = kept_rows - (len(whole) - moved)
    if before.table is None or max(moved, unused) > LARGEST_CHANGE * len(whole):
        _keep(place, code, whole, _groups(keys, pieces))
        _forget(beside)
    elif due:
        _keep(beside, code, _joined(changed.values()), _groups(keys, changed))
    return _frame(whole)


def _tables(method_tests: Path, digests: Mapping[str, str] | None) -> list[tuple[str, ...]]:
    """Target, model and name of each result file; no look at the folder is needed where they are known."""
    if digests is None:
        parts = [path.parts[-3:] for path in method_tests.glob("*/*/*.csv")]
    else:
        parts = [tuple(name.split("/")) for name in digests if name.endswith(".csv")]
    return [part for part in parts if len(part) == 3]


def _groups(keys: Mapping[str, str], pieces: Mapping[str, Stretch]) -> dict[str, list[Any]]:
    """Groups of a table in which pieces follow each other."""
    ends = accumulate((piece.size for piece in pieces.values()), initial=0)
    return {
        name: [keys[name], start, piece.size]
        for (name, piece), start in zip(pieces.items(), ends, strict=False)
    }


def _key(
    method_tests: Path, model: str, names: Sequence[str], digests: Mapping[str, str] | None = None
) -> str:
    """Hash of the files of a model, ``target/model``; of those whose hash is not given, as they are now."""
    hashes = digests or {}
    return digest(
        [
            [name, hashes.get(f"{model}/{name}") or file_digest(f"{method_tests}/{model}/{name}")]
            for name in names
        ]
    )


def kept(place: Path, key: str, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """A table that is made once.

    Args:
        place: where to keep its columns: a path without ending
        key: hash of what it is made from
        make: makes it
    """
    code = _code(make)
    before = _load(place, code)
    if before.groups.get("", [""])[0] == key:
        return _frame(before.table)
    table = _arrow(make())
    _keep(place, code, table, {"": [key, 0, len(table)]})
    return _frame(table)


def _code(start: Any) -> str:
    """What decides about columns besides the content of files."""
    versions = [importlib.metadata.version(name) for name in PACKAGES]
    return digest([closure.code_of(start), closure.code_of(__name__), versions])


def _parsed(models: Mapping[str, list[Path]]) -> dict[str, Stretch]:
    """Rows of models by their folders: parsed as one text, where rows say whose they are."""
    if not models:
        return {}
    table = tables.read_files([path for paths in models.values() for path in paths])
    bounds = _bounds(table, list(models))
    if bounds is None:
        alone = {name: _arrow(tables.read_files(paths)) for name, paths in models.items()}
        return {name: Stretch(rows, 0, len(rows)) for name, rows in alone.items()}
    whole = _arrow(table)
    return {
        name: Stretch(whole, start, end - start)
        for name, (start, end) in zip(models, pairwise(bounds), strict=True)
    }


def _bounds(table: pd.DataFrame, names: Sequence[str]) -> list[int] | None:
    """First row of each folder, and the end; None where rows do not tell."""
    owners = list(zip(table["target"].tolist(), table["model"].tolist(), strict=True))
    starts = [row for row, owner in enumerate(owners) if not row or owner != owners[row - 1]]
    if ["/".join(owners[row]) for row in starts] != list(names):
        return None
    return [*starts, len(owners)]


def _load(place: Path, code: str) -> KeptColumns:
    """What is kept; nothing if it cannot be read, was altered, or was made by other code."""
    import pyarrow
    from pyarrow import ipc

    try:
        note = parse_json(place.with_suffix(NOTE).read_text("utf-8"))
        data = place.with_suffix(DATA).read_bytes()
        groups = dict(note["groups"])
        if note["sum"] == _sum(data, code, groups):
            alone = ipc.IpcReadOptions(use_threads=False)
            reader = ipc.open_file(pyarrow.BufferReader(data), options=alone)
            return KeptColumns(reader.read_all(), groups)
    except (OSError, ValueError, LookupError, TypeError):
        pass  # it is made again
    return KeptColumns(None, {})


def _keep(place: Path, code: str, table: Any, groups: Mapping[str, Sequence[Any]]) -> None:
    """Write columns, then the note that makes them count."""
    from pyarrow import ipc

    out = io.BytesIO()
    options = ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with ipc.new_file(out, table.schema, options=options) as writer:
        writer.write_table(table)
    data = out.getvalue()
    note = {"sum": _sum(data, code, groups), "groups": groups}
    _forget(place)
    files.write_bytes(place.with_suffix(DATA), data)
    files.write_text(place.with_suffix(NOTE), json.dumps(note))


def _forget(place: Path) -> None:
    """Remove what is kept."""
    for path in (place.with_suffix(NOTE), place.with_suffix(DATA)):
        files.clear_way(path)
        path.unlink(missing_ok=True)


def _sum(data: bytes, code: str, groups: Mapping[str, Sequence[Any]]) -> str:
    """Hash of all that is kept: it tells whether something was altered or made by other code."""
    return digest([hashlib.sha256(data).hexdigest(), code, groups])


def _arrow(table: pd.DataFrame) -> Any:
    import pyarrow

    return pyarrow.Table.from_pandas(table, preserve_index=False, nthreads=1)


def _joined(pieces: Iterable[Stretch]) -> Any:
    """One arrow table of pieces.

    Those that follow each other are taken as one, and they are copied together only where they are
    many: copying takes longer than all else that one change asks for.
    """
    import pyarrow

    runs: list[Stretch] = []
    for piece in pieces:
        if runs and runs[-1].table is piece.table and sum(runs[-1][1:]) == piece.start:
            runs[-1] = runs[-1]._replace(size=runs[-1].size + piece.size)
        else:
            runs.append(piece)
    whole = pyarrow.concat_tables([table.slice(start, size) for table, start, size in runs])
    return whole.combine_chunks() if whole.column(0).num_chunks > MOST_PIECES else whole


def _frame(table: Any) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(use_threads=False)
    return frame
