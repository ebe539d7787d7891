"""The score of a model on cells that data and suite fix, as exact fractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from ...results.tally import family_of, mean_share
from .outcomes import Key, Outcomes


class Outcome(NamedTuple):
    """Cells of a model in a ranking: passed, all, and those where the model gave no score.

    Cells that the model left without a verdict are not passed.
    """

    passed: int
    cells: int
    unscored: int = 0

    @property
    def failed(self) -> int:
        """Cells that are not passed."""
        return self.cells - self.passed

    @property
    def share(self) -> Fraction | None:
        """Share of passed cells; None without a cell."""
        return Fraction(self.passed, self.cells) if self.cells else None


def score(tests: Mapping[str, Outcome], families: Mapping[str, str]) -> Fraction | None:
    """The score: mean over families of the mean over tests of the share of passed cells.

    Args:
        tests: what a model made of the cells of each test
        families: test -> family

    >>> cells = {"a": Outcome(1, 2), "b": Outcome(1, 1), "c": Outcome(0, 5)}
    >>> score(cells, {"a": "x", "b": "x", "c": "y"})
    Fraction(3, 8)
    """
    return mean_of(family_means(tests, families).values())


def beyond_chance(share: Fraction | None, floor: Fraction | None) -> Fraction | None:
    """What is passed beyond chance, of what can be: (share - floor) / (1 - floor).

    1: everything is passed. 0: as much as by chance. Below 0: less than by chance. With
    floor = 1 nothing can be won beyond chance, and there is no such number.

    For the score, share and floor are means over families. So a family of which chance passes
    everything can only lose a model points, never win it any.

    >>> beyond_chance(Fraction(3, 4), Fraction(1, 2)), beyond_chance(Fraction(1), Fraction(1))
    (Fraction(1, 2), None)
    """
    if share is None or floor is None or floor == 1:
        return None
    return (share - floor) / (1 - floor)


def tallies_of(common: Outcomes) -> dict[Key, dict[str, Outcome]]:
    """What each model made of the common cells, by test."""
    ran = common.passed.notna()
    tables = (common.passed.fillna(0), ran, common.verdicts & ran)
    passed, sizes, judged = (table.groupby(level="test").sum() for table in tables)
    tests = [str(test) for test in sizes.index]
    columns = zip(
        *(table.to_numpy().T.astype("int64").tolist() for table in (passed, sizes, judged)),
        strict=True,
    )
    return {
        key: {
            test: Outcome(right, cells, cells - verdicts)
            for test, right, cells, verdicts in zip(tests, *column, strict=True)
            if cells
        }
        for key, column in zip(common.models, columns, strict=True)
    }


def family_means(tests: Mapping[str, Outcome], families: Mapping[str, str]) -> dict[str, Fraction]:
    """Mean over the tests of each family."""
    parts: dict[str, list[tuple[int, int]]] = {}
    for test, part in sorted(tests.items()):
        parts.setdefault(family_of(test, families), []).append((part.passed, part.cells))
    means = ((family, mean_share(part)) for family, part in sorted(parts.items()))
    return {family: mean for family, mean in means if mean is not None}


def mean_of(values: Iterable[Fraction]) -> Fraction | None:
    """Mean; None of nothing."""
    shares = list(values)
    return sum(shares, Fraction()) / len(shares) if shares else None
