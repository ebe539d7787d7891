from __future__ import annotations

import audmetric
import numpy as np
import pytest
import scipy.stats
import sklearn.metrics

from common.core.errors import LengthError
from common.metrics.regression import ccc, mae, mean_directional_error, pcc

ALL = (ccc, pcc, mae, mean_directional_error)
# means: truth 0.5, prediction 0.4; deviations: truth -.5 0 .5, prediction -.2 -.1 .3
TRUTH = np.array([0.0, 0.5, 1.0])
PREDICTION = np.array([0.2, 0.3, 0.7])


def test_by_hand() -> None:
    # numerator 2 * (.1 + .15) = .5; denominator .14 + .5 + 3 * .01 = .67
    assert ccc(TRUTH, PREDICTION) == pytest.approx(0.5 / 0.67, abs=1e-12)
    # .25 / sqrt(.14 * .5)
    assert pcc(TRUTH, PREDICTION) == pytest.approx(0.25 / 0.07**0.5, abs=1e-12)
    assert mae(TRUTH, PREDICTION) == pytest.approx(0.7 / 3, abs=1e-12)
    assert mean_directional_error(TRUTH, PREDICTION) == pytest.approx(-0.1, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_as_independent_tools_compute_it(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.5, 0.2, 500) * scale
    prediction = 0.5 * truth + rng.normal(0.2, 0.1, 500) * scale
    golden = {
        ccc: audmetric.concordance_cc(truth, prediction),
        pcc: scipy.stats.pearsonr(truth, prediction).statistic,
        mae: sklearn.metrics.mean_absolute_error(truth, prediction),
    }
    for function, expected in golden.items():
        assert function(truth, prediction) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("function", ALL)
def test_empty_is_nan(function) -> None:
    assert np.isnan(function(np.array([]), np.array([])))


@pytest.mark.parametrize("function", [ccc, pcc])
def test_correlation_of_one_sample_is_nan(function) -> None:
    assert np.isnan(function(np.array([0.3]), np.array([0.3])))


@pytest.mark.parametrize("function", [mae, mean_directional_error])
def test_error_of_one_sample_is_a_number(function) -> None:
    assert function(np.array([0.25]), np.array([0.75])) == 0.5


# the mean of three times 0.1 is not 0.1 in floating point
@pytest.mark.parametrize("value", [0.0, 0.1, 0.7, 1e-300, 1e150])
class TestConstant:
    def test_prediction(self, value: float) -> None:
        constant = np.full(3, value)
        assert np.isnan(pcc(TRUTH, constant))
        assert ccc(TRUTH, constant) == 0

    def test_truth(self, value: float) -> None:
        constant = np.full(3, value)
        assert np.isnan(pcc(constant, PREDICTION))
        assert ccc(constant, PREDICTION) == 0

    def test_both(self, value: float) -> None:
        constant = np.full(3, value)
        assert np.isnan(pcc(constant, constant))
        assert np.isnan(ccc(constant, constant))
        assert ccc(constant, constant + 1 + value) == 0


@pytest.mark.parametrize("scale", [1e-200, 1e-5, 1.0, 1e200])
def test_unit_does_not_matter(scale: float) -> None:
    """Squares of very small or large values would leave the range of floats."""
    assert ccc(TRUTH * scale, PREDICTION * scale) == pytest.approx(0.5 / 0.67, rel=1e-12)
    assert pcc(TRUTH * scale, PREDICTION * scale) == pytest.approx(0.25 / 0.07**0.5, rel=1e-12)


@pytest.mark.parametrize("function", ALL)
def test_lengths_must_agree(function) -> None:
    with pytest.raises(LengthError, match=r"truth: 2, prediction: 3"):
        function(np.zeros(2), np.zeros(3))


@pytest.mark.parametrize("function", ALL)
def test_inputs_stay_as_they_are(function) -> None:
    truth, prediction = TRUTH.copy(), PREDICTION.copy()
    function(truth, prediction)
    np.testing.assert_array_equal(truth, TRUTH)
    np.testing.assert_array_equal(prediction, PREDICTION)


@pytest.mark.parametrize("function", ALL)
def test_single_precision_is_computed_in_double(function) -> None:
    truth, prediction = TRUTH.astype(np.float32), PREDICTION.astype(np.float32)
    expected = function(truth.astype(np.float64), prediction.astype(np.float64))
    assert function(truth, prediction) == expected


@pytest.mark.parametrize("function", ALL)
def test_nan_in_nan_out(function) -> None:
    assert np.isnan(function(TRUTH, np.array([0.1, np.nan, 0.3])))


@pytest.mark.parametrize("function", ALL)
def test_result_is_a_python_float(function) -> None:
    assert type(function(TRUTH, PREDICTION)) is float
