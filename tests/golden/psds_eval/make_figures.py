"""Figures of psds_eval for the synthetic scenes, for small scenes, and what it refuses.

Run with an interpreter that has psds_eval 0.5.3 (MIT licence), numpy < 2.3 and pandas < 3::

    python tests/golden/psds_eval/make_figures.py > tests/golden/psds_eval/figures.json

It needs nothing of this repository but ``tests/golden/sound_events/scenes.json``.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import sys
from pathlib import Path

import pandas as pd
from psds_eval import PSDSEval
from psds_eval.psds import PSDSEvalError

SCENES = json.loads((Path(__file__).parents[1] / "sound_events" / "scenes.json").read_text("utf-8"))
COLUMNS = ["filename", "onset", "offset", "event_label"]
LENGTHS = {"a.wav": 10.0, "b.wav": 8.0}
TRUTH = [["a.wav", 1, 3, "dog"], ["a.wav", 5, 6, "dog"], ["b.wav", 2, 4, "cat"]]
#: small scenes: what is annotated, and the estimates of each operating point
SMALL = {
    "one point": (TRUTH, [[["a.wav", 1.5, 3, "dog"], ["b.wav", 2, 2.5, "cat"]]]),
    "touching events": (
        [*TRUTH, ["a.wav", 3, 4, "dog"]],
        [[["a.wav", 1, 2, "dog"], ["a.wav", 2, 3.5, "dog"], ["b.wav", 1, 4, "cat"]]],
    ),
    "cross triggers": (
        TRUTH,
        [[["a.wav", 1, 3, "cat"], ["a.wav", 5, 6, "dog"], ["b.wav", 2.5, 4, "dog"]]],
    ),
    "parts of one event": (
        TRUTH,
        [[["a.wav", 1, 1.5, "dog"], ["a.wav", 2, 2.5, "dog"], ["b.wav", 0, 8, "cat"]]],
    ),
    "exactly half": (TRUTH, [[["a.wav", 1, 2, "dog"], ["b.wav", 3, 5, "cat"]]]),
    "two points": (
        TRUTH,
        [
            [["a.wav", 1, 3, "dog"], ["b.wav", 6, 7, "cat"], ["b.wav", 2, 4, "cat"]],
            [["a.wav", 1, 3, "dog"]],
        ],
    ),
    "no output": (TRUTH, [[]]),
    "one class": (TRUTH[:2], [[["a.wav", 1, 3, "dog"]]]),
    "overlapping truth": (
        [*TRUTH, ["a.wav", 2.5, 4, "dog"]],
        [[["a.wav", 1, 3, "dog"]]],
    ),
    "overlapping estimates": (TRUTH, [[["a.wav", 1, 3, "dog"], ["a.wav", 2, 4, "dog"]]]),
}
ALL = list(range(10))
#: kind, scene, operating points, parameters
CASES = {
    "defaults": ("psds", "town", ALL, {}),
    "cross triggers cost": ("psds", "town", ALL, {"alpha_ct": 1.0}),
    "scenario 1 of DCASE": ("psds", "town", ALL, {"dtc": 0.7, "gtc": 0.7, "alpha_st": 1.0}),
    "scenario 2 of DCASE": (
        "psds",
        "town",
        ALL,
        {"dtc": 0.1, "gtc": 0.1, "cttc": 0.3, "alpha_ct": 0.5, "alpha_st": 1.0},
    ),
    "no limit of false alarms": ("psds", "town", ALL, {"max_efpr": None}),
    "per minute": ("psds", "town", ALL, {"unit": "minute", "max_efpr": 5.0}),
    "per day, strict": ("psds", "town", [1, 4, 8], {"unit": "day", "dtc": 0.9, "max_efpr": 2000.0}),
    "macro F": ("macro_f", "town", [3], {}),
    "macro F, strict": ("macro_f", "town", [4], {"dtc": 0.7, "gtc": 0.7}),
    "macro F 2": ("macro_f", "town", [2], {"beta": 2.0}),
    "macro F without output": ("macro_f", "town", [9], {}),
    "chosen points": (
        "select_ops",
        "town",
        ALL,
        {
            "alpha_ct": 1.0,
            "constraints": [
                ["dog", "tpr", 0.3],
                ["dog", "fpr", 60.0],
                ["alarm", "efpr", 80.0],
                ["speech", "fscore", 0.0],
                ["water", "tpr", 0.99],
            ],
        },
    ),
    **{f"small: {name}": ("psds", name, None, {}) for name in SMALL},
    "small macro F": ("macro_f", "cross triggers", None, {}),
}


def plain(value: object) -> object:
    """What JSON can hold: NaN becomes a word, numbers of numpy become numbers."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        each = value.tolist() if hasattr(value, "tolist") else value
        return [plain(one) for one in each] if isinstance(each, (list, tuple)) else plain(each)
    if value is None or isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return "NaN" if math.isnan(number) else number


