"""How long sound event metrics take on one core, beside the tools that they replace.

The scenes are as large as the evaluation set of DCASE 2019 task 4 (1,168 recordings of 10 s, 10
labels). The peers sed_eval, psds_eval and sed_scores_eval are optional: they are measured on the
same data in the same run by an interpreter that can import them, which may be another one, as
they do not run on current versions of numpy and pandas.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BenchmarkError
from ...metrics.events.criteria import Criteria
from ...metrics.events.event_based import EventBased
from ...metrics.events.exact_intersection import ExactIntersection
from ...metrics.events.frames import FrameScores
from ...metrics.events.horizon import Horizon
from ...metrics.events.lists import EventList, merged
from ...metrics.events.presets import DCASE_TASK4_THRESHOLDS, PSDS
from ...metrics.events.psds import psds_of_events, psds_of_scores
from ...metrics.events.roc import psds_of_roc
from ...metrics.events.segment_based import SegmentBased
from .usage import peak_mb

#: environment variable with the interpreter that has the peers
PEERS = "SED_PEERS_PYTHON"
#: measured case -> how many times faster than its peer it must be
TIMES = {
    "segment": 20,
    "event": 20,
    "segment 50 points": 20,
    "event 50 points": 20,
    "psds 50 points": 10,
    "exact psds 1": 5,
    "exact psds 2": 5,
}
#: seconds of the peers as others measured them on similar scenes and another machine: what there
#: is to compare with where they cannot be installed
STATED = {
    "segment": 0.40,
    "event": 0.55,
    "segment 50 points": 18.8,
    "event 50 points": 24.7,
    "psds 50 points": 1.5,
    "exact psds 1": 1.0,
    "exact psds 2": 3.6,
}
#: files, labels, frames per file and files at a time of the large case
LARGE = (11_680, 407, 100, 200)
DURATION_S = 10.0
#: frames over which the noise of scores is averaged
SMOOTH = 9


class RandomScenes(NamedTuple):
    """Random scenes with scores that mostly find their events.

    Args:
        files: names of recordings
        labels: names of labels
        truth: annotated events
        scores: frame scores
        durations: length of each recording in s
    """

    files: list[str]
    labels: list[str]
    truth: EventList
    scores: FrameScores
    durations: np.ndarray


def scenes(
    n_files: int, n_labels: int, n_frames: int, seed: int, *, first: int = 0
) -> RandomScenes:
    """Random scenes of 10 s.

    Args:
        n_files: number of recordings
        n_labels: number of labels
        n_frames: frames per recording
        seed: seed of the random numbers
        first: number of the first recording, for its name
    """
    rng = np.random.default_rng(seed)
    count = 4 * n_files
    onset = np.round(rng.uniform(0, 0.9 * DURATION_S, count), 3)
    length = np.round(rng.uniform(0.2, 4.0, count), 3)
    truth = merged(
        EventList(
            rng.integers(0, n_files, count),
            # few labels are frequent, as in real scenes
            (rng.random(count) ** 2 * n_labels).astype(np.int64),
            onset,
            np.minimum(onset + length, DURATION_S),
        )
    )
    times = np.linspace(0, DURATION_S, n_frames + 1)
    noise = rng.standard_normal((n_files, n_frames + SMOOTH, n_labels), dtype=np.float32)
    noise = np.cumsum(noise, axis=1)
    noise = (noise[:, SMOOTH:] - noise[:, :-SMOOTH]).reshape(n_files * n_frames, n_labels)
    values = 1.2 * noise / np.sqrt(SMOOTH) - 4.5
    begin = truth.file * n_frames + np.searchsorted(times, truth.onset, side="right") - 1
    end = truth.file * n_frames + np.searchsorted(times, truth.offset)
    strength = rng.normal(4.5, 1.5, len(truth))
    for start, stop, label, more in zip(begin, end, truth.label, strength, strict=True):
        values[start:stop, label] += more
    scores = FrameScores(
        1 / (1 + np.exp(-values.astype(np.float64))),
        np.tile(times, n_files),
        np.full(n_files, n_frames),
    )
    names = [f"scene{number:05d}.wav" for number in range(first, first + n_files)]
    labels = [f"label{number:03d}" for number in range(n_labels)]
    return RandomScenes(names, labels, truth, scores, np.full(n_files, DURATION_S))


def bench_events(*, peers: str | None = None, large: bool = False) -> dict[str, Any]:
    """Seconds of each case, and how many times faster it is than its peer.

    Args:
        peers: interpreter that can import the peers; None: the one that the environment
            variable :data:`PEERS` names, else this one
        large: whether the case with 11,680 recordings and 407 labels runs, too; takes minutes

    Returns:
        name of the figure -> its value
    """
    data = scenes(1168, 10, 156, seed=0)
    lists = [data.scores.events(threshold) for threshold in DCASE_TASK4_THRESHOLDS]
    cases = _cases(data, lists)
    figures: dict[str, Any] = {name: _seconds(case) for name, case in cases.items()}
    figures["all cases: processor time"] = sum(figures.values())
    theirs = _peers(data, lists, peers or os.environ.get(PEERS) or sys.executable)
    for name in cases:
        if name not in theirs:
            figures[f"{name}: peer, not measured here but stated"] = STATED[name]
    for name, (seconds, value) in theirs.items():
        figures[f"{name}: peer"] = seconds
        figures[f"{name}: times faster"] = round(seconds / figures[name], 1)
        figures[f"{name}: asked"] = TIMES[name]
        figures[f"{name}: difference"] = f"{abs(value - cases[name]()):.1e}"
    if large:
        figures |= _large()
    return figures


def _cases(data: RandomScenes, lists: Sequence[EventList]) -> dict[str, Callable[[], float]]:
    one = lists[len(lists) // 2]

    def segment(events: EventList = one) -> float:
        pool = SegmentBased(data.labels, time_resolution=1.0)
        pool.add(data.files, data.truth, events, lengths=data.durations)
        return pool.scores(zero_score=False).overall["error_rate"]["error_rate"]

    def event(events: EventList = one) -> float:
        pool = EventBased(data.labels, t_collar=0.2, percentage_of_length=0.2)
        pool.add(data.files, data.truth, events)
        return pool.scores().class_wise_average["f_measure"]["f_measure"]

    def points() -> float:
        return psds_of_events(
            data.files,
            data.labels,
            data.truth,
            lists,
            durations=data.durations,
            settings=PSDS["dcase-task4-2"],
        ).value

    def exact(name: str) -> float:
        settings = PSDS[name]._replace(criteria=PSDS[name].criteria.rounded(6))
        return psds_of_scores(
            data.files,
            data.labels,
            data.truth,
            data.scores,
            durations=data.durations,
            settings=settings,
        ).value

    return {
        "segment": segment,
        "event": event,
        "segment 50 points": lambda: float(np.mean([segment(events) for events in lists])),
        "event 50 points": lambda: float(np.mean([event(events) for events in lists])),
        "psds 50 points": points,
        "exact psds 1": lambda: exact("dcase-task4-1"),
        "exact psds 2": lambda: exact("dcase-task4-2"),
    }


def _seconds(case: Callable[[], Any], repetitions: int = 5) -> float:
    """Shortest time on the processor, which other programs on the machine disturb least."""
    best = np.inf
    for _ in range(repetitions):
        start = time.process_time()
        case()
        best = min(best, time.process_time() - start)
    return float(best)


def _peers(
    data: RandomScenes, lists: Sequence[EventList], python: str
) -> dict[str, tuple[float, float]]:
    """Case -> seconds and value of the peer, for the peers that the interpreter can import."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenes.npz"
        arrays = {f"truth_{name}": getattr(data.truth, name) for name in EVENT}
        for number, events in enumerate(lists):
            arrays |= {f"list{number}_{name}": getattr(events, name) for name in EVENT}
        np.savez(
            path,
            files=np.array(data.files),
            labels=np.array(data.labels),
            durations=data.durations,
            values=data.scores.values,
            times=data.scores.times[: int(data.scores.frames[0]) + 1],
            lists=len(lists),
            **arrays,
        )
        script = Path(__file__).with_name("event_peers.py")
        done = subprocess.run(
            [python, "-W", "ignore", str(script), str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise BenchmarkError(f"bench events: {python}: {lines[-1]}")
    return {name: (pair[0], pair[1]) for name, pair in json.loads(done.stdout).items()}


EVENT = ("file", "label", "onset", "offset")


def _large() -> dict[str, Any]:
    """Time and memory of exact PSDS, scenario 2, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(large_case)


def large_case() -> dict[str, Any]:
    """Exact PSDS of 11,680 recordings and 407 labels, scenes made part by part.

    Returns:
        seconds without making the scenes, value, and peak memory of the process
    """
    n_files, n_labels, n_frames, step = LARGE
    settings = PSDS["dcase-task4-2"]
    criteria: Criteria = settings.criteria.rounded(6)
    horizon = Horizon(settings.max_efpr or 0.0, settings.unit, n_files * DURATION_S)
    labels = [f"label{number:03d}" for number in range(n_labels)]
    pool = ExactIntersection(labels, criteria, horizon=horizon)
    seconds = 0.0
    for first in range(0, n_files, step):
        data = scenes(min(step, n_files - first), n_labels, n_frames, first, first=first)
        start = time.process_time()
        pool.add(data.files, data.truth, data.scores, durations=data.durations)
        seconds += time.process_time() - start
    start = time.process_time()
    roc = pool.roc(
        alpha_ct=settings.alpha_ct,
        alpha_st=settings.alpha_st,
        max_efpr=settings.max_efpr,
        unit=settings.unit,
    )
    value = psds_of_roc(roc, settings.max_efpr)
    return {
        "large": seconds + time.process_time() - start,
        "large: psds": f"{value:.6f}",
        "large: peak memory in GB": round(peak_mb() / 1000, 2),
    }
