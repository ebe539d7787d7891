"""Rows of a bundle on open data, computed once more from its predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.errors import BenchmarkError
from ...engine.plan import Planner, participants
from ...engine.staleness import compared as compared_parts
from ...results import tables
from ...results.keys import CellKey
from ...results.manifest import Manifest
from ...samples import demo
from ...spec import Benchmark, Dataset, Model
from ..explain import compared
from ..rebuild import Rebuilder
from . import ROWS, BundleFolders
from .making import is_open

if TYPE_CHECKING:
    from .checking import BundleCheck


def recompute(
    benchmark: Benchmark, folders: BundleFolders, model: str, checked: BundleCheck, *, workers: int
) -> None:
    """Compute all rows on open data and compare them; notes and faults go to ``checked``.

    Args:
        benchmark: declarations
        folders: of the unpacked bundle
        model: id of the model
        checked: what was found out so far
        workers: parallel workers
    """
    opened = [entry for name, entry in benchmark.datasets.items() if is_open(benchmark, name)]
    databases = {entry.database for entry in opened if entry.embedded}
    try:
        demo.ensure(folders.cache, databases, workers=workers)
    except BenchmarkError as error:
        checked.faults.append(f"open data cannot be made here: {error}")
        return
    rebuilder = Rebuilder(benchmark, folders, workers=workers)
    others: set[str] = set()
    for target in checked.targets:
        manifest = Manifest.read(folders.manifest(target, model))
        assert manifest is not None  # read before
        checked.faults += _lacking(benchmark, target, manifest)
        for name in sorted(manifest.cells):
            test, _, dataset = name.partition("/")
            if not is_open(benchmark, dataset):
                others.add(dataset)
                continue
            key = CellKey(target, model, test, dataset)
            _cell(benchmark, folders, key, manifest, rebuilder, checked)
    if others:
        checked.notes.append(
            f"rows on {', '.join(sorted(others))} cannot be computed again without the data"
        )


def _lacking(benchmark: Benchmark, target: str, manifest: Manifest) -> Iterator[str]:
    """Cells on open data that every model can have and this one has not."""
    for test in benchmark.applicable(target):
        for dataset in participants(benchmark, test, benchmark.targets[target]):
            name = f"{test.id}/{dataset.id}"
            if is_open(benchmark, dataset.id) and name not in manifest.cells:
                reason = manifest.not_run.get(name, "")
                yield f"{ROWS}/{target}: {name} is missing{f' ({reason:.200})' if reason else ''}"


def _cell(
    benchmark: Benchmark,
    folders: BundleFolders,
    key: CellKey,
    manifest: Manifest,
    rebuilder: Rebuilder,
    checked: BundleCheck,
) -> None:
    where = f"{ROWS}/{key.target}/{key.test}.csv: {key.dataset}"
    noted = manifest.cells[f"{key.test}/{key.dataset}"]
    if noted.get("status") == "error":
        checked.notes.append(f"{where}: ended in an error when it was run")
        return
    try:
        outdated = _outdated(benchmark, folders, key, manifest)
        if outdated:
            checked.faults.append(f"{where}: {outdated}; run the model again with this version")
            return
        rebuilt = rebuilder(key, noted, chance=bool(manifest.model.get("chance")))
        table = tables.read_csv(folders.results(key.target, key.model, key.test))
        answers = compared(table[table["dataset"] == key.dataset], rebuilt, folders)
    except BenchmarkError as error:
        checked.faults.append(f"{where}: cannot be computed again: {error}")
        return
    # predictions and notes of a stranger may hold anything: whatever it raises is a fault of them
    except Exception as error:
        text = f"{type(error).__name__}: {' '.join(str(error).split())}"
        checked.faults.append(f"{where}: cannot be computed again: {text:.200}")
        return
    checked.recomputed += len(answers)
    differing = [answer for answer in answers if not answer["equal"]]
    for answer in differing[:1]:
        more = f"; {len(differing)} rows differ" if len(differing) > 1 else ""
        checked.faults.append(f"{where}: {answer['key']}: {'; '.join(answer['differences'])}{more}")


def _outdated(
    benchmark: Benchmark, folders: BundleFolders, key: CellKey, manifest: Manifest
) -> str:
    """What the rows were made of that is another thing here; empty if nothing is."""
    noted = manifest.cells[f"{key.test}/{key.dataset}"]
    parts = noted.get("made_of") or {}
    planner = Planner(benchmark, folders, seed=int(parts.get("seed", 0)))
    model = Model(id=key.model, version=str(manifest.model["version"]), adapter=_adapter(manifest))
    dataset: Dataset = benchmark.datasets[key.dataset]
    now = planner.made_of(
        model, "", benchmark.tests[key.test], benchmark.targets[key.target], dataset
    )
    # which code asked the model cannot be told from here: its predictions are taken as they are
    answer = compared_parts({**parts, "prediction": now["prediction"]}, now)
    return "" if answer is None else "; ".join(answer.reasons)


def _adapter(manifest: Manifest) -> str:
    return str(manifest.model.get("adapter", ""))
