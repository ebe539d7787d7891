"""What a kind of target must know, and what kinds share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...core.errors import ModelError
from ...core.registry import Registry
from .. import Output, Target

if TYPE_CHECKING:
    import pandas as pd


#: what is stored of a sample that has arrays of its own size
Arrays = dict[str, np.ndarray]


class Kind(Protocol):
    """How predictions and annotations of one kind of target look.

    Attributes:
        is_number: whether a sample is one number on a scale
        has_classes: whether a sample is one of the labels of the target
        is_ragged: whether a sample has arrays of its own size instead of a number per column
        keeps_time: whether annotations say when something happens, so that a change of the
            signal must not move it
        averages: what a metric takes that compares averages of units, such as speakers (``takes``
            of :class:`~common.metrics.base.Metric`); empty: there are none
    """

    is_number: bool
    has_classes: bool
    is_ragged: bool
    keeps_time: bool
    averages: str

    def check_target(self, target: Target) -> None:
        """Refuse a target that lacks what the kind needs, or has what it cannot use.

        Raises:
            ValueError: if it is so
        """
        ...

    def columns(self, target: Target) -> tuple[str, ...]:
        """Names of the prediction columns, as they are stored."""
        ...

    def names(self, target: Target) -> tuple[str, ...]:
        """What the values that a model gives are called: the target, or its labels."""
        ...

    def classes(self, truth: Any, prediction: Any) -> tuple[str, ...]:
        """Classes that occur in annotations or predictions; empty if the kind has none."""
        ...

    def layout(self, target: Target) -> Any:
        """What decides about stored values besides the names of their columns; None: nothing."""
        ...

    def encode(
        self,
        target: Target,
        raw: Any,
        *,
        n: int | None = None,
        seconds: Sequence[float] | None = None,
        output: Output | None = None,
    ) -> np.ndarray:
        """What a model returned -> prediction columns.

        Args:
            target: the target
            raw: output of the model
            n: number of samples that were given to the model; None: any number is right
            seconds: length of each signal in s; None: not known
            output: what the entry of the model says about the target

        Returns:
            float64, or :data:`Arrays` as objects if the kind is ragged; shape (N, number of
            columns), in the order of :meth:`columns`

        Raises:
            ModelError: for a wrong shape, or values that are no finite numbers
        """
        ...

    def decode(
        self, target: Target, frame: pd.DataFrame, samples: pd.DataFrame | None = None
    ) -> Any:
        """Prediction columns -> predictions as metrics take them, of length N.

        Args:
            target: the target
            frame: holds the columns of the target by name; others are not looked at
            samples: the samples that the rows belong to; only ragged kinds need them

        Raises:
            ModelError: if a column is missing or a value is no finite number
        """
        ...

    def truth(self, target: Target, column: pd.Series) -> Any:
        """Annotations as metrics take them, of length N."""
        ...

    def truth_mask(self, target: Target, column: pd.Series) -> np.ndarray:
        """Which annotations can be compared with a prediction, boolean, shape (N,)."""
        ...


KINDS: Registry[Kind] = Registry("kind")


def refuse_detection(target: Target) -> None:
    """Raise ValueError if a target says how frames become events, of which it has none."""
    if target.detection is not None:
        raise ValueError("only a target of kind events has a detection")


def matrix(target: Target, frame: pd.DataFrame) -> np.ndarray:
    """Prediction columns of a target by name, float64, shape (N, columns).

    Raises:
        ModelError: if a column is missing or a value is no finite number
    """
    missing = [column for column in target.columns if column not in frame]
    if missing:
        header = ", ".join(map(str, frame.columns)) or "none"
        raise ModelError(f"no prediction column '{missing[0]}'. Found: {header}")
    return finite(target, frame[list(target.columns)].to_numpy())


def numbers(target: Target, raw: Any) -> np.ndarray:
    """Output of a model as finite float64; raises ModelError if it holds anything else."""
    try:
        return finite(target, np.asarray(raw))
    except ValueError:
        raise ModelError(f"{target.id}: predictions are no regular array of numbers") from None


def finite(target: Target, values: np.ndarray) -> np.ndarray:
    """Values as float64; raises ModelError unless all are finite numbers."""
    if values.dtype.kind not in "biuf":
        raise ModelError(f"{target.id}: predictions are no numbers but of type {values.dtype}")
    values = values.astype(np.float64)
    wrong = ~np.isfinite(values)
    if wrong.any():
        rows = wrong.reshape(len(values), -1).any(axis=1).sum() if wrong.ndim else 1
        total = len(values) if wrong.ndim else 1
        raise ModelError(f"{target.id}: NaN or infinite predictions for {rows} of {total} samples")
    return values


def check_shape(target: Target, values: np.ndarray, shapes: list[tuple[int | None, ...]]) -> None:
    """Raise ModelError unless the shape is one of ``shapes``; None stands for any size."""
    for shape in shapes:
        if len(shape) == values.ndim and all(
            want in (None, have) for want, have in zip(shape, values.shape, strict=True)
        ):
            return
    allowed = " or ".join(_shape(shape) for shape in shapes)
    raise ModelError(
        f"{target.id}: predictions have shape {_shape(values.shape)}, expected {allowed}"
    )


def _shape(shape: tuple[int | None, ...]) -> str:
    inner = ", ".join("N" if size is None else str(size) for size in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"
