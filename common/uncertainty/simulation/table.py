"""Tables of simulated scores: the thresholds of the suite, and the table of the paper."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core import rng
from ...core.registry import unknown
from ...spec import Test
from . import chance, reference
from .bounds import bound_above, next_step
from .nulls import quantile
from .setup import (
    OF_CLASSES,
    REPETITIONS,
    WITH_TRUTH,
    Null,
    Setup,
    default_setup,
    equal_sizes,
)

Point = tuple[int, int]

#: simulated maxima that pages show
KEPT = Path(__file__).with_name("maxima.csv")
#: metric -> its name in the paper's table, where it differs
PUBLISHED_NAMES = {
    "class_proportion_shift_difference": "class_shift_diff",
    "bin_proportion_shift_difference": "bin_shift_diff",
    "mean_difference": "mean",
    "mean_shift_difference": "mean_shift_diff",
    "uar": "recall",
    "uap": "precision",
    "mean_directional_error": "mde",
}
#: columns of the paper's table
COLUMNS = (
    *("n_samples", "n_groups", "max", "distribution", "simulation"),
    *("distribution_truth", "distribution_pred", "varied", "99_perc"),
)


@dataclass(frozen=True)
class Draws:
    """How chance models draw.

    Args:
        repetitions: number of repetitions; 0: 1,000 for maxima, and for quantiles as many as
            they need
        compat: with the draws of the paper; else with our own
        seed: of our own draws
    """

    repetitions: int = 0
    compat: bool = False
    seed: int = rng.DEFAULT_SEED


def simulate(
    setups: Sequence[Setup],
    points: Sequence[Point],
    draws: Draws,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[tuple[Setup, Point], Null]:
    """Scores under chance for equal groups.

    Args:
        setups: metrics and distributions
        points: (samples per group, number of groups)
        draws: how chance models draw
        progress: told how far it is
    """
    repetitions = draws.repetitions or REPETITIONS
    if draws.compat:
        return reference.simulate(setups, points, repetitions=repetitions, progress=progress)
    nulls = {}
    for number, setup in enumerate(setups):
        for n, g in points:
            generator = rng.generator(draws.seed, "simulate", str(setup), n, g)
            sizes = equal_sizes(setup.metric, n, g)
            null = chance.simulate(setup, sizes, generator, repetitions=repetitions)
            nulls[setup, (n, g)] = null
        progress(number + 1, len(setups))
    return nulls


def published_rows(nulls: Mapping[tuple[Setup, Point], Null]) -> list[dict[str, object]]:
    """Rows with the columns and names of the paper's table."""
    return [
        {
            "n_samples": n,
            "n_groups": g,
            "max": null.maximum,
            "distribution": setup.prediction if setup.metric not in WITH_TRUTH else "",
            "simulation": PUBLISHED_NAMES.get(setup.metric, setup.metric),
            "distribution_truth": setup.truth,
            "distribution_pred": setup.prediction if setup.metric in WITH_TRUTH else "",
            "varied": setup.varied if setup.metric in WITH_TRUTH else "",
            "99_perc": null.percentile,
        }
        for (setup, (n, g)), null in nulls.items()
    ]


def limits(setups: Sequence[Setup], point: Point, draws: Draws) -> dict[Setup, dict[str, object]]:
    """What chance reaches with equal groups, and the bound that follows.

    With the draws of the paper, that is the maximum and its rule; with our own, the quantile
    that a bound for the samples at hand rests on.
    """
    n, g = point
    if draws.compat:
        return {
            setup: {
                "maximum": null.maximum,
                "percentile_99": null.percentile,
                "rule": next_step(null.maximum),
            }
            for (setup, _), null in simulate(setups, [point], draws).items()
        }
    facts: dict[Setup, dict[str, object]] = {}
    for setup in setups:
        generator = rng.generator(draws.seed, "quantile", str(setup), n, g)
        sizes = equal_sizes(setup.metric, n, g)
        limit = quantile(setup, sizes, generator, draws=draws.repetitions)
        facts[setup] = {
            "quantile": limit.value,
            "error": limit.error,
            "draws": limit.draws,
            "bound": bound_above(limit.value),
        }
    return facts


def operating_points(
    tests: Iterable[Test], draws: Draws, progress: Callable[[int, int], None]
) -> list[dict[str, object]]:
    """What chance reaches where the suite uses a threshold, beside that threshold.

    Args:
        tests: tests of the suite; those that name no numbers of samples are passed over
        draws: how chance models draw
        progress: told how far it is
    """
    uses = [
        (test, use, default_setup(use.metric), (test.chance.samples, test.chance.groups))
        for test in tests
        if test.chance is not None
        for use in (*test.regression, *test.classification)
    ]
    by_point: dict[Point, list[Setup]] = {}
    for _, _, setup, point in uses:
        by_point.setdefault(point, []).append(setup)
    columns: dict[tuple[Setup, Point], dict[str, object]] = {}
    for number, (point, setups) in enumerate(by_point.items()):
        by_setup = limits(list(dict.fromkeys(setups)), point, draws)
        columns |= {(setup, point): facts for setup, facts in by_setup.items()}
        progress(number + 1, len(by_point))
    return [
        {
            "test": test.id,
            "metric": use.metric,
            "samples": point[0],
            "groups": point[1],
            **columns[setup, point],
            "threshold": use.criterion.threshold,
        }
        for test, use, setup, point in uses
    ]


def plot_names(setups: Sequence[Setup]) -> dict[str, Setup]:
    """Name of the figure of each setup that the method pages show."""
    names = {}
    for setup in setups:
        name = PUBLISHED_NAMES.get(setup.metric, setup.metric)
        if setup == default_setup(setup.metric):
            if setup.metric in OF_CLASSES and setup.metric in WITH_TRUTH:
                name = f"truth{setup.truth}_pred{setup.prediction}_{name}"
            elif setup.metric in OF_CLASSES:
                name = f"{setup.prediction}_{name}"
            names[f"max_{name}"] = setup
    return names


def kept(name: str) -> tuple[list[int], dict[int, list[float]]]:
    """Samples per group, and number of groups -> maxima, of a figure, as they were simulated.

    ``maxima.csv`` beside this module holds the maxima of :func:`plot_names` with the draws of
    the paper, rounded to four decimals, so that pages can show them without simulating.

    Raises:
        ConfigError: if there is no such figure
    """
    maxima: dict[int, dict[int, float]] = {}
    names = set()
    with KEPT.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            names.add(row["name"])
            if row["name"] == name:
                maxima.setdefault(int(row["groups"]), {})[int(row["samples"])] = float(row["max"])
    if not maxima:
        raise unknown("simulated figure", name, names)
    samples = sorted(next(iter(maxima.values())))
    return samples, {g: [values[n] for n in samples] for g, values in maxima.items()}


def lines_of(
    nulls: Mapping[tuple[Setup, Point], Null], setup: Setup
) -> tuple[list[int], dict[int, list[float]]]:
    """Samples per group, and number of groups -> maxima, of one setup, for a line plot."""
    maxima = {point: null.maximum for (other, point), null in nulls.items() if other == setup}
    samples = sorted({n for n, _ in maxima})
    groups = sorted({g for _, g in maxima})
    return samples, {g: [maxima[n, g] for n in samples] for g in groups}
