"""All that result pages play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ...core import paths
from ...core.mirror import names_below
from ...core.paths import Paths
from ...reports.rebuild import Rebuilder
from ...spec import Benchmark
from ..own import FOLDER as OWN
from . import cell_samples, samples, scenes


def update(
    benchmark: Benchmark,
    folders: Paths,
    *,
    seed: int,
    download: bool = False,
    workers: int = 1,
    most_mb: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Bring the samples of cells and of perturbation tests and the scenes of sound events up to date.

    Args:
        benchmark: catalog and suite
        folders: where results are, where to write, and the cache
        seed: seed of the run
        download: whether recordings may be fetched from remote repositories
        workers: so many sounds are made at the same time
        most_mb: room of the sounds of samples of cells, for each target and dataset; None: what is
            usual for answers of their kind
        progress: told how many of the tables of this process are up to date

    Raises:
        OutputError: if a file cannot be written
    """
    rebuild = Rebuilder(benchmark, folders).answered
    tables = cell_samples.begin(
        benchmark,
        folders,
        rebuild,
        seed=seed,
        download=download,
        workers=workers,
        most_mb=most_mb,
        progress=progress,
    )
    samples.update(benchmark, folders, rebuild, seed=seed, download=download, others=tables)
    scenes.update(benchmark, folders, download=download)


def made(media: Path) -> Iterator[str]:
    """Names of files that pages play, and of those that say which there are, but for the examples."""
    for folder in (paths.SAMPLES, paths.TABLES, paths.SCENES, OWN):
        yield from (f"{folder}/{name}" for name in names_below(media / folder))
    listings = (path for path in media.glob("*/*.json") if path.parent.name != OWN)
    yield from (path.relative_to(media).as_posix() for path in listings)
