"""Sound events: which classes sound when.

A model gives for each recording a matrix of scores, frames by classes, or a list of events, or
both. Frame scores become events by the rule of the target: a median filter and a threshold per
class. What is stored of a recording is a dictionary of arrays:

* ``scores`` (frames, classes) and ``times`` (frames + 1), the start of each frame and the end of
  the last one in s;
* ``onset``, ``offset`` in s and ``label``, the number of the class, if the model decides itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.errors import ModelError
from ...core.registry import unknown
from ...metrics.events.checks import overlaps, repeated_events
from ...metrics.events.frames import FrameScores
from ...metrics.events.lists import EventList
from ...metrics.events.recordings import SoundEvents
from .. import Output, Target
from .base import KINDS, Arrays

if TYPE_CHECKING:
    import pandas as pd

#: how far the last frame may be from the end of the recording: s, and frames
SLACK_S, SLACK_FRAMES = 0.1, 2.0
EVENT = ("onset", "offset", "label")


class Annotation(NamedTuple):
    """Truth of one recording, as it stands in a sample table.

    Args:
        duration: length of the recording in s
        onset: start of each event in s, shape (E,)
        offset: end of each event in s, shape (E,)
        label: number of its class among the labels of the target, shape (E,)
    """

    duration: float
    onset: np.ndarray
    offset: np.ndarray
    label: np.ndarray


class Events:
    """Frame scores or event lists; see :class:`common.spec.kinds.base.Kind`."""

    is_number = False
    has_classes = False
    is_ragged = True
    keeps_time = True
    averages = ""

    def check_target(self, target: Target) -> None:
        """Labels, and a rule by which frames become events, with a number for each label."""
        rule = target.detection
        if rule is None or not target.labels:
            raise ValueError("sound events need labels, and detection: {hop_s: ...}")
        for name, value in (("threshold", rule.threshold), ("median_s", rule.median_s)):
            if isinstance(value, Mapping) and set(value) != set(target.labels):
                wrong = ", ".join(sorted(set(value) ^ set(target.labels)))
                raise ValueError(
                    f"detection.{name}: needs one number for each label; missing or unknown: {wrong}"
                )

    def columns(self, target: Target) -> tuple[str, ...]:
        """The target itself: one dictionary of arrays per sample."""
        return (target.id,)

    def names(self, target: Target) -> tuple[str, ...]:
        """The classes."""
        return target.labels

    def classes(self, truth: Any, prediction: Any) -> tuple[str, ...]:
        """None: metrics of sound events know their labels."""
        return ()

    def layout(self, target: Target) -> Any:
        """Order of the classes and length of a frame, on which stored arrays rest."""
        assert target.detection is not None
        return [list(target.labels), target.detection.hop_s]

    def encode(
        self,
        target: Target,
        raw: Any,
        *,
        n: int | None = None,
        seconds: Sequence[float] | None = None,
        output: Output | None = None,
    ) -> np.ndarray:
        """Frame scores, lists of events, or both, of each sample.

        Accepts per sample a matrix (frames, classes), a list of (onset, offset, label), or a
        dictionary with ``scores`` (and ``times``, if frames are not of equal length), ``events``
        or both.
        """
        if not isinstance(raw, Sequence | np.ndarray) or isinstance(raw, str):
            raise ModelError(f"{target.id}: expected one matrix of scores or list of events each")
        if n is not None and len(raw) != n:
            raise ModelError(f"{target.id}: predictions for {len(raw)} samples, expected {n}")
        arrays = np.empty((len(raw), 1), dtype=object)
        for number, item in enumerate(raw):
            length = None if seconds is None else seconds[number]
            arrays[number, 0] = _encoded(target, item, length, output or Output())
        return arrays

    def decode(
        self, target: Target, frame: pd.DataFrame, samples: pd.DataFrame | None = None
    ) -> SoundEvents:
        """Events of all samples, cut at the end of their recordings.

        Args:
            target: the target
            frame: stored arrays
            samples: the samples, whose annotations know the durations
        """
        assert samples is not None
        values = frame[target.id].tolist()
        durations = [annotation.duration for annotation in samples[target.id]]
        names = samples["file"].tolist()
        parts, scored = [], []
        for number, (value, duration) in enumerate(zip(values, durations, strict=True)):
            if "scores" in value:
                value = _within(value, duration)
                # events that the model has decided itself come from its own filter
                if "onset" not in value:
                    value["scores"] = smoothed(target, value)
                scored.append(value)
            events = _listed(target, value)
            late = np.flatnonzero(events.onset > duration + SLACK_S)
            if len(late):
                raise ModelError(
                    f"{target.id}: {names[number]}: an event starts at {events.onset[late[0]]:g} s,"
                    f" but the recording ends at {duration:g} s"
                )
            events = events[events.onset < duration]
            file, offset = np.full(len(events), number), np.minimum(events.offset, duration)
            parts.append(EventList(file, events.label, events.onset, offset))
        scores = None
        if scored and len(scored) == len(values):
            scores = FrameScores.from_files([(part["times"], part["scores"]) for part in scored])
        return SoundEvents(target.labels, EventList.concatenate(parts), np.array(durations), scores)

    def truth(self, target: Target, column: pd.Series) -> SoundEvents:
        """Annotated events of all samples."""
        annotations: list[Annotation] = column.tolist()
        parts = [
            EventList(np.full(len(one.onset), number), one.label, one.onset, one.offset)
            for number, one in enumerate(annotations)
        ]
        durations = np.array([one.duration for one in annotations], dtype=np.float64)
        return SoundEvents(target.labels, EventList.concatenate(parts), durations)

    def truth_mask(self, target: Target, column: pd.Series) -> np.ndarray:
        """Where a recording is annotated, be it with no events."""
        return column.notna().to_numpy(dtype=bool)


def _encoded(target: Target, item: Any, seconds: float | None, output: Output) -> Arrays:
    parts = dict(item) if isinstance(item, Mapping) else {}
    if not parts:
        is_matrix = isinstance(item, np.ndarray) and item.ndim == 2 and item.dtype.kind in "biuf"
        parts = {"scores" if is_matrix else "events": item}
    if not {"scores", "events"} & set(parts):
        names = ", ".join(map(str, parts)) or "nothing"
        raise ModelError(f"{target.id}: expected 'scores' or 'events', found {names}")
    arrays: Arrays = {}
    if "scores" in parts:
        arrays |= _scored(target, parts["scores"], parts.get("times"), seconds, output)
    if "events" in parts:
        arrays |= _events(target, parts["events"])
    elif output.threshold is not None or output.median_s is not None:
        arrays["scores"] = smoothed(target, arrays, output.median_s)
        decided = _decided(target, arrays, output.threshold)
        arrays |= {name: getattr(decided, name) for name in EVENT}
    return arrays


def _scored(target: Target, raw: Any, times: Any, seconds: float | None, output: Output) -> Arrays:
    """Scores and times of frames, after checks."""
    assert target.detection is not None
    scores = np.asarray(raw)
    classes = len(target.labels)
    if scores.ndim != 2 or scores.dtype.kind not in "biuf" or scores.shape[1] != classes:
        raise ModelError(
            f"{target.id}: scores have shape {scores.shape}, expected (frames, {classes})"
        )
    if not len(scores):
        raise ModelError(f"{target.id}: scores of no frame")
    scores = scores if scores.dtype == np.float32 else scores.astype(np.float64)
    if not np.isfinite(scores).all():
        wrong = int((~np.isfinite(scores)).any(axis=1).sum())
        raise ModelError(f"{target.id}: NaN or infinite scores in {wrong} of {len(scores)} frames")
    if times is None:
        hop = output.hop_s or target.detection.hop_s
        times = np.arange(len(scores) + 1) * hop
    times = np.asarray(times, dtype=np.float64)
    if times.shape != (len(scores) + 1,):
        raise ModelError(
            f"{target.id}: {times.size} times for {len(scores)} frames, expected {len(scores) + 1}"
        )
    if not (np.diff(times) > 0).all():
        raise ModelError(f"{target.id}: times of frames do not ascend")
    if seconds is not None:
        hop = float(times[-1] - times[0]) / len(scores)
        if abs(times[-1] - seconds) > max(SLACK_S, SLACK_FRAMES * hop):
            raise ModelError(
                f"{target.id}: {len(scores)} frames of {hop:g} s end at {times[-1]:g} s, but the"
                f" recording at {seconds:g} s. Is 'hop_s' right?"
            )
    return {"scores": scores, "times": times}


def _events(target: Target, raw: Any) -> Arrays:
    """Onsets, offsets and labels of a list of events, after checks."""
    rows = list(raw)
    onset, offset = np.empty(len(rows)), np.empty(len(rows))
    label = np.empty(len(rows), dtype=np.int64)
    for number, row in enumerate(rows):
        where = f"{target.id}: event {number + 1}"
        try:
            start, end, name = row
            onset[number], offset[number] = float(start), float(end)
        except (TypeError, ValueError):
            raise ModelError(
                f"{where}: expected (onset, offset, label), found {row!r:.60}"
            ) from None
        if name not in target.labels:
            raise ModelError(str(unknown("label", str(name), target.labels, where)))
        label[number] = target.labels.index(name)
        if not (0 <= onset[number] <= offset[number] < np.inf):
            raise ModelError(f"{where}: {onset[number]:g} to {offset[number]:g} s is no event")
    events = EventList(np.zeros(len(rows)), label, onset, offset)
    faults = repeated_events(events) + overlaps(events)
    if faults:
        at, rule = min(faults)
        raise ModelError(f"{target.id}: event {at + 1}: {rule}")
    return {"onset": onset, "offset": offset, "label": label}


def _listed(target: Target, value: Arrays) -> EventList:
    """Events of a recording: those of the model, else those of its scores."""
    if "onset" in value:
        file = np.zeros(len(value["onset"]))
        return EventList(file, value["label"], value["onset"], value["offset"])
    return _decided(target, value, None)


def _within(value: Arrays, duration: float) -> dict[str, np.ndarray]:
    """Scores of the frames that begin in a recording, the last one cut at its end."""
    times = value["times"]
    frames = max(1, int(np.searchsorted(times[:-1], duration, side="left")))
    cut = times[: frames + 1].copy()
    if cut[0] < duration < cut[-1]:
        cut[-1] = duration
    return {**value, "scores": value["scores"][:frames], "times": cut}


def _decided(
    target: Target, value: Arrays, threshold: float | Mapping[str, float] | None
) -> EventList:
    """Events where the score is above the threshold of the class."""
    assert target.detection is not None
    rule = target.detection.threshold if threshold is None else threshold
    scores = FrameScores(value["scores"], value["times"], np.array([len(value["scores"])]))
    return scores.events(np.array([_of(rule, label) for label in target.labels]))


def smoothed(
    target: Target, value: Arrays, median_s: float | Mapping[str, float] | None = None
) -> np.ndarray:
    """Scores after the median filter of each class; edges are repeated."""
    assert target.detection is not None
    from scipy.ndimage import median_filter

    rule = target.detection.median_s if median_s is None else median_s
    scores, times = value["scores"], value["times"]
    hop = float(times[-1] - times[0]) / len(scores)
    smooth_scores = scores
    for number, label in enumerate(target.labels):
        size = 2 * round(_of(rule, label) / hop / 2) + 1
        if size > 1:
            smooth_scores = smooth_scores.copy() if smooth_scores is scores else smooth_scores
            smooth_scores[:, number] = median_filter(scores[:, number], size, mode="nearest")
    return smooth_scores


def _of(rule: float | Mapping[str, float], label: str) -> float:
    return float(rule[label] if isinstance(rule, Mapping) else rule)


KINDS.add("events", Events())
