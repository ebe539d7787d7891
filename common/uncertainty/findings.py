"""How often equal groups are said to differ: a simulation of p and q values.

``python -m common.uncertainty.findings FILE`` writes the table that the method page shows. In each
run, twenty groups of a few speakers are drawn from one population and compared with all samples,
as the designs of fairness do. Every p value below a level is a false alarm, and so is every run
with a q value below 0.05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..core import rng
from .bootstrap import Bootstrap
from .multiple import benjamini_hochberg
from .populations import CLASSES, DrawnSamples, SampleSize, draw
from .recipe import Recipe, Term
from .written import write_table

LEVELS = (0.05, 0.01, 0.002)
#: q values below this are called findings
FINDING = 0.05
GROUPS = 20
COLUMNS = (
    *("score", "groups", "speakers", "samples", "likeness"),
    *(f"p < {level:g}" for level in LEVELS),
    f"any q < {FINDING:g}",
)

#: samples and the group of each -> recipe of the score of each group, and its label
Comparisons = Callable[[DrawnSamples, np.ndarray], tuple[list[Recipe], str]]


def _shift(metric: str, label: str = "") -> Comparisons:
    def comparisons(drawn: DrawnSamples, groups: np.ndarray) -> tuple[list[Recipe], str]:
        values = drawn.classes()[1] if label else drawn.numbers()[1]
        everyone = np.arange(len(values))
        recipes = []
        for number in range(groups.max() + 1):
            rows = np.flatnonzero(groups == number)
            term = Term(metric, (values, values[rows]), rows=(everyone, rows), labels=CLASSES)
            recipes.append(Recipe(term, strata=groups))
        return recipes, label

    return comparisons


def _quality(metric: str) -> Comparisons:
    def comparisons(drawn: DrawnSamples, groups: np.ndarray) -> tuple[list[Recipe], str]:
        arrays = drawn.numbers()
        everyone = Term(metric, arrays)
        recipes = []
        for number in range(groups.max() + 1):
            rows = np.flatnonzero(groups == number)
            term = Term(metric, tuple(values[rows] for values in arrays), rows=(rows,))
            recipes.append(Recipe(term, minus=everyone, strata=groups))
        return recipes, ""

    return comparisons


#: speakers of each group, samples of each speaker, and how alike these are
SIZES = [SampleSize(speakers, 6, 0.2) for speakers in (3, 4, 5, 10)]
TABLE: list[tuple[str, Comparisons]] = [
    ("mean", _shift("mean_difference")),
    ("share of a class", _shift("relative_difference_per_class", "b")),
    ("CCC", _quality("ccc")),
]


def findings(
    comparisons: Comparisons, size: SampleSize, runs: int, *, seed: int
) -> tuple[list[float], float]:
    """Share of false alarms.

    Args:
        comparisons: what is compared
        size: speakers of each group, their samples and their likeness
        runs: how often
        seed: seed of the simulation

    Returns:
        share of p values below each of :data:`LEVELS`; share of runs with a finding
    """
    values = np.empty((runs, GROUPS))
    whole = SampleSize(GROUPS * size.speakers, size.samples, size.likeness)
    for number in range(runs):
        drawn = draw(whole, rng.generator(seed, "groups", repr(size), number))
        recipes, label = comparisons(drawn, drawn.codes // size.speakers)
        bootstrap = Bootstrap(drawn.codes, seed=number // 50)
        values[number] = [bootstrap.interval(recipe, label).p_value for recipe in recipes]
    alarms = [(benjamini_hochberg(row) < FINDING).any() for row in values]
    return [float((values < level).mean()) for level in LEVELS], float(np.mean(alarms))


def table(runs: int, *, seed: int = 0) -> Iterator[dict[str, str]]:
    """Rows of the table, as text; shares in per cent."""
    for score, comparisons in TABLE:
        for size in SIZES:
            levels, any_of = findings(comparisons, size, runs, seed=seed)
            yield {
                "score": score,
                "groups": str(GROUPS),
                "speakers": str(size.speakers),
                "samples": str(size.samples),
                "likeness": f"{size.likeness:g}",
                **{f"p < {a:g}": f"{100 * b:.2f}" for a, b in zip(LEVELS, levels, strict=True)},
                COLUMNS[-1]: f"{100 * any_of:.1f}",
            }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to a file."""
    write_table(
        arguments,
        COLUMNS,
        lambda runs, seed: table(runs, seed=seed),
        option="--runs",
        default=1000,
        description=__doc__,
    )


if __name__ == "__main__":
    main()
