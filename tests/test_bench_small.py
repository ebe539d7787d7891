"""Benchmarks that score every test of the suite keep up with it."""

import numpy as np
import pytest

from common.cli.bench import fairness, ranking, uncertainty


@pytest.mark.parametrize("speakers", [True, False])
def test_intervals_of_every_target_with_one_value_per_sample(monkeypatch, speakers: bool) -> None:
    monkeypatch.setattr(uncertainty, "SAMPLES", 600)
    monkeypatch.setattr(uncertainty, "SPEAKERS", 60)
    found = uncertainty._measure(speakers)
    assert found["targets"] == 4 and found["intervals"] > 500
    assert np.isfinite(found["seconds"])


def test_fairness_tests_of_every_target_with_one_value_per_sample(monkeypatch) -> None:
    monkeypatch.setattr(fairness, "SAMPLES", 3000)
    found = fairness._measure()
    assert found["samples"] == 3000 and found["rows"] > 500


def test_rankings_of_published_shape_seldom_tell_equal_models_apart(monkeypatch) -> None:
    """Of 60 worlds each, 9 are significantly more than 5 % (binomial, 0.2 %)."""
    monkeypatch.setattr(ranking, "MODELS", (11,))
    found = list(ranking.cases(worlds=60, draws=300))
    assert len(found) == 10
    for case in found:
        assert 60 * case.equal[11] < 9, case
        assert 0 <= case.rising <= 1
    assert max(case.two for case in found) > 0.5
