"""How often intervals hold the true value: a simulation with populations that are known.

``python -m common.uncertainty.coverage FILE`` writes the table that the method page shows. Each
row is a population and a size. Samples are drawn from it many times; the share of the intervals
that hold the value of the whole population should be 95 %.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common import rng
from common.files import write_text
from common.uncertainty.bootstrap import Bootstrap
from common.uncertainty.interval import METHODS
from common.uncertainty.recipe import Recipe, Term

COLUMNS = ("score", "speakers", "samples", "sizes", "likeness", "true value", *METHODS, "width")
#: shares of three classes; the first one is rare
CLASSES, SHARES = ("a", "b", "c"), (0.1, 0.3, 0.6)
#: speakers of the sample that stands for the population
WHOLE = 20_000
#: standard deviation of the logarithm of the number of samples of a speaker, if uneven
UNEVEN = 0.7
#: groups whose context shifts are compared
GROUPS = 8


@dataclass(frozen=True)
class Size:
    """How many samples there are.

    Args:
        speakers: number of clusters
        samples: mean number of samples of each
        likeness: intra-class correlation: the part of the variance that is between speakers
        uneven: whether the numbers of samples differ
    """

    speakers: int
    samples: int
    likeness: float
    uneven: bool = False


@dataclass(frozen=True)
class Drawn:
    """Samples of a population, with what makes speakers alike.

    Args:
        generator: source of more random numbers
        codes: speaker of each sample, shape (N,)
        likeness: intra-class correlation
    """

    generator: np.random.Generator
    codes: np.ndarray
    likeness: float

    @property
    def speakers(self) -> int:
        """Number of speakers."""
        return int(self.codes.max()) + 1

    def normal(self) -> np.ndarray:
        """Standard normal numbers that are alike within a speaker, shape (N,)."""
        speaker = self.generator.normal(size=self.speakers)[self.codes]
        own = self.generator.normal(size=len(self.codes))
        mixed: np.ndarray = np.sqrt(self.likeness) * speaker + np.sqrt(1 - self.likeness) * own
        return mixed

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Truth and prediction, about 0.5 with a standard deviation of about 1/6."""
        truth = self.normal()
        return 0.5 + truth / 6, 0.52 + (0.6 * truth + 0.6 * self.normal()) / 6

    def classes(self) -> tuple[np.ndarray, np.ndarray]:
        """Annotated and predicted classes; each speaker has errors of his own."""
        truth = self.generator.choice(len(CLASSES), len(self.codes), p=SHARES)
        scores = np.stack([self.normal() for _ in CLASSES], axis=1)
        scores[np.arange(len(truth)), truth] += 1
        names = np.array(CLASSES, dtype=object)
        return names[truth], names[scores.argmax(axis=1)]

    def group(self, share: float) -> np.ndarray:
        """Samples of the first speakers, shape (n,)."""
        return np.flatnonzero(self.codes < round(share * self.speakers))


#: samples -> recipe of a score, and its label
Population = Callable[[Drawn], tuple[Recipe, str]]


def draw(size: Size, generator: np.random.Generator) -> Drawn:
    """Speakers and the samples of each."""
    counts = np.full(size.speakers, size.samples)
    if size.uneven:
        factor = generator.lognormal(-(UNEVEN**2) / 2, UNEVEN, size.speakers)
        counts = np.maximum(1, np.round(size.samples * factor)).astype(int)
    return Drawn(generator, np.repeat(np.arange(size.speakers), counts), size.likeness)


# -- populations -----------------------------------------------------------------------------


def _numbers(metric: str, **params: object) -> Population:
    return lambda drawn: (Recipe(Term(metric, drawn.numbers(), params=params)), "")


def _classes(metric: str, label: str = "") -> Population:
    return lambda drawn: (Recipe(Term(metric, drawn.classes(), labels=CLASSES)), label)


def _unchanged(tolerance: float) -> Population:
    def population(drawn: Drawn) -> tuple[Recipe, str]:
        before = drawn.normal() / 6
        arrays = before, before + drawn.normal() / 40
        return Recipe(Term("percentage_unchanged", arrays, params={"tolerance": tolerance})), ""

    return population


def _change(metric: str, original: Callable[[Drawn], tuple[np.ndarray, ...]]) -> Population:
    def population(drawn: Drawn) -> tuple[Recipe, str]:
        truth, before = original(drawn)
        if truth.dtype == object:
            redrawn = drawn.generator.random(len(truth)) < 0.1
            after = np.where(redrawn, drawn.generator.permutation(before), before)
        else:
            after = before + drawn.normal() / 20
        return Recipe(Term(metric, (truth, before, after))), ""

    return population


def _by_group(metric: str, label: str = "") -> Population:
    def population(drawn: Drawn) -> tuple[Recipe, str]:
        arrays = drawn.classes() if label else drawn.numbers()
        rows = drawn.group(0.5)
        everyone = Term(metric, arrays, labels=CLASSES)
        own = Term(metric, tuple(a[rows] for a in arrays), rows=(rows,), labels=CLASSES)
        return Recipe(own, minus=everyone), label

    return population


def _shift(metric: str, label: str = "") -> Population:
    def population(drawn: Drawn) -> tuple[Recipe, str]:
        values = drawn.classes()[1] if label else drawn.numbers()[1]
        rows = drawn.group(1 / 30)
        everyone = np.arange(len(values))
        term = Term(metric, (values, values[rows]), rows=(everyone, rows), labels=CLASSES)
        return Recipe(term), label

    return population


