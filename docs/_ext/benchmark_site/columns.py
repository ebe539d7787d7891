"""What a table of scores shows of one model, made from the rows of this model alone.

A table puts columns side by side. What it needs of a column to do so (lines, decimals, numbers of
samples, reasons) the column tells itself, so it can be kept, and is not made again when another model
comes; :mod:`benchmark_site.fragments` keeps it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from benchmark_site import cells
from benchmark_site.cells import Sure
from common.core.display import decimals
from common.reports.summary import Key, Matrix, ModelColumn, WideCell

#: address of the samples of a score
Samples = Callable[[WideCell, Key], str]
#: a criterion, and whether its scores are compared with a reference
Rule = tuple[str, bool]
#: classes of the verdicts
PASSED, FAILED = (cells.MARKS[name][0] for name in cells.VERDICTS)


class Look(NamedTuple):
    """How the cells of a column are written.

    Args:
        digits: decimals
        n: whether numbers of samples stand in cells
        letters: each reason of the column, and the letter of its footnote
    """

    digits: int
    n: bool
    letters: tuple[tuple[str, str], ...] = ()


class Lines(NamedTuple):
    """What the cells of a column are about; most models of a test share it.

    Args:
        keys: lines of the table in their order
        datasets: dataset of each cell
        sizes: number of samples of each cell
    """

    keys: tuple[Key, ...]
    datasets: tuple[str, ...]
    sizes: tuple[int | None, ...]


class Facts(NamedTuple):
    """What a table looks at to put a column beside others.

    Args:
        lines: what its cells are about
        values: score of each cell
        verdicts: letter of the class of each cell
        digits: decimals that its values need
        rules: criteria of its cells
        judged: criteria of its cells with a value and a verdict
        reasons: reason -> how many cells have no value because of it
        sure: second verdicts
    """

    lines: Lines
    values: tuple[float, ...]
    verdicts: str
    digits: int
    rules: tuple[Rule, ...]
    judged: tuple[Rule, ...]
    reasons: Mapping[str, int]
    sure: Sure


class Drawn(NamedTuple):
    """Cells of a column as HTML, and how they are written."""

    look: Look
    html: Sequence[str]


class ScoreColumn:
    """Scores of one model for one metric in one test.

    Args:
        facts: what a table looks at
        scores: gives its scores, looked at only to write its cells
        drawn: its cells, if they were written before
    """

    def __init__(
        self,
        facts: Facts,
        scores: Callable[[], Sequence[WideCell]],
        drawn: Drawn | None = None,
    ):
        self.facts, self.drawn, self._scores = facts, drawn, scores
        self._drawn_before = drawn

    @property
    def is_remembered(self) -> bool:
        """Whether its cells are those that were written before."""
        return self.drawn is not None and self.drawn is self._drawn_before

    def html(self, look: Look, origin: str, samples: Samples) -> Sequence[str]:
        """Its cells as HTML: those that were written before if they look the same.

        Args:
            look: how cells are written
            origin: address of what its scores were made from, but for the dataset
            samples: gives the address of the samples of a score
        """
        if self.drawn is None or self.drawn.look != look:
            letters = dict(look.letters)
            pairs = zip(self.facts.lines.keys, self._scores(), strict=True)
            self.drawn = Drawn(
                look,
                [
                    cells.html(
                        cells.cell(
                            score,
                            digits=look.digits,
                            n=look.n,
                            why=letters.get(score.reason, ""),
                            origin=origin,
                            hear=samples(score, key),
                        )
                    )
                    for key, score in pairs
                ],
            )
        return self.drawn.html

    @cached_property
    def passed(self) -> tuple[float, ...]:
        """Values that pass."""
        return self._of(PASSED)

    @cached_property
    def failed(self) -> tuple[float, ...]:
        """Values that fail."""
        return self._of(FAILED)

    def _of(self, verdict: str) -> tuple[float, ...]:
        pairs = zip(self.facts.values, self.facts.verdicts, strict=True)
        return tuple([v for v, letter in pairs if letter == verdict and not math.isnan(v)])

    @cached_property
    def values(self) -> dict[Key, float]:
        """Line -> score."""
        return dict(zip(self.facts.lines.keys, self.facts.values, strict=True))


def is_judged(value: float, letter: str) -> bool:
    """Whether a cell has a value and a verdict.

    >>> is_judged(0.5, "p"), is_judged(math.nan, "f"), is_judged(0.5, "s")
    (True, False, False)
    """
    return letter in (PASSED, FAILED) and not math.isnan(value)


def facts_of(scores: Mapping[Key, WideCell]) -> Facts:
    """What a table looks at of the scores of a column, which are in the order of its lines."""
    entries = list(scores.values())
    letters = "".join(cells.MARKS[score.status][0] for score in entries)
    rules = [(score.criterion, bool(score.reference)) for score in entries]
    judged = [
        rule
        for rule, score, letter in zip(rules, entries, letters, strict=True)
        if is_judged(score.value, letter)
    ]
    return Facts(
        Lines(
            tuple(scores),
            tuple(score.dataset for score in entries),
            tuple(score.n for score in entries),
        ),
        tuple(score.value for score in entries),
        letters,
        decimals(score.value for score in entries),
        tuple(sorted(set(rules))),
        tuple(sorted(set(judged))),
        dict(sorted(Counter(score.reason for score in entries if score.reason).items())),
        cells.sure(entries),
    )


def of_scores(scores: Mapping[Key, WideCell]) -> ScoreColumn:
    """Column of scores, which are in the order of its lines."""
    entries = list(scores.values())
    return ScoreColumn(facts_of(scores), lambda: entries)


@dataclass(frozen=True)
class SideBySide:
    """Columns of one metric in one test.

    Args:
        metric: id of the metric
        owners: models
        columns: of each model its scores; None: it has none of this metric
        index: lines
    """

    metric: str
    owners: tuple[ModelColumn, ...]
    columns: tuple[ScoreColumn | None, ...]
    index: tuple[Key, ...]

    @cached_property
    def filled(self) -> list[ScoreColumn]:
        """Columns of models that have scores."""
        return [column for column in self.columns if column is not None]

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """Data and the dataset that it is a part of, line by line."""
        every = dict.fromkeys(lines[:2] for lines in distinct(self.filled))
        parts = [dict(zip(keys, datasets, strict=True)) for keys, datasets in every]
        for key in self.index:
            yield from ((key.data, part[key]) for part in parts if key in part)


def judged(columns: Iterable[ScoreColumn]) -> set[Key]:
    """Lines with a value and a verdict in one of the columns."""
    groups: dict[int, list[Facts]] = {}
    for column in columns:
        groups.setdefault(id(column.facts.lines), []).append(column.facts)
    keys: set[Key] = set()
    for facts in groups.values():
        # most columns have all of them, so few are looked at
        rest = set(range(len(facts[0].values)))
        for each in facts:
            rest = {
                place for place in rest if not is_judged(each.values[place], each.verdicts[place])
            }
            if not rest:
                break
        keys.update(key for place, key in enumerate(facts[0].lines.keys) if place not in rest)
    return keys


def distinct(columns: Iterable[ScoreColumn]) -> list[Lines]:
    """What the cells of columns are about, each once, in the order of the columns."""
    # most columns have the very same object, and a hash of it takes a look at all its lines
    objects = {id(column.facts.lines): column.facts.lines for column in columns}
    return list(dict.fromkeys(objects.values()))


def split(matrix: Matrix) -> dict[ModelColumn, dict[Key, WideCell]]:
    """Scores of each model of a table that has some, line by line."""
    columns: dict[ModelColumn, dict[Key, WideCell]] = {}
    for key, line in zip(matrix.index, matrix.cells, strict=True):
        for owner, score in zip(matrix.columns, line, strict=True):
            if score is not None:
                columns.setdefault(owner, {})[key] = score
    return columns


def side_by_side(
    parts: Mapping[ModelColumn, Mapping[str, ScoreColumn]],
) -> dict[str, SideBySide]:
    """Metric -> columns of all models of a test.

    Args:
        parts: models in the order of columns, and the columns of each by metric

    Returns:
        metrics and lines in alphabetical order
    """
    metrics = sorted({metric for columns in parts.values() for metric in columns})
    tables = {}
    for metric in metrics:
        columns = tuple(part.get(metric) for part in parts.values())
        every = {lines.keys for lines in distinct(filter(None, columns))}
        index = every.pop() if len(every) == 1 else tuple(sorted(set().union(*every)))
        tables[metric] = SideBySide(metric, tuple(parts), columns, index)
    return tables
