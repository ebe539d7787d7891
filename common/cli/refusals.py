"""What the operating system refuses to the whole program: said in one line, with what helps."""

from __future__ import annotations

import errno
import os

FEWER = "'--workers 1' needs least"
#: number of an error -> what helps
ADVICE = {
    errno.EMFILE: "allow more open files, for example with 'ulimit -n 256'",
    errno.ENFILE: "this machine has too many open files",
    errno.EAGAIN: f"allow more processes (see 'ulimit -u'); {FEWER}",
    errno.ENOMEM: FEWER,
    errno.ENOSPC: "make room on this disk",
    errno.EDQUOT: "make room on this disk",
    errno.EROFS: "choose another place with '--output' or '--cache'",
}


def refusal(error: OSError | MemoryError) -> str:
    """Line for people; empty if it is not the machine that refuses, but the program that is wrong.

    >>> refusal(OSError(errno.ENOSPC, "No space left on device", "x/y"))
    'x/y: No space left on device: make room on this disk; what was computed is kept'
    >>> refusal(OSError(errno.EBADF, "Bad file descriptor"))
    ''
    """
    if isinstance(error, MemoryError):
        error = OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    if error.errno not in ADVICE:
        return ""
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror}: {ADVICE[error.errno]}; what was computed is kept"
