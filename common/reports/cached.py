"""What the cache of predictions holds, whether it is whole, and what nothing asks for any more."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import models
from ..core.errors import BenchmarkError, ConfigError, DataError
from ..core.mirror import remove_empty
from ..core.paths import Paths
from ..core.registry import unknown
from ..core.rng import DEFAULT_SEED
from ..engine.identity import prediction_code
from ..perturbations import Library
from ..predictions import inventory, store
from ..predictions.inventory import StoreEntry
from ..spec import Benchmark, Dataset, Model
from ..spec.view import ORIGINAL

if TYPE_CHECKING:
    import pandas as pd

#: folder of the cache -> what is in it
CONTENT = {
    "attributes": "attributes computed from audio",
    "audb": "datasets of audb repositories",
    "checked": "faults of catalogs that were looked for",
    "claims": "what runs compute at the moment",
    "embedded": "embedded data as they were synthesised",
    "models": "facts of model files",
    "predictions": "predictions of models",
    "simulated": "simulations of chance",
}
#: how damaged predictions are made again
REPAIRED = "'run --force' sets damaged files aside and makes their predictions again"
OTHER = "other: what is known about code and websites"


def summary(folders: Paths) -> list[dict[str, Any]]:
    """Files and bytes of each part of the cache, largest first.

    Args:
        folders: where the cache is

    Raises:
        DataError: if a folder of it cannot be read
    """
    sizes: dict[str, list[int]] = {}
    for folder, _, names in os.walk(folders.cache, onerror=_refuse):
        for path in (Path(folder, name) for name in names):
            top = path.relative_to(folders.cache).parts[0]
            with suppress(FileNotFoundError):  # a run may be compacting it
                if not path.is_symlink():
                    part = top if top in CONTENT else "other"
                    sizes.setdefault(part, []).append(path.lstat().st_size)
    rows = [
        {"part": part, "files": len(each), "bytes": sum(each), "holds": CONTENT.get(part, OTHER)}
        for part, each in sizes.items()
    ]
    return sorted(rows, key=lambda row: (-row["bytes"], row["part"]))


def _refuse(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise DataError(f"{error.filename}: cannot be read: {error.strerror}")


def damaged(folders: Paths) -> Iterator[tuple[Path, str]]:
    """Files with predictions whose content is not what was written, each with the reason.

    Args:
        folders: where the cache is
    """
    for entry in inventory.entries(folders.predictions):
        for part in store.parts_of(entry.folder):
            if reason := store.damage(part):
                yield part, reason
        if not entry.description:
            yield entry.folder / store.DESCRIPTION, "does not say what the predictions are of"


def unused(benchmark: Benchmark, folders: Paths) -> Iterator[tuple[StoreEntry, str]]:
    """Stores that no run with this catalog and this program can ask for, each with the reason.

    Args:
        benchmark: catalog and suite, with the small and the whole data of each entry
        folders: where the cache is
    """
    uses = _Uses(benchmark, folders)
    for entry in inventory.entries(folders.predictions):
        reason = next(uses.reasons(entry), "")
        if reason:
            yield entry, reason


class _Uses:
    """Knows what a catalog can ask for; keeps what is asked more than once."""

    def __init__(self, benchmark: Benchmark, folders: Paths):
        self.benchmark, self.folders = benchmark, folders
        self._fingerprints: dict[str, str] = {}
        #: recordings are not fetched, and their digests do not depend on the seed
        self._library = Library(benchmark, folders.cache)

    def reasons(self, entry: StoreEntry) -> Iterator[str]:
        """Why nothing can ask for a store; the first reason says enough."""
        described = entry.description
        if not described:
            if not self._is_named(entry):
                yield f"no readable {store.DESCRIPTION}"
            return
        model = self.benchmark.models.get(described["model"])
        if model is None:
            yield f"no model '{described['model']}' in the catalog"
            return
        if model.version != described["version"]:
            yield f"the version of the model is {model.version} now"
        if self._fingerprint(model) not in ("", described["fingerprint"]):
            yield "entry or files of the model have changed"
        sources = _sources(self.benchmark, described["database"])
        if not sources:
            yield f"no dataset of the database '{described['database']}' in the catalog"
            return
        if described["database_version"] not in {dataset.version for dataset in sources}:
            yield f"the version of the database is {sources[0].version} now"
        if described["code"] not in {prediction_code(model, dataset) for dataset in sources}:
            yield "the code that makes predictions has changed"
        yield from self._changed(described["condition"], described.get("perturbation", ""))

    def _is_named(self, entry: StoreEntry) -> bool:
        """Whether model and database of today have a folder of such names; more is not known of a store.

        The next run that needs it says again what it is.
        """
        model, database = entry.folder.parts[-3:-1]
        models_now = {f"{each.id}-{each.version}" for each in self.benchmark.models.values()}
        data_now = {f"{each.database}-{each.version}" for each in _entries(self.benchmark)}
        return model in models_now and database in data_now

    def _changed(self, condition: str, digest: str) -> Iterator[str]:
        """Whether a perturbation is not what it was; of a level of severity, whether there is one."""
        if condition == ORIGINAL:
            return
        if condition.partition("--")[0] not in self.benchmark.perturbations:
            yield f"no perturbation '{condition}' in the catalog"
        elif self._digest(condition) not in ("", digest):
            yield f"the perturbation '{condition}' has changed"

    def _digest(self, condition: str) -> str:
        """Of a perturbation as it is now; empty if it is a level of one, or lacks its recordings."""
        if condition not in self.benchmark.perturbations or self._library.missing(condition):
            return ""
        return self._library.digest(condition)

    def _fingerprint(self, model: Model) -> str:
        """Of the model as it is now; empty if its files are not there, as they may be back tomorrow."""
        if model.id not in self._fingerprints:
            try:
                fingerprint = models.fingerprint(model, cache=self.folders.cache)
            except BenchmarkError:
                fingerprint = ""
            self._fingerprints[model.id] = fingerprint
        return self._fingerprints[model.id]


def _sources(benchmark: Benchmark, database: str) -> list[Dataset]:
    """Datasets of a database, also of the larger one that an entry may take."""
    return [dataset for dataset in _entries(benchmark) if dataset.database == database]


def _entries(benchmark: Benchmark) -> list[Dataset]:
    """All datasets, and the larger ones that entries may take."""
    return [e for dataset in benchmark.datasets.values() for e in (dataset, dataset.whole())]


def remove(folders: Paths, entries: Sequence[StoreEntry]) -> None:
    """Remove stores of predictions.

    Args:
        folders: where the cache is
        entries: what is removed
    """
    for entry in entries:
        shutil.rmtree(entry.folder, ignore_errors=True)
    remove_empty(folders.predictions)


def predictions_of(
    benchmark: Benchmark, folders: Paths, model: str, *, seed: int = DEFAULT_SEED
) -> pd.DataFrame:
    """All predictions of a model that are of use, as the adapter ``predictions`` reads them.

    Args:
        benchmark: catalog and suite
        folders: where the cache is
        model: id of the model
        seed: seed of the run that made them, where predictions depend on it

    Raises:
        ConfigError: if there is no such model, or nothing was predicted
        DataError: if values are scores of frames, if a file is damaged or was set aside and is not there again,
            so that the table would not be whole, or if there are predictions of several kinds for a sample
    """
    if model not in benchmark.models:
        raise unknown("model", model, benchmark.models, "--model")
    for path, reason in damaged(folders):
        if path.relative_to(folders.predictions).parts[0].startswith(f"{model}-"):
            raise DataError(f"{path}: {reason}; run the model once more ({REPAIRED}), then export")
    old = {entry.folder for entry, _ in unused(benchmark, folders)}
    chosen = [
        entry
        for entry in inventory.entries(folders.predictions)
        if entry.description.get("model") == model
        and entry.folder not in old
        and (entry.description.get("seed", seed) == seed or not _is_drawn(benchmark, entry))
    ]
    for entry in chosen:
        if not entry.files:
            raise DataError(
                f"{entry.folder}: has no predictions any more; run the model once more (run --force), then export"
            )
    if not chosen:
        raise ConfigError(
            f"--model {model}: the cache has no predictions of the model as it is now with the seed {seed}; run"
            " the model first"
        )
    return inventory.table(chosen)


def _is_drawn(benchmark: Benchmark, entry: StoreEntry) -> bool:
    """Whether predictions depend on the seed of the run."""
    described = entry.description
    return benchmark.models[described["model"]].is_chance or described["condition"] != ORIGINAL
