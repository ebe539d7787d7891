"""Intersections of attributes against scikit-learn, audmetric and loops over samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import audmetric
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, precision_score, recall_score

from common.core import paths
from common.designs import ORIGINAL, Score, View
from common.designs.by_group import ByGroup
from common.designs.context_shift import ContextShift
from common.designs.group_shift import GroupShift
from common.spec import Criterion, MetricUse, Target, load_entries

TARGETS = load_entries(Target, paths.CATALOG / "targets.yaml")
NUMBER, CLASS = TARGETS["arousal"], TARGETS["emotion"]
LABELS = list(CLASS.labels)
SEX, AGE, TONGUE = ("f", "m"), ("old", "young"), ("de", "en", "pl")
TWO, THREE = ("sex", "age"), ("sex", "age", "language")


def use(metric: str, **params: Any) -> MetricUse:
    return MetricUse(metric=metric, criterion=Criterion(within=0.1), params=params)


def view_of(target: Target, seed: int = 7, n: int = 900) -> View:
    """Samples whose groups overlap in three attributes; some values are missing."""
    rng = np.random.default_rng(seed)

    def drawn(values: Sequence[str]) -> pd.Series:
        chosen = np.array([*values, None], dtype=object)
        weights = np.append(rng.dirichlet(np.full(len(values), 9)) * 0.95, 0.05)
        return pd.Series(chosen[rng.choice(len(chosen), n, p=weights)], dtype=object)

    samples = pd.DataFrame({"sex": drawn(SEX), "age": drawn(AGE), "language": drawn(TONGUE)})
    samples["tone"] = drawn(("negative", "positive")).fillna("positive")
    samples["file"] = [f"{number}.wav" for number in range(n)]
    samples = samples.assign(start=0, end=-1)
    if target is NUMBER:
        truth = rng.random(n)
        prediction = np.clip(truth * 0.6 + rng.normal(0.2, 0.15, n), 0, 1)
    else:
        truth = np.array(LABELS, dtype=object)[rng.integers(4, size=n)]
        wrong = np.array(LABELS, dtype=object)[rng.integers(4, size=n)]
        prediction = np.where(rng.random(n) < 0.55, truth, wrong)
    samples[target.id] = truth
    return View(target, samples, {ORIGINAL: prediction})


def known(view: View, chosen: Sequence[str]) -> View:
    """The samples that belong to a group, as the selection of a design leaves them."""
    rows = np.array(
        [all(row[name] is not None for name in chosen) for _, row in view.samples.iterrows()]
    )
    return View(
        view.target,
        view.samples[rows].reset_index(drop=True),
        {ORIGINAL: view.predictions[ORIGINAL][rows]},
    )


def members(view: View, chosen: Sequence[str]) -> dict[str, np.ndarray]:
    """Group -> its samples, found one by one."""
    found: dict[str, list[int]] = {}
    for number, row in enumerate(view.samples.to_dict("records")):
        found.setdefault(", ".join(row[name] for name in chosen), []).append(number)
    return {name: np.array(rows) for name, rows in found.items()}


def values(found: Sequence[Score]) -> dict[tuple[str, str, str], float]:
    return {(score.metric, score.condition, score.label): score.value for score in found}


#: metric -> the same of another package, for all classes
LABELLED: dict[str, Callable[[Any, Any], Any]] = {
    "uar": lambda t, p: recall_score(t, p, labels=LABELS, average="macro", zero_division=0),
    "uap": lambda t, p: precision_score(t, p, labels=LABELS, average="macro", zero_division=0),
    "recall_per_class": lambda t, p: dict(
        zip(LABELS, recall_score(t, p, labels=LABELS, average=None, zero_division=0), strict=True)
    ),
}
NUMERIC: dict[str, Callable[[Any, Any], Any]] = {
    "ccc": audmetric.concordance_cc,
    "pcc": audmetric.pearson_cc,
    "mae": mean_absolute_error,
}


@pytest.mark.parametrize("chosen", [TWO, THREE])
@pytest.mark.parametrize(("target", "metrics"), [(CLASS, LABELLED), (NUMBER, NUMERIC)])
def test_group_minus_all(target: Target, metrics: dict[str, Any], chosen: tuple[str, ...]) -> None:
    view = known(view_of(target), chosen)
    options = ByGroup(attribute=list(chosen), min_group=1)
    found = values(options.scores(view, [use(name) for name in metrics]))
    groups = members(view, chosen)
    assert len(groups) == 2 ** len(TWO) * (3 if chosen == THREE else 1)
    expected = {}
    for metric, function in metrics.items():
        everyone = function(view.truth, view.prediction)
        for group, rows in groups.items():
            own = function(view.truth[rows], view.prediction[rows])
            if isinstance(own, dict):
                expected |= {(metric, group, c): own[c] - everyone[c] for c in LABELS}
            else:
                expected[metric, group, ""] = own - everyone
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("chosen", [TWO, THREE])
def test_shift_of_groups(chosen: tuple[str, ...]) -> None:
    options = GroupShift(attribute=list(chosen), min_group=1)
    numbers, classes = known(view_of(NUMBER), chosen), known(view_of(CLASS), chosen)
    found = values(options.scores(numbers, [use("mean_difference")]))
    found |= values(options.scores(classes, [use("relative_difference_per_class")]))
    expected = {}
    for group, rows in members(numbers, chosen).items():
        mean = sum(numbers.prediction[rows]) / len(rows)
        everyone = sum(numbers.prediction) / len(numbers.prediction)
        expected["mean_difference", group, ""] = mean - everyone
    for group, rows in members(classes, chosen).items():
        for label in LABELS:
            own = list(classes.prediction[rows]).count(label) / len(rows)
            everyone = list(classes.prediction).count(label) / len(classes.prediction)
            expected["relative_difference_per_class", group, label] = own - everyone
    assert found == pytest.approx(expected, abs=1e-12)


def test_shift_of_groups_in_contexts() -> None:
    chosen, contexts = TWO, ("negative", "positive")
    view = known(view_of(NUMBER), chosen)
    options = ContextShift(
        attribute=list(chosen), min_group=1, context="tone", contexts=contexts, min_context=1
    )
    found = options.scores(view, [use("mean_shift_difference")])
    shifts: dict[str, dict[str, float]] = {context: {} for context in contexts}
    for group, rows in members(view, chosen).items():
        mean = np.mean(view.prediction[rows])
        for context in contexts:
            within = [n for n in rows if view.samples["tone"][n] == context]
            shifts[context][group] = np.mean(view.prediction[within]) - mean
    expected = sorted(
        shift - np.mean(list(own.values())) for own in shifts.values() for shift in own.values()
    )
    assert sorted(score.value for score in found) == pytest.approx(expected, abs=1e-12)
    assert len(found) == len(contexts) * 4
