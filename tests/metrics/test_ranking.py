from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from common.core.errors import LengthError
from common.metrics.ranking import average_ranks, class_proportion_spearmans_rho, spearmans_rho


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([], []),
        ([5.0], [1]),
        ([0.3, 0.1, 0.2], [3, 1, 2]),
        ([0.3, 0.1, 0.3], [2.5, 1, 2.5]),
        ([0.2, 0.2, 0.2], [2, 2, 2]),
        ([-1.0, 0.0, -1.0, 0.0], [1.5, 3.5, 1.5, 3.5]),
    ],
)
def test_ranks(values, ranks) -> None:
    assert average_ranks(np.array(values)).tolist() == ranks


@pytest.mark.parametrize("seed", range(5))
def test_ranks_as_scipy_computes_them(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 20, 100) / 7
    assert average_ranks(values).tolist() == scipy.stats.rankdata(values).tolist()


def test_noise_in_the_last_digit_is_a_tie() -> None:
    """Means of the same values in another order may differ by one digit."""
    one = (0.1 + 0.2 + 0.3) / 3
    other = (0.3 + 0.2 + 0.1) / 3
    assert one != other
    assert average_ranks(np.array([one, other, 0.5])).tolist() == [1.5, 1.5, 3]


def test_rho_by_hand() -> None:
    # ranks 1 2 3 4 and 1 3 2 4: 1 - 6 * 2 / (4 * 15)
    truth, prediction = np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.0, 0.8, 0.1, 0.9])
    assert spearmans_rho(truth, prediction) == pytest.approx(0.8, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ties", [False, True])
def test_rho_as_scipy_computes_it(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    truth, prediction = rng.normal(size=50), rng.normal(size=50)
    if ties:
        truth, prediction = truth.round(0), prediction.round(0)
    expected = scipy.stats.spearmanr(truth, prediction).statistic
    assert spearmans_rho(truth, prediction) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [([], []), ([0.1], [0.1]), ([0.1, 0.2], [0.3, 0.3]), ([0.3, 0.3], [0.1, 0.2])],
)
def test_undefined_rho_is_nan(truth, prediction) -> None:
    assert np.isnan(spearmans_rho(np.array(truth), np.array(prediction)))


def test_nan_in_nan_out() -> None:
    assert np.isnan(spearmans_rho(np.array([0.1, 0.2, 0.3]), np.array([0.1, np.nan, 0.3])))


def test_only_the_order_matters() -> None:
    truth = np.array([0.1, 0.4, 0.2, 0.9])
    assert spearmans_rho(truth, np.exp(5 * truth)) == 1
    assert spearmans_rho(truth, -truth) == -1


def test_per_class() -> None:
    truth = np.array([[0.1, 0.9], [0.3, 0.7], [0.2, 0.8]])
    prediction = np.array([[0.1, 0.5], [0.3, 0.5], [0.2, 0.5]])
    values = class_proportion_spearmans_rho(truth, prediction, labels=("b", "a"))
    assert list(values) == ["a", "b"]
    assert values["b"] == 1
    assert np.isnan(values["a"])


def test_lengths_must_agree() -> None:
    with pytest.raises(LengthError, match="truth: 2, prediction: 3"):
        spearmans_rho(np.zeros(2), np.zeros(3))
    with pytest.raises(LengthError, match="truth: 2, prediction: 3"):
        class_proportion_spearmans_rho(np.zeros((2, 1)), np.zeros((3, 1)), labels=("a",))
