"""Adapter for predictions that exist already, as CSV or parquet.

One row per sample: ``file`` (path in the dataset, forward slashes), for parts of files also
``start`` and ``end``, then for each target

* one column with its name: a number, or the name of a class; or
* for a classification target one column with scores per class, named ``target/class``.

Sound events stand in other files, see :mod:`common.models.event_files`; the entry names their
target in ``outputs``.

Optional columns: ``dataset`` (name of the database, or name and version as ``emodb-1.4.1``)
if paths of several datasets are alike, and ``condition`` for predictions on changed signals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..core.provenance import digest
from ..core.registry import unknown
from ..spec import kinds
from ..spec.view import ORIGINAL
from . import event_files, notes
from .base import Batch, LoadedModel, LoadOptions, SampleKey, place
from .labels import check_scored, missing_labels, positions, rescale, scores_of_class
from .outputs import wanted

#: nothing is computed from signals
DEAF = True


def content(entry: spec.Model, cache: Path | None) -> str:
    """Hash of the file; of all files if there are several."""
    if entry.outputs and not _is_table(entry):
        return digest(event_files.content(entry, cache))
    return notes.content_digest(_path(entry), cache, place(entry, "path"))


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``; else those that have columns."""
    event_files.is_meant(entry, targets)
    if entry.outputs:
        return tuple(wanted(entry, targets))
    key = "columns-" + content(entry, cache)
    names = notes.recall(cache, key)
    if names is None:
        from .prediction_table import header

        names = header(_path(entry), place(entry, "path"))
        notes.keep(cache, key, names)
    return tuple(column.target.id for column in find_columns(entry, targets, names))


