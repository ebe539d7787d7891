"""Datasets in audb repositories: file-system ones, remote ones, and the embedded data.

audb is imported only when something has to be read from it. Whether an entry can be loaded
follows from paths alone:

1. its tables are in the audb cache, or
2. a file-system repository holds its version, or
3. fetching was allowed, the host of a remote repository answers, and it holds the version.

A version of a database never changes, so the fingerprint of an entry is that of its definition.

What is damaged in our own cache is set aside and fetched again: header and tables when they cannot be read,
and of the embedded data, which are made here, any recording with another checksum and the repository itself.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError, DatasetUnavailable
from ..core.files import BROKEN, set_aside
from ..core.paths import Paths
from ..core.provenance import digest
from ..spec import Column, Dataset, Target
from . import repositories
from .base import Kin, Samples, definition
from .entries import needed, place
from .event_lists.databases import drop_pickles
from .repositories import Repository

if TYPE_CHECKING:
    import pandas as pd

#: folder of files in their original form below ``<cache root>/<name>/<version>``
FLAVOR = "d3b62a9b"
#: files that are fetched at the same time
WORKERS = 4


def cache_root(dataset: Dataset, cache: Path) -> Path:
    """Cache folder of audb: that of the user if AUDB_CACHE_ROOT is set, else our own.

    Embedded data stay in our own, as they are made anew there.
    """
    folder = os.environ.get("AUDB_CACHE_ROOT")
    return Path(folder).expanduser() if folder and not dataset.embedded else Paths(cache=cache).audb


def availability(dataset: Dataset, cache: Path, *, download: bool) -> str:
    """Empty if the dataset can be loaded, else the reason why not."""
    if _is_cached(dataset, cache) or _local(dataset, cache):
        return ""
    name = f"'{dataset.database}' {dataset.version}"
    if dataset.embedded:
        return f"{name} is embedded data that have not been made yet"
    every = repositories.known()
    remote = [r for r in every if r.is_remote]
    if not remote:
        others = {v for r in every for v in r.versions(dataset.database)}
        versions = f"only {', '.join(sorted(others))}" if others else "no version of it"
        places = ", ".join(r.name for r in every) or "none"
        return f"{name} is in no audb repository ({places}): {versions}"
    named = ", ".join(f"{r.name} on {r.host}" for r in remote)
    if not download:
        return (
            f"{name} is not on this machine. It may be in a remote repository ({named}),"
            f" which is asked only on demand: --dataset {dataset.id} or --download"
        )
    there = repositories.reachable(remote)
    if not there:
        return f"{name} is not on this machine and no repository can be reached ({named})"
    if _holder(dataset, there) is None:
        return f"{name} is in no audb repository that can be reached ({named})"
    return ""


def fingerprint(dataset: Dataset, cache: Path) -> str:
    """Hash of the definition and, of embedded data, of the recipe they were made from."""
    return digest([definition(dataset), _recipe(dataset, cache)])


def columns(dataset: Dataset) -> list[str]:
    """None: an entry of this adapter declares its columns."""
    return []


def load(
    dataset: Dataset, cache: Path, targets: Mapping[str, Target], *, download: bool
) -> Samples:
    """Sample table; no audio is fetched."""
    with _made_again(dataset, cache):
        try:
            return _loaded(dataset, cache, targets, download=download)
        except _Damaged as damage:
            if not _set_aside(dataset, cache, damage):
                raise
        return _loaded(dataset, cache, targets, download=download)


def _loaded(
    dataset: Dataset, cache: Path, targets: Mapping[str, Target], *, download: bool
) -> Samples:
    from .audformat_adapter import AudformatTables
    from .tables import sample_table

    root = cache_root(dataset, cache)
    if root == Paths(cache=cache).audb:  # made by earlier versions of this program
        drop_pickles(_media_root(dataset, cache))
    sources = _sources(dataset, cache, download=download and not _is_cached(dataset, cache))
    where = {"version": dataset.version, "cache_root": str(root)}
    with repositories.only(sources) as audb:
        dependencies = _call(dataset, audb.dependencies, dataset.database, **where)
        db = _call(
            dataset,
            audb.load,
            dataset.database,
            only_metadata=True,
            tables=_existing(dataset, dependencies.table_ids),
            full_path=False,
            pickle_tables=False,  # they must be younger than the table, which a copy is not
            verbose=False,
            **where,
        )

    def durations(files: Collection[str]) -> dict[str, float]:
        return {file: float(dependencies.duration(file)) for file in files if file in dependencies}

    return Samples(
        dataset,
        sample_table(dataset, AudformatTables(db, place(dataset), durations), targets),
        _media_root(dataset, cache),
        fingerprint(dataset, cache),
        _recipe(dataset, cache),
        cache,
        download,
        checksums=_checksums_in(dependencies()) if dataset.embedded else {},
    )


def media(samples: Samples, files: Collection[str]) -> Path:
    """Folder with the audio; files that are not there yet are fetched.

    A file that the database does not hold is left to the decoder to complain about.

    Raises:
        DatasetUnavailable: if files are missing and can or may not be fetched
    """
    dataset, root = samples.dataset, samples.root
    if dataset.embedded:
        _set_damaged_aside(samples, files)
    todo = [file for file in files if not (root / file).exists()]
    if not todo:
        return root
    sources = _sources(dataset, samples.cache, download=samples.download)
    where = {"version": dataset.version, "cache_root": str(cache_root(dataset, samples.cache))}
    with _made_again(dataset, samples.cache), repositories.only(sources) as audb:
        database_files = set(_call(dataset, audb.dependencies, dataset.database, **where).media)
        downloads = [file for file in todo if file in database_files]
        _call(
            dataset,
            audb.load_media,
            dataset.database,
            downloads,
            num_workers=WORKERS,
            verbose=False,
            **where,
        )
    return root


def kin(samples: Samples, other: Dataset) -> Kin | None:
    """What another version holds of the same audio; None if none of its tables was loaded here.

    The checksums are those of the media, which audb notes when a version is published.

    Args:
        samples: loaded samples
        other: entry of another version of the same database

    Raises:
        DataError: if what audb keeps about a version cannot be read
        DatasetUnavailable: if it is no longer there
    """
    if not _is_cached(other, samples.cache):
        return None
    files = samples.table["file"].unique().tolist()
    here, there = (_checksums(entry, samples.cache, files) for entry in (samples.dataset, other))
    same = frozenset(file for file, checksum in here.items() if there.get(file) == checksum)
    return Kin(other.version, _recipe(other, samples.cache), same)


def _checksums(dataset: Dataset, cache: Path, files: Collection[str]) -> dict[str, str]:
    """File -> checksum, of those that a version holds."""
    where = {"version": dataset.version, "cache_root": str(cache_root(dataset, cache))}
    with repositories.only(_local(dataset, cache)) as audb:
        dependencies = _call(dataset, audb.dependencies, dataset.database, **where)
    table = dependencies()
    return _checksums_in(table[table.index.isin(files)])


def _checksums_in(table: pd.DataFrame) -> dict[str, str]:
    """File -> checksum, of those in a dependency table that the version holds."""
    rows = table[table["removed"] == 0]["checksum"]
    return {str(file): str(checksum) for file, checksum in rows.items() if checksum}


def _existing(dataset: Dataset, table_ids: Collection[str]) -> list[str]:
    """Tables that the entry names and the database has; alternatives may be missing."""
    from .tables import missing

    required = [("table", name) for name in dataset.tables]
    required += [(f"columns.{name}.table", c.table) for name, c in _joined(dataset)]
    for key, name in required:
        if name not in table_ids:
            raise missing("table", name, table_ids, place(dataset, key))
    return [name for name in needed(dataset) if name in table_ids]


#: numbers of errors that are about the machine, and about no dataset
_OF_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


class _Damaged(DataError):
    """What is in the cache or in a repository cannot be read."""


def _set_aside(dataset: Dataset, cache: Path, why: Exception) -> bool:
    """Set header and tables of our own cache aside; whether there were any."""
    if cache_root(dataset, cache) != Paths(cache=cache).audb:
        return False  # audb keeps it for others, too
    root = _media_root(dataset, cache)
    held = [path for folder in (root.parent, root) for path in sorted(folder.glob("db.*"))]
    held = [path for path in held if path.is_file() and BROKEN not in path.name]
    for path in held:
        set_aside(path, why)
    return bool(held)


def _set_damaged_aside(samples: Samples, files: Collection[str]) -> None:
    """Set recordings aside that are not those that were published."""
    for file in files:
        path, checksum = samples.root / file, samples.checksums.get(file)
        if checksum is None or not path.is_file():
            continue
        if hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() != checksum:
            set_aside(path, "is not as it was written")


@contextmanager
def _made_again(dataset: Dataset, cache: Path) -> Iterator[None]:
    """Let embedded data whose repository cannot be read be made again by the next run."""
    try:
        yield
    except _Damaged as damage:
        if not dataset.embedded:
            raise
        for repository in _embedded(cache):
            folder = repository.folder / dataset.database
            if folder.is_dir():
                set_aside(folder, damage)
        raise _Damaged(f"{damage}; the next run makes these data again") from None


def _call(dataset: Dataset, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call audb and turn what it raises into our errors."""
    import audbackend

    name = f"'{dataset.database}' {dataset.version}"
    try:
        return function(*args, **kwargs)
    except (RuntimeError, audbackend.BackendError) as error:
        _raise_fault_of_machine(getattr(error, "exception", error), kwargs)
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        # embedded data are on this machine
        is_damage = dataset.embedded and not _of_system(getattr(error, "exception", error))
        unavailable = _Damaged if is_damage else DatasetUnavailable
        raise unavailable(f"{name} cannot be loaded: {why}") from error
    except MemoryError:
        raise
    except Exception as error:  # a damaged file makes its library raise anything
        _raise_fault_of_machine(error, kwargs)
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        kind = DataError if _of_system(error) else _Damaged
        raise kind(f"{place(dataset)}: {name} cannot be loaded: {why}") from error


