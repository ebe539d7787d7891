"""Figures of sed_eval for the synthetic scenes and for event lists in its text formats.

Run with an interpreter that has sed_eval 0.2.1 (MIT licence), numpy < 2.3 and pandas < 3::

    python tests/golden/sed_eval/make_figures.py > tests/golden/sed_eval/figures.json

It needs nothing of this repository but ``tests/golden/sound_events/scenes.json``.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import sys
import tempfile
from pathlib import Path

import dcase_util
import sed_eval

SCENES = json.loads((Path(__file__).parents[1] / "sound_events" / "scenes.json").read_text("utf-8"))
#: kind, scene, operating point, and the parameters in the words of sed_eval
CASES = {
    "segment 1 s": ("segment", "town", 3, {}),
    "segment 1 s, lengths": ("segment", "town", 3, {"lengths": True}),
    "segment 0.1 s": ("segment", "town", 5, {"time_resolution": 0.1}),
    "segment, zero for a missed class": (
        "segment",
        "town",
        7,
        {"time_resolution": 0.5, "lengths": True, "zero_score": True},
    ),
    "segment, no output": ("segment", "town", 9, {}),
    "segment, overlapping events": (
        "segment",
        "crowded",
        0,
        {"time_resolution": 0.1, "labels": ["alarm", "dog", "speech", "water", "whistle"]},
    ),
    "segment, nothing annotated": ("segment", "no truth", 0, {}),
    "event 200 ms": ("event", "town", 3, {}),
    "event 250 ms": ("event", "town", 2, {"t_collar": 0.25}),
    "event 250 ms, onset": ("event", "town", 2, {"t_collar": 0.25, "evaluate_offset": False}),
    "event 200 ms, offset": ("event", "town", 2, {"evaluate_onset": False}),
    "event of DCASE task 4": (
        "event",
        "town",
        4,
        {"percentage_of_length": 0.2, "zero_score": True},
    ),
    "event, some classes": ("event", "town", 2, {"labels": ["alarm", "water"]}),
    "event, no output": ("event", "town", 9, {"zero_score": True}),
    "event, nothing annotated": ("event", "no truth", 0, {}),
    "event, overlapping events": ("event", "crowded", 0, {"t_collar": 0.25}),
    "event, just within reach": ("event", "edge", 0, {"t_collar": 0.25}),
    "event, overlapping, onset": ("event", "crowded", 0, {"evaluate_offset": False}),
    "event, overlapping, greedy": ("event", "crowded", 0, {"t_collar": 0.25, "matching": "greedy"}),
    "event, greedy": ("event", "town", 1, {"t_collar": 0.25, "matching": "greedy"}),
    "event, chain": ("event", "chain", 0, {"evaluate_offset": False, "t_collar": 0.25}),
    "event, chain, greedy": (
        "event",
        "chain",
        0,
        {"evaluate_offset": False, "t_collar": 0.25, "matching": "greedy"},
    ),
}
#: the second estimate fits both references, the first only the first
CHAIN = {
    "durations": {"a.wav": 4.0},
    "truth": [["a.wav", 1.0, 2.0, "dog"], ["a.wav", 1.4, 2.4, "dog"]],
    "points": [[["a.wav", 1.2, 2.0, "dog"], ["a.wav", 0.8, 2.0, "dog"]]],
}
#: limits that differ by the collar, by half of the length, and by a little more
EDGE = {
    "durations": {"a.wav": 40.0},
    "truth": [["a.wav", 10.0 * n, 10.0 * n + 4, "dog"] for n in range(4)],
    "points": [
        [
            ["a.wav", 0.25, 4.0, "dog"],
            ["a.wav", 10.0, 16.0, "dog"],
            ["a.wav", 20.2505, 24.0, "dog"],
            ["a.wav", 30.0, 36.0005, "dog"],
        ]
    ],
}
NO_TRUTH = {
    "durations": {"a.wav": 4.0, "b.wav": 3.0},
    "truth": [],
    "points": [[["a.wav", 0.5, 2.0, "dog"]]],
    "labels": ["dog", "speech"],
}
LISTS = {
    "onset, offset, label": "0.5\t1.25\tdog\n2\t3.5\ta running engine\n",
    "with a header-like blank line": "0.5\t1.25\tdog\n\n2.0\t3.5\tspeech\n",
    "file, onset, offset, label": "a.wav\t0.5\t1.25\tdog\nb.wav\t0\t0.25\tspeech\n",
    "file, scene, onset, offset, label": "a.wav\tstreet\t0.5\t1.25\tdog\n",
    "commas": "0.5,1.25,dog\n2,3.5,speech\n",
    "semicolons": "a.wav;0.5;1.25;dog\n",
    "empty": "",
}


def plain(value: object) -> object:
    """What JSON can hold: NaN becomes a word, numbers of numpy become numbers."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    number = float(value)  # type: ignore[arg-type]
    return "NaN" if math.isnan(number) else number


