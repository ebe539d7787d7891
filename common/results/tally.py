"""Counting verdicts: passed, failed, skipped, and shares as exact fractions.

Two definitions of the share of passed tests are in use, and both are computed here:

* the *pooled* share: passed cells / executed cells, all cells together;
* the *mean over tests*: the share of every test, averaged, so that a test with many cells
  weighs as much as one with few.

Skipped cells and cells that ended in an error are not executed. How many there are stands
beside every share, because two shares with different denominators are hard to compare.
Nothing is rounded here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

import pandas as pd

from ..core.errors import DataError
from . import STATUSES

#: status of a row -> name of its count
COUNTS = dict(zip(STATUSES, ("passed", "failed", "skipped", "errors"), strict=True))
#: what one set of shares belongs to
OWNER = ["scope", "target", "model", "model_version"]
#: name of the block that holds all tests
ALL = "all"


class VerdictCounts(NamedTuple):
    """Counts of one test, or of several tests together."""

    passed: int
    failed: int
    skipped: int
    errors: int

    @property
    def executed(self) -> int:
        """Cells with a verdict."""
        return self.passed + self.failed

    @property
    def share(self) -> Fraction | None:
        """Passed / executed; None if nothing was executed."""
        return Fraction(self.passed, self.executed) if self.executed else None


def total(tallies: Iterable[VerdictCounts]) -> VerdictCounts:
    """Sum of tallies.

    >>> total([VerdictCounts(1, 2, 0, 0), VerdictCounts(3, 0, 4, 0)])
    VerdictCounts(passed=4, failed=2, skipped=4, errors=0)
    """
    columns = list(zip(*tallies, strict=True)) or [()] * 4
    return VerdictCounts(*(sum(column) for column in columns))


def mean_over_tests(tallies: Iterable[VerdictCounts]) -> Fraction | None:
    """Mean of the shares of tests; tests without an executed cell are left out.

    >>> half, whole, none = ((1, 1, 0, 0), (2, 0, 0, 0), (0, 0, 9, 0))
    >>> mean_over_tests(VerdictCounts(*numbers) for numbers in (half, whole, none))
    Fraction(3, 4)
    """
    return mean_share((tally.passed, tally.executed) for tally in tallies if tally.executed)


def mean_share(parts: Iterable[tuple[int, int]]) -> Fraction | None:
    """Mean of shares; None of nothing.

    Computed with one denominator, as adding fractions one by one takes ten times as long.

    Args:
        parts: of each share the part, and the whole, which is above 0

    >>> mean_share([(1, 2), (2, 2)]), mean_share([])
    (Fraction(3, 4), None)
    """
    shares = list(parts)
    if not shares:
        return None
    whole = math.lcm(*(all_ for _, all_ in shares))
    return Fraction(sum(part * (whole // all_) for part, all_ in shares), whole * len(shares))


def half_up(value: Fraction, digits: int) -> float:
    """The one final rounding: to ``digits`` decimals, halves up.

    >>> half_up(Fraction(33, 80), 3), round(0.4125, 3)
    (0.413, 0.412)
    """
    scale = 10**digits
    return float(Fraction((value * scale + Fraction(1, 2)).__floor__(), scale))


def family_of(test: str, families: Mapping[str, str]) -> str:
    """Family of a test; of one that the suite does not have: the part before the first ``_``.

    >>> family_of("fairness_sex", {})
    'fairness'
    """
    return families.get(test) or test.split("_", 1)[0]


def counts(rows: pd.DataFrame, families: Mapping[str, str]) -> pd.DataFrame:
    """Verdicts per target, model and test.

    Args:
        rows: result rows; a column ``scope``, if there is one, separates results that must
            not be compared (:func:`common.reports.summary.ranks.add_scope`)
        families: test -> family, see :func:`family_of`

    Returns:
        columns scope, target, model, model_version, family, test, passed, failed, skipped,
        errors, executed (passed + failed) and share (passed / executed as the nearest
        float64; NaN if nothing was executed), sorted by the first six; independent of the
        order of ``rows``

    Raises:
        DataError: if a row has an unknown status
    """
    unknown = sorted(set(rows["status"].unique()) - set(STATUSES))
    if unknown:
        raise DataError(f"result rows: unknown status '{unknown[0]}'. Known: {', '.join(STATUSES)}")
    if "scope" not in rows:
        rows = rows.assign(scope="")
    keys = [*OWNER, "test"]
    sizes = rows.groupby([*keys, "status"], sort=False).size()
    wide = sizes.unstack("status", fill_value=0).reindex(columns=list(STATUSES), fill_value=0)
    table = wide.rename(columns=COUNTS).rename_axis(columns=None).reset_index()
    table[list(COUNTS.values())] = table[list(COUNTS.values())].astype("int64")
    table["executed"] = table["passed"] + table["failed"]
    table["share"] = table["passed"] / table["executed"].where(table["executed"] > 0)
    names = {test: family_of(test, families) for test in table["test"].unique()}
    table.insert(len(OWNER), "family", table["test"].map(names).astype("str"))
    return table.sort_values([*OWNER, "family", "test"], ignore_index=True)


Owner = tuple[str, str, str, str]


def tallies(table: pd.DataFrame) -> dict[Owner, dict[str, dict[str, VerdictCounts]]]:
    """Counts as exact numbers: (scope, target, model, version) -> block -> test -> tally.

    Args:
        table: result of :func:`counts`

    Returns:
        the first block is ``all``, the others are the families in alphabetical order, their
        tests as well
    """
    result: dict[Owner, dict[str, dict[str, VerdictCounts]]] = {}
    names = [*OWNER, "family", "test", *COUNTS.values()]
    for *owner, family, test, passed, failed, skipped, errors in zip(
        *(table[name].tolist() for name in names), strict=True
    ):
        scope, target, model, version = owner
        blocks = result.setdefault((scope, target, model, version), {ALL: {}})
        tally = VerdictCounts(passed, failed, skipped, errors)
        blocks[ALL][test] = tally
        blocks.setdefault(family, {})[test] = tally
    return result


def shares(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Both shares per target, model and block.

    Args:
        verdicts: result of :func:`counts`

    Returns:
        columns scope, target, model, model_version, block (``all`` or a family), tests
        (number with an executed cell), passed, failed, skipped, errors, executed, share
        (pooled) and mean_over_tests; the shares are the float64 nearest to the exact
        fraction, NaN if nothing was executed
    """
    records = []
    for owner, blocks in tallies(verdicts).items():
        for block, tests in blocks.items():
            tally, mean = total(tests.values()), mean_over_tests(tests.values())
            executed = sum(test.executed > 0 for test in tests.values())
            pooled = float("nan") if tally.share is None else float(tally.share)
            over = float("nan") if mean is None else float(mean)
            records.append((*owner, block, executed, *tally, tally.executed, pooled, over))
    integers = ["tests", *COUNTS.values(), "executed"]
    columns = [*OWNER, "block", *integers, "share", "mean_over_tests"]
    table = pd.DataFrame(records, columns=columns)
    types = dict.fromkeys([*OWNER, "block"], "str") | dict.fromkeys(integers, "int64")
    return table.astype({**types, "share": "float64", "mean_over_tests": "float64"})
