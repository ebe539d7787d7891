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

from collections.abc import Collection
from itertools import compress
from typing import NamedTuple

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
    rows = rows[[*CELL, *OWNER, "status", "cause"]]
    status, cause = rows["status"].to_numpy(), _causes(rows)
    judged = np.isin(status, (PASS, FAIL))
    skipped = (status == SKIP) & (cause == MODEL)
    # of several rows of a cell the best known one counts: passed, failed, without a verdict
    code = np.where(status == PASS, 1.0, 0.0)[judged | skipped]
    here = rows[judged | skipped].assign(code=code, judged=judged[judged | skipped])
    every = rows[OWNER].drop_duplicates()
    columns = pd.MultiIndex.from_frame(every).sort_values()
    best = here.groupby([*CELL, *OWNER], sort=True)[["code", "judged"]].max()
    passed = best["code"].unstack(OWNER).reindex(columns=columns).astype("float64")
    verdicts = best["judged"].unstack(OWNER).reindex(columns=columns).eq(True)
    impossible = rows[(cause == DATA) & (status == SKIP)]
    fixed = ~passed.index.isin(pd.MultiIndex.from_frame(impossible[CELL]))
    absent = passed.isna().to_numpy()
    other = _marked(rows[status != ERROR][cause[status != ERROR] != NOT_RUN], SCORE, passed)
    broken = _marked(rows[(status == ERROR) & (cause != DATA)], BROKEN, passed)
    fixed &= ~(absent & other).any(axis=1)
    passed = passed.mask(absent & broken, 0.0)
    return Outcomes(passed[fixed], verdicts[fixed])


def _causes(rows: pd.DataFrame) -> np.ndarray:
    """Cause of each row without a verdict; derived where the row does not say."""
    cause = rows["cause"].to_numpy(dtype=object)
    unsaid = (cause == "") & (rows["status"] == SKIP).to_numpy()
    if unsaid.any():
        index = pd.MultiIndex.from_frame(rows[CELL])
        judged = index.isin(index[rows["status"].isin((PASS, FAIL))])
        cause = np.where(unsaid, np.where(judged, MODEL, DATA), cause)
    return cause


def _marked(rows: pd.DataFrame, keys: list[str], table: pd.DataFrame) -> np.ndarray:
    """Whether a model has such rows, for each cell and model of a table."""
    if rows.empty:
        return np.zeros(table.shape, dtype=bool)
    sizes = rows.groupby([*keys, *OWNER], sort=False).size().unstack(OWNER)
    cells = pd.MultiIndex.from_frame(table.index.to_frame(index=False)[keys])
    marks: np.ndarray = sizes.reindex(index=cells, columns=table.columns).notna().to_numpy()
    return marks


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
