"""Changes of scores: how much better or worse a score is on changed signals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from common.metrics import classification, regression  # noqa: F401 (registration)
from common.metrics.base import METRICS, Metric
from common.metrics.classification import observed_labels

#: metrics with one value and no parameters whose change is a metric, too
CHANGING = ("ccc", "uar")
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


def scored(metric: Metric, truth: np.ndarray, prediction: np.ndarray) -> float:
    """Value of a metric that has one, with the classes that occur.

    >>> scored(METRICS.get("ccc"), np.array([0.0, 0.5, 1.0]), np.array([0.25, 0.5, 0.75]))
    0.8
    """
    given = metric.kind == "classification"
    value = metric.score(
        truth, prediction, labels=observed_labels(truth, prediction) if given else ()
    )
    assert isinstance(value, float)
    return value


def _change(metric: Metric) -> Callable[..., float]:
    def change(truth: np.ndarray, reference: np.ndarray, prediction: np.ndarray) -> float:
        return scored(metric, truth, prediction) - scored(metric, truth, reference)

    change.__name__ = f"change_{metric.id}"
    change.__doc__ = DOC.format(label=metric.label)
    return change


for _metric in map(METRICS.get, CHANGING):
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
        ),
    )
