r"""PSDS in one call, from event lists or from frame scores, with all that it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .checks import Overlap
from .detection_rates import Compatibility, rates
from .exact_intersection import ExactIntersection
from .frames import FrameScores
from .horizon import Horizon
from .intersection_based import IntersectionBased
from .lists import EventList
from .presets import PsdsSettings
from .roc import PsdRoc, area, curves, psd_roc


class Psds(NamedTuple):
    """A polyphonic sound detection score.

    Args:
        value: the score, in [0, 1]; NaN if it is not defined
        classes: area under the curve of each label; NaN for a label without ground truth
        roc: the curves
        settings: what it was computed with
    """

    value: float
    classes: np.ndarray
    roc: PsdRoc
    settings: PsdsSettings


def psds_of_events(
    files: Sequence[str],
    labels: Sequence[str],
    truth: EventList,
    predictions: Sequence[EventList],
    *,
    durations: Sequence[float] | np.ndarray,
    settings: PsdsSettings,
    overlap: Overlap = "error",
    compatibility: Compatibility | None = None,
) -> Psds:
    """PSDS of operating points, as psds_eval: a lower bound of that of the scores.

    Args:
        files: names that the file codes of the events point into
        labels: names that the label codes point into
        truth: annotated events
        predictions: detections, one list per operating point
        durations: length of each recording in s
        settings: limits and weights
        overlap: as for :class:`~common.metrics.events.intersection_based.IntersectionBased`
        compatibility: as for :func:`~common.metrics.events.detection_rates.rates`
    """
    pool = IntersectionBased(labels, settings.criteria, points=len(predictions), overlap=overlap)
    pool.add(files, truth, predictions, durations=durations)
    points = rates(
        pool.confusion(),
        alpha_ct=settings.alpha_ct,
        unit=settings.unit,
        compatibility=compatibility,
    )
    roc = psd_roc(curves(points.efpr, points.tpr), alpha_st=settings.alpha_st)
    return summary(roc, settings)


def psds_of_scores(
    files: Sequence[str],
    labels: Sequence[str],
    truth: EventList,
    scores: FrameScores,
    *,
    durations: Sequence[float] | np.ndarray,
    settings: PsdsSettings,
    overlap: Overlap = "error",
) -> Psds:
    """PSDS of frame scores with every distinct score a threshold, as sed_scores_eval.

    Args:
        files: names that the file codes of the events point into, in the order of the scores
        labels: names of the labels, in the order of the columns of the scores
        truth: annotated events
        scores: scores of all files
        durations: length of each recording in s
        settings: limits and weights; sed_scores_eval compares with 6 decimals
        overlap: as for :class:`~common.metrics.events.exact_intersection.ExactIntersection`
    """
    criteria, alpha_ct, alpha_st, max_efpr, unit = settings
    if not alpha_ct:
        # cross triggers cost nothing: they need not be counted
        criteria = criteria.without_cross_triggers()
    horizon = None
    if max_efpr is not None:
        horizon = Horizon(max_efpr, unit, float(np.sum(durations)))
    pool = ExactIntersection(labels, criteria, overlap=overlap, horizon=horizon)
    pool.add(files, truth, scores, durations=durations)
    roc = pool.roc(alpha_ct=alpha_ct, alpha_st=alpha_st, max_efpr=max_efpr, unit=unit)
    return summary(roc, settings)


def summary(roc: PsdRoc, settings: PsdsSettings) -> Psds:
    """Scores of curves."""
    classes = [
        np.nan if points is None else area(points.x, points.y, settings.max_efpr)
        for points in roc.classes
    ]
    value = area(roc.x, roc.etpr, settings.max_efpr)
    return Psds(value, np.array(classes, dtype=np.float64), roc, settings)
