"""Figures of sound events: what they show, and that equal ones give equal SVG."""

from __future__ import annotations

import re

import numpy as np
import pytest

from common.figures import event_curves, style
from common.figures.event_confusion import (
    SHOWN,
    describe_event_confusion,
    event_confusion_figure,
    most_frequent,
)
from common.figures.event_curves import describe_psd_roc, draw_f_over_threshold, psd_roc_figure
from common.figures.event_errors import describe_error_composition, error_composition_figure
from common.figures.event_timeline import (
    HIT,
    MISS,
    TimelineLane,
    describe_event_timeline,
    event_timeline_figure,
)
from common.figures.svg import to_svg

COUNTS = np.array([[5, 2, 1], [0, 3, 4]])
ROC = {
    "x": np.array([0.0, 10.0, 40.0]),
    "mean": np.array([0.2, 0.5, 0.7]),
    "std": np.array([0.1, 0.1, 0.2]),
    "etpr": np.array([0.1, 0.4, 0.5]),
}
CLASSES = {
    "dog": (np.array([0.0, 10.0]), np.array([0.1, 0.5])),
    "cat": (np.array([0.0, 40.0]), np.array([0.3, 0.9])),
}


def lane(*events: tuple[float, float, int, bool]) -> TimelineLane:
    columns = list(zip(*events, strict=True)) or [()] * 4
    kinds = (float, float, int, bool)
    return TimelineLane(*(np.array(c, dtype=k) for c, k in zip(columns, kinds, strict=True)))


def test_curves_are_stairs_up_to_the_largest_rate() -> None:
    figure = psd_roc_figure("", **ROC, classes=CLASSES, max_efpr=100.0, unit="hour")
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert set(lines) == {"dog", "cat", "mean ± std", "eTPR"}
    assert lines["eTPR"].get_drawstyle() == "steps-post"
    assert lines["eTPR"].get_xydata().tolist() == [[0, 0.1], [10, 0.4], [40, 0.5], [100, 0.5]]
    assert lines["dog"].get_xydata()[-1].tolist() == [100, 0.5]
    assert axes.get_xlim() == (0, 100)
    assert axes.get_xlabel() == "Effective false positives per hour"


def test_points_beyond_the_largest_rate_are_cut() -> None:
    figure = psd_roc_figure("", **ROC, classes=CLASSES, max_efpr=20.0, unit="hour")
    line = next(line for line in figure.axes[0].get_lines() if line.get_label() == "eTPR")
    assert line.get_xydata().tolist() == [[0, 0.1], [10, 0.4], [20, 0.4]]


def test_a_curve_of_many_points_is_thinned_out_but_not_moved() -> None:
    x = np.arange(50_000) / 500
    y = x / 100
    at, values = event_curves._stairs(x, y, 100.0)
    assert len(at) <= event_curves.POINTS + 2
    shown = values[np.searchsorted(at, np.linspace(0, 99, 200), side="right") - 1]
    assert np.abs(shown - np.linspace(0, 99, 200) / 100).max() < 0.003


def test_many_classes_are_not_named_and_two_of_one_colour_differ() -> None:
    many = {f"c{n:02d}": CLASSES["dog"] for n in range(30)}
    figure = psd_roc_figure("", **ROC, classes=many, max_efpr=100.0, unit="hour")
    assert {t.get_text() for t in figure.legends[0].get_texts()} == {"mean ± std", "eTPR"}
    ten = {f"c{n}": CLASSES["dog"] for n in range(10)}
    figure = psd_roc_figure("", **ROC, classes=ten, max_efpr=100.0, unit="hour")
    looks = [(line.get_color(), line.get_linestyle()) for line in figure.axes[0].get_lines()[:10]]
    assert len(set(looks)) == 10


def test_no_false_alarm_and_no_class_can_be_drawn() -> None:
    nan, zero = np.full(1, np.nan), np.zeros(1)
    figure = psd_roc_figure("", zero, nan, nan, nan, {}, max_efpr=None, unit="hour")
    assert figure.axes[0].get_xlim() == (0, 1)
    assert len(figure.axes[0].get_lines()) == 0


def test_text_of_a_roc() -> None:
    areas = {"dog": 0.2, "cat": 0.6, "fox": float("nan")}
    text = describe_psd_roc(0.4, areas, max_efpr=100.0, unit="hour")
    assert text.startswith("PSD-ROC up to 100 per hour: PSDS 0.400.")
    assert "from 0.200 (dog) to 0.600 (cat)" in text


def test_best_thresholds_are_marked() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        curve = (np.array([0.9, 0.5]), np.array([0.2, 0.8]))
        draw_f_over_threshold(
            axes, {"dog": curve, "cat": curve}, {"dog": (0.3, 0.8), "cat": (-np.inf, 0.1)}
        )
    marked = [line for line in axes.get_lines() if line.get_marker() == "o"]
    assert [line.get_xydata().tolist() for line in marked] == [[[0.3, 0.8]]]


def test_confusion_shows_counts_with_false_positives_last() -> None:
    figure = event_confusion_figure("", COUNTS, ["dog", "cat"])
    (axes,) = figure.axes
    cells = {(t.get_position()[1], t.get_position()[0]): t.get_text() for t in axes.texts}
    assert cells == {(0, 0): "5", (0, 1): "2", (0, 2): "1", (1, 1): "3", (1, 2): "4"}
    assert [t.get_text() for t in axes.get_xticklabels()] == ["dog", "cat", "false pos."]
    shares = axes.images[0].get_array()
    assert shares[0].tolist() == [5 / 8, 2 / 8, 1 / 8]


