"""What a metric is: a pure function and what one must know to show its number.

Inputs are arrays without missing values: :mod:`common.spec.kinds` checks predictions, a design
selects annotated samples. A result that is not defined is NaN, never an exception, and
:mod:`common.metrics.reasons` says why.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core.errors import ConfigError, LengthError
from ..core.registry import Registry
from .sums import Given, Sums

Value = float | Mapping[str, float]

#: what a metric compares -> the positional arguments of its function
TAKES = {
    "pair": ("truth", "prediction"),
    "shares": ("truth", "prediction"),
    "range": ("prediction",),
    "groups": ("prediction", "group", "context"),
    "change": ("truth", "reference", "prediction"),
}


@dataclass(frozen=True)
class Metric:
    """One metric of the benchmark.

    Args:
        id: name in YAML and in result rows
        label: name on pages, for example ``Concordance Correlation Coeff``
        short: short name, for example ``CCC``
        kind: kind of prediction that it scores
        function: function of the arguments that ``takes`` names and of keyword-only
            parameters; classification metrics get ``labels`` from the design
        bounds: smallest and largest possible value
        direction: whether ``higher``, ``lower`` or ``zero`` is best
        cite: key in docs/refs.bib
        unit: what stands behind the number
        filled: keyword parameters that the design supplies, not the YAML; besides ``labels``
        takes: ``pair``: two aligned arrays, shape (N,), be it truth and prediction of
            samples, means of speakers, or predictions in two conditions; ``shares``: two
            arrays of class shares, shape (units, classes); ``range``: predictions and the
            ends of a range; ``groups``: predictions, their group and whether they are in
            the context (:mod:`common.metrics.shift`); ``change``: truth and predictions on
            original and changed signals (:mod:`common.metrics.change`)
        of: for the change of a score, id of the metric whose change it is
        level: for the difference of two sets of values, what is computed of one set, with the
            same keywords: ``function(a, b) = level(b) - level(a)``
        counts: for a value per class or bin, whether n is the number of samples that belong
            there in the ``truth`` or in the ``prediction``; empty: all samples
        caution: what a reader of its interval must know, for the note of a row
        sums: the metric as a function of sums; None: it is none
        drawn: what chance models draw to simulate its scores: ``shares``: the class or bin of
            each prediction; ``pairs``: those of truth and prediction; ``moments``: numbers;
            ``values``, ``errors`` or ``absolute errors``: numbers of whose means the scores are
            sums, so that nothing need be drawn; empty: its scores are not simulated
    """

    id: str
    label: str
    short: str
    kind: Literal["regression", "classification", "events"]
    function: Callable[..., Any]
    bounds: tuple[float, float]
    direction: Literal["higher", "lower", "zero"]
    cite: str
    unit: str = ""
    filled: tuple[str, ...] = ()
    takes: Literal["pair", "shares", "range", "groups", "change"] = "pair"
    of: str = ""
    counts: Literal["", "truth", "prediction"] = ""
    level: Callable[..., Any] | None = None
    caution: str = ""
    sums: Sums | None = None
    drawn: Literal["", "shares", "pairs", "moments", "values", "errors", "absolute errors"] = ""

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names of the keyword-only parameters of the function.

        >>> from common.metrics import METRICS
        >>> METRICS.get("jensen_shannon_distance").keywords
        ('bins',)
        """
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)

    def score(
        self,
        truth: np.ndarray,
        prediction: np.ndarray,
        *,
        labels: Sequence[str] = (),
        params: Mapping[str, Any] | None = None,
    ) -> Value:
        """Value of a metric that compares two arrays (``pair`` or ``shares``).

        Args:
            truth: annotated values, or those of the reference
            prediction: predicted values, in the same order
            labels: classes, for metrics that want them
            params: parameters as in the YAML of the test

        Returns:
            one number, or one per class or bin in the order of the table on the page

        Raises:
            LengthError: if the arrays differ in length
        """
        value: Value = self.function(truth, prediction, **self.given(labels, params))
        return value

    def level_of(
        self,
        values: np.ndarray,
        *,
        labels: Sequence[str] = (),
        params: Mapping[str, Any] | None = None,
    ) -> Value:
        """What a difference of two sets is the difference of, for one set; see ``level``.

        >>> from common.metrics import METRICS
        >>> METRICS.get("mean_difference").level_of(np.array([0.25, 0.75]))
        0.5
        """
        if self.level is None:
            raise ConfigError(f"metric '{self.id}' is no difference of two sets of values")
        value: Value = self.level(values, **self.given(labels, params))
        return value

    def given(self, labels: Sequence[str], params: Given | None) -> dict[str, Any]:
        """Keyword arguments of the function."""
        arguments: dict[str, Any] = dict(params or {})
        if "labels" in self.keywords:
            arguments["labels"] = labels
        return arguments


METRICS: Registry[Metric] = Registry("metric")


def metric(**fields: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that registers a function as a metric and returns it unchanged."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        item = Metric(function=function, **fields)
        METRICS.add(item.id, item)
        return function

    return add


def check_lengths(**arrays: Sized) -> None:
    """Raise LengthError unless all arrays have the same first dimension."""
    sizes = {name: len(values) for name, values in arrays.items()}
    if len(set(sizes.values())) > 1:
        text = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise LengthError(f"arrays differ in length ({text})")


def floats(**arrays: np.ndarray) -> list[np.ndarray]:
    """Arrays in float64, after :func:`check_lengths`; the inputs stay as they are."""
    check_lengths(**arrays)
    return [np.asarray(values, dtype=np.float64) for values in arrays.values()]


def mean(values: np.ndarray) -> float:
    """Mean; NaN (and no warning) of nothing."""
    return float(np.mean(values)) if len(values) else float("nan")
