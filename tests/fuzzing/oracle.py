"""What must hold of a parser whatever it reads: it returns, or refuses with an error of a line for each fault.

It ends, takes no more memory than a bound, and writes nothing outside its folder.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from common.core.errors import BenchmarkError
from tests.fuzzing.parsers import Files, FuzzedParser

#: processor time after which a parser of a few kilobytes hangs, in s
HANGS_S = 30
#: memory that a parser may take beyond what the tests have already
MEMORY = 4 * 2**30
#: characters that no message may hold: control characters, ends of lines, halves of characters
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
#: events of Python that change files, and how many of their arguments are paths
_CHANGES = {
    **dict.fromkeys(("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree"), 1),
    **dict.fromkeys(("os.rename", "os.link", "os.symlink"), 2),
}
#: what libraries say of their own later versions
OF_LATER = (DeprecationWarning, FutureWarning)
_clock = itertools.count(1)


class Hang(BaseException):
    """A parser has taken too long."""


class _Watch:
    """Notes what is written outside a folder while it is switched on."""

    def __init__(self) -> None:
        self.inside: str | None = None
        self.outside: list[str] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.inside is None:
            return
        paths: tuple[object, ...]
        if event == "open":
            path, _, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            paths = (path,) if writes else ()
        else:
            count = _CHANGES.get(event, 0)
            # what is named from an open folder was found in it
            from_folder = any(isinstance(n, int) and n >= 0 for n in arguments[count:])
            paths = () if from_folder else arguments[:count]
        for path in paths:
            if isinstance(path, str | bytes | os.PathLike):
                place = os.path.realpath(os.fsdecode(path))
                if not place.startswith(self.inside) and place != os.devnull:
                    self.outside.append(f"{event} {place}")


_watch = _Watch()


@contextlib.contextmanager
def guarded(folder: Path) -> Iterator[None]:
    """Limits of time, memory and place for what runs within."""
    if _watch not in _installed:
        sys.addaudithook(_watch)
        _installed.append(_watch)
    collects, compiles = gc.isenabled(), sys.dont_write_bytecode
    before, temporary = resource.getrlimit(resource.RLIMIT_AS), tempfile.tempdir
    pages = int(Path(os.sep, "proc", "self", "statm").read_text().split()[0])
    used = pages * resource.getpagesize()
    handler = signal.signal(signal.SIGVTALRM, _hang)
    _watch.inside, _watch.outside = os.path.realpath(folder) + os.sep, []
    tempfile.tempdir = str(folder)
    # a module that is imported for the first time belongs to the program, not to the file
    sys.dont_write_bytecode = True
    # nor do folders of earlier tests that go with their garbage
    gc.disable()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_S)
    try:
        with warnings.catch_warnings():
            for kind in OF_LATER:
                warnings.simplefilter("ignore", kind)
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)
        _watch.inside, tempfile.tempdir = None, temporary
        sys.dont_write_bytecode = compiles
        if collects:
            gc.enable()


_installed: list[_Watch] = []


def _hang(number: int, frame: object) -> None:
    raise Hang(f"more than {HANGS_S} s of processor time")


def lay(folder: Path, files: Files) -> None:
    """Write files into an empty folder, each with a time of its own, as headers are kept by time."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        time = 10**9 + next(_clock)
        os.utime(path, ns=(time, time))


def check(parser: FuzzedParser, folder: Path, files: Files) -> str:
    """Let a parser read files.

    Args:
        parser: the parser
        folder: folder that is emptied
        files: what it reads: path in the folder -> bytes

    Returns:
        the message with which it refused the files; empty: it read them

    Raises:
        AssertionError: if a fault is not told in one line, or something else was written
        Exception: whatever the parser raises that is no error for a user
    """
    place = folder / "place"
    lay(place, files)
    refusal: tuple[object, ...] = ()
    with guarded(place):
        try:
            parser.read(place)
        except BenchmarkError as error:
            refusal = error.args
            assert all(map(str, refusal)) and refusal, "an error without a text"
    assert not _watch.outside, f"written outside of its folder: {_watch.outside[:3]}"
    for line in map(str, refusal):
        odd = CONTROL.search(line)
        assert odd is None, f"control character {odd[0]!r} in the message {line!r:.300}"
    return "\n".join(map(str, refusal))
