"""The results of a model as one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ... import __version__
from ...core import advice, archives, files
from ...core.errors import BenchmarkError, ConfigError, DataError
from ...core.paths import SUMS, Paths
from ...core.registry import unknown
from ...engine.plan import participants
from ...results.keys import CellKey
from ...results.manifest import Manifest
from ...spec import Benchmark
from ..rebuild import Rebuilder
from . import FORMAT, INDEX, PREDICTIONS, ROWS


def write(benchmark: Benchmark, folders: Paths, model: str, file: Path) -> dict[str, Any]:
    """Pack the results of a model; equal results give equal bytes.

    Args:
        benchmark: declarations
        folders: where results and caches are
        model: id of the model
        file: archive to write

    Returns:
        what :data:`INDEX` holds, without the list of files, the number of files and bytes, and open
        data that tests were not run on, so that a check will refuse the bundle

    Raises:
        ConfigError: if the model is not known or has no results
        DataError: if results are damaged, or predictions on open data are not in the cache
        OutputError: if the archive cannot be written
    """
    manifests = _manifests(benchmark, folders, model)
    content: dict[str, bytes] = {}
    rebuilder = Rebuilder(benchmark, folders)
    for target, manifest in manifests.items():
        folder = folders.manifest(target, model).parent
        for path in _results(folder, manifest):
            content[f"{ROWS}/{target}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
        for store in _stores(benchmark, rebuilder, target, manifest):
            for path in sorted(store.glob("*")):
                if path.suffix in (".json", ".parquet"):
                    name = path.relative_to(folders.predictions).as_posix()
                    content[f"{PREDICTIONS}/{name}"] = path.read_bytes()
    index = {
        "format": FORMAT,
        "program": __version__,
        "model": next(iter(manifests.values())).model,
        "targets": list(manifests),
    }
    listed = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(content.items())}
    text = json.dumps({**index, "files": listed}, indent=1, ensure_ascii=False) + "\n"
    archive = archives.packed({**content, INDEX: text.encode()})
    files.write_bytes(file, archive, only_changed=True)
    lacking = {
        dataset
        for target, manifest in manifests.items()
        for dataset in _not_run(benchmark, target, manifest)
    }
    return {**index, "files": len(content), "bytes": len(archive), "lacking": sorted(lacking)}


def _not_run(benchmark: Benchmark, target: str, manifest: Manifest) -> Iterator[str]:
    """Open data that a test of the target was not run on; a check will tell it."""
    for test in benchmark.applicable(target):
        for dataset in participants(benchmark, test, benchmark.targets[target]):
            if is_open(benchmark, dataset.id) and f"{test.id}/{dataset.id}" not in manifest.cells:
                yield dataset.id


def _manifests(benchmark: Benchmark, folders: Paths, model: str) -> dict[str, Manifest]:
    """Target -> manifest of the model."""
    manifests = {}
    for path in sorted(folders.method_tests.glob(f"*/{model}/manifest.json")):
        manifest = Manifest.read(path)
        if manifest is None:
            raise DataError(f"{path}: cannot be read; run the model again")
        manifests[path.parent.parent.name] = manifest
    if not manifests and model not in benchmark.models:
        models = {path.parent.name for path in folders.method_tests.glob("*/*/manifest.json")}
        what = "model with results" if models else "model"
        raise unknown(what, model, models or benchmark.models, "bundle")
    if not manifests:
        raise ConfigError(
            f"model '{model}' has no results in {folders.method_tests}; make them with: "
            f"{advice.command('run', '--model', model)}"
        )
    versions = {str(manifest.model.get("version")) for manifest in manifests.values()}
    if len(versions) > 1:
        raise DataError(
            f"model '{model}': results of several versions, {', '.join(sorted(versions))}; "
            f"run it again for all targets"
        )
    return manifests


def _results(folder: Path, manifest: Manifest) -> Iterator[Path]:
    """Files that a manifest knows."""
    yield folder / "manifest.json"
    for test in manifest.tables:
        yield folder / f"{test}.csv"
    for noted in manifest.cells.values():
        if "sums" in noted:
            yield folder / SUMS / str(noted["sums"])


def _stores(
    benchmark: Benchmark, rebuilder: Rebuilder, target: str, manifest: Manifest
) -> list[Path]:
    """Folders with predictions on data that everybody has."""
    stores: set[Path] = set()
    chance = bool(manifest.model.get("chance"))
    for name, noted in manifest.cells.items():
        key = cell_key(target, manifest.model, name)
        if is_open(benchmark, key.dataset) and noted.get("status") != "error":
            try:
                stores |= set(rebuilder.stores(key, noted, chance=chance))
            except BenchmarkError as error:
                raise DataError(f"{key}: cannot be bundled: {error}") from None
    return sorted(stores)


def cell_key(target: str, model: Mapping[str, Any], name: str) -> CellKey:
    """Key of a cell from its name in a manifest, ``test/dataset``."""
    test, _, dataset = name.partition("/")
    return CellKey(target, str(model.get("id", "")), test, dataset)


def is_open(benchmark: Benchmark, dataset: str) -> bool:
    """Whether the program makes a dataset itself, so that everybody has it."""
    entry = benchmark.datasets.get(dataset)
    return entry is not None and entry.embedded and entry.builtin
