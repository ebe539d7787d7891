"""How often intervals hold the true value: a simulation with populations that are known.

``python -m common.uncertainty.coverage FILE`` writes the table that the method page shows. Each
row is a population and a size. Samples are drawn from it many times; the share of the intervals
that hold the value of the whole population should be 95 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core import rng
from .bootstrap import Bootstrap
from .interval import METHODS
from .populations import (
    GROUPS,
    DrawnSamples,
    Population,
    SampleSize,
    apart,
    by_group,
    change,
    context,
    draw,
    of_classes,
    of_numbers,
    ranks,
    shift,
    unchanged,
)
from .written import write_table

COLUMNS = ("score", "speakers", "samples", "sizes", "likeness", "true value", *METHODS, "width")
#: speakers of the sample that stands for the population
WHOLE = 20_000
# -- the table -------------------------------------------------------------------------------

EMBEDDED, ACTED, NATURAL = (10, 50), (24, 50), (60, 60)
OF_SPEAKERS = [
    SampleSize(speakers, samples, likeness)
    for speakers, samples in (EMBEDDED, ACTED, NATURAL)
    for likeness in (0.02, 0.1)
]
OF_SPEAKERS += [SampleSize(*size, 0.05, uneven=True) for size in (ACTED, NATURAL)]
FEW = [SampleSize(4, 100, 0.05), SampleSize(6, 80, 0.05)]
OF_SAMPLES = [SampleSize(200, 1, 0), SampleSize(1000, 1, 0)]
GROUPED = [SampleSize(300, 6, 0.02), SampleSize(300, 6, 0.2)]
APART = [SampleSize(speakers, 20, 0.1) for speakers in (24, 40, 160)]
UNITS = [SampleSize(speakers, 1, 0) for speakers in (6, 12, 24, 60)]

TABLE: list[tuple[str, Population, Sequence[SampleSize]]] = [
    ("CCC", of_numbers("ccc"), [*FEW, *OF_SPEAKERS, *OF_SAMPLES]),
    ("mean absolute error", of_numbers("mae"), [*FEW, *OF_SPEAKERS, *OF_SAMPLES]),
    ("UAR", of_classes("uar"), [*FEW, *OF_SPEAKERS, *OF_SAMPLES]),
    ("recall of a rare class", of_classes("recall_per_class", "a"), [*OF_SPEAKERS, *OF_SAMPLES]),
    ("precision of a rare class", of_classes("precision_per_class", "a"), OF_SPEAKERS),
    ("share of unchanged predictions", unchanged(0.05), [*OF_SPEAKERS, *OF_SAMPLES]),
    (
        "Jensen-Shannon distance",
        of_numbers("jensen_shannon_distance", bins=10),
        [*OF_SPEAKERS, SampleSize(1000, 1, 0)],
    ),
    ("change of the CCC", change("change_ccc", DrawnSamples.numbers), OF_SPEAKERS),
    ("change of the UAR", change("change_uar", DrawnSamples.classes), OF_SPEAKERS),
    ("CCC, half of the speakers against all", by_group("ccc"), OF_SPEAKERS),
    ("recall, half of the speakers against all", by_group("recall_per_class", "a"), OF_SPEAKERS),
    ("mean, 10 of 300 speakers against all", shift("mean_difference"), GROUPED),
    (
        "share of a class, 10 of 300 speakers against all",
        shift("relative_difference_per_class", "b"),
        GROUPED,
    ),
    ("mean, 1 of 8 groups that differ", apart("mean_difference", GROUPS), APART),
    ("CCC, 1 of 8 groups that differ", apart("ccc", GROUPS), APART),
    (
        "shift of the mean, 1 of 8 groups",
        context("mean_shift_difference"),
        [SampleSize(4000, 1, 0)],
    ),
    (
        "shift of a share, 1 of 8 groups",
        context("class_proportion_shift_difference", "b"),
        [SampleSize(4000, 1, 0)],
    ),
    ("Spearman's rho of speakers", Population(ranks), UNITS),
]


def true_value(population: Population, size: SampleSize, seed: int) -> float:
    """Value that is known, or that of a sample so large that its error does not matter."""
    generator = rng.generator(seed, "population", repr(size))
    if population.known is not None:
        return population.known(generator)
    speakers = max(WHOLE, size.speakers) if size.samples > 1 else 100 * WHOLE
    drawn = draw(SampleSize(speakers, size.samples, size.likeness), generator)
    recipe, label = population.score(drawn)
    bound = Bootstrap(drawn.codes, seed=seed).bound(recipe)
    return float(bound.point()[bound.keys.index((recipe.group, label))])


def coverage(
    population: Population, size: SampleSize, repetitions: int, *, seed: int
) -> dict[str, float]:
    """Share of the intervals of each method that hold the true value, and their mean width.

    Args:
        population: what is drawn from
        size: how much is drawn
        repetitions: how often
        seed: seed of the simulation

    Returns:
        true value; method -> share of intervals; width of those of the method in use
    """
    true = true_value(population, size, seed)
    held = dict.fromkeys(METHODS, 0)
    width = 0.0
    for number in range(repetitions):
        drawn = draw(size, rng.generator(seed, "sample", repr(size), number))
        recipe, label = population.score(drawn)
        for method in METHODS:
            bootstrap = Bootstrap(drawn.codes, seed=number // 50, method=method)
            low, high, *_ = bootstrap.interval(recipe, label)
            held[method] += low <= true <= high
            width += (high - low) * (method == METHODS[0]) / repetitions
    shares = {method: count / repetitions for method, count in held.items()}
    return {"true value": true, **shares, "width": width}


def table(repetitions: int, *, seed: int = 0) -> Iterator[dict[str, str]]:
    """Rows of the table, as text."""
    for score, population, sizes in TABLE:
        for size in sizes:
            figures = coverage(population, size, repetitions, seed=seed)
            yield {
                "score": score,
                "speakers": str(size.speakers),
                "samples": str(size.samples),
                "sizes": "uneven" if size.uneven else "even",
                "likeness": f"{size.likeness:g}",
                "true value": f"{figures['true value']:.3f}",
                **{method: f"{100 * figures[method]:.1f}" for method in METHODS},
                "width": f"{figures['width']:.3f}",
            }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to a file."""
    write_table(
        arguments,
        COLUMNS,
        lambda repetitions, seed: table(repetitions, seed=seed),
        option="--repetitions",
        default=1000,
        description=__doc__,
    )


if __name__ == "__main__":
    main()
