from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import ConfigError
from common.metrics.events import figures
from common.metrics.events.report import Options

NAN = float("nan")


def test_without_system_items() -> None:
    assert np.isnan(figures.precision(0, 0, zero_score=False))
    assert figures.precision(0, 0, zero_score=True) == 0
    assert np.isnan(figures.recall(0, 0))


@pytest.mark.parametrize(
    ("p", "r", "f"),
    [(0, 0, 0), (NAN, 0, NAN), (0, NAN, NAN), (1, 0, 0), (0.5, 0.25, 1 / 3)],
)
def test_f_measure(p: float, r: float, f: float) -> None:
    assert figures.f_measure(p, r) == pytest.approx(f, nan_ok=True)


def test_f_of_counts_is_f_of_precision_and_recall() -> None:
    for beta in (0.5, 1.0, 2.0):
        expected = figures.f_measure(3 / 4, 3 / 8, beta=beta)
        assert figures.f_of_counts(3, 1, 5, beta=beta) == pytest.approx(float(expected))
    assert np.isnan(figures.f_of_counts(0, 0, 0))


def test_zero_denominators() -> None:
    assert figures.sensitivity(0, 0) == figures.specificity(0, 0) == 0
    assert figures.accuracy(0, 0, 0, 0) == figures.accuracy2(0, 0, 0) == 0


def test_rates_over_an_empty_reference() -> None:
    assert figures.rate(0, 0) == 0
    assert figures.rate(3, 0) == np.inf
    # what sed_eval says instead
    assert figures.rate(3, 0, epsilon=figures.SED_EVAL_EPSILON) == pytest.approx(3 * 2.0**52)


def test_balanced_accuracy_weighs_the_sensitivity() -> None:
    assert figures.balanced_accuracy(1.0, 0.0, factor=0.7) == pytest.approx(0.7)


def test_mean_of_classes_leaves_nan_out() -> None:
    assert figures.mean_of_classes(np.array([NAN, 0.0, 1.0])) == 0.5
    assert np.isnan(figures.mean_of_classes(np.array([NAN])))
    assert np.isnan(figures.mean_of_classes(np.array([])))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": 0.0}, "beta: 0.0 is not above 0"),
        ({"factor": 1.5}, "factor: 1.5 is not in"),
        ({"compatibility": "psds_eval"}, "compatibility: 'psds_eval' is neither None nor sed_eval"),
    ],
)
def test_options_out_of_range(options, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Options(**options)
