"""Truth against prediction, sample by sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import rng
from ..spec.view import View
from . import style
from .base import aligned, by_group, figure
from .density import CONSTANT
from .text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LIMITS = (-0.1, 1.1)
#: more samples are drawn as a map of their density
MANY = 2000
#: share of the samples in one place that has the darkest colour; more have the same
DARKEST = 0.01


def regression_line(x: np.ndarray, y: np.ndarray) -> tuple[float, float] | None:
    """Slope and intercept of the least squares line; None if x is constant or N < 2.

    >>> regression_line(np.array([0.0, 1.0]), np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    if len(x) < 2 or np.ptp(x) < CONSTANT:
        return None
    slope = float(np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2))
    return slope, float(y.mean() - slope * x.mean())


def bootstrap_band(
    x: np.ndarray,
    y: np.ndarray,
    grid: np.ndarray,
    generator: np.random.Generator,
    *,
    repetitions: int = 400,
    blocks: int = 1000,
    level: float = 0.95,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Band that holds the regression line with probability ``level`` at every point.

    Lines are fitted to samples drawn with replacement. More than ``blocks`` samples are put
    at random into that many blocks of about equal size and blocks are drawn, which gives the
    same band at a fixed cost.

    Args:
        x: shape (N,)
        y: shape (N,)
        grid: where to evaluate the lines, shape (G,)
        generator: source of the draws
        repetitions: number of lines
        blocks: largest number of things to draw from
        level: probability

    Returns:
        lower and upper end, shape (G,) each; None if fewer than three samples or x is constant
    """
    if len(x) < 3 or np.ptp(x) < CONSTANT:
        return None
    x_mean, y_mean = x.mean(), y.mean()
    x, y = x - x_mean, y - y_mean
    sums = np.stack([np.ones_like(x), x, y, x * x, x * y])
    if len(x) > blocks:
        starts = np.linspace(0, len(x), blocks, endpoint=False).astype(int)
        sums = np.add.reduceat(sums[:, generator.permutation(len(x))], starts, axis=1)
    units = sums.shape[1]
    drawn = sums[:, generator.integers(units, size=(repetitions, units))].sum(axis=2)
    n, sx, sy, sxx, sxy = drawn
    spread = n * sxx - sx * sx
    valid = spread > CONSTANT * CONSTANT * n * n
    slope = (n * sxy - sx * sy)[valid] / spread[valid]
    intercept = (sy[valid] - slope * sx[valid]) / n[valid]
    lines = intercept[:, None] + slope[:, None] * (grid - x_mean) + y_mean
    tail = (1 - level) / 2
    low, high = np.quantile(lines, [tail, 1 - tail], axis=0)
    return low, high


def draw_scatter(
    axes: Axes,
    truth: np.ndarray,
    prediction: np.ndarray,
    generator: np.random.Generator,
    *,
    limits: tuple[float, float] = LIMITS,
) -> Axes:
    """Points, the regression line with its band, and the line of perfect predictions.

    Args:
        axes: where to draw
        truth: annotated values, shape (N,), horizontal
        prediction: predicted values, shape (N,), vertical
        generator: source of the draws of the band
        limits: of both axes; samples outside are counted in the corner
    """
    if len(truth) == 0:
        style.no_data(axes)
    elif len(truth) > MANY:
        _density(axes, truth, prediction, limits)
    else:
        alpha = float(np.clip(30 / np.sqrt(len(truth)) / 2, 0.25, 0.8))
        axes.scatter(truth, prediction, s=14, color=style.PREDICTION, alpha=alpha, linewidths=0)
    axes.plot(limits, limits, ":", color=style.TRUTH, label="perfect")
    line = regression_line(truth, prediction)
    if line is not None:
        ends = np.linspace(truth.min(), truth.max(), 50)
        color = style.ORIGINAL_INPUT
        band = bootstrap_band(truth, prediction, ends, generator)
        if band is not None:
            axes.fill_between(ends, *band, color=color, alpha=0.25, linewidth=0)
        axes.plot(ends, line[0] * ends + line[1], color=color, linewidth=2, label="regression")
    low, high = limits
    outside = int(
        np.sum((np.minimum(truth, prediction) < low) | (np.maximum(truth, prediction) > high))
    )
    if outside:
        axes.text(
            0.99, 0.01, f"{outside} outside", transform=axes.transAxes, ha="right", va="bottom"
        )
    axes.set(xlim=limits, ylim=limits, xlabel="Truth", ylabel="Prediction")
    for axis in (axes.xaxis, axes.yaxis):
        style.number_ticks(axis, np.arange(6) / 5)
    axes.grid(True)
    return axes


def _density(
    axes: Axes, truth: np.ndarray, prediction: np.ndarray, limits: tuple[float, float]
) -> None:
    from matplotlib.colors import LogNorm

    counts, edges, _ = np.histogram2d(truth, prediction, bins=60, range=[limits, limits])
    shown = np.where(counts > 0, counts, np.nan).T
    # one scale of colours for all models on the same data
    top = max(len(truth) * DARKEST, 2.0)
    mesh = axes.pcolormesh(
        edges, edges, shown, cmap=style.sequential(), norm=LogNorm(1, top), rasterized=True
    )
    bar = axes.figure.colorbar(mesh, cax=axes.inset_axes((1.025, 0, 0.033, 1)), extend="max")
    ticks = [tick for tick in (1, 10, 100, 1000, 10000, 100000) if tick <= top]
    bar.set_ticks(ticks, labels=[style.short_count(tick) for tick in ticks])
    bar.ax.minorticks_off()
    bar.set_label("Samples")
    bar.outline.set_visible(False)


def _figure(view: View, title: str, truth: np.ndarray, prediction: np.ndarray, key: str) -> Figure:
    drawing, (axes,) = style.canvas(title, height=3.9)
    generator = rng.generator(view.seed, "regression line", view.target.id, view.dataset, key)
    draw_scatter(axes, truth, prediction, generator)
    style.legend_below(drawing, axes.get_legend_handles_labels()[0])
    return drawing


def describe_scatter(truth: np.ndarray, prediction: np.ndarray) -> str:
    """Sentence on the regression line and the range of the predictions."""
    text = f"Scatter plot of truth and prediction of {count(len(truth))}."
    if len(truth) == 0:
        return text
    text += f" Predictions lie between {number(prediction.min())} and {number(prediction.max())}"
    line = regression_line(truth, prediction)
    if line is None:
        return text + "; there is no regression line."
    low, high = (line[0] * end + line[1] for end in (truth.min(), truth.max()))
    way = "rises" if high >= low else "falls"
    return (
        f"{text}; the regression line {way} from {number(low)} at truth {number(truth.min())} "
        f"to {number(high)} at truth {number(truth.max())}."
    )


def _scatter_alt(view: View, options: Any) -> dict[str, str]:
    return {"": describe_scatter(*aligned(view))}


@figure("scatter", alt=_scatter_alt)
def scatter(view: View, options: Any, title: str) -> dict[str, Figure]:
    """Truth against prediction with regression line."""
    return {"": _figure(view, title, *aligned(view), key="")}


def _by_group_alt(view: View, options: Any) -> dict[str, str]:
    return {
        suffix: f"Group {name}: {describe_scatter(truth, prediction)}"
        for suffix, (name, truth, prediction) in by_group(view, options).items()
    }


@figure("scatter_by_group", alt=_by_group_alt)
def scatter_by_group(view: View, options: Any, title: str) -> dict[str, Figure]:
    """One scatter plot per group; ``options.attribute`` names its column or columns."""
    return {
        suffix: _figure(view, f"{title}\n{name}", truth, prediction, name)
        for suffix, (name, truth, prediction) in by_group(view, options).items()
    }