def test_of_many_classes_those_with_most_detections_are_shown() -> None:
    size = SHOWN + 5
    counts = np.zeros((size, size + 1), dtype=int)
    counts[np.arange(size), np.arange(size)] = np.arange(size)
    counts[:, -1] = 1
    kept, labels = most_frequent(counts, [f"c{n}" for n in range(size)])
    assert labels == [f"c{n}" for n in range(5, size)]
    assert kept.shape == (SHOWN, SHOWN + 1)
    assert kept[0].tolist() == [5] + [0] * (SHOWN - 1) + [1]


def test_text_of_a_confusion() -> None:
    text = describe_event_confusion(COUNTS, ["dog", "cat"])
    assert "8 annotated events found, 5 false detections" in text
    assert "2 cross triggers, most of them (2) dog detected in cat" in text
    assert "cross" not in describe_event_confusion(np.array([[1, 0]]), ["dog"])


def test_errors_are_stacked_and_rates_without_reference_are_said() -> None:
    errors = {"deletions": np.array([0.5, 0.0]), "insertions": np.array([0.25, np.inf])}
    figure = error_composition_figure("", ["dog", "cat"], errors)
    (axes,) = figure.axes
    bars = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert bars == [(0, 0.5), (0, 0), (0.5, 0.25), (0, 0)]
    assert [t.get_text() for t in axes.texts] == ["0.75", "no reference"]
    text = describe_error_composition(["dog", "cat"], errors)
    assert "deletions up to 0.50 for dog; insertions up to 0.25 for dog" in text
    text = describe_error_composition(["dog"], {"deletions": np.array([0.004])})
    assert text == "Errors per annotated item of 1: 0.00 for dog; deletions below 0.01."


def test_of_many_names_those_with_the_highest_rate_are_shown() -> None:
    rates = np.arange(60) / 60
    figure = error_composition_figure("", [f"c{n}" for n in range(60)], {"deletions": rates})
    assert len(figure.axes[0].patches) == 40
    assert figure.axes[0].get_yticklabels()[0].get_text() == "c20"
    assert "40 of 60" in figure.get_suptitle()


def test_timeline_draws_truth_above_estimate_and_colours_partners() -> None:
    truth = lane((1.0, 3.0, 0, True), (5.0, 6.0, 1, False))
    prediction = lane((1.1, 3.0, 0, True), (7.0, 7.0, 1, False))
    figure = event_timeline_figure("", ["dog", "cat"], truth, prediction, duration_s=10.0)
    bars = {
        round(bar.get_x(), 3): (round(bar.get_y(), 2), to_hex(bar), bar.get_width())
        for bar in figure.axes[0].patches
    }
    hit, miss = HIT.lower(), MISS.lower()
    # lanes are counted downwards: the bar of the truth ends where that of the estimate begins
    assert {at: bar[:2] for at, bar in bars.items()} == {
        **{1.0: (-0.38, hit), 1.1: (0.04, hit), 5.0: (0.62, miss), 7.0: (1.04, miss)}
    }
    assert bars[7.0][2] == pytest.approx(10 / 400)  # an event without length is still seen
    assert describe_event_timeline(truth, prediction) == (
        "Timeline: 1 of 2 annotated events found; 1 of 2 estimated events have no partner."
    )


def to_hex(bar) -> str:
    from matplotlib.colors import to_hex

    return to_hex(bar.get_facecolor())


def test_timeline_stands_under_a_spectrogram() -> None:
    signal = np.sin(np.arange(16_000) * 0.3)[None]
    figure = event_timeline_figure(
        "",
        ["dog"],
        lane((0, 1, 0, True)),
        lane(),
        duration_s=1.0,
        signal=signal,
        sampling_rate=16_000,
    )
    above, below = figure.axes
    assert len(above.images) == 1
    assert above.get_xlim() == below.get_xlim() == (0, 1)


def test_a_recording_without_events_has_a_timeline() -> None:
    figure = event_timeline_figure("", [], lane(), lane(), duration_s=1.0)
    assert [t.get_text() for t in figure.axes[0].texts] == ["no events"]


@pytest.mark.parametrize("with_signal", [False, True])
def test_svg_is_the_same_each_time_and_has_its_own_ids(with_signal: bool) -> None:
    options = {"signal": np.sin(np.arange(8000)), "sampling_rate": 8000} if with_signal else {}

    def drawn(name: str) -> str:
        figure = event_timeline_figure(
            "a <b> $c$", ["<i>"], lane((0, 0.5, 0, True)), lane(), duration_s=1.0, **options
        )
        return to_svg(figure, 'said "so" & <more>', name=name)

    one, other = drawn("a"), drawn("b")
    assert one == drawn("a")
    assert one.startswith('<svg role="img" aria-label="said &quot;so&quot; &amp; &lt;more&gt;"')
    assert "<i>" not in one and "&lt;i&gt;" in one and "$c$" in one
    ids = [set(re.findall(r'\bid="([^"]*)"', text)) for text in (one, other)]
    assert ids[0] and not ids[0] & ids[1]
    used = set(re.findall(r'(?:url\(|href=")#([^)"]*)', one))
    assert used <= ids[0]
    assert "<style" not in one and "<metadata" not in one
