"""Which files of a folder are lists or scores, and which is the table of durations beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...core import parquet
from .columns import names_durations
from .text_lists import DELIMITERS, EXTENSIONS, fields


class Folder(NamedTuple):
    """Files of a folder, sorted by name.

    Args:
        parts: event lists or scores, one per recording, fold or operating point
        durations: tables with the columns filename and duration and without times
    """

    parts: list[Path]
    durations: list[Path]


def look(folder: Path, extensions: Sequence[str]) -> Folder:
    """Files of a folder with one of these extensions, by what they hold.

    Args:
        folder: the folder
        extensions: of what is looked for, in lower case
    """
    paths = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix.lower() in extensions)
    tables = [path for path in paths if holds_durations(path)]
    return Folder([path for path in paths if path not in tables], tables)


def holds_durations(path: Path) -> bool:
    """Whether a file is a table of durations: its header says so."""
    if path.suffix.lower() == ".parquet":
        try:
            return names_durations(parquet.names(path))
        except (ImportError, OSError, ValueError):
            return False  # whoever reads it says what is wrong
    if path.suffix.lower() not in EXTENSIONS:
        return False
    try:
        with path.open(encoding="utf-8-sig") as file:
            line = next((x for x in file if x.strip() and not x.lstrip().startswith("#")), "")
    except (OSError, UnicodeDecodeError):
        return False  # likewise
    return any(names_durations(fields(line.rstrip("\n"), d)) for d in DELIMITERS.values())
