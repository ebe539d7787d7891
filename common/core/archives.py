"""Zip archives: equal content gives equal bytes, and what others packed is looked at before it is read."""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from .errors import DataError
from .files import may_never_end

#: date of every entry: the earliest that the format knows
DATE = (1980, 1, 1, 0, 0, 0)
MODE = 0o644 << 16
#: most entries, and most bytes of all of them, that are read
MOST, LARGEST = 20_000, 2 * 2**30
#: what Python raises for an archive that is damaged, encrypted or packed in an unknown way
DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error),
)
#: most characters of a name
LONGEST = 200
#: an entry that is packed into less than this part of its size is a bomb and no data
PACKED = 1 / 500


def packed(content: Mapping[str, bytes], root: str = "", *, level: int = 6) -> bytes:
    """Bytes of an archive of files by name.

    Args:
        content: path in the archive -> bytes
        root: folder that all entries lie in; may be empty
        level: 1 packs fastest, 9 packs most
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(content):
            entry = zipfile.ZipInfo(f"{root}/{name}" if root else name, DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, MODE
            entry.create_system = 3  # the same on every system
            archive.writestr(entry, content[name], compresslevel=level)
    return out.getvalue()


def unpacked(
    path: Path, names: re.Pattern[str], largest: Mapping[str, int] | None = None
) -> dict[str, bytes]:
    """Content of an archive that somebody else made, by name; nothing is written.

    Args:
        path: the archive
        names: what the whole name of every entry must match
        largest: end of a name -> most bytes of all entries with that end

    Raises:
        DataError: if it is no archive, or an entry has another name, stands twice, is a link or
            encrypted, is damaged, or if all of them are larger than any honest content
    """
    try:
        if may_never_end(path):
            raise DataError(f"{path}: is not a file that can be read")
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check(path, entries, names)
            _check_ends(path, entries, largest or {})
            return {entry.filename: archive.read(entry) for entry in entries}
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except DAMAGED as error:
        raise DataError(f"{path}: cannot be read as a zip archive: {error}") from None


def _check(path: Path, entries: list[zipfile.ZipInfo], names: re.Pattern[str]) -> None:
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MOST or total > LARGEST:
        raise DataError(
            f"{path}: holds {len(entries)} files, {total / 2**20:.0f} MiB in all; at most {MOST} files "
            f"and {LARGEST / 2**20:.0f} MiB in all are read"
        )
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        fault = ""
        if name in seen:
            fault = "appears twice"
        elif len(name) > LONGEST:
            fault = f"has a name of {len(name)} characters; at most {LONGEST} are read"
        elif not names.fullmatch(name) or {".", "..", ""} & set(name.split("/")):
            fault = "does not belong there"
        elif stat.S_ISLNK(entry.external_attr >> 16):
            fault = "is a link"
        elif entry.flag_bits & 1:
            fault = "is encrypted"
        elif entry.file_size > 2**20 and entry.compress_size < PACKED * entry.file_size:
            fault = f"unpacks to {entry.file_size / max(1, entry.compress_size):.0f} times its size"
        if fault:
            raise DataError(f"{path}: the entry '{name:.100}' {fault}")
        seen.add(name)


def _check_ends(path: Path, entries: list[zipfile.ZipInfo], largest: Mapping[str, int]) -> None:
    for end, most in largest.items():
        total = sum(entry.file_size for entry in entries if entry.filename.endswith(end))
        if total > most:
            raise DataError(
                f"{path}: its {end} files have {total / 2**20:.0f} MiB in all; at most {most / 2**20:.0f} MiB are read"
            )
