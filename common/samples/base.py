"""What a dataset is to the engine: a table of samples and a way to their audio."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..core import closure
from ..core.provenance import digest
from ..spec import Dataset, Target

if TYPE_CHECKING:  # importing pandas costs a second; an up-to-date check needs no tables
    import pandas as pd

KEYS = ["file", "start", "end"]
#: most columns of a table of text; embeddings and acoustic features have some thousands
MOST_COLUMNS = 10_000


@dataclass(frozen=True)
class Kin:
    """Another version of a database that holds some of the same audio.

    Args:
        version: the other version
        media_fingerprint: that of its :class:`Samples`
        files: those of a sample table that have the same name and content in both versions
    """

    version: str
    media_fingerprint: str
    files: frozenset[str]


@dataclass(frozen=True)
class Samples:
    """Loaded sample table of one dataset entry.

    Args:
        dataset: the catalog entry
        table: one row per sample, RangeIndex, in the order of the source; columns
            ``file`` (str: path in the database, forward slashes), ``start``, ``end``
            (int64 ns; end -1: end of the file), then one column per declared column:
            float64 for regression targets (scaled to the range of the target, [0, 1] if it has
            none; missing NaN), object (str, missing None) for everything else; then columns
            of ratings (:func:`rating_column`) as those of their target, or votes as float64
        root: folder that ``file`` is relative to; its files are there after
            :func:`common.samples.datasets.media`
        fingerprint: what :func:`common.samples.datasets.fingerprint` returned when it was loaded
        media_fingerprint: hash that changes when audio changes although name and version of
            the database stay; equal for all entries that share their audio
        cache: cache folder of the program
        download: whether audio that is missing may be fetched from a remote repository
        kin: other versions of the database, see :func:`common.samples.datasets.kin`
        checksums: file -> MD5 of its content, of data that the program itself makes
    """

    dataset: Dataset
    table: pd.DataFrame
    root: Path
    fingerprint: str
    media_fingerprint: str = ""
    cache: Path = Path()
    download: bool = False
    kin: tuple[Kin, ...] = ()
    checksums: Mapping[str, str] = field(default_factory=dict)


class DataAdapter(Protocol):
    """One way to get at data; adapters are modules without state of their own.

    One that knows the content of files without reading them also has
    ``kin(samples, other) -> Kin | None``, see :func:`common.samples.datasets.kin`.
    """

    def availability(self, dataset: Dataset, cache: Path, *, download: bool) -> str:
        """Empty if the dataset can be loaded, else the reason why not; see the package."""
        ...

    def fingerprint(self, dataset: Dataset, cache: Path) -> str:
        """Cheap hash that changes when the data change; never decodes audio, never judges."""
        ...

    def columns(self, dataset: Dataset) -> list[str]:
        """Columns of the sample table if the entry declares none."""
        ...

    def load(
        self, dataset: Dataset, cache: Path, targets: Mapping[str, Target], *, download: bool
    ) -> Samples:
        """Sample table of the dataset.

        Raises:
            DatasetUnavailable: if the data are neither here nor reachable
            DataError: if a table, column or label is not as declared
        """
        ...

    def media(self, samples: Samples, files: Collection[str]) -> Path:
        """Folder that holds the audio, after making sure that the files are there."""
        ...


def rating_column(target: str, column: str) -> str:
    """Name in the sample table of a column with ratings.

    >>> rating_column("arousal", "rater1")
    'ratings of arousal: rater1'
    """
    return f"ratings of {target}: {column}"


def definition(dataset: Dataset) -> dict[str, Any]:
    """What in an entry decides about its sample table, and the hash of the code that makes it."""
    keys = {"adapter", "name", "version", "table", "columns", "mapping", "scale", "embedded"}
    if dataset.ratings:
        keys.add("ratings")
    code = closure.code_of(f"{__package__}.{dataset.adapter}_adapter")
    return {"code": code, "id": dataset.database, **dataset.model_dump(include=keys)}


def media_fingerprint(root: Path, files: Iterable[str]) -> str:
    """Hash of the names and sizes of audio files; a file that is missing has none.

    Sizes and not contents, as it is asked for at the start of every run.
    """
    sizes = []
    for file in sorted(files):
        try:
            sizes.append((file, (root / file).stat().st_size))
        except (OSError, ValueError):
            sizes.append((file, -1))
    return digest(sizes)
