"""One of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...metrics.labels import NO_CLASS, observed_labels
from .. import Output, Target
from .base import KINDS, check_shape, matrix, numbers, refuse_detection

if TYPE_CHECKING:
    import pandas as pd

#: score of every class where a model named one that the target does not have. The smallest
#: number, because predictions are finite and no model gives it
NO_SCORE = float(np.finfo(np.float64).min)


class Classification:
    """One score per class of the target; see :class:`common.spec.kinds.base.Kind`."""

    is_number = False
    has_classes = True
    is_ragged = False
    keeps_time = False
    averages = "shares"

    def check_target(self, target: Target) -> None:
        """Refuse a rule for events."""
        refuse_detection(target)

    def columns(self, target: Target) -> tuple[str, ...]:
        """``target/label`` for each class, in the order of the target."""
        return tuple(f"{target.id}/{label}" for label in target.labels)

    def names(self, target: Target) -> tuple[str, ...]:
        """The classes."""
        return target.labels

    def classes(self, truth: Any, prediction: Any) -> tuple[str, ...]:
        """Those that occur, in alphabetical order."""
        return observed_labels(truth, prediction)

    def layout(self, target: Target) -> None:
        """Nothing: the columns say it all."""

    def encode(
        self,
        target: Target,
        raw: Any,
        *,
        n: int | None = None,
        seconds: Sequence[float] | None = None,
        output: Output | None = None,
    ) -> np.ndarray:
        """Accepts shape (N, number of classes), columns in the order of the target's labels."""
        values = numbers(target, raw)
        check_shape(target, values, [(n, len(target.labels))])
        return values

    def decode(
        self, target: Target, frame: pd.DataFrame, samples: pd.DataFrame | None = None
    ) -> np.ndarray:
        """Label with the largest score among the target's own; the first one wins a tie.

        A row of :data:`NO_SCORE` is :data:`~common.metrics.labels.NO_CLASS`.
        """
        labels = np.array(target.labels, dtype=object)
        scores = matrix(target, frame)
        best: np.ndarray = labels[np.argmax(scores, axis=1)]
        best[(scores == NO_SCORE).all(axis=1)] = NO_CLASS
        return best

    def truth(self, target: Target, column: pd.Series) -> np.ndarray:
        """The labels, missing ones None."""
        return column.to_numpy(dtype=object)

    def truth_mask(self, target: Target, column: pd.Series) -> np.ndarray:
        """Where the annotation is one of the target's classes."""
        return column.isin(target.labels).to_numpy(dtype=bool)


KINDS.add("classification", Classification())
