"""Changes of scores: how much better or worse a score is on changed signals."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import (  # noqa: F401 (registration)
    classification,
    event_psds,
    event_scores,
    regression,
)
from .base import METRICS, Metric
from .labels import observed_labels

#: metrics with one value whose change is a metric, too
CHANGING = ("ccc", "uar")
#: the same of sound events; the change has the parameters of the metric
CHANGING_EVENTS = ("segment_f_macro", "event_f_macro", "psds_1", "psds_2")
DOC = """Change of the {label}: that on changed signals minus that on original ones.

    Args:
        truth: annotated values, shape (N,)
        reference: predictions on the original signals, shape (N,), same order
        prediction: predictions on the changed signals, shape (N,), same order

    Returns:
        difference, negative when the change of the signals does harm; NaN if one of the two
        scores is

    Raises:
        LengthError: if the shapes differ
    """


def scored(
    metric: Metric,
    truth: np.ndarray,
    prediction: np.ndarray,
    params: Mapping[str, Any] | None = None,
) -> float:
    """Value of a metric that has one, with the classes that occur.

    >>> scored(METRICS.get("ccc"), np.array([0.0, 0.5, 1.0]), np.array([0.25, 0.5, 0.75]))
    0.8
    """
    has_labels = "labels" in metric.keywords
    value = metric.score(
        truth,
        prediction,
        labels=observed_labels(truth, prediction) if has_labels else (),
        params=params,
    )
    assert isinstance(value, float)
    return value


def _change(metric: Metric) -> Callable[..., float]:
    def change(
        truth: np.ndarray, reference: np.ndarray, prediction: np.ndarray, **params: Any
    ) -> float:
        after = scored(metric, truth, prediction, params)
        return after - scored(metric, truth, reference, params)

    signature = inspect.signature(change)
    parameters = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    of_metric = inspect.signature(metric.function).parameters.values()
    # parameters of the metric; labels are found in the values
    parameters += [p for p in of_metric if p.kind is p.KEYWORD_ONLY and p.name != "labels"]
    change.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    change.__name__ = f"change_{metric.id}"
    change.__doc__ = DOC.format(label=metric.label)
    return change


for _metric in map(METRICS.get, (*CHANGING, *CHANGING_EVENTS)):
    _low, _high = _metric.bounds
    METRICS.add(
        f"change_{_metric.id}",
        Metric(
            id=f"change_{_metric.id}",
            label=f"Change {_metric.short}",
            short=f"Change {_metric.short}",
            kind=_metric.kind,
            function=_change(_metric),
            bounds=(_low - _high, _high - _low),
            direction="higher",
            cite="derington2025testing",
            takes="change",
            of=_metric.id,
            caution=_metric.caution,
        ),
    )
