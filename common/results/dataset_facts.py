"""What the samples and the audio of a dataset are like, as a run writes it for the pages.

One JSON file per dataset, ``method-tests/datasets/<dataset>.json``. It is written where the audio is read,
so that the website needs none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..core import files
from ..core.documents import parse_json
from ..core.errors import ConfigError
from ..core.paths import Paths
from ..core.provenance import digest

#: dB relative to full scale; a sample whose peak is below in all channels is silent
SILENT_DBFS = -60.0
#: so many files and samples with a fault are named
NAMED = 10
#: key of the checksum of all else in the file
SUM = "sum"
#: format of the file
FORMAT = 2


@dataclass(frozen=True)
class Durations:
    """Durations of samples in seconds.

    Args:
        total: sum
        shortest: minimum
        median: median
        longest: maximum
        edges: of the histogram: ``counts[n]`` samples last from ``edges[n]`` to less than
            ``edges[n + 1]``, those of the last count that long or longer
        counts: number of samples in each part
    """

    total: float
    shortest: float
    median: float
    longest: float
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class DatasetFacts:
    """One dataset.

    Args:
        dataset: id
        version: of the data
        made_of: hash of what the facts follow from
        samples: number of rows
        files: number of audio files
        durations: of the samples that can be read; None if there are none
        sampling_rates: rate in Hz -> number of files
        channels: number of channels -> number of files
        broken: number of files that cannot be decoded, or a sample of which cannot
        first_broken: file -> why, of the first in alphabetical order
        silent: number of samples whose peak is below :data:`SILENT_DBFS`
        first_silent: file and start in s of the first
        speakers: number of speakers, 0 if the data do not name them
        per_speaker: smallest, median and largest number of samples of a speaker
        labels: column -> label -> number of samples
        numbers: dimension -> number of samples with a value, mean and standard deviation
    """

    dataset: str
    version: str
    made_of: str
    samples: int
    files: int
    durations: Durations | None
    sampling_rates: Mapping[int, int]
    channels: Mapping[int, int]
    broken: int = 0
    first_broken: Mapping[str, str] = field(default_factory=dict)
    silent: int = 0
    first_silent: tuple[tuple[str, float], ...] = ()
    speakers: int = 0
    per_speaker: tuple[float, ...] = ()
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    numbers: Mapping[str, tuple[int, float, float]] = field(default_factory=dict)


def write(facts: DatasetFacts, folders: Paths) -> None:
    """Write the facts; a file with the same content is left alone."""
    files.write_text(
        folders.dataset_facts(facts.dataset), text_of(asdict(facts)), only_changed=True
    )


def text_of(content: Mapping[str, Any]) -> str:
    """The facts as they are written, with a checksum."""
    content = json.loads(json.dumps({"format": FORMAT, **content}))
    return json.dumps({**content, SUM: digest(content)}, ensure_ascii=False, indent=1) + "\n"


def read(dataset: str, folders: Paths) -> DatasetFacts | None:
    """The facts of a dataset; None if there are none that this program can read."""
    path = folders.dataset_facts(dataset)
    if not path.is_file():
        return None
    try:
        content: Any = parse_json(path.read_text("utf-8"))
        checksum = content.pop(SUM, None)
        if content.get("format") != FORMAT or digest(content) != checksum:
            return None
        del content["format"]
        for name in ("sampling_rates", "channels"):
            content[name] = {int(key): count for key, count in content[name].items()}
        content["first_silent"] = tuple(tuple(one) for one in content["first_silent"])
        durations = content.pop("durations")
        return DatasetFacts(durations=Durations(**durations) if durations else None, **content)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, ConfigError):
        return None


def damaged(folders: Paths) -> list[Path]:
    """Files in the place of facts of datasets that are not as they were written."""
    paths = sorted(folders.dataset_facts("").parent.glob("*.json"))
    return [path for path in paths if is_damaged(path.stem, folders)]


def is_damaged(dataset: str, folders: Paths) -> bool:
    """Whether something stands where the facts of a dataset should be that is not as it was written."""
    return folders.dataset_facts(dataset).exists() and read(dataset, folders) is None
