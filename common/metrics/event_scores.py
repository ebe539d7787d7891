"""Metrics of sound events that count: each way of counting with each way of averaging.

Events are counted in segments, as matched events, or as intersections
(:mod:`common.metrics.events.tallies`). Counts of all recordings are added up before anything is
divided; figures are never averaged over recordings. Classes are those of the target; one that is
annotated nowhere has no score and no part in an average, one that is annotated and never
predicted has an F-score of 0. Formulas and edge cases are those of :mod:`common.metrics.events`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .base import METRICS, Metric, metric
from .events import figures
from .events.recordings import SoundEvents
from .events.tallies import Tally, by_event, by_intersection, by_segment, unchanged
from .sums import Columns, Given, Key, Sums, Terms

DOC = """{first}

    Args:
        truth: annotated events of N recordings
        prediction: predicted events of the same recordings
{params}

    Returns:
        {returns}

    Raises:
        LengthError: if the numbers of recordings differ
    """


class Counting(NamedTuple):
    """A way of counting.

    Args:
        function: (truth, prediction, parameters) -> counts of each recording
        adjective: as in "segment-based"
        cite: key in docs/refs.bib
        params: what the parameters are, as in a docstring
        averages: names of the averages that are metrics
    """

    function: Callable[..., Tally]
    adjective: str
    cite: str
    params: dict[str, str]
    averages: tuple[str, ...]


class Average(NamedTuple):
    """A way from counts to scores.

    Args:
        label: name on pages, after the adjective
        short: short name, after that of the counting
        terms: counts -> columns, shape (N, k)
        value: (sums, sums of all) -> values, shape (..., V)
        first: first line of the docstring, for a counting's adjective
        returns: what the function returns
        counted: whether the sums are counts of cases that exclude each other
        per_class: whether there is a value for each class
    """

    label: str
    short: str
    terms: Callable[[Tally], np.ndarray]
    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    first: str
    returns: str
    counted: bool = True
    per_class: bool = False


def f_scores(sums: np.ndarray, total: np.ndarray) -> np.ndarray:
    """F-scores of hits, misses and false alarms; NaN without reference."""
    tp, missed, false = np.split(sums, 3, axis=-1)
    return np.where(tp + missed > 0, figures.f_of_counts(tp, false, missed), np.nan)


def mean_f_score(sums: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Mean of the F-scores of the classes that have a reference."""
    # classes without reference get no half counts either: they have no score at all
    tp, missed, _ = np.split(total, 3)
    scores = f_scores(sums, total)[..., tp + missed > 0]
    mask = ~np.isnan(scores)
    mean = figures.divide(np.where(mask, scores, 0).sum(axis=-1), mask.sum(axis=-1), np.nan)
    return np.asarray(mean)[..., None]


def cases(counts: Tally) -> np.ndarray:
    """Hits, misses and false alarms of each class."""
    return np.concatenate([counts.tp, counts.ref - counts.tp, counts.sys - counts.tp], axis=1)


def _all_cases(counts: Tally) -> np.ndarray:
    """Hits, misses and false alarms of all classes together."""
    tp, ref, sys = (part.sum(axis=1, keepdims=True) for part in counts[:3])
    return np.concatenate([tp, ref - tp, sys - tp], axis=1)


def _errors(counts: Tally) -> np.ndarray:
    return np.stack([counts.errors, counts.ref.sum(axis=1)], axis=1)


