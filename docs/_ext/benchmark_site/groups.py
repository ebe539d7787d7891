"""Who is treated differently: the groups of a fairness test, the worst one first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property

import numpy as np
import pandas as pd

from benchmark_site import cells
from benchmark_site.cell_data import with_language
from benchmark_site.group_records import Comparison, Gap, GroupsInBrief, Line
from benchmark_site.naming import metric_names
from benchmark_site.sliced import Sliced
from benchmark_site.tables import part
from common.core.display import MINUS, decimals, number, signed, tidy
from common.metrics import METRICS
from common.uncertainty import benjamini_hochberg

#: what a group is compared with in result rows of groups
EVERYONE = "all"
FAMILY = "fairness"
FAIR = "fair within its bound"
BOUND = re.compile(r"\|x\| < (\d+(?:\.\d+)?)$")


class Groups:
    """Comparisons of the groups of a test for one model; each is put in words where it is looked at.

    Args:
        lines: judged rows of the groups, in their order
        skipped: number of scores without a verdict
    """

    def __init__(self, lines: Sequence[Line], skipped: int):
        self.skipped = skipped
        self._lines = lines
        self._several = len({row.data for row in lines}) > 1
        self._digits = decimals([row.value for row in lines])
        self._made: dict[int, Comparison] = {}

    @cached_property
    def every(self) -> list[Comparison]:
        """All comparisons, the worst first."""
        return [self._comparison(place) for place in self._order]

    @cached_property
    def worst(self) -> list[Comparison]:
        """Of each group its worst comparison, the most disadvantaged group first."""
        return [self._comparison(place) for place in self._worst]

    @property
    def first(self) -> Comparison:
        """The worst comparison of the most disadvantaged group."""
        return self._comparison(self._worst[0])

    @property
    def brief(self) -> GroupsInBrief:
        """What a page of all models shows of them."""
        return GroupsInBrief(self.first, tuple(self.gaps), self.pairs, self.tested)

    @cached_property
    def gaps(self) -> list[Gap]:
        """Differences between two groups, the largest first."""
        return _gaps(self._lines, self._digits)

    @cached_property
    def pairs(self) -> bool:
        """Whether there are two groups only.

        Else the gaps are those of the largest and the smallest score.
        """
        return len({row.condition for row in self._lines}) == 2

    @cached_property
    def found(self) -> int:
        """Number of comparisons with q below 0.05."""
        return int((self._q < 0.05).sum())

    @cached_property
    def tested(self) -> int:
        """Number of comparisons with a p value."""
        return sum(not math.isnan(row.p_value) for row in self._lines)

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """Verdict of the permutation test and the interval -> number of comparisons."""
        return outcomes(row.fairness for row in self._lines)

    @cached_property
    def _q(self) -> np.ndarray:
        return benjamini_hochberg(np.array([row.p_value for row in self._lines], dtype=float))

    @cached_property
    def _ranks(self) -> list[tuple[bool, bool, float]]:
        """What the comparisons are put in order by."""
        return [_rank(row) for row in self._lines]

    @cached_property
    def _order(self) -> list[int]:
        """Places of the comparisons in the order in which they are shown."""
        return sorted(range(len(self._lines)), key=self._ranks.__getitem__)

    @cached_property
    def _worst(self) -> list[int]:
        """Places of the worst comparison of each group."""
        groups = {self._group(place): place for place in reversed(self._order)}
        return sorted(groups.values(), key=self._ranks.__getitem__)

    def _group(self, place: int) -> tuple[str, str]:
        row = self._lines[place]
        return with_language(row.condition), _data(row) if self._several else ""

    def _comparison(self, place: int) -> Comparison:
        if place not in self._made:
            row, q = self._lines[place], float(self._q[place])
            self._made[place] = _comparison(row, q, self._several, self._digits)
        return self._made[place]


def of_rows(rows: pd.DataFrame) -> Groups | None:
    """Groups of the rows of one model in one test of one target; None if there are none.

    The worst score is the one of a disadvantaged group that is largest as a multiple of its
    bound: lower than that of all where higher is better. Where no side is better, the size
    alone counts. Groups that are better off than all come after those that are not, and scores
    that are what they are by definition, as a group has no sample there, come last. The q values
    are those of all comparisons with a p value, whatever their group, metric, and class or bin.
    """
    return _of_lines(_lines(rows))


def _lines(rows: pd.DataFrame) -> list[Line]:
    """Rows as plain values."""
    columns = (rows[name].tolist() for name in Line._fields)
    return list(map(Line._make, zip(*columns, strict=True)))


def _of_lines(rows: Sequence[Line]) -> Groups | None:
    compared = [row for row in rows if row.reference == EVERYONE]
    lines = [row for row in compared if row.status in ("pass", "fail")]
    return Groups(lines, len(compared) - len(lines)) if lines else None


def outcomes(verdicts: Iterable[str]) -> dict[str, int]:
    """How often each verdict on fairness occurs; the bounds of "fair" do not count.

    >>> outcomes(["undecided", "fair within 0.1", "", "fair within 0.075"])
    {'fair within its bound': 2, 'undecided': 1}
    """
    counts = Counter(FAIR if text.startswith("fair ") else text for text in verdicts)
    return {
        name: counts[name] for name in (FAIR, "unfair", "undecided", "cannot tell") if counts[name]
    }


def _rank(row: Line) -> tuple[bool, bool, float]:
    """What a comparison is put in order by."""
    return (
        row.n is not pd.NA and row.n == 0,
        disadvantage(row.metric, row.value) is False,
        -severity(row.value, row.criterion, row.status),
    )


def disadvantage(metric: str, value: float) -> bool | None:
    """Whether a group does worse than all if its score minus that of all is ``value``.

    None where neither side is worse: for shifts, shares and signed errors, and without a
    difference.

    >>> disadvantage("ccc", -0.1), disadvantage("mae", -0.1), disadvantage("mean_difference", 0.1)
    (True, False, None)
    """
    best = _best(metric)
    return None if best == "zero" or value == 0 else (value < 0) == (best == "higher")


@cache
def _best(metric: str) -> str:
    """Which values of a metric are best."""
    return METRICS.get(metric).direction if metric in METRICS else "zero"


def _what(row: Line) -> str:
    return " · ".join(text for text in (metric_names(row.metric)[0], tidy(row.label)) if text)


def _data(row: Line) -> str:
    return str(row.data) if part(row.condition, "", row.data) else ""


def _comparison(row: Line, q: float, several: bool, digits: int) -> Comparison:
    css, mark, word = cells.MARKS[row.status]
    value = number(row.value, row.criterion, digits)
    return Comparison(
        group=with_language(row.condition),
        data=_data(row) if several else "",
        what=_what(row),
        value=value,
        size=value.removeprefix(MINUS),
        side="lower" if row.value < 0 else "higher",
        worse=disadvantage(row.metric, row.value),
        rule=cells.criterion(row.criterion, "difference"),
        on_bound=cells.on_bound(row.value, row.criterion, row.status),
        bound=row.bound,
        n="" if pd.isna(row.n) else cells.count(int(row.n)),
        interval=_ends(row.ci_low, row.ci_high),
        effect=_shown(row.effect, 2),
        p=_probability(row.p_value),
        q=_probability(q),
        adjusted=_probability(row.p_adjusted),
        fairness=row.fairness,
        css=css,
        mark=mark,
        word=word,
        certain=row.certain if cells.can_pass(row) else f"{row.certain}; {cells.HOPELESS}",
        severity=severity(row.value, row.criterion, row.status),
    )


def _gaps(lines: Sequence[Line], digits: int) -> list[Gap]:
    """Differences between groups of the same data, metric, and class or bin.

    Two groups: the first minus the second, in the order of their rows, with the interval that a
    run has computed. More: the largest score minus the smallest one; these two are chosen after a
    look at the scores, so there is no interval. Shifts in a context are compared with the mean
    group by definition and have no gap.
    """
    parts: dict[tuple[str, str, str], list[Line]] = {}
    for row in lines:
        if not (row.metric in METRICS and METRICS.get(row.metric).takes == "groups"):
            whole = row.data.removesuffix(f"-{row.condition}")
            parts.setdefault((whole, row.metric, row.label), []).append(row)
    several = len({data for data, _, _ in parts}) > 1
    gaps = []
    for (data, _, _), rows in parts.items():
        if len(rows) < 2 or len({row.condition for row in rows}) < len(rows):
            continue
        first, second = rows[0], rows[-1]
        if len(rows) > 2:
            first, second = (choose(rows, key=lambda row: row.value) for choose in (max, min))
        gap = float(first.value - second.value)
        is_pair = len(rows) == 2
        if is_pair and math.isnan(first.gap) and not math.isnan(second.gap):
            first, second, gap = second, first, -gap
        gaps.append(
            Gap(
                data=data if several else "",
                what=_what(first),
                first=with_language(first.condition),
                second=with_language(second.condition),
                value=signed(gap, digits),
                interval=_ends(first.gap_low, first.gap_high) if is_pair else "",
                size=abs(gap),
            )
        )
    return sorted(gaps, key=lambda gap: -gap.size)


def differences(groups: Sequence[GroupsInBrief]) -> list[tuple[Gap, list[Gap | None]]]:
    """Differences between two groups, side by side for several models; empty for more groups.

    Returns:
        what each line is about, and the difference of each model; None: it has none. Lines are in
        the order of their largest difference
    """
    if not all(each.pairs for each in groups):
        return []
    lines: dict[tuple[str, str], dict[tuple[str, str], dict[int, Gap]]] = {}
    for place, each in enumerate(groups):
        for gap in each.gaps:
            pairs = lines.setdefault((gap.data, gap.what), {})
            pairs.setdefault((gap.first, gap.second), {})[place] = gap
    table = [
        (next(iter(gaps.values())), [gaps.get(place) for place in range(len(groups))])
        for pairs in lines.values()
        for gaps in pairs.values()
    ]
    return sorted(table, key=lambda line: -max(gap.size for gap in line[1] if gap))


def _ends(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{number(low)} to {number(high)}"


def _shown(value: float, digits: int) -> str:
    return "" if math.isnan(value) else number(value, digits=digits)


def _probability(value: float) -> str:
    """A p or q value, which is never zero; empty if there is none.

    >>> _probability(0.0004), _probability(0.0123), _probability(math.nan)
    ('< 0.001', '0.012', '')
    """
    return "< 0.001" if value < 0.001 else _shown(value, 3)


def severity(value: float, criterion: str, status: str) -> float:
    """Size of a score as a multiple of its bound; for other rules only the verdict counts.

    >>> severity(-0.3, "|x| < 0.2", "fail"), severity(0.4, "> 0.5", "fail")
    (1.5, 1.0)
    """
    bound = _bound(criterion)
    if bound > 0:
        return round(abs(value) / bound, 9)
    return 1.0 if status == "fail" else 0.0


@cache
def _bound(criterion: str) -> float:
    """How large a score may be either way; 0 for other rules."""
    bound = BOUND.match(criterion)
    return float(bound[1]) if bound else 0.0


class TestGroups:
    """(model, test) -> groups, of the fairness tests of a table; made where they are looked at.

    Args:
        table: result rows
        families: test -> family
    """

    def __init__(self, table: pd.DataFrame, families: Mapping[str, str]):
        self._by_model, self._families = Sliced(table, "model", Line._fields), families
        self._groups: dict[str, dict[str, Groups | None]] = {}
        self._briefs: dict[tuple[str, str], GroupsInBrief | None] = {}

    def get(self, model: str, test: str) -> Groups | None:
        """Groups of a test for a model; None if it is no fairness test or has no groups."""
        if self._families.get(test) != FAMILY:
            return None
        if model not in self._groups:
            self._groups[model] = self._of_model(model)
        return self._groups[model].get(test)

    def brief(self, model: str, test: str) -> GroupsInBrief | None:
        """What a page of all models shows of them."""
        if (model, test) not in self._briefs:
            groups = self.get(model, test)
            self._briefs[model, test] = groups.brief if groups else None
        return self._briefs[model, test]

    def give(self, model: str, test: str, brief: GroupsInBrief | None) -> None:
        """Take what was made of the rows of a model before."""
        self._briefs[model, test] = brief

    def _of_model(self, model: str) -> dict[str, Groups | None]:
        tests: dict[str, list[Line]] = {}
        rows = self._by_model.of(model)
        is_fair = rows["test"].map(self._families.get) == FAMILY
        for row in _lines(rows[is_fair]):
            tests.setdefault(row.test, []).append(row)
        return {test: _of_lines(lines) for test, lines in tests.items()}
