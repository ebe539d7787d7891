"""Which audb repositories there are and which can be reached, found out without audb.

Importing audb takes a second, and asking it about a repository that cannot be reached takes
twenty for each dataset. So its configuration is read here, file-system repositories are looked
into directly, and the host of a remote one is tried once per process with a short time limit.
"""

from __future__ import annotations

import importlib.util
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..core.errors import ConfigError
from ..spec import read_yaml

#: seconds to wait for a host
TIMEOUT_S = 1.0
FILE_SYSTEM = "file-system"
#: places of the user's audb configuration; the first that exists counts, as in audb
USER_FILES = ("~/.config/audb.yaml", "~/.audb.yaml")

#: held while the configuration of audb is changed
_lock = threading.RLock()
_reached: dict[tuple[str, int], bool] = {}


@dataclass(frozen=True)
class Repository:
    """One repository of audb, as in its configuration."""

    name: str
    host: str
    backend: str

    @property
    def is_remote(self) -> bool:
        """Whether it is not a folder."""
        return self.backend != FILE_SYSTEM

    @property
    def folder(self) -> Path:
        """Folder of a file-system repository."""
        return Path(self.host).expanduser() / self.name

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of a remote repository.

        >>> Repository("a", "s3.example.org", "s3").address
        ('s3.example.org', 443)
        >>> Repository("a", "http://localhost:9000/x", "minio").address
        ('localhost', 9000)
        """
        parts = urlsplit(self.host if "//" in self.host else f"//{self.host}")
        return parts.hostname or self.host, parts.port or (80 if parts.scheme == "http" else 443)

    def holds(self, database: str, version: str) -> bool:
        """Whether a file-system repository has a version of a database."""
        return (self.folder / database / version / "db.yaml").is_file()

    def versions(self, database: str) -> list[str]:
        """Versions of a database in a file-system repository."""
        return sorted(path.parent.name for path in (self.folder / database).glob("*/db.yaml"))


def known() -> list[Repository]:
    """Repositories that audb knows, in its order.

    The configuration of audb if it is imported already, else of the files that it would read.

    Raises:
        ConfigError: if the user's configuration file is wrong
    """
    audb = sys.modules.get("audb")
    with _lock:
        if audb is not None and hasattr(audb, "config"):
            return [Repository(r.name, r.host, r.backend) for r in audb.config.REPOSITORIES]
    for path in (*(Path(name).expanduser() for name in USER_FILES), *_default_file()):
        if path.is_file():
            content = read_yaml(path) or {}
            items = content.get("repositories") if isinstance(content, dict) else None
            if items is not None:
                return [_parse(path, n, item) for n, item in enumerate(items)]
    return []


def _default_file() -> list[Path]:
    module_spec = importlib.util.find_spec("audb")  # does not import it
    places = (module_spec.submodule_search_locations or []) if module_spec else []
    return [Path(place) / "core" / "etc" / "audb.yaml" for place in places]


def _parse(path: Path, number: int, item: Any) -> Repository:
    for key in ("name", "host", "backend"):
        if not isinstance(item, dict) or not item.get(key):
            raise ConfigError(f"{path}: repositories[{number}].{key}: missing")
    return Repository(str(item["name"]), str(item["host"]), str(item["backend"]))


def reachable(repositories: Iterable[Repository]) -> list[Repository]:
    """Remote repositories whose host answers; each host is tried once per process.

    All hosts are tried at the same time, so this takes :data:`TIMEOUT_S` at most.
    """
    candidates = [repository for repository in repositories if repository.is_remote]
    todo = {repository.address for repository in candidates} - set(_reached)
    threads = [threading.Thread(target=_try, args=[address], daemon=True) for address in todo]
    deadline = time.monotonic() + TIMEOUT_S
    for thread in threads:
        thread.start()
    for thread in threads:  # a name look-up has no time limit of its own
        thread.join(max(0.0, deadline - time.monotonic()))
    for address in todo:
        _reached.setdefault(address, False)
    return [repository for repository in candidates if _reached[repository.address]]


def _try(address: tuple[str, int]) -> None:
    try:
        connect(address)
    except OSError:
        _reached.setdefault(address, False)
    else:
        _reached.setdefault(address, True)


def connect(address: tuple[str, int]) -> None:
    """Open and close a connection; raises OSError if there is none in time."""
    socket.create_connection(address, timeout=TIMEOUT_S).close()


@contextmanager
def only(repositories: Sequence[Repository]) -> Iterator[Any]:
    """The audb module, which sees nothing but these repositories meanwhile.

    What the user has configured is restored at the end. Other threads wait.
    """
    import audb

    with _lock:
        before = audb.config.REPOSITORIES
        audb.config.REPOSITORIES = [
            audb.Repository(
                r.name, str(Path(r.host).expanduser()) if not r.is_remote else r.host, r.backend
            )
            for r in repositories
        ]
        try:
            yield audb
        finally:
            audb.config.REPOSITORIES = before
