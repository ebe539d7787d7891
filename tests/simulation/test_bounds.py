"""Thresholds for the samples at hand."""

from __future__ import annotations

import json

import pytest

from common import paths
from common.errors import ConfigError
from common.simulation import Bounds, chance, next_step
from common.spec import Criterion, MetricUse, Target, load_entries

TARGETS = load_entries(Target, paths.CATALOG / "targets.yaml")
NUMBER, CLASS = TARGETS["arousal"], TARGETS["emotion"]
SIZES = ((200, 0), (300, 0))


def use(metric: str, **params) -> MetricUse:
    return MetricUse(metric=metric, criterion=Criterion(within="simulated"), params=params)


@pytest.mark.parametrize(
    ("value", "bound"),
    [(0.0738, 0.075), (0.1008, 0.125), (0.1777, 0.2), (0.075, 0.1), (0.0, 0.025), (0.3, 0.325)],
)
def test_next_multiple_above(value: float, bound: float) -> None:
    assert next_step(value) == bound


def test_bound_is_simulated_once_and_kept(tmp_path, monkeypatch) -> None:
    first = Bounds(tmp_path).bound(use("ccc"), NUMBER, SIZES)
    assert first.threshold == next_step(first.maximum)
    assert len(first.null) == 1000 and max(first.null) == first.maximum
    assert list(first.null) == sorted(first.null)
    monkeypatch.setattr(chance, "simulate", lambda *arguments, **options: 1 / 0)
    assert Bounds(tmp_path).bound(use("ccc"), NUMBER, SIZES) == first
    with pytest.raises(ZeroDivisionError):
        Bounds(tmp_path).bound(use("ccc"), NUMBER, ((201, 0), (300, 0)))


def test_order_of_the_other_groups_does_not_matter(tmp_path) -> None:
    bounds = Bounds(tmp_path)
    sizes = ((50, 0), (60, 0), (70, 0))
    assert bounds.bound(use("mae"), NUMBER, sizes) == bounds.bound(
        use("mae"), NUMBER, ((50, 0), (70, 0), (60, 0))
    )
    assert bounds.bound(use("mae"), NUMBER, sizes[::-1]).maximum != (
        bounds.bound(use("mae"), NUMBER, sizes).maximum
    )


def test_damaged_file_is_made_anew(tmp_path) -> None:
    first = Bounds(tmp_path).bound(use("uar"), CLASS, SIZES)
    (path,) = tmp_path.rglob("*.json")
    assert json.loads(path.read_text())["classes"] == 4
    path.write_text("{")
    assert Bounds(tmp_path).bound(use("uar"), CLASS, SIZES) == first


def test_bins_are_those_of_the_test(tmp_path) -> None:
    bounds = Bounds(tmp_path)
    free = bounds.bound(use("recall_per_bin", bins=4, min_count=0), NUMBER, SIZES)
    counted = bounds.bound(use("recall_per_bin", bins=4, min_count=67), NUMBER, SIZES)
    assert counted.maximum < free.maximum


def test_without_numbers_of_samples_there_is_no_bound(tmp_path) -> None:
    with pytest.raises(ConfigError, match="no numbers of samples"):
        Bounds(tmp_path).bound(use("ccc"), NUMBER, ())


def test_a29_the_rule_is_applied(tmp_path) -> None:
    """Two thresholds of the paper lie below what chance reached in its own simulation."""
    for metric, value in (("ccc", 0.1008), ("recall_per_class", 0.1777)):
        assert next_step(value) > value
        target = NUMBER if metric == "ccc" else CLASS
        bound = Bounds(tmp_path).bound(use(metric), target, ((1000, 0),) * 3)
        assert bound.threshold > bound.maximum
