"""What an adapter has to offer so that tables of a database become a sample table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from .event_lists import EventTable


class Tables(Protocol):
    """Tables of one database."""

    def names(self) -> list[str]:
        """Tables that have a file in each row."""
        ...

    def unusable(self) -> Mapping[str, str]:
        """Other tables and why they cannot be named in an entry."""
        ...

    def columns(self, table: str) -> list[str]:
        """Names of the columns of a table."""
        ...

    def keys(self, table: str) -> pd.DataFrame:
        """Columns file (str), start and end (int64, ns; end -1: end of the file), RangeIndex."""
        ...

    def is_segmented(self, table: str) -> bool:
        """Whether the rows of a table are segments and not whole files."""
        ...

    def values(self, table: str, column: str) -> np.ndarray:
        """Values of a column as objects, missing None."""
        ...

    def mapped(self, table: str, column: str, key: str, place: str) -> np.ndarray:
        """As :meth:`values`, each replaced by an entry of the labels of its scheme.

        Raises:
            DataError: if there is no such entry; starts with ``place``
        """
        ...

    def events(self, table: str, column: str, durations: Mapping[str, float]) -> EventTable:
        """Rows of a table as events, labels from a column; a row without label is a file.

        Args:
            table: name of the table
            column: column with the labels
            durations: length of files in s, for events that end with their file
        """
        ...

    def durations(self, files: Collection[str]) -> dict[str, float]:
        """Length of files in s; a file whose length is not known is missing."""
        ...
