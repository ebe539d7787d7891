"""What an entry of the catalog says about its data, checked without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..core.errors import ConfigError
from ..core.registry import unknown
from ..spec import Column, Dataset
from .base import KEYS


def place(dataset: Dataset, key: str = "") -> str:
    """Where a fault is: file of the entry, its id and the key in it."""
    return f"{dataset.origin}: {dataset.id}" + (f".{key}" if key else "")


def check(dataset: Dataset) -> None:
    """Check what can be checked of an entry without its data.

    Raises:
        ConfigError: for the first fault
    """
    if dataset.adapter != "audb" and not dataset.path:
        raise ConfigError(f"{place(dataset, 'path')}: missing; adapter {dataset.adapter} needs it")
    if dataset.audio and dataset.adapter != "audformat":
        raise ConfigError(f"{place(dataset, 'audio')}: goes with adapter audformat only")
    if "" in dataset.tables or (dataset.adapter != "folder" and not dataset.tables):
        raise ConfigError(f"{place(dataset, 'table')}: missing; name the table with the samples")
    for name, column in dataset.columns.items():
        _check_source(dataset, column, f"columns.{name}")
    if isinstance(dataset.scale, Mapping):
        _check_names(dataset, dataset.scale, "scale")
        for name in dataset.scale:
            limits(dataset, name)
    else:
        limits(dataset, "")
    nested = {k: v for k, v in dataset.mapping.items() if isinstance(v, Mapping)}
    if nested and len(nested) < len(dataset.mapping):
        raise ConfigError(f"{place(dataset, 'mapping')}: either labels or columns, not both")
    _check_names(dataset, nested, "mapping")
    for labels in (dataset.mapping, *nested.values()):
        for label, new in labels.items():
            if not isinstance(new, str | Mapping | None):
                where = place(dataset, f"mapping.{label}")
                raise ConfigError(f"{where}: expected a label in quotes or null, found {new!r:.60}")


def _check_source(dataset: Dataset, column: Column, key: str) -> None:
    if column.column and column.column in KEYS:
        raise ConfigError(f"{place(dataset, key)}: '{column.column}' is a key, not a column")
    if key.rpartition(".")[2] in KEYS:
        raise ConfigError(
            f"{place(dataset, key)}: reserved name; a column may not be named {', '.join(KEYS)}"
        )
    sources = [bool(column.column), column.value is not None, bool(column.by_table)]
    if sum(sources) != 1:
        raise ConfigError(f"{place(dataset, key)}: needs one of: column, value, by_table")
    if column.by_table and set(column.by_table) != set(dataset.tables):
        raise ConfigError(
            f"{place(dataset, key)}.by_table: needs a value for each of:"
            f" {', '.join(dataset.tables)}; found: {', '.join(column.by_table)}"
        )
    if column.otherwise is not None:
        _check_source(dataset, column.otherwise, f"{key}.otherwise")


def _check_names(dataset: Dataset, names: Iterable[str], key: str) -> None:
    for name in names if dataset.columns else ():
        if name not in dataset.columns:
            raise unknown("column", name, dataset.columns, place(dataset, key))


def limits(dataset: Dataset, column: str) -> tuple[float, float] | None:
    """Range of a column in the data, None if it is not declared."""
    scale, key = dataset.scale, "scale"
    if isinstance(scale, Mapping):
        scale, key = scale.get(column), f"scale.{column}"
    if scale is None:
        return None
    numbers = isinstance(scale, list | tuple) and [
        float(v) for v in scale if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    if not numbers or len(numbers) != 2 or len(scale) != 2 or not numbers[0] < numbers[1]:
        raise ConfigError(f"{place(dataset, key)}: expected [min, max], found {scale!r:.60}")
    return numbers[0], numbers[1]


def needed(dataset: Dataset) -> list[str]:
    """Tables that an entry names: those with the samples first, without repetition."""
    names = list(dataset.tables)
    for column in dataset.columns.values():
        names += [source.table for source in alternatives(column) if source.table]
    names += [ratings.table for ratings in dataset.ratings.values() if ratings.table]
    return list(dict.fromkeys(names))


def alternatives(column: Column) -> Iterator[Column]:
    """Where a column may come from, in the order of preference."""
    source: Column | None = column
    while source is not None:
        yield source
        source = source.otherwise
