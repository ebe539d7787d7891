"""What a dataset is to the engine: a table of samples and a way to their audio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pandas as pd

from common.spec import Dataset

KEYS = ["file", "start", "end"]


@dataclass(frozen=True)
class Samples:
    """Loaded sample table of one dataset entry.

    Args:
        dataset: the catalog entry
        table: one row per sample, RangeIndex, in the order of the source; columns
            ``file`` (str: path in the database, forward slashes), ``start``, ``end``
            (int64 ns; end -1: end of the file), then one column per declared column:
            float64 for regression targets (scaled to [0, 1], missing NaN), object (str,
            missing None) for everything else
        root: folder that ``file`` is relative to
        fingerprint: hash of the content of the table
    """

    dataset: Dataset
    table: pd.DataFrame
    root: Path
    fingerprint: str


class Adapter(Protocol):
    """One way to get at data; adapters are stateless modules or objects."""

    def fingerprint(self, dataset: Dataset, cache: Path) -> str:
        """Cheap hash that changes when the data change; never decodes audio.

        Raises:
            DatasetUnavailable: if the data are neither here nor reachable
        """
        ...

    def load(self, dataset: Dataset, cache: Path, target_kinds: dict[str, str]) -> Samples:
        """Sample table of the dataset.

        Args:
            dataset: catalog entry
            cache: cache folder of the program
            target_kinds: target id -> kind, tells which columns are numbers

        Raises:
            DatasetUnavailable: if the data are neither here nor reachable
            DataError: if a table, column or label is not as declared
        """
        ...