COUNTINGS = {
    "segment": Counting(
        by_segment,
        "Segment-based",
        "mesaros2016metrics",
        {"time_resolution": "length of a segment in s; any touch makes a class active"},
        ("f", "f_macro", "f_per_class", "error_rate"),
    ),
    "event": Counting(
        by_event,
        "Event-based",
        "mesaros2016metrics",
        {
            "t_collar": "by how many s onset and offset may be off",
            "percentage_of_length": "share of the length by which the offset may be off, if that "
            "is more",
        },
        ("f", "f_macro", "f_per_class", "error_rate"),
    ),
    "intersection": Counting(
        by_intersection,
        "Intersection-based",
        "bilen2020framework",
        {
            "dtc": "share of a detection that must lie in annotated events of its class",
            "gtc": "share of an annotated event that such detections must cover",
        },
        ("f_macro", "f_per_class"),
    ),
}
AVERAGES = {
    "f": Average(
        "F-score",
        "F",
        _all_cases,
        f_scores,
        "{} F-score, all classes together.",
        "F-score in [0, 1]; NaN without annotated events",
    ),
    "f_macro": Average(
        "Macro F-score",
        "macro F",
        cases,
        mean_f_score,
        "Mean over classes of the {} F-score.",
        "mean F-score in [0, 1]; NaN without annotated events",
    ),
    "f_per_class": Average(
        "F-score per Class",
        "F per class",
        cases,
        f_scores,
        "{} F-score of each class.",
        "label -> F-score in [0, 1]; NaN for a class without annotated events",
        per_class=True,
    ),
    "error_rate": Average(
        "Error Rate",
        "ER",
        _errors,
        lambda sums, total: figures.divide(sums[..., :1], sums[..., 1:], np.nan),
        "{} errors (substitutions, deletions and insertions) per annotated event.",
        "error rate, 0 or more; NaN without annotated events",
        counted=False,
    ),
}


def _labels(arrays: Sequence[Any], params: Given) -> tuple[Key, ...]:
    return tuple(("", label) for label in arrays[0].labels)


def _columns(rows: np.ndarray) -> Terms:
    return (Columns(tuple((column,) for column in rows.T.astype(np.float64))),)


def _sums(counting: Counting, average: Average) -> Sums:
    def terms(arrays: Sequence[Any], params: Given) -> Terms:
        return _columns(average.terms(counting.function(*arrays, **params)))

    def value(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
        return average.value(sums, total)

    if average.per_class:
        return Sums(terms, value, _labels, counted=average.counted)
    return Sums(terms, value, counted=average.counted)


def _function(name: str, sums: Sums, counting: Counting, average: Average) -> Callable[..., Any]:
    def score(truth: SoundEvents, prediction: SoundEvents, **params: Any) -> Any:
        if average.per_class:
            values = sums.point(truth, prediction, **params).tolist()  # type: ignore[arg-type]
            return dict(zip(truth.labels, values, strict=True))
        return sums.number(truth, prediction, **params)  # type: ignore[arg-type]

    score.__signature__ = inspect.signature(counting.function)  # type: ignore[attr-defined]
    score.__name__ = score.__qualname__ = name
    first = average.first.format(counting.adjective)
    params = "\n".join(f"        {param}: {text}" for param, text in counting.params.items())
    score.__doc__ = DOC.format(first=first, params=params, returns=average.returns)
    return score


for _name, _counting in COUNTINGS.items():
    for _suffix in _counting.averages:
        _average, _id = AVERAGES[_suffix], f"{_name}_{_suffix}"
        _function_of_sums = _sums(_counting, _average)
        METRICS.add(
            _id,
            Metric(
                id=_id,
                label=f"{_counting.adjective} {_average.label}",
                short=f"{_name.capitalize()} {_average.short}",
                kind="events",
                function=_function(_id, _function_of_sums, _counting, _average),
                bounds=(0, 1) if _average.counted else (0, np.inf),
                direction="higher" if _average.counted else "lower",
                cite=_counting.cite,
                sums=_function_of_sums,
            ),
        )


def _segments(arrays: Sequence[Any], params: Given) -> Terms:
    """Segments with the same labels, and the others."""
    same, every = unchanged(*arrays, **params).T
    return _columns(np.stack([same, every - same], axis=1))


def _share(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    return figures.divide(sums[..., :1], sums.sum(axis=-1, keepdims=True), np.nan)


UNCHANGED = Sums(_segments, _share, counted=True, nature="share")


@metric(
    id="unchanged_segments",
    label="Percentage Unchanged Segments",
    short="% unchanged segments",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="derington2025testing",
    sums=UNCHANGED,
)
def unchanged_segments(
    truth: SoundEvents, prediction: SoundEvents, *, time_resolution: float
) -> float:
    """Share of segments in which the same classes are active.

    Args:
        truth: predicted events on the original signals of N recordings
        prediction: predicted events on the changed signals
        time_resolution: length of a segment in s; any touch makes a class active

    Returns:
        share in [0, 1]; NaN without a segment

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return UNCHANGED.number(truth, prediction, time_resolution=time_resolution)  # type: ignore[arg-type]
