"""Hashes of values and files; those of code are in :mod:`common.core.closure`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

LENGTH = 16


def digest(content: Any) -> str:
    """Short SHA-256 of something that JSON can hold; keys are sorted.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def file_digest(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
