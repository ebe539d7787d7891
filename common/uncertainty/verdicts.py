"""How often the second verdict is wrong: a simulation with the threshold at the true value.

``python -m common.uncertainty.verdicts FILE`` writes the table that the method page shows. The
threshold of each population is its true value, so a verdict that is certain is wrong. Nine of ten
speakers may be like each other or not: each row says what the speakers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core import rng
from ..spec.records import Criterion
from .bootstrap import Bootstrap
from .coverage import true_value
from .event_population import detections
from .populations import (
    Population,
    SampleSize,
    draw,
    errors_of,
    mostly,
    of_classes,
    of_numbers,
    unchanged,
    unchanged_of,
)
from .verdict import PASSES, verdict_on_share, verdict_with_power
from .written import write_table

COLUMNS = (
    *("score", "population", "speakers", "samples", "true value", "mean score"),
    *("interval above", "interval below", "passes"),
)
SIZES = [SampleSize(10, 50, 0.1), SampleSize(24, 50, 0.1), SampleSize(60, 60, 0.1)]
SHARE, ERROR = "share of unchanged predictions", "mean absolute error"
TABLE: list[tuple[str, str, Population]] = [
    (SHARE, "alike", unchanged(0.05)),
    (SHARE, "differ", unchanged_of(lambda generator, n: generator.beta(9, 1, n))),
    (SHARE, "differ much", unchanged_of(lambda generator, n: generator.beta(4.85, 0.15, n))),
    (SHARE, "one in ten", unchanged_of(mostly(0.995, 0.55))),
    ("recall of a rare class", "alike", of_classes("recall_per_class", "a")),
    ("UAR", "alike", of_classes("uar")),
    ("CCC", "alike", of_numbers("ccc")),
    (ERROR, "alike", of_numbers("mae")),
    (ERROR, "differ", errors_of(lambda generator, n: generator.lognormal(-0.08, 0.4, n) / 10)),
    (ERROR, "one in ten", errors_of(mostly(0.1, 0.3))),
]
RECORDINGS = [SampleSize(30, 1, 0), SampleSize(60, 1, 0), SampleSize(150, 1, 0)]
EVENTS: list[tuple[str, str, Population]] = [
    ("PSDS, scenario 2", f"{classes} classes", detections("psds_2", classes)) for classes in (5, 10)
]
#: a PSDS takes long, so that it is drawn less often
RARER = 5


class Wrong(NamedTuple):
    """Shares of samples.

    Args:
        score: mean score; above or below the true value if the score has a bias
        above: whose interval lies above the true value
        below: whose interval lies below it
        passes: that pass for certain although the true value is the threshold
    """

    score: float
    above: float
    below: float
    passes: float


def wrong(population: Population, size: SampleSize, true: float, runs: int, *, seed: int) -> Wrong:
    """How often the interval and the verdict are wrong.

    Args:
        population: what is drawn from
        size: how much is drawn
        true: true value, which is the threshold
        runs: how often
        seed: seed of the simulation
    """
    above = below = passes = 0
    total = 0.0
    for number in range(runs):
        drawn = draw(size, rng.generator(seed, "verdict", repr(size), number))
        recipe, label = population.score(drawn)
        bootstrap = Bootstrap(drawn.codes, seed=number // 50)
        interval = bootstrap.interval(recipe, label)
        low, high = interval.low, interval.high
        bound = bootstrap.bound(recipe)
        value = float(bound.point()[bound.keys.index((recipe.group, label))])
        total += value
        above, below = above + (low > true), below + (high < true)
        if interval.is_share:
            rule = Criterion(above=true)
            passes += verdict_on_share(low, value, high, interval.clusters, rule) == PASSES
        else:
            rule = Criterion(below=true) if recipe.term.metric == "mae" else Criterion(above=true)
            passes += verdict_with_power(low, high, rule) == PASSES
    return Wrong(total / runs, above / runs, below / runs, passes / runs)


def table(runs: int, *, seed: int = 0) -> Iterator[dict[str, str]]:
    """Rows of the table, as text; shares in per cent."""
    cases = [(*case, size, runs) for case in TABLE for size in SIZES]
    cases += [(*case, size, max(1, runs // RARER)) for case in EVENTS for size in RECORDINGS]
    for score, name, population, size, number in cases:
        true = true_value(population, size, seed)
        mean, *shares = wrong(population, size, true, number, seed=seed)
        cells = (score, name, size.speakers, size.samples, f"{true:.3f}", f"{mean:.3f}")
        values = [*map(str, cells), *(f"{100 * share:.1f}" for share in shares)]
        yield dict(zip(COLUMNS, values, strict=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to a file."""
    write_table(
        arguments,
        COLUMNS,
        lambda runs, seed: table(runs, seed=seed),
        option="--runs",
        default=2000,
        description=__doc__,
    )


if __name__ == "__main__":
    main()
