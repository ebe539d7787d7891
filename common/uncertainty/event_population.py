"""A population of recordings with sound events, for simulations of a PSDS."""

from __future__ import annotations

import numpy as np

from ..metrics import METRICS
from ..metrics.events import EventList, FrameScores
from ..metrics.events.recordings import SoundEvents
from .populations import DrawnSamples, Population
from .recipe import Recipe, Term

#: a recording has so many frames of so many seconds, and up to so many events
FRAMES, FRAME_S, EVENTS = 40, 0.25, 3
#: shortest and longest event, in frames
SHORTEST, LONGEST = 4, 14
#: recordings that stand for the population
WHOLE = 20_000


def recordings(
    generator: np.random.Generator, n: int, classes: int
) -> tuple[SoundEvents, SoundEvents]:
    """Events of random recordings, and the frame scores of a detector that finds most of them.

    Scores are higher in events, more so for some classes than for others; they vary from frame
    to frame, from second to second, and from recording to recording.

    Args:
        generator: source of random numbers
        n: number of recordings
        classes: number of classes
    """
    first = generator.integers(0, FRAMES - LONGEST, (n, EVENTS))
    last = first + generator.integers(SHORTEST, LONGEST, (n, EVENTS))
    label = generator.integers(0, classes, (n, EVENTS))
    used = np.arange(EVENTS) < generator.integers(1, EVENTS + 1, (n, 1))
    file = np.broadcast_to(np.arange(n)[:, None], used.shape)
    edges = np.zeros((n, classes, FRAMES + 1), dtype=np.int64)
    np.add.at(edges, (file[used], label[used], first[used]), 1)
    np.add.at(edges, (file[used], label[used], last[used]), -1)
    active = np.cumsum(edges, axis=2)[:, :, :FRAMES] > 0
    durations = np.full(n, FRAMES * FRAME_S)
    labels = tuple(f"class {number}" for number in range(classes))
    borders = np.diff(np.pad(active, ((0, 0), (0, 0), (1, 1))).astype(np.int8), axis=2)
    place, kind, onset = np.nonzero(borders == 1)
    offset = np.nonzero(borders == -1)[2]
    truth = EventList(place, kind, onset * FRAME_S, offset * FRAME_S)
    scores = _scores(generator, active)
    times = np.tile(np.arange(FRAMES + 1) * FRAME_S, n)
    nothing = np.array([], dtype=np.int64)
    none = EventList(nothing, nothing, nothing.astype(float), nothing.astype(float))
    frames = FrameScores(scores.reshape(n * FRAMES, classes), times, np.full(n, FRAMES))
    return (
        SoundEvents(labels, truth, durations),
        SoundEvents(labels, none, durations, frames),
    )


def _scores(generator: np.random.Generator, active: np.ndarray) -> np.ndarray:
    """Scores in (0, 1), shape (n, FRAMES, classes)."""
    n, classes, _ = active.shape
    levels = 1.6 * np.linspace(0.6, 1.4, classes)[:, None] * active
    levels += 0.3 * generator.normal(size=active.shape)
    levels += 0.5 * generator.normal(size=(n, classes, FRAMES // 4)).repeat(4, axis=2)
    levels += 0.25 * generator.normal(size=(n, classes, 1))
    return np.asarray(1 / (1 + np.exp(2.5 - 2 * np.swapaxes(levels, 1, 2))))


def detections(metric: str, classes: int) -> Population:
    """A PSDS without parameters; what is drawn are recordings."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        arrays = recordings(drawn.generator, drawn.speakers, classes)
        return Recipe(Term(metric, arrays)), ""  # type: ignore[arg-type]

    def known(generator: np.random.Generator) -> float:
        return float(METRICS.get(metric).function(*recordings(generator, WHOLE, classes)))

    return Population(score, known)