def events(rows: list, file: str) -> dcase_util.containers.MetaDataContainer:
    """The events of one recording in the containers of sed_eval."""
    return dcase_util.containers.MetaDataContainer(
        [
            {"filename": name, "onset": onset, "offset": offset, "event_label": label}
            for name, onset, offset, label in rows
            if name == file
        ]
    )


def figures(kind: str, scene: dict, point: int, labels: list, options: dict) -> dict:
    """All figures of one estimate."""
    options = dict(options)
    lengths = options.pop("lengths", False)
    empty = "zero_score" if options.pop("zero_score", False) else None
    words = {}
    if "matching" in options:
        words["event_matching_type"] = options.pop("matching")
    owner = sed_eval.sound_event
    make = owner.SegmentBasedMetrics if kind == "segment" else owner.EventBasedMetrics
    if kind == "event":
        words["t_collar"] = options.pop("t_collar", 0.2)
        words["percentage_of_length"] = options.pop("percentage_of_length", 0.5)
    metrics = make(labels, **words, **options)
    metrics.empty_system_output_handling = empty
    for file, length_s in scene["durations"].items():
        lists = (events(scene["truth"], file), events(scene["points"][point], file))
        if kind == "segment" and lengths:
            metrics.evaluate(*lists, evaluated_length_seconds=length_s)
        else:
            metrics.evaluate(*lists)
    found = {
        "overall": metrics.results_overall_metrics(),
        "class_wise": metrics.results_class_wise_metrics(),
        "class_wise_average": metrics.results_class_wise_average_metrics(),
    }
    # counts stand elsewhere
    names = ("Ntp", "Nfp", "Nfn", "Nref", "Nsys")
    names += ("Ntn", "S", "D", "I") if kind == "segment" else ("Nsubs",)
    found["overall"]["count"] = {n: metrics.overall[n] for n in names if n in metrics.overall}
    for label in labels:
        counts = metrics.class_wise[label]
        found["class_wise"][label]["count"] = {n: counts[n] for n in names if n in counts}
    return plain(found)  # type: ignore[return-value]


def read(text: str) -> list:
    """Rows of an event list as sed_eval reads it: file, onset, offset, label."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list.txt"
        path.write_text(text, "utf-8")
        rows = sed_eval.io.load_event_list(str(path))
    return [[row.filename, row.onset, row.offset, row.event_label] for row in rows]


def main() -> None:
    """Write the cases as JSON to standard output."""
    small = {"chain": CHAIN, "edge": EDGE, "no truth": NO_TRUTH}
    scenes = {**SCENES, **small}
    cases = []
    for name, (kind, scene, point, given) in CASES.items():
        options = dict(given)
        data = scenes[scene]
        known = data.get("labels") or sorted({row[3] for row in data["truth"]})
        labels = options.pop("labels", known)
        case = {"id": name, "kind": kind, "scene": scene, "point": point, "labels": labels}
        found = figures(kind, data, point, labels, options)
        cases.append({**case, "options": options, "figures": found})
    content = {
        "made_by": f"sed_eval {importlib.metadata.version('sed_eval')}",
        "scenes": small,
        "cases": cases,
        "lists": {name: {"text": text, "rows": read(text)} for name, text in LISTS.items()},
    }
    json.dump(content, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
