"""What frame scores give: exact PSDS, best thresholds, curves over the threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...core.errors import ConfigError, DataError
from ...core.registry import unknown
from ...metrics.events.exact_collar import ExactCollar
from ...metrics.events.exact_intersection import ExactIntersection
from ...metrics.events.exact_segment import ExactSegment
from ...metrics.events.horizon import Horizon
from ...metrics.events.lists import EventList
from ...metrics.events.psds import Psds, summary
from ...metrics.events.sweep import SweepPool
from ...metrics.events.threshold_curve import AtThreshold, CountCurve, auroc
from ...samples.event_lists.folders import look
from ...samples.event_lists.frame_scores import EXTENSIONS, NamedScores, read_scores
from .inputs import Inputs
from .settings import EventSettings

#: recordings whose scores are in memory together
CHUNK = 200


@dataclass(frozen=True)
class Exact:
    """Figures with every distinct score a threshold.

    Args:
        psds: name -> PSDS; empty if not asked for
        best: family -> best F of each label, each at its own threshold
        curves: family -> label -> counts at all thresholds
        auroc: area under the ROC of segments of each label; empty if not asked for
    """

    psds: Mapping[str, Psds]
    best: Mapping[str, AtThreshold]
    curves: Mapping[str, Mapping[str, CountCurve]]
    auroc: Mapping[str, float]


def events_and_curves(
    path: Path, inputs: Inputs, settings: EventSettings
) -> tuple[EventList, Exact]:
    """Events above the threshold, and all that needs no threshold.

    Scores are read and counted some recordings at a time, so that memory does not grow with
    their number.

    Args:
        path: file or folder with frame scores
        inputs: recordings, labels and truth
        settings: what is computed

    Raises:
        DataError: for recordings without scores, unknown recordings, and labels that differ
    """
    assert inputs.durations is not None
    sweeps, psds = _pools(inputs, settings)
    detected: list[EventList] = []
    done: set[str] = set()
    place = {file: at for at, file in enumerate(inputs.files)}
    for part in _parts(path, inputs):
        where = np.array([place[file] for file in part.files])
        if repeated := sorted(done & set(part.files)):
            raise DataError(f"--scores {path}: '{repeated[0]}' has scores twice")
        done |= set(part.files)
        truth = _within(inputs.truth, where, len(inputs.files))
        lengths = inputs.durations[where]
        for pool in (*sweeps.values(), *psds.values()):
            if isinstance(pool, ExactCollar):
                pool.add(part.files, truth, part.scores)
            else:
                pool.add(part.files, truth, part.scores, durations=lengths)  # type: ignore[attr-defined]
        events = part.scores.events(settings.threshold)
        detected.append(EventList(where[events.file], events.label, events.onset, events.offset))
    missing = sorted(set(inputs.files) - done)
    if missing:
        raise DataError(f"--scores {path}: no scores of '{missing[0]}' ({len(missing)} missing)")
    return EventList.concatenate(detected), _exact(sweeps, psds, inputs, settings)


def _pools(
    inputs: Inputs, settings: EventSettings
) -> tuple[dict[str, SweepPool], dict[str, ExactIntersection]]:
    assert inputs.durations is not None
    sweeps: dict[str, SweepPool] = {}
    psds = {}
    if "segment_based" in settings.metrics:
        sweeps["segment_based"] = ExactSegment(
            inputs.labels, time_resolution=settings.time_resolution, decimals=settings.decimals
        )
    if "event_based" in settings.metrics:
        sweeps["event_based"] = ExactCollar(
            inputs.labels, settings.collar, decimals=settings.decimals
        )
    if "intersection_based" in settings.metrics:
        sweeps["intersection_based"] = ExactIntersection(
            inputs.labels, settings.f_criteria, overlap="allow"
        )
        for name, scenario in settings.psds.items():
            criteria = scenario.criteria
            if not scenario.alpha_ct:
                criteria = criteria.without_cross_triggers()
            horizon = None
            if scenario.max_efpr is not None:
                horizon = Horizon(scenario.max_efpr, scenario.unit, float(np.sum(inputs.durations)))
            psds[name] = ExactIntersection(
                inputs.labels, criteria, overlap="allow", horizon=horizon
            )
    return sweeps, psds


def _parts(path: Path, inputs: Inputs) -> Iterator[NamedScores]:
    """Scores of some recordings at a time, with complete names and the labels in order."""
    if path.is_dir():
        paths = look(path, EXTENSIONS).parts
        if not paths:
            raise DataError(f"--scores {path}: holds no scores; known: {', '.join(EXTENSIONS)}")
    else:
        paths = [path]
    for start in range(0, len(paths), CHUNK):
        yield _joined([_read(p, inputs) for p in paths[start : start + CHUNK]], inputs)


def _read(path: Path, inputs: Inputs) -> NamedScores:
    try:
        scores = read_scores(path)
    except ConfigError as error:
        # an array without labels or times
        raise DataError(str(error)) from None
    missing = sorted(set(inputs.labels) - set(scores.labels))
    if missing:
        raise DataError(f"{path}: has no column for label '{missing[0]}'")
    more = sorted(set(scores.labels) - set(inputs.labels))
    if more and inputs.unknown_labels == "error":
        message = unknown("label", more[0], inputs.labels, str(path))
        raise DataError(f"{message}; see --event-label-list and --unknown-labels")
    files = tuple(inputs.names.of(file, str(path)) for file in scores.files)
    recordings = set(inputs.files)
    for file in files:
        if file not in recordings:
            raise DataError(str(unknown("recording", file, inputs.files, str(path))))
    return scores._replace(files=files)


def _joined(parts: list[NamedScores], inputs: Inputs) -> NamedScores:
    from ...metrics.events.frames import FrameScores

    files = tuple(file for part in parts for file in part.files)
    values = [
        part.scores.values[:, [part.labels.index(label) for label in inputs.labels]]
        for part in parts
    ]
    scores = FrameScores(
        np.concatenate(values),
        np.concatenate([part.scores.times for part in parts]),
        np.concatenate([part.scores.frames for part in parts]),
    )
    return NamedScores(files, inputs.labels, scores)


def _within(events: EventList, where: np.ndarray, n_files: int) -> EventList:
    """Events of some files, with the codes of these."""
    code = np.full(n_files, -1)
    code[where] = np.arange(len(where))
    inside = events[code[events.file] >= 0]
    return EventList(code[inside.file], inside.label, inside.onset, inside.offset)


def _exact(
    sweeps: Mapping[str, SweepPool],
    psds: Mapping[str, ExactIntersection],
    inputs: Inputs,
    settings: EventSettings,
) -> Exact:
    summaries = {}
    for name, pool in psds.items():
        scenario = settings.psds[name]
        roc = pool.roc(
            alpha_ct=scenario.alpha_ct,
            alpha_st=scenario.alpha_st,
            max_efpr=scenario.max_efpr,
            unit=scenario.unit,
        )
        summaries[name] = summary(roc, scenario)
    curves = {family: pool.curves() for family, pool in sweeps.items()}
    segments = curves.get("segment_based", {})
    return Exact(
        summaries,
        {family: pool.best(beta=settings.beta) for family, pool in sweeps.items()},
        curves,
        {label: auroc(curve) for label, curve in segments.items()},
    )
