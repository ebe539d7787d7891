"""Times sed_eval, psds_eval and sed_scores_eval; a script of its own, for another interpreter.

It imports nothing of this package, and measures what it finds installed. Standard output is JSON:
case -> seconds on the processor and value.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def main(path: str) -> None:
    """Measure on the scenes of a file that :mod:`common.cli.bench.events` wrote."""
    data = dict(np.load(path))
    measurements: dict[str, tuple[float, float]] = {}
    for prepare in (_sed_eval, _psds_eval, _sed_scores_eval):
        try:
            cases = prepare(data)
        except ImportError:
            continue
        for name, case in cases.items():
            start = time.process_time()
            value = case()
            measurements[name] = (time.process_time() - start, float(value))
    sys.stdout.write(json.dumps(measurements))


def _events(data: dict[str, Any], name: str) -> list[tuple[str, float, float, str]]:
    files, labels = data["files"], data["labels"]
    return [
        (str(files[file]), float(onset), float(offset), str(labels[label]))
        for file, label, onset, offset in zip(
            *(data[f"{name}_{part}"] for part in ("file", "label", "onset", "offset")), strict=True
        )
    ]


def _sed_eval(data: dict[str, Any]) -> dict[str, Callable[[], float]]:
    import sed_eval  # type: ignore[import-not-found, unused-ignore]

    labels = [str(label) for label in data["labels"]]
    lists = []
    for name in ("truth", *(f"list{number}" for number in range(int(data["lists"])))):
        by_file: dict[str, list[dict[str, Any]]] = {str(file): [] for file in data["files"]}
        for file, onset, offset, label in _events(data, name):
            by_file[file].append(
                {"file": file, "event_onset": onset, "event_offset": offset, "event_label": label}
            )
        lists.append(by_file)
    truth, *points = lists
    one = points[len(points) // 2]

    def segment(prediction: dict[str, list[dict[str, Any]]] = one) -> float:
        metrics = sed_eval.sound_event.SegmentBasedMetrics(labels, time_resolution=1.0)
        for file, duration in zip(truth, data["durations"], strict=True):
            metrics.evaluate(truth[file], prediction[file], evaluated_length_seconds=duration)
        return float(metrics.results()["overall"]["error_rate"]["error_rate"])

    def event(prediction: dict[str, list[dict[str, Any]]] = one) -> float:
        metrics = sed_eval.sound_event.EventBasedMetrics(
            labels,
            t_collar=0.2,
            percentage_of_length=0.2,
            empty_system_output_handling="zero_score",
        )
        for file in truth:
            metrics.evaluate(truth[file], prediction[file])
        return float(metrics.results()["class_wise_average"]["f_measure"]["f_measure"])

    return {
        "segment": segment,
        "event": event,
        "segment 50 points": lambda: float(np.mean([segment(point) for point in points])),
        "event 50 points": lambda: float(np.mean([event(point) for point in points])),
    }


def _psds_eval(data: dict[str, Any]) -> dict[str, Callable[[], float]]:
    import pandas as pd
    from psds_eval import PSDSEval  # type: ignore[import-not-found, unused-ignore]

    columns = ["filename", "onset", "offset", "event_label"]
    truth = pd.DataFrame(_events(data, "truth"), columns=columns)
    metadata = pd.DataFrame({"filename": data["files"], "duration": data["durations"]})
    tables = [
        pd.DataFrame(_events(data, f"list{number}"), columns=columns).astype(
            {"onset": float, "offset": float}
        )
        for number in range(int(data["lists"]))
    ]

    def points() -> float:
        evaluation = PSDSEval(0.1, 0.1, 0.3, ground_truth=truth, metadata=metadata)
        for number, table in enumerate(tables):
            evaluation.add_operating_point(table, info={"number": number})
        return float(evaluation.psds(0.5, 1.0, 100.0).value)

    return {"psds 50 points": points}


def _sed_scores_eval(data: dict[str, Any]) -> dict[str, Callable[[], float]]:
    from sed_scores_eval import (  # type: ignore[import-not-found, unused-ignore]
        intersection_based,
    )
    from sed_scores_eval.base_modules.scores import (  # type: ignore[import-not-found, unused-ignore]
        create_score_dataframe,
    )

    files, labels = [str(f) for f in data["files"]], [str(label) for label in data["labels"]]
    n_frames = len(data["times"]) - 1
    scores = {
        file: create_score_dataframe(
            data["values"][at * n_frames : (at + 1) * n_frames],
            timestamps=data["times"],
            event_classes=labels,
        )
        for at, file in enumerate(files)
    }
    truth: dict[str, list[tuple[float, float, str]]] = {file: [] for file in files}
    for file, onset, offset, label in _events(data, "truth"):
        truth[file].append((onset, offset, label))
    durations = dict(zip(files, data["durations"].tolist(), strict=True))

    def psds(**settings: Any) -> float:
        options = {"alpha_st": 1.0, "max_efpr": 100.0, **settings}
        return float(intersection_based.psds(scores, truth, durations, **options)[0])

    return {
        "exact psds 1": lambda: psds(dtc_threshold=0.7, gtc_threshold=0.7),
        "exact psds 2": lambda: psds(
            dtc_threshold=0.1, gtc_threshold=0.1, cttc_threshold=0.3, alpha_ct=0.5
        ),
    }


if __name__ == "__main__":
    main(sys.argv[1])
