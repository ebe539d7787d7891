"""What the store of predictions holds: which stores there are, whether they are whole, and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.documents import parse_json
from ..core.errors import DataError
from .store import DESCRIPTION, LEVELS, PredictionStore, parts_of

if TYPE_CHECKING:
    import pandas as pd

#: what a description says at least
FIELDS = (
    "model",
    "version",
    "fingerprint",
    "columns",
    "database",
    "database_version",
    "condition",
    "code",
)
#: ns in a second
SECOND = 1_000_000_000


class StoreEntry(NamedTuple):
    """Predictions of one model on one database in one condition.

    Args:
        folder: where they are
        description: what decides about them, by name; empty if it cannot be read
        files: number of files
        size_bytes: size of all files
    """

    folder: Path
    description: Mapping[str, Any]
    files: int
    size_bytes: int

    @property
    def name(self) -> str:
        """Model, database and condition, for people."""
        return "/".join(self.folder.parts[-(LEVELS - 1) :])


def entries(predictions: Path) -> Iterator[StoreEntry]:
    """All stores, by name.

    Args:
        predictions: folder of the prediction cache

    Raises:
        DataError: if a folder of it cannot be read
    """
    folders = [predictions]
    for _ in range(LEVELS - 1):
        folders = [below for folder in folders for below in _listed(folder) if below.is_dir()]
    for folder in folders:
        _listed(folder)  # glob finds nothing in a folder that it may not read
        parts = parts_of(folder)
        size_bytes = sum(part.lstat().st_size for part in parts)
        yield StoreEntry(folder, _description(folder), len(parts), size_bytes)


def _listed(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing if it is not there."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"{folder}: cannot be read: {error.strerror or error}") from None


def table(stores: Sequence[StoreEntry]) -> pd.DataFrame:
    """Predictions of a model as the adapter ``predictions`` reads them.

    Args:
        stores: stores of one model with the same columns, each of another database or condition

    Returns:
        columns ``dataset``, ``condition``, ``file``, ``start`` and ``end`` in seconds (empty: to the end of
        the file), and one for each number that was predicted, by name and sample

    Raises:
        DataError: if values are scores of frames, which no table holds, or there are two of a sample
    """
    import pandas as pd

    tables = []
    for entry in stores:
        described = entry.description
        if described.get("layouts"):
            raise DataError(f"{entry.name}: scores of frames are no table")
        rows = PredictionStore(entry.folder).table()
        whole = rows["end"] < 0
        tables.append(
            pd.DataFrame(
                {
                    "dataset": f"{described['database']}-{described['database_version']}",
                    "condition": described["condition"],
                    "file": rows["file"],
                    "start": rows["start"] / SECOND,
                    "end": (rows["end"] / SECOND).mask(whole),
                    **{name: rows.get(name) for name in described["columns"]},
                }
            )
        )
    keys = ["dataset", "condition", "file", "start", "end"]
    together = pd.concat(tables, ignore_index=True)
    twice = together[together.duplicated(keys)]
    if len(twice):
        dataset, condition, file, *_ = twice.iloc[0]
        folders = (
            f"'{entry.folder}'"
            for entry, rows in zip(stores, tables, strict=True)
            if (rows[["dataset", "condition", "file"]] == [dataset, condition, file])
            .all(axis=1)
            .any()
        )
        raise DataError(
            f"{dataset}, {condition}: two predictions of {file}, as the data or the perturbation changed between"
            f" two runs; remove the folder of the old ones, which is one of {', '.join(folders)}"
        )
    return together.sort_values(keys, ignore_index=True)


def _description(folder: Path) -> dict[str, Any]:
    try:
        content = parse_json((folder / DESCRIPTION).read_text("utf-8"))
        return content if isinstance(content, dict) and set(FIELDS) <= set(content) else {}
    except (OSError, ValueError):
        return {}
