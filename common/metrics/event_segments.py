"""Segment-based metrics of sound events, and how many segments a change of the signal changes.

Counts of all recordings are added up before anything is divided; figures are never averaged
over recordings. Classes are those of the target; one that is annotated nowhere has no score and
no part in an average, one that is annotated and never predicted has an F-score of 0. Formulas
and edge cases are those of :mod:`common.metrics.events`.
"""

from __future__ import annotations

import numpy as np

from common.metrics.base import metric
from common.metrics.events import figures
from common.metrics.events.recordings import SoundEvents
from common.metrics.events.tallies import error_rate, macro, micro, per_class, tally, unchanged


@metric(
    id="segment_f",
    label="Segment-based F-score",
    short="Segment F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="mesaros2016metrics",
)
def segment_f(truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float) -> float:
    r"""F-score of the segments in which a class is active, all classes together.

    .. math:: \frac{2 \text{TP}}{2 \text{TP} + \text{FP} + \text{FN}}

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        time_resolution: length of a segment in s; any touch makes it active

    Returns:
        F-score in [0, 1]; NaN without annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return micro(tally("segment", truth, prediction, {"time_resolution": time_resolution}))


@metric(
    id="segment_f_macro",
    label="Segment-based Macro F-score",
    short="Segment macro F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="mesaros2016metrics",
)
def segment_f_macro(
    truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float
) -> float:
    """Mean over classes of the F-score of segments.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        time_resolution: length of a segment in s

    Returns:
        mean F-score in [0, 1]; NaN without annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return macro(tally("segment", truth, prediction, {"time_resolution": time_resolution}))


@metric(
    id="segment_f_per_class",
    label="Segment-based F-score per Class",
    short="Segment F per class",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="mesaros2016metrics",
)
def segment_f_per_class(
    truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float
) -> dict[str, float]:
    """F-score of the segments of each class.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        time_resolution: length of a segment in s

    Returns:
        label -> F-score in [0, 1]; NaN for a class that is annotated nowhere

    Raises:
        LengthError: if the numbers of recordings differ
    """
    counts = tally("segment", truth, prediction, {"time_resolution": time_resolution})
    return per_class(counts, truth.labels)


@metric(
    id="segment_error_rate",
    label="Segment-based Error Rate",
    short="Segment ER",
    kind="events",
    bounds=(0, np.inf),
    direction="lower",
    cite="mesaros2016metrics",
)
def segment_error_rate(
    truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float
) -> float:
    r"""Substitutions, deletions and insertions per active segment of the truth.

    .. math:: \frac{S + D + I}{N_\text{ref}}

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        time_resolution: length of a segment in s

    Returns:
        error rate, 0 or more; a system that never detects anything has 1. NaN without
        annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return error_rate(tally("segment", truth, prediction, {"time_resolution": time_resolution}))


@metric(
    id="unchanged_segments",
    label="Percentage Unchanged Segments",
    short="% unchanged segments",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="derington2025testing",
)
def unchanged_segments(
    truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float
) -> float:
    """Share of segments in which the same classes are active.

    Args:
        truth: predicted events on the original signals of N recordings
        prediction: predicted events on the changed signals
        time_resolution: length of a segment in s; any touch makes a class active

    Returns:
        share in [0, 1]; NaN without a segment

    Raises:
        LengthError: if the numbers of recordings differ
    """
    same, segments = unchanged(truth, prediction, time_resolution=time_resolution).sum(axis=0)
    return float(figures.divide(same, segments, np.nan))