def _raise_fault_of_machine(error: BaseException, where: Mapping[str, Any]) -> None:
    """Let a full disk or a folder that may not be written end the run: that is no result of a cell."""
    if isinstance(error, OSError) and error.errno in _OF_MACHINE:
        place = error.filename or where.get("cache_root")
        raise OSError(error.errno, error.strerror, place) from None


def _of_system(error: BaseException) -> bool:
    """Whether an error is about the machine, such as a full disk, and not about what a file holds."""
    return isinstance(error, OSError) and error.errno not in (None, errno.ENOENT)


def _media_root(dataset: Dataset, cache: Path) -> Path:
    return cache_root(dataset, cache) / dataset.database / dataset.version / FLAVOR


def _is_cached(dataset: Dataset, cache: Path) -> bool:
    """Whether audb has header and tables in its cache and needs no repository for them."""
    folder = _media_root(dataset, cache)
    if not (folder / "db.yaml").is_file():
        return False
    required = [*dataset.tables, *(column.table for _, column in _joined(dataset))]
    return all(
        any((folder / f"db.{name}.{ending}").is_file() for ending in ("pkl", "parquet", "csv"))
        for name in required
    )


def _joined(dataset: Dataset) -> list[tuple[str, Column]]:
    """Columns that can only come from another table than that of the samples."""
    columns = dataset.columns.items()
    return [(name, c) for name, c in columns if c.table and c.otherwise is None]


