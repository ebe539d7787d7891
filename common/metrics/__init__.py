"""Metrics: pure functions on arrays, registered with what one must know to show them.

Each metric is a function of this package under its id:

>>> import numpy as np
>>> from common import metrics
>>> round(metrics.ccc(np.array([0.1, 0.5, 0.9]), np.array([0.2, 0.5, 0.8])), 4)
0.96
>>> truth, prediction = np.array(["anger", "neutral"]), np.array(["anger", "anger"])
>>> metrics.uar(truth, prediction, labels=["anger", "neutral"])
0.5
"""

from collections.abc import Callable
from typing import Any

from . import (  # noqa: F401 (registration)
    agreement,
    bins,
    change,
    classification,
    distribution,
    event_psds,
    event_scores,
    ranges,
    ranking,
    regression,
    shift,
    units,
)
from .base import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of a metric."""
    if name not in METRICS:
        raise AttributeError(f"module '{__name__}' has no metric '{name}'")
    return METRICS.get(name).function


def __dir__() -> list[str]:
    """Names of the package and ids of all metrics."""
    return sorted({*globals(), *METRICS.names()})
