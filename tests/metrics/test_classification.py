from __future__ import annotations

import audmetric
import numpy as np
import pytest
import sklearn.metrics

from common.core.errors import LengthError
from common.metrics.classification import (
    label_codes,
    label_counts,
    precision_per_class,
    recall_per_class,
    uap,
    uar,
)
from common.metrics.labels import observed_labels

ALL = (uar, uap, recall_per_class, precision_per_class)


def words(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=object)


# counts (truth -> prediction): a -> a 2, a -> b 1, b -> b 1, c -> a 1
TRUTH = words("a a a b c")
PREDICTION = words("a a b b a")
LABELS = ("a", "b", "c")


def test_by_hand() -> None:
    assert recall_per_class(TRUTH, PREDICTION, labels=LABELS) == {"a": 2 / 3, "b": 1.0, "c": 0.0}
    assert precision_per_class(TRUTH, PREDICTION, labels=LABELS) == {"a": 2 / 3, "b": 0.5, "c": 0.0}
    assert uar(TRUTH, PREDICTION, labels=LABELS) == pytest.approx(5 / 9, abs=1e-12)
    assert uap(TRUTH, PREDICTION, labels=LABELS) == pytest.approx(7 / 18, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("labels", [("a", "b", "c", "d"), ("d", "b"), ("a", "b", "c", "d", "e")])
def test_as_scikit_learn_computes_it(seed: int, labels: tuple[str, ...]) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.choice(list("abcd"), 300, p=[0.6, 0.3, 0.08, 0.02]).astype(object)
    prediction = np.where(rng.random(300) < 0.4, truth, rng.choice(list("abcd"), 300))
    for ours, mean, theirs in (
        (recall_per_class, uar, sklearn.metrics.recall_score),
        (precision_per_class, uap, sklearn.metrics.precision_score),
    ):
        options = {"labels": list(labels), "zero_division": 0}
        expected = theirs(truth, prediction, average=None, **options)
        values = ours(truth, prediction, labels=labels)
        assert [values[label] for label in labels] == pytest.approx(expected.tolist(), abs=1e-9)
        expected = theirs(truth, prediction, average="macro", **options)
        assert mean(truth, prediction, labels=labels) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_as_audmetric_computes_it(seed: int) -> None:
    """The reference suite uses audmetric with the labels that occur."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(list("abcd"), 60).astype(object)
    prediction = rng.choice(list("abx"), 60).astype(object)
    labels = observed_labels(truth, prediction)
    assert labels == ("a", "b", "c", "d", "x")
    for ours, theirs in (
        (uar, audmetric.unweighted_average_recall),
        (uap, audmetric.unweighted_average_precision),
        (recall_per_class, audmetric.recall_per_class),
        (precision_per_class, audmetric.precision_per_class),
    ):
        expected = theirs(truth, prediction, zero_division=0)
        assert ours(truth, prediction, labels=labels) == pytest.approx(expected, abs=1e-9)


def test_observed_labels_are_sorted_and_leave_absent_classes_out() -> None:
    assert observed_labels(words("c a"), words("b a")) == ("a", "b", "c")
    assert observed_labels(words(""), words("")) == ()


@pytest.mark.parametrize("function", [recall_per_class, precision_per_class])
def test_results_are_sorted_by_label(function) -> None:
    values = function(TRUTH, PREDICTION, labels=("c", "a", "b"))
    assert list(values) == ["a", "b", "c"]
    assert values == function(TRUTH, PREDICTION, labels=LABELS)


def test_prediction_outside_the_labels_is_wrong() -> None:
    values = recall_per_class(words("a a"), words("a x"), labels=("a",))
    assert values == {"a": 0.5}


def test_truth_outside_the_labels_counts_for_precision() -> None:
    assert precision_per_class(words("x a"), words("a a"), labels=("a",)) == {"a": 0.5}


def test_nothing_at_all() -> None:
    nothing = words("")
    assert np.isnan(uar(nothing, nothing, labels=()))
    assert np.isnan(uap(nothing, nothing, labels=()))
    assert recall_per_class(nothing, nothing, labels=()) == {}
    assert precision_per_class(nothing, nothing, labels=("a",)) == {"a": 0.0}


@pytest.mark.parametrize("function", ALL)
def test_lengths_must_agree(function) -> None:
    with pytest.raises(LengthError, match=r"truth: 2, prediction: 1"):
        function(words("a b"), words("a"), labels=("a", "b"))


def test_codes_and_counts() -> None:
    assert label_codes(words("b x a"), ("a", "b")).tolist() == [1, -1, 0]
    assert label_counts(words("b x b"), ("a", "b")).tolist() == [0, 2]
