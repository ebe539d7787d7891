"""What is known about model files, kept in the cache so that it is found out only once.

A note is never needed: without a cache folder, or when a note cannot be written or read,
the work is done again.
"""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any

from ..core import files
from ..core.documents import parse_json
from ..core.errors import BrokenFile, OutputError
from ..core.paths import MODELS_CACHE
from ..core.provenance import digest, file_digest

logger = logging.getLogger(__name__)

#: a file that changed less than this ago may change again without a new time stamp
SETTLED_S = 2.0
#: begin of a file that stands for one in Git LFS
POINTER = b"version https://git-lfs"
#: what tells that a file is the one whose hash is known: a note that was copied to another machine
#: is about another file, and the time of the last change of a file can be set to anything
STAMP = ("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino", "st_dev")


def recall(cache: Path | None, key: str) -> Any:
    """Content of a note, None if there is none."""
    if cache is None:
        return None
    path = _path(cache, key)
    text = files.read_kept(path)
    try:
        return None if text is None else parse_json(text)
    except ValueError as error:
        files.set_aside(path, error)
        return None


def keep(cache: Path | None, key: str, content: Any) -> None:
    """Write a note; a cache that cannot be written is no fault."""
    if cache is None:
        return
    try:
        files.keep(_path(cache, key), json.dumps(content) + "\n")
    except (OutputError, OSError) as error:
        logger.debug("note '%s' not kept: %s", key, error)


def content_digest(path: Path, cache: Path | None, where: str) -> str:
    """SHA-256 of a file; of an unchanged file it is taken from a note.

    Args:
        path: the file
        cache: cache folder of the program; None: always read the file
        where: start of the message if it cannot be read

    Raises:
        BrokenFile: if the file cannot be read
    """
    try:
        stat = path.stat()
        key = "file-" + digest(str(path.resolve()))
        stamp = [getattr(stat, name) for name in STAMP]
        note = recall(cache, key)
        if isinstance(note, dict) and note.get("stamp") == stamp:
            return str(note["sha256"])
        sha256 = file_digest(path)
    except OSError as error:
        raise BrokenFile(
            f"{where}: '{path.name}' cannot be read: {error.strerror or error}"
        ) from None
    if time.time() - stat.st_mtime > SETTLED_S:
        keep(cache, key, {"stamp": stamp, "sha256": sha256})
    return sha256


def begin(path: Path, where: str) -> bytes:
    """First bytes of a file, eight or more if it has them.

    Args:
        path: the file
        where: start of the message

    Raises:
        BrokenFile: if it cannot be read, or only stands for a file in Git LFS
    """
    try:
        with path.open("rb") as file:
            first = file.read(len(POINTER))
    except OSError as error:
        raise BrokenFile(
            f"{where}: '{path.name}' cannot be read: {error.strerror or error}"
        ) from None
    if first == POINTER:
        raise BrokenFile(
            f"{where}: '{path.name}' only stands for a file in Git LFS; fetch it: git lfs pull"
        )
    return first


def _path(cache: Path, key: str) -> Path:
    return cache / MODELS_CACHE / f"{key}.json"
