"""Figures of the details: error rates, PSD-ROC and confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...metrics import METRICS
from ...metrics.events.figures import divide
from ..base import DETAILS
from ..event_confusion import describe_event_confusion, event_confusion_figure
from ..event_curves import describe_psd_roc, psd_roc_figure
from ..event_errors import describe_error_composition, error_composition_figure
from . import DESIGN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: errors per annotated item up to which bars are drawn: twice those of a model that hears nothing
MOST_ERRORS = 2.0


@DETAILS.register(DESIGN)
def drawings(content: Mapping[str, Any]) -> Iterator[tuple[str, Figure, str]]:
    """Figures of a cell: end of the file name, figure, text alternative.

    Args:
        content: details as :func:`~common.figures.details.content.content` makes them
    """
    labels = content["labels"]
    for name, family in content["families"].items():
        if family["errors"] is not None:
            yield _errors(name, family)
    for metric, roc in content["rocs"].items():
        yield _roc(metric, roc, labels)
    confusion = content.get("confusion")
    if confusion is not None:
        counts = np.array(confusion["counts"])
        title = "Detected class by annotated class"
        yield (
            "confusion",
            event_confusion_figure(title, counts, labels),
            describe_event_confusion(counts, labels),
        )


def _errors(name: str, family: Mapping[str, Any]) -> tuple[str, Figure, str]:
    """All classes together with substitutions, then each class with its two kinds of errors."""
    rows = family["rows"]
    names = [row["label"] for row in rows]
    ref = np.array([row["ref"] for row in rows], np.float64)
    missed, false = (np.array([row[kind] for row in rows], np.float64) for kind in ("fn", "fp"))
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = {
            "substitutions": np.zeros(len(rows)),
            "deletions": missed / ref,
            "insertions": false / ref,
        }
    # all classes together: substitutions are apart, and rates are per annotated item as well
    for kind, rates in errors.items():
        rates[0] = divide(family["errors"][kind], family["errors"]["reference"], np.nan)
    title = f"{name.capitalize()}-based error rate"
    return (
        "errors",
        error_composition_figure(title, names, errors, limit=MOST_ERRORS),
        describe_error_composition(names, errors),
    )


def _roc(metric: str, roc: Mapping[str, Any], labels: list[str]) -> tuple[str, Figure, str]:
    x = np.array(roc["x"])
    classes = {label: (x, np.array(rates)) for label, rates in roc["classes"].items()}
    areas = dict(zip(labels, map(float, roc["areas"]), strict=True))
    figure = psd_roc_figure(
        f"PSD-ROC, {METRICS.get(metric).label}",
        x,
        np.array(roc["mean"]),
        np.array(roc["std"]),
        np.array(roc["etpr"]),
        classes,
        max_efpr=roc["max_efpr"],
        unit=roc["unit"],
    )
    alt = describe_psd_roc(roc["psds"], areas, max_efpr=roc["max_efpr"], unit=roc["unit"])
    return metric.replace("_", "-"), figure, alt
