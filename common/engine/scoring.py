"""From the predictions of a cell to its rows: what a run does, and what a recomputation repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..designs import Score, Selection, design_of
from ..designs.certainty import bootstrap_of, permutations, sure
from ..metrics.reasons import DATA
from ..results.rows import rows
from ..spec import Target, kinds
from ..spec.cell import Cell
from ..spec.view import View
from ..uncertainty import Bootstrap
from ..uncertainty.simulation import Bounds
from .kept import kept_sums

if TYPE_CHECKING:
    import pandas as pd


def decoded(
    target: Target, values: np.ndarray, columns: Sequence[str], samples: pd.DataFrame
) -> Any:
    """Prediction columns of a model, of all its targets -> predictions of one target.

    Args:
        target: the target
        values: shape (N, columns)
        columns: their names
        samples: the samples that the rows belong to

    Raises:
        ModelError: if a column is missing or a value is no finite number
    """
    import pandas as pd

    frame = pd.DataFrame(values, columns=list(columns))[list(target.columns)]
    return kinds.get(target.kind).decode(target, frame.infer_objects(), samples)


def scores_of(cell: Cell, view: View, reason: str) -> list[Score]:
    """Scores of a cell by the design of its test; without samples, ``reason`` says why."""
    uses = cell.test.uses(cell.target.kind)
    if view.samples.empty:
        why = reason or "no sample with the annotations that the test needs"
        return [
            Score(use.metric, float("nan"), 0, reason=why, cause=DATA, note=view.note)
            for use in uses
        ]
    return design_of(cell.test).scores(view, uses)


def judged(
    cell: Cell,
    scores: Sequence[Score],
    view: View,
    bounds: Bounds | None = None,
    resamples: Callable[[], Bootstrap] | None = None,
) -> list[dict[str, Any]]:
    """Result rows of scores: with intervals, criteria and verdicts.

    Args:
        cell: test, target, model and dataset
        scores: by the design of the test
        view: what they were computed from
        bounds: simulates the bounds of criteria that say so
        resamples: as in :func:`~common.designs.certainty.sure`
    """
    certainty = sure(scores, view, resamples)
    return rows(
        cell, scores, bounds, certainty.intervals, permutations(scores, view), certainty.gaps
    )


@dataclass(frozen=True)
class Evaluation:
    """What the predictions of a cell amount to.

    Args:
        cell: test, target, model and dataset
        view: samples and predictions
        scores: by the design of the test
    """

    cell: Cell
    view: View
    scores: Sequence[Score]

    def rows(self, bounds: Bounds) -> list[dict[str, Any]]:
        """Result rows: scores with intervals, criteria and verdicts; see :func:`judged`."""
        return judged(self.cell, self.scores, self.view, bounds, lambda: self._bootstrap)

    def sums(self) -> pd.DataFrame:
        """Sums of each speaker; see :mod:`common.results.sums`."""
        return kept_sums(self.scores, self.view, self._bootstrap)

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        return bootstrap_of(self.view)


def view_of(cell: Cell, selection: Selection, predictions: Mapping[str, Any]) -> View:
    """What scores are computed from; arguments are those of :func:`evaluate`."""
    return View(
        cell.target,
        selection.samples.reset_index(drop=True),
        predictions,
        dataset=cell.dataset.id,
        seed=int(cell.parts["seed"]),
        missing=cell.missing,
        note=selection.note,
        left_out=selection.left_out,
    )


def evaluate(cell: Cell, selection: Selection, predictions: Mapping[str, Any]) -> Evaluation:
    """From predictions to scores: what a run does, and what a recomputation repeats.

    Args:
        cell: test, target, model and dataset, and the seed among what it is made of
        selection: samples of the test
        predictions: condition -> predictions, aligned with the samples
    """
    view = view_of(cell, selection, predictions)
    return Evaluation(cell, view, scores_of(cell, view, selection.reason))
