"""F-score, precision, recall and error rate of each class and of all, with intervals.

The interval of an F-score here is that of the result row: the same recordings are drawn and the
same random numbers used. The rates of a class have no substitutions; those of all have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...designs.certainty import cluster_codes
from ...metrics.event_scores import cases, f_scores
from ...metrics.events import figures
from ...metrics.events.tallies import Tally, tally
from ...metrics.sums import Columns, Given, Sums
from ...spec.view import View
from ...uncertainty.base import BoundSums, sample_of
from ...uncertainty.clusters import Clusters
from ...uncertainty.interval import intervals
from ...uncertainty.recipe import Term

#: value, lower and upper end
Figure = tuple[float, float, float]
ALL = "all (micro)"


def class_wise(name: str, view: View, params: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of the table, and what the error rate of all classes consists of.

    Args:
        name: way to count, of :data:`~common.metrics.events.tallies.TALLIES`
        view: what the scores were computed from
        params: parameters of the metrics
    """
    truth, prediction = view.truth, view.prediction
    counts: Tally = tally(name, truth, prediction, params)
    clusters = Clusters(cluster_codes(view.samples), seed=view.seed, keys=(view.dataset,))
    tp, ref, sys = (part.sum(axis=1, keepdims=True) for part in counts[:3])
    summed = Tally(tp, ref, sys, counts.errors)
    whole = _rates(f"{name}_f", summed, clusters)
    each = _rates(f"{name}_f_per_class", counts, clusters)
    errors: dict[str, int] | None = None
    if name != "intersection":
        errors = _errors(counts)
        whole["er"] = _error_rate(name, counts, clusters)
        each["er"] = _error_rates(f"{name}_f_per_class", counts, clusters)
    rows = [_row(ALL, 0, whole, summed)]
    rows += [_row(label, place, each, counts) for place, label in enumerate(truth.labels)]
    return {
        "rows": rows,
        "errors": errors,
        "f_per_file": f_scores(cases(summed), np.empty(0))[:, 0].tolist(),
    }


def _row(label: str, place: int, columns: Mapping[str, list[Figure]], counts: Tally) -> Any:
    tp, ref, sys = (int(part[:, place].sum()) for part in counts[:3])
    values = {name: list(figure[place]) for name, figure in columns.items()}
    return {"label": label, **values, "tp": tp, "fp": sys - tp, "fn": ref - tp, "ref": ref}


def _rates(name: str, counts: Tally, clusters: Clusters) -> dict[str, list[Figure]]:
    """F, precision and recall of each column."""

    def values(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
        hits, missed, false = np.split(sums, 3, axis=1)
        none = np.full(hits.shape, np.nan)
        recall = figures.recall(hits, hits + missed)
        f = figures.f_of_counts(hits, false, missed)
        precision = figures.precision(hits, hits + false, zero_score=False)
        mask = np.split(total, 3)[0] + np.split(total, 3)[1] > 0
        columns = [np.where(mask, f, none), precision, np.where(mask, recall, none)]
        return np.concatenate(columns, axis=1)

    rates = _intervals(
        name, cases(counts).astype(np.float64), values, clusters, (0.0, 1.0), counts=True
    )
    size = counts.tp.shape[1]
    parts = (rates[:size], rates[size : 2 * size], rates[2 * size :])
    return dict(zip(("f", "p", "r"), parts, strict=True))


def _error_rates(name: str, counts: Tally, clusters: Clusters) -> list[Figure]:
    """Misses and false alarms per item of each class, from the draws of its other rates."""

    def values(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
        hits, missed, false = np.split(sums, 3, axis=1)
        annotated = sum(np.split(total, 3)[:2]) > 0
        return np.where(annotated, figures.divide(missed + false, hits + missed, np.nan), np.nan)

    return _intervals(
        name, cases(counts).astype(np.float64), values, clusters, (0.0, np.inf), counts=True
    )


def _error_rate(name: str, counts: Tally, clusters: Clusters) -> list[Figure]:
    """Error rate of all classes, its interval that of the result row."""

    def values(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
        return figures.divide(sums[:, :1], sums[:, 1:], np.nan)

    columns = np.stack([counts.errors, counts.ref.sum(axis=1)], axis=1).astype(np.float64)
    return _intervals(f"{name}_error_rate", columns, values, clusters, (0.0, np.inf))


def _intervals(
    name: str,
    columns: np.ndarray,
    values: Any,
    clusters: Clusters,
    limits: tuple[float, float],
    *,
    counts: bool = False,
) -> list[Figure]:
    """Values of sums over recordings, with their intervals."""
    terms = (Columns(tuple((column,) for column in columns.T)),)
    function = Sums(lambda arrays, params: terms, values, lambda arrays, params: (), counted=counts)
    sample = sample_of(Term(name, (np.arange(len(columns)),)), clusters)
    bound = BoundSums(function, sample, clusters)
    point = bound.point()
    ranges = intervals(bound, limits, name=name)
    return [
        (float(value), one.low, one.high) if value == value else (np.nan, np.nan, np.nan)
        for value, one in zip(point, ranges, strict=True)
    ]


def _errors(counts: Tally) -> dict[str, int]:
    """What the error rate of all classes consists of, and the items that it is divided by."""
    tp, ref, sys = (int(part.sum()) for part in counts[:3])
    missed, extra = ref - tp, sys - tp
    # of fn misses and fp false alarms in all, S are one of each: errors = fn + fp - S
    replaced = missed + extra - int(counts.errors.sum())
    return {
        "substitutions": replaced,
        "deletions": missed - replaced,
        "insertions": extra - replaced,
        "reference": ref,
    }
