"""What models answered in tests that change the input, kept until samples are chosen to be heard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from common.core import files
from common.core.paths import Paths
from common.designs import design_of
from common.designs.paired import Paired
from common.designs.perturbed import Perturbed
from common.spec import Target, Test, kinds
from common.spec.cell import Cell
from common.spec.view import ORIGINAL, View

if TYPE_CHECKING:
    import pandas as pd

KEYS = ["file", "start", "end"]
BEFORE = "prediction/"


@dataclass(frozen=True)
class Comparison:
    """A condition and what it is compared with.

    Args:
        condition: the condition
        reference: what it is compared with
        perturbations: ids of the perturbations of reference and condition
        rows: rows of the reference and of the condition, shape (N, 2)
        before: answers to the reference, shape (N,)
        after: answers in the condition, shape (N,)
    """

    condition: str
    reference: str
    perturbations: tuple[str, str]
    rows: np.ndarray
    before: np.ndarray
    after: np.ndarray


def compares(test: Test, target: Target) -> bool:
    """Whether a test asks for the answers to two states of one utterance."""
    shown = not kinds.of(target).is_ragged  # as a number or a word
    return shown and isinstance(design_of(test), Perturbed | Paired)


def place(folders: Paths, cell_hash: str) -> Path:
    """File with the answers of a cell."""
    return folders.cache / "answers" / f"{cell_hash}.parquet"


def keep(folders: Paths, cell: Cell, view: View) -> None:
    """Keep the answers of a cell, if two states are compared in it.

    Raises:
        OutputError: if the cache cannot be written
    """
    if not compares(cell.test, cell.target) or not view.predictions:
        return
    chosen: Any = design_of(cell.test)
    more = [chosen.column, *chosen.match] if isinstance(chosen, Paired) and chosen.column else []
    table = view.samples[KEYS].copy()
    for column in more:
        table[column] = [str(value) for value in view.samples[column]]
    if cell.target.id in view.samples:
        truth = view.truth
        words = [value if isinstance(value, str) else None for value in truth]
        table["truth"] = words if kinds.of(cell.target).has_classes else truth
    for condition, values in view.predictions.items():
        table[f"{BEFORE}{condition}"] = values
    table.attrs = {"perturbations": dict(cell.conditions)}
    path = place(folders, cell.hash)
    files.clear_way(path)
    files.write_bytes(path, table.to_parquet(compression="zstd"))


def read(folders: Paths, cell_hash: str) -> pd.DataFrame | None:
    """Answers of a cell; None if they are not kept any more."""
    import pandas as pd

    path = place(folders, cell_hash)
    files.clear_way(path)
    try:
        return pd.read_parquet(path) if path.is_file() else None
    except (OSError, ValueError, RecursionError) as error:
        files.set_aside(path, error)
        return None


def comparisons(test: Test, table: pd.DataFrame) -> list[Comparison]:
    """All conditions of a test with the answers of a model."""
    chosen: Any = design_of(test)
    used: Mapping[str, str] = table.attrs["perturbations"]
    values = {
        name.removeprefix(BEFORE): table[name].to_numpy()
        for name in table.columns
        if name.startswith(BEFORE)
    }
    if isinstance(chosen, Paired) and chosen.column:
        first = chosen.reference_in(table)
        return [
            _compared(name, first, (ORIGINAL, ORIGINAL), pairs, values[ORIGINAL], values[ORIGINAL])
            for name, pairs in chosen.partners(table).items()
        ]
    wanted = chosen.pairs if isinstance(chosen, Paired) else [(ORIGINAL, c) for c in chosen.changes]
    rows = np.repeat(np.arange(len(table))[:, None], 2, axis=1)
    return [
        _compared(
            name,
            base,
            (used.get(base, base), used.get(name, name)),
            rows,
            values[base],
            values[name],
        )
        for base, name in wanted
        if base in values and name in values
    ]


def _compared(
    condition: str,
    base: str,
    perturbations: tuple[str, str],
    rows: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
) -> Comparison:
    return Comparison(condition, base, perturbations, rows, before[rows[:, 0]], after[rows[:, 1]])
