"""Criteria tables: what a model must reach, as the method pages show it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..core import files
from ..core.paths import RANGES_CSV, Paths
from ..designs import design_of
from ..metrics import METRICS
from ..spec import Benchmark, Target, Test


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def criteria(test: Test, target: Target) -> list[tuple[str, str]]:
    """(display name, threshold) of the metrics of a test, in alphabetical order."""
    design = design_of(test)
    pairs = {
        (name, use.criterion.threshold)
        for use in test.uses(target.kind)
        for name in design.criterion_names(target, METRICS.get(use.metric).label)
    }
    return sorted(pairs)


def criteria_files(benchmark: Benchmark, folders: Paths) -> dict[Path, str]:
    """``method-tests/<target>/<test>.csv`` of all targets, and the table of expected ranges.

    Returns:
        file -> what is in it
    """
    texts = {
        folders.criteria(target.id, test.id): _csv([("Test", "Threshold"), *criteria(test, target)])
        for target in benchmark.targets.values()
        for test in benchmark.applicable(target.id)
    }
    for test in benchmark.tests.values():
        expected = test.options.get("expected")
        if expected is not None:
            texts[folders.method_tests / RANGES_CSV] = _csv(_ranges(expected))
    return texts


def write_criteria(benchmark: Benchmark, folders: Paths) -> None:
    """Write these files; those whose content is the same are left alone."""
    for path, text in criteria_files(benchmark, folders).items():
        files.write_text(path, text, only_changed=True)


def _ranges(expected: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    targets = list(dict.fromkeys(target for ranges in expected.values() for target in ranges))
    return [["", *targets]] + [
        [category, *(ranges.get(target, "") for target in targets)]
        for category, ranges in sorted(expected.items())
    ]
