"""Writing what a run found: result rows, figures with their descriptions, manifests."""

from __future__ import annotations

import importlib.metadata
import json
import logging
import multiprocessing
import platform
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from common import models, provenance, results
from common.designs import DESIGNS, options
from common.errors import DataError
from common.manifest import Manifest
from common.paths import Paths
from common.plan import Cell, Plan
from common.view import View

logger = logging.getLogger(__name__)

#: figures below this number are not worth the start of processes
POOL_FROM = 12
#: packages whose version may move a number
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "soundfile",
    "audresample",
    "av",
    "onnxruntime",
    "matplotlib",
)


def environment() -> dict[str, str]:
    """Versions of Python and of the packages that decide about numbers."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def draw(cell: Cell, view: View, folder: Path) -> dict[str, str]:
    """Draw and save the figures of a cell.

    Returns:
        file name -> text alternative
    """
    from common.figures import ALTS, FIGURES
    from common.figures.style import save

    names = [cell.test.figures[cell.target.kind]]
    if any("null" in row for row in view.rows):
        names.append("null_distributions")
    design = DESIGNS.get(cell.test.design_name)
    chosen = options(design, cell.test)
    view = design.shown(chosen, view)
    drawn = {}
    for name in names:
        texts = ALTS.get(name)(view, chosen)
        for suffix, figure in FIGURES.get(name)(view, chosen, cell.dataset.data).items():
            file = "_".join(part for part in (f"visualization_{cell.dataset.data}", suffix) if part)
            save(figure, folder / f"{file}.png")
            drawn[f"{file}.png"] = texts[suffix]
    return drawn


class Publisher:
    """Collects the outcome of cells and writes it.

    Args:
        folders: where to write
        plan: the plan that is carried out, for the order of the rows
        seed: seed of the run
        workers: number of processes that draw
    """

    def __init__(self, folders: Paths, plan: Plan, *, seed: int, workers: int = 1):
        self.folders = folders
        self.plan = plan
        self.seed = seed
        self.workers = workers
        self._manifests: dict[tuple[str, str], Manifest] = {}
        self._rows: dict[tuple[str, str, str], dict[str, list[dict[str, Any]]]] = {}
        self._to_draw: list[tuple[Cell, View]] = []
        self._environment = environment()
        self._pool: ProcessPoolExecutor | None = None
        for target, model in plan.selected:
            self._prune(self._manifest(target.id, model))

    def _manifest(self, target: str, model: Any) -> Manifest:
        key = (target, model.id)
        if key not in self._manifests:
            fingerprint = models.fingerprint(model, cache=self.folders.cache)
            facts = {
                "id": model.id,
                "version": model.version,
                "fingerprint": fingerprint,
                **model.model_dump(
                    include={"label", "adapter", "license", "author", "source", "description"}
                ),
                "sampling_rate": model.sampling_rate,
                "chance": model.is_chance,
            }
            known = Manifest.read(self.folders.manifest(target, model.id))
            manifest = known or Manifest(target, facts)
            manifest.model, manifest.seed = facts, self.seed
            manifest.environment = self._environment
            self._manifests[key] = manifest
        return self._manifests[key]

    def _prune(self, manifest: Manifest) -> None:
        """Forget cells that are no longer declared."""
        declared = {
            f"{test}/{dataset}"
            for (target, test), names in self.plan.order.items()
            if target == manifest.target
            for dataset in names
        }
        for known in (manifest.cells, manifest.not_run):
            for key in [key for key in known if key not in declared]:
                del known[key]
        tests = {key.split("/")[0] for key in declared}
        for test in [test for test in manifest.tables if test not in tests]:
            del manifest.tables[test]

    def not_run(self, cell: Cell, reason: str) -> None:
        """Note a cell whose dataset is not available; rows of an earlier run are kept."""
        self._manifest(cell.target.id, cell.model).not_run[cell.key] = reason

    def cell(
        self, cell: Cell, rows: list[dict[str, Any]], view: View | None, error: str = ""
    ) -> None:
        """Take the rows of a cell and what its figures are drawn from."""
        manifest = self._manifest(cell.target.id, cell.model)
        manifest.not_run.pop(cell.key, None)
        manifest.cells[cell.key] = {
            "hash": cell.hash,
            "data": cell.dataset.data,
            "rows": len(rows),
            "status": "error" if error else "done",
            "figures": {},
            "made_of": dict(cell.parts),
        }
        if cell.missing:
            manifest.cells[cell.key]["missing"] = sorted(cell.missing)
        key = (cell.target.id, cell.model.id, cell.test.id)
        self._rows.setdefault(key, {})[cell.dataset.id] = rows
        if view is not None and cell.test.figures.get(cell.target.kind):
            self._to_draw.append((cell, view))

    def write(self) -> None:
        """Write figures, rows and manifests of all cells so far.

        Raises:
            OutputError: if a file cannot be written
        """
        self._draw()
        for (target, model, test), new in self._rows.items():
            path = self.folders.results(target, model, test)
            text = results.to_csv(self._merged(path, new, self.plan.order[target, test]))
            results.write_text(path, text, only_changed=True)
            tables = self._manifests[target, model].tables
            tables[test] = provenance.file_digest(path)
            self._write_alt(target, model, test)
        self._rows = {}
        for (target, model), manifest in self._manifests.items():
            path = self.folders.manifest(target, model)
            results.write_text(path, manifest.to_json(), only_changed=True)

    @staticmethod
    def _merged(
        path: Path, new: dict[str, list[dict[str, Any]]], order: Sequence[str]
    ) -> pd.DataFrame:
        try:
            old = results.read_csv(path) if path.exists() else results.frame([])
        except DataError as error:
            logger.warning("%s; it is written anew", error)
            old = results.frame([])
        kept = dict(iter(old.groupby("dataset", sort=False)))
        parts = []
        for name in order:
            if name in new:
                parts.append(results.frame(new[name]))
            elif name in kept:
                parts.append(kept[name])
        parts = [part for part in parts if len(part)]
        return pd.concat(parts, ignore_index=True) if parts else results.frame([])

    def _draw(self) -> None:
        """Draw what is due; a cell whose figures were not drawn is not done and is forgotten."""
        try:
            for (cell, _), figures in zip(self._to_draw, self._figures(), strict=True):
                manifest = self._manifests[cell.target.id, cell.model.id]
                manifest.cells[cell.key]["figures"] = figures
        except BaseException:
            for cell, _ in self._to_draw:
                self._manifests[cell.target.id, cell.model.id].cells.pop(cell.key, None)
                self._rows[cell.target.id, cell.model.id, cell.test.id].pop(cell.dataset.id)
            raise
        finally:
            self._to_draw = []

    def _figures(self) -> list[dict[str, str]]:
        jobs = [
            (cell, view, self.folders.figures(cell.target.id, cell.model.id, cell.test.id))
            for cell, view in self._to_draw
        ]
        if self.workers == 1 or (self._pool is None and len(jobs) < POOL_FROM):
            return [draw(*job) for job in jobs]
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=signal.signal,
                initargs=(signal.SIGINT, signal.SIG_IGN),
            )
        futures = [self._pool.submit(draw, *job) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def _write_alt(self, target: str, model: str, test: str) -> None:
        """Text alternatives beside the figures; figures that belong to no cell are removed."""
        cells = self._manifests[target, model].cells
        texts = {
            file: text
            for key, cell in cells.items()
            if key.split("/")[0] == test
            for file, text in cell["figures"].items()
        }
        folder = self.folders.figures(target, model, test)
        for path in sorted(folder.glob("*.png")):
            if path.name not in texts:
                path.unlink()
        if texts:
            text = json.dumps(texts, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
            results.write_text(folder / "alt.json", text, only_changed=True)

    def close(self) -> None:
        """Stop the processes that draw."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
