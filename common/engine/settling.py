"""Whether a run would change anything on disk, and files that it removes or makes again."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from ..core import files
from ..core.paths import SUMS, Paths
from ..models.footprint import is_noted
from ..results import dataset_facts
from ..results.manifest import Manifest
from ..spec import Dataset, Target
from . import intact
from .describing import describe_dataset
from .plan import Plan

logger = logging.getLogger(__name__)


def is_settled(plan: Plan, folders: Paths, texts: Mapping[Path, str]) -> bool:
    """Whether a run of a plan would change nothing on disk.

    Args:
        plan: the plan
        folders: where results are
        texts: files that every run leaves, and what is in them
    """
    if plan.todo or plan.broken or plan.failed:
        return False
    if stale_files(plan, folders) or damaged_facts(plan, folders):
        return False
    noted = {}
    for target, model in plan.selected:
        manifest = Manifest.read(folders.manifest(target.id, model.id))
        if manifest is None or not is_noted(manifest.model, model):
            return False
        noted[target.id, model.id] = manifest
        texts = {**texts, **intact.alternatives(manifest, folders)}
    if not all(intact.holds(path, text) for path, text in texts.items()):
        return False
    for cell, reason in plan.not_run:
        old_reason = noted[cell.target.id, cell.model.id].not_run.get(cell.key)
        if old_reason != f"dataset unavailable: {reason}":
            return False
    noted_of = ((noted[cell.target.id, cell.model.id], cell.key) for cell in plan.done)
    return not any(key in manifest.not_run for manifest, key in noted_of)


def stale_files(plan: Plan, folders: Paths) -> list[Path]:
    """Files of selected models whose test, or dataset, no longer exists for the target."""
    files = []
    for target, model in plan.selected:
        folder = folders.manifest(target.id, model.id).parent
        tests = {test for (name, test) in plan.order if name == target.id}
        others = (path for path in sorted(folder.glob("*.csv")) if path.stem not in tests)
        files += [path for path in others if path.is_file()]
        cells = {
            folders.sums(target.id, model.id, test, dataset)
            for (name, test), datasets in plan.order.items()
            if name == target.id
            for dataset in datasets
        }
        files += sorted({*(folder / SUMS).glob("*.parquet")} - cells)
    return files


def damaged_facts(plan: Plan, folders: Paths) -> list[Dataset]:
    """Datasets of a plan about which something was written that is not as it was written."""
    cells = [*plan.done, *plan.todo]
    named = {cell.dataset.id: cell.dataset for cell in cells}
    return [dataset for name, dataset in named.items() if dataset_facts.is_damaged(name, folders)]


def lost_facts(plan: Plan, folders: Paths) -> list[Dataset]:
    """Datasets of current cells about which nothing is written, unless the run reads their audio anyway."""
    read = {cell.dataset.id for cell in plan.todo}
    named = {cell.dataset.id: cell.dataset for cell in plan.done if cell.dataset.id not in read}
    return [data for name, data in named.items() if not folders.dataset_facts(name).exists()]


def describe_lost(dataset: Dataset, targets: Mapping[str, Target], folders: Paths) -> None:
    """Find out what a dataset is like whose facts were removed, if its audio is on this machine."""
    if describe_dataset(dataset, targets, folders, lambda done, total: None) is not None:
        logger.warning("%s: was missing; it is made again", folders.dataset_facts(dataset.id))


def describe_again(dataset: Dataset, targets: Mapping[str, Target], folders: Paths) -> None:
    """Remove what is said of a dataset and find it out again, if its audio is on this machine."""
    path = folders.dataset_facts(dataset.id)
    files.clear_way(path)
    files.discard(path)
    logger.warning("%s: is damaged, or of another format; it is made again", path)
    describe_dataset(dataset, targets, folders, lambda done, total: None)
