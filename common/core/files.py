"""Atomic writes: an interrupted run leaves whole files only, but for working files that nobody else reads.

What a killed one had begun bears its name (see :mod:`common.core.leftovers`), and the next process that
writes into the same folder removes it.
"""

from __future__ import annotations

import errno
import functools
import logging
import os
import stat
import tempfile
from pathlib import Path

from . import leftovers
from .errors import OutputError

logger = logging.getLogger(__name__)


def _umask() -> int:
    """What files of this user withhold from others; the system tells it only to who sets it."""
    now = os.umask(0o077)
    os.umask(now)
    return now


#: ending of what was set aside
BROKEN = ".broken"
#: ending of what is being written
_ENDING = ".tmp"
#: what others may do with a file, as the user wants it (umask), which a temporary file does not have
_MODE = 0o666 & ~_umask()
#: folders in which this process has looked for what killed ones had begun
_cleared: set[Path] = set()


def write_text(path: Path, text: str, *, only_changed: bool = False) -> bool:
    r"""Write a file atomically: temporary file in the same folder, then rename.

    Args:
        path: file to write
        text: its content, written as UTF-8 with ``\n`` line ends
        only_changed: leave the file (and its time) alone if the content is the same

    Returns:
        whether the file was written

    Raises:
        OutputError: if it cannot be written
    """
    return write_bytes(path, text.encode("utf-8"), only_changed=only_changed)


def write_bytes(path: Path, data: bytes, *, only_changed: bool = False) -> bool:
    """As :func:`write_text`, for bytes."""
    if path.parent not in _cleared:
        _cleared.add(path.parent)
        leftovers.clear([path.parent])
    if only_changed and _holds(path, data):
        return False
    handle = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(_ENDING, _beginning(os.getpid()), path.parent)
        handle = Path(name)
        with os.fdopen(number, "wb") as file:
            file.write(data)
        handle.chmod(_MODE)
        handle.replace(path)
    except OSError as error:
        if handle is not None:
            handle.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {_obstacle(error)}") from None
    return True


def _obstacle(error: OSError) -> str:
    """Why a file cannot be written; where a file stands in place of a folder above it, which."""
    if isinstance(error, FileExistsError) and error.filename:
        return f"remove the file {error.filename}, which lies where a folder of the program is"
    return str(error.strerror or error)


def write_over(path: Path, data: bytes) -> bool:
    r"""As :func:`write_bytes` with ``only_changed``, for a working file that nobody else reads: not atomic.

    A file system makes room for a new file before it takes the place of another one, which takes longer than
    all else about a small file. So this writes over what a file holds. It is for files that are known by
    their checksum, or by their size and time, and made again where these are others than they were left
    with: of a file that a killed program was writing, only a part may be there.
    """
    if not _is_alone(path):
        return write_bytes(path, data)
    if _holds(path, data):
        return False
    try:
        with path.open("r+b") as file:
            file.write(data)
            file.truncate()
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return True


def discard(path: Path) -> None:
    """Remove a file that is of no use any more; a folder of that name is not ours and stays.

    Raises:
        OutputError: if it cannot be removed
    """
    if path.is_dir() and not path.is_symlink():
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be removed: {error.strerror or error}") from None


def _is_alone(path: Path) -> bool:
    """Whether a file is there, and no other name or link leads to it."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def _holds(path: Path, data: bytes) -> bool:
    """Whether a file has this content; one of another size is not read."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


@functools.cache
def _beginning(process: int) -> str:
    """How names of files that a process writes begin."""
    return f".{leftovers.prefix()}"


def is_file(path: Path) -> bool:
    """Whether a file is there; under a name that is too long for the system, none is.

    >>> is_file(Path("x" * 10_000)), is_file(Path(__file__))
    (False, True)
    """
    try:
        return path.is_file()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def may_never_end(path: Path) -> bool:
    """Whether a pipe, a socket or a device is there, of which nobody knows whether it ends when it is read.

    >>> may_never_end(Path(os.devnull)), may_never_end(Path(__file__)), may_never_end(Path("x" * 10_000))
    (True, False, False)
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # who reads it will say so
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def set_aside(path: Path, why: object) -> None:
    """Rename what a cache cannot use, with a warning, so that it can be made again."""
    text = " ".join(str(why).split())
    logger.warning("%s: %s; it is set aside and made again", path, text)
    free = (path.with_name(f"{path.name}{BROKEN}{n or ''}") for n in range(1000))
    try:
        path.rename(next(place for place in free if not place.exists()))
    except (OSError, StopIteration) as problem:
        logger.warning("%s: cannot be set aside: %s", path, problem)


def clear_way(path: Path, folders: int = 1) -> None:
    """Set aside what stands where a file of a cache, or the folders that hold it, should be.

    Args:
        path: the file
        folders: number of folders above it that belong to the cache
    """
    for place in reversed(path.parents[:folders]):
        if place.exists() and not place.is_dir():
            set_aside(place, "a file in place of a folder")
    if path.is_dir():
        set_aside(path, "a folder in place of a file")


def read_kept(path: Path) -> str | None:
    """Text of a file of a cache; None if there is none that can be read."""
    clear_way(path)
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        set_aside(path, error)
        return None


def keep(path: Path, text: str) -> None:
    """Write a file of a cache, whatever stands in its place; raises OutputError."""
    clear_way(path)
    write_text(path, text, only_changed=True)
