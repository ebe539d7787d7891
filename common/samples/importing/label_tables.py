"""Tables that ship with a corpus: found in the download, read, and looked up for each file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ...core.errors import DataError
from .inspection import several
from .layouts import LabelTable, Layout
from .table_files import read_table, read_text
from .tree import FileTree

Key = tuple[str, ...]


@dataclass
class Lookup:
    """Labels of one table by its key.

    Args:
        table: what the layout says about it
        ignore_case: whether capital letters make no difference in keys
        labels: key -> column of a file -> label
        files: files that the table was read from; none if the download has none
        notes: columns that no version of the table has
        faults: keys with labels that contradict each other; they have none
    """

    table: LabelTable
    ignore_case: bool
    labels: dict[Key, dict[str, str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def of(self, row: Mapping[str, str]) -> dict[str, str] | None:
        """Labels of a file, None if the table has no row for it."""
        return self.labels.get(self.key(row, self.table.key.keys()))

    def key(self, cells: Mapping[str, str], names: Iterable[str]) -> Key:
        """Values as they are compared, of a file or of a row of the table."""
        parts = zip(self.table.key, names, strict=True)
        texts = [_comparable(column, cells[name]) for column, name in parts]
        return tuple(text.lower() if self.ignore_case else text for text in texts)


def load(tree: FileTree, layout: Layout, table: LabelTable) -> Lookup:
    """Read a table wherever it lies in the download.

    Args:
        tree: the download
        layout: the layout that the table is part of
        table: what it says about the table

    Raises:
        DataError: if the table is there but cannot be read, or has not the columns of its key
    """
    lookup = Lookup(table, layout.ignore_case)
    pattern = layout.table_pattern(table)
    conflicts: dict[Key, None] = {}
    for file in tree.files:
        match = pattern.fullmatch(file)
        if match is None:
            continue
        lookup.files.append(file)
        for row in _rows(tree, table, file):
            cells = {**{name: value or "" for name, value in match.groupdict().items()}, **row}
            if all(re.fullmatch(rule, cells.get(n, "")) for n, rule in table.where.items()):
                _add(lookup, tree, file, cells, conflicts)
    for key in conflicts:
        del lookup.labels[key]
    if conflicts:
        names = ["/".join(key) for key in conflicts]
        what = f"has labels in {_names(lookup.files)} that contradict each other; it gets none"
        lookup.faults.append(several(names, "key", what))
    lookup.notes = list(dict.fromkeys(lookup.notes))
    return lookup


def _rows(tree: FileTree, table: LabelTable, file: str) -> Iterator[Mapping[str, str]]:
    path = tree.folder / file
    if not table.line:
        yield from (row for _, row in read_table(path, table.encoding).rows)
        return
    lines = read_text(path, table.encoding).splitlines()
    matches = [match for line in lines if (match := re.fullmatch(table.line, line.strip()))]
    if not matches:
        raise DataError(f"{path}: no line is as the layout says: {table.line:.80}")
    yield from ({name: value or "" for name, value in m.groupdict().items()} for m in matches)


def _add(
    lookup: Lookup, tree: FileTree, file: str, cells: Mapping[str, str], conflicts: dict[Key, None]
) -> None:
    table, path = lookup.table, tree.folder / file
    missing = [name for name in table.key.values() if name not in cells]
    if missing:
        columns = ", ".join(cells)
        raise DataError(f"{path}: has no column '{missing[0]}', which tells files apart: {columns}")
    key = lookup.key(cells, table.key.values())
    labels = {}
    for column, source in table.columns.items():
        names = (source,) if isinstance(source, str) else source
        name = next((name for name in names if name in cells), "")
        if name:
            labels[column] = cells[name].strip()
        else:
            lookup.notes.append(f"{file}: has no column '{names[0]}', so there is no {column}")
    if lookup.labels.setdefault(key, labels) != labels:
        conflicts[key] = None


def _comparable(column: str, text: str) -> str:
    """A value as it is compared: in one of the ways that Unicode has, stems without an ending.

    Numbers in names have leading zeros that tables leave out.
    """
    text = unicodedata.normalize("NFC", text.strip())
    if column == "stem":
        path = PurePosixPath(text.replace("\\", "/"))
        text = path.stem if path.suffix[1:].isalnum() and len(path.suffix) <= 5 else path.name
    return (text.lstrip("0") or "0") if text.isdigit() else text


def _names(files: Sequence[str]) -> str:
    return ", ".join(files[:2]) + (", ..." if len(files) > 2 else "")
