from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics

from common.core.errors import LengthError
from common.metrics.agreement import percentage_unchanged, percentage_unchanged_classes


def words(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=object)


def test_numbers_by_hand() -> None:
    reference = np.array([0.5, 0.5, 0.5, 0.5])
    changed = np.array([0.5, 0.54, 0.45, 0.2])
    assert percentage_unchanged(reference, changed, tolerance=0.04) == 0.25
    assert percentage_unchanged(reference, changed, tolerance=0.06) == 0.75


def test_the_tolerance_itself_is_a_change() -> None:
    assert percentage_unchanged(np.array([0.25]), np.array([0.5]), tolerance=0.25) == 0


def test_direction_does_not_matter() -> None:
    reference, changed = np.array([0.1, 0.9]), np.array([0.12, 0.7])
    one = percentage_unchanged(reference, changed, tolerance=0.05)
    assert one == percentage_unchanged(changed, reference, tolerance=0.05) == 0.5


def test_classes_by_hand() -> None:
    assert percentage_unchanged_classes(words("a b c d"), words("a b c x")) == 0.75


def test_classes_as_scikit_learn_computes_it() -> None:
    rng = np.random.default_rng(0)
    one, other = (rng.choice(list("abc"), 200).astype(object) for _ in range(2))
    expected = sklearn.metrics.accuracy_score(one, other)
    assert percentage_unchanged_classes(one, other) == pytest.approx(expected, abs=1e-9)


def test_empty_is_nan() -> None:
    assert np.isnan(percentage_unchanged(np.array([]), np.array([]), tolerance=0.05))
    assert np.isnan(percentage_unchanged_classes(words(""), words("")))


def test_nan_in_nan_out() -> None:
    assert np.isnan(percentage_unchanged(np.array([0.1]), np.array([np.nan]), tolerance=0.05))


def test_lengths_must_agree() -> None:
    with pytest.raises(LengthError, match="truth: 1, prediction: 2"):
        percentage_unchanged(np.zeros(1), np.zeros(2), tolerance=0.05)
    with pytest.raises(LengthError, match="truth: 1, prediction: 2"):
        percentage_unchanged_classes(words("a"), words("a b"))
