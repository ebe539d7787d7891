"""Figures of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from ...figures import style
from ...figures.details.picker import TITLES
from ...figures.event_confusion import describe_event_confusion, event_confusion_figure
from ...figures.event_curves import (
    describe_psd_roc,
    draw_f_over_threshold,
    psd_roc_figure,
)
from ...figures.event_errors import describe_error_composition, error_composition_figure
from ...figures.svg import to_svg
from ...metrics.events.psds import Psds
from ..events.evaluation import Evaluated
from ..events.inputs import Inputs
from ..events.settings import EventSettings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: points of a curve over the threshold
POINTS = 400


class _Album:
    """Figures with title, text and ids of their own."""

    def __init__(self, name: str):
        self._name = name
        self.figures: list[dict[str, Any]] = []

    def add(self, title: str, figure: Figure, alt: str, note: str = "") -> None:
        name = f"{self._name}f{len(self.figures)}"
        svg = Markup(to_svg(figure, alt, name=name))
        self.figures.append({"title": title, "svg": svg, "alt": alt, "note": note})


def comparison(evaluations: Sequence[Evaluated]) -> list[dict[str, Any]]:
    """Composition of the error rates of several systems."""
    album = _Album("c")
    names = [each.system.name for each in evaluations]
    for family in ("segment_based", "event_based"):
        scores = [getattr(each.shown, family) for each in evaluations]
        if None in scores:
            continue
        errors = {
            f"{kind}s": np.array([s.overall["error_rate"][f"{kind}_rate"] for s in scores])
            for kind in ("substitution", "deletion", "insertion")
        }
        album.add(
            f"{TITLES[family]} error rate",
            error_composition_figure("", names, errors),
            describe_error_composition(names, errors),
        )
    return album.figures


def of_system(
    name: str, evaluation: Evaluated, inputs: Inputs, settings: EventSettings
) -> list[dict[str, Any]]:
    """Figures of a system."""
    album = _Album(name)
    exact = evaluation.exact
    for kind, psds in evaluation.psds.items():
        title = "PSD-ROC" if kind == "PSDS" else f"PSD-ROC, {kind}"
        if exact is not None and kind in exact.psds:
            _add_roc(album, f"{title}, every distinct score", exact.psds[kind], inputs)
            if len(evaluation.points) == 1:
                continue
        number = len(evaluation.points)
        points = "one operating point" if number == 1 else f"{number} operating points"
        _add_roc(album, f"{title}, {points}", psds, inputs)
    if evaluation.detail.confusion is not None:
        limits = settings.shown_criteria
        counts = evaluation.detail.confusion.counts[0]
        album.add(
            "Confusion matrix with cross triggers",
            event_confusion_figure("", counts, inputs.labels),
            describe_event_confusion(counts, inputs.labels),
            f"DTC {limits.dtc:g}, GTC {limits.gtc:g}, CTTC {limits.cttc:g}. Diagonal: annotated"
            " events that are found. Beside it: detections that trigger another class across."
            " Last column: false detections, cross triggers included.",
        )
    for family in ("segment_based", "event_based"):
        _add_errors(album, evaluation, inputs, family)
    if exact is not None:
        for family, best in exact.best.items():
            _add_thresholds(album, evaluation, inputs, settings, family, best)
    return album.figures


def _add_roc(album: _Album, title: str, psds: Psds, inputs: Inputs) -> None:
    roc, settings = psds.roc, psds.settings
    classes = {
        label: (points.x, points.y)
        for label, points in zip(inputs.labels, roc.classes, strict=True)
        if points is not None
    }
    areas = dict(zip(inputs.labels, psds.classes.tolist(), strict=True))
    figure = psd_roc_figure(
        "",
        roc.x,
        roc.mean,
        roc.std,
        roc.etpr,
        classes,
        max_efpr=settings.max_efpr,
        unit=settings.unit,
    )
    alt = describe_psd_roc(psds.value, areas, max_efpr=settings.max_efpr, unit=settings.unit)
    note = (
        f"PSDS {psds.value:.4f}: the area under eTPR, the mean less {settings.alpha_st:g} times the"
        " standard deviation over classes."
    )
    album.add(title, figure, alt, note)


def _add_errors(album: _Album, evaluation: Evaluated, inputs: Inputs, family: str) -> None:
    scores = getattr(evaluation.shown, family)
    if scores is None:
        return
    errors = {
        f"{kind}s": np.array(
            [scores.class_wise[label]["error_rate"][f"{kind}_rate"] for label in inputs.labels]
        )
        for kind in ("deletion", "insertion")
    }
    album.add(
        f"{TITLES[family]} error rate, class by class",
        error_composition_figure("", inputs.labels, errors),
        describe_error_composition(inputs.labels, errors),
        "Class by class there are no substitutions: each is a deletion of one class and an"
        " insertion of another.",
    )


def _add_thresholds(
    album: _Album,
    evaluation: Evaluated,
    inputs: Inputs,
    settings: EventSettings,
    family: str,
    best: Any,
) -> None:
    assert evaluation.exact is not None
    curves, points = {}, {}
    for label, point in zip(inputs.labels, best.labels, strict=True):
        curve = evaluation.exact.curves[family][label]
        if not curve.n_ref or len(curve.level) < 2:
            continue
        step = max(1, len(curve.level) // POINTS)
        indices = np.arange(1, len(curve.level), step)
        curves[label] = (curve.level[indices], curve.f_measure(settings.beta)[indices])
        points[label] = (point.threshold, point.f_measure)
    if not curves:
        return
    with style.applied():
        figure, (axes,) = style.canvas("", height=3.0 + 0.1 * min(len(curves), 10))
        draw_f_over_threshold(axes, curves, points)
        handles = axes.get_legend_handles_labels()[0]
        if handles:
            style.legend_below(figure, handles)
    album.add(
        f"{TITLES[family]} F over the threshold",
        figure,
        f"F-measure of {len(curves)} classes over the threshold; mean of the best of each:"
        f" {best.macro:.3f}.",
        "Dots: the best threshold of each class.",
    )
