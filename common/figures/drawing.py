"""Figures of cells: drawn by several processes, and only where what they show has changed.

A manifest notes from what the figures of a cell were drawn and which bytes came out. If both
are still the same, the files that lie there are the figures.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import processes, provenance
from ..designs import design_of
from ..spec.cell import Cell
from ..spec.view import View
from .details import text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: what the processes do, for the message if one is killed
WORK = "draws figures"
#: cells below this number are not worth the start of processes
POOL_FROM = 12
#: packages that decide about its bytes
_PACKAGES = ("matplotlib", "numpy", "pillow")


@dataclass(frozen=True)
class Drawn:
    """Figures of a cell.

    Args:
        figures: file name -> text alternative
        source: hash of what they were drawn from
        files: file name -> hash of its bytes
    """

    figures: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, noted: Mapping[str, Any]) -> Drawn:
        """What a manifest notes about a cell."""
        drawn = noted.get("drawn", {})
        return cls(noted.get("figures", {}), drawn.get("source", ""), drawn.get("files", {}))

    def note(self) -> dict[str, Any]:
        """As a manifest notes it."""
        return {
            "figures": dict(self.figures),
            "drawn": {"source": self.source, "files": dict(self.files)},
        }

    def lie_in(self, folder: Path) -> bool:
        """Whether all files are in a folder and hold what was drawn."""
        try:
            return self.files.keys() == self.figures.keys() and all(
                _digest(folder / name) == digest for name, digest in self.files.items()
            )
        except OSError:
            return False


@dataclass(frozen=True)
class Job:
    """Figures of one cell that are due.

    Args:
        cell: the cell
        view: what figures are drawn from, as the design of the cell gives it
        folder: where the files go
        before: what is known about the files that lie there
        details: what is shown of sound events
    """

    cell: Cell
    view: View
    folder: Path
    before: Drawn
    details: Mapping[str, Any] | None = None

    @property
    def size_bytes(self) -> int:
        """Memory of the arrays that figures are drawn from, about."""
        columns = len(self.view.samples.columns) + len(self.view.predictions)
        return columns * len(self.view.samples) * np.dtype(np.float64).itemsize


def job(
    cell: Cell,
    view: View,
    folder: Path,
    before: Drawn,
    details: Mapping[str, Any] | None = None,
) -> Job:
    """Figures of a cell, from the view of its scores.

    Of the samples, figures see the columns that the design of the test names, and the target.
    """
    design = design_of(cell.test)
    view = design.shown(view)
    named = {cell.target.id, *design.needs(cell.target), *design.attributes()}
    columns = [name for name in view.samples.columns if name in named]
    if details is not None:
        # its figures are drawn from these alone
        view = replace(view, samples=view.samples[[]], predictions={})
        columns = []
    return Job(cell, replace(view, samples=view.samples[columns]), folder, before, details)


def source(cell: Cell, view: View, details: Mapping[str, Any] | None = None) -> str:
    """Hash of all that decides about the figures of a cell."""
    arrays = hashlib.sha256()
    for name in view.samples.columns:
        _add(arrays, name, view.samples[name].to_numpy())
    for name, values in view.predictions.items():
        _add(arrays, name, values)
    rows = []
    for row in view.rows:
        row = dict(row)
        if "null" in row:
            _add(arrays, "null", np.asarray(row.pop("null")))
        rows.append(row)
    return provenance.digest(
        {
            "target": cell.target.model_dump(),
            "figure": cell.test.figures.get(cell.target.kind, ""),
            "design": cell.test.design,
            "data": cell.dataset.data,
            "title": cell.dataset.label,
            "dataset": view.dataset,
            "seed": view.seed,
            "missing": dict(view.missing),
            "left out": [[*key, why] for key, why in view.left_out.items()],
            "note": view.note,
            "rows": rows,
            **({} if details is None else {"details": text(details)}),
            "arrays": arrays.hexdigest(),
            "code": cell.parts.get("figures", ""),
            "packages": _packages(),
        }
    )


@cache
def _packages() -> list[str]:
    return [importlib.metadata.version(name) for name in _PACKAGES]


def _add(content: Any, name: str, values: np.ndarray) -> None:
    """Add an array to a hash: numbers by their bytes, anything else by its text."""
    import pandas as pd

    head = json.dumps([name, str(values.dtype), values.shape])
    if values.dtype == object:
        codes, uniques = pd.factorize(values)
        head += json.dumps([str(value) for value in uniques], ensure_ascii=False)
        values = codes
    content.update(head.encode())
    content.update(np.ascontiguousarray(values).tobytes())


def draw(job: Job) -> dict[str, str]:
    """Draw and save the figures of a cell.

    Returns:
        file name -> text alternative
    """
    from .style import applied, save

    drawn = {}
    with applied():
        for suffix, figure, alt in _figures(job):
            parts = (f"visualization_{job.cell.dataset.data}", suffix)
            file = "_".join(part for part in parts if part) + ".png"
            save(figure, job.folder / file)
            drawn[file] = alt
    return drawn


def _figures(job: Job) -> Iterator[tuple[str, Figure, str]]:
    """Figures of a cell: end of the file name, figure, text alternative."""
    from . import ALTS, DETAILS, FIGURES

    cell, view = job.cell, job.view
    if job.details is not None:
        yield from DETAILS.get(cell.test.design_name)(job.details)
        return
    names = [cell.test.figures[cell.target.kind]]
    if any("null" in row for row in view.rows):
        names.append("null_distributions")
    design = design_of(cell.test)
    title = cell.dataset.label or cell.dataset.data
    for name in names:
        texts = ALTS.get(name)(view, design)
        for suffix, figure in FIGURES.get(name)(view, design, title).items():
            yield suffix, figure, texts[suffix]


#: of a cell its figures, what becomes of them or what is to be drawn by this process; from what; their folder
Part = tuple[Drawn | Future[dict[str, str]] | Job, str, Path]


class Drawing:
    """Figures of cells, some of which are still drawn.

    Args:
        parts: of each cell
    """

    def __init__(self, parts: Sequence[Part]):
        self._parts = parts
        self._futures = [part for part, _, _ in parts if isinstance(part, Future)]

    def is_done(self) -> bool:
        """Whether nobody has to wait for :meth:`result`."""
        return all(future.done() for future in self._futures)

    def result(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> list[Drawn]:
        """Figures of each cell, in order; raises what drawing raised.

        Args:
            progress: told how many cells have theirs while others are waited for
        """
        drawn = []
        try:
            with processes.guarding(WORK):
                for number, (part, now, folder) in enumerate(self._parts):
                    if isinstance(part, Job):
                        part = _drawn(draw(part), now, folder)
                    elif isinstance(part, Future):
                        if not part.done():
                            progress(number, len(self._parts))
                        part = _drawn(part.result(), now, folder)
                    drawn.append(part)
            return drawn
        except BaseException:
            for future in self._futures:
                future.cancel()
            raise


class Drawer:
    """Draws figures, with several processes if it pays.

    Args:
        workers: number of processes
        cells: number of cells that may have figures to draw
    """

    def __init__(self, workers: int = 1, cells: int = 0):
        self.workers = workers if cells >= POOL_FROM else 1
        self._pool: ProcessPoolExecutor | None = None

    def begin(self, job: Job) -> Part:
        """Begin to draw, if other processes do it; what lies there already is not drawn again."""
        now = source(job.cell, job.view, job.details)
        if now == job.before.source and job.before.lie_in(job.folder):
            return job.before, now, job.folder
        if self.workers == 1:
            return job, now, job.folder
        if self._pool is None:
            self._pool = processes.pool(self.workers, yielding=True)
        with processes.guarding(WORK):
            return self._pool.submit(draw, job), now, job.folder

    def close(self) -> None:
        """Stop the processes that draw."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _drawn(figures: dict[str, str], now: str, folder: Path) -> Drawn:
    return Drawn(figures, now, {name: _digest(folder / name) for name in figures})


def _digest(path: Path) -> str:
    return provenance.file_digest(path)[: provenance.LENGTH]
