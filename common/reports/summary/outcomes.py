"""Which cells a ranking counts, and what each model made of them.

The cells are those that data and suite fix, whatever a model answers. So a row without a verdict
is told apart by its cause (:mod:`common.metrics.reasons`):

* the *data*: no model could have a score there. The cell is left out for all models;
* the *model*: it always gives one answer, never predicts a class, or raises. The cell counts as
  not passed;
* *not run*: the model was not asked. It is no answer, good or bad, so such a model cannot be
  compared on the cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...metrics.reasons import DATA, MODEL, NOT_RUN

#: what names a cell
CELL = ["test", "dataset", "metric", "data", "condition", "label"]
#: what the classes or bins of one score share, and what ends in an error together
SCORE, BROKEN = CELL[:-1], CELL[:3]
OWNER = ["model", "model_version"]
PASS, FAIL, SKIP, ERROR = "pass", "fail", "skip", "error"

Key = tuple[str, str]


class Outcomes(NamedTuple):
    """What models made of the cells of a ranking.

    Args:
        passed: 1: passed, 0: not passed, NaN: not run; index: cells, columns: models
        verdicts: whether there is a verdict; False where the model is the cause that there is none
    """

    passed: pd.DataFrame
    verdicts: pd.DataFrame

    @property
    def models(self) -> list[Key]:
        """Name and version of each model."""
        named = self.passed.columns.to_frame(index=False)
        return [(str(key[0]), str(key[1])) for key in named.itertuples(index=False, name=None)]

    def on(self, cells: pd.Index) -> Outcomes:
        """Of these cells only."""
        return Outcomes(self.passed.loc[cells], self.verdicts.loc[cells])

    def ran(self, models: Collection[Key]) -> pd.DataFrame:
        """Whether models were run on cells."""
        return self.passed[list(models)].notna()


def verdict_table(rows: pd.DataFrame) -> pd.DataFrame:
    """1 for pass, 0 for fail, NaN for no verdict; index: cells, columns: models."""
    judged = rows[rows["status"].isin((PASS, FAIL))]
    values = (judged["status"] == PASS).astype("float64")
    return values.groupby([judged[name] for name in [*CELL, *OWNER]]).first().unstack(OWNER)


def outcomes(rows: pd.DataFrame) -> Outcomes:
    """Cells that data and suite fix, and what each model made of them.

    A cell that a model has no row of, although it has others of the same score, is a class that
    is not annotated and that this model never predicts: it is left out. A row that ended
    in an error stands for all cells of its metric on the dataset. Where rows do not say what
    caused a missing verdict, as in files of older versions, it is the data if no model has one.

    Args:
        rows: result rows of one target and scope
    """
    every = _Numbers(rows)
    status = rows["status"].to_numpy(dtype=object)
    judged = (status == PASS) | (status == FAIL)
    cause = _causes(rows["cause"].to_numpy(dtype=object), status == SKIP, judged, every.cells)
    skipped = (status == SKIP) & (cause == MODEL)
    # of several rows of a cell the best known one counts: passed, failed, without a verdict
    places = np.flatnonzero(judged | skipped)
    line, present = pd.factorize(every.cells[places], sort=True)
    rows_of_cells = every.row_of_cell[present]
    passed = np.full((len(present), len(every.models)), np.nan)
    verdicts = np.zeros(passed.shape, dtype=bool)
    owner = every.owners[places]
    passed[line, owner] = 0.0
    is_pass = status[places] == PASS
    passed[line[is_pass], owner[is_pass]] = 1.0
    is_judged = judged[places]
    verdicts[line[is_judged], owner[is_judged]] = True
    fixed = ~np.isin(present, every.cells[(cause == DATA) & (status == SKIP)])
    absent = np.isnan(passed)
    other = every.marked((status != ERROR) & (cause != NOT_RUN), every.scores, rows_of_cells)
    broken = every.marked((status == ERROR) & (cause != DATA), every.metrics, rows_of_cells)
    fixed &= ~(absent & other).any(axis=1)
    passed[absent & broken] = 0.0
    index = every.index(rows_of_cells[fixed])
    return Outcomes(
        pd.DataFrame(passed[fixed], index, every.models),
        pd.DataFrame(verdicts[fixed], index, every.models),
    )


class _Numbers:
    """Rows with numbers in place of names, in the order of the names.

    Args:
        rows: with columns :data:`CELL` and :data:`OWNER`
    """

    def __init__(self, rows: pd.DataFrame):
        self._size = len(rows)
        self._columns = {name: pd.factorize(rows[name], sort=True) for name in (*CELL, *OWNER)}
        #: what ends in an error together, a score, a cell: each is a part of the one before
        self.metrics = self._joined(BROKEN)
        self.scores = self._joined(SCORE[len(BROKEN) :], self.metrics)
        self.cells = self._joined(CELL[len(SCORE) :], self.scores)
        self.owners = self._joined(OWNER)
        self.models = self._named(OWNER, _places(self.owners))
        #: a row of each cell
        self.row_of_cell = _places(self.cells)

    def _joined(self, names: Iterable[str], above: np.ndarray | None = None) -> np.ndarray:
        """Numbers of what several columns name together."""
        joint = np.zeros(self._size, dtype=np.int64) if above is None else above
        for name in names:
            codes, entries = self._columns[name]
            joint = joint * len(entries) + codes
        return pd.factorize(joint, sort=True)[0]

    def _named(self, names: list[str], rows: np.ndarray) -> pd.MultiIndex:
        columns = [self._columns[name] for name in names]
        levels: Any = [entries for _, entries in columns]
        return pd.MultiIndex(levels=levels, codes=[c[rows] for c, _ in columns], names=names)

    def index(self, rows: np.ndarray) -> pd.MultiIndex:
        """Cells of some rows."""
        return self._named(CELL, rows)

    def marked(self, mask: np.ndarray, numbers: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """Whether a model has some of the rows, for cells and each model.

        Args:
            mask: these rows
            numbers: what a row stands for: all cells with its number
            cells: a row of each cell
        """
        marks = np.zeros((numbers.max(initial=-1) + 1, len(self.models)), dtype=bool)
        marks[numbers[mask], self.owners[mask]] = True
        return marks[numbers[cells]]


def _places(numbers: np.ndarray) -> np.ndarray:
    """A place of each number from 0 on, all of which occur."""
    places = np.zeros(numbers.max(initial=-1) + 1, dtype=np.int64)
    places[numbers] = np.arange(len(numbers))
    return places


def _causes(
    cause: np.ndarray, skipped: np.ndarray, judged: np.ndarray, cells: np.ndarray
) -> np.ndarray:
    """Cause of each row without a verdict; derived where the row does not say."""
    unsaid = (cause == "") & skipped
    if unsaid.any():
        derived = np.where(np.isin(cells, cells[judged]), MODEL, DATA)
        cause = np.where(unsaid, derived.astype(object), cause)
    return cause


def common_cells(outcome_table: Outcomes, models: list[Key]) -> tuple[list[Key], pd.Index]:
    """Models that are compared, and the cells that they are compared on.

    A cell counts if more than half of the models were run on it; compared are the models that
    were run on all of these. So what a single model was run on, or not, changes nothing for the
    others. If fewer than two are left, all models are compared on the cells that all of them
    were run on.

    Args:
        outcome_table: of all models
        models: that may be compared, without chance models
    """
    table = outcome_table.ran(models)
    cells, ran = table.index, table.to_numpy(bool)
    some = np.asarray(ran.any(axis=0))
    models, ran = list(compress(models, some)), ran[:, some]
    is_usual = ran.sum(axis=1) > len(models) / 2
    compared = list(compress(models, ran[is_usual].all(axis=0))) if is_usual.any() else []
    if len(compared) > 1 or compared == models:
        return compared, cells[is_usual]
    return models, cells[np.asarray(ran.all(axis=1))]
