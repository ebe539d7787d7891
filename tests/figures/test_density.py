from __future__ import annotations

import numpy as np
import pytest

from common.figures import style
from common.figures.density import (
    BIN_WIDTH,
    EDGES,
    GRID,
    bin_counts,
    draw_class_bars,
    draw_histograms,
    kernel_density,
)


@pytest.mark.parametrize("n", [5, 100, 3000])
def test_density_equals_scipy(n: int) -> None:
    from scipy.stats import gaussian_kde

    values = np.clip(np.random.default_rng(n).normal(0.5, 0.15, n), 0, 1)
    expected = gaussian_kde(values)(GRID)
    density = kernel_density(values)
    assert density is not None
    assert np.abs(density - expected).max() < 0.002 * expected.max()


@pytest.mark.parametrize("values", [[], [0.4], [0.3] * 9, [0.3, 0.3 + 1e-12]])
def test_no_density_of_a_single_value(values: list[float]) -> None:
    assert kernel_density(np.array(values)) is None


def test_every_value_is_in_a_bin() -> None:
    values = np.array([-3.0, 0.0, 0.029, 0.03, 0.99, 1.0, 1.2])
    counts = bin_counts(values)
    assert counts.sum() == len(values)
    assert counts[:2].tolist() == [3, 1]
    assert counts[-1] == 3
    assert EDGES[0] == 0
    assert EDGES[-2] == pytest.approx(0.99)


@pytest.mark.parametrize(("scale", "total"), [("frequency", 50 / BIN_WIDTH), ("percent", 100.0)])
def test_heights_add_up(scale: str, total: float) -> None:
    rng = np.random.default_rng(0)
    with style.applied():
        _, (axes,) = style.canvas("")
        series = {"Truth": rng.random(50), "Prediction": rng.random(20)}
        draw_histograms(axes, series, [style.TRUTH, style.PREDICTION], scale=scale)  # type: ignore[arg-type]
    first, _ = (patch.get_data() for patch in axes.patches)
    assert first.values.sum() == pytest.approx(total)
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["Truth (50)", "Prediction (20)"]


def test_lines_differ_in_more_than_colour() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        series = {"a": np.array([0.1, 0.5]), "b": np.array([0.2, 0.3])}
        draw_histograms(axes, series, [style.TRUTH, style.PREDICTION], scale="frequency")
    assert {line.get_linestyle() for line in axes.lines} == {"--", "-"}


def test_bars_show_counts_of_every_class() -> None:
    labels = ["anger", "neutral", "sadness"]
    truth = np.array(["anger", "anger", "neutral"], dtype=object)
    prediction = np.array(["anger", "neutral", "neutral"], dtype=object)
    with style.applied():
        _, (axes,) = style.canvas("")
        series = {"Truth": truth, "Prediction": prediction}
        draw_class_bars(axes, labels, series, [style.TRUTH, style.PREDICTION], scale="count")
    assert [bar.get_height() for bar in axes.patches] == [2, 1, 0, 1, 2, 0]
    assert [text.get_text() for text in axes.texts] == ["2", "1", "0", "1", "2", "0"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == labels