def conditions(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Conditions that there are predictions for; the original is one of them."""
    if event_files.is_meant(entry, targets):
        return tuple(name or ORIGINAL for name in event_files.paths_of(entry))
    key = "conditions-" + content(entry, cache)
    names = notes.recall(cache, key)
    if names is None:
        from .prediction_table import read

        table = read(_path(entry), place(entry, "path"))
        cells = table.get("condition", [""])
        names = sorted({str(name) or ORIGINAL for name in cells})
        notes.keep(cache, key, names)
    return tuple(names)


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Read and check all that is there."""
    load(entry, targets, LoadOptions())


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> LoadedModel:
    """Read and check the whole table, or all event lists or scores."""
    if event_files.is_meant(entry, targets):
        return event_files.EventFiles(entry, targets)
    return PredictionsModel(entry, targets)


def _is_table(entry: spec.Model) -> bool:
    """Whether the path is a file of a kind that holds a row per sample; events may be others."""
    path = entry.resolve(entry.path)
    return path.suffix in (".csv", ".parquet") and not entry.params and not path.is_dir()


def _path(entry: spec.Model) -> Path:
    where = place(entry, "path")
    if not entry.path:
        raise ConfigError(f"{where}: missing; the adapter predictions needs a CSV or parquet file")
    path = entry.resolve(entry.path)
    if not path.is_file():
        raise ModelError(f"{where}: no such file: {entry.path}")
    if path.suffix not in (".csv", ".parquet"):
        raise ModelError(f"{where}: expected a .csv or .parquet file, found '{path.name}'")
    return path


@dataclass(frozen=True)
class TargetColumns:
    """Columns of a target.

    Args:
        target: the target
        names: one column, or one per score
        groups: positions in ``names`` for each class; empty: one column of numbers or classes
        output: what the entry says about the target
    """

    target: spec.Target
    names: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    output: spec.Output


def find_columns(
    entry: spec.Model, targets: Mapping[str, spec.Target], names: Sequence[str]
) -> list[TargetColumns]:
    """Columns of every target that a table offers, in the order of ``targets``.

    Raises:
        ModelError: if a declared target has no columns, score columns are incomplete, or
            there is no target at all
    """
    columns = []
    for target, output in wanted(entry, targets).values():
        if kinds.of(target).is_ragged:
            continue
        base = output.node or target.id
        where = place(entry, f"outputs.{target.id}" if entry.outputs else "path")
        labels = [name.removeprefix(f"{base}/") for name in names if name.startswith(f"{base}/")]
        if kinds.of(target).has_classes and labels:
            check_scored(output.mapping, f"{where}.mapping")
            groups = positions(target.labels, labels, output.mapping)
            if groups is None:
                raise missing_labels(
                    target, labels, output.mapping, f"{where}: columns '{base}/...'"
                )
            scores = tuple(f"{base}/{label}" for label in labels)
            columns.append(TargetColumns(target, scores, groups, output))
        elif base in names:
            columns.append(TargetColumns(target, (base,), (), output))
        elif entry.outputs:
            raise ModelError(str(unknown("column", base, names, where)))
    if not columns:
        raise ModelError(
            f"{place(entry, 'path')}: no column for any of the targets {', '.join(targets)}; "
            f"columns: {', '.join(names)}"
        )
    return columns


class PredictionsModel:
    """Looks predictions up.

    Args:
        entry: catalog entry
        targets: all targets of the suite
    """

    needs_audio = False
    batch_size = 65536
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(self, entry: spec.Model, targets: Mapping[str, spec.Target]):
        from .prediction_table import Rows, read

        path, where = _path(entry), place(entry)
        table = read(path, where)
        columns = find_columns(entry, targets, [str(name) for name in table.columns])
        if table.empty:
            raise ModelError(f"{where}: {path.name} has a header and no rows")
        self.sampling_rate = entry.sampling_rate
        self.targets = tuple(column.target.id for column in columns)
        self._name = path.name
        try:
            self._rows = Rows(table, path.name)
            self._values = {
                item.target.id: _values(item, {name: table[name] for name in item.names}, path.name)
                for item in columns
            }
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """Predictions of all samples of a batch."""
        rows = self._find(batch.keys)
        answer = {}
        for target, values in self._values.items():
            predictions = values[rows]
            empty = np.isnan(predictions).reshape(len(rows), -1).any(axis=1)
            if empty.any():
                first = int(np.argmax(empty))
                raise ModelError(
                    f"{self._name}: no value of '{target}' for {int(empty.sum())} of {len(rows)} "
                    f"samples; first: {batch.keys[first]} (row {rows[first] + 2})"
                )
            answer[target] = predictions
        return answer

    def _find(self, keys: Sequence[SampleKey]) -> list[int]:
        rows: list[int] = []
        lost: list[SampleKey] = []
        for key in keys:
            condition = "" if key.condition == ORIGINAL else key.condition
            if condition not in self._rows.conditions:
                names = [name or ORIGINAL for name in self._rows.conditions]
                raise ModelError(
                    f"{self._name}: has no predictions for condition '{condition or ORIGINAL}'; "
                    f"it has: {', '.join(names) or 'no rows'}"
                )
            row = self._rows.find(_names(key), condition, key.file, key.start, key.end)
            if row is None:
                lost.append(key)
            else:
                rows.append(row)
        if lost:
            raise ModelError(
                f"{self._name}: no row for {len(lost)} of {len(keys)} samples; "
                f"first: {lost[0]}{self._hint(lost[0])}"
            )
        return rows

    def _hint(self, key: SampleKey) -> str:
        condition = "" if key.condition == ORIGINAL else key.condition
        times = self._rows.other(_names(key), condition, key.file)
        if times is None:
            return ""
        near = SampleKey(key.database, key.version, key.file, *times)
        return f"; there is one for {near}" + (" (whole file)" if times == (0, -1) else "")


def _names(key: SampleKey) -> tuple[str, str]:
    return (f"{key.database}-{key.version}", key.database)


def _values(columns: TargetColumns, cells: Mapping[str, Any], name: str) -> np.ndarray:
    """Values of a target for all rows, NaN where a cell is empty."""
    target = columns.target
    if kinds.of(target).is_number:
        return rescale(_numbers(cells[target_column(columns)], name), columns.output.scale, target)
    if columns.groups:
        scores = np.stack([_numbers(cells[n], name) for n in columns.names], axis=1)
        return np.stack([scores[:, list(group)].max(axis=1) for group in columns.groups], axis=1)
    return _classes(columns, cells[target_column(columns)], name)


def target_column(columns: TargetColumns) -> str:
    """The only column of a target."""
    (name,) = columns.names
    return name


def _numbers(cells: Any, name: str) -> np.ndarray:
    from .prediction_table import line, missing

    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells.astype(object)):
        if missing(cell):
            continue
        try:
            values[row] = math.nan if isinstance(cell, bool | np.bool_) else float(cell)
        except (TypeError, ValueError):
            values[row] = math.nan
        if not math.isfinite(values[row]):
            raise ModelError(
                f"{name}: row {line(row)}: column '{cells.name}': expected a finite number, "
                f"found {cell!r:.60}"
            )
    return values


def _classes(columns: TargetColumns, cells: Any, name: str) -> np.ndarray:
    from .prediction_table import line, missing

    target, class_scores = columns.target, {}
    values = np.full((len(cells), len(target.labels)), np.nan)
    for row, cell in enumerate(cells.astype(object)):
        if missing(cell):
            continue
        label = str(cell)
        if label not in class_scores:
            where = f"{name}: row {line(row)}: column '{cells.name}'"
            try:
                class_scores[label] = scores_of_class(target, label, columns.output.mapping, where)
            except ModelError as error:
                raise ModelError(f"{error}{_others(columns, cells, label)}") from None
        values[row] = class_scores[label]
    return values


def _others(columns: TargetColumns, cells: Any, first: str) -> str:
    """Further labels of a column that are no class, so that all can be mapped at once."""
    from .prediction_table import missing

    mapping = columns.output.mapping
    names = {str(cell) for cell in cells.astype(object) if not missing(cell)} - {first}
    others = sorted(n for n in names if mapping.get(n, n) not in (None, *columns.target.labels))
    return f". Not known either: {', '.join(others)}" if others else ""
