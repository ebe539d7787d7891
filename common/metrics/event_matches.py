"""Event-based metrics of sound events: an event is found if onset and offset fit.

Counts are added up and classes averaged as in :mod:`common.metrics.event_segments`.
"""

from __future__ import annotations

import numpy as np

from common.metrics.base import metric
from common.metrics.events.recordings import SoundEvents
from common.metrics.events.tallies import Tally, error_rate, macro, micro, per_class, tally


@metric(
    id="event_f",
    label="Event-based F-score",
    short="Event F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="mesaros2016metrics",
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
    return micro(_events(truth, prediction, t_collar, percentage_of_length))


@metric(
    id="event_f_macro",
    label="Event-based Macro F-score",
    short="Event macro F",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="mesaros2016metrics",
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
    return macro(_events(truth, prediction, t_collar, percentage_of_length))


@metric(
    id="event_f_per_class",
    label="Event-based F-score per Class",
    short="Event F per class",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="mesaros2016metrics",
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
    return per_class(counts, truth.labels)


@metric(
    id="event_error_rate",
    label="Event-based Error Rate",
    short="Event ER",
    kind="events",
    bounds=(0, np.inf),
    direction="lower",
    cite="mesaros2016metrics",
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
    return error_rate(_events(truth, prediction, t_collar, percentage_of_length))


def _events(truth: SoundEvents, prediction: SoundEvents, t_collar: float, share: float) -> Tally:
    params = {"t_collar": t_collar, "percentage_of_length": share}
    counts: Tally = tally("event", truth, prediction, params)
    return counts
