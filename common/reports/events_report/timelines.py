"""Timelines of recordings in the report."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from ...figures.event_timeline import (
    TimelineLane,
    describe_event_timeline,
    event_timeline_figure,
)
from ...figures.svg import to_svg
from ...metrics.events.lists import EventList
from ..events.evaluation import Evaluated
from ..events.inputs import Inputs
from .tables import errors_of_files


def draw(name: str, evaluation: Evaluated, inputs: Inputs, number: int) -> list[dict[str, Any]]:
    """Timelines of recordings with most errors and, half of them, of all kinds.

    Args:
        name: for ids in the figures
        evaluation: scores of a system
        inputs: what was compared
        number: number of recordings
    """
    hit = _hits(evaluation, inputs)
    drawn = []
    for place, file in enumerate(_chosen(evaluation, inputs, number)):
        labels, truth, prediction = lanes(inputs.truth, evaluation.detail.events, hit, file)
        ends = [*truth.offset, *prediction.offset, 1e-3]
        duration = max(ends) if inputs.durations is None else float(inputs.durations[file])
        options: dict[str, Any] = {}
        if inputs.audio is not None:
            from ...samples.audio import read

            signal, rate = read(inputs.audio / inputs.files[file])[:2]
            options = {"signal": signal, "sampling_rate": rate}
        figure = event_timeline_figure(
            "",
            [inputs.labels[at] for at in labels],
            truth,
            prediction,
            duration_s=duration,
            **options,
        )
        alt = describe_event_timeline(truth, prediction)
        svg = Markup(to_svg(figure, alt, name=f"{name}{place}"))
        drawn.append({"file": inputs.files[file], "svg": svg, "text": alt})
    return drawn


def _chosen(evaluation: Evaluated, inputs: Inputs, number: int) -> list[int]:
    """Half of the recordings those with most errors, the others evenly spread; each once."""
    spoken = np.union1d(inputs.truth.file, evaluation.detail.events.file)
    errors = errors_of_files(evaluation, inputs)[spoken]
    worst = spoken[np.argsort(-errors, kind="stable")][: (number + 1) // 2].tolist()
    others = [file for file in spoken.tolist() if file not in set(worst)]
    more = min(number - len(worst), len(others))
    steps = np.linspace(0, len(others), more, endpoint=False).astype(int).tolist()
    return [*worst, *(others[at] for at in steps)]


def _hits(evaluation: Evaluated, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """Which annotated and which estimated events have a partner."""
    truth = np.zeros(len(inputs.truth), dtype=bool)
    prediction = np.zeros(len(evaluation.detail.events), dtype=bool)
    if evaluation.detail.matched is not None:
        truth[evaluation.detail.matched.correct.truth] = True
        prediction[evaluation.detail.matched.correct.prediction] = True
    return truth, prediction


def lanes(
    truth: EventList, prediction: EventList, hit: tuple[np.ndarray, np.ndarray], file: int
) -> tuple[list[int], TimelineLane, TimelineLane]:
    """Labels that occur in a recording, and its events with the number of their lane."""
    some = [np.flatnonzero(events.file == file) for events in (truth, prediction)]
    labels = sorted({*truth.label[some[0]].tolist(), *prediction.label[some[1]].tolist()})
    lane_pair = [
        TimelineLane(
            events.onset[rows],
            events.offset[rows],
            np.searchsorted(labels, events.label[rows]),
            flags[rows],
        )
        for events, rows, flags in zip((truth, prediction), some, hit, strict=True)
    ]
    return labels, lane_pair[0], lane_pair[1]
