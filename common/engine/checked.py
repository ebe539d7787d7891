"""Declarations that were checked once: what checks them is imported only where they changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core import paths, provenance
from ..core.files import keep, read_kept
from ..core.paths import Paths
from ..spec import Benchmark


def _stamp(path: Path) -> str:
    """Hash of a file; of one that may not be read, that it may not."""
    try:
        return provenance.file_digest(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def cached_faults(benchmark: Benchmark, catalogs: Sequence[Path], folders: Paths) -> list[str]:
    """As :func:`common.engine.check.faults`, but an unchanged program with unchanged YAML is not checked again."""
    sources = [paths.PACKAGE, *catalogs]
    files = sorted(
        path
        for source in sources
        for path in source.rglob("*")
        if path.suffix in (".py", ".yaml") and path.is_file()
    )
    stamps = [(str(path), _stamp(path)) for path in files]
    locations = [
        str(entry.resolve(path))
        for entry, path in [
            *((model, model.path) for model in benchmark.models.values()),
            *((dataset, dataset.path) for dataset in benchmark.datasets.values()),
            *((dataset, dataset.audio) for dataset in benchmark.datasets.values()),
        ]
        if path and entry.resolve(path).exists()
    ]
    state = provenance.digest([stamps, locations, list(benchmark.models)])
    memo = folders.cache / "checked" / f"{provenance.digest([str(c) for c in sources])}.txt"
    if read_kept(memo) == state:
        return []
    from .check import faults

    lines = faults(benchmark)
    if not lines:
        keep(memo, state)
    return lines
