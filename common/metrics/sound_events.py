"""Metrics of sound events: annotated and predicted events of the same recordings.

Counts of all recordings are added up before anything is divided; figures are never averaged
over recordings. Classes are those of the target; one that is annotated nowhere has no score and
no part in an average, one that is annotated and never predicted has an F-score of 0. Formulas
and edge cases are those of :mod:`common.metrics.events`.
"""

from __future__ import annotations

import numpy as np

from common.metrics.base import metric
from common.metrics.events import figures
from common.metrics.events.criteria import Criteria
from common.metrics.events.presets import PSDS, PsdsSettings
from common.metrics.events.psds import psds_of_scores
from common.metrics.events.recordings import SoundEvents
from common.metrics.events.tallies import Tally, f_score, mean_f_score, tally, unchanged

MESAROS, BILEN = "mesaros2016metrics", "bilen2020framework"


def _micro(counts: Tally) -> float:
    return float(f_score(*(part.sum() for part in counts[:3])))


def _macro(counts: Tally) -> float:
    return float(mean_f_score(*(part.sum(axis=0) for part in counts[:3])))


def _per_class(counts: Tally, labels: tuple[str, ...]) -> dict[str, float]:
    values = f_score(*(part.sum(axis=0) for part in counts[:3])).tolist()
    return dict(zip(labels, values, strict=True))


def _error_rate(counts: Tally) -> float:
    return float(figures.divide(counts.errors.sum(), counts.ref.sum(), np.nan))


