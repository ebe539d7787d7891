"""Atomic writes: an interrupted run leaves whole files only."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from common.errors import OutputError


def write_text(path: Path, text: str, *, only_changed: bool = False) -> bool:
    """Write a file atomically: temporary file in the same folder, then rename.

    Args:
        path: file to write
        text: its content, written as UTF-8 with ``\\n`` line ends
        only_changed: leave the file (and its time) alone if the content is the same

    Returns:
        whether the file was written

    Raises:
        OutputError: if it cannot be written
    """
    return write_bytes(path, text.encode("utf-8"), only_changed=only_changed)


def write_bytes(path: Path, data: bytes, *, only_changed: bool = False) -> bool:
    """As :func:`write_text`, for bytes."""
    if only_changed and path.exists() and path.read_bytes() == data:
        return False
    handle = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        handle = Path(name)
        with os.fdopen(number, "wb") as file:
            file.write(data)
        handle.chmod(0o644)
        handle.replace(path)
    except OSError as error:
        if handle is not None:
            handle.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return True
