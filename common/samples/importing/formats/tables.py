"""A table with any column names beside its audio: CSV, TSV, JSON lines or parquet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ....core.errors import DataError
from ....core.registry import unknown
from ..inspection import several
from ..reading import SPLIT, ImportedRows, Row
from ..request import ImportRequest
from ..table_files import TABLES, TextTable, read_table
from ..tree import FileTree, look

#: stem of the table of a folder
STEM = "metadata"
KEYS = ("file", "start", "end")
#: names of folders that are parts of the data
PARTS = re.compile(r"(train|test|dev|valid|val|eval)(ing|idation|ation|uation)?([-_.].*)?", re.I)


def table_of(source: Path) -> Path | None:
    """The table of a folder: a file called ``metadata``; the source itself if it is a file."""
    if source.is_file():
        return source
    paths = (source / f"{STEM}{ending}" for ending in TABLES)
    return next((path for path in paths if path.is_file()), None)


def tables_of(source: Path) -> list[Path]:
    """The table of a folder; else those of its parts, as an AudioFolder of Hugging Face has them."""
    path = table_of(source)
    if path is not None:
        return [path]
    parts = sorted(
        path for path in source.iterdir() if path.is_dir() and PARTS.fullmatch(path.name)
    )
    return [path for folder in parts if (path := table_of(folder)) is not None]


def read(request: ImportRequest) -> ImportedRows:
    """Rows of a table; audio may lie in any folder below that of the table.

    Of tables in several folders, the folder of each is the part of the data (``split``); without a wish
    the test part is taken.

    Raises:
        ConfigError: if a column that was asked for is not there
        DataError: if there is no table, or it cannot be used
    """
    paths = tables_of(request.source)
    if not paths:
        names = ", ".join(f"{STEM}{ending}" for ending in TABLES)
        raise DataError(f"{request.source}: holds none of {names}")
    parts = {path: path.parent.name if len(paths) > 1 else "" for path in paths}
    paths, notes = request.chosen(parts)
    tree = look(request.source if request.source.is_dir() else paths[0].parent)
    imported = ImportedRows([], tree.folder, notes=notes, faults=tree.faults())
    for path in paths:
        table = read_table(path, request.encoding)
        rows = rows_of(table, request)
        if path.parent.resolve() != tree.folder.resolve():
            rows = [(where, _of_part(row, path.parent.name)) for where, row in rows]
        imported.rows += unique(_located(rows, table, tree, imported), path, imported)
    return imported


def _of_part(row: Row, part: str) -> Row:
    """Row of a table in a folder of that name."""
    file = row["file"] if Path(row["file"]).is_absolute() else f"{part}/{row['file']}"
    return {**row, "file": file, SPLIT: row.get(SPLIT, part)}


def rows_of(table: TextTable, request: ImportRequest) -> list[tuple[str, Row]]:
    """Rows of a table, each with where it stands; keys are called as in the suite.

    Raises:
        DataError: if there is no column with files, or a row names none
    """
    keys = {name: request.key(name, table.columns) for name in KEYS}
    if not keys["file"]:
        fault = unknown("column", "file", table.columns, str(table.path))
        raise DataError(f"{fault}; --columns file=NAME says which one has the paths")
    rows = []
    for where, cells in table.rows:
        row = {name: cells[column] for name, column in keys.items() if column}
        if not row["file"]:
            raise DataError(f"{table.path}: {where}: file: missing")
        used = set(keys.values())
        row |= {name: text for name, text in cells.items() if name not in {*used, *KEYS}}
        rows.append((where, row))
    if not rows:
        raise DataError(f"{table.path}: has no rows")
    return rows


def _located(
    rows: list[tuple[str, Row]], table: TextTable, tree: FileTree, imported: ImportedRows
) -> list[tuple[str, Row]]:
    """Rows with the paths that the files have in the folder."""
    files = set(tree.files)
    there = {_composed(name): name for name in tree.files}
    by_name: dict[str, list[str]] = {}
    for name in tree.audio():
        for text in {PurePosixPath(name).name, PurePosixPath(name).stem}:
            by_name.setdefault(_composed(text), []).append(name)
    moved: list[str] = []
    for where, row in rows:
        file = _inside(row["file"], f"{table.path}: {where}", tree.folder)
        file = there.get(_composed(file), file)
        last = _composed(PurePosixPath(file).name)
        candidates = [] if file in files else by_name.get(last, [])
        if len(candidates) > 1:
            names = " or ".join(candidates[:2])
            raise DataError(f"{table.path}: {where}: '{row['file']}' is ambiguous: {names}")
        if candidates:
            moved.append(file)
        row["file"] = candidates[0] if candidates else file
    if moved:
        imported.notes.append(several(moved, "file", "lies in another folder; found by name"))
    return rows


def _composed(text: str) -> str:
    """Text in one of the two ways in which Unicode writes letters with signs above."""
    return unicodedata.normalize("NFC", text)


def _inside(text: str, where: str, folder: Path) -> str:
    """A path of a table relative to the folder.

    Raises:
        DataError: if it leads out of the folder
    """
    path = Path(text.replace("\\", "/"))
    if path.is_absolute():
        if not path.resolve().is_relative_to(folder):
            raise DataError(f"{where}: '{text}' lies outside of {folder}")
        return path.resolve().relative_to(folder).as_posix()
    if ".." in path.parts:
        raise DataError(f"{where}: '{text}' leads out of {folder}")
    return path.as_posix()


def unique(rows: list[tuple[str, Row]], path: Path, imported: ImportedRows) -> list[Row]:
    """Rows without those that stand there twice.

    Raises:
        DataError: if two rows of the same segment have different labels
    """
    first: dict[tuple[str, ...], tuple[str, Mapping[str, str]]] = {}
    repeated: list[str] = []
    for where, row in rows:
        key = tuple(row.get(name, "") for name in KEYS)
        earlier, labels = first.setdefault(key, (where, row))
        if labels != row:
            name = next(name for name in row if labels.get(name) != row[name])
            raise DataError(
                f"{path}: {where} and {earlier}: {row['file']} has two labels in '{name}':"
                f" {labels.get(name)!r:.60} and {row[name]!r:.60}"
            )
        if earlier != where:
            repeated.append(row["file"])
    if repeated:
        imported.notes.append(several(repeated, "row", "left out, as an equal row comes before"))
    return [dict(row) for _, row in first.values()]
