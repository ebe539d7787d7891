"""Events of some recordings, to be seen under a spectrogram.

They are chosen by their annotation alone, so that all models and tests show the same ones: the
recordings that together hold most classes, then those with most events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...metrics.events.event_based import match
from ...metrics.events.grouping import reaches
from ...metrics.events.lists import EventList
from ...metrics.events.recordings import SoundEvents
from ...spec.view import View
from .counting import collar

#: recordings that are shown
NUMBER = 4
#: seconds of a recording that are shown
LONGEST_S = 30.0


def scenes(
    view: View, truth: SoundEvents, prediction: SoundEvents, name: str, params: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Annotated and estimated events of the chosen recordings.

    Args:
        view: samples, with their files
        truth: annotated events
        prediction: estimated events
        name: way to count, which decides what has a partner
        params: its parameters
    """
    files, starts = (view.samples[name].tolist() for name in ("file", "start"))
    entries = []
    for row in chosen(truth, files):
        events, estimated = truth[[row]].events, prediction[[row]].events
        hit = partners(events, estimated, name, params)
        seconds = min(float(truth.durations[row]), LONGEST_S)
        entries.append(
            {
                "file": files[row],
                "start_ns": int(starts[row]),
                "seconds": seconds,
                "whole": float(truth.durations[row]) <= LONGEST_S,
                "truth": _listed(events, hit[0], seconds),
                "estimate": _listed(estimated, hit[1], seconds),
            }
        )
    return entries


def chosen(truth: SoundEvents, files: list[str]) -> list[int]:
    """Rows of the recordings that are shown, in the order in which they were chosen.

    Equal ones are told apart by their names.
    """
    events = np.bincount(truth.events.file, minlength=len(truth))
    held: list[set[int]] = [set() for _ in range(len(truth))]
    for row, label in zip(truth.events.file.tolist(), truth.events.label.tolist(), strict=True):
        held[row].add(label)
    left = [row for row in range(len(truth)) if held[row]]
    labels: set[int] = set()
    rows: list[int] = []
    while left and len(rows) < NUMBER:
        best = min(left, key=lambda row: (-len(held[row] - labels), -events[row], files[row]))
        rows.append(best)
        left.remove(best)
        labels |= held[best]
    return rows


def partners(
    truth: EventList, prediction: EventList, name: str, params: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Which events of one recording count as found: of the truth, of the prediction.

    Event-based: those that were matched. Intersection-based: annotated events that are covered
    enough, and detections that cover enough. Segment-based: those that meet an event of their
    class.
    """
    flags = np.zeros(len(truth), dtype=bool), np.zeros(len(prediction), dtype=bool)
    if name == "event":
        pairs = match(truth, prediction, collar=collar(params), matching="optimal").correct
        flags[0][pairs.truth], flags[1][pairs.prediction] = True, True
        return flags
    begin = np.maximum(truth.onset[:, None], prediction.onset[None])
    overlap = np.minimum(truth.offset[:, None], prediction.offset[None]) - begin
    same = (truth.label[:, None] == prediction.label[None]) & (overlap > 0)
    if name != "intersection":
        return same.any(axis=1), same.any(axis=0)
    event, detection = np.nonzero(same)
    shared = overlap[event, detection]
    right = reaches(detection, shared, prediction.offset - prediction.onset, params["dtc"], None)
    counts = right[detection]
    hits = reaches(event[counts], shared[counts], truth.offset - truth.onset, params["gtc"], None)
    return hits, right


def _listed(events: EventList, hit: np.ndarray, seconds: float) -> list[list[Any]]:
    """Onset, offset, label and whether there is a partner, in the order of time."""
    rows = [
        [round(float(on), 3), round(min(float(off), seconds), 3), int(label), bool(flag)]
        for on, off, label, flag in zip(events.onset, events.offset, events.label, hit, strict=True)
        if on < seconds
    ]
    return sorted(rows)
