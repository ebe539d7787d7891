"""Numbers on a scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Output, Target
from .base import KINDS, check_shape, matrix, numbers, refuse_detection

if TYPE_CHECKING:
    import pandas as pd

#: what scaling to the range may miss by, without being called wrong


class Regression:
    """One number per sample; see :class:`common.spec.kinds.base.Kind`."""

    is_number = True
    has_classes = False
    is_ragged = False
    keeps_time = False
    averages = "pair"

    def check_target(self, target: Target) -> None:
        """Refuse a rule for events."""
        refuse_detection(target)

    def columns(self, target: Target) -> tuple[str, ...]:
        """The target itself."""
        return (target.id,)

    def names(self, target: Target) -> tuple[str, ...]:
        """The target itself."""
        return (target.id,)

    def classes(self, truth: Any, prediction: Any) -> tuple[str, ...]:
        """None."""
        return ()

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
        """Accepts shape (N,) or (N, 1); values may lie outside the range of the target."""
        values = numbers(target, raw)
        check_shape(target, values, [(n,), (n, 1)])
        return values.reshape(-1, 1)

    def decode(
        self, target: Target, frame: pd.DataFrame, samples: pd.DataFrame | None = None
    ) -> np.ndarray:
        """The values, float64."""
        return matrix(target, frame)[:, 0]

    def truth(self, target: Target, column: pd.Series) -> np.ndarray:
        """The values, float64; missing ones NaN."""
        return column.to_numpy(dtype=np.float64)

    def truth_mask(self, target: Target, column: pd.Series) -> np.ndarray:
        """Where there is an annotation."""
        return ~np.isnan(column.to_numpy(dtype=np.float64))


KINDS.add("regression", Regression())
