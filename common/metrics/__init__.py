"""Metrics: pure functions on arrays, registered with what one must know to show them."""

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
