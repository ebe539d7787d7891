from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from common.figures import alt, style
from common.figures.ranks import OUTCOMES, draw_ranks, rank
from common.figures.units import BEYOND, WITHIN, draw_averages, marks, panels


def test_panels_hold_means_or_shares(view) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 50, speakers=4)
    ((name, truth, prediction),) = panels(data, {"unit": "speaker"})
    means = data.samples.groupby("speaker", sort=False)["arousal"].mean()
    assert name == ""
    assert truth == pytest.approx(means.to_numpy())
    assert len(prediction) == 4
    classes = panels(view("classification", 50, speakers=4), {"unit": "speaker"})
    assert [panel.name for panel in classes] == ["anger", "happiness", "neutral", "sadness"]
    assert sum(panel.prediction for panel in classes) == pytest.approx(np.ones(4))


def test_small_and_large_deviations_differ_in_marker_and_colour() -> None:
    truth = np.array([0.5, 0.4, 0.6, 0.3])
    prediction = np.array([0.55, 0.62, 0.2, 0.4999])
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_averages(axes, truth, prediction, limit=0.2)
    points = [item for item in axes.collections if type(item).__name__ == "PathCollection"]
    heights = [item.get_offsets()[:, 1].tolist() for item in points]
    assert heights == [[0.3, 0.4, 0.5, 0.6], [0.4999, 0.55], [0.62], [0.2]]
    looks = list(marks(0.2).values())
    assert [marker for marker, _ in looks] == ["o", "x", "^", "v"]
    assert [to_hex(item.get_edgecolor()[0]) for item in points[1:2]] == [WITHIN]
    assert {to_hex(item.get_facecolor()[0]) for item in points[2:]} == {BEYOND}


def test_units_are_sorted_by_truth_only_if_asked() -> None:
    for sort, expected in ((True, [0.1, 0.9]), (False, [0.9, 0.1])):
        with style.applied():
            _, (axes,) = style.canvas("")
            draw_averages(axes, np.array([0.9, 0.1]), np.array([0.5, 0.5]), sort=sort)
        truth = axes.collections[1].get_offsets()[:, 1].tolist()
        assert truth == expected
        assert axes.get_xlabel() == ("Speaker, sorted by truth" if sort else "Speaker")


def test_outcomes_of_ranks() -> None:
    # eight units, two at each end; 1-8 in truth
    truth = np.arange(8) / 10
    prediction = np.array([0.0, 0.7, 0.1, 0.3, 0.2, 0.4, 0.5, 0.6])
    found = {
        name: np.flatnonzero(where).tolist() for name, where in rank(truth, prediction).kinds()
    }
    assert found == {
        "true positive": [0, 7],
        "true negative": [3, 4, 5],
        "false negative": [6],
        "false positive": [2],
        "top-bottom confusion": [1],
    }
    assert list(found) == list(OUTCOMES)


@pytest.mark.parametrize(("n", "size"), [(0, 0), (1, 0), (2, 0), (3, 1), (6, 2), (10, 2), (24, 6)])
def test_size_of_the_quarters(n: int, size: int) -> None:
    values = np.arange(n) / 100
    assert rank(values, values).size == size


def test_every_unit_has_one_outcome() -> None:
    rng = np.random.default_rng(0)
    ranks = rank(rng.random(30), rng.random(30))
    assert sum(where.astype(int) for _, where in ranks.kinds()).tolist() == [1] * 30  # type: ignore[union-attr]


def test_ranks_have_equal_axes_and_named_quarters() -> None:
    values = np.arange(12) / 12
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_ranks(axes, values, values[::-1])
    assert axes.get_aspect() == 1
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Rank in truth", "Rank in prediction")
    assert [text.get_text() for text in axes.texts] == ["bottom", "top"]
    squares = axes.collections[-1]
    assert squares.get_offsets().tolist() == [[1, 12], [2, 11], [3, 10], [10, 3], [11, 2], [12, 1]]
    assert to_hex(squares.get_facecolor()[0]) == BEYOND


def test_outcomes_of_one_colour_have_different_markers() -> None:
    looks = list(OUTCOMES.values())
    assert len(set(looks)) == len(looks)
    wrong = [marker for name, (marker, _) in OUTCOMES.items() if not name.startswith("true")]
    assert len(set(wrong)) == 3
    assert "o" not in wrong


def test_alternative_texts(view) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 80, speakers=8)
    options = {"unit": "speaker"}
    data.predictions["original"][:] = 0.95
    ((_, truth, _),) = panels(data, options)
    text = alt("unit_averages", data, options)
    assert text.startswith(
        "True and predicted averages of 8 speakers. 0 of 8 predicted within 0.2, "
    )
    assert text.endswith(f"largest difference {0.95 - truth.min():.2f}.")
    data.predictions["original"][:] = -data.truth
    assert alt("unit_ranks", data, options) == (
        "Ranks of 8 speakers by truth and by prediction. Of the speakers in the top and bottom "
        "quarter: 0 of 4 found, 4 put at the opposite end."
    )
