"""What runs compute at the moment, so that runs that share a cache do not compute the same.

Before a run computes something it claims it, and what another run has claimed it leaves to that one. Each run
has a file in the folder ``claims`` of the cache, a line for each claim: names of stores and of recordings. It
holds a lock on its file while it lives, so that claims of a killed run count no more, and takes claims back when
what was claimed is stored. All of them do so one after the other, behind one more lock, on the file ``gate``,
which counts how often something was stored: who finds another number than before looks into the stores.

A claim is a courtesy: what is computed twice has the same values. So a run that says nothing for a long time is
not waited for, and where the system or the file system has no locks, there are no claims.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import OutputError
from ..core.files import clear_way

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

#: folder in the cache, the file that all runs lock in turn, and the ending of the file of a run
FOLDER, GATE, ENDING = "claims", "gate", ".jsonl"
#: seconds between two looks at other runs while they are waited for
LOOK_S = 0.2
#: seconds after which a run that claims nothing new and stores nothing is not waited for
STALLED_S = 600.0
#: seconds that somebody else may stand in the gate, and between two tries to enter it
GATE_S, TRY_S = 10.0, 0.002
#: files of claims of this process -> thread that holds them, which cannot wait for itself
_threads: dict[str, int] = {}

#: names of stores, and the recordings that are claimed in each of them
Group = tuple[Sequence[str], frozenset[str]]


@dataclass
class _Other:
    """What is known of another run.

    Args:
        state: inode, size and time of its file
        since: time at which the file was first seen in this state
        claims: store -> recordings
    """

    state: tuple[int, int, int]
    since: float
    claims: Mapping[str, set[str]] = field(default_factory=dict)


class WorkClaims:
    """Claims of one run; a context, after which it has none.

    Args:
        cache: folder of the cache; None: nobody else uses it
    """

    def __init__(self, cache: Path | None):
        self._folder = cache / FOLDER if cache is not None and fcntl is not None else None
        self._name = f"{secrets.token_hex(8)}{ENDING}"
        self._gate = self._file = -1
        self._count = -1
        self._lines: dict[Hashable, bytes] = {}
        self._others: dict[str, _Other] = {}
        #: files of runs that something was left to
        self._waited_for: set[str] = set()

    def __enter__(self) -> WorkClaims:
        """Open the file of this run.

        Raises:
            OutputError: if the cache cannot be written
        """
        if self._folder is None:
            return self
        try:
            with self._writing():
                while not self._enter():
                    pass
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Take all claims back."""
        with suppress(OSError):
            if self._file >= 0:
                with self._inside():
                    self._discard()
                    self._add_one()
                    self._leave()
        self._close()

    def take(self, key: Hashable, groups: Sequence[Group]) -> dict[str, set[str]]:
        """Claim what no other run has claimed.

        Args:
            key: what :meth:`release` calls the claim
            groups: what is to be computed

        Returns:
            store -> recordings that other runs compute

        Raises:
            OutputError: if the cache cannot be written
        """
        if self._file < 0:
            return {}
        with self._writing(), self._inside():
            busy = self._claimed(groups)
            rest = [
                (stores, files.difference(*(busy.get(store, ()) for store in stores)))
                for stores, files in (_divided(groups, busy) if busy else groups)
            ]
            self._lines[key] = _line(rest)
            os.write(self._file, self._lines[key])
        return busy

    def has_news(self) -> bool:
        """Whether other runs have stored something since this was asked last."""
        if self._gate < 0:
            return False
        count = self._number()
        news, self._count = count != self._count, count
        return news

    def release(self, keys: Iterable[Hashable]) -> None:
        """Take claims back: what they are about is stored.

        Raises:
            OutputError: if the cache cannot be written
        """
        for key in keys:
            self._lines.pop(key, None)
        if self._file < 0:
            return
        with self._writing(), self._inside():
            os.ftruncate(self._file, 0)
            os.write(self._file, b"".join(self._lines.values()))
            self._add_one()

    @property
    def has_left(self) -> bool:
        """Whether something was left to other runs since the last :meth:`wait`."""
        return bool(self._waited_for)

    def wait(self, meanwhile: Callable[[], None]) -> None:
        """Wait until another run has stored something, or one that is waited for has ended or is stalled.

        Args:
            meanwhile: called now and then
        """
        while self._number() == self._count and self._waited_for <= set(self._living()):
            time.sleep(LOOK_S)
            meanwhile()
        self._waited_for.clear()

    def _enter(self) -> bool:
        """Make the file of this run; False if the last of the others has removed the gate meanwhile."""
        assert self._folder is not None
        clear_way(self._folder / GATE)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._gate = os.open(self._folder / GATE, os.O_RDWR | os.O_CREAT, 0o666)
        with self._inside():
            if not _is_same(self._folder / GATE, self._gate):
                self._close()
                return False
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file = os.open(self._folder / self._name, flags, 0o666)
            _threads[self._name] = threading.get_ident()
            self._lock()
        return True

    def _leave(self) -> None:
        """Leave nothing behind if nobody else is here."""
        assert self._folder is not None
        if not any(self._folder.glob(f"*{ENDING}")):
            (self._folder / GATE).unlink()
            self._folder.rmdir()

    def _claimed(self, groups: Sequence[Group]) -> dict[str, set[str]]:
        """Store -> recordings of some groups that other runs compute."""
        busy: dict[str, set[str]] = {}
        for name in self._living():
            claims = self._others[name].claims
            for stores, files in groups:
                for store in stores:
                    if both := files & claims.get(store, set()):
                        busy.setdefault(store, set()).update(both)
                        self._waited_for.add(name)
        return busy

    def _living(self) -> list[str]:
        """Files of other runs that live and are not stalled; those of dead ones are removed."""
        assert self._folder is not None
        names = []
        for path in sorted(self._folder.glob(f"*{ENDING}")):
            mine = _threads.get(path.name) == threading.get_ident()
            with suppress(OSError):  # it has ended meanwhile, or belongs to somebody else
                if not mine and self._lives(path):
                    names.append(path.name)
        self._others = {name: self._others[name] for name in names}
        now = time.monotonic()
        return [name for name in names if now - self._others[name].since < STALLED_S]

    def _lives(self, path: Path) -> bool:
        """Whether a run lives; reads its claims where they have changed."""
        number = os.open(path, os.O_RDONLY)
        try:
            if _is_free(number):
                path.unlink(missing_ok=True)
                return False
            status = os.fstat(number)
            state = status.st_ino, status.st_size, status.st_mtime_ns
            if path.name not in self._others or self._others[path.name].state != state:
                claims = _claims(os.pread(number, status.st_size, 0))
                self._others[path.name] = _Other(state, time.monotonic(), claims)
            return True
        finally:
            os.close(number)

    def _lock(self) -> None:
        """Lock the file of this run; without locks, there are no claims."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            logger.warning(
                "%s: no locks here (%s): runs that share this cache at the same time may compute the same",
                self._folder,
                error.strerror,
            )
            self._discard()
            self._close()

    def _discard(self) -> None:
        """Remove the file of this run."""
        if self._folder is not None:
            with suppress(OSError):
                (self._folder / self._name).unlink()

    def _close(self) -> None:
        """Let go of both files; a forked process may still hold them, but no lock."""
        for number in (self._file, self._gate):
            if number >= 0:
                with suppress(OSError):
                    fcntl.flock(number, fcntl.LOCK_UN)
                os.close(number)
        _threads.pop(self._name, None)
        self._gate = self._file = -1
        self._lines.clear()

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Alone with the files of all runs; not so if one of them stands in the gate for too long."""
        gate, end = self._gate, time.monotonic() + GATE_S
        while not _is_locked(gate) and time.monotonic() < end:
            time.sleep(TRY_S)
        try:
            yield
        finally:
            if self._gate == gate:
                with suppress(OSError):
                    fcntl.flock(gate, fcntl.LOCK_UN)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"{self._folder}: cannot be written: {error.strerror or error}"
            ) from None

    def _number(self) -> int:
        """How often runs have stored something."""
        text = os.pread(self._gate, 32, 0)
        return int(text) if text.isdigit() else 0

    def _add_one(self) -> None:
        """Tell others that something was stored; who knew all before has no news by that."""
        count = self._number()
        os.pwrite(self._gate, b"%020d" % (count + 1), 0)
        if count == self._count:
            self._count = count + 1


def _is_locked(number: int) -> bool:
    """Whether a file could be locked; where there are no locks, nobody stands in the way."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_free(number: int) -> bool:
    """Whether nobody holds the lock on a file."""
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_same(path: Path, number: int) -> bool:
    """Whether an open file is the one that has a name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(number))
    except FileNotFoundError:
        return False


def _divided(groups: Sequence[Group], busy: Mapping[str, set[str]]) -> Iterator[Group]:
    """Stores in which other runs compute something apart from those in which they do not."""
    for stores, files in groups:
        yield [store for store in stores if store not in busy], files
        yield from (([store], files) for store in stores if store in busy)


def _line(groups: Iterable[Group]) -> bytes:
    parts = [[*stores, sorted(files)] for stores, files in groups if stores and files]
    return json.dumps(parts, separators=(",", ":")).encode() + b"\n"


def _claims(data: bytes) -> dict[str, set[str]]:
    """What the file of a run says; lines that are no claims are left out."""
    claims: dict[str, set[str]] = {}
    for line in data.splitlines():
        with suppress(ValueError, TypeError, RecursionError):
            for *stores, files in json.loads(line):
                for store in stores:
                    claims.setdefault(store, set()).update(files)
    return claims
