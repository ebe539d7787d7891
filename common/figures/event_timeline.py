"""Timeline of annotated and estimated events, under a spectrogram where there is audio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import style
from .audio import draw_spectrogram, mono

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: colours of what was found and what was not, with a pattern for those who do not see them
HIT, MISS = style.PASS, style.FAIL


class TimelineLane(NamedTuple):
    """Events of a recording.

    Args:
        onset: start in s, shape (N,)
        offset: end in s, shape (N,)
        label: number of the label in the lanes, shape (N,)
        hit: whether the event has a partner, shape (N,)
    """

    onset: np.ndarray
    offset: np.ndarray
    label: np.ndarray
    hit: np.ndarray


def draw_event_timeline(
    axes: Axes,
    labels: Sequence[str],
    truth: TimelineLane,
    prediction: TimelineLane,
    *,
    duration_s: float,
) -> Axes:
    """One lane for each label: annotated events above, estimated ones below.

    Events with a partner are green, others red and hatched.

    Args:
        axes: where to draw
        labels: names of the lanes, from the top
        truth: annotated events
        prediction: estimated events
        duration_s: length of the recording
    """
    for lane, top in ((truth, -0.38), (prediction, 0.04)):
        for hit in (True, False):
            some = lane.hit == hit
            width = np.maximum(lane.offset - lane.onset, duration_s / 400)[some]
            axes.barh(
                lane.label[some] + top,
                width,
                left=lane.onset[some],
                height=0.34,
                align="edge",
                color=HIT if hit else MISS,
                alpha=0.9 if lane is truth else 0.55,
                hatch=None if hit else "////",
                edgecolor="white",
                linewidth=0.6,
            )
    for at in range(len(labels) - 1):
        axes.axhline(at + 0.5, color="#dddddd", linewidth=0.8)
    axes.set_yticks(range(len(labels)), [style.shorten(label, 18) for label in labels])
    axes.set(
        xlim=(0, duration_s),
        ylim=(max(len(labels), 1) - 0.5, -0.5),
        xlabel="Time in s",
    )
    axes.tick_params(axis="y", length=0)
    return axes


def event_timeline_figure(
    title: str,
    labels: Sequence[str],
    truth: TimelineLane,
    prediction: TimelineLane,
    *,
    duration_s: float,
    signal: np.ndarray | None = None,
    sampling_rate: int = 0,
) -> Figure:
    """:func:`draw_event_timeline`, under a spectrogram if there is a signal.

    Args:
        title: heading
        labels: names of the lanes
        truth: annotated events
        prediction: estimated events
        duration_s: length of the recording
        signal: shape (channels, samples) or (samples,)
        sampling_rate: in Hz
    """
    lanes = 0.9 + 0.34 * max(len(labels), 1)
    with style.applied():
        if signal is None:
            figure, (axes,) = style.canvas(title, height=lanes)
        else:
            figure, (above, axes) = style.canvas(
                title,
                height=lanes + 1.3,
                rows=2,
                sharex=True,
                gridspec_kw={"height_ratios": [1.3, lanes - 0.4]},
            )
            draw_spectrogram(above, mono(signal), sampling_rate)
            above.set_xlabel("")
        draw_event_timeline(axes, labels, truth, prediction, duration_s=duration_s)
        if not labels:
            style.no_data(axes, "no events")
    return figure


def describe_event_timeline(truth: TimelineLane, prediction: TimelineLane) -> str:
    """Alternative text of a timeline."""
    return (
        f"Timeline: {int(truth.hit.sum())} of {len(truth.onset)} annotated events found;"
        f" {int((~prediction.hit).sum())} of {len(prediction.onset)} estimated events have no"
        " partner."
    )
