"""What frame scores give at all thresholds: PSD-ROC, and counts for the operating-point picker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...metrics.event_psds import SCENARIOS, roc_of
from ...metrics.events.criteria import Criteria
from ...metrics.events.exact_collar import ExactCollar
from ...metrics.events.exact_intersection import ExactIntersection
from ...metrics.events.exact_segment import ExactSegment
from ...metrics.events.presets import PsdsSettings
from ...metrics.events.psds import Psds
from ...metrics.events.recordings import SoundEvents
from ...metrics.events.tallies import Tally, tally
from ...spec import MetricUse
from .counting import collar

#: places between 0 and the largest rate where curves are written
POINTS = 200
#: places where a table tells them
TOLD = 5
#: classes up to which each has a curve of its own
CLASSES = 40
#: recordings x classes x thresholds up to which substitutions are counted at each threshold
COUNTED = 500_000


def rocs(truth: SoundEvents, prediction: SoundEvents, uses: Sequence[MetricUse]) -> dict[str, Any]:
    """PSD-ROC of each PSDS of a test; empty without frame scores or annotated events.

    Args:
        truth: annotated events
        prediction: events and frame scores
        uses: metrics of the test with their parameters
    """
    curves: dict[str, Any] = {}
    for use in uses:
        settings = SCENARIOS.get(use.metric) or _own(use)
        psds = roc_of(truth, prediction, settings) if settings else None
        if psds is not None:
            curves[use.metric] = _roc(psds, truth.labels)
    return curves


def _own(use: MetricUse) -> PsdsSettings | None:
    if not {"dtc", "gtc", "cttc", "max_efpr"} <= use.params.keys():
        return None
    limits = Criteria(use.params["dtc"], use.params["gtc"], use.params["cttc"])
    alpha_ct, alpha_st, top = (use.params[n] for n in ("alpha_ct", "alpha_st", "max_efpr"))
    return PsdsSettings(limits, alpha_ct, alpha_st, top, "hour")


def _roc(psds: Psds, labels: Sequence[str]) -> dict[str, Any]:
    """Curves at evenly spaced rates, and a few of their values to be told."""
    roc, settings = psds.roc, psds.settings
    top = float(roc.x[-1]) if settings.max_efpr is None else settings.max_efpr
    rates = np.linspace(0.0, top, POINTS + 1)
    at = np.searchsorted(roc.x, rates, side="right") - 1
    indices = np.linspace(0, POINTS, TOLD + 1).round().astype(int)
    curves: dict[str, Any] = {}
    if len(labels) <= CLASSES:
        curves = {
            label: curve.at(rates).round(6).tolist()
            for label, curve in zip(labels, roc.classes, strict=True)
            if curve is not None
        }
    return {
        "psds": psds.value,
        "areas": psds.classes.tolist(),
        "dtc": settings.criteria.dtc,
        "gtc": settings.criteria.gtc,
        "cttc": settings.criteria.cttc if settings.alpha_ct else None,
        "alpha_ct": settings.alpha_ct,
        "alpha_st": settings.alpha_st,
        "max_efpr": top,
        "unit": settings.unit,
        "x": rates.round(6).tolist(),
        "mean": roc.mean[at].round(6).tolist(),
        "std": roc.std[at].round(6).tolist(),
        "etpr": roc.etpr[at].round(6).tolist(),
        "classes": curves,
        "told": indices.tolist(),
    }


def is_scored(choice: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the marked threshold gives what was scored.

    It does not where classes have thresholds of their own, or where the model decides itself.

    Args:
        choice: counts as :func:`picker` gives them
        rows: what was scored, class by class
    """
    at = choice["start"]
    counts = [(tp[at], fp[at]) for _, tp, fp in choice["counts"]]
    return counts == [(row["tp"], row["fp"]) for row in rows]


def picker(
    name: str,
    truth: SoundEvents,
    prediction: SoundEvents,
    params: Mapping[str, Any],
    detection: Any,
) -> dict[str, Any] | None:
    """Counts of each class at many thresholds; None without frame scores.

    Args:
        name: way to count
        truth: annotated events
        prediction: events and frame scores
        params: parameters of the metrics
        detection: how the target makes events of scores
    """
    scores = prediction.scores
    if scores is None or truth.is_silent:
        return None
    from .picker import table

    pool: ExactSegment | ExactCollar | ExactIntersection
    timed = {"durations": truth.durations}
    if name == "segment":
        pool = ExactSegment(truth.labels, decimals=None, **params)
    elif name == "event":
        pool, timed = ExactCollar(truth.labels, collar(params), decimals=None), {}
    else:
        pool = ExactIntersection(truth.labels, Criteria(cttc=None, **params), overlap="allow")
    pool.add(truth.files, truth.events, scores, **timed)
    rule = detection.threshold if detection is not None else 0.5
    shown = float(np.median(list(rule.values()))) if isinstance(rule, Mapping) else float(rule)
    family = f"{name}_based"
    content = table({family: pool.curves()}, truth.labels, beta=1.0, threshold=shown)
    return {
        "thresholds": content["thresholds"],
        "counts": content["counts"][family],
        "start": int(np.argmin(np.abs(np.array(content["thresholds"]) - shown))),
        "errors": _errors(name, truth, prediction, params, content["thresholds"]),
    }


def _errors(
    name: str,
    truth: SoundEvents,
    prediction: SoundEvents,
    params: Mapping[str, Any],
    thresholds: Sequence[float],
) -> list[int] | None:
    """Errors of all classes together, a substitution counted once, at each threshold.

    Substitutions do not follow from the counts of classes, so events are made and counted anew
    for each threshold; not for many recordings, and not where there are no substitutions.
    """
    size = len(truth) * len(truth.labels) * len(thresholds)
    if name == "intersection" or size > COUNTED or prediction.scores is None:
        return None
    errors = []
    for threshold in thresholds:
        events = prediction.scores.events(threshold)
        counts: Tally = tally(
            name, truth, SoundEvents(truth.labels, events, truth.durations), params
        )
        errors.append(int(counts.errors.sum()))
    return errors
