"""Rows of two models side by side, with the paired test of their difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...core.errors import BenchmarkError
from ...designs import Score
from ...designs.certainty import cluster_codes
from ...engine.scoring import Evaluation
from ...metrics import METRICS, Metric
from ...results.history import KeptVersion
from ...results.keys import NO_LABEL, CellKey
from ...samples.base import KEYS
from ...spec import Benchmark, Criterion, kinds
from ...uncertainty import Bootstrap, PairedDifference, Recipe, mcnemar, nearer, paired
from ..rebuild import Rebuilder
from .sides import Side

Outcome = Literal["better", "worse", "equal", "cannot tell", "not compared"]
OUTCOMES: tuple[Outcome, ...] = ("worse", "better", "cannot tell", "equal", "not compared")
NAN = float("nan")
ROLES = ("the baseline", "the candidate")
#: a recorded value that differs from the recomputed one by more is out of date
SAME = 1e-9
#: reasons that lie with the test or the user, not with the results of a side
UNRESAMPLED = "the design gives no way to resample this score"
IGNORED = "ignored by a rule"
#: columns that tell the rows of a cell apart
OWN = ["data", "condition", "reference", "metric", "label"]


@dataclass(frozen=True)
class Pair:
    """One row of both models.

    Args:
        target: id of the target
        test: id of the test
        dataset: id of the dataset
        data: label of the data
        metric: id of the metric
        label: class or bin
        condition: state of the input or part of the data
        criterion: rule
        baseline: value and verdict of the baseline; None: it has no such row
        candidate: the same of the candidate
        gain: by how much the candidate is nearer to passing, in the unit of the metric
        low: lower end of the 95 % interval of the gain
        high: upper end
        p: p value of the paired test; NaN: there is none
        q: the same after the correction for all pairs
        clusters: number of clusters, such as speakers
        mde: smallest difference that would be found with a probability of 80 %, before the
            correction for many scores; NaN: unknown
        method: the test
        outcome: what follows
        reason: why it was not compared, or what decided
    """

    target: str
    test: str
    dataset: str
    data: str
    metric: str
    label: str
    condition: str
    criterion: str
    baseline: tuple[float, str] | None
    candidate: tuple[float, str] | None
    gain: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN
    q: float = NAN
    clusters: int | None = None
    mde: float = NAN
    method: str = ""
    outcome: Outcome = "not compared"
    reason: str = ""

    @property
    def key(self) -> str:
        """Its key, without a model."""
        parts = (self.target, self.test, self.dataset, self.metric, self.label or NO_LABEL)
        return "/".join((*parts, self.condition))

    @property
    def missing(self) -> bool:
        """Whether the baseline has this score and nobody can say whether it got worse."""
        if self.outcome != "not compared" or self.reason in (UNRESAMPLED, IGNORED):
            return False
        return (
            self.baseline is not None
            and self.baseline[1] != "error"
            and math.isfinite(self.baseline[0])
        )


@dataclass
class Comparison:
    """All pairs of two models.

    Args:
        baseline: what the candidate is compared with
        candidate: the other one
        pairs: in the order of the rows
        rebuilt: target and dataset -> cells of baseline and candidate with the same samples
    """

    baseline: Side
    candidate: Side
    pairs: list[Pair] = field(default_factory=list)
    rebuilt: dict[tuple[str, str], list[tuple[Evaluation, Evaluation]]] = field(
        default_factory=dict
    )

    def count(self, outcome: str) -> int:
        """Number of pairs with an outcome."""
        return sum(pair.outcome == outcome for pair in self.pairs)


def compare(
    benchmark: Benchmark,
    rebuilder: Rebuilder,
    baseline: Side,
    candidate: Side,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Comparison:
    """Pair the rows of two models and test their differences.

    Outcomes are not decided here but by :func:`common.reports.compare.gate.judged`, except for rows
    that cannot be compared.

    Args:
        benchmark: declarations
        rebuilder: gets samples and predictions from the cache
        baseline: what the candidate is compared with
        candidate: the other one
        progress: told how far it is
    """
    comparison = Comparison(baseline, candidate)
    cells = list(_cells(baseline, candidate))
    for number, (target, test, dataset) in enumerate(cells):
        progress("compare", number, len(cells))
        sides = [side.kept.get(target) for side in (baseline, candidate)]
        rows = [_rows(snapshot, test, dataset) for snapshot in sides]
        pairs = [_pair(place, *rows) for place in dict.fromkeys([*rows[0], *rows[1]])]
        if any(not pair.reason for pair in pairs):
            key = (target, test, dataset)
            pairs = _tested(benchmark, rebuilder, comparison, key, sides, pairs)
        comparison.pairs += pairs
    return comparison


def _cells(*sides: Side) -> Iterator[tuple[str, str, str]]:
    """(target, test, dataset) that any side has, in the order of the files."""
    names = ["target", "test", "dataset"]
    tables = [snapshot.rows[names] for side in sides for snapshot in side.kept.values()]
    cells = pd.concat(tables).drop_duplicates().sort_values(names)
    yield from zip(*(map(str, cells[name]) for name in names), strict=True)


_Row = Mapping[Any, Any]


def _rows(snapshot: KeptVersion | None, test: str, dataset: str) -> dict[tuple[str, ...], _Row]:
    if snapshot is None:
        return {}
    table = snapshot.rows[(snapshot.rows["test"] == test) & (snapshot.rows["dataset"] == dataset)]
    # the version of the data stands in the label of the data; it is compared apart
    return {tuple(row[name] for name in OWN[1:]): row for row in table.to_dict("records")}


def _pair(
    place: tuple[str, ...],
    before: Mapping[tuple[str, ...], _Row],
    after: Mapping[tuple[str, ...], _Row],
) -> Pair:
    """Both rows of a place, with the reason if they cannot be compared."""
    old, new = before.get(place), after.get(place)
    row: _Row = new if new is not None else before[place]
    outcome, reason = _obstacle(old, new)
    return Pair(
        target=str(row["target"]),
        test=str(row["test"]),
        dataset=str(row["dataset"]),
        data=str(row["data"]),
        metric=str(row["metric"]),
        label=str(row["label"]),
        condition=str(row["condition"]),
        criterion=str(row["criterion"] or (old or row)["criterion"]),
        baseline=None if old is None else (float(old["value"]), str(old["status"])),
        candidate=None if new is None else (float(new["value"]), str(new["status"])),
        outcome=outcome,
        reason=reason,
    )


def _other_rules(old: str, new: str) -> str:
    """Why verdicts by these criteria cannot be compared; empty if they can."""
    if not old or not new or old == new:
        return ""
    return f"they were judged by different criteria, '{old}' and '{new}'; run them again"


def _obstacle(old: _Row | None, new: _Row | None) -> tuple[Outcome, str]:
    """Why two rows cannot be compared; a candidate that ended in an error got worse."""
    if old is None:
        return "not compared", "the baseline has no such row"
    if old["status"] == "error":
        return "not compared", f"the baseline ended in an error: {old['reason']}"
    if new is None:
        return "not compared", "the candidate has no such row"
    if new["status"] == "error":
        if math.isnan(old["value"]):
            return "not compared", f"the candidate ended in an error: {new['reason']}"
        return "worse", f"the candidate ended in an error: {new['reason']}"
    if old["dataset_version"] != new["dataset_version"]:
        versions = f"{old['dataset_version']} and {new['dataset_version']}"
        return "not compared", f"other data: versions {versions} of the dataset"
    for name, row in zip(ROLES, (old, new), strict=True):
        if math.isnan(row["value"]):
            return "not compared", f"no value of {name}: {row['reason']}"
    return "not compared", _other_rules(str(old["criterion"]), str(new["criterion"]))


def _tested(
    benchmark: Benchmark,
    rebuilder: Rebuilder,
    comparison: Comparison,
    key: tuple[str, str, str],
    sides: list[KeptVersion | None],
    pairs: list[Pair],
) -> list[Pair]:
    """Pairs of a cell with the tests of their differences."""
    target, test, dataset = key
    try:
        cells = []
        for snapshot in sides:
            assert snapshot is not None
            noted = snapshot.manifest.cells.get(f"{test}/{dataset}", {})
            chance = bool(snapshot.manifest.model.get("chance"))
            cells.append(
                rebuilder(CellKey(target, snapshot.model, test, dataset), noted, chance=chance)
            )
    except BenchmarkError as error:
        return [pair if pair.reason else _changed(pair, reason=str(error)) for pair in pairs]
    old, new = cells
    if not old.view.samples[KEYS].equals(new.view.samples[KEYS]):
        reason = "other samples: seeds or annotations differ"
        return [pair if pair.reason else _changed(pair, reason=reason) for pair in pairs]
    comparison.rebuilt.setdefault((target, dataset), []).append((old, new))
    codes = cluster_codes(old.view.samples)
    bootstrap = Bootstrap(codes, seed=old.view.seed, keys=(old.view.dataset,))
    scores = [{_place(score): score for score in cell.scores} for cell in cells]
    single = len(codes) > 0 and int(codes.max()) + 1 == len(codes)
    uses = {
        use.metric: use.criterion
        for use in benchmark.tests[test].uses(benchmark.targets[target].kind)
    }
    return [
        pair
        if pair.reason
        else _with_test(pair, bootstrap, uses.get(pair.metric), *scores, single=single)
        for pair in pairs
    ]


def _place(score: Score) -> tuple[str, ...]:
    return score.condition, score.metric, score.label


def _with_test(
    pair: Pair,
    bootstrap: Bootstrap,
    criterion: Criterion | None,
    before: Mapping[tuple[str, ...], Score],
    after: Mapping[tuple[str, ...], Score],
    *,
    single: bool,
) -> Pair:
    place = (pair.condition, pair.metric, pair.label)
    old, new = before.get(place), after.get(place)
    if old is None or new is None or criterion is None:
        return _changed(pair, reason="the test has no such row any more; run it again")
    for name, score, row in zip(ROLES, (old, new), (pair.baseline, pair.candidate), strict=True):
        if row is None or not abs(score.value - row[0]) <= SAME:
            return _changed(pair, reason=f"the row of {name} is stale; run it again")
    if old.recipe is None or new.recipe is None:
        return _changed(pair, reason=UNRESAMPLED)
    result = _difference(pair, bootstrap, criterion, old.recipe, new.recipe)
    fields: dict[str, Any] = {
        "gain": result.difference,
        "low": result.low,
        "high": result.high,
        "p": result.p,
        "clusters": result.clusters,
        "mde": result.mde,
        "method": "paired bootstrap",
        "outcome": "cannot tell",
    }
    if single and _counts_hits(METRICS.get(pair.metric)):
        old_hits, new_hits = (_hits(score, pair.label) for score in (old, new))
        fields["p"] = mcnemar(old_hits, new_hits).p
        fields["method"] = "McNemar"
    if math.isnan(fields["p"]):
        fields["reason"] = f"{result.clusters} speakers or samples are too few"
    return _changed(pair, **fields)


def _difference(
    pair: Pair, bootstrap: Bootstrap, criterion: Criterion, old: Recipe, new: Recipe
) -> PairedDifference:
    """Gain with its interval and p value."""
    centre = centre_of(criterion, pair.metric)
    if centre is not None:
        return nearer(bootstrap, old, new, centre, pair.label)
    lower = criterion.below is not None or (
        criterion.above is None and METRICS.get(pair.metric).direction == "lower"
    )
    return paired(bootstrap, old, new, pair.label, np.negative if lower else np.positive)


def _counts_hits(metric: Metric) -> bool:
    """Whether a score is the share of samples whose two labels agree, of all or of a class."""
    is_share = metric.sums is not None and metric.sums.nature == "share"
    is_recall = metric.counts != "prediction"
    return is_share and is_recall and kinds.get(metric.kind).has_classes


def _hits(score: Score, label: str) -> np.ndarray:
    """Which samples count as right; for a class, among those that belong to it."""
    assert score.recipe is not None
    truth, prediction = score.recipe.term.arrays[:2]
    hits: np.ndarray = np.asarray(truth == prediction, dtype=bool)
    return hits[truth == label] if label else hits


def _changed(pair: Pair, **fields: Any) -> Pair:
    return Pair(**{**pair.__dict__, **fields})


def centre_of(criterion: Criterion, metric: str) -> float | None:
    """Value that a score should be near to; None: it should be high, or low.

    What is better follows from the criterion: a score that must be above a bound is better if it
    is higher, one that must stay within a bound if it is nearer to zero, one that must lie between
    two bounds if it is nearer to the middle of them. Without a criterion, the metric decides.

    >>> centre_of(Criterion(within=0.1), "ccc"), centre_of(Criterion(between=(0.2, 0.4)), "mae")
    (0.0, 0.3)
    >>> centre_of(Criterion(above=0.1), "ccc") is None
    True
    """
    if criterion.above is not None or criterion.below is not None:
        return None
    if criterion.between is not None:
        return round(sum(criterion.between) / 2, 12)
    if criterion.within is not None or METRICS.get(metric).direction == "zero":
        return 0.0
    return None
