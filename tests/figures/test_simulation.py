from __future__ import annotations

import numpy as np
import pytest

from common.figures import FIGURES, alt, style
from common.figures.simulation import TICKS, describe_lines, simulation_lines
from common.figures.style import encode

SAMPLES = [20, 100, 400, 1000]
MAXIMA = {8: [0.4, 0.2, 0.1, 0.06], 2: [0.2, 0.1, 0.05, 0.03]}


def test_one_line_with_its_own_marker_per_number_of_groups() -> None:
    drawing = simulation_lines("t", SAMPLES, MAXIMA, threshold=0.1)
    (axes,) = drawing.axes
    assert [line.get_label() for line in axes.lines[:2]] == ["2", "8"]
    assert axes.lines[0].get_ydata().tolist() == MAXIMA[2]
    assert axes.lines[0].get_marker() != axes.lines[1].get_marker()
    assert axes.lines[2].get_ydata() == [0.1, 0.1]
    assert axes.get_xticks().tolist() == list(TICKS)
    assert encode(drawing).startswith(b"\x89PNG")


@pytest.mark.parametrize(("top", "step"), [(0.5, 0.025), (0.55, 0.05), (3.0, 0.2)])
def test_distance_of_ticks(top: float, step: float) -> None:
    (axes,) = simulation_lines("t", [20, 40], {2: [top, 0.01]}).axes
    assert np.diff(axes.get_yticks()[:2])[0] == pytest.approx(step)


def test_single_point() -> None:
    drawing = simulation_lines("t", [60], {30: [0.07]})
    assert drawing.axes[0].get_xticks().tolist() == [60]
    assert encode(drawing).startswith(b"\x89PNG")


def test_description() -> None:
    assert describe_lines(SAMPLES, MAXIMA) == (
        "Largest difference by chance from 20 to 1000 samples per group: "
        "2 groups 0.20 to 0.03; 8 groups 0.40 to 0.06."
    )


def test_scores_of_the_model_lie_under_those_of_chance(view) -> None:
    data = view("regression", 20)
    drawings = FIGURES.get("null_distributions")(data, {}, "t")
    assert list(drawings) == ["chance-ccc"]
    (axes,) = drawings["chance-ccc"].axes
    passed, failed = axes.collections
    assert passed.get_offsets()[:, 0].tolist() == [0.99]
    assert failed.get_offsets()[:, 0].tolist() == [0.8]
    assert failed.get_facecolor()[0, :3].tolist() == [
        pytest.approx(int(style.FAIL[n : n + 2], 16) / 255) for n in (1, 3, 5)
    ]
    assert axes.lines[0].get_xdata() == [0.9, 0.9]
    assert alt("null_distributions", data, {}, "chance-ccc") == (
        "Concordance Correlation Coeff: 99 % of the scores of chance models up to 0.59; 2 scores of the "
        "model, absolute values from 0.80 to 0.99, 1 within their threshold; the largest "
        "threshold is 0.9."
    )
