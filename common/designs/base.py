"""What a design is: how predictions are compared.

A design declares which columns and conditions it needs, selects the samples before anything
is predicted, and turns aligned arrays into scores. It sees neither audio nor models.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pydantic

from ..core.errors import ConfigError
from ..core.registry import Registry, unknown
from ..metrics import METRICS, Metric
from ..metrics.bins import bin_codes, bin_labels
from ..metrics.reasons import DATA, MODEL, Cause, cause, why_undefined
from ..spec import KINDS, MetricUse, Record, Target, Test, fault
from ..spec.view import ORIGINAL, View
from ..uncertainty import Recipe, Term
from ..uncertainty.simulation.setup import METRIC_IDS

if TYPE_CHECKING:  # importing pandas costs a second; a plan needs no tables
    import pandas as pd

    from ..predictions.attributes import ComputedColumn

__all__ = [
    "DESIGNS",
    "ORIGINAL",
    "Design",
    "Draws",
    "Gap",
    "Recipe",
    "Score",
    "Selection",
    "Term",
    "View",
    "check_uses",
    "design_of",
    "score_pair",
]


class Gap(NamedTuple):
    """Score of a group minus that of the other one, and what it is computed of."""

    value: float
    recipe: Recipe | None


@dataclass(frozen=True)
class Score:
    """One number, or the reason why there is none.

    Args:
        metric: id of the metric
        value: the score; NaN: not defined, ``reason`` says why
        n: number of samples behind it
        label: class, bin or speaker group that a part of a metric belongs to
        condition: state of the input or part of the data
        reference: what the condition is compared with
        reference_value: value of the metric there
        reason: why the value is missing
        cause: what caused that: the data, or the model, or that it was not run
        note: short remark that is shown with the value
        data: name of the part of the dataset that the score is about, with ``{table}`` for the
            name of its table; empty: the whole dataset
        sizes: for a simulated criterion, (samples, samples in the context) of every group,
            that of the score first
        recipe: what it is computed of, for its interval; None: it gets no interval
        gap: difference from the other group, if there are two, of what it is computed
    """

    metric: str
    value: float
    n: int
    label: str = ""
    condition: str = ORIGINAL
    reference: str = ""
    reference_value: float = float("nan")
    reason: str = ""
    cause: Cause = ""
    note: str = ""
    data: str = ""
    sizes: tuple[tuple[int, int], ...] = ()
    recipe: Recipe | None = field(default=None, compare=False, repr=False)
    gap: Gap | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Selection:
    """Samples a design wants.

    Args:
        samples: selected rows, in their order and with their index in the table
        reason: why no sample is left; empty otherwise
        note: remark that belongs to every score
        left_out: group, as values of its attributes -> why it has no samples here
    """

    samples: pd.DataFrame
    reason: str = ""
    note: str = ""
    left_out: Mapping[tuple[str, ...], str] = field(default_factory=dict)


#: keys -> generator of a test on a dataset
Draws = Callable[..., np.random.Generator]


class Design(Record):
    """How predictions are compared; its fields are the options of the design in YAML."""

    #: whether scores say how many samples they rest on, so that a criterion may be
    #: ``within: simulated``
    simulated: ClassVar[bool] = False
    #: whether a score is the difference of two values of its metric
    differences: ClassVar[bool] = False

    @abstractmethod
    def needs(self, target: Target) -> Sequence[str]:
        """Columns that the dataset must have."""

    @abstractmethod
    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """Samples that are used, before prediction."""

    @abstractmethod
    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Scores, in the order of the table on the page."""

    def conditions(self, target: Target) -> Mapping[str, str]:
        """Condition -> id of its perturbation; empty: the original only."""
        return {}

    def criterion_names(self, target: Target, label: str) -> Sequence[str]:
        """Names of a metric in the criteria table, for example one per group.

        Args:
            target: the target
            label: of the metric
        """
        return [label]

    def misfit(self, metric: Metric) -> str:
        """Why the design cannot use a metric; empty: it can."""
        return (
            "" if metric.takes == "pair" else f"'{metric.id}' does not compare samples one by one"
        )

    def draw(self, target: Target, selection: Selection, draws: Draws) -> Selection:
        """A random part of the usable samples, after :meth:`select`; all unless a design says so.

        Args:
            target: the target
            selection: usable samples
            draws: keys -> generator for this test and dataset
        """
        return selection

    def attributes(self) -> Mapping[str, ComputedColumn]:
        """Columns that are computed from audio before :meth:`select`, with how that is done."""
        return {}

    def shown(self, view: View) -> View:
        """What figures are drawn from, given what the scores were computed from."""
        return view


