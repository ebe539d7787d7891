"""Writing what a run found: result rows, figures with their descriptions, manifests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import models, results
from ..core import files, provenance
from ..core.environment import environment
from ..core.errors import BenchmarkError, DataError
from ..core.paths import Paths
from ..figures import details as event_details
from ..figures.details import text
from ..figures.details.content import content
from ..figures.drawing import Drawer, Drawing, Drawn, Part, job
from ..models.footprint import Footprint
from ..results import history
from ..results import sums as kept
from ..results.manifest import Manifest
from ..spec import Model
from ..spec.cell import Cell
from ..spec.view import View
from . import intact
from .plan import Plan

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

#: bytes of predictions of cells whose figures are not there, from which on those before are waited for
HELD_BYTES = 1 << 28


@dataclass(frozen=True)
class _Due:
    """A cell that is to be written.

    Args:
        cell: the cell
        note: what the manifest notes about it
        rows: its result rows
        figures: what becomes of its figures, if it has any
        sums: sums of each speaker, if it has any
    """

    cell: Cell
    note: dict[str, Any]
    rows: list[dict[str, Any]]
    figures: Part | None
    sums: pd.DataFrame | None


class Publisher:
    """Collects the outcome of cells and writes it.

    Figures are drawn while the next cells are scored or computed; a cell is written, and noted in its
    manifest, once its figures are there.

    Args:
        folders: where to write
        plan: the plan that is carried out, for the order of the rows
        seed: seed of the run
        workers: number of processes that draw
    """

    #: columns of the result files
    columns: Sequence[str] = tuple(results.COLUMNS)

    def __init__(self, folders: Paths, plan: Plan, *, seed: int, workers: int = 1):
        self.folders = folders
        self.plan = plan
        self.seed = seed
        self._manifests: dict[tuple[str, str], Manifest] = {}
        self._due: list[_Due] = []
        self._held = 0
        #: told how many cells have their figures while others are waited for
        self.progress: Callable[[int, int], None] = lambda done, total: None
        self._begun: tuple[list[_Due], Drawing] | None = None
        self._touched: set[tuple[str, str, str]] = set()
        self._footprints: dict[str, Footprint] = {}
        self._environment = environment()
        self._drawer = Drawer(workers, len(plan.todo))
        for target, model in plan.selected:
            self._prune(self._manifest(target.id, model))

    def _manifest(self, target: str, model: Model) -> Manifest:
        key = (target, model.id)
        if key not in self._manifests:
            old_manifest = Manifest.read(self.folders.manifest(target, model.id))
            facts = {
                "id": model.id,
                "version": model.version,
                "fingerprint": self._fingerprint(model, old_manifest),
                **model.model_dump(
                    include={"label", "adapter", "license", "author", "source", "description"}
                ),
                "sampling_rate": model.sampling_rate,
                "chance": model.is_chance,
            }
            if old_manifest and old_manifest.model.get("version", model.version) != model.version:
                history.keep(self.folders, target, model.id, str(old_manifest.model["version"]))
            manifest = old_manifest or Manifest(target, facts)
            manifest.model, manifest.seed = facts, self.seed
            manifest.environment = self._environment
            self._manifests[key] = manifest
        return self._manifests[key]

    def _fingerprint(self, model: Model, old_manifest: Manifest | None) -> str:
        """Of a model that cannot be opened, the one that is noted, as its other cells are of that."""
        try:
            return models.fingerprint(model, cache=self.folders.cache)
        except BenchmarkError:
            return str(old_manifest.model.get("fingerprint", "")) if old_manifest else ""

    def _prune(self, manifest: Manifest) -> None:
        """Forget cells that are no longer declared."""
        declared = {
            f"{test}/{dataset}"
            for (target, test), names in self.plan.order.items()
            if target == manifest.target
            for dataset in names
        }
        for entries in (manifest.cells, manifest.not_run):
            for key in [key for key in entries if key not in declared]:
                del entries[key]
        tests = {key.split("/")[0] for key in declared}
        for test in [test for test in manifest.tables if test not in tests]:
            del manifest.tables[test]

    def not_run(self, cell: Cell, reason: str) -> None:
        """Note a cell whose dataset is not available; rows of an earlier run are kept."""
        self._manifest(cell.target.id, cell.model).not_run[cell.key] = reason

    def cell(
        self,
        cell: Cell,
        rows: list[dict[str, Any]],
        view: View | None,
        error: str = "",
        sums: Callable[[], pd.DataFrame] | None = None,
    ) -> None:
        """Take the rows of a cell, what its figures are drawn from, and sums of speakers."""
        manifest = self._manifest(cell.target.id, cell.model)
        before = Drawn.of(manifest.cells.get(cell.key, {}))
        note: dict[str, Any] = {
            "hash": cell.hash,
            "data": cell.dataset.data,
            "rows": len(rows),
            "status": "error" if error else "done",
            "figures": {},
            "made_of": dict(cell.parts),
        }
        if cell.missing:
            note["missing"] = sorted(cell.missing)
        folder = self.folders.figures(cell.target.id, cell.model.id, cell.test.id)
        details = None
        if view is not None:
            details = self._details(cell, view)
        if event_details.wanted(cell.test, cell.target):
            note["details"] = self._write_details(cell, folder, details)
        figures = None
        if view is not None and (details or cell.test.figures.get(cell.target.kind)):
            due = job(cell, view, folder, before, details)
            figures = self._drawer.begin(due)
            self._held += due.size_bytes
        table = sums() if sums is not None and view is not None else None
        self._due.append(_Due(cell, note, rows, figures, table))
        if self._held > HELD_BYTES:
            self.write()

    @staticmethod
    def _details(cell: Cell, view: View) -> dict[str, Any] | None:
        """What is shown of sound events; rows stay where it cannot be made."""
        try:
            return content(cell, view)
        except BenchmarkError as error:
            logger.warning("%s, %s: pages show no details: %s", cell.model.id, cell.key, error)
            return None

    @staticmethod
    def _write_details(
        cell: Cell, folder: Path, details: Mapping[str, Any] | None
    ) -> dict[str, str]:
        """Write what is shown of sound events, as a manifest notes it."""
        if details is None:
            return {}
        name, written = event_details.file_name(cell.dataset.data), text(details)
        files.write_text(folder / name, written, only_changed=True)
        return {name: provenance.digest(written)}

    def write(self) -> None:
        """Write the cells up to the call before, and the others as soon as they have their figures.

        Raises:
            OutputError: if a file cannot be written
        """
        self._complete()
        due, self._due, self._held = self._due, [], 0
        self._begun = due, Drawing([one.figures for one in due if one.figures is not None])
        self.poll()

    def poll(self) -> None:
        """Write the cells that were begun if nobody has to wait for their figures.

        Raises:
            OutputError: if a file cannot be written
        """
        if self._begun is not None and self._begun[1].is_done():
            self._complete()

    def finish(self) -> None:
        """Write figures, rows and manifests of all cells so far.

        Raises:
            OutputError: if a file cannot be written
        """
        self.write()
        self._complete()
        for key in sorted(self._touched):
            self._tidy(*key)
        self._touched = set()
        broken = {(c.target.id, c.model.id): (c.target, c.model) for c, _ in self.plan.broken}
        for target, model in (*self.plan.selected, *broken.values()):
            self._manifest(target.id, model).model.update(self._footprint(model)._asdict())
        self._write_manifests(self._manifests)

    def _footprint(self, model: Model) -> Footprint:
        """What a model weighs; asked when models that a run needed were loaded and have said it."""
        if model.id not in self._footprints:
            try:
                footprint = models.footprint(model, cache=self.folders.cache)
            except BenchmarkError as error:
                logger.info("%s: its parameters are not stated: %s", model.id, error)
                footprint = Footprint()
            self._footprints[model.id] = footprint
        return self._footprints[model.id]

    def _complete(self) -> None:
        """Wait for figures that were begun and write their cells.

        A cell whose figures were not drawn is not done and is forgotten.
        """
        if self._begun is None:
            return
        (due, drawing), self._begun = self._begun, None
        try:
            drawn = iter(drawing.result(self.progress))
        except BaseException:
            self._record([one for one in due if one.figures is None])
            raise
        for one in due:
            if one.figures is not None:
                one.note.update(next(drawn).note())
        self._record(due)

    def _record(self, due: Sequence[_Due]) -> None:
        """Write rows and manifests of cells."""
        rows: dict[tuple[str, str, str], dict[str, list[dict[str, Any]]]] = {}
        for one in due:
            cell = one.cell
            manifest = self._manifests[cell.target.id, cell.model.id]
            manifest.not_run.pop(cell.key, None)
            manifest.cells[cell.key] = one.note
            key = (cell.target.id, cell.model.id, cell.test.id)
            rows.setdefault(key, {})[cell.dataset.id] = one.rows
            path = self.folders.sums(*key, cell.dataset.id)
            if one.sums is None or one.sums.empty:
                path.unlink(missing_ok=True)
            else:
                one.note.update(sums=path.name, sums_digest=kept.write(path, one.sums))
        for (target, model, test), new in rows.items():
            path = self.folders.results(target, model, test)
            text = self._merged(path, new, self.plan.order[target, test])
            files.write_text(path, text, only_changed=True)
            tables = self._manifests[target, model].tables
            tables[test] = provenance.file_digest(path)
        self._touched |= rows.keys()
        self._write_manifests({(target, model) for target, model, _ in rows})

    def _write_manifests(self, named: Iterable[tuple[str, str]]) -> None:
        """Write manifests, and the text alternatives that they note beside the figures."""
        for target, model in sorted(named):
            manifest = self._manifests[target, model]
            for path, texts in intact.alternatives(manifest, self.folders).items():
                files.write_text(path, texts, only_changed=True)
            path = self.folders.manifest(target, model)
            files.write_text(path, manifest.to_json(), only_changed=True)

    def _merged(
        self, path: Path, new: dict[str, list[dict[str, Any]]], order: Sequence[str]
    ) -> str:
        try:
            return results.merged_csv(path, new, order, self.columns)
        except DataError as error:
            logger.warning("%s; it is written anew", error)
            path.unlink()
            return results.merged_csv(path, new, order, self.columns)

    def _tidy(self, target: str, model: str, test: str) -> None:
        """Remove figures that belong to no cell."""
        manifest = self._manifests[target, model]
        names = {*manifest.noted("figures")[test], *manifest.noted("details")[test]}
        folder = self.folders.figures(target, model, test)
        for path in sorted([*folder.glob("*.png"), *folder.glob(f"{event_details.PREFIX}*.json")]):
            if path.name not in names:
                files.discard(path)

    def close(self) -> None:
        """Stop the processes that draw."""
        self._drawer.close()
