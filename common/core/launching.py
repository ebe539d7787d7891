"""Start of the command line: what may happen before it can speak itself. Needs no package."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from .terminal import tell

#: exit codes
USAGE, INTERRUPTED = 2, 130
#: a polite kill, and a terminal that closes or is no longer connected
_ENDINGS = ("SIGTERM", "SIGHUP")
#: what is said of an interrupted command
STOPPED = "interrupted; what was computed is kept"
#: how long threads of OpenBLAS look for more work before they sleep, as a power of two of cycles. Its own 26 is some
#: 20 ms after each product of matrices, in which they take a processor from others; it is read when numpy is loaded
BLAS_WAIT = ("OPENBLAS_THREAD_TIMEOUT", "4")
#: packages of this project, whose modules are never missing on a user's machine
OWN = frozenset({"common", "speechproof", "benchmark_site", "local_math"})

#: package -> what pip calls it, where that differs
PIP_NAMES = {
    "espeakng_loader": "espeakng-loader",
    "sphinxcontrib": "sphinxcontrib-bibtex",
    "yaml": "pyyaml",
}


def advice(error: ModuleNotFoundError, requirements: Path | None) -> str:
    """What to do about a module that is not there; empty if it is our own or Python's.

    Args:
        error: what an import raised
        requirements: list of the packages of a clone; None: the program is installed
    """
    package = (error.name or "").split(".")[0]
    if not package or package in OWN or package in sys.stdlib_module_names:
        return ""
    words = (
        f"-r {os.path.relpath(requirements)}" if requirements else PIP_NAMES.get(package, package)
    )
    return (
        f"error: the package '{package}' is not installed for {sys.executable}; "
        f"what this program needs is installed with: pip install {words}"
    )


def launch(start: Callable[[], int], requirements: Path | None) -> int:
    """Exit code of a command line that may be killed, or lack packages, while it is imported.

    Args:
        start: imports and runs it
        requirements: as for :func:`advice`
    """
    os.environ.setdefault(*BLAS_WAIT)
    _open_streams()
    try:
        with ending_as_interrupt():
            return start()
    except KeyboardInterrupt:
        tell(STOPPED, to=sys.stderr)
        return INTERRUPTED
    except ModuleNotFoundError as error:
        line = advice(error, requirements)
        if not line:
            raise
        tell(line, to=sys.stderr)
        return USAGE
    except (EOFError, ValueError, TypeError) as error:
        path = half_compiled(error)
        if path is None:
            raise
        _begin_again(path)
        return USAGE


def _open_streams() -> None:
    """Let standard streams that are closed lead nowhere; the next file that is opened would take their place."""
    number = os.open(os.devnull, os.O_RDWR)
    while number <= 2:
        os.set_inheritable(number, True)
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


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


def half_compiled(error: Exception) -> Path | None:
    """The compiled module that Python could not read, if that is what an error is about.

    Python writes half of it where a disk is full, takes it for whole, and never makes it again by itself.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_code.co_filename.startswith("<frozen importlib"):
        return None
    path = trace.tb_frame.f_locals.get("bytecode_path")
    return Path(path) if isinstance(path, str) else None


def _begin_again(path: Path) -> None:
    """Remove half a compiled module and start this program from the beginning; returns if that cannot be done."""
    what = f"{path}: only half of a compiled module, as a full disk leaves it"
    try:
        path.unlink()
    except OSError as error:
        tell(f"error: {what}; it cannot be removed: {error.strerror}", to=sys.stderr)
        return
    tell(f"{what}; it is made again", to=sys.stderr)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
