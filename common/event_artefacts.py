"""What pages about sound events show besides result rows, as one JSON file per cell.

``extra/media/<target>/<model>/<test>/events_<data>.json``, for tests that compare events with their
annotation. Which parts it has follows from the metrics of the test: ``segment``, ``event`` or
``intersection``; all have ``labels``, ``files`` and ``examples``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from common.metrics.event_intersections import SCENARIOS
from common.metrics.events import Criteria, IntersectionBased, psds_of_scores
from common.metrics.events.recordings import SoundEvents
from common.metrics.events.tallies import TALLIES, Tally, f_score
from common.spec import MetricUse
from common.view import View

#: limits of the confusion matrix with cross triggers
CONFUSION = Criteria(0.5, 0.5, 0.3)
#: recordings whose events are listed: those with most classes
EXAMPLES = 3
DIGITS = 6


def artefacts(view: View, uses: Sequence[MetricUse]) -> str:
    """Content of the file, from the events of a view and the metrics of its test."""
    truth, prediction = view.truth, view.prediction
    files = view.samples["file"].tolist()
    found: dict[str, Any] = {"labels": list(truth.labels), "files": files}
    for name in ("segment", "event"):
        own = [use for use in uses if use.metric.startswith(f"{name}_")]
        if own:
            found[name] = _counted(TALLIES[name](truth, prediction, **own[0].params))
    if any(use.metric.startswith(("psds", "intersection_")) for use in uses):
        found["intersection"] = _intersection(truth, prediction)
    found["examples"] = _examples(truth, prediction, files)
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n"


def _counted(counts: Tally) -> dict[str, Any]:
    """Composition of the error rate, counts of classes, and the F-score of each recording."""
    tp, ref, sys = (int(part.sum()) for part in counts[:3])
    missed, extra, errors = ref - tp, sys - tp, int(counts.errors.sum())
    # of fn misses and fp false alarms in all, S are one of each: errors = fn + fp - S
    replaced = missed + extra - errors
    per_file = f_score(*(part.sum(axis=1) for part in counts[:3]))
    return {
        "errors": {
            "substitutions": replaced,
            "deletions": missed - replaced,
            "insertions": extra - replaced,
            "reference": ref,
        },
        "classes": {
            name: part.sum(axis=0).tolist()
            for name, part in zip(("tp", "ref", "sys"), counts[:3], strict=True)
        },
        "f_per_file": _numbers(per_file),
    }


def _intersection(truth: SoundEvents, prediction: SoundEvents) -> dict[str, Any]:
    pool = IntersectionBased(truth.labels, CONFUSION, points=1, overlap="allow")
    pool.add(truth.files, truth.events, [prediction.events], durations=truth.durations)
    found: dict[str, Any] = {
        "confusion": pool.confusion().counts[0].tolist(),
        "criteria": {"dtc": CONFUSION.dtc, "gtc": CONFUSION.gtc, "cttc": CONFUSION.cttc},
    }
    if prediction.scores is None or truth.is_silent:
        return found
    for name, settings in SCENARIOS.items():
        psds = psds_of_scores(
            truth.files,
            truth.labels,
            truth.events,
            prediction.scores,
            durations=truth.durations,
            settings=settings,
            overlap="allow",
        )
        roc = psds.roc
        found[name] = {
            "value": _numbers([psds.value])[0],
            "max_efpr": settings.max_efpr,
            **{part: _numbers(getattr(roc, part)) for part in ("x", "mean", "std", "etpr")},
            "classes": {
                label: None if curve is None else {"x": _numbers(curve.x), "y": _numbers(curve.y)}
                for label, curve in zip(truth.labels, roc.classes, strict=True)
            },
            "areas": dict(zip(truth.labels, _numbers(psds.classes), strict=True)),
        }
    return found


def _examples(
    truth: SoundEvents, prediction: SoundEvents, files: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Events of the recordings with most classes; of several the first by name."""
    classes = [len(set(truth.events.label[truth.events.file == n])) for n in range(len(truth))]
    chosen = sorted(range(len(truth)), key=lambda n: (-classes[n], files[n]))[:EXAMPLES]
    return [
        {
            "file": files[number],
            "duration": _numbers([truth.durations[number]])[0],
            "truth": _rows(truth, number),
            "prediction": _rows(prediction, number),
        }
        for number in chosen
    ]


def _rows(found: SoundEvents, number: int) -> list[list[Any]]:
    events = found.events[found.events.file == number]
    events = events[events.order()]
    times = zip(_numbers(events.onset), _numbers(events.offset), events.label, strict=True)
    return [[onset, offset, found.labels[label]] for onset, offset, label in times]


def _numbers(values: Any) -> list[float | None]:
    """Rounded; None for what is not defined."""
    array = np.asarray(values, dtype=np.float64)
    return [round(float(v), DIGITS) if np.isfinite(v) else None for v in array]
