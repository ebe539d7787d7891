"""Benchmarks that score every test of the suite keep up with it."""

import numpy as np
import pytest

from common import bench_fairness, bench_uncertainty


@pytest.mark.parametrize("speakers", [True, False])
def test_intervals_of_every_target_with_one_value_per_sample(monkeypatch, speakers: bool) -> None:
    monkeypatch.setattr(bench_uncertainty, "SAMPLES", 600)
    monkeypatch.setattr(bench_uncertainty, "SPEAKERS", 60)
    found = bench_uncertainty._measure(speakers)
    assert found["targets"] == 4 and found["intervals"] > 500
    assert np.isfinite(found["seconds"])


def test_fairness_tests_of_every_target_with_one_value_per_sample(monkeypatch) -> None:
    monkeypatch.setattr(bench_fairness, "SAMPLES", 3000)
    found = bench_fairness._measure()
    assert found["samples"] == 3000 and found["rows"] > 500
