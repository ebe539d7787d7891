"""What pages of models show of sound events: tables, curves, timelines, operating points.

All of it was written by the run, see :mod:`common.figures.details` and
:mod:`common.pages.listening.scenes`. The page is complete without a script; with one there is a line
that follows the sound, and a threshold can be chosen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from benchmark_site.content import Content
from benchmark_site.media import FOLDER
from benchmark_site.naming import metric_names
from benchmark_site.page import Page, anchor
from benchmark_site.render import render
from benchmark_site.sources import Model
from common.core import display
from common.figures.details import FORMAT, PREFIX

#: figure -> heading of its column
FIGURES = {"f": "F", "p": "P", "r": "R", "er": "ER"}
#: thresholds that are told without a script
TOLD = 9
#: classes whose F each have a column there
COLUMNS = 12
TITLES = {
    "segment": "Segment-based",
    "event": "Event-based",
    "intersection": "Intersection-based",
}
#: what an event in green is, by the way to count
PARTNERS = {
    "segment": "it meets an event of its class",
    "event": "it was matched with an event of its class whose times fit",
    "intersection": "enough of it is covered by events of its class",
}


def of_model(content: Content, page: Page, target: str, model: Model, test: str) -> Markup:
    """Details of a model in a test, dataset by dataset; empty if it has none."""
    folder = content.paths.figures(target, model.id, test)
    index = _index(content.paths.media / target / "scenes.json")
    parts = []
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        details = _read(path)
        if details is not None:
            about = {
                "label": content.dataset(details["dataset"]),
                "test": content.tests[test].title,
            }
            parts.append({**_part(page, details, index.get(details["dataset"], {}), test), **about})
    # finished HTML: its texts were escaped by the template
    return Markup(render("events.j2", parts=parts)) if parts else Markup()


def timed(content: Content, target: str, model: Model, test: str) -> frozenset[str]:
    """Names of the data of which the page of a model has timelines in a test."""
    names = content.paths.figures(target, model.id, test).glob(f"{PREFIX}*.json")
    return frozenset(path.stem.removeprefix(PREFIX) for path in names)


def timelines(test: str, data: str) -> str:
    """Anchor of the timelines of a test on some data, on the page of the model."""
    return anchor("timelines", test, data)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        details: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return details if details["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _index(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text("utf-8"))["datasets"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _part(page: Page, details: Mapping[str, Any], sounds: Mapping[str, Any], test: str) -> Any:
    name = anchor(test, details["data"])
    labels = details["labels"]
    families = [
        {
            "name": TITLES[family],
            "settings": ", ".join(f"{key} {value:g}" for key, value in each["params"].items()),
            "table": class_table(each["rows"]),
            "picker": _picker(f"{name}--{family}", each["picker"], labels),
        }
        for family, each in details["families"].items()
    ]
    first = next(iter(details["families"]), "")
    return {
        "place": timelines(test, details["data"]),
        "data": details["data"],
        "recordings": len(details["files"]),
        "families": families,
        "rocs": [_roc(metric, roc, labels) for metric, roc in details["rocs"].items()],
        "confusion": _confusion(details.get("confusion"), labels),
        "scenes": sorted(
            (_scene(page, scene, labels, sounds) for scene in details["scenes"]),
            key=lambda scene: scene["found"] - scene["annotated"] - scene["false"],
        ),
        "partner": PARTNERS.get(first, ""),
        "silent": sounds.get("silent", "The recordings were not made ready by a run."),
        "license": sounds.get("license", ""),
    }


def number(value: float | None, digits: int = 3) -> str:
    """A figure as text; a dash where it is not defined.

    >>> number(0.12349), number(None)
    ('0.123', '–')
    """
    return "–" if value is None else display.number(value, digits=digits)


def class_table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Lines of the table of classes: figures with intervals, then counts."""
    columns = [name for name in FIGURES if name in rows[0]]
    lines = []
    for row in rows:
        figures = []
        for name in columns:
            value, low, high = row[name]
            interval = "" if value is None else f"{number(low, 2)} to {number(high, 2)}"
            figures.append({"text": number(value), "interval": interval})
        counts = [row[name] for name in ("ref", "tp", "fp", "fn")]
        lines.append({"label": row["label"], "figures": figures, "counts": counts})
    return {"columns": [FIGURES[name] for name in columns], "lines": lines}


def _roc(metric: str, roc: Mapping[str, Any], labels: Sequence[str]) -> dict[str, Any]:
    """A PSD-ROC at a few rates, and the area of each class."""
    indices = roc["told"]

    def line(label: str, values: Sequence[float], area: float | None) -> dict[str, Any]:
        return {
            "label": label,
            "area": number(area),
            "cells": [number(values[at]) for at in indices],
        }

    areas = dict(zip(labels, roc["areas"], strict=True))
    lines = [line(label, values, areas[label]) for label, values in roc["classes"].items()]
    mean, std = roc["mean"], roc["std"]
    return {
        "title": metric_names(metric)[0],
        "unit": roc["unit"],
        "rates": [f"{roc['x'][at]:g}" for at in indices],
        "lines": lines,
        "summary": [
            line("mean", mean, None),
            line("standard deviation", std, None),
            line("eTPR", roc["etpr"], roc["psds"]),
        ],
        "alpha_st": f"{roc['alpha_st']:g}",
        "settings": f"DTC {roc['dtc']:g}, GTC {roc['gtc']:g}"
        + ("" if roc["cttc"] is None else f", CTTC {roc['cttc']:g}")
        + f", weight of cross triggers {roc['alpha_ct']:g}",
    }


