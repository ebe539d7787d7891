"""Tables of the report: rows of text, a header first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...figures.details import picker
from ...metrics.events.report import Figures
from ..events.answer import number
from ..events.evaluation import Evaluated
from ..events.inputs import Inputs

Rows = list[list[str]]
#: (title, group, figure); not all families have all
FIGURES = (
    ("F", "f_measure", "f_measure"),
    ("P", "f_measure", "precision"),
    ("R", "f_measure", "recall"),
    ("ER", "error_rate", "error_rate"),
    ("S", "error_rate", "substitution_rate"),
    ("D", "error_rate", "deletion_rate"),
    ("I", "error_rate", "insertion_rate"),
    ("Sens.", "accuracy", "sensitivity"),
    ("Spec.", "accuracy", "specificity"),
    ("Acc.", "accuracy", "accuracy"),
    ("Bal. acc.", "accuracy", "balanced_accuracy"),
    ("N ref", "count", "Nref"),
    ("N sys", "count", "Nsys"),
    ("TP", "count", "Ntp"),
    ("FP", "count", "Nfp"),
    ("FN", "count", "Nfn"),
)


#: systems beside each other; more stand below each other
BESIDE = 4


def side_by_side(names: Sequence[str], columns: Sequence[Mapping[str, float]]) -> Rows:
    """Figures of a few systems in columns, of many in rows."""
    rows = below(names, columns)
    return [list(column) for column in zip(*rows, strict=True)] if len(names) <= BESIDE else rows


def below(names: Sequence[str], columns: Sequence[Mapping[str, float]]) -> Rows:
    """One row for each name, one column for each figure."""
    figures = list(dict.fromkeys(name for column in columns for name in column))
    return [
        ["", *figures],
        *(
            [name, *(number(column.get(figure, math.nan)) for figure in figures)]
            for name, column in zip(names, columns, strict=True)
        ),
    ]


def families(evaluation: Evaluated, inputs: Inputs) -> list[dict[str, Any]]:
    """Table of each family: overall, mean of classes, and each class."""
    tables = []
    for family in ("segment_based", "event_based"):
        scores = getattr(evaluation.shown, family)
        if scores is None:
            continue
        columns = [c for c in FIGURES if c[2] in scores.overall.get(c[1], {})]
        rows = [["", *(title for title, _, _ in columns)]]
        rows.append(_row("all (micro)", scores.overall, columns))
        rows.append(_row("mean (macro)", scores.class_wise_average, columns))
        rows += [_row(label, scores.class_wise[label], columns) for label in inputs.labels]
        tables.append({"title": picker.TITLES[family], "rows": rows, "summary": 2})
    intersection = evaluation.shown.intersection_based
    if intersection is not None:
        psds = {name: each.classes for name, each in evaluation.psds.items()}
        rows = [["", "F", "TP", "FP", "FN", *(_title(name) for name in psds)]]
        sums = [int(x.sum()) for x in (intersection.tp, intersection.fp, intersection.fn)]
        blank = [""] * len(psds)
        values = [number(evaluation.psds[name].value) for name in psds]
        rows.append(["all (micro)", number(intersection.micro), *map(str, sums), *blank])
        rows.append(["mean (macro)", number(intersection.macro), "", "", "", *values])
        for code, label in enumerate(inputs.labels):
            counts = (intersection.tp[code], intersection.fp[code], intersection.fn[code])
            areas = (number(float(classes[code])) for classes in psds.values())
            rows.append(
                [label, number(float(intersection.classes[code])), *map(str, counts), *areas]
            )
        tables.append({"title": picker.TITLES["intersection_based"], "rows": rows, "summary": 2})
    return tables


def _title(name: str) -> str:
    return "PSDS" if name == "PSDS" else f"PSDS {name}"


def _row(name: str, figures: Figures, columns: Sequence[tuple[str, str, str]]) -> list[str]:
    cells = []
    for _, group, figure in columns:
        value = figures.get(group, {}).get(figure)
        if value is None:
            cells.append("")
        else:
            cells.append(f"{value:.0f}" if group == "count" else number(value))
    return [name, *cells]


#: classes up to which the confusion matrix is also a table; JSON has it always
CONFUSION = 60


def confusion(evaluation: Evaluated, inputs: Inputs) -> Rows | None:
    """Counts of the confusion matrix; nothing for too many classes."""
    if evaluation.detail.confusion is None or len(inputs.labels) > CONFUSION:
        return None
    counts = evaluation.detail.confusion.counts[0]
    return [
        ["detected", *inputs.labels, "false positive"],
        *(
            [label, *(str(int(n)) for n in row)]
            for label, row in zip(inputs.labels, counts, strict=True)
        ),
    ]


def errors_of_files(evaluation: Evaluated, inputs: Inputs) -> np.ndarray:
    """False and missed items of each recording, by the first family that there is."""
    for family in ("event_based", "intersection_based", "segment_based"):
        count = evaluation.detail.files.get(family, {}).get("count")
        if count:
            return np.asarray(count["Nfp"] + count["Nfn"] + count.get("Nsubs", 0))
    return np.zeros(len(inputs.files), dtype=np.int64)


def worst_files(evaluation: Evaluated, inputs: Inputs, number_of: int) -> Rows:
    """Scores of the recordings with most errors."""
    order = np.argsort(-errors_of_files(evaluation, inputs), kind="stable")[:number_of]
    families = evaluation.detail.files
    rows = [["", *(f"{picker.TITLES[f]} F" for f in families), "Reference", "Found", "False"]]
    count: Mapping[str, np.ndarray] = {}
    for family in ("event_based", "intersection_based", "segment_based"):
        if family in families:
            count = families[family]["count"]
            break
    for at in order.tolist():
        rows.append(
            [
                inputs.files[at],
                *(number(float(c["f_measure"]["f_measure"][at])) for c in families.values()),
                *(str(int(count[name][at])) for name in ("Nref", "Ntp", "Nfp")),
            ]
        )
    return rows


def some_thresholds(data: Mapping[str, Any], number_of: int = 9) -> Rows:
    """F at a few thresholds: what a reader without JavaScript gets."""
    families = data["families"]
    titles = [f"{picker.TITLES[f]} F{kind}" for f in families for kind in ("", " macro")]
    steps = np.unique(
        np.linspace(0, len(data["thresholds"]) - 1, number_of).round().astype(int)
    ).tolist()
    rows = [["threshold", *titles]]
    for step in steps:
        values = [value for family in families for value in picker.f_at(data, family, step)]
        rows.append([f"{data['thresholds'][step]:g}", *map(number, values)])
    return rows
