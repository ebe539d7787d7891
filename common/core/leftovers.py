"""Shared memory, semaphores, temporary files and folders of killed runs: named so that later runs can clear them.

A process that is killed cannot give back what lies in ``/dev/shm`` or in the temporary folder, or remove a file that
it has written in part, and neither can its helpers if they are killed with it. So names tell whose a file is: the
process, by its number and the time of its start, as numbers are given again, and the machine and namespace in which
the number counts, as machines may share a folder. What belongs to a living process, another user, machine or namespace
is never touched. Other systems than Linux give these things back themselves, or have no place where one could look.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import itertools
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

#: where Linux keeps shared memory and semaphores
SHARED = Path("/dev/shm")
PROCESSES = Path("/proc")
#: how a name begins: of memory or a folder, after ``sem.`` of a semaphore, after a dot of a file
_NAME = re.compile(r"(?:sem\.|\.)?speechproof-(?P<space>[0-9a-f]+)-(?P<number>\d+)-(?P<start>\d+)-")
_counter = itertools.count()


class _Container:
    """The folder that holds temporary folders of other packages while somebody wants it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before: str | None = None
        self._folder = ""

    def enter(self) -> None:
        with self._lock:
            if not self._users:
                self._before, self._folder = tempfile.tempdir, ""
                with contextlib.suppress(OSError):  # who needs one will say so
                    self._folder = tempfile.mkdtemp(prefix=prefix())
                    tempfile.tempdir = self._folder
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and self._folder:
                tempfile.tempdir = self._before
                try:
                    Path(self._folder).rmdir()
                except OSError:  # what lies in it may be in use until this process ends
                    atexit.register(_remove, self._folder, os.getpid())
                self._folder = ""

    def forget(self) -> None:
        """In a forked process, which has none of the threads that are inside."""
        if self._folder:
            tempfile.tempdir = self._before
        self._lock, self._users, self._folder = threading.Lock(), 0, ""

    @property
    def around(self) -> Path:
        """The temporary folder of everybody."""
        return Path(self._folder).parent if self._folder else Path(tempfile.gettempdir())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


_container = _Container()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_container.forget)


def owner(processes: Path = PROCESSES) -> str:
    """How names of this process begin; empty where there is no way to tell processes apart."""
    start, space = started(os.getpid(), processes), namespace(processes)
    if sys.platform != "linux" or not (start and space):
        return ""
    return f"speechproof-{space}-{os.getpid()}-{start}"


def new_name() -> str | None:
    """Name of new shared memory; None: any."""
    mine = owner()
    return f"{mine}-{next(_counter)}" if mine else None


def prefix() -> str:
    """How the name of a temporary folder of this process begins."""
    return f"{owner() or 'speechproof'}-"


@contextlib.contextmanager
def contained() -> Iterator[None]:
    """Temporary folders of other packages lie in one of this process meanwhile.

    For packages that name theirs by chance, so that nobody can tell whose they are after a kill.
    """
    _container.enter()
    try:
        yield
    finally:
        _container.leave()


def name_semaphores() -> None:
    """Let semaphores that this process makes from now on bear its name."""
    mine = owner()
    # there is no public way; where the private one is gone, semaphores have any name
    config = getattr(multiprocessing.current_process(), "_config", None)
    if mine and isinstance(config, dict) and "semprefix" in config:
        config["semprefix"] = f"/{mine}"


def clear(places: Sequence[Path] = (), processes: Path = PROCESSES) -> list[str]:
    """Remove what dead processes of this user have left.

    Args:
        places: folders to look into; none: shared memory and the temporary folder
        processes: folder with a folder for each process, as ``/proc``

    Returns:
        names of what was removed
    """
    removed = []
    for place in places or _places():
        for name in left(place, processes):
            with contextlib.suppress(OSError):  # somebody else was faster
                if (place / name).is_dir():
                    shutil.rmtree(place / name)
                else:
                    (place / name).unlink()
                removed.append(name)
    return removed


def _places() -> Iterator[Path]:
    yield SHARED
    with contextlib.suppress(OSError):  # no folder that can be written to
        yield _container.around


def left(shared: Path = SHARED, processes: Path = PROCESSES) -> list[str]:
    """Names of what dead processes of this user have left in a folder; arguments as for :func:`clear`."""
    matches = []
    # it may not be there, or nobody may look into it
    with contextlib.suppress(OSError), os.scandir(shared) as entries:
        there = sorted(entry.name for entry in entries)
        matches = [match for name in there if (match := _NAME.match(name))]
    space = namespace(processes) if matches else ""
    names = []
    for match in matches:
        if match["space"] != space:
            continue
        with contextlib.suppress(OSError):  # it is gone
            mine = (shared / match.string).stat(follow_symlinks=False).st_uid == os.getuid()
            if mine and started(int(match["number"]), processes) != match["start"]:
                names.append(match.string)
    return names


def started(number: int, processes: Path = PROCESSES) -> str:
    """When a process was started, in ticks since the system was; empty if there is none."""
    try:
        text = (processes / str(number) / "stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    # the second field, the name of the program, may hold blanks and brackets
    fields = text.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def namespace(processes: Path = PROCESSES) -> str:
    """Machine since its start, and namespace, in which numbers of processes count; empty if not known.

    The first namespace of all has one number everywhere.
    """
    try:
        boot = (processes / "sys" / "kernel" / "random" / "boot_id").read_bytes()
        match = re.search(r"\d+", os.readlink(processes / "self" / "ns" / "pid"))  # noqa: PTH115
    except OSError:
        return ""
    return f"{hashlib.sha256(boot).hexdigest()[:8]}{match[0]}" if match else ""
