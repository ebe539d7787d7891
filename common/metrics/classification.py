"""Metrics of two aligned arrays of class labels.

A class that occurs neither in the truth nor in the predictions of the evaluated samples is
no part of an average and has no value of its own: designs pass :func:`~common.metrics.labels.observed_labels`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .base import check_lengths, metric
from .sums import (
    Given,
    Key,
    Sums,
    Terms,
    hits,
    mean_of_shares,
    share_of_hits,
)


def label_codes(values: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """Position of each value in ``labels``, shape (N,); -1 for values that are not there.

    >>> label_codes(np.array(["b", "a", "x"], dtype=object), ["a", "b"]).tolist()
    [1, 0, -1]
    """
    values = np.asarray(values, dtype=object)
    codes = np.full(len(values), -1, dtype=np.int64)
    for code, label in enumerate(labels):
        codes[values == label] = code
    return codes


def label_counts(values: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """How often each label occurs, shape (number of labels,); other values do not count.

    >>> label_counts(np.array(["b", "a", "x", "b"], dtype=object), ["a", "b"]).tolist()
    [1, 2]
    """
    codes = label_codes(values, labels)
    return np.bincount(codes[codes >= 0], minlength=len(labels))


def per_class(of: int, value: Callable[..., np.ndarray], **fields: Any) -> Sums:
    """Recall (``of`` = 0) or precision (1) as a function of hits and misses of each class."""

    def terms(arrays: Sequence[np.ndarray], params: Given) -> Terms:
        check_lengths(truth=arrays[0], prediction=arrays[1])
        labels = params["labels"]
        return hits([label_codes(array, labels) for array in arrays], of, len(labels))

    return Sums(terms, value, counted=True, **fields)


def class_keys(arrays: Sequence[np.ndarray], params: Given) -> tuple[Key, ...]:
    """One value per class."""
    return tuple(("", label) for label in params["labels"])


UAR, UAP = (per_class(of, mean_of_shares) for of in (0, 1))
RECALL, PRECISION = (per_class(of, share_of_hits, keys=class_keys, nature="share") for of in (0, 1))


def by_label(labels: Sequence[str], values: np.ndarray) -> dict[str, float]:
    """Values by label, sorted by label."""
    return dict(sorted(zip(labels, values.tolist(), strict=True)))


@metric(
    id="uar",
    label="Unweighted Average Recall",
    short="UAR",
    kind="classification",
    bounds=(0, 1),
    direction="higher",
    cite="schuller2009interspeech",
    sums=UAR,
    drawn="pairs",
)
def uar(truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]) -> float:
    r"""Unweighted average recall: mean of the recall of all classes, however rare they are.

    .. math:: \frac{1}{C} \sum_c \frac{N(t = c, p = c)}{N(t = c)}

    Args:
        truth: annotated classes, shape (N,)
        prediction: predicted classes, shape (N,), same order as ``truth``
        labels: the classes to average over; one without a sample in the truth counts as 0

    Returns:
        mean recall in [0, 1]; NaN without labels

    Raises:
        LengthError: if the shapes differ

    >>> truth = np.array(["a", "a", "b"], dtype=object)
    >>> uar(truth, np.array(["a", "b", "b"], dtype=object), labels=["a", "b"])
    0.75
    """
    return UAR.number(truth, prediction, labels=labels)


@metric(
    id="uap",
    label="Unweighted Average Precision",
    short="UAP",
    kind="classification",
    bounds=(0, 1),
    direction="higher",
    cite="schuller2009interspeech",
    sums=UAP,
    drawn="pairs",
)
def uap(truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]) -> float:
    r"""Unweighted average precision: mean of the precision of all classes.

    .. math:: \frac{1}{C} \sum_c \frac{N(t = c, p = c)}{N(p = c)}

    Args:
        truth: annotated classes, shape (N,)
        prediction: predicted classes, shape (N,), same order as ``truth``
        labels: the classes to average over; one that is never predicted counts as 0

    Returns:
        mean precision in [0, 1]; NaN without labels

    Raises:
        LengthError: if the shapes differ

    >>> truth = np.array(["a", "a", "b"], dtype=object)
    >>> uap(truth, np.array(["a", "b", "b"], dtype=object), labels=["a", "b"])
    0.75
    """
    return UAP.number(truth, prediction, labels=labels)


@metric(
    id="recall_per_class",
    label="Recall per Class",
    short="Recall",
    kind="classification",
    bounds=(0, 1),
    direction="higher",
    cite="powers2011evaluation",
    counts="truth",
    sums=RECALL,
    drawn="pairs",
)
def recall_per_class(
    truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]
) -> dict[str, float]:
    r"""Share of the samples of a class that the model finds.

    .. math:: \frac{N(t = c, p = c)}{N(t = c)}

    Args:
        truth: annotated classes, shape (N,)
        prediction: predicted classes, shape (N,), same order as ``truth``
        labels: the classes to report

    Returns:
        label -> recall in [0, 1], sorted by label; 0 for a class without a sample in the truth

    Raises:
        LengthError: if the shapes differ

    >>> truth = np.array(["a", "a", "b"], dtype=object)
    >>> recall_per_class(truth, np.array(["a", "b", "b"], dtype=object), labels=["a", "b"])
    {'a': 0.5, 'b': 1.0}
    """
    return by_label(labels, RECALL.point(truth, prediction, labels=labels))


@metric(
    id="precision_per_class",
    label="Precision per Class",
    short="Precision",
    kind="classification",
    bounds=(0, 1),
    direction="higher",
    cite="powers2011evaluation",
    counts="prediction",
    sums=PRECISION,
    drawn="pairs",
)
def precision_per_class(
    truth: np.ndarray, prediction: np.ndarray, *, labels: Sequence[str]
) -> dict[str, float]:
    r"""Share of the predictions of a class that are right.

    .. math:: \frac{N(t = c, p = c)}{N(p = c)}

    Args:
        truth: annotated classes, shape (N,)
        prediction: predicted classes, shape (N,), same order as ``truth``
        labels: the classes to report

    Returns:
        label -> precision in [0, 1], sorted by label; 0 for a class that is never predicted

    Raises:
        LengthError: if the shapes differ

    >>> truth = np.array(["a", "a", "b"], dtype=object)
    >>> precision_per_class(truth, np.array(["a", "b", "b"], dtype=object), labels=["a", "b"])
    {'a': 1.0, 'b': 0.5}
    """
    return by_label(labels, PRECISION.point(truth, prediction, labels=labels))
