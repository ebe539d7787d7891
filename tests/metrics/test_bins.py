from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics

from common.core.errors import LengthError
from common.metrics.bins import (
    bin_codes,
    bin_counts,
    bin_edges,
    bin_labels,
    bin_shares,
    precision_per_bin,
    recall_per_bin,
    relative_difference_per_bin,
)

FOUR = ("(-inf, 0.25]", "(0.25, 0.5]", "(0.5, 0.75]", "(0.75, inf]")


def test_labels_are_those_of_the_published_results() -> None:
    assert bin_labels(4) == FOUR
    assert bin_labels(1) == ("(-inf, inf]",)


@pytest.mark.parametrize("bins", [2, 4, 10, 100])
def test_edges_are_the_numbers_that_one_writes(bins: int) -> None:
    """0.3 lies on its edge; in ``np.arange(0, 1, 0.1)`` the edge is 0.30000000000000004."""
    assert bin_edges(bins).tolist() == [float(f"{k / bins:.2f}") for k in range(1, bins)]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (-3.0, 0),
        (0.0, 0),
        (0.25, 0),
        (np.nextafter(0.25, 1), 1),
        (0.5, 1),
        (0.75, 2),
        (np.nextafter(0.75, 1), 3),
        (1.0, 3),
        (7.0, 3),
    ],
)
def test_bins_are_closed_on_the_right(value: float, code: int) -> None:
    assert bin_codes(np.array([value]), 4).tolist() == [code]


def test_counts_and_shares() -> None:
    values = np.array([0.1, 0.2, 0.6, 5.0])
    assert bin_counts(values, 4).tolist() == [2, 0, 1, 1]
    assert bin_shares(values, 4).tolist() == [0.5, 0, 0.25, 0.25]
    assert np.isnan(bin_shares(np.array([]), 4)).all()
    assert np.isnan(bin_counts(np.array([0.1, np.nan]), 4)).all()


# bins:      1    1    2    2    3    4
TRUTH = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.9])
#                 1    2    2    3    2    2
PREDICTION = np.array([0.1, 0.3, 0.3, 0.6, 0.4, 0.4])


def test_recall_by_hand() -> None:
    values = recall_per_bin(TRUTH, PREDICTION, bins=4, min_count=0)
    assert values == dict(zip(FOUR, [0.5, 0.5, 0.0, 0.0], strict=True))


def test_precision_by_hand() -> None:
    values = precision_per_bin(TRUTH, PREDICTION, bins=4, min_count=0)
    assert values == dict(zip(FOUR, [1.0, 0.25, 0.0, 0.0], strict=True))


def test_relative_difference_by_hand() -> None:
    values = relative_difference_per_bin(TRUTH, PREDICTION, bins=4, min_count=0)
    expected = [-1 / 6, 2 / 6, 0, -1 / 6]
    assert list(values) == list(FOUR)
    assert list(values.values()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "function", [recall_per_bin, precision_per_bin, relative_difference_per_bin]
)
class TestMinCount:
    def test_counts_the_truth(self, function) -> None:
        """Bin 1 and 2 hold two samples in the truth; the predictions do not matter."""
        values = function(TRUTH, PREDICTION, bins=4, min_count=2)
        assert [np.isnan(value) for value in values.values()] == [False, False, True, True]

    def test_bins_keep_their_rows(self, function) -> None:
        assert list(function(TRUTH, PREDICTION, bins=4, min_count=99)) == list(FOUR)

    def test_empty(self, function) -> None:
        values = function(np.array([]), np.array([]), bins=4, min_count=1)
        assert all(np.isnan(value) for value in values.values())

    def test_nan_in_nan_out(self, function) -> None:
        values = function(TRUTH, np.append(PREDICTION[:-1], np.nan), bins=4, min_count=0)
        assert all(np.isnan(value) for value in values.values())


def test_difference_takes_sets_of_different_size() -> None:
    values = relative_difference_per_bin(TRUTH, np.array([0.1]), bins=2, min_count=1)
    assert list(values.values()) == pytest.approx([1 / 3, -1 / 3], abs=1e-12)


@pytest.mark.parametrize("function", [recall_per_bin, precision_per_bin])
def test_lengths_must_agree(function) -> None:
    with pytest.raises(LengthError, match=r"truth: 2, prediction: 1"):
        function(np.zeros(2), np.zeros(1), bins=4, min_count=0)


@pytest.mark.parametrize("seed", range(3))
def test_as_scikit_learn_computes_it_on_binned_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.5, 0.3, 400)
    prediction = truth + rng.normal(0, 0.2, 400)
    digitized = [np.digitize(v, [0.25, 0.5, 0.75], right=True) for v in (truth, prediction)]
    for ours, theirs in (
        (recall_per_bin, sklearn.metrics.recall_score),
        (precision_per_bin, sklearn.metrics.precision_score),
    ):
        expected = theirs(*digitized, labels=range(4), average=None, zero_division=0)
        values = ours(truth, prediction, bins=4, min_count=0)
        assert list(values.values()) == pytest.approx(expected.tolist(), abs=1e-9)
