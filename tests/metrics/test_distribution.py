from __future__ import annotations

import numpy as np
import pytest
import scipy.spatial.distance

from common.metrics.distribution import (
    class_shares,
    jensen_shannon_distance,
    mean_difference,
    relative_difference_per_class,
)


def words(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=object)


class TestJensenShannonDistance:
    def test_by_hand(self) -> None:
        # shares (1, 0) and (1/2, 1/2), mean (3/4, 1/4)
        truth, prediction = np.array([0.1, 0.2]), np.array([0.1, 0.9])
        divergence = 0.5 * np.log2(4 / 3) + 0.5 * (0.5 * np.log2(2 / 3) + 0.5 * np.log2(2))
        expected = divergence**0.5
        assert jensen_shannon_distance(truth, prediction, bins=2) == pytest.approx(expected, 1e-12)

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("bins", [1, 4, 10, 50])
    def test_as_scipy_computes_it(self, seed: int, bins: int) -> None:
        rng = np.random.default_rng(seed)
        truth, prediction = rng.beta(2, 3, 500), rng.normal(0.6, 0.3, 300)
        edges = np.linspace(0, 1, bins + 1)
        counts = [np.histogram(np.clip(v, 0, 1), edges)[0] for v in (truth, prediction)]
        expected = scipy.spatial.distance.jensenshannon(*counts, base=2)
        ours = jensen_shannon_distance(truth, prediction, bins=bins)
        assert ours == pytest.approx(expected, abs=1e-9)

    def test_grows_with_the_distance(self) -> None:
        truth = np.linspace(0, 1, 101)
        distances = [
            jensen_shannon_distance(truth, np.clip(truth + shift, 0, 1), bins=10)
            for shift in (0, 0.1, 0.3, 0.6)
        ]
        assert distances == sorted(distances)
        assert distances[0] == 0

    def test_disjoint_is_one(self) -> None:
        assert jensen_shannon_distance(np.zeros(3), np.ones(5), bins=10) == 1

    def test_size_does_not_matter(self) -> None:
        truth, prediction = np.array([0.1, 0.5, 0.9]), np.array([0.3, 0.5])
        once = jensen_shannon_distance(truth, prediction, bins=10)
        assert jensen_shannon_distance(np.tile(truth, 4), prediction, bins=10) == once

    @pytest.mark.parametrize(("truth", "prediction"), [([], [0.1]), ([0.1], []), ([], [])])
    def test_empty_is_nan(self, truth, prediction) -> None:
        assert np.isnan(jensen_shannon_distance(np.array(truth), np.array(prediction), bins=10))

    def test_nan_in_nan_out(self) -> None:
        assert np.isnan(jensen_shannon_distance(np.array([0.1]), np.array([np.nan]), bins=10))


class TestRelativeDifferencePerClass:
    def test_by_hand(self) -> None:
        values = relative_difference_per_class(words("a a a b"), words("a b b c"), labels="abc")
        assert values == {"a": -0.5, "b": 0.25, "c": 0.25}

    def test_other_values_are_taken_out_first(self) -> None:
        values = relative_difference_per_class(words("a b"), words("a x x x"), labels=("a", "b"))
        assert values == {"a": 0.5, "b": -0.5}

    def test_sizes_may_differ(self) -> None:
        values = relative_difference_per_class(words("a b"), words("a"), labels=("b", "a"))
        assert list(values.items()) == [("a", 0.5), ("b", -0.5)]

    def test_nothing_to_compare_is_nan(self) -> None:
        values = relative_difference_per_class(words("a"), words("x"), labels=("a", "b"))
        assert np.isnan(list(values.values())).all()

    def test_shares(self) -> None:
        assert class_shares(words("b a b x"), ("a", "b")).tolist() == [1 / 3, 2 / 3]
        assert np.isnan(class_shares(words("x"), ("a",))).all()


class TestMeanDifference:
    def test_by_hand(self) -> None:
        assert mean_difference(np.array([0.25, 0.75]), np.array([1.0, 0.5, 0.0, 0.75])) == 0.0625

    @pytest.mark.parametrize(("truth", "prediction"), [([], [0.1]), ([0.1], [])])
    def test_empty_is_nan(self, truth, prediction) -> None:
        assert np.isnan(mean_difference(np.array(truth), np.array(prediction)))
