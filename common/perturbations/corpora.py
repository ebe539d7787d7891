"""Recordings that perturbations draw from: noises and impulse responses of a dataset.

A corpus is read once and shared by all threads. Recordings of up to a minute stay in memory at
the sampling rate that is asked for, as long as there is room; of longer ones only the part
that is needed is decoded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from ..core.errors import ConfigError, DataError
from ..core.registry import unknown
from ..samples import audio, datasets
from ..spec import Benchmark, Dataset, Record, fault

#: longest recording that is kept in memory, in seconds
KEPT_S = 60.0
#: memory for decoded recordings, in bytes
ROOM = 512 * 2**20
#: seconds that are read beyond what is needed, as segments are cut at the rate of their file
MARGIN_S = 0.01
NS = 1_000_000_000


class CorpusSpec(Record):
    """Which recordings of a dataset make a corpus.

    Args:
        dataset: id of the dataset
        where: column -> value, or one of several, that a recording must have there
        files: names of files; empty: all
        demo: number of recordings that an example for the ear draws from
    """

    dataset: str
    where: Mapping[str, str | tuple[str, ...]] = {}
    files: tuple[str, ...] = ()
    demo: int = pydantic.Field(default=1, ge=1)


def corpus_spec(content: Any, place: str) -> CorpusSpec:
    """Validated description of a corpus; raises ConfigError for its first fault."""
    try:
        return CorpusSpec.model_validate(content)
    except pydantic.ValidationError as error:
        raise ConfigError(fault(CorpusSpec, place, error)) from None


class Decoded:
    """Decoded recordings; those that were not used for longest go first."""

    def __init__(self, room: int = ROOM):
        self._room = room
        self._kept: OrderedDict[tuple[Any, ...], np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], load: Callable[[], np.ndarray]) -> np.ndarray:
        """What is kept under a key, or what ``load`` returns; read-only."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        signal = load()
        signal.flags.writeable = False
        with self._lock:
            self._kept[key] = signal
            used = sum(other.nbytes for other in self._kept.values())
            while used > self._room and len(self._kept) > 1:
                used -= self._kept.popitem(last=False)[1].nbytes
        return signal


class Corpus:
    """Recordings of a dataset, in the order of their names.

    Args:
        name: id of the dataset, for messages
        root: folder of the files
        items: file, start and end in ns (end -1: end of the file) of each recording
        decoded: where decoded recordings are kept
    """

    def __init__(
        self, name: str, root: Path, items: Sequence[tuple[str, int, int]], decoded: Decoded
    ):
        self.name = name
        self.root = root
        self.items = sorted(items)
        self._decoded = decoded

    def __len__(self) -> int:
        return len(self.items)

    def first(self, count: int) -> Corpus:
        """The first recordings alone."""
        return Corpus(self.name, self.root, self.items[:count], self._decoded)

    def whole(self, number: int, sampling_rate: int, channel: int | None = None) -> np.ndarray:
        """One recording.

        Args:
            number: which one
            sampling_rate: wanted rate in Hz
            channel: which channel; None: the mean of all

        Returns:
            float32, shape (samples,), read-only

        Raises:
            AudioError: if it cannot be decoded
            DataError: if it has no such channel
        """
        file, start, end = self.items[number]
        return self._decoded.get(
            (self.root, file, start, end, sampling_rate, channel),
            lambda: self._read(file, start, end, sampling_rate, channel),
        )

    def _read(
        self, file: str, start: int, end: int, sampling_rate: int, channel: int | None = None
    ) -> np.ndarray:
        signal, rate = audio.read(self.root / file, start, end)
        if channel is None:
            signal = audio.to_mono(signal)
        elif channel < len(signal):
            signal = np.ascontiguousarray(signal[channel : channel + 1])
        else:
            raise DataError(
                f"{self.name}: {file} has no channel {channel}, only 0 to {len(signal) - 1}"
            )
        return np.array(audio.resample(signal, rate, sampling_rate)[0])

    def excerpt(self, number: int, position: float, samples: int, sampling_rate: int) -> np.ndarray:
        """Part of a recording, which goes on at its own beginning when it ends.

        Args:
            number: which recording
            position: where the part begins, relative to the length of the recording, in [0, 1)
            samples: length of the part
            sampling_rate: wanted rate in Hz

        Returns:
            float32, shape (samples,)
        """
        duration_s = self._duration_s(number)
        if duration_s <= KEPT_S:
            recording = self.whole(number, sampling_rate)
            return wrapped(recording, int(position * len(recording)), samples)
        file, start, _ = self.items[number]
        begin_s = int(position * duration_s * sampling_rate) / sampling_rate
        parts, missing = [], samples
        while missing > 0:
            until_s = min(duration_s, begin_s + missing / sampling_rate + MARGIN_S)
            first, last = (start + round(time * NS) for time in (begin_s, until_s))
            part = self._read(file, first, last, sampling_rate)[:missing]
            parts.append(part)
            begin_s, missing = 0.0, missing - len(part)
        return np.concatenate(parts)

    def _duration_s(self, number: int) -> float:
        file, start, end = self.items[number]
        if end >= 0:
            return (end - start) / NS
        key = (self.root, file, "duration")
        seconds = self._decoded.get(
            key, lambda: np.array([audio.info(self.root / file).duration_s], dtype=np.float64)
        )
        return float(seconds[0]) - start / NS


