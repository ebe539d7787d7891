"""What lies below a folder that is imported: files, links that lead out of it, unfinished downloads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...core.errors import DataError
from .conventions import AUDIO
from .inspection import several

#: endings of what browsers and other programs have not yet downloaded
UNFINISHED = frozenset((".part", ".partial", ".crdownload", ".download", ".aria2"))
#: folders of archives that hold no data of the corpus
_STRANGE = frozenset(("__MACOSX",))


@dataclass(frozen=True)
class FileTree:
    """Files below a folder; those whose name begins with a dot are left out.

    Args:
        folder: the folder
        files: its files, relative to it, with forward slashes, sorted
        outside: links that lead out of the folder; never followed
        broken: links that lead nowhere
        unfinished: downloads that were not completed
    """

    folder: Path
    files: tuple[str, ...]
    outside: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    def audio(self, endings: frozenset[str] = AUDIO) -> list[str]:
        """Files with one of these endings, in lower case with their dot."""
        return [name for name in self.files if PurePosixPath(name).suffix.lower() in endings]

    def faults(self) -> list[str]:
        """What is wrong with the folder itself, one line each."""
        kinds = (
            (self.outside, "link", "leads out of the folder and is left out"),
            (self.broken, "link", "leads nowhere"),
            (self.unfinished, "download", "is not finished"),
        )
        return [several(names, kind, what) for names, kind, what in kinds if names]


def look(folder: Path) -> FileTree:
    """Walk through a folder without leaving it.

    Raises:
        DataError: if a folder cannot be read
    """
    top = folder.resolve()
    listed: dict[str, list[str]] = {"files": [], "outside": [], "broken": [], "unfinished": []}
    for place, folders, names in os.walk(top, onerror=_unreadable):
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in _STRANGE)
        for name in (*names, *(n for n in folders if Path(place, n).is_symlink())):
            path = Path(place, name)
            kind = "" if name.startswith(".") else _kind(path, top)
            if kind:
                listed[kind].append(path.relative_to(top).as_posix())
    return FileTree(top, **{kind: tuple(sorted(names)) for kind, names in listed.items()})


def _kind(path: Path, top: Path) -> str:
    """In which list of a tree a path belongs, empty for folders and what is no file."""
    if path.is_symlink():
        if not path.exists():
            return "broken"
        if not path.resolve().is_relative_to(top):
            return "outside"
    if path.suffix.lower() in UNFINISHED:
        return "unfinished"
    return "files" if path.is_file() else ""


def _unreadable(error: OSError) -> None:
    raise DataError(f"{error.filename}: cannot be read: {error.strerror or error}") from None
