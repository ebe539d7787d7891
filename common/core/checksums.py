"""SHA-256 of made files, beside them, so that a damaged one is noticed and made again.

The file is written as the program sha256sum writes it, which can check it.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from . import files
from .mirror import stat_of
from .provenance import file_digest

logger = logging.getLogger(__name__)

NAME = "SHA256SUMS"
#: how names with such characters are written, in a line that begins with a backslash
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}


class _Sum(NamedTuple):
    """What is known of a file: its hash, and its time in ns and size in bytes at that moment."""

    digest: str
    time: int
    size: int


class Checksums:
    """Checksums of the files of a folder.

    Args:
        folder: where the files and the file with their sums are
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._sums: dict[str, _Sum] = {}

    def discard_damaged(self) -> int:
        """Remove files that are not as they were when their sums were written, with a warning.

        Returns:
            how many were removed

        Raises:
            OutputError: if one cannot be removed
        """
        damaged = self.damaged()
        for path in damaged:
            logger.warning("%s: is not as it was written; it is made again", path)
            files.discard(path)
        return len(damaged)

    def damaged(self, *endings: str) -> list[Path]:
        """Files that are not as they were when their sums were written; one that is gone is none.

        Args:
            endings: of the names of files that are looked at; none: all are
        """
        damaged = []
        for name, digest in self._read().items():
            now = self._sum(name) if name.endswith(endings or "") else None
            if now is not None and now.digest != digest:
                damaged.append(self._folder / name)
            elif now is not None:
                self._sums[name] = now
        return damaged

    def write(self, names: Iterable[str]) -> None:
        """Write the sums of files; of those that nobody has touched since they were read, none is read again.

        Args:
            names: files below the folder

        Raises:
            OutputError: if the sums cannot be written
        """
        lines = []
        for name in sorted(names):
            entry = self._sums.get(name)
            if entry is None or entry[1:] != self._state(name):
                entry = self._sum(name)
            if entry is not None:
                lines.append(_line(name, entry.digest))
        place = self._folder / NAME
        if lines:
            files.write_bytes(place, os.fsencode("".join(lines)), only_changed=True)
        else:
            files.discard(place)

    def _read(self) -> dict[str, str]:
        """Name and hash of each file; what is no line of sums is none."""
        try:
            text = os.fsdecode((self._folder / NAME).read_bytes())
        except OSError:
            return {}
        entries = (_entry(line) for line in text.split("\n"))
        return {name: digest for name, digest in entries if _is_below(name)}

    def _state(self, name: str) -> tuple[int, int] | None:
        """Time and size of a file; None if there is none."""
        try:
            status = stat_of(f"{self._folder}/{name}")
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _sum(self, name: str) -> _Sum | None:
        """What is known of a file; None if there is none that can be read."""
        path = f"{self._folder}/{name}"
        try:
            status = stat_of(path)
            return _Sum(file_digest(path), status.st_mtime_ns, status.st_size)
        except OSError:
            return None


def _line(name: str, digest: str) -> str:
    r"""Line of a file, escaped as the program sha256sum does it.

    >>> _line("a.wav", "12"), _line("a\n.wav", "12")
    ('12  a.wav\n', '\\12  a\\n.wav\n')
    """
    if ESCAPES.keys().isdisjoint(name):
        return f"{digest}  {name}\n"
    escaped = "".join(ESCAPES.get(char, char) for char in name)
    return f"\\{digest}  {escaped}\n"


def _entry(line: str) -> tuple[str, str]:
    r"""Name and hash of a line.

    >>> _entry("12  a.wav"), _entry("\\12  a\\n.wav"), _entry("12")
    (('a.wav', '12'), ('a\n.wav', '12'), ('', '12'))
    """
    digest, _, name = line.removeprefix("\\").partition("  ")
    if line.startswith("\\"):
        plain = {escaped: char for char, escaped in ESCAPES.items()}
        name = re.sub(r"\\[\\nr]", lambda escaped: plain[escaped[0]], name)
    return name, digest


def _is_below(name: str) -> bool:
    """Whether a name leads to a place below the folder.

    >>> _is_below("a/b.wav"), _is_below("../b.wav"), _is_below("/b.wav"), _is_below("")
    (True, False, False, False)
    """
    return bool(name) and not name.startswith("/") and ".." not in name.split("/")
