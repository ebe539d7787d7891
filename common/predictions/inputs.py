"""What is to be predicted: the distinct segments of a database, and who wants them how."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import spec
from ..core import provenance
from ..models.base import LoadedModel
from ..samples.base import KEYS, Kin, Samples
from ..spec.view import ORIGINAL
from .relatives import Overlap, Relative
from .store import PredictionStore, match, parts_of

if TYPE_CHECKING:
    import pandas as pd

    from ..perturbations import Library

#: seconds of audio that one worker holds at a time
CHUNK_S = 120.0
#: bytes of values from which on they lie in a file
FILED_BYTES = 1 << 24
#: assumed length of a file of unknown length, in seconds
FILE_S = 5.0


class Source:
    """The distinct segments of one version of a database.

    Args:
        samples: any of the sample tables of the database, for the way to its media
    """

    def __init__(self, samples: Samples):
        import pandas as pd

        self.samples = samples
        self.database = samples.dataset.database
        self.version = samples.dataset.version
        self.name = f"{self.database} {self.version}"
        self._tables: dict[str, pd.DataFrame] = {}
        self._codes: dict[str, np.ndarray] = {}
        self._kin: dict[tuple[str, str], set[str]] = {}
        self.keys = pd.DataFrame(columns=KEYS)
        #: names of the recordings in alphabetical order, and the place of each segment's among them
        self.files: list[str] = []
        self.file_codes = np.empty(0, dtype=np.int64)
        self._times: tuple[np.ndarray, ...] = ()
        #: largest absolute value of each segment, NaN of those that were not read, shape (K,)
        self.peaks = np.empty(0)
        #: other versions that hold some of the same audio
        self.overlaps: tuple[Overlap, ...] = ()
        #: which segments an earlier source of the run has as well, boolean, shape (K,)
        self.repeated = np.empty(0, dtype=bool)
        #: earlier sources, numbers of the segments that they have as well, and their numbers there
        self.earlier: list[tuple[Source, np.ndarray, np.ndarray]] = []

    def add(self, dataset: str, table: pd.DataFrame, kin: Iterable[Kin] = ()) -> None:
        """Add the segments of a sample table.

        Args:
            dataset: id of the entry
            table: its sample table
            kin: other versions of the database that hold some of the files of the table
        """
        self._tables[dataset] = table[KEYS]
        for relative in kin:
            key = (relative.version, relative.media_fingerprint)
            self._kin.setdefault(key, set()).update(relative.files)

    def freeze(self) -> None:
        """Find the distinct segments; call after the last :meth:`add`."""
        import pandas as pd

        everything = pd.concat(list(self._tables.values()), ignore_index=True)
        repeated = everything.duplicated(KEYS).to_numpy()
        codes: np.ndarray = np.arange(len(everything))
        if repeated.any():
            codes = everything.groupby(KEYS, sort=False).ngroup().to_numpy()
            everything = everything[~repeated].reset_index(drop=True)
        position = 0
        for name, table in self._tables.items():
            self._codes[name] = codes[position : position + len(table)]
            position += len(table)
        self._tables.clear()
        self.keys = everything
        self.file_codes, names = pd.factorize(everything["file"], sort=True)
        self.files = names.tolist()
        self._times = tuple(everything[name].to_numpy() for name in KEYS[1:])
        self.peaks = np.full(len(everything), np.nan)
        self.repeated = np.zeros(len(everything), dtype=bool)
        self.overlaps = tuple(
            Overlap(version, data, everything["file"].isin(files).to_numpy())
            for (version, data), files in sorted(self._kin.items())
        )
        self._kin.clear()

    def follow(self, earlier: Source) -> None:
        """Note which segments an earlier source of the run has, if it is of a version of this database."""
        before = (earlier.version, earlier.samples.media_fingerprint)
        for overlap in self.overlaps:
            if (overlap.version, overlap.data) == before:
                ids = np.flatnonzero(overlap.segments)
                rows = match(self.keys.iloc[ids], earlier.keys)
                self.earlier.append((earlier, ids[rows >= 0], rows[rows >= 0]))
                self.repeated[ids[rows >= 0]] = True

    def complete_peaks(self) -> None:
        """Take peaks of segments that were not read from earlier sources that have read the same audio."""
        for earlier, ids, rows in self.earlier:
            unread = np.isnan(self.peaks[ids])
            self.peaks[ids[unread]] = earlier.peaks[rows[unread]]

    def has(self, dataset: str) -> bool:
        """Whether segments of a dataset are among them."""
        return dataset in self._codes

    def ids(self, dataset: str, rows: pd.Index) -> np.ndarray:
        """Numbers of the distinct segments of rows of a sample table."""
        return np.asarray(self._codes[dataset])[rows.to_numpy()]

    def column(self, name: str, ids: np.ndarray) -> tuple[Any, ...]:
        """What some segments have in one of the columns ``file``, ``start``, ``end``."""
        if name == KEYS[0]:
            return tuple(self.files[code] for code in self.file_codes[ids].tolist())
        return tuple(self._times[KEYS.index(name) - 1][ids].tolist())


def description(
    model: spec.Model,
    fingerprint: str,
    samples: Samples,
    condition: str,
    *,
    library: Library,
    code: str,
) -> dict[str, Any]:
    """What decides about predictions, besides the columns that a model has.

    Args:
        model: entry of the model
        fingerprint: of the model
        samples: any of the sample tables of the database
        condition: the original or the id of a perturbation
        library: knows the perturbations and the seed of the run
        code: hash of what reads audio and asks models (:func:`common.engine.identity.prediction_code`)
    """
    return {
        "model": model.id,
        "version": model.version,
        "fingerprint": fingerprint,
        "columns": [],
        "database": samples.dataset.database,
        "database_version": samples.dataset.version,
        "data": samples.media_fingerprint,
        "condition": condition,
        "perturbation": "" if condition == ORIGINAL else library.digest(condition),
        "code": code,
        "seed": library.seed if model.is_chance or condition != ORIGINAL else 0,
    }


def store_folder(predictions: Path, described: Mapping[str, Any]) -> Path:
    """Folder of the predictions that a :func:`description` is about.

    Args:
        predictions: folder of the prediction cache
        described: with the columns of the model
    """
    return (
        predictions
        / f"{described['model']}-{described['version']}"
        / f"{described['database']}-{described['database_version']}"
        / f"{described['condition']}-{provenance.digest(described)}"
    )


@dataclass(eq=False)
class Request:
    """What is wanted from one model in one condition on one source.

    Args:
        model: the loaded model
        name: its id, for messages
        condition: condition of the input
        columns: prediction columns, in order
        wanted: which segments of the source, boolean, shape (K,)
        store: where predictions of this request are kept
        values: predictions, shape (K, number of columns), blank where there is none yet
        failed: segment -> why there is no prediction
        unheard: those of them whose audio cannot be read or changed, so that no model can hear them
        calls: number of signals that were given to the model
        stored: number of segments whose predictions the store had
        listens: whether the model hears signals, as far as that can be said without loading it
        relatives: stores that may have predictions on the same audio
        shared: segments whose predictions came from them
        repeated: number of those whose audio an earlier source of the run has, too
        ahead: segments that a later source of the run wants of the same model in the same condition,
            boolean, shape (K,), or empty
        again: whether it is known that the model does answer, so that what it was not asked is worth a try
        parts: names of the files of the store that were looked into, or written
    """

    model: Callable[[], LoadedModel]
    name: str
    condition: str
    columns: list[str]
    wanted: np.ndarray
    store: PredictionStore
    values: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    failed: dict[int, str] = field(default_factory=dict)
    unheard: set[int] = field(default_factory=set)
    calls: int = 0
    stored: int = 0
    listens: bool = True
    relatives: tuple[Relative, ...] = ()
    shared: list[int] = field(default_factory=list)
    repeated: int = 0
    ahead: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    again: bool = False
    parts: set[str] = field(default_factory=set)

    @property
    def first_failure(self) -> str:
        """Why the first segment of the source that failed did, whichever was tried first."""
        return self.failed[min(self.failed)]

    def read(self, source: Source) -> np.ndarray:
        """Take what the store has; returns which wanted segments are missing."""
        self.values = evictable(
            self.store.blank(len(source.keys), len(self.columns)), self.store.folder
        )
        missing = self.wanted.copy()
        self.fill(source, missing)
        return missing

    def fill(self, source: Source, missing: np.ndarray) -> int:
        """Take what the store has of missing segments, which then are no longer marked as missing.

        Returns:
            number of segments that it has
        """
        self.parts |= self._files()
        places = self._take(source, missing, self.store)
        missing[places] = False
        self.stored += len(places)
        return len(places)

    def has_news(self) -> bool:
        """Whether the store has files that nobody has looked into."""
        return not self._files() <= self.parts

    def write(self, source: Source, ids: Sequence[int]) -> None:
        """Put the values of some segments into the store.

        Raises:
            OutputError: if it cannot be written
        """
        keys = source.keys.iloc[list(ids)].reset_index(drop=True)
        self.parts.add(self.store.append(keys, self.values[list(ids)], self.columns))

    def _files(self) -> set[str]:
        return {part.name for part in parts_of(self.store.folder)}

    def share(self, source: Source, missing: np.ndarray) -> None:
        """Take what other versions have of missing segments, and keep it in the own store as well."""
        for relative in self.relatives:
            places = self._take(source, missing & relative.segments, relative.store)
            missing[places] = False
            self.shared += places.tolist()
        ids = sorted(self.shared)
        self.write(source, ids)
        self.repeated = int(source.repeated[ids].sum())
        self.stored += len(ids) - self.repeated

    def _take(self, source: Source, missing: np.ndarray, store: PredictionStore) -> np.ndarray:
        """Take what a store has of missing segments; returns which."""
        places = np.flatnonzero(missing)
        values, hits = store.read(source.keys.iloc[places], self.columns)
        self.values[places[hits]] = values[hits]
        return places[hits]


def evictable(values: np.ndarray, beside: Path) -> np.ndarray:
    """The same values, where they are many in a file, so that the system may take them out of memory.

    A run holds the values of all models in all conditions until the last cell of a database is scored: 17 GB for
    10 models, 30 conditions and a million segments. The file has no name, so nothing is left of it.

    Args:
        values: of a request
        beside: the file lies where this folder is or will be
    """
    if values.dtype.hasobject or values.nbytes < FILED_BYTES or not hasattr(os, "posix_fallocate"):
        return values
    place = next(folder for folder in (beside, *beside.parents) if folder.is_dir())
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            # room on disk that is promised only would end the process when it is written to
            os.posix_fallocate(file.fileno(), 0, values.nbytes)
            filed = np.memmap(file, values.dtype, "r+", shape=values.shape)
    except OSError:
        return values  # no room on disk: they stay in memory
    filed[:] = values
    return np.asarray(filed)


@dataclass(frozen=True)
class Piece:
    """Segments of one file."""

    file: str
    ids: np.ndarray
    seconds: float


def pieces(source: Source, missing: np.ndarray) -> Iterator[Piece]:
    """Missing segments by file, long files in parts of about ``CHUNK_S`` seconds."""
    ids = np.flatnonzero(missing)
    keys = source.keys.iloc[ids]
    seconds = np.where(keys["end"] >= 0, (keys["end"] - keys["start"]) / 1e9, FILE_S)
    codes = source.file_codes[ids]
    order = np.lexsort((keys["start"].to_numpy(), codes))
    ids, seconds, codes = ids[order], seconds[order], codes[order]
    borders = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(ids)]
    for start, end in pairwise(borders if len(ids) else []):
        count = max(1, int(np.ceil(seconds[start:end].sum() / CHUNK_S)))
        for part in np.array_split(np.arange(start, end), min(count, end - start)):
            file = source.files[codes[part[0]]]
            yield Piece(file, ids[part], float(seconds[part].sum()))


def chunks(pieces: Iterable[Piece], workers: int = 1) -> Iterator[list[Piece]]:
    """Pieces of about ``CHUNK_S`` seconds together: the unit of work and of memory.

    The first ones are shorter, each by another part: workers whose chunks end at the same time would all read
    files at that time, and a model that hears one signal after the other would wait for them.

    Args:
        pieces: segments of each file
        workers: so many chunks are worked on at the same time
    """
    limits = chain((CHUNK_S * part / workers for part in range(1, workers)), repeat(CHUNK_S))
    chunk: list[Piece] = []
    seconds, limit_s = 0.0, next(limits)
    for piece in pieces:
        if chunk and seconds + piece.seconds > limit_s:
            yield chunk
            chunk, seconds, limit_s = [], 0.0, next(limits)
        chunk.append(piece)
        seconds += piece.seconds
    if chunk:
        yield chunk
