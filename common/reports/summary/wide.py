"""Long -> wide: the cells of one test with all models side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from ...core.errors import DataError
from ...results import COUNTS, NUMBERS


class Key(NamedTuple):
    """What one line of a table is about."""

    data: str
    condition: str
    label: str


class ModelColumn(NamedTuple):
    """The model of one column of a table."""

    model: str
    version: str


class WideCell(NamedTuple):
    """One cell: plain Python values, NaN, None or an empty text where there is none."""

    value: float
    status: str
    n: int | None
    reason: str
    note: str
    criterion: str
    reference: str
    reference_value: float
    ci_low: float
    ci_high: float
    clusters: int | None = None
    mde_above: float = math.nan
    mde_below: float = math.nan
    certain: str = ""
    dataset: str = ""
    cause: str = ""


#: columns of a model, and all that are looked at
OWNER = ("model", "model_version")
USED = ("test", "metric", *Key._fields, *OWNER, *WideCell._fields)
#: test -> metric -> line -> score
Scores = dict[str, dict[str, dict[Key, WideCell]]]


@dataclass(frozen=True)
class Matrix:
    """All scores of one metric in one test.

    Args:
        metric: id of the metric
        criteria: its criteria, usually one
        columns: models
        index: lines
        cells: per line one cell per model; None: the model has no such cell
    """

    metric: str
    criteria: tuple[str, ...]
    columns: tuple[ModelColumn, ...]
    index: tuple[Key, ...]
    cells: tuple[tuple[WideCell | None, ...], ...]

    def frame(self, field: str) -> pd.DataFrame:
        """One field of all cells; index (data, condition, label), columns (model, version)."""
        values = [[None if c is None else getattr(c, field) for c in line] for line in self.cells]
        index = pd.MultiIndex.from_tuples(self.index, names=Key._fields)
        columns = pd.MultiIndex.from_tuples(self.columns, names=ModelColumn._fields)
        dtype = "float64" if field in NUMBERS else "object"
        return pd.DataFrame(values, index=index, columns=columns, dtype=dtype)


class WideRow(NamedTuple):
    """One row: what it is about, whose it is, and its score."""

    test: str
    metric: str
    key: Key
    column: ModelColumn
    cell: WideCell


def matrix(
    rows: pd.DataFrame, target: str, test: str, models: Sequence[str] = ()
) -> dict[str, Matrix]:
    """Tables of one (target, test), one per metric.

    Args:
        rows: result rows of any models
        target: the target
        test: the test
        models: names of models that come first, in this order; the others follow by name

    Returns:
        metric -> table, metrics and lines in alphabetical order, whatever the order of
        ``rows``; every table has the columns of all models of the test

    Raises:
        DataError: if a model has two rows for the same cell
    """
    test_rows = rows[(rows["target"] == target) & (rows["test"] == test)]
    return matrices(wide_rows(test_rows), target, models)


def matrices(rows: Sequence[WideRow], target: str, models: Sequence[str] = ()) -> dict[str, Matrix]:
    """As :func:`matrix`, of the rows of one test of one target."""
    order = {name: n for n, name in enumerate(models)}
    columns = tuple(
        sorted({row.column for row in rows}, key=lambda c: (order.get(c.model, len(order)), c))
    )
    tables: dict[str, dict[Key, dict[ModelColumn, WideCell]]] = {}
    for test, metric, key, column, cell in rows:
        line = tables.setdefault(metric, {}).setdefault(key, {})
        if column in line:
            place = ", ".join((target, test, metric, *filter(None, key)))
            raise DataError(f"result rows: {column.model} {column.version} has {place} twice")
        line[column] = cell
    return {metric: _table(metric, lines, columns) for metric, lines in sorted(tables.items())}


def scores_of(rows: Sequence[WideRow]) -> Scores:
    """Scores of one model, tests, metrics and lines in alphabetical order.

    Args:
        rows: rows of the model for one target; where two versions of it have a score, that of the
            last one counts
    """
    tests: Scores = {}
    for test, metric, key, _, cell in sorted(rows, key=lambda row: row.column):
        tests.setdefault(test, {}).setdefault(metric, {})[key] = cell
    return {
        test: {metric: dict(sorted(lines.items())) for metric, lines in sorted(metrics.items())}
        for test, metrics in sorted(tests.items())
    }


def wide_rows(rows: pd.DataFrame) -> list[WideRow]:
    """Rows as plain Python values, in their order; a table is best converted as a whole."""
    plain = {name: rows[name].tolist() for name in USED}
    for name in COUNTS:
        plain[name] = [None if n is pd.NA or n is None or n != n else int(n) for n in plain[name]]
    keys, columns, cells = (
        map(kind._make, zip(*(plain[name] for name in names), strict=True))
        for kind, names in ((Key, Key._fields), (ModelColumn, OWNER), (WideCell, WideCell._fields))
    )
    fields = zip(plain["test"], plain["metric"], keys, columns, cells, strict=True)
    return list(map(WideRow._make, fields))


def _table(
    metric: str, lines: dict[Key, dict[ModelColumn, WideCell]], columns: tuple[ModelColumn, ...]
) -> Matrix:
    """One metric, sorted."""
    index = tuple(sorted(lines))
    cells = tuple(tuple(lines[key].get(column) for column in columns) for key in index)
    criteria = {cell.criterion for line in lines.values() for cell in line.values()}
    return Matrix(metric, tuple(sorted(criteria - {""})), columns, index, cells)
