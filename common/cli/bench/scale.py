"""How time and memory grow with the number of segments of a database.

A generated database (:mod:`common.cli.bench.scale_data`) goes through predictions, scores, their intervals, a whole run
and the website. Each stage is a process of its own that finds on disk what those before it left, so its
peak memory is its own.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from ...core import machine
from ...core.errors import BenchmarkError
from ...core.paths import Paths
from . import scale_data
from .usage import MemoryWatch, Stopwatch

#: segments of the databases
SEGMENTS = (10_000, 100_000, 1_000_000)
#: megabytes that all processes of a stage may need together
LIMIT_MB = 4000
#: exit codes of a run to its end
ENDED = (0, 3)
HEAD = ("segments", "stage", "wall clock", "processor time", "peak memory", "largest process")


class StageFigures(NamedTuple):
    """What a stage took.

    Args:
        wall_s: seconds of the wall clock
        processor_s: seconds of processor time, of all its processes
        tree_mb: peak memory of all its processes together in MB; pages that several share count once
        process_mb: peak memory of its main process in MB
    """

    wall_s: float
    processor_s: float
    tree_mb: int | None
    process_mb: int | None


class Workplace(NamedTuple):
    """Where a stage works.

    Args:
        folder: with database, catalog, results and cache
        workers: parallel workers
    """

    folder: Path
    workers: int

    @property
    def catalog(self) -> Path:
        """Catalog of the database."""
        return self.folder / "catalog"

    @property
    def paths(self) -> Paths:
        """Results and cache."""
        return Paths(self.folder / "out", self.folder / "cache")

    def options(self) -> list[str]:
        """Options of a command that works here."""
        paths = self.paths
        places = [f"--output={paths.output}", f"--cache={paths.cache}", f"--catalog={self.catalog}"]
        return [*places, f"--workers={self.workers}", "--allow-code", "--quiet"]


def bench_scale(
    segments: Sequence[int],
    *,
    workers: int,
    say: Callable[[str], None],
    folder: Path | None = None,
    stages: Sequence[str] = (),
) -> dict[str, Any]:
    """Measure all stages of databases of some sizes.

    Args:
        segments: number of segments of each database
        workers: parallel workers
        say: takes a line of the table, as soon as it is there
        folder: where databases, results and caches go, and stay; None: a folder that is removed
        stages: the first of :data:`STAGES`; empty: all of them

    Returns:
        "(segments) segments, (stage): (figure)" -> value, and the limit

    Raises:
        BenchmarkError: if a stage fails
    """
    figures: dict[str, Any] = {}
    say(_line(HEAD))
    with tempfile.TemporaryDirectory(prefix="scale-") as scratch:
        for count in segments:
            place = Workplace((folder or Path(scratch)) / str(count), workers)
            place.folder.mkdir(parents=True)
            for name in ("generate", *(stages or STAGES)):
                one = measured(name, place, count)
                say(_line(_cells(count, name, one)))
                about = f"{count} segments, {name}"
                figures[f"{about}: wall clock"] = one.wall_s
                figures[f"{about}: processor time"] = one.processor_s
                figures[f"{about}: peak memory in MB"] = one.tree_mb
                figures[f"{about}: largest process in MB"] = one.process_mb
    return figures | {"at most peak memory in MB": LIMIT_MB}


def _cells(count: int, name: str, figures: StageFigures) -> tuple[str, ...]:
    sizes = [f"{size} MB" if size else "-" for size in (figures.tree_mb, figures.process_mb)]
    return f"{count:,}", name, f"{figures.wall_s:.1f} s", f"{figures.processor_s:.1f} s", *sizes


def _line(cells: Sequence[str]) -> str:
    return "  ".join(
        cell.rjust(width) for cell, width in zip(cells, (9, 9, 10, 14, 11, 15), strict=True)
    )


def measured(name: str, place: Workplace, segments: int) -> StageFigures:
    """StageFigures of a stage in a process of its own.

    Args:
        name: of the stage
        place: where it works
        segments: number of segments that ``generate`` makes

    Raises:
        BenchmarkError: if it fails
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        process = pool.submit(os.getpid).result()
        with MemoryWatch(process) as memory:
            wall_s, processor_s, peak = pool.submit(_measure, name, place, segments).result()
    mb = [None if size is None else round(size / 1e6) for size in (memory.peak_bytes, peak)]
    return StageFigures(wall_s, processor_s, *mb)


def _measure(name: str, place: Workplace, segments: int) -> tuple[float, float, int | None]:
    with Stopwatch() as watch:
        if name == "generate":
            scale_data.generate(place.folder, segments)
        else:
            STAGES[name](place)
    return watch.wall_s, watch.processor_s, machine.peak_bytes()


def filters() -> dict[str, list[str]]:
    """What is run: the generated database, the listening model, and chance models."""
    from ...spec import load_benchmark

    chance = [model.id for model in load_benchmark().models.values() if model.is_chance]
    return {
        "models": [scale_data.LISTENER, *chance],
        "datasets": [scale_data.DATASET],
        "targets": [target.id for target in scale_data.targets()],
    }


def _engine(place: Workplace, evaluated: Callable[[Any], None]) -> None:
    """A run that makes no more of its cells than what is measured.

    Args:
        place: where it works
        evaluated: is given the scores of each cell
    """
    from ...engine.plan import Filters
    from ...engine.run import Engine
    from ...engine.scoring import evaluate
    from ...spec import load_benchmark

    class Part(Engine):
        def _evaluate(self, work: Any, source: Any, journal: Any) -> None:
            if evaluated is not _nothing:
                evaluated(evaluate(work.cell, work.selection, work.predictions(source)))

    benchmark = load_benchmark([place.catalog], allow_code=True)
    report = Part(benchmark, place.paths, workers=place.workers).run(Filters(**filters()))
    if report.errors:
        raise BenchmarkError(f"bench scale: {next(iter(report.errors.values()))}")


def _nothing(evaluation: Any) -> None:
    """Nothing is scored."""


def _predict(place: Workplace) -> None:
    _engine(place, _nothing)


def _score(place: Workplace) -> None:
    _engine(place, lambda evaluation: None)


def _bootstrap(place: Workplace) -> None:
    from ...uncertainty.simulation import Bounds

    bounds = Bounds(place.paths.cache)
    _engine(place, lambda evaluation: evaluation.rows(bounds))


def _command(name: str, place: Workplace, more: Sequence[str] = ()) -> None:
    from ..main import main

    code = main([name, *place.options(), *more])
    if code not in ENDED:
        raise BenchmarkError(f"bench scale: build.py {name} ended with {code}")


def _run(place: Workplace) -> None:
    selected = [f"--{name[:-1]}={one}" for name, ids in filters().items() for one in ids]
    _command("run", place, selected)


def _site(place: Workplace) -> None:
    _command("site", place)


#: stage -> what it does: predictions; scores of stored predictions; their intervals and verdicts, too;
#: the whole command that writes results, figures and what pages play; the website
STAGES: dict[str, Callable[[Workplace], None]] = {
    "predict": _predict,
    "score": _score,
    "bootstrap": _bootstrap,
    "run": _run,
    "site": _site,
}
