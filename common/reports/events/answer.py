"""Scores as plain values for JSON, and as rows for CSV and for a table in a terminal."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core import display
from ...metrics.events.psds import Psds
from ...metrics.events.report import Scores
from ...metrics.events.threshold_curve import AtThreshold
from .evaluation import Evaluated, IntersectionF, PointScores
from .inputs import Inputs
from .settings import EventSettings

#: column of the overview -> (family, path of the figure)
OVERVIEW = {
    "segment F": ("segment_based", ("overall", "f_measure", "f_measure")),
    "segment F macro": ("segment_based", ("class_wise_average", "f_measure", "f_measure")),
    "segment ER": ("segment_based", ("overall", "error_rate", "error_rate")),
    "event F": ("event_based", ("overall", "f_measure", "f_measure")),
    "event F macro": ("event_based", ("class_wise_average", "f_measure", "f_measure")),
    "event ER": ("event_based", ("overall", "error_rate", "error_rate")),
    "intersection F": ("intersection_based", ("micro",)),
    "intersection F macro": ("intersection_based", ("macro",)),
}


def overview(point: PointScores) -> dict[str, float]:
    """Main figures of an operating point, in the order of :data:`OVERVIEW`."""
    figures = {}
    for column, (family, path) in OVERVIEW.items():
        value: Any = getattr(point, family)
        if value is None:
            continue
        for name in path:
            value = value[name] if isinstance(value, dict) else getattr(value, name)
        figures[column] = float(value)
    return figures


def main_figures(evaluation: Evaluated) -> dict[str, float]:
    """Main figures of a system: those of the point that is shown, and each PSDS."""
    figures = overview(evaluation.shown)
    figures |= {_psds_name(name): psds.value for name, psds in evaluation.psds.items()}
    if evaluation.exact is not None:
        figures |= {
            f"{_psds_name(name)} exact": psds.value for name, psds in evaluation.exact.psds.items()
        }
    return figures


def _psds_name(name: str) -> str:
    return "PSDS" if name == "PSDS" else f"PSDS {name}"


def answer(
    inputs: Inputs,
    settings: EventSettings,
    evaluations: Sequence[Evaluated],
    sources: Mapping[str, Any],
) -> dict[str, Any]:
    """All scores as plain values: NaN as null, infinite rates as the text ``inf``."""
    return plain(
        {
            "settings": settings.plain(),
            "inputs": {
                **sources,
                "files": len(inputs.files),
                "labels": inputs.labels,
                "truth_events": len(inputs.truth),
                "duration_s": None if inputs.durations is None else inputs.durations.sum(),
            },
            "notes": [
                *inputs.notes,
                *(f"{e.system.name}: {n}" for e in evaluations for n in e.notes),
            ],
            "systems": [_system(each, inputs) for each in evaluations],
        }
    )


def _system(evaluation: Evaluated, inputs: Inputs) -> dict[str, Any]:
    system, labels = evaluation.system, inputs.labels
    content: dict[str, Any] = {
        "name": system.name,
        "kind": system.kind,
        "estimated_events": len(evaluation.detail.events),
        "point": evaluation.shown.name,
        "overview": main_figures(evaluation),
        "segment_based": _table(evaluation.shown.segment_based),
        "event_based": _table(evaluation.shown.event_based),
        "intersection_based": _intersection(evaluation.shown.intersection_based, labels),
        "psds": {name: _psds(psds, labels) for name, psds in evaluation.psds.items()},
    }
    if len(evaluation.points) > 1:
        content["points"] = {point.name: overview(point) for point in evaluation.points}
    if evaluation.detail.confusion is not None:
        content["confusion"] = {
            "columns": [*labels, "false positive"],
            "counts": dict(zip(labels, evaluation.detail.confusion.counts[0], strict=True)),
        }
    if evaluation.exact is not None:
        content["scores"] = {
            "psds": {name: _psds(psds, labels) for name, psds in evaluation.exact.psds.items()},
            "best": {family: _best(best, labels) for family, best in evaluation.exact.best.items()},
            "segment_auroc": evaluation.exact.auroc,
        }
    return {name: value for name, value in content.items() if value not in (None, {})}


def _table(scores: Scores | None) -> dict[str, Any] | None:
    return None if scores is None else scores._asdict()


def _intersection(scores: IntersectionF | None, labels: Sequence[str]) -> dict[str, Any] | None:
    if scores is None:
        return None
    columns = {"f_measure": scores.classes, "Ntp": scores.tp, "Nfp": scores.fp, "Nfn": scores.fn}
    return {
        "overall": {"f_measure": scores.micro},
        "class_wise_average": {"f_measure": scores.macro},
        "class_wise": {
            label: {name: values[code] for name, values in columns.items()}
            for code, label in enumerate(labels)
        },
    }


def _psds(psds: Psds, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "value": psds.value,
        "class_wise": dict(zip(labels, psds.classes, strict=True)),
        "operating_points": len(psds.roc.x),
    }


def _best(best: AtThreshold, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "macro_f": best.macro,
        "class_wise": {
            label: point._asdict() for label, point in zip(labels, best.labels, strict=True)
        },
    }


def plain(value: Any) -> Any:
    """Values that every reader of JSON understands."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def per_file(inputs: Inputs, evaluations: Sequence[Evaluated]) -> str:
    """Scores of each recording as CSV: system, file, family, figure, value; NaN is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["system", "file", "family", "figure", "value"])
    for each in evaluations:
        for family, columns in each.detail.files.items():
            for group, figures in columns.items():
                for name, values in figures.items():
                    figure = name if group != "count" else f"count_{name}"
                    for file, value in zip(inputs.files, values.tolist(), strict=True):
                        shown = "" if value != value else repr(value)
                        writer.writerow([each.system.name, file, family, figure, shown])
    return out.getvalue()


def number(value: float, digits: int = 4) -> str:
    """A figure for people: four decimals, ``-`` where it is not defined.

    >>> number(0.123456), number(float("nan")), number(float("inf"))
    ('0.1235', '-', 'inf')
    """
    return "-" if value != value else display.number(value, digits=digits)


def many(number_of: int, what: str) -> str:
    """A number of things.

    >>> many(1, "label"), many(2, "label")
    ('1 label', '2 labels')
    """
    return f"{number_of} {what}{'' if number_of == 1 else 's'}"


def lines(inputs: Inputs, settings: EventSettings, evaluations: Sequence[Evaluated]) -> list[str]:
    """Tables for a terminal: systems side by side, then each class by class."""
    names = [each.system.name for each in evaluations]
    rows = _rows("", names, [main_figures(each) for each in evaluations])
    text = [
        f"{many(len(inputs.files), 'recording')}, {many(len(inputs.labels), 'label')}, "
        f"{many(len(inputs.truth), 'annotated event')}",
        *(f"note: {note}" for note in inputs.notes),
        *(f"note: {each.system.name}: {note}" for each in evaluations for note in each.notes),
        "",
        *grid(rows),
    ]
    for each in evaluations:
        at = f" at {each.shown.name}" if len(each.points) > 1 else ""
        text += ["", f"{each.system.name}{at}, class by class", *grid(class_rows(each, inputs))]
        if best := best_rows(each, inputs):
            text += ["", f"{each.system.name}, best threshold of each class", *grid(best)]
        if len(each.points) > 1:
            columns = [overview(point) for point in each.points]
            text += ["", f"{each.system.name}, operating points"]
            text += grid(_transposed(_rows("point", [p.name for p in each.points], columns)))
    return text


def class_rows(evaluation: Evaluated, inputs: Inputs) -> list[list[str]]:
    """Main figures of each class, with a header."""
    shown = evaluation.shown
    columns: dict[str, list[float]] = {}
    for family, title in (("segment_based", "segment"), ("event_based", "event")):
        scores: Scores | None = getattr(shown, family)
        if scores is None:
            continue
        for group, figure, short in (
            ("f_measure", "f_measure", "F"),
            ("f_measure", "precision", "P"),
            ("f_measure", "recall", "R"),
            ("error_rate", "error_rate", "ER"),
        ):
            columns[f"{title} {short}"] = [
                scores.class_wise[label][group][figure] for label in inputs.labels
            ]
    if shown.intersection_based is not None:
        columns["intersection F"] = shown.intersection_based.classes.tolist()
    for name, psds in evaluation.psds.items():
        columns[_psds_name(name)] = psds.classes.tolist()
    if evaluation.exact is not None:
        for name, psds in evaluation.exact.psds.items():
            columns[f"{_psds_name(name)} exact"] = psds.classes.tolist()
    return _class_table(columns, inputs.labels)


def best_rows(evaluation: Evaluated, inputs: Inputs) -> list[list[str]]:
    """Best F of each class and its threshold, with a header; nothing without frame scores."""
    if evaluation.exact is None:
        return []
    columns: dict[str, list[float]] = {}
    for family, best in evaluation.exact.best.items():
        short = family.removesuffix("_based")
        columns[f"best {short} F"] = [point.f_measure for point in best.labels]
        columns[f"{short} threshold"] = [point.threshold for point in best.labels]
    if evaluation.exact.auroc:
        columns["segment AUROC"] = [evaluation.exact.auroc[label] for label in inputs.labels]
    return _class_table(columns, inputs.labels)


def _class_table(columns: Mapping[str, Sequence[float]], labels: Sequence[str]) -> list[list[str]]:
    body = [
        [label, *(number(values[code]) for values in columns.values())]
        for code, label in enumerate(labels)
    ]
    return [["label", *columns], *body]


def _rows(
    corner: str, names: Sequence[str], columns: Sequence[Mapping[str, float]]
) -> list[list[str]]:
    figures = list(dict.fromkeys(name for column in columns for name in column))
    return [
        [corner, *names],
        *([f, *(number(c.get(f, math.nan)) for c in columns)] for f in figures),
    ]


def _transposed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=True)]


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table, the first column to the left and the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