def _context(metric: str, label: str = "") -> Population:
    def population(drawn: Drawn) -> tuple[Recipe, str]:
        values = drawn.classes()[1] if label else drawn.numbers()[1]
        n = len(values)
        groups = np.array([f"g{number}" for number in range(GROUPS)], dtype=object)
        group = groups[drawn.generator.integers(0, GROUPS, n)]
        context = drawn.generator.random(n) < 1 / 3
        return Recipe(Term(metric, (values, group, context), labels=CLASSES), group="g0"), label

    return population


def _ranking(drawn: Drawn) -> tuple[Recipe, str]:
    """Means of speakers, with a correlation of 0.8."""
    truth, noise = (drawn.generator.normal(size=drawn.speakers) for _ in range(2))
    names = np.arange(drawn.speakers)
    return Recipe(Term("spearmans_rho", (truth, 0.8 * truth + 0.6 * noise)), units=names), ""


# -- the table -------------------------------------------------------------------------------

EMBEDDED, ACTED, NATURAL = (10, 50), (24, 50), (60, 60)
OF_SPEAKERS = [
    Size(speakers, samples, likeness)
    for speakers, samples in (EMBEDDED, ACTED, NATURAL)
    for likeness in (0.02, 0.1)
]
OF_SPEAKERS += [Size(*size, 0.05, uneven=True) for size in (ACTED, NATURAL)]
FEW = [Size(4, 100, 0.05), Size(6, 80, 0.05)]
OF_SAMPLES = [Size(200, 1, 0), Size(1000, 1, 0)]
GROUPED = [Size(300, 6, 0.02), Size(300, 6, 0.2)]
UNITS = [Size(speakers, 1, 0) for speakers in (6, 12, 24, 60)]

TABLE: list[tuple[str, Population, Sequence[Size]]] = [
    ("CCC", _numbers("ccc"), [*FEW, *OF_SPEAKERS, *OF_SAMPLES]),
    ("mean absolute error", _numbers("mae"), [*FEW, *OF_SPEAKERS, *OF_SAMPLES]),
    ("UAR", _classes("uar"), [*FEW, *OF_SPEAKERS, *OF_SAMPLES]),
    ("recall of a rare class", _classes("recall_per_class", "a"), [*OF_SPEAKERS, *OF_SAMPLES]),
    ("precision of a rare class", _classes("precision_per_class", "a"), OF_SPEAKERS),
    ("share of unchanged predictions", _unchanged(0.05), [*OF_SPEAKERS, *OF_SAMPLES]),
    (
        "Jensen-Shannon distance",
        _numbers("jensen_shannon_distance", bins=10),
        [*OF_SPEAKERS, Size(1000, 1, 0)],
    ),
    ("change of the CCC", _change("change_ccc", Drawn.numbers), OF_SPEAKERS),
    ("change of the UAR", _change("change_uar", Drawn.classes), OF_SPEAKERS),
    ("CCC, half of the speakers against all", _by_group("ccc"), OF_SPEAKERS),
    ("recall, half of the speakers against all", _by_group("recall_per_class", "a"), OF_SPEAKERS),
    ("mean, 10 of 300 speakers against all", _shift("mean_difference"), GROUPED),
    (
        "share of a class, 10 of 300 speakers against all",
        _shift("relative_difference_per_class", "b"),
        GROUPED,
    ),
    ("shift of the mean, 1 of 8 groups", _context("mean_shift_difference"), [Size(4000, 1, 0)]),
    (
        "shift of a share, 1 of 8 groups",
        _context("class_proportion_shift_difference", "b"),
        [Size(4000, 1, 0)],
    ),
    ("Spearman's rho of speakers", _ranking, UNITS),
]


def true_value(population: Population, size: Size, seed: int) -> float:
    """Value in a sample so large that its error does not matter.

    Groups are random parts of the speakers or samples, so the true difference of one is 0.
    """
    recipe, _ = population(draw(Size(60, 5, 0), rng.generator(seed, "kind")))
    if recipe.minus is not None or recipe.group or not recipe.term.is_aligned:
        return 0.0
    speakers = max(WHOLE, size.speakers) if size.samples > 1 else 100 * WHOLE
    drawn = draw(
        Size(speakers, size.samples, size.likeness), rng.generator(seed, "population", repr(size))
    )
    recipe, label = population(drawn)
    bound = Bootstrap(drawn.codes, seed=seed).bound(recipe)
    return float(bound.point()[bound.keys.index((recipe.group, label))])


def coverage(
    population: Population, size: Size, repetitions: int, *, seed: int
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
        recipe, label = population(drawn)
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
            found = coverage(population, size, repetitions, seed=seed)
            yield {
                "score": score,
                "speakers": str(size.speakers),
                "samples": str(size.samples),
                "sizes": "uneven" if size.uneven else "even",
                "likeness": f"{size.likeness:g}",
                "true value": f"{found['true value']:.3f}",
                **{method: f"{100 * found[method]:.1f}" for method in METHODS},
                "width": f"{found['width']:.3f}",
            }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table to a file."""
    parser = argparse.ArgumentParser(prog="common.uncertainty.coverage", description=__doc__)
    parser.add_argument("file", type=Path, help="CSV file to write")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table(args.repetitions, seed=args.seed))
    write_text(args.file, text.getvalue())


if __name__ == "__main__":
    main()
