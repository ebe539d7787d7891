"""Dose and response: the robustness tests with every perturbation at all levels of its axis.

A sweep is a run of the engine on derived tests: each condition is replaced by its levels
(:mod:`common.perturbations.severity`), and results go to ``severity/`` below those of the model.
Plan, predictions, scores, verdicts and the test whether anything is to be done are those of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import ConfigError
from ..core.paths import SEVERITY, Paths
from ..designs import Score, design_of
from ..designs.certainty import bootstrap_of
from ..perturbations.severity import levels
from ..results import SEVERITY_COLUMNS
from ..spec import Benchmark, Perturbation, Test
from ..spec.cell import Cell
from ..spec.view import View
from ..uncertainty import breaking_interval
from .plan import Filters
from .publish import Publisher
from .run import Engine
from .scoring import scores_of

if TYPE_CHECKING:
    import pandas as pd


class Point(NamedTuple):
    """What the condition of a derived test stands for.

    Args:
        condition: of the test that it was derived from
        entry: the perturbation
        level: place on its axis
        name: of the perturbation at this level
    """

    condition: str
    entry: Perturbation
    level: float
    name: str

    @property
    def columns(self) -> dict[str, str]:
        """The columns of a row that say where on which axis it belongs."""
        assert self.entry.severity is not None
        return {
            "condition": self.condition,
            "perturbation": self.entry.id,
            "axis": self.entry.severity.axis,
            "unit": self.entry.severity.unit,
            "level": f"{self.level:g}",
        }


class Sweep(NamedTuple):
    """Derived tests.

    Args:
        benchmark: declarations with the derived tests alone and with all levels
        points: condition of a derived test -> what it stands for; by test
        without: condition of a test -> its perturbation, which has no axis
    """

    benchmark: Benchmark
    points: Mapping[str, Mapping[str, Point]]
    without: Mapping[str, str]


def sweep(benchmark: Benchmark, filters: Filters) -> Sweep:
    """The tests of a benchmark whose conditions are perturbations with an axis.

    Raises:
        ConfigError: if a test is asked for that has none
    """
    perturbations = dict(benchmark.perturbations)
    tests: dict[str, Test] = {}
    points: dict[str, Mapping[str, Point]] = {}
    without: dict[str, str] = {}
    for test in benchmark.tests.values():
        test_points: dict[str, Point] = {}
        paired = bool(test.options.get("pairs"))
        for condition, name in _conditions(test, benchmark).items():
            entry = benchmark.find("perturbations", name, f"{test.origin}: design")
            swept = levels(entry)
            if not swept and condition not in _bases(test):
                without[f"{test.id}: {condition}"] = name
            _add_variants(perturbations, benchmark, name, [step.name for step in swept])
            for step in swept:
                perturbations.setdefault(step.name, step.entry)
                place = step.name if paired else f"{condition}--{step.level:g}"
                test_points[place] = Point(condition, entry, step.level, step.name)
        if test_points:
            points[test.id] = test_points
            tests[test.id] = _derived(test, test_points)
    for name in filters.tests:
        benchmark.find("tests", name, "--test")
        if name not in tests:
            raise ConfigError(
                f"--severity: test '{name}' has no perturbation with a severity axis. "
                f"Known: {', '.join(tests) or 'none'}"
            )
    changed = {"perturbations": perturbations, "tests": tests}
    return Sweep(benchmark.model_copy(update=changed), points, without)


def _add_variants(
    perturbations: dict[str, Perturbation], benchmark: Benchmark, name: str, named: list[str]
) -> None:
    """Levels of the variants of a perturbation, each for the level of the same place."""
    for variant in benchmark.perturbations.values():
        swept = levels(variant) if variant.variant_of == name else []
        for base, step in zip(named, swept, strict=len(swept) > 0):
            variant_id = variant.id if base == name else f"{variant.id}--{step.level:g}"
            perturbations.setdefault(variant_id, step.entry.model_copy(update={"variant_of": base}))


def _conditions(test: Test, benchmark: Benchmark) -> Mapping[str, str]:
    # conditions depend on the target in no design that has perturbations
    return design_of(test).conditions(next(iter(benchmark.targets.values())))


def _bases(test: Test) -> set[str]:
    """What other conditions are compared with."""
    return {base for base, _ in test.options.get("pairs", ())}


def _derived(test: Test, points: Mapping[str, Point]) -> Test:
    """A test with levels in place of its conditions, and without figures of single samples."""
    chosen = dict(test.options)
    if chosen.get("pairs"):
        chosen["pairs"] = [
            [base, name]
            for base, changed in chosen["pairs"]
            for name, point in points.items()
            if point.condition == changed
        ]
    else:
        chosen["conditions"] = {name: point.name for name, point in points.items()}
    return test.model_copy(update={"design": {test.design_name: chosen}, "figures": {}})


class SeverityPaths(Paths):
    """Folders of a sweep: results and their manifest below those of the models."""

    def results(self, target: str, model: str, test: str) -> Path:
        """Result rows of a model in a test."""
        return self.severity(target, model, test)

    def manifest(self, target: str, model: str) -> Path:
        """What the result rows of a model were made from."""
        return self.method_tests / target / model / SEVERITY / "manifest.json"


class _Publisher(Publisher):
    """Writes rows with perturbation, axis, unit and level."""

    points: Mapping[str, Mapping[str, Point]] = {}
    columns: Sequence[str] = tuple(SEVERITY_COLUMNS)

    def cell(
        self,
        cell: Cell,
        rows: list[dict[str, Any]],
        view: View | None,
        error: str = "",
        sums: Callable[[], pd.DataFrame] | None = None,
    ) -> None:
        """Take the rows of a cell; sums are kept of the tests themselves only."""
        points = self.points[cell.test.id]
        ends = {} if view is None else _breaking(cell, view, points)
        placed = [
            {
                **row,
                **(points[row["condition"]].columns if row["condition"] in points else {}),
                **ends.get((row["condition"], row["metric"], row["label"]), {}),
            }
            for row in rows
        ]
        super().cell(cell, placed, view, error)


#: condition, metric and label of a row
_Place = tuple[str, str, str]


def _breaking(cell: Cell, view: View, points: Mapping[str, Point]) -> dict[_Place, dict[str, str]]:
    """Intervals of the breaking points, as columns of all rows of a curve."""
    uses = {use.metric: use.criterion for use in cell.test.uses(cell.target.kind)}
    judged = {
        (row["condition"], row["metric"], row["label"])
        for row in view.rows
        if row["status"] in ("pass", "fail")
    }
    curves: dict[tuple[str, str, str, str], list[Score]] = {}
    for score in scores_of(cell, view, ""):
        place = (score.condition, score.metric, score.label)
        if place in judged and score.condition in points and score.recipe is not None:
            curve = (points[score.condition].condition, score.metric, score.label, score.data)
            curves.setdefault(curve, []).append(score)
    bootstrap = bootstrap_of(view)
    columns: dict[_Place, dict[str, str]] = {}
    for (_, metric, label, _), scores in curves.items():
        recipes = [(score.recipe, label) for score in scores if score.recipe is not None]
        interval = breaking_interval(bootstrap, recipes, uses[metric])
        if interval is None:
            continue
        mild, severe = interval.at([points[score.condition].level for score in scores])
        for score in scores:
            place = (score.condition, metric, label)
            columns[place] = {"breaking_mild": mild, "breaking_severe": severe}
    return columns


def engine(swept: Sweep) -> type[Engine]:
    """Engine that runs the cells of a sweep."""
    publisher = type("SweepPublisher", (_Publisher,), {"points": swept.points})
    return type("SweepEngine", (Engine,), {"criteria_tables": False, "publisher": publisher})


def prepared(
    benchmark: Benchmark, folders: Paths, filters: Filters, say: Callable[[str], None]
) -> tuple[Benchmark, Paths, type[Engine]]:
    """What a run needs to be a sweep: its declarations, folders and engine.

    Args:
        benchmark: declarations
        folders: of a run
        filters: selection
        say: takes a line for a person

    Raises:
        ConfigError: if a test is asked for that has no perturbation with an axis
    """
    swept = sweep(benchmark, filters)
    for condition, name in swept.without.items():
        if not filters.tests or condition.split(":")[0] in filters.tests:
            say(f"no severity axis: {condition} (perturbation '{name}')")
    return swept.benchmark, SeverityPaths(folders.output, folders.cache), engine(swept)
