from __future__ import annotations

import numpy as np

from common.figures import FIGURES, alt, style
from common.figures.ranges import draw_ranges, inside


def test_band_is_drawn_to_the_open_end() -> None:
    values = {"sadness": np.linspace(0.1, 0.6, 30), "anger": np.linspace(0.4, 0.9, 30)}
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_ranges(axes, values, {"sadness": (None, 0.45), "anger": (0.55, None)})
    bands = [p for p in axes.patches if p.get_alpha() == 0.3]
    assert [(round(b.get_x(), 2), round(b.get_width(), 2)) for b in bands] == [
        (0, 0.45),
        (0.55, 0.45),
    ]
    assert [round(b.get_height(), 2) for b in bands] == [0.8, 0.8]
    boxes = [p for p in axes.patches if p.get_alpha() != 0.3]
    from matplotlib.colors import to_hex

    assert [to_hex(box.get_facecolor()) for box in boxes] == ["#1f77b4", "#d62728"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["sadness (30)", "anger (30)"]
    low, high = axes.get_ylim()
    assert low > high, "the first category is at the top"


def test_few_samples_are_points() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_ranges(axes, {"anger": np.array([0.4, 0.7])}, {"anger": (0.55, None)})
    (points,) = axes.collections
    assert points.get_offsets().tolist() == [[0.4, 0], [0.7, 0]]


def test_ends_are_inside() -> None:
    assert inside(np.array([0.29, 0.3, 0.6, 0.61]), (0.3, 0.6)).tolist() == [
        False,
        True,
        True,
        False,
    ]


def test_only_categories_with_an_expectation_are_shown(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 200)
    (axes,) = FIGURES.get("expected_ranges")(data, options, "t")[""].axes
    names = [tick.get_text().split(" (")[0] for tick in axes.get_yticklabels()]
    assert names == ["anger", "neutral", "sadness"]


def test_alternative_text_counts_what_is_inside(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 80)
    data.samples["emotion"] = "anger"
    data.predictions["original"][:] = [0.6] * 60 + [0.5] * 20
    assert alt("expected_ranges", data, options) == (
        "Box plots of the predictions of 80 samples per category. "
        "Share inside the expected range: anger 75 % of 80 (high, median 0.60)."
    )
