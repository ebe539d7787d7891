"""What the operating-point picker shows: counts of each class at some thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...metrics.events import figures
from ...metrics.events.threshold_curve import CountCurve

TITLES = {
    "segment_based": "Segment-based",
    "event_based": "Event-based",
    "intersection_based": "Intersection-based",
}
#: thresholds of the picker; fewer where there are many classes
STEPS, FEW_STEPS, MANY_LABELS = 200, 50, 40
#: scores of a class that are looked at to place them
SAMPLE = 2000


def table(
    curves: Mapping[str, Mapping[str, CountCurve]],
    labels: Sequence[str],
    *,
    beta: float,
    threshold: float,
) -> dict[str, Any]:
    """Counts of each family and class at thresholds that scores lie between.

    Args:
        curves: family -> label -> counts at all thresholds
        labels: names of the classes
        beta: weight of the recall in F
        threshold: one that must be among them
    """
    steps = STEPS if len(labels) <= MANY_LABELS else FEW_STEPS
    levels = [c.level for family in curves.values() for c in family.values()]
    thresholds = np.union1d(grid(levels, steps), [threshold])
    counts = {}
    for family, of_labels in curves.items():
        rows = []
        for label in labels:
            curve = of_labels[label]
            at = np.searchsorted(-curve.level, -thresholds, side="left") - 1
            rows.append([curve.n_ref, curve.tp[at].tolist(), curve.fp[at].tolist()])
        counts[family] = rows
    return {
        "thresholds": [float(f"{t:.6g}") for t in thresholds],
        "labels": list(labels),
        "families": list(curves),
        "titles": [TITLES[family] for family in curves],
        "beta": beta,
        "counts": counts,
    }


def grid(levels: Sequence[np.ndarray], steps: int) -> np.ndarray:
    """Thresholds, ascending: half of them evenly spaced, half with as many scores between any two.

    >>> grid([np.array([np.inf, 0.9, 0.5, 0.1])], 8).round(2).tolist()
    [0.0, 0.1, 0.3, 0.5, 0.6, 0.9]
    """
    parts = []
    for level in levels:
        scores = level[np.isfinite(level)]
        parts.append(scores[:: max(1, len(scores) // SAMPLE)])
    thresholds = np.unique(np.concatenate([np.zeros(1), *parts]))
    middle = np.concatenate((thresholds, (thresholds[1:] + thresholds[:-1]) / 2))
    thresholds = np.unique(middle)
    half = steps // 2
    if len(thresholds) > half:
        thresholds = thresholds[
            np.unique(np.linspace(0, len(thresholds) - 1, half).round().astype(int))
        ]
        thresholds = np.union1d(thresholds, np.linspace(thresholds[0], thresholds[-1], half))
    # numbers in a page have six digits; they must stay apart
    return np.unique(np.array([float(f"{value:.6g}") for value in thresholds]))


def f_at(data: Mapping[str, Any], family: str, step: int) -> tuple[float, float]:
    """Micro and macro F of a family at a threshold of the table."""
    n_ref, tp, fp = (
        np.array([row[0] if kind == 0 else row[kind][step] for row in data["counts"][family]])
        for kind in range(3)
    )
    beta = data["beta"]
    micro = figures.f_of_counts(tp.sum(), fp.sum(), n_ref.sum() - tp.sum(), beta=beta)
    each = figures.f_of_counts(tp, fp, n_ref - tp, beta=beta)
    return float(micro), figures.mean_of_classes(np.where(n_ref > 0, each, np.nan))
