"""Scores by other means: pandas, SciPy and scikit-learn in place of designs and metrics.

Nothing of :mod:`common.metrics` is used here, and of :mod:`common.designs` the options of a test only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ...designs import Score, design_of
from ...engine.scoring import Evaluation


def recomputed(cell: Evaluation) -> Callable[[Score], float]:
    """Another way to the scores of a cell.

    Args:
        cell: samples, annotations and predictions

    Returns:
        function of a score: what its value should be, judged by its labels alone
    """
    design = cell.cell.test.design_name
    chosen: Any = design_of(cell.cell.test)
    params = {use.metric: use.params for use in cell.cell.test.uses(cell.cell.target.kind)}
    frame = cell.view.samples.copy()
    frame["_prediction"] = cell.view.prediction
    if cell.cell.target.id in frame:
        frame["_truth"] = cell.view.truth
    return lambda score: _DESIGNS[design](score, frame, chosen, dict(params[score.metric]), cell)


def _against_truth(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    return pair(score.metric, score.label, frame["_truth"], frame["_prediction"], params)


def _per_unit(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    units = frame[chosen.unit]
    if not score.label:
        truth, prediction = (
            frame[side].astype(float).groupby(units).mean() for side in ("_truth", "_prediction")
        )
        return pair(score.metric, "", truth, prediction, params)
    tables = (
        pd.crosstab(units, frame[side], normalize="index") for side in ("_truth", "_prediction")
    )
    truth, prediction = (t.get(score.label, pd.Series(0.0, t.index)) for t in tables)
    name = {"class_proportion_mae": "mae", "class_proportion_spearmans_rho": "spearmans_rho"}
    return pair(name[score.metric], "", truth, prediction, params)


def _expected_range(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    name = chosen.expected[score.label][cell.cell.target.id]
    low, high = chosen.ranges[name]
    predictions = frame.loc[frame[chosen.column] == score.label, "_prediction"].astype(float)
    return float(
        predictions.between(
            -np.inf if low is None else low, np.inf if high is None else high
        ).mean()
    )


def _groups(frame: pd.DataFrame, chosen: Any) -> Iterator[tuple[str, pd.DataFrame]]:
    for group, part in frame.groupby(list(chosen.attribute)):
        yield chosen.name(tuple(map(str, group))), part


def _by_group(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    part = dict(_groups(frame, chosen))[score.condition]
    labels = _observed(frame)
    group_score, everyone = (
        pair(score.metric, score.label, rows["_truth"], rows["_prediction"], params, labels)
        for rows in (part, frame)
    )
    return group_score - everyone


def _group_shift(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    part = dict(_groups(frame, chosen))[score.condition]
    labels = list(cell.cell.target.labels)
    everyone, group = frame["_prediction"], part["_prediction"]
    return pair(score.metric, score.label, everyone, group, params, labels)


def _context_shift(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    if "bins" in params:
        frame = frame.assign(_prediction=binned(frame["_prediction"], params["bins"]))
    labels = list(cell.cell.target.labels)
    if labels:
        frame = frame[frame["_prediction"].isin(labels)]
    values = frame["_prediction"]
    values = (values == score.label).astype(float) if score.label else values.astype(float)
    context = next(c for c in chosen.contexts if chosen.condition_of(c) == score.condition)
    inside = frame[chosen.context] == context
    key = [frame[name] for name in chosen.attribute]
    everything = values.groupby(key).mean()
    within = values[inside].groupby([column[inside] for column in key]).mean()
    shift = (within - everything).dropna()
    names = {chosen.part(_texts(group)): group for group in shift.index}
    return float(shift[names[score.data]] - shift.mean())


def _texts(group: Any) -> tuple[str, ...]:
    return tuple(map(str, group)) if isinstance(group, tuple) else (str(group),)


def _perturbed(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation
) -> float:
    changed = pd.Series(cell.view.predictions[score.condition], frame.index)
    if not score.metric.startswith("change_"):
        return pair(score.metric, score.label, frame["_prediction"], changed, params)
    name = score.metric.removeprefix("change_")
    after, before = (
        pair(name, "", frame["_truth"], side, params) for side in (changed, frame["_prediction"])
    )
    return after - before


def _paired(score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Evaluation) -> float:
    if not chosen.column:
        base, changed = (
            pd.Series(cell.view.predictions[name]) for name in (score.reference, score.condition)
        )
        return pair(score.metric, score.label, base, changed, params)
    wide = frame[frame[chosen.column].isin([score.reference, score.condition])]
    twice = wide.duplicated([chosen.column, *chosen.match], keep=False)
    table = wide[~twice].pivot(
        index=list(chosen.match), columns=chosen.column, values="_prediction"
    )
    table = table.dropna()
    return pair(score.metric, score.label, table[score.reference], table[score.condition], params)


_DESIGNS: dict[str, Callable[[Score, pd.DataFrame, Any, Any, Evaluation], float]] = {
    "against_truth": _against_truth,
    "per_unit": _per_unit,
    "expected_range": _expected_range,
    "by_group": _by_group,
    "group_shift": _group_shift,
    "context_shift": _context_shift,
    "perturbed": _perturbed,
    "paired": _paired,
}


def _observed(frame: pd.DataFrame) -> list[Any]:
    return sorted({*frame["_truth"].unique(), *frame["_prediction"].unique()})


def binned(values: pd.Series, bins: int) -> pd.Series:
    """Names of the equal bins on [0, 1] that values lie in, the outer ones open.

    >>> binned(pd.Series([0.25, 0.26, 7.0]), 4).tolist()
    ['(-inf, 0.25]', '(0.25, 0.5]', '(0.75, inf]']
    """
    edges = [-np.inf, *(number / bins for number in range(1, bins)), np.inf]
    names = [f"({low:g}, {high:g}]" for low, high in pairwise(edges)]
    return pd.cut(values.astype(float), edges, labels=names).astype(object)


def pair(
    metric: str,
    label: str,
    first: pd.Series,
    second: pd.Series,
    params: Mapping[str, Any],
    labels: Sequence[Any] | None = None,
) -> float:
    """A metric of two lists by pandas, SciPy or scikit-learn.

    Args:
        metric: its id
        label: class or bin
        first: truth or reference
        second: prediction
        params: parameters of the test
        labels: classes; default: those that occur
    """
    if metric.endswith("_per_bin"):
        first, second = (binned(side, params["bins"]) for side in (first, second))
    if metric in _SHARES:
        return _share(second, label, labels) - _share(first, label, labels)
    if metric in _OF_CLASSES:
        if labels is None:
            labels = sorted({*first.unique(), *second.unique()})
        return _OF_CLASSES[metric](list(first), list(second), label, list(labels))
    x, y = (side.to_numpy(dtype=float) for side in (first, second))
    return float(_OF_NUMBERS[metric](x, y, params))


def _share(values: pd.Series, label: str, labels: Sequence[Any] | None) -> float:
    cases = values if not labels else values[values.isin(labels)]
    return float((cases == label).mean())


def _sklearn(name: str, average: str | None) -> Callable[..., float]:
    def value(first: list[Any], second: list[Any], label: str, labels: list[Any]) -> float:
        from sklearn import metrics

        function = getattr(metrics, name)
        if average is None:
            return float(function(first, second, labels=[label], average=None, zero_division=0)[0])
        return float(function(first, second, labels=labels, average=average, zero_division=0))

    return value


def _ccc(x: np.ndarray, y: np.ndarray, params: Any) -> float:
    table = np.cov(x, y, bias=True)
    return 2 * table[0, 1] / (table[0, 0] + table[1, 1] + (x.mean() - y.mean()) ** 2)


def _scipy(module: str, name: str) -> Callable[..., float]:
    def value(x: np.ndarray, y: np.ndarray, params: Any) -> float:
        import importlib

        return float(getattr(importlib.import_module(f"scipy.{module}"), name)(x, y).statistic)

    return value


def _jensen_shannon(x: np.ndarray, y: np.ndarray, params: Any) -> float:
    from scipy.spatial.distance import jensenshannon

    sides = [binned(pd.Series(side), params["bins"]).value_counts() for side in (x, y)]
    names = sorted({*sides[0].index, *sides[1].index})
    return float(jensenshannon(*(side.reindex(names, fill_value=0) for side in sides), base=2))


_SHARES = {
    "relative_difference_per_class",
    "relative_difference_per_bin",
}
_OF_CLASSES: dict[str, Callable[..., float]] = {
    "uar": _sklearn("recall_score", "macro"),
    "uap": _sklearn("precision_score", "macro"),
    "recall_per_class": _sklearn("recall_score", None),
    "precision_per_class": _sklearn("precision_score", None),
    "recall_per_bin": _sklearn("recall_score", None),
    "precision_per_bin": _sklearn("precision_score", None),
    "percentage_unchanged_classes": lambda first, second, label, labels: float(
        np.mean([a == b for a, b in zip(first, second, strict=True)])
    ),
}
_OF_NUMBERS: dict[str, Callable[[np.ndarray, np.ndarray, Any], float]] = {
    "ccc": _ccc,
    "pcc": _scipy("stats", "pearsonr"),
    "spearmans_rho": _scipy("stats", "spearmanr"),
    "mae": lambda x, y, params: float(np.mean(np.abs(x - y))),
    "mean_directional_error": lambda x, y, params: float(np.mean(y - x)),
    "mean_difference": lambda x, y, params: float(np.average(y) - np.average(x)),
    "percentage_unchanged": lambda x, y, params: float(
        np.mean(np.abs(y - x) < params["tolerance"])
    ),
    "jensen_shannon_distance": _jensen_shannon,
}
