"""Keeping a copy of a folder up to date by touching only what changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from .errors import OutputError
from .provenance import file_digest


def listing(folder: Path) -> list[Path]:
    """All files below a folder, sorted; none if it does not exist."""
    return [folder / name for name in names_below(folder)]


def names_below(folder: Path) -> list[str]:
    """Relative names of all files below a folder, in the order of their paths; none if it does not exist.

    A path is put together from text: a website has ten thousand files, and a Path for each would take
    longer than to look at them.
    """
    return list(_walk(str(folder), ""))


def _walk(folder: str, begin: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = begin + entry.name
        try:
            is_folder = entry.is_dir()
        except OSError:  # a link to itself, or to where nobody may look
            is_folder = False
        if not is_folder:
            yield name
        elif not entry.is_symlink():  # the files of a folder that is a link are not ours
            yield from _walk(entry.path, f"{name}/")


def contents(folder: Path, *, skip: Collection[str] = ()) -> list[list[str]]:
    """Relative name and SHA-256 of all files below a folder, but for compiled modules.

    Args:
        folder: may be absent
        skip: names at its top that do not count
    """
    entries = []
    for name in names_below(folder):
        if name.partition("/")[0] not in skip and not name.endswith(".pyc"):
            entries.append([name, file_digest(f"{folder}/{name}")])
    return entries


def stat_of(path: str) -> os.stat_result:
    """Size and time of a file; for thousands of them, as :func:`names_below` says."""
    return os.stat(path)  # noqa: PTH116


def stats(folder: Path, *, times: bool = True) -> list[list[str | int]]:
    """Relative name, size and time of all files below a folder."""
    entries: list[list[str | int]] = []
    for name in names_below(folder):
        stat = stat_of(f"{folder}/{name}")
        entries.append([name, stat.st_size, *([stat.st_mtime_ns] if times else [])])
    return entries


def mirror(
    source: Path,
    copy: Path,
    *,
    skip: Collection[str] = (),
    keep: Collection[str] = (),
    deep: int = 0,
    link: bool = False,
    place: Callable[[str], tuple[str, Path] | None] = lambda name: None,
) -> None:
    """Make ``copy`` hold the files of ``source`` and nothing else.

    A file of the same size and time is left alone, so its time stays as it is.

    Args:
        source: folder to copy; may be absent
        copy: folder to bring up to date
        skip: names at the top of ``source`` that are not copied
        keep: names at the top of ``copy`` that are none of our business
        deep: only files so many levels below ``source``, 0 for all
        link: hard links instead of copies where the file system can
        place: name in ``source`` -> another name in ``copy``, and the file that is copied there instead

    Raises:
        OutputError: if a file cannot be written
    """
    names = set()
    for name in names_below(source):
        if name.partition("/")[0] in skip or (deep and name.count("/") >= deep):
            continue
        there, path = place(name) or (name, source / name)
        names.add(there)
        _update(path, copy / there, link=link)
    for name in names_below(copy):
        if name.partition("/")[0] not in keep and name not in names:
            (copy / name).unlink()
    remove_empty(copy)


def _update(path: Path, copy: Path, *, link: bool) -> None:
    try:
        if copy.exists():
            old, new = copy.stat(), path.stat()
            if (old.st_size, old.st_mtime_ns) == (new.st_size, new.st_mtime_ns):
                return
            copy.unlink()
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not (link and _linked(path, copy)):
            shutil.copy2(path, copy)
    except OSError as error:
        raise OutputError(f"{copy}: cannot be written: {error.strerror or error}") from None


def _linked(path: Path, copy: Path) -> bool:
    """Make a hard link; False where the file system has none or ends between the two."""
    try:
        os.link(path, copy)
    except OSError:
        return False
    return True


def remove_empty(folder: Path) -> None:
    """Remove folders without files below a folder."""
    for parent, _, _ in os.walk(folder, topdown=False):
        if parent != str(folder) and not os.listdir(parent):  # noqa: PTH208
            Path(parent).rmdir()