@metric(
    id="segment_f",
    label="Segment-based F-score",
    short="Segment F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=MESAROS,
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
    return _micro(tally("segment", truth, prediction, {"time_resolution": time_resolution}))


@metric(
    id="segment_f_macro",
    label="Segment-based Macro F-score",
    short="Segment macro F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=MESAROS,
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
    return _macro(tally("segment", truth, prediction, {"time_resolution": time_resolution}))


@metric(
    id="segment_f_per_class",
    label="Segment-based F-score per Class",
    short="Segment F per class",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=MESAROS,
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
    return _per_class(counts, truth.labels)


@metric(
    id="segment_error_rate",
    label="Segment-based Error Rate",
    short="Segment ER",
    kind="events",
    bounds=(0, np.inf),
    direction="lower",
    cite=MESAROS,
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
    return _error_rate(tally("segment", truth, prediction, {"time_resolution": time_resolution}))


@metric(
    id="event_f",
    label="Event-based F-score",
    short="Event F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=MESAROS,
)
def event_f(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    t_collar: float,
    percentage_of_length: float,
) -> float:
    """F-score of events with the right label whose onset and offset fit, all classes together.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        t_collar: by how many s onset and offset may be off
        percentage_of_length: share of the length by which the offset may be off, if that is more

    Returns:
        F-score in [0, 1]; NaN without annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return _micro(_events(truth, prediction, t_collar, percentage_of_length))


@metric(
    id="event_f_macro",
    label="Event-based Macro F-score",
    short="Event macro F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=MESAROS,
)
def event_f_macro(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    t_collar: float,
    percentage_of_length: float,
) -> float:
    """Mean over classes of the event-based F-score.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        t_collar: by how many s onset and offset may be off
        percentage_of_length: share of the length by which the offset may be off, if that is more

    Returns:
        mean F-score in [0, 1]; NaN without annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return _macro(_events(truth, prediction, t_collar, percentage_of_length))


@metric(
    id="event_f_per_class",
    label="Event-based F-score per Class",
    short="Event F per class",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=MESAROS,
)
def event_f_per_class(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    t_collar: float,
    percentage_of_length: float,
) -> dict[str, float]:
    """Event-based F-score of each class.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        t_collar: by how many s onset and offset may be off
        percentage_of_length: share of the length by which the offset may be off, if that is more

    Returns:
        label -> F-score in [0, 1]; NaN for a class that is annotated nowhere

    Raises:
        LengthError: if the numbers of recordings differ
    """
    counts = _events(truth, prediction, t_collar, percentage_of_length)
    return _per_class(counts, truth.labels)


@metric(
    id="event_error_rate",
    label="Event-based Error Rate",
    short="Event ER",
    kind="events",
    bounds=(0, np.inf),
    direction="lower",
    cite=MESAROS,
)
def event_error_rate(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    t_collar: float,
    percentage_of_length: float,
) -> float:
    """Substitutions, deletions and insertions per annotated event.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        t_collar: by how many s onset and offset may be off
        percentage_of_length: share of the length by which the offset may be off, if that is more

    Returns:
        error rate, 0 or more; NaN without annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return _error_rate(_events(truth, prediction, t_collar, percentage_of_length))


def _events(truth: SoundEvents, prediction: SoundEvents, t_collar: float, share: float) -> Tally:
    params = {"t_collar": t_collar, "percentage_of_length": share}
    counts: Tally = tally("event", truth, prediction, params)
    return counts


@metric(
    id="intersection_f_macro",
    label="Intersection-based Macro F-score",
    short="Intersection macro F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=BILEN,
)
def intersection_f_macro(
    truth: SoundEvents, prediction: SoundEvents, *, dtc: float, gtc: float
) -> float:
    """Mean over classes of the F-score of events that are covered enough.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        dtc: share of a detection that must lie in annotated events of its class
        gtc: share of an annotated event that such detections must cover

    Returns:
        mean F-score in [0, 1]; NaN without annotated events

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return _macro(tally("intersection", truth, prediction, {"dtc": dtc, "gtc": gtc}))


@metric(
    id="intersection_f_per_class",
    label="Intersection-based F-score per Class",
    short="Intersection F per class",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=BILEN,
)
def intersection_f_per_class(
    truth: SoundEvents, prediction: SoundEvents, *, dtc: float, gtc: float
) -> dict[str, float]:
    """Intersection-based F-score of each class.

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
        dtc: share of a detection that must lie in annotated events of its class
        gtc: share of an annotated event that such detections must cover

    Returns:
        label -> F-score in [0, 1]; NaN for a class that is annotated nowhere

    Raises:
        LengthError: if the numbers of recordings differ
    """
    counts = tally("intersection", truth, prediction, {"dtc": dtc, "gtc": gtc})
    return _per_class(counts, truth.labels)


#: metric -> settings of its PSDS, for those that have no parameters
SCENARIOS = {"psds_1": PSDS["dcase-task4-1"], "psds_2": PSDS["dcase-task4-2"]}


@metric(
    id="psds_1",
    label="PSDS Scenario 1",
    short="PSDS 1",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=BILEN,
)
def psds_1(truth: SoundEvents, prediction: SoundEvents) -> float:
    """Polyphonic sound detection score of a system that must react fast.

    Scenario 1 of DCASE task 4: DTC and GTC 0.7, no cross triggers, a weight of 1 for the
    standard deviation over classes, up to 100 false positives per hour.

    Args:
        truth: annotated events of N recordings
        prediction: frame scores of the same recordings

    Returns:
        score in [0, 1], every distinct score a threshold; NaN without annotated events or
        without frame scores

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return psds_of(truth, prediction, SCENARIOS["psds_1"])


@metric(
    id="psds_2",
    label="PSDS Scenario 2",
    short="PSDS 2",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=BILEN,
)
def psds_2(truth: SoundEvents, prediction: SoundEvents) -> float:
    """Polyphonic sound detection score of a system that must not confuse classes.

    Scenario 2 of DCASE task 4: DTC and GTC 0.1, CTTC 0.3, cross triggers with a weight of 0.5,
    a weight of 1 for the standard deviation over classes, up to 100 false positives per hour.

    Args:
        truth: annotated events of N recordings
        prediction: frame scores of the same recordings

    Returns:
        score in [0, 1], every distinct score a threshold; NaN without annotated events or
        without frame scores

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return psds_of(truth, prediction, SCENARIOS["psds_2"])


@metric(
    id="psds",
    label="PSDS",
    short="PSDS",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite=BILEN,
)
def psds(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    dtc: float,
    gtc: float,
    cttc: float | None,
    alpha_ct: float,
    alpha_st: float,
    max_efpr: float | None,
) -> float:
    """Polyphonic sound detection score with limits and weights of your own, per hour.

    Args:
        truth: annotated events of N recordings
        prediction: frame scores of the same recordings
        dtc: detection tolerance criterion
        gtc: ground truth intersection criterion
        cttc: cross-trigger tolerance criterion; None: cross triggers are not counted
        alpha_ct: weight of cross triggers
        alpha_st: weight of the standard deviation over classes
        max_efpr: largest effective false positive rate per hour; None: the largest found

    Returns:
        score in [0, 1], every distinct score a threshold; NaN without annotated events or
        without frame scores

    Raises:
        LengthError: if the numbers of recordings differ
    """
    criteria = Criteria(dtc, gtc, cttc)
    return psds_of(truth, prediction, PsdsSettings(criteria, alpha_ct, alpha_st, max_efpr, "hour"))


def psds_of(truth: SoundEvents, prediction: SoundEvents, settings: PsdsSettings) -> float:
    """PSDS of frame scores; NaN if there is nothing to compute it of."""
    if prediction.scores is None or truth.is_silent:
        return float("nan")
    found = psds_of_scores(
        truth.files,
        truth.labels,
        truth.events,
        prediction.scores,
        durations=truth.durations,
        settings=settings,
        overlap="allow",
    )
    return float(found.value)


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
