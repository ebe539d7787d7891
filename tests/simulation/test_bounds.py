"""Thresholds for the samples at hand."""

from __future__ import annotations

import itertools
import json
import re

import pytest

from common.core import paths
from common.core.errors import ConfigError
from common.spec import Criterion, MetricUse, Target, load_entries
from common.uncertainty.simulation import Bounds, next_step, nulls
from common.uncertainty.simulation import bounds as bounds_module
from common.uncertainty.simulation.bounds import bound_above

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
    assert first.quantile < first.threshold <= first.quantile + 0.001 + 1e-9
    assert first.draws >= 100_000 and 0 < first.error < 0.02 * first.quantile
    assert len(first.null) == 1000 and list(first.null) == sorted(first.null)
    monkeypatch.setattr(nulls, "quantile", lambda *arguments, **options: 1 / 0)
    assert Bounds(tmp_path).bound(use("ccc"), NUMBER, SIZES) == first
    with pytest.raises(ZeroDivisionError):
        Bounds(tmp_path).bound(use("ccc"), NUMBER, ((201, 0), (300, 0)))


def test_a_change_of_code_draws_the_same_bound(tmp_path, monkeypatch) -> None:
    first = Bounds(tmp_path).bound(use("uar"), CLASS, SIZES)
    monkeypatch.setattr(bounds_module, "code_of", lambda *starts: "other code")
    assert Bounds(tmp_path).bound(use("uar"), CLASS, SIZES) == first
    assert len(list(tmp_path.rglob("*.json"))) == 2


def test_neighbouring_sizes_have_neighbouring_bounds(tmp_path) -> None:
    """The maximum of 1,000 draws was .90 at 148 samples, .575 at 150 and .85 at 160."""
    bounds = Bounds(tmp_path)
    sizes = (140, 146, 148, 150, 152, 160, 200, 300)
    found = [bounds.bound(use("recall_per_class"), CLASS, ((n, 0),) * 2) for n in sizes]
    for before, after in itertools.pairwise(found):
        assert after.threshold <= before.threshold + 3 * before.error + 0.001
    assert found[2].threshold - found[5].threshold < 0.06
    assert found[-1].threshold < 0.8 * found[0].threshold


def test_a_score_as_large_as_the_quantile_passes() -> None:
    assert bound_above(0.5) == 0.501 and bound_above(0.4999) == 0.5 and bound_above(0) == 0.001


def test_order_of_the_other_groups_does_not_matter(tmp_path) -> None:
    bounds = Bounds(tmp_path)
    sizes = ((50, 0), (60, 0), (70, 0))
    assert bounds.bound(use("mae"), NUMBER, sizes) == bounds.bound(
        use("mae"), NUMBER, ((50, 0), (70, 0), (60, 0))
    )
    assert bounds.bound(use("mae"), NUMBER, sizes[::-1]).quantile != (
        bounds.bound(use("mae"), NUMBER, sizes).quantile
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
    assert counted.quantile < free.quantile


def test_without_numbers_of_samples_there_is_no_bound(tmp_path) -> None:
    with pytest.raises(ConfigError, match="no numbers of samples"):
        Bounds(tmp_path).bound(use("ccc"), NUMBER, ())


def test_a29_the_rule_is_applied() -> None:
    """Two thresholds of the paper lie below what chance reached in its own simulation."""
    for value, bound in ((0.1008, 0.125), (0.1777, 0.2)):
        assert next_step(value) == bound


def test_the_remark_tells_what_a_bound_rests_on(tmp_path) -> None:
    bounds = Bounds(tmp_path)
    drawn = bounds.bound(use("uar"), CLASS, SIZES).remark
    assert re.fullmatch(
        r"chance exceeds 0\.\d{4} in 0\.005 of cases, 0\.01 for 2 groups "
        r"\(standard error 0\.\d{4}, 100,000 draws\)",
        drawn,
    )
    assert bounds.bound(use("mae"), NUMBER, SIZES).remark.endswith("for 2 groups (computed)")