def wrapped(recording: np.ndarray, start: int, samples: int) -> np.ndarray:
    """Part of a recording that is repeated without end.

    >>> wrapped(np.array([0, 1, 2]), 2, 5).tolist()
    [2, 0, 1, 2, 0]
    """
    if start + samples <= len(recording):
        return recording[start : start + samples]
    return np.resize(np.concatenate([recording[start:], recording[:start]]), samples)


#: description of a corpus -> id of its dataset, folder of the files, and its recordings
Located = Mapping[str, tuple[str, Path, Sequence[tuple[str, int, int]]]]


class Corpora:
    """All corpora of a run, each loaded once.

    Args:
        benchmark: declarations
        cache: cache folder of the program
        download: id of a dataset -> whether it may be fetched from a remote repository
    """

    def __init__(self, benchmark: Benchmark, cache: Path, download: Callable[[str], bool]):
        self._benchmark = benchmark
        self._cache = cache
        self._download = download
        self._decoded = Decoded()
        self._loaded: dict[str, Corpus] = {}
        self._missing: dict[str, str] = {}
        self._lock = threading.Lock()

    def dataset(self, spec: CorpusSpec) -> Dataset:
        """Entry of the dataset of a corpus."""
        entry: Dataset = self._benchmark.find("datasets", spec.dataset)
        return entry

    def missing(self, spec: CorpusSpec) -> str:
        """Why a corpus is not available; empty if it is. Looks at paths only."""
        if spec.dataset not in self._missing:
            self._missing[spec.dataset] = datasets.availability(
                self.dataset(spec), self._cache, self._download(spec.dataset)
            )
        return self._missing[spec.dataset]

    def fingerprint(self, spec: CorpusSpec) -> str:
        """Hash that changes when the recordings change.

        Data of a repository are known by their version, be they here or not; of a folder that
        is not here nothing is known.
        """
        dataset = self.dataset(spec)
        is_available = not dataset.path or not self.missing(spec)
        return datasets.fingerprint(dataset, self._cache) if is_available else ""

    def get(self, spec: CorpusSpec) -> Corpus:
        """A corpus with its files on disk.

        Raises:
            DatasetUnavailable: if its dataset is neither here nor may be fetched
            DataError: if the dataset has no such recordings
        """
        key = spec.model_dump_json()
        with self._lock:
            if key not in self._loaded:
                self._loaded[key] = self._load(spec)
            return self._loaded[key]

    def located(self, spec: CorpusSpec) -> Located:
        """Where the recordings of a corpus are, for other processes; nothing if it was not loaded."""
        key = spec.model_dump_json()
        with self._lock:
            corpus = self._loaded.get(key)
        return {} if corpus is None else {key: (corpus.name, corpus.root, corpus.items)}

    def take(self, located: Located) -> None:
        """Take over what another process has loaded."""
        for key, parts in located.items():
            self._loaded[key] = Corpus(*parts, self._decoded)

    def _load(self, spec: CorpusSpec) -> Corpus:
        samples = datasets.load(
            self.dataset(spec),
            self._cache,
            self._benchmark.targets,
            download=self._download(spec.dataset),
        )
        table = samples.table
        absent = sorted(set(spec.files) - set(table["file"]))
        if absent:
            raise DataError(f"{spec.dataset}: has no file {absent[0]}")
        if spec.files:
            table = table[table["file"].isin(spec.files)]
        for column, values in spec.where.items():
            if column not in table:
                raise unknown("column", column, table.columns, spec.dataset)
            several = (values,) if isinstance(values, str) else values
            for value in several:
                if not (table[column] == value).any():
                    options = ", ".join(sorted(table[column].dropna().astype(str).unique()))
                    hint = f"; it has: {options:.200}" if options else ""
                    raise DataError(
                        f"{spec.dataset}: has no recordings with {column} = {value}{hint}"
                    )
            table = table[table[column].isin(several)]
        if table.empty:
            filters = ", ".join(f"{column} = {value}" for column, value in spec.where.items())
            raise DataError(f"{spec.dataset}: has no recordings with {filters}")
        root = datasets.media(samples, table["file"].unique().tolist())
        items = list(zip(*(table[name].tolist() for name in ("file", "start", "end")), strict=True))
        return Corpus(spec.dataset, root, items, self._decoded)