def _embedded(cache: Path) -> list[Repository]:
    host = Paths(cache=cache).embedded / "repo"
    folders = sorted(path for path in host.glob("*") if path.is_dir())
    return [Repository(path.name, str(host), repositories.FILE_SYSTEM) for path in folders]


def _recipe(dataset: Dataset, cache: Path) -> str:
    """Hash of what says from which recipe an embedded database was made."""
    if not dataset.embedded:
        return ""
    note = Paths(cache=cache).embedded / "repo" / f"{dataset.database}.json"
    return digest(note.read_text("utf-8") if note.exists() else "")


def _local(dataset: Dataset, cache: Path) -> list[Repository]:
    """File-system repositories that hold the version of the entry."""
    every = _embedded(cache) if dataset.embedded else repositories.known()
    return [r for r in every if not r.is_remote and r.holds(dataset.database, dataset.version)]


def _sources(dataset: Dataset, cache: Path, *, download: bool) -> list[Repository]:
    """Repositories that audb may ask: none that could keep it waiting."""
    local = _local(dataset, cache)
    if local or dataset.embedded or not download:
        return local
    there = repositories.reachable(repositories.known())
    holder = _holder(dataset, there)
    return [holder] if holder else []


def _holder(dataset: Dataset, there: list[Repository]) -> Repository | None:
    """First of the remote repositories that answer which holds the version."""
    for repository in there:
        with repositories.only([repository]) as audb:
            try:
                audb.repository(dataset.database, dataset.version)
            except RuntimeError:
                continue
        return repository
    return None
