"""Populations that are known, from which simulations draw samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .recipe import Recipe, Term

#: shares of three classes; the first one is rare
CLASSES, SHARES = ("a", "b", "c"), (0.1, 0.3, 0.6)
#: standard deviation of the logarithm of the number of samples of a speaker, if uneven
UNEVEN = 0.7
#: groups whose context shifts are compared
GROUPS = 8


@dataclass(frozen=True)
class SampleSize:
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
class DrawnSamples:
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
        sample = self.generator.normal(size=len(self.codes))
        mixed: np.ndarray = np.sqrt(self.likeness) * speaker + np.sqrt(1 - self.likeness) * sample
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

    def inside(self, rows: np.ndarray) -> np.ndarray:
        """1 for samples of a group, 0 for others, shape (N,)."""
        return np.bincount(rows, minlength=len(self.codes))


@dataclass(frozen=True)
class Population:
    """What is drawn from.

    Args:
        score: samples -> recipe of a score, and its label
        known: source of random numbers -> true value; None: that of a very large sample
    """

    score: Callable[[DrawnSamples], tuple[Recipe, str]]
    known: Callable[[np.random.Generator], float] | None = None


def _zero(generator: np.random.Generator) -> float:
    """True difference of random parts of a population."""
    return 0.0


def draw(size: SampleSize, generator: np.random.Generator) -> DrawnSamples:
    """Speakers and the samples of each."""
    counts = np.full(size.speakers, size.samples)
    if size.uneven:
        factor = generator.lognormal(-(UNEVEN**2) / 2, UNEVEN, size.speakers)
        counts = np.maximum(1, np.round(size.samples * factor)).astype(int)
    return DrawnSamples(generator, np.repeat(np.arange(size.speakers), counts), size.likeness)


# -- populations -----------------------------------------------------------------------------


def of_numbers(metric: str, **params: object) -> Population:
    """A metric of truth and prediction."""
    return Population(lambda drawn: (Recipe(Term(metric, drawn.numbers(), params=params)), ""))


def of_classes(metric: str, label: str = "") -> Population:
    """A metric of annotated and predicted classes."""
    return Population(lambda drawn: (Recipe(Term(metric, drawn.classes(), labels=CLASSES)), label))


def unchanged(tolerance: float) -> Population:
    """Share of predictions that a change moves by less than a tolerance."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        before = drawn.normal() / 6
        arrays = before, before + drawn.normal() / 40
        return Recipe(Term("percentage_unchanged", arrays, params={"tolerance": tolerance})), ""

    return Population(score)


def change(metric: str, original: Callable[[DrawnSamples], tuple[np.ndarray, ...]]) -> Population:
    """Change of a score by a change of the signals."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        truth, before = original(drawn)
        if truth.dtype == object:
            redrawn = drawn.generator.random(len(truth)) < 0.1
            after = np.where(redrawn, drawn.generator.permutation(before), before)
        else:
            after = before + drawn.normal() / 20
        return Recipe(Term(metric, (truth, before, after))), ""

    return Population(score)


def by_group(metric: str, label: str = "") -> Population:
    """Half of the speakers against all of them."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        arrays = drawn.classes() if label else drawn.numbers()
        rows = drawn.group(0.5)
        everyone = Term(metric, arrays, labels=CLASSES)
        term = Term(metric, tuple(a[rows] for a in arrays), rows=(rows,), labels=CLASSES)
        return Recipe(term, minus=everyone, strata=drawn.inside(rows)), label

    return Population(score, _zero)


def shift(metric: str, label: str = "") -> Population:
    """Predictions of one speaker in thirty against those of all."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        values = drawn.classes()[1] if label else drawn.numbers()[1]
        rows = drawn.group(1 / 30)
        everyone = np.arange(len(values))
        term = Term(metric, (values, values[rows]), rows=(everyone, rows), labels=CLASSES)
        return Recipe(term, strata=drawn.inside(rows)), label

    return Population(score, _zero)


def context(metric: str, label: str = "") -> Population:
    """Shift of one of several groups in a context, against the mean shift."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        values = drawn.classes()[1] if label else drawn.numbers()[1]
        n = len(values)
        groups = np.array([f"g{number}" for number in range(GROUPS)], dtype=object)
        group = groups[drawn.generator.integers(0, GROUPS, n)]
        context = drawn.generator.random(n) < 1 / 3
        return Recipe(Term(metric, (values, group, context), labels=CLASSES), group="g0"), label

    return Population(score, _zero)


def ranks(drawn: DrawnSamples) -> tuple[Recipe, str]:
    """Means of speakers, with a correlation of 0.8."""
    truth, noise = (drawn.generator.normal(size=drawn.speakers) for _ in range(2))
    names = np.arange(drawn.speakers)
    return Recipe(Term("spearmans_rho", (truth, 0.8 * truth + 0.6 * noise)), units=names), ""


# -- groups and speakers that differ ---------------------------------------------------------


def apart(metric: str, groups: int) -> Population:
    """The second of several groups against all; groups differ in their mean prediction.

    They lie evenly from one standard deviation of the predictions below all to one above.
    """

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        truth, prediction = drawn.numbers()
        group = drawn.codes * groups // drawn.speakers
        prediction = prediction + np.linspace(-1, 1, groups)[group] / 6
        rows = np.flatnonzero(group == 1)
        if metric == "mean_difference":
            everyone = np.arange(len(group))
            term = Term(metric, (prediction, prediction[rows]), rows=(everyone, rows))
            return Recipe(term, strata=group), ""
        group_term = Term(metric, (truth[rows], prediction[rows]), rows=(rows,))
        return Recipe(group_term, minus=Term(metric, (truth, prediction)), strata=group), ""

    return Population(score)


#: (generator, number of speakers) -> a number of each speaker
OfSpeakers = Callable[[np.random.Generator, int], np.ndarray]


def unchanged_of(shares: OfSpeakers) -> Population:
    """Share of unchanged predictions; each speaker has a probability of his own."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        share = shares(drawn.generator, drawn.speakers)[drawn.codes]
        moved = (drawn.generator.random(len(share)) >= share).astype(np.float64)
        arrays = np.zeros(len(share)), moved
        return Recipe(Term("percentage_unchanged", arrays, params={"tolerance": 0.05})), ""

    return Population(score)


def errors_of(scales: OfSpeakers) -> Population:
    """Mean absolute error; errors are normal with a standard deviation of each speaker."""

    def score(drawn: DrawnSamples) -> tuple[Recipe, str]:
        scale = scales(drawn.generator, drawn.speakers)[drawn.codes]
        errors = drawn.generator.normal(size=len(scale)) * scale
        return Recipe(Term("mae", (np.zeros(len(scale)), errors))), ""

    return Population(score)


def mostly(usual: float, rare: float) -> OfSpeakers:
    """One number for nine of ten speakers, another one for the tenth."""
    return lambda generator, n: np.where(generator.random(n) < 0.1, rare, usual)
