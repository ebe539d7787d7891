"""What the samples and the audio of a dataset are like: durations, rates, broken and silent ones.

Headers say how long files are. Whether a sample is silent is known from the signals that models were
given; what no model read in this run is read here. The facts are kept with a hash of what they follow
from, and not found out again as long as it stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..core import closure, provenance
from ..core.errors import AudioError
from ..core.paths import Paths
from ..designs.certainty import CLUSTER
from ..predictions.inputs import Source
from ..results import dataset_facts
from ..results.dataset_facts import NAMED, SILENT_DBFS, DatasetFacts, Durations
from ..samples import audio, datasets
from ..samples.base import KEYS, Samples
from ..spec import Dataset, Target, kinds

if TYPE_CHECKING:
    import pandas as pd

#: a column with more labels is not counted label by label
MANY = 40
#: parts of a histogram, and the share of the samples that all but the last one cover
PARTS, COVERED = 12, 0.95
#: lower limit of a peak that is not silent, full scale being 1
AUDIBLE = 10 ** (SILENT_DBFS / 20)
#: file -> what its header says
Headers = Mapping[str, audio.Info]


def describe(
    samples: Samples,
    source: Source,
    targets: Mapping[str, Target],
    folders: Paths,
    progress: Callable[[int, int], None],
) -> None:
    """Write the facts of a dataset, unless they are current or its audio is not on this machine.

    Args:
        samples: the dataset
        source: its segments, with the peaks of those that were read
        targets: says which columns are numbers
        folders: where results are
        progress: told how many files were looked at
    """
    made_of = provenance.digest([samples.fingerprint, closure.code_of(__name__)])
    before = dataset_facts.read(samples.dataset.id, folders)
    if before is not None and before.made_of == made_of:
        return
    files = sorted(samples.table["file"].unique().tolist())
    there = [file for file in files if (samples.root / file).exists()]
    may_come = samples.dataset.adapter == "audb"
    if not there or (may_come and len(there) < len(files)):
        return
    datasets.media(samples, there)  # made again, where they are not as they were written
    headers, broken = _headers(samples.root, files, progress)
    peaks = _peaks(samples, source, headers, broken)
    table = samples.table
    quiet = table.loc[peaks < AUDIBLE, ["file", "start"]].sort_values(["file", "start"])
    silent = list(zip(quiet["file"].tolist(), quiet["start"].tolist(), strict=True))
    seconds = _seconds(table, headers)
    speakers = table[CLUSTER].dropna().value_counts() if CLUSTER in table else None
    dataset_facts.write(
        DatasetFacts(
            dataset=samples.dataset.id,
            version=samples.dataset.version,
            made_of=made_of,
            samples=len(table),
            files=len(files),
            durations=durations(seconds[np.isfinite(seconds)]),
            sampling_rates=_counts(header.sampling_rate for header in headers.values()),
            channels=_counts(header.channels for header in headers.values()),
            broken=len(broken),
            first_broken={file: broken[file] for file in sorted(broken)[:NAMED]},
            silent=len(silent),
            first_silent=tuple((file, start / audio.NS) for file, start in silent[:NAMED]),
            speakers=0 if speakers is None else len(speakers),
            per_speaker=() if speakers is None or speakers.empty else _spread(speakers.to_numpy()),
            labels=dict(_labels(table, targets)),
            numbers=dict(_numbers(table, targets)),
        ),
        folders,
    )


def describe_dataset(
    dataset: Dataset,
    targets: Mapping[str, Target],
    folders: Paths,
    progress: Callable[[int, int], None],
) -> DatasetFacts | None:
    """Facts of a dataset, written without any model; nothing is fetched.

    Args:
        dataset: the entry
        targets: says which columns are numbers
        folders: where results are
        progress: told how many files were looked at

    Returns:
        the facts; None if no audio of it is on this machine

    Raises:
        DatasetUnavailable: if it is not here
        ConfigError: if the entry is wrong in itself
        DataError: if the data are not as the entry says
    """
    samples = datasets.load(dataset, folders.cache, targets)
    source = Source(samples)
    source.add(dataset.id, samples.table)
    source.freeze()
    describe(samples, source, targets, folders, progress)
    return dataset_facts.read(dataset.id, folders)


def durations(seconds: np.ndarray) -> Durations | None:
    """Summary and histogram; None if there are no durations.

    The parts of the histogram are 1, 2 or 5 times a power of ten wide; the last one is open.

    >>> durations(np.array([1.0, 2.5, 2.6, 30.0])).counts
    (3, 0, 0, 0, 0, 1)
    """
    if not len(seconds):
        return None
    covered = float(np.quantile(seconds, COVERED))
    width = _nice(covered / PARTS)
    number = max(1, min(PARTS, math.ceil(covered / width)))
    edges = [round(width * n, 9) for n in range(number)]
    places = np.minimum(np.floor(seconds / width).astype(int), number - 1)
    counts = np.bincount(places, minlength=number)
    low, middle, high = _spread(seconds)
    return Durations(
        total=round(float(math.fsum(seconds)), 6),
        shortest=low,
        median=middle,
        longest=high,
        edges=tuple(edges),
        counts=tuple(counts.tolist()),
    )


def _nice(width: float) -> float:
    """Next 1, 2 or 5 times a power of ten."""
    if width <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))


def _spread(values: np.ndarray) -> tuple[float, float, float]:
    low, middle, high = np.min(values), np.median(values), np.max(values)
    return round(float(low), 6), round(float(middle), 6), round(float(high), 6)


def _headers(
    root: Path, files: list[str], progress: Callable[[int, int], None]
) -> tuple[dict[str, audio.Info], dict[str, str]]:
    """Headers of the files, and why others have none."""
    headers, broken = {}, {}
    for number, file in enumerate(files):
        progress(number, len(files))
        try:
            headers[file] = audio.info(root / file)
        except AudioError as error:
            broken[file] = str(error).removeprefix(f"{root / file}: ")
    return headers, broken


def _peaks(
    samples: Samples, source: Source, headers: Headers, broken: dict[str, str]
) -> np.ndarray:
    """Peak of each row, NaN if it cannot be read; notes the files of those as broken."""
    ids = source.ids(samples.dataset.id, samples.table.index)
    peaks = source.peaks[ids]
    todo = samples.table.loc[np.isnan(peaks) & samples.table["file"].isin(headers), KEYS]
    for file, rows in todo.groupby("file", sort=True):
        segments = list(zip(rows["start"].tolist(), rows["end"].tolist(), strict=True))
        values = audio.peaks(samples.root, str(file), segments)
        for row, value in zip(rows.index, values, strict=True):
            if isinstance(value, AudioError):
                broken.setdefault(str(file), str(value).removeprefix(f"{file}: "))
            else:
                peaks[row] = value
    return peaks


def _seconds(table: pd.DataFrame, headers: Headers) -> np.ndarray:
    """Duration of each row, NaN of broken files."""
    whole = {file: header.duration_s for file, header in headers.items()}
    lengths = table["file"].map(whole).to_numpy(dtype=float)
    start, end = (table[name].to_numpy() / audio.NS for name in ("start", "end"))
    ends = np.where(table["end"].to_numpy() < 0, lengths, np.minimum(end, lengths))
    return np.asarray(np.where(ends > start, ends - start, np.nan))


def _counts(values: Iterable[int]) -> dict[int, int]:
    numbers, counts = np.unique(list(values), return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def _labels(
    table: pd.DataFrame, targets: Mapping[str, Target]
) -> Iterable[tuple[str, dict[str, int]]]:
    """Columns of the suite with few labels, and how often each stands there."""
    for name in table.columns:
        target = targets.get(name)
        if name in (*KEYS, CLUSTER) or table[name].dtype != object:
            continue
        if target is not None and not kinds.of(target).has_classes:
            continue
        counts = table[name].dropna().value_counts().sort_index()
        if 0 < len(counts) <= MANY:
            yield name, {str(label): int(count) for label, count in counts.items()}


def _numbers(
    table: pd.DataFrame, targets: Mapping[str, Target]
) -> Iterable[tuple[str, tuple[int, float, float]]]:
    for name, target in targets.items():
        if name in table and kinds.of(target).is_number:
            values = table[name].dropna().to_numpy()
            if len(values):
                yield name, (len(values), round(values.mean(), 6), round(values.std(), 6))
