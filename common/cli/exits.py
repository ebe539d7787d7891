"""Exit codes of the command line, whose meaning stands in :mod:`common.cli.main`; signals that end it."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

from ..core.launching import INTERRUPTED, USAGE

OK, FAILED, CELL_ERRORS = 0, 1, 3
#: a polite kill, and a terminal that closes or is no longer connected
_ENDINGS = ("SIGTERM", "SIGHUP")


@contextlib.contextmanager
def ending_as_interrupt() -> Iterator[None]:
    """Let a polite kill or a lost terminal end a run as Ctrl-C does, so that nothing computed is lost.

    A signal that is ignored, as the program nohup does it, stays so.
    """

    def interrupt(number: int, frame: object) -> None:
        _leave_lost_terminals()
        raise KeyboardInterrupt

    with contextlib.ExitStack() as stack:
        for name in _ENDINGS:
            number = getattr(signal, name, None)  # not every system has both
            if number is None or signal.getsignal(number) is signal.SIG_IGN:
                continue
            with contextlib.suppress(ValueError):  # not in the main thread
                stack.callback(signal.signal, number, signal.signal(number, interrupt))
        yield


def _leave_lost_terminals() -> None:
    """Write nowhere what nobody can read any more; it would raise an error at the next word."""
    for descriptor in (1, 2):
        try:
            os.write(descriptor, b"")
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, descriptor)
            os.close(null)


__all__ = ["CELL_ERRORS", "FAILED", "INTERRUPTED", "OK", "USAGE", "ending_as_interrupt"]