def _confusion(matrix: Mapping[str, Any] | None, labels: Sequence[str]) -> dict[str, Any] | None:
    if matrix is None:
        return None
    lines = [
        {
            "label": label,
            "cells": [
                {"n": n, "right": at == place, "crossed": bool(n) and at != place < len(row)}
                for at, n in enumerate(row)
            ],
        }
        for place, (label, row) in enumerate(zip(labels, matrix["counts"], strict=True))
    ]
    return {**matrix, "labels": labels, "lines": lines}


# -- operating points ------------------------------------------------------------------------


def _picker(
    name: str, picker: Mapping[str, Any] | None, labels: Sequence[str]
) -> dict[str, Any] | None:
    if picker is None:
        return None
    data = {**picker, "labels": list(labels)}
    mark = "as scored" if picker["scored"] else "threshold of the target"
    # nothing in it can end the script element
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return {
        "id": name,
        "data": Markup(text),
        "last": len(picker["thresholds"]) - 1,
        "start": picker["start"],
        "mark": mark,
        "errors": picker["errors"] is not None,
        "columns": list(labels) if len(labels) <= COLUMNS else [],
        "lines": operating_points(picker),
    }


def operating_points(picker: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Figures at some thresholds, that of the target among them.

    >>> counts = [[2, [2, 1], [1, 0]], [1, [1, 1], [0, 0]]]
    >>> picker = {"thresholds": [0.2, 0.6], "start": 1, "counts": counts, "errors": [1, 1]}
    >>> [(line["threshold"], line["macro"], line["figures"]) for line in operating_points(picker)]
    [('0.2', '0.900', ['0.857', '0.750', '1.000', '0.333']), \
('0.6', '0.833', ['0.800', '1.000', '0.667', '0.333'])]
    """
    last = len(picker["thresholds"]) - 1
    steps = sorted({picker["start"], *(round(n * last / (TOLD - 1)) for n in range(TOLD))})
    lines = []
    for step in steps:
        cells = [(n, tp[step], fp[step]) for n, tp, fp in picker["counts"]]
        whole = tuple(map(sum, zip(*cells, strict=True)))
        each = [_figures(*cell)[0] for cell in cells]
        known_errors = picker["errors"] is not None and whole[0] > 0
        errors = picker["errors"][step] / whole[0] if known_errors else None
        f_scores = [f for f in each if f is not None]
        lines.append(
            {
                "threshold": display.tidy(f"{picker['thresholds'][step]:.3g}"),
                "shown": step == picker["start"],
                "figures": [number(value) for value in (*_figures(*whole), errors)],
                "macro": number(sum(f_scores) / len(f_scores) if f_scores else None),
                "classes": [number(f) for f in each],
            }
        )
    return lines


def _figures(ref: int, tp: int, fp: int) -> tuple[float | None, ...]:
    """F, P and R from counts."""
    precision = tp / (tp + fp) if tp + fp else None
    return (2 * tp / (ref + tp + fp), precision, tp / ref) if ref else (None, precision, None)


# -- timelines -------------------------------------------------------------------------------


def _scene(
    page: Page, scene: Mapping[str, Any], labels: Sequence[str], sounds: Mapping[str, Any]
) -> dict[str, Any]:
    """Lanes of a recording, and its sound and spectrogram where they may be played."""
    seconds = scene["seconds"]
    used = sorted({event[2] for kind in ("truth", "estimate") for event in scene[kind]})
    place = sounds.get("scenes", {}).get(f"{scene['file']}@{scene['start_ns']}")
    lanes = [
        {
            "label": labels[label],
            "bars": [
                _bar(kind, event, seconds)
                for kind in ("truth", "estimate")
                for event in scene[kind]
                if event[2] == label
            ],
        }
        for label in used
    ]
    step = next(s for s in (1, 2, 5, 10) if seconds / s <= 8 or s == 10)
    ticks = [n * step for n in range(int(seconds // step) + 1)]
    return {
        "file": scene["file"],
        "seconds": seconds,
        "whole": scene["whole"],
        "lanes": lanes,
        "ticks": [{"text": str(tick), "left": f"{100 * tick / seconds:.2f}"} for tick in ticks],
        "found": sum(event[3] for event in scene["truth"]),
        "annotated": len(scene["truth"]),
        "false": sum(not event[3] for event in scene["estimate"]),
        "estimated": len(scene["estimate"]),
        "events": sorted(
            (
                [f"{on:.2f}", f"{off:.2f}", labels[label], _word(kind, hit)]
                for kind in ("truth", "estimate")
                for on, off, label, hit in scene[kind]
            ),
            key=lambda line: float(line[0]),
        ),
        "src": page.file(f"{FOLDER}/{place['src']}") if place else "",
        "picture": page.file(f"{FOLDER}/{place['picture']}") if place else "",
    }


def _word(kind: str, hit: bool) -> str:
    """What an event is called.

    >>> _word("truth", True), _word("estimate", False)
    ('annotated, found', 'estimated, false')
    """
    if kind == "truth":
        return "annotated, found" if hit else "annotated, missed"
    return "estimated, right" if hit else "estimated, false"


def _bar(kind: str, event: Sequence[Any], seconds: float) -> dict[str, str]:
    on, off, _, hit = event
    return {
        "css": f"{kind} {'hit' if hit else 'miss'}",
        "left": f"{100 * on / seconds:.2f}",
        "width": f"{max(100 * (off - on) / seconds, 0.3):.2f}",
        "hint": f"{_word(kind, hit)}: {on:.2f} to {off:.2f} s",
    }
