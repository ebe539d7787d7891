"""Brings the truths up to date that own predictions are scored against.

``extra/media/own/index.json`` says which there are; a dataset is among them if a run has cells of
it and everybody may copy it. What was made from what is there now is left alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core import closure, files, paths, provenance
from ...core.documents import parse_json
from ...core.errors import BenchmarkError
from ...core.paths import Paths
from ...core.rng import DEFAULT_SEED
from ...designs.selecting import Selector
from ...predictions.attributes import Context
from ...results import dataset_facts
from ...results.manifest import Manifest
from ...samples import datasets
from ...samples.base import Samples
from ...spec import Benchmark, Dataset, Target
from ...uncertainty.simulation import Bounds
from ..listening import licences
from . import FOLDER, FORMAT, INDEX
from .shapes import has_shape

logger = logging.getLogger(__name__)

#: a page of so many samples has some megabytes
MOST_SAMPLES = 100_000
#: what a cell is made of besides the data, which is another for every model
OF_MODEL = ("model", "model_version", "fingerprint", "prediction")
#: test -> what its cell is made of
Cells = dict[str, Mapping[str, Any]]


def update(benchmark: Benchmark, folders: Paths, *, download: bool = False) -> int:
    """Bring the truths of all targets and datasets up to date; returns how many were written.

    Args:
        benchmark: catalog and suite
        folders: where results are, where to write, and the cache
        download: whether tables may be fetched from remote repositories

    Raises:
        OutputError: if a file cannot be written
    """
    maker = _Maker(benchmark, folders, download)
    path = folders.media / FOLDER / INDEX
    old = {entry["src"]: entry for entry in read(path).get("files", ())}
    content: dict[str, Any] = {"format": FORMAT, "files": [], "closed": {}}
    for target in benchmark.targets.values():
        for name, cells in cells_of(benchmark, folders, target).items():
            dataset = benchmark.datasets[name]
            reason = licences.silent(dataset)
            if reason:
                content["closed"][name] = reason.partition(". Only samples")[0]
                continue
            count = maker.count(dataset)
            if count > MOST_SAMPLES:
                content["closed"][name] = (
                    f"It has {count:,} samples, and a browser loads at most {MOST_SAMPLES:,}"
                )
                continue
            src = f"{FOLDER}/{target.id}--{dataset.id}.js"
            entry = maker.entry(target, dataset, cells, old.get(src, {}), src)
            content["files"] += [entry] if entry else []
    sources = {folders.media / entry["src"] for entry in content["files"]}
    if content["files"] or content["closed"]:
        files.write_text(
            path, json.dumps(content, indent=1, ensure_ascii=False) + "\n", only_changed=True
        )
        sources.add(path)
    for other in sorted(path.parent.glob("*")):
        if other not in sources:
            files.discard(other)
    return maker.written


def read(path: Path) -> dict[str, Any]:
    """Which truths there are; nothing if there is no index or it is of another format."""
    try:
        content = parse_json(path.read_text("utf-8"))
        return content if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def cells_of(benchmark: Benchmark, folders: Paths, target: Target) -> dict[str, Cells]:
    """Datasets on which models were run for a target, with the tests of each."""
    by_dataset: dict[str, Cells] = {}
    for model in benchmark.models:
        manifest = Manifest.read(folders.manifest(target.id, model))
        for key, cell in (manifest.cells if manifest else {}).items():
            test, _, dataset = key.partition("/")
            if test not in benchmark.tests or dataset not in benchmark.datasets:
                continue
            if cell.get("status") == "done" and cell.get("made_of"):
                parts = {k: v for k, v in cell["made_of"].items() if k not in OF_MODEL}
                by_dataset.setdefault(dataset, {}).setdefault(test, parts)
    return {name: dict(sorted(cells.items())) for name, cells in sorted(by_dataset.items())}


class _Maker:
    """Makes the files of truths; keeps what several of them share."""

    def __init__(self, benchmark: Benchmark, folders: Paths, download: bool):
        self.benchmark = benchmark
        self.folders = folders
        self.download = download
        self.written = 0
        self.code = closure.code_of(type(self))
        self._samples: dict[str, Samples] = {}
        self._selectors: dict[tuple[str, int], Selector] = {}

    def entry(
        self,
        target: Target,
        dataset: Dataset,
        cells: Cells,
        old: Mapping[str, Any],
        src: str,
    ) -> dict[str, Any] | None:
        """What the index says of a truth; None if there is nothing to score."""
        tests = [self.benchmark.tests[name] for name in cells]
        scored = [test for test in tests if has_shape(test)]
        if not scored:
            return None
        titles = [[test.title, test.family] for test in scored]
        # importing what reads it takes half a second
        words = provenance.file_digest(paths.CONVENTIONS)
        about = [dataset.label, dataset.license, dataset.source, target.label, titles, words]
        key = provenance.digest([FORMAT, self.code, about, cells])
        path = self.folders.media / src
        if old.get("key") == key and path.is_file():
            return dict(old)
        from .truth import script, truth  # needs pandas

        try:
            samples = self._load(dataset)
            seed = int(next(iter(cells.values())).get("seed", DEFAULT_SEED))
            bounds = Bounds(self.folders.cache)
            content = truth(target, scored, samples, self._selector(samples, seed), bounds)
        except BenchmarkError as error:
            logger.info("%s: own predictions cannot be scored: %s", dataset.id, error)
            return None
        self.written += files.write_text(path, script(content), only_changed=True)
        return {
            "key": key,
            "src": src,
            "target": target.id,
            "dataset": dataset.id,
            "samples": len(content["samples"]["file"]),
            "timed": "start" in content["samples"],
            "example": content["samples"]["file"][:2],
            "tests": [test.id for test in scored],
            "elsewhere": [test.id for test in tests if test not in scored],
        }

    def count(self, dataset: Dataset) -> int:
        """Number of samples of a dataset; 0 if nobody has noted it."""
        facts = dataset_facts.read(dataset.id, self.folders)
        return facts.samples if facts else 0

    def _load(self, dataset: Dataset) -> Samples:
        if dataset.id not in self._samples:
            targets, cache = self.benchmark.targets, self.folders.cache
            self._samples[dataset.id] = datasets.load(
                dataset, cache, targets, download=self.download
            )
        return self._samples[dataset.id]

    def _selector(self, samples: Samples, seed: int) -> Selector:
        key = (samples.dataset.id, seed)
        if key not in self._selectors:
            context = Context(self.folders.cache, 1)
            self._selectors[key] = Selector(samples, seed, context)
        return self._selectors[key]
