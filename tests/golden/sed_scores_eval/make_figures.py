"""Figures of sed_scores_eval for the frame scores of the synthetic scenes.

Run with an interpreter that has sed_scores_eval 0.0.4 (MIT licence), numpy < 2.3 and pandas < 3::

    python tests/golden/sed_scores_eval/make_figures.py > tests/golden/sed_scores_eval/figures.json

It needs nothing of this repository but ``tests/golden/sound_events/scenes.json``.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import sys
from pathlib import Path

import numpy as np
from sed_scores_eval import collar_based, intersection_based, segment_based
from sed_scores_eval.base_modules.scores import create_score_dataframe

SCENES = json.loads((Path(__file__).parents[1] / "sound_events" / "scenes.json").read_text("utf-8"))
FRAMES = SCENES["frames"]
#: metric, and the parameters in the words of the adapter
CASES = {
    "psds": ("psds", {"dtc": 0.5, "gtc": 0.5}),
    "scenario 1 of DCASE": ("psds", {"dtc": 0.7, "gtc": 0.7, "alpha_st": 1.0}),
    "scenario 2 of DCASE": (
        "psds",
        {"dtc": 0.1, "gtc": 0.1, "cttc": 0.3, "alpha_ct": 0.5, "alpha_st": 1.0},
    ),
    "psds per minute": ("psds", {"dtc": 0.3, "gtc": 0.3, "unit": "minute", "max_efpr": 5.0}),
    "collar F": ("collar_f", {"threshold": 0.5}),
    "collar F, wide": (
        "collar_f",
        {"threshold": 0.42, "t_collar": 0.5, "percentage_of_length": 0.5},
    ),
    "best collar F": ("collar_best_f", {}),
    "best collar F 2": ("collar_best_f", {"beta": 2.0, "percentage_of_length": 0.5}),
    "segment F": ("segment_f", {"threshold": 0.5}),
    "segment F, half a second": ("segment_f", {"threshold": 0.3, "time_resolution": 0.5}),
    "best segment F": ("segment_best_f", {}),
    "best segment F, half a second": ("segment_best_f", {"time_resolution": 0.5}),
}


def plain(value: object) -> object:
    """What JSON can hold: NaN becomes a word, numbers of numpy become numbers."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    number = float(value)  # type: ignore[arg-type]
    return "NaN" if math.isnan(number) else number


def inputs() -> tuple[dict, dict, dict]:
    """Scores, truth and durations in the forms of sed_scores_eval."""
    scores = {}
    for file, table in FRAMES["scores"].items():
        limits = np.arange(len(table) + 1) * SCENES["frame_s"]
        scores[file] = create_score_dataframe(np.array(table), limits, FRAMES["labels"])
    truth: dict = {file: [] for file in scores}
    for file, onset, offset, label in FRAMES["truth"]:
        truth[file].append((onset, offset, label))
    return scores, truth, FRAMES["durations"]


def figures(metric: str, options: dict) -> dict:
    """The figures of one case, in the words of the adapter."""
    scores, truth, durations = inputs()
    options = dict(options)
    if metric == "psds":
        value, classes, *_ = intersection_based.psds(
            scores,
            truth,
            durations,
            dtc_threshold=options.pop("dtc"),
            gtc_threshold=options.pop("gtc"),
            cttc_threshold=options.pop("cttc", None),
            unit_of_time=options.pop("unit", "hour"),
            **options,
        )
        return {"psds": value, "per_class": classes}
    best = metric.endswith("best_f")
    if metric.startswith("collar"):
        collar = options.pop("t_collar", 0.2)
        share = options.pop("percentage_of_length", 0.2)
        words = {"onset_collar": collar, "offset_collar": collar, "offset_collar_rate": share}
        function = collar_based.best_fscore if best else collar_based.fscore
        given = (scores, truth)
    else:
        words = {"segment_length": options.pop("time_resolution", 1.0)}
        function = segment_based.best_fscore if best else segment_based.fscore
        given = (scores, truth, durations)
    found = dict(function(*given, **options, **words)[0])
    found.pop("micro_average", None)
    return {"macro": found.pop("macro_average"), "per_class": found}


def main() -> None:
    """Write the cases as JSON to standard output."""
    cases = [
        {
            "id": name,
            "metric": metric,
            "options": options,
            "figures": plain(figures(metric, options)),
        }
        for name, (metric, options) in CASES.items()
    ]
    version = importlib.metadata.version("sed_scores_eval")
    json.dump(
        {"made_by": f"sed_scores_eval {version}", "cases": cases}, sys.stdout, separators=(",", ":")
    )
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
