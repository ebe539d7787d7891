"""Cells with results, put together by target and dataset, as their samples are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...core.paths import Paths
from ...results.manifest import Manifest
from ...spec import Benchmark, Dataset, Target


class SampleGroup(NamedTuple):
    """The cells of a target on a dataset.

    Args:
        target: the target
        dataset: the dataset
        cells: test -> model -> what its manifest notes about the cell
    """

    target: Target
    dataset: Dataset
    cells: dict[str, dict[str, Mapping[str, Any]]]


def sample_groups(benchmark: Benchmark, folders: Paths) -> list[SampleGroup]:
    """The groups of all targets, by the name of the dataset for each."""
    return [
        group
        for target in benchmark.targets.values()
        for group in _of_target(benchmark, folders, target)
    ]


def _of_target(benchmark: Benchmark, folders: Paths, target: Target) -> Iterator[SampleGroup]:
    cells: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for model in benchmark.models.values():
        manifest = Manifest.read(folders.manifest(target.id, model.id))
        for key, noted in (manifest.cells if manifest else {}).items():
            test, _, dataset = key.partition("/")
            declared = test in benchmark.tests and dataset in benchmark.datasets
            if noted.get("status") == "done" and declared:
                cells.setdefault(dataset, {}).setdefault(test, {})[model.id] = noted
    for dataset, tests in sorted(cells.items()):
        yield SampleGroup(target, benchmark.datasets[dataset], dict(sorted(tests.items())))
