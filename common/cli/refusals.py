"""What the operating system refuses to the whole program: said in one line, with what helps."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ..core import display
from ..core.errors import BenchmarkError, ConfigError, OutputError

FEWER = "try '--workers 1', which needs the least"
ELSEWHERE = "choose another place with '--output' or '--cache'"
#: what is refused for a file only; without one, it is the program that is wrong
OF_FILES = (errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR)
#: number of an error -> what helps
ADVICE = {
    errno.EMFILE: "allow more open files, for example with 'ulimit -n 256'",
    errno.ENFILE: "this machine has too many open files",
    errno.EAGAIN: f"allow more processes (see 'ulimit -u'); {FEWER}",
    errno.ENOMEM: FEWER,
    errno.ENOSPC: "make room on this disk",
    errno.EDQUOT: "make room on this disk",
    errno.EROFS: ELSEWHERE,
    errno.EACCES: ELSEWHERE,
    errno.EPERM: ELSEWHERE,
    errno.EISDIR: "remove this folder, which lies where files of the program are",
    errno.ENOTDIR: "remove the file that lies where a folder of the program is",
}


#: what libraries say, without a number, where they get no memory
NO_MEMORY = ("cannot allocate memory", "failed to map segment", "unable to allocate")
NO_THREAD = "can't start new thread"
#: address space that Arrow (1 GiB) and all other libraries take when they are loaded, and OpenBLAS for each thread
LOADED_BYTES, THREAD_BYTES = 1 << 31, 1 << 27
#: variables that say how many threads OpenBLAS has, the first one counts; and its most
BLAS_THREADS, MOST_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), 64


def blas_threads(cores: int, variables: Mapping[str, str]) -> int:
    """Threads that OpenBLAS starts when it is loaded.

    >>> blas_threads(128, {}), blas_threads(128, {"OMP_NUM_THREADS": "4"})
    (64, 4)
    """
    said = (variables.get(name, "") for name in BLAS_THREADS)
    number = next((int(text) for text in said if text.isdecimal() and int(text)), cores)
    return min(number, cores, MOST_THREADS)


def check_memory(limit_bytes: int | None, threads: int) -> None:
    """Refuse to begin where libraries hang, or end the program, because of a limit of memory.

    OpenBLAS waits for ever, interrupts the program or ends it if it cannot start its threads.

    Args:
        limit_bytes: largest address space of a process; None: as large as it likes
        threads: number of threads of OpenBLAS

    Raises:
        ConfigError: if the limit is too low

    >>> check_memory(560 << 20, 1)
    Traceback (most recent call last):
    ...
    common.core.errors.ConfigError: a limit of 587 MB on the address space of a process ('ulimit -v') is too low: \
this program needs 2.28 GB
    """
    needs = LOADED_BYTES + threads * THREAD_BYTES
    if limit_bytes is not None and limit_bytes < needs:
        least = display.size(LOADED_BYTES + THREAD_BYTES)
        fewer = f" ({least} with {BLAS_THREADS[0]}=1)" if threads > 1 else ""
        raise ConfigError(
            f"a limit of {display.size(limit_bytes)} on the address space of a process ('ulimit -v') is too "
            f"low: this program needs {display.size(needs)}{fewer}"
        )


def refusal(error: Exception, folders: Collection[Path] = ()) -> str:
    """Line for people; empty if it is not the machine that refuses, but the program that is wrong.

    Args:
        error: what was raised
        folders: where the program writes; what may not be read elsewhere is an input

    >>> refusal(OSError(errno.ENOSPC, "No space left on device", "x/y"))
    'x/y: No space left on device: make room on this disk; what was computed is kept'
    >>> refusal(ImportError("x.so: failed to map segment from shared object"))
    "Cannot allocate memory: try '--workers 1', which needs the least; what was computed is kept"
    >>> refusal(OSError(errno.EISDIR, "Is a directory", "x/y"))
    'x/y: cannot be read: Is a directory'
    >>> refusal(OSError(errno.EBADF, "Bad file descriptor"))
    ''
    """
    number = next(filter(None, map(_number, _chain(error))), 0)
    place = getattr(error, "filename", None)
    if number not in ADVICE or (number in OF_FILES and not place):
        return ""
    if number in OF_FILES and _is_input(Path(str(place)), folders, number):
        return f"{place}: cannot be read: {os.strerror(number)}"
    refused = f"{place}: {os.strerror(number)}" if place else os.strerror(number)
    return f"{refused}: {ADVICE[number]}; what was computed is kept"


def advised(error: BenchmarkError, folders: Collection[Path]) -> str:
    """What a message says, and what helps where the machine refuses to write a result.

    Args:
        error: what was raised
        folders: where the program writes
    """
    number = next(filter(None, map(_number, _chain(error))), 0)
    if not isinstance(error, OutputError) or number not in ADVICE:
        return str(error)
    places = [Path(str(e.filename)) for e in _chain(error) if isinstance(e, OSError) and e.filename]
    inside = any(
        place.absolute().is_relative_to(folder.absolute()) for place in places for folder in folders
    )
    if number in (*OF_FILES, errno.EROFS) and not inside:
        return str(error)
    return f"{error}: {ADVICE[number]}; what was computed is kept"


def _is_input(place: Path, folders: Collection[Path], number: int) -> bool:
    """Whether a file or folder is one that must be read, and may not or cannot be."""
    path = place.absolute()
    if any(path.is_relative_to(folder.absolute()) for folder in folders):
        return False
    if number not in (errno.EACCES, errno.EPERM):
        return True
    seen = next(each for each in (path, *path.parents) if os.path.lexists(each))
    through = os.R_OK | os.X_OK if seen.is_dir() else os.R_OK
    return not os.access(seen, through)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _number(error: BaseException) -> int:
    """Number of what the system refused; 0 if that is not said."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    said = str(error).lower()
    if isinstance(error, MemoryError) or any(words in said for words in NO_MEMORY):
        return errno.ENOMEM
    return errno.EAGAIN if isinstance(error, RuntimeError) and NO_THREAD in said else 0
