"""Keeps the memory that arrays leave behind, instead of giving it back after each of them.

The C library of Linux gives memory at the end of its heap back to the system as soon as some
hundred kilobytes are free there, and asks for it again for the next temporary array. Each page
of it is then a fault for the system to handle: signal processing spends half of its time on that,
more on virtual machines. Results do not depend on it. Other systems have no such setting.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import sys

#: bytes that may be free at the end of the heap
KEPT = 256 << 20
#: bytes from which on an array gets memory of its own; the library does not take more
OWN = 32 << 20
#: objects between two looks for garbage: a figure, or the tree of a page; Python has 700
GARBAGE = 100_000
#: numbers of these settings in ``malloc.h``
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3


def keep() -> bool:
    """Keep freed memory in this process, and look for garbage less often, and not in the end.

    Figures and pages are made of hundreds of thousands of objects that live, and many looks at
    all of them would take an eighth of the time. When Python ends, it would look at all objects
    once more, for a second after a long run, although the system takes all memory at once.

    Returns:
        whether the C library can keep memory
    """
    gc.set_threshold(GARBAGE, 50, 50)
    atexit.register(gc.freeze)
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is None:
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, OWN) and mallopt(M_TRIM_THRESHOLD, KEPT))


def environment() -> dict[str, str]:
    """Environment of a process that is to keep freed memory and does not call :func:`keep`."""
    return {
        "MALLOC_MMAP_THRESHOLD_": str(OWN),
        "MALLOC_TRIM_THRESHOLD_": str(KEPT),
        **os.environ,
    }
