"""Hashes of values and files; those of code are in :mod:`common.core.closure`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

LENGTH = 16
#: bytes of a file that are read at once
PART = 1 << 16


def digest(content: Any) -> str:
    """Short SHA-256 of something that JSON can hold; keys are sorted.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def file_digest(path: Path | str) -> str:
    """SHA-256 of the bytes of a file, in half the time that ``hashlib.file_digest`` takes for small files."""
    sha256 = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - thousands of files, see mirror.names_below
        while part := file.read(PART):
            sha256.update(part)
    return sha256.hexdigest()