DESIGNS: Registry[type[Design]] = Registry("design")
#: name, file of the test and options -> the design
_PARSED: dict[tuple[str, str, str], Design] = {}


def design_of(test: Test) -> Design:
    """The design of a test, parsed when it is first asked for.

    Raises:
        ConfigError: with the file of the test and the key, for the first fault
    """
    name = test.design_name
    key = (name, str(test.origin), repr(test.options))
    if key not in _PARSED:
        record = DESIGNS.get(name, f"{test.origin}: design")
        try:
            _PARSED[key] = record.model_validate(dict(test.options))
        except pydantic.ValidationError as error:
            wrong = fault(record, f"design.{name}", error)
            raise ConfigError(f"{test.origin}: {wrong}") from None
    return _PARSED[key]


def check_uses(test: Test) -> None:
    """Whether the design of a test can use its metrics.

    Raises:
        ConfigError: with the file of the test and the key, for the first fault
    """
    name, design = test.design_name, design_of(test)
    for kind in KINDS:
        for number, use in enumerate(test.uses(kind)):
            place = f"{test.origin}: {kind}[{number}].metric"
            metric = METRICS.get(use.metric, place)
            reason = design.misfit(metric)
            if reason:
                raise ConfigError(f"{place}: design '{name}': {reason}")
            low, high = metric.bounds
            least, most = (low - high, high - low) if design.differences else (low, high)
            if reason := use.criterion.pointless(least, most):
                raise ConfigError(f"{test.origin}: {kind}[{number}]: criterion {reason}")
            if use.criterion.is_simulated or test.simulated:
                if use.criterion.within is None:
                    raise ConfigError(f"{place}: only bounds of 'within' can be simulated")
                if not design.simulated:
                    raise ConfigError(f"{place}: design '{name}' has no simulated criteria")
                if use.metric not in METRIC_IDS:
                    raise unknown("simulated metric", use.metric, METRIC_IDS, place)


def score_pair(
    use: MetricUse,
    truth: np.ndarray,
    prediction: np.ndarray,
    *,
    labels: Sequence[str] = (),
    rows: np.ndarray | None = None,
    annotated: bool = True,
) -> list[Score]:
    """Scores of a metric that compares samples one by one.

    Args:
        use: metric and parameters
        truth: annotated values, or those of the reference, shape (N,)
        prediction: predicted values, shape (N,)
        labels: classes, for metrics that want them
        rows: which samples of the view these are, shape (N,); None: all of them
        annotated: whether ``truth`` are annotations; False: predictions, like the other array

    Returns:
        one score, or one per class or bin. Its n is N; per class or bin, it is the number of
        samples that belong there in the truth, for precision that of the predictions there
    """
    metric = METRICS.get(use.metric)
    value = metric.score(truth, prediction, labels=labels, params=use.params)
    sizes = _sizes(metric, use, truth, prediction)
    values = value if isinstance(value, Mapping) else {"": value}
    term_rows = () if rows is None else (rows,)
    recipe = Recipe(Term(use.metric, (truth, prediction), term_rows, labels, use.params))
    perfect = cache(lambda: metric.score(truth, truth, labels=labels, params=use.params))

    def caused(label: str) -> Cause:
        if annotated:
            return cause(truth, perfect, label=label)
        return MODEL if len(prediction) > 1 else DATA

    return [
        Score(
            use.metric,
            number,
            n=sizes.get(label, 0) if sizes and label else len(prediction),
            label=label,
            reason=why_undefined(truth, prediction, label=label, params=use.params)
            if np.isnan(number)
            else "",
            cause=caused(label) if np.isnan(number) else "",
            recipe=recipe,
        )
        for label, number in values.items()
    ]


def difference(
    first: Recipe | None, second: Recipe | None, strata: np.ndarray | None = None
) -> Recipe | None:
    """Recipe of the difference of two scores, if both have one; ``strata`` as in a recipe."""
    return Recipe(first.term, minus=second.term, strata=strata) if first and second else None


def _sizes(
    metric: Metric, use: MetricUse, truth: np.ndarray, prediction: np.ndarray
) -> dict[str, int]:
    """Number of samples per class or bin; empty if the metric does not count them."""
    if not metric.counts:
        return {}
    values = truth if metric.counts == "truth" else prediction
    if "bins" in use.params:
        bins = use.params["bins"]
        counts = np.bincount(bin_codes(values, bins), minlength=bins)
        return dict(zip(bin_labels(bins), counts.tolist(), strict=True))
    names, counts = np.unique(values, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))
