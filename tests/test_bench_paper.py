"""Scores by other packages: equal on the miniature benchmark, and a difference is found."""

from __future__ import annotations

import pytest

from common.cli.bench import otherwise
from common.cli.bench.paper import Check
from common.core.paths import Paths
from common.engine.plan import Filters
from common.spec import load_benchmark

PERTURBATIONS = """
- {id: softer, label: Softer, function: gain, params: {gain_db: [-6, -3]}}
- {id: hiss, label: Hiss, function: white_background, params: {snr_db: 10}}
"""
TESTS = {
    "own": """
title: Own
family: robustness
design: {perturbed: {conditions: [softer, hiss]}}
regression:
  - {metric: change_ccc, above: -0.05}
  - {metric: percentage_unchanged, above: 0.5, tolerance: 0.05}
classification:
  - {metric: change_uar, above: -0.05}
  - {metric: percentage_unchanged_classes, above: 0.5}
""",
    "shift": """
title: Shift
family: fairness
design: {group_shift: {attribute: [sex, emotion], min_group: 5}}
regression:
  - {metric: mean_difference, within: 0.5}
  - {metric: relative_difference_per_bin, within: 0.5, bins: 4, min_count: 1}
classification:
  - {metric: relative_difference_per_class, within: 0.5}
""",
    "context": """
title: Context
family: fairness
design:
  context_shift:
    {attribute: sex, min_group: 5, context: emotion, contexts: [anger, sadness], min_context: 2,
     data: "{table}-{sex}"}
regression:
  - {metric: mean_shift_difference, within: 0.5}
  - {metric: bin_proportion_shift_difference, within: 0.5, bins: 4, min_count: 1}
classification:
  - {metric: class_proportion_shift_difference, within: 0.5}
""",
    "pairs": """
title: Pairs
family: robustness
design: {paired: {pairs: [[softer, hiss]], limit: 100}}
regression:
  - {metric: percentage_unchanged, above: 0.5, tolerance: 0.05}
classification:
  - {metric: percentage_unchanged_classes, above: 0.5}
""",
}


@pytest.fixture
def check(mini) -> Check:
    """A run of tests of all designs that the tones have data for."""
    mini.write("perturbations.yaml", PERTURBATIONS)
    for name, text in TESTS.items():
        mini.write(f"suite/{name}.yaml", text)
    engine = mini.engine()
    tests = (*TESTS, "fairness_sex", *(n for n in engine.benchmark.tests if "correctness" in n))
    report = engine.run(Filters(models=("loud", "chance-class"), datasets=("tones",), tests=tests))
    assert not report.errors and report.computed > 20
    return Check(
        load_benchmark([mini.catalog], allow_code=True),
        Paths(mini.root / "out", mini.root / "cache"),
    )


def test_all_scores_are_equal(check: Check) -> None:
    check.cells()
    assert check.differs == []
    counts = check.figures()
    assert counts["scores: equal"] > 150
    assert not {"scores: different", "criteria: different"} & set(counts)


def test_a_difference_is_found_and_named(check: Check, monkeypatch) -> None:
    ccc = otherwise._ccc
    monkeypatch.setitem(otherwise._OF_NUMBERS, "ccc", lambda x, y, params: ccc(x, y, params) + 1e-6)
    check.cells()
    assert check.counts["scores: different"] >= 1
    assert any("correctness_regression/tones: ccc" in line for line in check.differs)
