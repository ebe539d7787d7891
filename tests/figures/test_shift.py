from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from matplotlib.colors import to_hex

from common.figures import FIGURES, alt, style
from common.figures.shift import (
    changes_overview,
    describe_changes,
    draw_shift,
    without_common_start,
)

NAMES = [
    "Unchanged Predictions Gain",
    "Unchanged Predictions Clip",
    "Unchanged Predictions Crop End",
]


def test_changes_beyond_the_limit_are_counted() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_shift(axes, np.array([0.1, 0.5, 0.9]), np.array([0.6, 0.52, 0.9]), limit=0.35)
    assert [text.get_text() for text in axes.texts] == ["1 beyond"]
    assert axes.get_ylim() == (-0.35, 0.35)
    band = axes.patches[0]
    assert (band.get_y(), band.get_height()) == pytest.approx((-0.05, 0.1))


def test_two_panels_per_condition(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 40)
    drawings = FIGURES.get("shift_2d")(data, options, "t")
    assert list(drawings) == ["white-noise"]
    upper, lower = drawings["white-noise"].axes
    assert upper.get_xlabel() == "Prediction original"
    assert upper.get_ylabel() == "Prediction white noise −\nPrediction original"
    assert [to_hex(patch.get_facecolor()) for patch in lower.patches] == ["#e13b41", "#3277b4"]


def test_alternative_text_of_a_shift(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 40)
    data.predictions["original"][:] = 0.5
    data.predictions["white-noise"][:] = [0.54] * 30 + [0.3] * 10
    assert alt("shift_2d", data, options, "white-noise") == (
        "From original to white noise: Change of the predictions of 40 samples. "
        "75 % change by less than 0.05; the mean change is −0.02, the largest −0.20."
    )


def test_overview_of_a_view_shows_what_was_run(view) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 5)
    drawing = FIGURES.get("changes_overview")(data, {}, "t")[""]
    names = [tick.get_text() for tick in drawing.axes[0].get_xticklabels()]
    assert names == ["Clip", "Crop end"]
    assert alt("changes_overview", data, {}) == (
        "Share of unchanged predictions per change: Clip 99 % (passed), Crop end 80 % (failed)."
    )


def test_without_an_original_the_first_condition_is_the_reference(view) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 5)
    values = dict(zip(("headset", "mobile"), data.predictions.values(), strict=True))
    recorded = dataclasses.replace(data, predictions=values)
    (drawing,) = FIGURES.get("shift_2d")(recorded, {}, "t").values()
    assert drawing.axes[0].get_xlabel() == "Prediction headset"
    pairs = {"pairs": [("headset", "mobile"), ("headset", "boundary")]}
    assert list(FIGURES.get("shift_2d")(recorded, pairs, "t")) == ["mobile"]


def test_common_start_is_removed_word_by_word() -> None:
    assert without_common_start(["Clip", "Clip Hard"]) == ["Clip", "Clip Hard"]
    assert without_common_start(["Crop Beginning", "Cropped"]) == ["Crop Beginning", "Cropped"]
    assert without_common_start(["Only One"]) == ["Only One"]
    assert without_common_start([]) == []


def test_overview_places_marks_on_the_exponential_scale() -> None:
    drawing = changes_overview("t", NAMES, [0.98, 0.6, 0.9], [True, False, False])
    (axes,) = drawing.axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["Clip", "Crop End", "Gain"]
    assert axes.lines[0].get_ydata() == pytest.approx(np.exp([0.6, 0.9, 0.98]))
    passed, failed = axes.collections
    assert passed.get_offsets().tolist() == [[2, pytest.approx(np.exp(0.98))]]
    assert len(failed.get_offsets()) == 2
    assert to_hex(passed.get_facecolor()[0]) == style.PASS.lower()
    assert to_hex(failed.get_facecolor()[0]) == style.FAIL.lower()
    assert len(passed.get_paths()[0].vertices) != len(failed.get_paths()[0].vertices)
    assert [tick.get_text() for tick in axes.get_yticklabels()][0::7] == ["0%", "100%"]
    assert style.encode(drawing).startswith(b"\x89PNG")


@pytest.mark.parametrize("shares", [[np.nan, 0.9, 1.0], [0.0, 0.1, 0.2], [np.nan] * 3])
def test_overview_of_low_and_missing_values(shares: list[float]) -> None:
    drawing = changes_overview("t", NAMES, shares, [False] * 3)
    low, _ = drawing.axes[0].get_ylim()
    assert low <= np.exp(np.nanmin([*shares, 0.25]) + 1e-9)
    assert style.encode(drawing).startswith(b"\x89PNG")


def test_description_of_changes() -> None:
    assert describe_changes(NAMES, [0.98, 0.6, np.nan], [True, False, False]) == (
        "Share of unchanged predictions per change: "
        "Clip 60 % (failed), Crop End undefined (failed), Gain 98 % (passed)."
    )
