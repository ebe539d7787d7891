"""Datasets: tables of samples with labels, and their audio.

Reading order: :mod:`~common.samples.base` (what a dataset is), one adapter,
:mod:`~common.samples.folder_adapter` being the simplest, :mod:`~common.samples.tables` (how
the tables of a database become one sample table), :mod:`~common.samples.audio`.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from ..core.errors import BenchmarkError, DatasetUnavailable
from ..core.registry import unknown
from ..spec import Dataset, Target
from . import entries
from .base import DataAdapter, Kin, Samples

logger = logging.getLogger(__name__)


class _Loaded(NamedTuple):
    """A sample table, and what it was loaded for."""

    dataset: Dataset
    cache: Path
    targets: dict[str, Target]
    samples: Samples


#: cache folder and id of an entry -> what was loaded since :func:`loading_once` began; None: it is not kept
_loaded: dict[tuple[Path, str], _Loaded] | None = None

#: adapters by the name in the catalog: modules of this package, loaded when one is needed
ADAPTERS = ("audb", "audformat", "folder")


def check(dataset: Dataset) -> None:
    """Check an entry without its data.

    Raises:
        ConfigError: for the first fault
    """
    entries.check(dataset)
    _adapter(dataset)


def availability(dataset: Dataset, cache: Path, download: bool = False) -> str:
    """Whether a dataset can be loaded.

    Looks at paths only, unless ``download`` allows to ask a remote repository; even then a
    repository that cannot be reached costs one second in all, once per process.

    Args:
        dataset: the entry
        cache: cache folder of the program
        download: whether it may be fetched from a remote repository

    Returns:
        empty if it can be loaded, else the reason why not
    """
    return _adapter(dataset).availability(dataset, cache, download=download)


def fingerprint(dataset: Dataset, cache: Path) -> str:
    """Hash that changes when samples, labels or audio change.

    Cheap: it hashes definitions, tables, file sizes and the code that makes sample tables of them,
    imports no audb and asks no repository. Only for datasets that are available.
    """
    return _adapter(dataset).fingerprint(dataset, cache)


def declared_columns(dataset: Dataset) -> list[str]:
    """Columns that the sample table of an entry will have, besides file, start and end.

    An entry that declares none has all columns of its table, if that is a file on disk.
    """
    return list(dataset.columns) or _adapter(dataset).columns(dataset)


def load(
    dataset: Dataset,
    cache: Path,
    targets: Mapping[str, Target],
    *,
    download: bool = False,
) -> Samples:
    """Sample table of a dataset, without its audio; within :func:`loading_once`, the one that was loaded before.

    Args:
        dataset: the entry
        cache: cache folder of the program
        targets: decides which columns are numbers and which labels
        download: whether tables, and later audio, may be fetched from a remote repository

    Raises:
        DatasetUnavailable: if it is neither here nor may be fetched
        ConfigError: if the entry is wrong in itself
        DataError: if the data are not as the entry says
    """
    reason = availability(dataset, cache, download)
    if reason:
        raise DatasetUnavailable(reason)
    if _loaded is None:
        return _adapter(dataset).load(dataset, cache, targets, download=download)
    last = _loaded.get((cache, dataset.id))
    if (
        last is not None
        and last[:3] == (dataset, cache, dict(targets))
        and last.samples.fingerprint == fingerprint(dataset, cache)
    ):
        return replace(last.samples, download=download)
    samples = _adapter(dataset).load(dataset, cache, targets, download=download)
    _loaded[cache, dataset.id] = _Loaded(dataset, cache, dict(targets), samples)
    return samples


@contextmanager
def loading_once() -> Iterator[None]:
    """Keep the sample tables that are loaded meanwhile, as long as entries and data stay as they are.

    A run and what is made of its results for the website need the same tables. Nobody may write
    into them.
    """
    global _loaded
    if _loaded is not None:
        yield
        return
    _loaded = {}
    try:
        yield
    finally:
        _loaded = None


def media(samples: Samples, files: Collection[str] | None = None) -> Path:
    """Make sure that audio is on disk.

    Args:
        samples: loaded samples
        files: files that are wanted, of any entry that shares its audio with ``samples``;
            default: those of the sample table

    Returns:
        folder that the files are relative to. A file that the dataset does not have is missing
        there; the decoder complains about it

    Raises:
        DatasetUnavailable: if files would have to be fetched and cannot or may not be
    """
    file_names = samples.table["file"].unique().tolist() if files is None else files
    return _adapter(samples.dataset).media(samples, file_names)


def kin(samples: Samples, others: Iterable[Dataset]) -> tuple[Kin, ...]:
    """Other versions of a database that hold some of the same audio, as far as this machine knows.

    Only of adapters that know what is in a file without reading it, and only versions of which
    something was loaded before: nothing is fetched, and without any the answer is empty.

    Args:
        samples: loaded samples
        others: entries, of this database or of others
    """
    dataset = samples.dataset
    compare = getattr(_adapter(dataset), "kin", None)
    if compare is None:
        return ()
    versions: dict[str, Kin] = {}
    for other in others:
        if not _is_version_of(other, dataset) or other.version in versions:
            continue
        try:
            relative = compare(samples, other)
        except BenchmarkError as error:  # what is wrong with the other is no fault of this one
            logger.warning("%s: not compared with %s: %s", dataset.id, other.version, error)
            continue
        if relative is not None:
            versions[other.version] = relative
    return tuple(relative for _, relative in sorted(versions.items()) if relative.files)


def _is_version_of(other: Dataset, dataset: Dataset) -> bool:
    """Whether an entry is of another version of the same database."""
    first, second = ((d.adapter, d.database, d.embedded) for d in (other, dataset))
    return first == second and other.version != dataset.version


def module(dataset: Dataset) -> str:
    """Dotted name of the adapter of an entry.

    Raises:
        ConfigError: if there is no such adapter
    """
    if dataset.adapter not in ADAPTERS:
        raise unknown("adapter", dataset.adapter, ADAPTERS, entries.place(dataset, "adapter"))
    return f"{__package__}.{dataset.adapter}_adapter"


def _adapter(dataset: Dataset) -> DataAdapter:
    return cast(DataAdapter, importlib.import_module(module(dataset)))


__all__ = [
    "ADAPTERS",
    "Samples",
    "availability",
    "check",
    "declared_columns",
    "fingerprint",
    "kin",
    "load",
    "loading_once",
    "media",
    "module",
]
