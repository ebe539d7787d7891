"""Distributions of truth and prediction, of groups against all, within contexts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec import kinds
from ..spec.view import View
from . import style
from .base import aligned, figure, groups, labels_of, option, present, suffixes
from .density import TOP_SHARE, draw_class_bars, draw_histograms, peak
from .text import count, listed, percent, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = (style.TRUTH, style.PREDICTION)
#: more classes than this get a text on those that differ most
MANY = 9


def _truth_and_prediction(view: View) -> dict[str, np.ndarray]:
    truth, prediction = aligned(view)
    return {"Truth": truth, "Prediction": prediction}


def _distributions_alt(view: View, options: Any) -> dict[str, str]:
    truth, prediction = aligned(view)
    return {
        "": f"Histograms of the truth and the predictions of {count(len(truth))}. "
        f"Truth: {spread(truth)}. Predictions: {spread(prediction)}."
    }


@figure("distributions", alt=_distributions_alt)
def distributions(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Overlaid histograms of truth and prediction."""
    drawing, (axes,) = style.canvas(title)
    truth = view.truth[present(view.truth)]
    top = max(TOP_SHARE, 1.1 * peak(truth))
    series = _truth_and_prediction(view)
    draw_histograms(axes, series, COLORS, scale="frequency", size=len(truth), top=top)
    style.legend_below(drawing, axes.get_legend_handles_labels()[0])
    return {"": drawing}


def describe_shares(series: Mapping[str, np.ndarray], labels: list[str]) -> str:
    """Share of every class in every series, or of those that differ most if there are many.

    Args:
        series: name in running text -> labels, shape (N,)
        labels: the classes
    """
    shares = {
        label: [np.mean(values == label) if len(values) else np.nan for values in series.values()]
        for label in labels
    }
    start = ""
    if len(labels) > MANY:
        labels = sorted(labels, key=lambda label: -np.nan_to_num(np.ptp(shares[label])))[:3]
        start = "largest differences: "
    facts = (
        f"{label} "
        + listed(
            f"{percent(share)} of {name}" for share, name in zip(shares[label], series, strict=True)
        )
        for label in labels
    )
    return start + "; ".join(facts) + "."


def _class_counts_alt(view: View, options: Any) -> dict[str, str]:
    truth, prediction = aligned(view)
    series = {"the truth": truth, "the predictions": prediction}
    start = f"Bar chart of the classes of {count(len(truth))}: "
    return {"": start + describe_shares(series, labels_of(view, truth, prediction))}


@figure("class_counts", alt=_class_counts_alt)
def class_counts(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Grouped bars of how often every class is annotated and predicted."""
    series = _truth_and_prediction(view)
    drawing, (axes,) = style.canvas(title)
    truth = view.truth[present(view.truth)]
    shares = [np.mean(truth == label) for label in labels_of(view, truth)] if len(truth) else [0]
    top = max(TOP_SHARE, 2 * float(max(shares)))
    labels = labels_of(view, *series.values())
    draw_class_bars(axes, labels, series, COLORS, scale="count", size=len(truth), top=top)
    style.legend_below(drawing, axes.get_legend_handles_labels()[0])
    return {"": drawing}


def _draw_panels(view: View, title: str, panels: Mapping[str, Mapping[str, np.ndarray]]) -> Figure:
    """Panels of shares below each other; with names, these carry the numbers of samples."""
    single = len(panels) == 1
    height = 2.9 if single else 1.9 * len(panels) + 1.0
    drawing, all_axes = style.canvas(title, height=height, rows=max(len(panels), 1), sharex=True)
    for axes, (name, series) in zip(all_axes, panels.items(), strict=False):
        if kinds.of(view.target).is_number:
            draw_histograms(axes, series, COLORS, scale="percent", counted=single)
        else:
            labels = labels_of(view)
            draw_class_bars(axes, labels, series, COLORS, scale="percent", counted=single)
        axes.label_outer()
        if not single:
            combined, part = map(len, series.values())
            axes.set_title(f"{style.shorten(name)} ({part} of {combined} samples)", loc="left")
    style.legend_below(drawing, all_axes[0].get_legend_handles_labels()[0])
    return drawing


def _group_panels(view: View, options: Any) -> dict[str, tuple[str, dict[str, np.ndarray]]]:
    prediction = view.prediction
    there = present(prediction)
    masks = groups(view, option(options, "attribute"))
    names = suffixes(masks)
    return {
        names[name]: (
            name,
            {
                "Prediction combined": prediction[there],
                f"Prediction {style.shorten(name)}": prediction[there & mask],
            },
        )
        for name, mask in masks.items()
    }


def _describe_series(view: View, name: str, series: Mapping[str, np.ndarray]) -> str:
    combined, part = series.values()
    if kinds.of(view.target).is_number:
        return f"{name} has {spread(part)}; all samples have {spread(combined)}."
    return describe_shares({"all samples": combined, name: part}, labels_of(view))


def _by_group_alt(view: View, options: Any) -> dict[str, str]:
    texts = {}
    for suffix, (name, series) in _group_panels(view, options).items():
        combined, part = map(len, series.values())
        start = f"Distribution of the predictions for {name}, {part} of {count(combined)}: "
        texts[suffix] = start + _describe_series(view, name, series)
    return texts


@figure("histogram_by_group", alt=_by_group_alt)
def histogram_by_group(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Per group: distribution of its predictions beside that of all; no truth is needed.

    ``options.attribute`` names the column or columns of the groups.
    """
    return {
        suffix: _draw_panels(view, title, {"": series})
        for suffix, (_, series) in _group_panels(view, options).items()
    }


def _contexts(view: View, options: Any) -> dict[str, tuple[str, dict[str, dict[str, np.ndarray]]]]:
    prediction = view.prediction
    there = present(prediction)
    contexts = groups(view, option(options, "context"))
    masks = groups(view, option(options, "attribute"))
    names = suffixes(masks)
    return {
        names[name]: (
            name,
            {
                context: {
                    "Prediction all": prediction[there & inside],
                    f"Prediction {style.shorten(name)}": prediction[there & inside & mask],
                }
                for context, inside in contexts.items()
            },
        )
        for name, mask in masks.items()
    }


def _by_context_alt(view: View, options: Any) -> dict[str, str]:
    texts = {}
    for suffix, (name, panels) in _contexts(view, options).items():
        facts = [
            f"In {context}, {_describe_series(view, name, series)}"
            for context, series in panels.items()
        ]
        start = f"Distributions of the predictions for {name}, one panel per context."
        texts[suffix] = " ".join([start, *facts])
    return texts


@figure("histogram_by_context", alt=_by_context_alt)
def histogram_by_context(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Per group: one panel per context with the predictions of the group and of all groups.

    ``options.attribute`` names the column or columns of the groups, ``options.context`` that
    of the contexts.
    """
    return {
        suffix: _draw_panels(view, title, panels)
        for suffix, (_, panels) in _contexts(view, options).items()
    }
