"""Rows of a table by the entries of a column, taken out where they are looked at.

A page of a website of a hundred models shows a hundredth of the rows, and rows of one change touch
few pages: what nobody looks at is never made.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import pandas as pd

NOWHERE = np.arange(0)


def rows_at(table: pd.DataFrame, places: np.ndarray) -> pd.DataFrame:
    """Rows at ascending places; rows in succession are a view, which copies nothing."""
    if not len(places):
        return table.iloc[:0]
    first, last = int(places[0]), int(places[-1])
    if last - first + 1 == len(places):
        return table.iloc[first : last + 1]
    return table.iloc[places]


class Sliced:
    """Rows of a table by the entries of one of its columns.

    Args:
        table: the table
        by: the column
        columns: columns that are looked at
    """

    def __init__(self, table: pd.DataFrame, by: str, columns: Iterable[str]):
        self._by, self._whole = by, table
        self._table = table[list(columns)]

    def of(self, name: str) -> pd.DataFrame:
        """Rows with this entry, in their order; none if there is no such entry."""
        return rows_at(self._table, self._places.get(name, NOWHERE))

    @cached_property
    def _places(self) -> dict[str, np.ndarray]:
        indices: dict[str, np.ndarray] = self._whole.groupby(self._by, sort=False).indices
        return indices
