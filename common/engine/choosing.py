"""Why a selection holds no cell: which datasets take no part in which tests."""

from __future__ import annotations

from ..core import advice
from ..core.errors import ConfigError
from ..perturbations import corpus_of
from ..spec import Benchmark, Dataset, Target, Test
from .plan import Filters, Plan, missing_columns, participants


def absence(benchmark: Benchmark, test: Test, target: Target, dataset: Dataset) -> str:
    """Why a dataset takes no part in a test for a target; empty if it does."""
    if dataset in participants(benchmark, test, target):
        return ""
    missing = missing_columns(test, target, dataset)
    if missing:
        return f"misses column {', '.join(missing)}"
    if dataset.tests is not None and test.id not in dataset.tests:
        return "left out by 'tests' of the entry"
    if dataset.id in {corpus_of(entry) for entry in benchmark.perturbations.values()}:
        return "perturbations draw from it; 'tests' of the entry can name tests"
    return "not named by the test"


def nothing_selected(benchmark: Benchmark, filters: Filters, plan: Plan) -> ConfigError:
    """Error for a selection without a cell: what was selected, and why nothing is left.

    Args:
        benchmark: declarations
        filters: the selection
        plan: its plan, which has no cell
    """
    chosen = [
        f"--{what} {name}"
        for what in ("model", "target", "test", "dataset")
        for name in getattr(filters, f"{what}s")
    ]
    return ConfigError(
        f"nothing is selected by {' '.join(chosen)}: {_why(benchmark, filters, plan)}"
    )


def _why(benchmark: Benchmark, filters: Filters, plan: Plan) -> str:
    targets = list({target.id: target for target, _ in plan.selected}.values())
    names = ", ".join(target.id for target in targets)
    pairs = [
        (test, target)
        for target in targets
        for test in benchmark.applicable(target.id)
        if not filters.tests or test.id in filters.tests
    ]
    if not pairs:
        kinds = ", ".join(sorted({target.kind for target in targets}))
        return f"no such test has metrics for {names} ({kinds})"
    test, target = pairs[0]
    for name in filters.datasets:
        reason = absence(benchmark, test, target, benchmark.datasets[name])
        more = advice.command("list", "tests", "--dataset", name)
        return f"'{name}' takes no part in {test.id} for {target.id}: {reason}; all tests: {more}"
    return f"no dataset takes part in {test.id} for {target.id}"
