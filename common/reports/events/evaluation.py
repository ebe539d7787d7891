"""Scores of systems: every family of metrics, pooled, class by class and recording by recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...metrics.events import figures
from ...metrics.events.criteria import Criteria
from ...metrics.events.detection_rates import rates
from ...metrics.events.event_based import EventBased
from ...metrics.events.intersection_based import Confusion, IntersectionBased
from ...metrics.events.lists import EventList
from ...metrics.events.matching import Matched
from ...metrics.events.operating_points import distinct, macro_f
from ...metrics.events.psds import Psds, summary
from ...metrics.events.report import Columns, Scores
from ...metrics.events.roc import curves, psd_roc
from ...metrics.events.segment_based import SegmentBased
from .inputs import Inputs, System
from .scored import Exact, events_and_curves
from .settings import EventSettings


class IntersectionF(NamedTuple):
    """Intersection-based F at one operating point.

    Args:
        macro: mean over classes
        micro: from counts that are summed over classes
        classes: F of each class; NaN without annotated events
        tp: annotated events that are found, per class
        fp: false detections, per class
        fn: annotated events that are missed, per class
    """

    macro: float
    micro: float
    classes: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray


class PointScores(NamedTuple):
    """Scores at one operating point; None for a family that was not asked for.

    Args:
        name: name of the point
        segment_based: as sed_eval's results
        event_based: the same
        intersection_based: F
    """

    name: str
    segment_based: Scores | None
    event_based: Scores | None
    intersection_based: IntersectionF | None


@dataclass(frozen=True)
class Detail:
    """What only the point that is shown has.

    Args:
        events: its events
        matched: pairs that the event-based metrics counted; None if these were not asked for
        confusion: counts with cross triggers; None without intersection-based metrics
        files: family -> overall scores of each recording
    """

    events: EventList
    matched: Matched | None
    confusion: Confusion | None
    files: Mapping[str, Columns]


@dataclass(frozen=True)
class Evaluated:
    """All scores of a system.

    Args:
        system: the system
        points: scores of its operating points
        detail: more about the one that is shown
        psds: name -> PSDS of the operating points; empty if not asked for
        exact: what frame scores give; None without
        notes: what a reader should know
    """

    system: System
    points: tuple[PointScores, ...]
    detail: Detail
    psds: Mapping[str, Psds]
    exact: Exact | None
    notes: tuple[str, ...]

    @property
    def shown(self) -> PointScores:
        """Scores of the point that is shown."""
        return self.points[self.system.shown]


def evaluate(system: System, inputs: Inputs, settings: EventSettings) -> Evaluated:
    """Score a system.

    Raises:
        DataError: with file and rule, for what is not allowed
    """
    points, exact, notes = list(system.points), None, []
    if system.scores is not None:
        detected, exact = events_and_curves(system.scores, inputs, settings)
        points = points or [(f"threshold {settings.threshold:g}", detected)]
    scored = tuple(_point(name, events, inputs, settings) for name, events in points)
    distinct_points = distinct([events for _, events in points])
    for number, other in distinct_points.repeated:
        notes.append(f"{points[number][0]} repeats {points[other][0]}")
    psds = {}
    if "intersection_based" in settings.metrics:
        event_lists = [points[number][1] for number in distinct_points.kept]
        psds = {name: _psds(name, event_lists, inputs, settings) for name in settings.psds}
    detail = _detail(points[system.shown][1], inputs, settings)
    return Evaluated(system, scored, detail, psds, exact, tuple(notes))


def _point(name: str, events: EventList, inputs: Inputs, settings: EventSettings) -> PointScores:
    segment = event = intersection = None
    if "segment_based" in settings.metrics:
        segment = _segment_pool(events, inputs, settings).scores(
            zero_score=settings.zero_score,
            factor=settings.factor,
            beta=settings.beta,
            compatibility=settings.sed_eval,
        )
    if "event_based" in settings.metrics:
        event = _event_pool(events, inputs, settings)[0].scores(
            zero_score=settings.zero_score, beta=settings.beta, compatibility=settings.sed_eval
        )
    if "intersection_based" in settings.metrics:
        pool = _intersection_pool([events], inputs, settings, settings.f_criteria)
        intersection = _intersection_f(pool.confusion(), settings)
    return PointScores(name, segment, event, intersection)


def _segment_pool(events: EventList, inputs: Inputs, settings: EventSettings) -> SegmentBased:
    pool = SegmentBased(
        inputs.labels, time_resolution=settings.time_resolution, decimals=settings.decimals
    )
    pool.add(inputs.files, inputs.truth, events, lengths=inputs.durations)
    return pool


def _event_pool(
    events: EventList, inputs: Inputs, settings: EventSettings
) -> tuple[EventBased, Matched]:
    collar = settings.collar
    pool = EventBased(
        inputs.labels,
        t_collar=collar.t_collar,
        percentage_of_length=collar.percentage_of_length,
        evaluate_onset=collar.evaluate_onset,
        evaluate_offset=collar.evaluate_offset,
        matching=settings.event_matching_type,
        tolerance=collar.tolerance,
    )
    return pool, pool.add(inputs.files, inputs.truth, events)


def _intersection_pool(
    points: Sequence[EventList], inputs: Inputs, settings: EventSettings, criteria: Criteria
) -> IntersectionBased:
    assert inputs.durations is not None
    pool = IntersectionBased(
        inputs.labels,
        criteria,
        points=len(points),
        # what intersects was settled when the lists were read
        overlap="allow",
        outside="ignore",
    )
    pool.add(inputs.files, inputs.truth, points, durations=inputs.durations)
    return pool


def _intersection_f(confusion: Confusion, settings: EventSettings) -> IntersectionF:
    label = np.arange(confusion.counts.shape[1])
    tp, fp = confusion.counts[0, label, label], confusion.counts[0, :, -1]
    fn = confusion.events.astype(np.int64) - tp
    mean = macro_f(
        confusion,
        beta=settings.beta,
        compatibility="psds_eval" if settings.psds_eval else None,
    )
    micro = figures.f_of_counts(tp.sum(), fp.sum(), fn.sum(), beta=settings.beta)
    return IntersectionF(mean.macro, float(micro), mean.classes, tp, fp, fn)


def _psds(name: str, points: Sequence[EventList], inputs: Inputs, settings: EventSettings) -> Psds:
    scenario = settings.psds[name]
    criteria = (
        scenario.criteria if scenario.alpha_ct else scenario.criteria.without_cross_triggers()
    )
    pool = _intersection_pool(points, inputs, settings, criteria)
    class_rates = rates(
        pool.confusion(),
        alpha_ct=scenario.alpha_ct,
        unit=scenario.unit,
        compatibility=settings.psds_eval,
    )
    return summary(
        psd_roc(curves(class_rates.efpr, class_rates.tpr), alpha_st=scenario.alpha_st), scenario
    )


def _detail(events: EventList, inputs: Inputs, settings: EventSettings) -> Detail:
    files: dict[str, Columns] = {}
    matched = confusion = None
    options = {"zero_score": settings.zero_score, "beta": settings.beta}
    if "segment_based" in settings.metrics:
        files["segment_based"] = _segment_pool(events, inputs, settings).file_scores(
            **options,  # type: ignore[arg-type]
            factor=settings.factor,
            compatibility=settings.sed_eval,
        )
    if "event_based" in settings.metrics:
        pool, matched = _event_pool(events, inputs, settings)
        files["event_based"] = pool.file_scores(
            **options,  # type: ignore[arg-type]
            compatibility=settings.sed_eval,
        )
    if "intersection_based" in settings.metrics:
        intersection = _intersection_pool([events], inputs, settings, settings.f_criteria)
        files["intersection_based"] = intersection.file_scores(beta=settings.beta)
        confusion = _intersection_pool(
            [events], inputs, settings, settings.shown_criteria
        ).confusion()
    return Detail(events, matched, confusion, files)
