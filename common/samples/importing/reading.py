"""From an original download to rows with the labels of the suite, as its layout says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import ConfigError, DataError
from ...core.registry import unknown
from . import label_tables
from .inspection import several
from .layouts import GIVEN, Layout
from .request import ALL
from .tree import FileTree

#: column with the part of each sample
SPLIT = "split"
#: all values that a layout does not list, and in the place of a label: as they are
OTHERS = "*"

Row = dict[str, str]


@dataclass
class ImportedRows:
    """What was imported in a folder, a table or archives.

    Args:
        rows: samples; text by column, ``file`` is relative to the root
        root: folder that holds the audio
        fields: of the entry, besides path and columns
        notes: what is worth knowing
        faults: what is wrong with the data
    """

    rows: list[Row]
    root: Path
    fields: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def read_download(tree: FileTree, layout: Layout, part: str = "") -> ImportedRows:
    """Rows of a download.

    Args:
        tree: its files
        layout: how they are named
        part: part of the corpus, or ``all``; empty: what the paper used if it is there, else all

    Raises:
        ConfigError: if there is no such part
        DataError: if no file follows the layout, or a table that it needs is missing or broken
    """
    audio = [name for name in tree.audio(layout.endings) if not layout.is_ignored(name)]
    rows = [row for name in audio if (row := layout.parts(name)) is not None]
    if not rows:
        some = f"; found {audio[0]}" if audio else "; it holds no audio"
        raise DataError(f"{tree.folder}: no audio file is named as in '{layout.id}'{some}")
    imported = ImportedRows(rows, tree.folder, faults=tree.faults())
    if layout.unconfirmed:
        imported.notes.append(
            f"not compared with a real copy: {layout.unconfirmed}; look at the labels"
        )
    followers = {row["file"] for row in rows}
    strangers = [name for name in audio if name not in followers]
    if strangers:
        imported.notes.append(several(strangers, "audio file", f"is not named as in '{layout.id}'"))
    _once(imported)
    _join(imported, tree, layout)
    _choose(imported, layout)
    _translate(imported, layout)
    parts = _partition(imported, layout)
    imported.notes += _counts(imported, layout, parts)
    _take(imported, layout, parts, part)
    imported.rows = [
        {name: text for name, text in row.items() if name not in GIVEN[1:]} for row in imported.rows
    ]
    imported.fields |= _fields(layout)
    return imported


def _once(imported: ImportedRows) -> None:
    """Leave out copies: the same name, labels and size in another folder, as in some archives."""
    first: dict[tuple[str, ...], Row] = {}
    copies: set[str] = set()
    for row in imported.rows:
        earlier = first.setdefault(tuple(text for name, text in row.items() if name != "file"), row)
        if earlier is not row:
            sizes = {(imported.root / r["file"]).stat().st_size for r in (row, earlier)}
            copies |= {row["file"]} if len(sizes) == 1 else set()
    if copies:
        what = "is identical to another one; left out"
        imported.notes.append(several(sorted(copies), "audio file", what))
        imported.rows = [row for row in imported.rows if row["file"] not in copies]


def _join(imported: ImportedRows, tree: FileTree, layout: Layout) -> None:
    """Add the labels of the tables of the download to each row."""
    for table in layout.tables:
        lookup = label_tables.load(tree, layout, table)
        imported.notes += lookup.notes
        imported.faults += lookup.faults
        columns = ", ".join(table.columns)
        if not lookup.files:
            looked = f"looked for {table.file} in {tree.folder} and below"
            if table.required:
                raise DataError(
                    f"{tree.folder}: the audio is named as in '{layout.id}', but its table with"
                    f" {columns} is missing; {looked}"
                )
            imported.notes.append(f"no table with {columns}: {looked}")
            continue
        labels = [lookup.of(row) for row in imported.rows]
        without = [row["file"] for row, more in zip(imported.rows, labels, strict=True) if not more]
        name = lookup.files[0] if len(lookup.files) == 1 else f"{len(lookup.files)} tables"
        if len(without) == len(imported.rows):
            raise DataError(
                f"{tree.folder / lookup.files[0]}: lists none of the audio files; the first is"
                f" {without[0]}"
            )
        if without:
            fate = "is left out" if table.required else f"has no {columns}"
            imported.notes.append(several(without, "audio file", f"is not in {name} and {fate}"))
        empty = dict.fromkeys(table.columns, "")
        imported.rows = [
            row | empty | (more or {})
            for row, more in zip(imported.rows, labels, strict=True)
            if more or not table.required
        ]


def _choose(imported: ImportedRows, layout: Layout) -> None:
    """Fill columns that come from different places, whichever the download has."""
    for column, names in layout.first.items():
        chosen = next((n for n in names if any(row.get(n) for row in imported.rows)), "")
        if not chosen:
            raise ConfigError(f"{layout.origin}: first.{column}: no file has {' or '.join(names)}")
        if chosen != names[0]:
            imported.notes.append(f"{column}: is that of '{chosen}', as there is no '{names[0]}'")
        for row in imported.rows:
            row[column] = row[chosen]


def _translate(imported: ImportedRows, layout: Layout) -> None:
    """Replace what stands in names and tables by labels."""
    raw = [dict(row) for row in imported.rows]
    for column, names in layout.values.items():
        by = names.get("by") or column
        labels = {_folded(name, layout): label for name, label in names.items()}
        strange: Counter[str] = Counter()
        for before, row in zip(raw, imported.rows, strict=True):
            text = _folded(before.get(by, ""), layout)
            if text not in labels and text.isdigit():
                text = "odd" if int(text) % 2 else "even"
            if text and text not in labels and OTHERS not in labels:
                strange[before[by]] += 1
            label = labels.get(text, labels.get(OTHERS)) if text else None
            row[column] = before[by] if label == OTHERS else label or ""
        if strange:
            listed = [f"{name} ({count})" for name, count in strange.most_common()]
            what = f"of {by} not in the layout '{layout.id}', so {column} stays empty"
            imported.faults.append(several(listed, "value", what))


def _folded(text: str, layout: Layout) -> str:
    return text.lower() if layout.ignore_case else text


def _partition(imported: ImportedRows, layout: Layout) -> Counter[str]:
    """Write the part of each row; returns how many rows each part has."""
    split = layout.split
    if split is None:
        return Counter()
    for row in imported.rows:
        row[SPLIT] = split.part(row.get(split.by, ""))
    return Counter(row[SPLIT] for row in imported.rows)


def _counts(imported: ImportedRows, layout: Layout, parts: Counter[str]) -> Iterable[str]:
    """Where numbers differ from those of a complete download."""
    for name, number in layout.expected.items():
        if name == "files":
            count = len(imported.rows)
        elif name.startswith(f"{SPLIT}."):
            count = parts[name.partition(".")[2]]
        else:
            count = len({row[name] for row in imported.rows if row.get(name)})
        numbers = (number,) if isinstance(number, int) else number
        if count not in numbers:
            expected = " or ".join(map(str, numbers))
            what = "audio files" if name == "files" else f"different values of {name}"
            if name.startswith(f"{SPLIT}."):
                what = f"audio files in the part '{name.partition('.')[2]}'"
            yield f"expected {expected} {what}, found {count}: not the complete {layout.id}?"


def _take(imported: ImportedRows, layout: Layout, parts: Counter[str], part: str) -> None:
    """Keep the rows of a part."""
    split = layout.split
    paper = split.paper if split is not None else ""
    names = sorted(name for name in parts if name)
    if part not in ("", ALL, *names):
        raise unknown("part of the corpus", part, (ALL, *names), "--split")
    chosen = part or (paper if parts[paper] else ALL)
    if not part and paper and chosen == ALL:
        imported.notes.append(
            f"holds nothing of the part '{paper}', which the paper used: all is taken"
        )
    total = len(imported.rows)
    if chosen != ALL:
        imported.rows = [row for row in imported.rows if row[SPLIT] == chosen]
        why = "as in the paper; --split all takes all" if chosen == paper else "as asked for"
        imported.notes.append(
            f"takes the {len(imported.rows)} of {total} samples of '{chosen}', {why}"
        )
    imported.fields["alias"] = chosen


def _fields(layout: Layout) -> dict[str, Any]:
    """What an entry gets from its layout."""
    names = ("label", "license", "source", "cite", "description")
    fields: dict[str, Any] = {name: getattr(layout, name) for name in names}
    fields["scale"] = {name: list(limits) for name, limits in layout.scale.items()}
    return {name: value for name, value in fields.items() if value}
