"""The six robustness tests against what was published."""

from __future__ import annotations

import pandas as pd
import pytest

from common.designs import design_of
from common.engine.plan import conditions
from common.results import published
from common.results.criteria import criteria
from common.spec import load_benchmark

BENCHMARK = load_benchmark()
TESTS = [test for test in BENCHMARK.tests.values() if test.family == "robustness"]
#: those of the paper
TARGETS = [target for target in BENCHMARK.targets.values() if target.kind != "events"]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    table = published.load()
    return table[table["test"].isin([test.id for test in TESTS])]


def test_there_are_six() -> None:
    assert [test.id.removeprefix("robustness_") for test in TESTS] == [
        "background_noise",
        "low_quality_phone",
        "recording_condition",
        "simulated_recording_condition",
        "small_changes",
        "spectral_tilt",
    ]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.id)
def test_criteria_are_the_published_ones(test, target) -> None:
    table = published.thresholds()
    own = table[(table["task"] == target.id) & (table["test"] == test.id)]
    wanted = {(row.metric_name, float(row.threshold)) for row in own.itertuples()}
    found = {(name, float(threshold)) for name, threshold in criteria(test, target)}
    assert found == wanted and len(wanted) == len(own) > 0
    assert set(own["comparison"]) == {">"}
    assert all(use.criterion.above is not None for use in test.uses(target.kind))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.id)
def test_rows_join_with_the_published_ones(test, target, rows) -> None:
    """Same metric, condition, reference and data, so that both stand in one table."""
    own = rows[(rows["target"] == target.id) & (rows["test"] == test.id)]
    chosen = design_of(test)
    metrics = {use.metric for use in test.uses(target.kind)}
    assert set(own["metric"]) == metrics
    pairs = set(zip(own["reference"], own["condition"], strict=True))
    if test.design_name == "perturbed":
        assert pairs == {("original", name) for name in conditions(test, target)}
    elif chosen.pairs:
        assert pairs == set(chosen.pairs)
    else:
        devices = BENCHMARK.datasets[test.datasets[0]].columns[chosen.column].by_table
        assert {reference for reference, _ in pairs} == {chosen.reference}
        assert {device for pair in pairs for device in pair} == set(devices.values())


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.id)
def test_data_of_the_paper_take_part(test, target, rows) -> None:
    own = rows[(rows["target"] == target.id) & (rows["test"] == test.id)]
    declared = {BENCHMARK.datasets[name].data for name in test.datasets}
    recorded = [name for name in declared if name.endswith("-headset-boundary-mobile")]
    for name in recorded:
        start = name.removesuffix("-boundary-mobile")
        declared |= {f"{start}-boundary", f"{start}-mobile"}
    assert set(own["data"]) <= declared


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.id)
def test_conditions_are_perturbations_of_the_catalog(test) -> None:
    for name in conditions(test, TARGETS[0]).values():
        assert name in BENCHMARK.perturbations


def test_number_of_cells() -> None:
    """Cells of the paper: six noises on two datasets with two metrics make 24, and so on."""
    counts = {
        "background_noise": (24, 60),
        "low_quality_phone": (4, 10),
        "recording_condition": (2, 2),
        "simulated_recording_condition": (6, 6),
        "small_changes": (20, 50),
        "spectral_tilt": (8, 20),
    }
    table = published.load()
    first = table.groupby(["target", "test"])["model"].transform("first") == table["model"]
    found = table[first].groupby(["target", "test"]).size()
    for name, (dimension, emotion) in counts.items():
        for target in TARGETS:
            wanted = emotion if target.kind == "classification" else dimension
            assert found[target.id, f"robustness_{name}"] == wanted
