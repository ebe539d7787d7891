"""Tables for ``build.py list``."""

from __future__ import annotations

import logging
from typing import Any

from ..core.errors import BenchmarkError, ConfigError
from ..core.paths import Paths
from ..designs import design_of
from ..engine.choosing import absence
from ..samples import datasets
from ..samples.base import Samples
from ..spec import Benchmark, Dataset, Target, Test

logger = logging.getLogger(__name__)


def listing(
    benchmark: Benchmark, what: str, *, dataset: str | None = None, folders: Paths | None = None
) -> list[dict[str, Any]]:
    """Rows of what is declared.

    Args:
        benchmark: declarations
        what: models, datasets, targets, tests, metrics, perturbations, corpora: original
            downloads that can be imported, or stale: results that no longer belong to what is
            there now
        dataset: with tests, which tests this dataset takes part in and what others miss
        folders: where results are, for those that are stale, and the cache, for datasets that are on this machine
    """
    if what == "stale":
        return _stale(benchmark, folders or Paths())
    if what == "corpora":
        return _corpora()
    if what == "metrics":
        from ..metrics import METRICS

        return [
            {"id": m.id, "kind": m.kind, "best": m.direction, "label": m.label} for m in METRICS
        ]
    if what == "tests":
        if dataset:
            entry = benchmark.find("datasets", dataset, "--dataset")
            return _tests_of(benchmark, entry, folders or Paths())
        return [_test(benchmark, test) for test in benchmark.tests.values()]
    rows = []
    for entry in getattr(benchmark, what).values():
        row = {"id": entry.id}
        for name in ("version", "kind", "adapter", "function"):
            if hasattr(entry, name):
                row[name] = getattr(entry, name)
        if what == "datasets":
            row["here"] = _here(entry, folders or Paths())
        if hasattr(entry, "label"):
            row["label"] = entry.label
        rows.append(row)
    return rows


def _here(dataset: Dataset, folders: Paths) -> str:
    """Whether a dataset is on this machine, so that a run can take it."""
    return "not here" if datasets.availability(dataset, folders.cache) else "here"


def _corpora() -> list[dict[str, Any]]:
    from ..samples.importing import layouts

    return [
        {
            "id": layout.id,
            "label": layout.label,
            "license": layout.license,
            "where": layout.obtain or layout.source,
            "remark": f"not compared with a real copy: {layout.unconfirmed}"
            * bool(layout.unconfirmed),
        }
        for layout in layouts.known().values()
    ]


def _stale(benchmark: Benchmark, folders: Paths) -> list[dict[str, Any]]:
    from ..engine.staleness import stale
    from ..results import altered
    from ..results.history import unread

    noted = altered.manifests(folders)
    for path in [path for path, manifest in noted.items() if manifest is None]:
        logger.warning("%s", unread(path))
    return [
        {
            "key": str(key),
            "conditions": ", ".join(sorted(cell.conditions)) or "all",
            "why": "; ".join(cell.reasons),
        }
        for key, cell in stale(benchmark, folders, noted).items()
    ]


def _test(benchmark: Benchmark, test: Test) -> dict[str, Any]:
    targets = [t.id for t in benchmark.targets.values() if test.uses(t.kind)]
    return {"id": test.id, "family": test.family, "targets": ", ".join(targets)}


def _samples(benchmark: Benchmark, dataset: Dataset, folders: Paths) -> Samples | None:
    """Samples of a dataset; None if it is one that has to be fetched first.

    Raises:
        BenchmarkError: if it cannot be read
    """
    reason = datasets.availability(dataset, folders.cache)
    if reason and dataset.path and not dataset.builtin:
        raise ConfigError(f"{dataset.origin}: {dataset.id}.path: {reason}")
    return None if reason else datasets.load(dataset, folders.cache, benchmark.targets)


def _participation(test: Test, target: Target, samples: Samples | None) -> str:
    """Whether a test finds samples to judge; attributes that a run measures are not known here."""
    design = design_of(test)
    if samples is None or design.attributes():
        return "takes part"
    try:
        reason = design.select(target, samples.table).reason
    except BenchmarkError as error:
        reason = str(error)
    return f"nothing to judge: {reason}" if reason else "takes part"


def _tests_of(benchmark: Benchmark, dataset: Dataset, folders: Paths) -> list[dict[str, Any]]:
    rows = []
    samples = _samples(benchmark, dataset, folders)
    for target in benchmark.targets.values():
        for test in benchmark.applicable(target.id):
            reason = absence(benchmark, test, target, dataset)
            reason = reason or _participation(test, target, samples)
            rows.append({"target": target.id, "test": test.id, "status": reason})
    return rows
