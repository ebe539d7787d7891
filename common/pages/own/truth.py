"""The truth of a dataset for a target: samples, annotations, and the tests that use them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...designs import Score
from ...designs.selecting import Selector
from ...engine.scoring import scores_of
from ...metrics import METRICS
from ...metrics.labels import NO_CLASS
from ...results.rows import rows
from ...samples.base import KEYS, Samples
from ...samples.importing import conventions
from ...spec import Dataset, Model, Target, Test, kinds
from ...spec.cell import Cell
from ...spec.view import ORIGINAL, View
from ...uncertainty.simulation import Bounds
from . import FORMAT
from .shapes import shape

#: a model that nobody has, to see what the rows of a test look like
STAND_IN = Model(id="own", version="1", adapter="predictions")


def truth(
    target: Target, tests: Sequence[Test], samples: Samples, select: Selector, bounds: Bounds
) -> dict[str, Any]:
    """What a page must know to score predictions of a target on a dataset.

    Args:
        target: the target
        tests: tests whose designs have a shape
        samples: the dataset
        select: selects the samples of a test
        bounds: simulates the bounds of criteria that say so
    """
    selections = {test.id: select(test, target) for test in tests}
    table = samples.table
    used = sorted({row for each in selections.values() for row in each.samples.index.tolist()})
    place = {row: number for number, row in enumerate(used)}
    chosen = table.loc[used]
    entries = []
    for test in tests:
        selection = selections[test.id]
        view = View(
            target,
            selection.samples.reset_index(drop=True),
            {},
            dataset=samples.dataset.id,
            note=selection.note,
            left_out=selection.left_out,
        )
        places = [place[row] for row in selection.samples.index.tolist()]
        entries.append(
            {
                "id": test.id,
                "title": test.title,
                "family": test.family,
                "rows": None if places == list(range(len(used))) else places,
                "note": selection.note,
                "reason": selection.reason,
                **_scored(test, samples.dataset, view, selection.reason, bounds),
            }
        )
    return {
        "format": FORMAT,
        "target": {
            "id": target.id,
            "label": target.label,
            "kind": target.kind,
            "labels": list(target.labels),
            "range": None if target.range is None else list(target.range),
            "words": words(target),
        },
        "dataset": _about(samples.dataset),
        "samples": _keys(chosen),
        "truth": _annotations(target, chosen),
        "tests": entries,
    }


def words(target: Target) -> dict[str, str]:
    """Other words for classes, in lower case -> the class, or "no class" for classes of other targets.

    They are those of ``import-predictions``.
    """
    synonyms = conventions.load().synonyms.get(target.id, {}) if target.labels else {}
    return {
        word: label if label in target.labels else NO_CLASS
        for label, others in synonyms.items()
        for word in (label, *others)
    }


def script(content: Mapping[str, Any]) -> str:
    """Text of a script that sets an entry of the global ``truthOf``."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    name = json.dumps(f"{content['target']['id']}/{content['dataset']['id']}")
    return f"(window.truthOf??={{}})[{name}]={safe};\n"


def _about(dataset: Dataset) -> dict[str, str]:
    return {
        "id": dataset.id,
        "label": dataset.label or dataset.id,
        "database": dataset.database,
        "version": dataset.version,
        "data": dataset.data,
        "license": dataset.license,
        "source": dataset.source,
    }


def _keys(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Names of samples; start and end only where they are not those of whole files."""
    keys = {name: table[name].tolist() for name in KEYS}
    if not any(keys["start"]) and all(end < 0 for end in keys["end"]):
        return {"file": keys["file"]}
    return keys


def _annotations(target: Target, table: pd.DataFrame) -> list[Any]:
    """Annotated numbers, or places of classes among the labels; None where there is none."""
    if target.id not in table:
        return []
    kind = kinds.of(target)
    if kind.keeps_time:
        return [_recording(annotation) for annotation in table[target.id].tolist()]
    mask = kind.truth_mask(target, table[target.id])
    if kind.has_classes:
        place = {label: number for number, label in enumerate(target.labels)}
        return [place.get(value) for value in table[target.id].tolist()]
    values = kind.truth(target, table[target.id])
    return [float(value) if good else None for value, good in zip(values, mask, strict=True)]


def _recording(annotation: Any) -> list[Any] | None:
    """Length of a recording in s, and its events: onset, offset, place of the class."""
    if annotation is None:
        return None
    columns = (annotation.onset, annotation.offset, annotation.label)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [float(annotation.duration), [list(row) for row in rows]]


def _stand_in(target: Target, samples: pd.DataFrame) -> Any:
    """Predictions that are all different, or every class in turn; of events, the truth."""
    n = len(samples)
    if kinds.of(target).keeps_time:
        return kinds.of(target).truth(target, samples[target.id])
    if kinds.of(target).has_classes:
        return np.array([target.labels[k % len(target.labels)] for k in range(n)], dtype=object)
    low, high = target.range or (0.0, 1.0)
    return np.linspace(low, high, n)


def _scored(
    test: Test, dataset: Dataset, view: View, reason: str, bounds: Bounds
) -> dict[str, Any]:
    """Metrics, groups and rules of a test, read from the rows of a model that nobody has."""
    cell = Cell(view.target, STAND_IN, test, dataset, "")
    predictions = {ORIGINAL: _stand_in(view.target, view.samples)}
    filled = View(**{**vars(view), "predictions": predictions})
    scores = scores_of(cell, filled, reason)
    judged = rows(cell, scores, bounds)
    parts = {score.data: row["data"] for score, row in zip(scores, judged, strict=True)}
    return {
        "uses": [_use(use) for use in test.uses_on(view.target.kind, dataset.id)],
        "rules": _rules(scores, judged),
        **shape(test, view, parts),
    }


def _use(use: Any) -> dict[str, Any]:
    metric = METRICS.get(use.metric)
    return {
        "metric": use.metric,
        "label": metric.label,
        "counts": metric.counts,
        "params": dict(use.params),
    }


def _rules(scores: Sequence[Score], judged: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Metric, condition and part; then criterion, kind of bound, why it gives no verdict, remark.

    A simulated criterion is known where a score has a value.
    """
    rules: dict[tuple[str, ...], list[str]] = {}
    for score, row in zip(scores, judged, strict=True):
        key = (row["metric"], row["condition"], row["data"])
        no_verdict = row["status"] == "skip" and not np.isnan(score.value)
        remark = row["note"].removeprefix(score.note).removeprefix("; ")
        rule = [row["criterion"], row["bound"], row["reason"] if no_verdict else "", remark]
        if key not in rules or not np.isnan(score.value):
            rules[key] = rule
    return [[*key, *rule] for key, rule in rules.items()]
