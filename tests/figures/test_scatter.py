from __future__ import annotations

import numpy as np
import pytest

from common.core.rng import generator
from common.figures import FIGURES, alt, style
from common.figures.scatter import bootstrap_band, describe_scatter, draw_scatter, regression_line


def noisy(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.random(n)
    return x, 0.2 + 0.6 * x + rng.normal(0, 0.1, n)


def test_line_equals_polyfit() -> None:
    x, y = noisy(50)
    assert regression_line(x, y) == pytest.approx(tuple(np.polyfit(x, y, 1)))


@pytest.mark.parametrize("x", [[], [0.5], [0.5, 0.5, 0.5]])
def test_no_line_through_one_place(x: list[float]) -> None:
    assert regression_line(np.array(x), np.ones(len(x))) is None
    assert bootstrap_band(np.array(x), np.ones(len(x)), np.zeros(2), generator(0)) is None


@pytest.mark.parametrize("n", [200, 8000])
def test_band_is_as_wide_as_theory_says(n: int) -> None:
    x, y = noisy(n)
    low, high = bootstrap_band(x, y, np.array([x.mean()]), generator(0), repetitions=2000)  # type: ignore[misc]
    residuals = y - np.polyval(np.polyfit(x, y, 1), x)
    width = 2 * 1.96 * residuals.std(ddof=2) / np.sqrt(n)
    assert (high - low)[0] == pytest.approx(width, rel=0.1)


def test_band_depends_on_its_generator_only() -> None:
    x, y = noisy(30)
    first, second, other = (bootstrap_band(x, y, x[:3], generator(seed)) for seed in (0, 0, 1))
    assert first is not None
    assert second is not None
    assert other is not None
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_samples_outside_are_counted() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        truth, prediction = np.array([0.1, 0.2, 0.3]), np.array([0.1, 1.5, -3.0])
        draw_scatter(axes, truth, prediction, generator(0))
    assert [text.get_text() for text in axes.texts] == ["2 outside"]
    assert axes.get_xlim() == axes.get_ylim() == (-0.1, 1.1)


def test_many_samples_become_a_density() -> None:
    for n, maps in ((100, 0), (4000, 1)):
        with style.applied():
            _, (axes,) = style.canvas("")
            draw_scatter(axes, *noisy(n), generator(0))
        kinds = [type(item).__name__ for item in axes.collections]
        assert kinds.count("QuadMesh") == maps
        assert kinds.count("PathCollection") == 1 - maps


def test_description() -> None:
    truth = np.array([0.0, 0.5, 1.0])
    assert describe_scatter(truth, 0.75 - 0.5 * truth) == (
        "Scatter plot of truth and prediction of 3 samples. Predictions lie between 0.25 and 0.75; "
        "the regression line falls from 0.75 at truth 0.00 to 0.25 at truth 1.00."
    )
    assert describe_scatter(truth * 0, truth).endswith("1.00; there is no regression line.")


def test_groups_are_named_in_a_second_line(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 30)
    drawings = FIGURES.get("scatter_by_group")(data, options, "emodb-1.2.0")
    assert list(drawings) == ["female", "male"]
    assert drawings["male"].get_suptitle() == "emodb-1.2.0\nmale"
    assert alt("scatter_by_group", data, options, "female").startswith("Group female: Scatter plot")
