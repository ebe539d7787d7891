"""Who is treated differently: the groups of a fairness test, the worst one first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchmark_site import cells
from benchmark_site.content import metric_names
from benchmark_site.tables import part
from common.uncertainty import benjamini_hochberg

#: what a group is compared with in result rows of groups
EVERYONE = "all"
FAMILY = "fairness"
FAIR = "fair within its bound"
BOUND = re.compile(r"\|x\| < (\d+(?:\.\d+)?)$")


@dataclass(frozen=True)
class Comparison:
    """One score of one group, as text for a template.

    Args:
        group: the group, or an intersection of several attributes
        data: name of the data, only where groups of several data stand in one table
        what: metric and class or bin
        value: the score
        rule: when it passes
        bound: where that comes from: published, simulated or declared; empty: nobody said
        n: number of samples
        interval: 95 % interval; empty: there is none
        effect: effect size; empty: there is none
        p: p value; empty: there is none
        q: p value adjusted for all comparisons of the test; empty: there is none
        adjusted: p value of speakers permuted over the groups; empty: there is none
        fairness: fair within its bound, unfair, undecided or cannot tell; empty: no test
        css: class, mark: symbol, word: name of the plain verdict
        certain: verdict by the interval
        severity: size of the score as a multiple of its bound
    """

    group: str
    data: str
    what: str
    value: str
    rule: str
    bound: str
    n: str
    interval: str
    effect: str
    p: str
    q: str
    adjusted: str
    fairness: str
    css: str
    mark: str
    word: str
    certain: str
    severity: float


@dataclass(frozen=True)
class Groups:
    """Comparisons of the groups of a test for one model.

    Args:
        worst: of each group its worst comparison, the worst group first
        every: all comparisons, the worst first
        skipped: number of scores without a verdict
        found: number of comparisons with q below 0.05
        tested: number of comparisons with a p value
        outcomes: verdict of the permutation test and the interval -> number of comparisons
    """

    worst: list[Comparison]
    every: list[Comparison]
    skipped: int
    found: int
    tested: int
    outcomes: dict[str, int]


def of_rows(rows: pd.DataFrame) -> Groups | None:
    """Groups of the rows of one model in one test of one target; None if there are none.

    The worst score is the one that is largest as a multiple of its bound; scores that are what
    they are by definition, as a group has no sample there, come last. The q values are those
    of all comparisons with a p value, whatever their group, metric, and class or bin.
    """
    if rows.empty:
        return None
    rows = rows[(rows["reference"] == EVERYONE).to_numpy()]
    judged = rows[rows["status"].isin(["pass", "fail"]).to_numpy()]
    if judged.empty:
        return None
    q = benjamini_hochberg(judged["p_value"].to_numpy(dtype=float))
    several = judged["data"].nunique() > 1
    lines: Iterable[Any] = judged.itertuples(index=False)
    every = [_comparison(row, float(own), several) for row, own in zip(lines, q, strict=True)]
    every.sort(key=_place)
    worst = list({(c.group, c.data): c for c in reversed(every)}.values())
    worst.sort(key=_place)
    return Groups(
        worst=worst,
        every=every,
        skipped=len(rows) - len(judged),
        found=int((q < 0.05).sum()),
        tested=int((~pd.isna(q)).sum()),
        outcomes=outcomes(judged["fairness"]),
    )


def outcomes(verdicts: Iterable[str]) -> dict[str, int]:
    """How often each verdict on fairness occurs; the bounds of "fair" do not count.

    >>> outcomes(["undecided", "fair within 0.1", "", "fair within 0.075"])
    {'fair within its bound': 2, 'undecided': 1}
    """
    counts = Counter(FAIR if text.startswith("fair ") else text for text in verdicts)
    return {
        name: counts[name] for name in (FAIR, "unfair", "undecided", "cannot tell") if counts[name]
    }


def _place(comparison: Comparison) -> tuple[bool, float]:
    return comparison.n == "0", -comparison.severity


def _comparison(row: Any, q: float, several: bool) -> Comparison:
    css, mark, word = cells.MARKS[row.status]
    interval = ""
    if not math.isnan(row.ci_low):
        interval = f"{cells.number(row.ci_low)} to {cells.number(row.ci_high)}"
    return Comparison(
        group=row.condition,
        data=row.data if several and part(row.condition, "", row.data) else "",
        what=" · ".join(text for text in (metric_names(row.metric)[0], row.label) if text),
        value=cells.number(row.value, row.criterion),
        rule=cells.criterion(row.criterion, "score"),
        bound=row.bound,
        n="" if pd.isna(row.n) else cells.count(int(row.n)),
        interval=interval,
        effect=_shown(row.effect, 2),
        p=_shown(row.p_value),
        q=_shown(q),
        adjusted=_shown(row.p_adjusted),
        fairness=row.fairness,
        css=css,
        mark=mark,
        word=word,
        certain=row.certain if cells.can_pass(row) else f"{row.certain}; {cells.HOPELESS}",
        severity=severity(row.value, row.criterion, row.status),
    )


def _shown(value: float, digits: int = 3) -> str:
    return "" if math.isnan(value) else cells.number(value, digits=digits)


def severity(value: float, criterion: str, status: str) -> float:
    """Size of a score as a multiple of its bound; for other rules only the verdict counts.

    >>> severity(-0.3, "|x| < 0.2", "fail"), severity(0.4, "> 0.5", "fail")
    (1.5, 1.0)
    """
    bound = BOUND.match(criterion)
    if bound and float(bound[1]) > 0:
        return round(abs(value) / float(bound[1]), 9)
    return 1.0 if status == "fail" else 0.0


def of_tests(table: pd.DataFrame, families: Any) -> dict[tuple[str, str], Groups]:
    """(model, test) -> groups, of all fairness tests of a table."""
    mine = table[table["test"].map(lambda test: families[test] == FAMILY).to_numpy(dtype=bool)]
    found = {}
    for (model, test), rows in mine.groupby(["model", "test"], sort=False):
        groups = of_rows(rows)
        if groups is not None:
            found[str(model), str(test)] = groups
    return found