def frame(rows: list) -> pd.DataFrame:
    """A table of events."""
    types = {"filename": object, "onset": float, "offset": float, "event_label": object}
    return pd.DataFrame(rows, columns=COLUMNS).astype(types)


def evaluation(scene: dict, options: dict) -> PSDSEval:
    """An evaluation of psds_eval; takes its options out of ``options``."""
    lengths = pd.DataFrame(scene["durations"].items(), columns=["filename", "duration"])
    return PSDSEval(
        ground_truth=frame(scene["truth"]),
        metadata=lengths,
        dtc_threshold=options.pop("dtc", 0.5),
        gtc_threshold=options.pop("gtc", 0.5),
        cttc_threshold=options.pop("cttc", 0.3),
        duration_unit=options.pop("unit", "hour"),
    )


def figures(kind: str, scene: dict, points: list, options: dict) -> dict:
    """All figures of one case."""
    options = dict(options)
    found = evaluation(scene, options)
    tables = [frame(scene["points"][number]) for number in points]
    if kind == "macro_f":
        macro, classes = found.compute_macro_f_score(tables[0], **options)
        return {"macro_f": macro, "per_class": classes}
    for number, table in enumerate(tables):
        found.add_operating_point(table, info={"number": number})
    if kind == "select_ops":
        columns = ["class_name", "constraint", "value"]
        wanted = pd.DataFrame(options.pop("constraints"), columns=columns)
        rows = found.select_operating_points_per_class(wanted, **options)
        names = ["TPR", "FPR", "eFPR", "Fscore"]
        return {"rows": rows[names].to_dict("records")}
    return psds(found, options)


def named(names: list[str], values: object) -> dict:
    """Values by name, in the order of the names."""
    return dict(zip(names, list(values), strict=True))  # type: ignore[call-overload]


def psds(found: PSDSEval, options: dict) -> dict:
    """The score, its curve, and the counts and rates of each operating point."""
    names = sorted(set(found.class_names) - {"injected_psds_world_label"})
    result = found.psds(**{"max_efpr": 100.0, **options})
    points = found.operating_points
    points = points[points["id"] != ""].sort_values("number")
    rates = [
        {
            "counts": named(names, [named([*names, "WORLD"], line) for line in row.counts[:-1]]),
            "tpr": named(names, row.tpr),
            "fpr": named(names, row.fpr),
            "ctr": named(names, [named(names, line) for line in row.ctr]),
        }
        for row in points.itertuples()
    ]
    curve = {"xp": result.plt.xp, "etpr": result.plt.yp}
    if not all(map(math.isfinite, result.plt.xp)):
        curve = {}  # one class has no curve there
    return {"psds": result.value, "classes": names, **curve, "ops": rates}


def main() -> None:
    """Write the cases as JSON to standard output."""
    small = {
        name: {"durations": LENGTHS, "truth": truth, "points": points}
        for name, (truth, points) in SMALL.items()
    }
    scenes = {**SCENES, **small}
    cases = []
    for name, (kind, scene, chosen, options) in CASES.items():
        data = scenes[scene]
        points = list(range(len(data["points"]))) if chosen is None else chosen
        case = {"id": name, "kind": kind, "scene": scene, "points": points, "options": options}
        try:
            found = {"figures": plain(figures(kind, data, points, options))}
        except PSDSEvalError as error:
            found = {"refused": str(error)}
        cases.append({**case, **found})
    version = importlib.metadata.version("psds_eval")
    content = {"made_by": f"psds_eval {version}", "scenes": small, "cases": cases}
    json.dump(content, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
