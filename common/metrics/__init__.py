"""Metrics: pure functions on arrays, registered with what one must know to show them."""

from common.metrics import (  # noqa: F401 (registration)
    agreement,
    bins,
    change,
    classification,
    distribution,
    event_intersections,
    event_matches,
    event_segments,
    ranges,
    ranking,
    regression,
    shift,
    units,
)
from common.metrics.base import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]
