"""Tables VI and VII of the paper, as printed and as they should be.

Table VI prints the share of passed tests, Table VII the mean CCC and UAR. Both were rounded
several times on the way, once by binary noise, so reproducing every digit means repeating
the paper's steps; each is written down at its function. :func:`table6_exact` computes the
same shares from exact fractions with one final rounding, and 18 of its 220 cells differ.

The paper says that the block *all* is the mean over the tests. It is the pooled share;
:func:`all_mean_over_tests` has what the text describes, and the order of models changes.

Only models with results for every target have a place in these tables, which leaves out the
chance models: each of them predicts one kind of target.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from .tally import (
    ALL,
    VerdictCounts,
    counts,
    half_up,
    mean_over_tests,
    tallies,
    total,
)

#: test and metric that Table VII averages
HEADLINES = (("correctness_regression", "ccc"), ("correctness_classification", "uar"))
DIGITS = 3
Table = dict[str, dict[str, float]]
#: block -> model -> target -> tests
Blocks = dict[str, dict[str, dict[str, list[VerdictCounts]]]]


def paper_tables(
    rows: pd.DataFrame, families: Mapping[str, str], order: Sequence[str]
) -> dict[str, Any]:
    """All tables by name: table6, table7, table6_exact, table6_counts, all_mean_over_tests.

    Args:
        rows: result rows of the published results
        families: test -> family
        order: targets in the order of :func:`common.results.published.target_order`
    """
    return {
        "table6": table6(rows, families),
        "table7": table7(rows, order),
        "table6_exact": table6_exact(rows, families),
        "table6_counts": table6_counts(rows, families),
        "all_mean_over_tests": all_mean_over_tests(rows, families),
    }


def table6(rows: pd.DataFrame, families: Mapping[str, str]) -> dict[str, Table]:
    """Table VI with every rounding of the paper: block -> model -> target or ``mean`` -> share.

    Block ``all``: pooled share, rounded to three decimals. Families: the percentage of every
    test is rounded to one decimal, divided by 100, added from left to right in alphabetical
    order of the tests, divided by their number and rounded to three decimals (numpy's
    rounding: scale, nearest even, scale back). ``mean``: exact mean of the rounded values,
    rounded to three decimals, halves to even.
    """

    def pooled(tests: list[VerdictCounts]) -> float:
        tally = total(tests)
        return float(np.round(tally.passed / tally.executed, DIGITS))

    def mean(tests: list[VerdictCounts]) -> float:
        cells = [float(np.round(100 * t.passed / t.executed, 1)) / 100 for t in tests if t.executed]
        return float(np.round(functools.reduce(operator.add, cells) / len(cells), DIGITS))

    def last(values: Sequence[float]) -> float:
        return float(round(sum(map(_decimal, values), Fraction()) / len(values), DIGITS))

    return {
        block: _table(models, pooled if block == ALL else mean, last)
        for block, models in _blocks(rows, families).items()
    }


def table6_exact(rows: pd.DataFrame, families: Mapping[str, str]) -> dict[str, Table]:
    """Table VI from exact fractions with one final rounding (halves up).

    Same shape as :func:`table6`; ``mean`` is the mean of the unrounded values.
    """
    return {
        block: _exact(models, _pooled if block == ALL else mean_over_tests)
        for block, models in _blocks(rows, families).items()
    }


def all_mean_over_tests(rows: pd.DataFrame, families: Mapping[str, str]) -> Table:
    """Block *all* as the paper's text defines it, from exact fractions, rounded once."""
    return _exact(_blocks(rows, families).get(ALL, {}), mean_over_tests)


def table6_counts(
    rows: pd.DataFrame, families: Mapping[str, str]
) -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    """Denominators of Table VI: block -> model -> target -> passed, executed, skipped, tests."""

    def numbers(tests: list[VerdictCounts]) -> dict[str, int]:
        tally = total(tests)
        return {
            "passed": tally.passed,
            "executed": tally.executed,
            "skipped": tally.skipped,
            "tests": sum(test.executed > 0 for test in tests),
        }

    return {
        block: {
            model: {target: numbers(tests) for target, tests in targets.items()}
            for model, targets in models.items()
        }
        for block, models in _blocks(rows, families).items()
    }


def table7(rows: pd.DataFrame, order: Sequence[str]) -> Table:
    """Table VII: model -> target or ``mean`` -> mean CCC or UAR over the data rows.

    A target: exact mean of the published values, rounded to two decimals. ``mean``: the
    rounded values added as float64 in ``order``, divided by their number and rounded to two
    decimals. The order decides four last digits: sums like 2.3 / 4 = 0.575 are ties in
    decimals, and the binary noise of this order is the one that the paper shows.

    Args:
        rows: result rows of the published results
        order: targets in the order of addition
    """
    pairs = pd.MultiIndex.from_frame(rows[["test", "metric"]])
    used = rows[pairs.isin(HEADLINES)]
    values: dict[str, dict[str, list[float]]] = {}
    for model, target, value in zip(used["model"], used["target"], used["value"], strict=True):
        values.setdefault(model, {}).setdefault(target, []).append(value)

    def mean(cells: list[float]) -> float:
        return float(round(sum(map(_decimal, cells), Fraction()) / len(cells), 2))

    def last(cells: Sequence[float]) -> float:
        return round(functools.reduce(operator.add, cells) / len(cells), 2)

    complete = {
        model: {target: targets[target] for target in order}
        for model, targets in values.items()
        if set(targets) == set(order)
    }
    return _table(complete, mean, last)


def _decimal(value: float) -> Fraction:
    """The number as it is printed, exactly."""
    return Fraction(repr(float(value)))


def _pooled(tests: Iterable[VerdictCounts]) -> Fraction | None:
    return total(tests).share


def _blocks(rows: pd.DataFrame, families: Mapping[str, str]) -> Blocks:
    """Tests of all models that have results for every target."""
    targets = sorted(rows["target"].unique())
    blocks: Blocks = {}
    for (_, target, model, _), model_blocks in tallies(counts(rows, families)).items():
        for block, tests in model_blocks.items():
            cells = blocks.setdefault(block, {}).setdefault(model, {})
            cells[target] = list(tests.values())
    return {
        block: {
            model: {target: cells[target] for target in targets}
            for model, cells in models.items()
            if set(cells) == set(targets) and all(total(t).executed for t in cells.values())
        }
        for block, models in blocks.items()
    }


def _exact(
    models: dict[str, dict[str, list[VerdictCounts]]],
    share: Callable[[list[VerdictCounts]], Fraction | None],
) -> Table:
    """Shares and their mean from exact fractions, rounded once."""
    exact = {
        model: {t: value for t, tests in targets.items() if (value := share(tests)) is not None}
        for model, targets in models.items()
    }
    table = {
        model: {
            **{target: half_up(value, DIGITS) for target, value in values.items()},
            "mean": half_up(sum(values.values(), Fraction()) / len(values), DIGITS),
        }
        for model, values in exact.items()
    }
    return _sorted(table)


def _table(
    models: Mapping[str, Mapping[str, Any]],
    cell: Callable[[Any], float],
    last: Callable[[Sequence[float]], float],
) -> Table:
    """A value per model and target with the mean in the last column."""
    table: Table = {}
    for model, targets in models.items():
        values = {target: cell(content) for target, content in targets.items()}
        table[model] = {**values, "mean": last(list(values.values()))}
    return _sorted(table)


def _sorted(table: Table) -> Table:
    """Best mean first, ties by name."""
    return dict(sorted(table.items(), key=lambda item: (-item[1]["mean"], item[0])))
