"""Predictions on disk that have another size for each sample, such as scores of frames.

Like :mod:`common.predictions.store`, a folder of parquet files that are named by the hash of their content
and found by (file, start, end). A column holds a dictionary of arrays per sample, written as an
uncompressed ``.npz`` archive: names, types and shapes stay as they are, and so does every bit.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .store import PredictionStore


class ArrayStore(PredictionStore):
    """Predictions of one model on one database in one condition, as dictionaries of arrays.

    A number, of a model that also gives some, is stored as an array of its own.
    """

    def blank(self, rows: int, columns: int) -> np.ndarray:
        """Values that are not there yet: None."""
        return np.full((rows, columns), None, dtype=object)

    def is_blank(self, values: np.ndarray) -> np.ndarray:
        """Where there is no value."""
        return np.asarray(values == np.array(None), dtype=bool)

    def _packed(self, values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=object)
        cells = self.blank(*values.shape)
        for place, value in np.ndenumerate(values):
            cells[place] = None if value is None else to_bytes(value)
        return cells

    def _unpacked(self, column: np.ndarray) -> np.ndarray:
        arrays = np.full(len(column), None, dtype=object)
        for row, data in enumerate(column):
            arrays[row] = None if data is None else from_bytes(data)
        return arrays


def store_of(
    folder: Path, described: Mapping[str, Any], *, reads_only: bool = False
) -> PredictionStore:
    """Store of the predictions that a description is about.

    Args:
        folder: see :func:`common.predictions.inputs.store_folder`
        described: with ``layouts`` if samples have arrays of their own size
        reads_only: whether files that are damaged stay where they are
    """
    kind = ArrayStore if described.get("layouts") else PredictionStore
    return kind(folder, described, reads_only=reads_only)


def to_bytes(value: Any) -> bytes:
    """A dictionary of arrays, or a number, as bytes; equal values give equal bytes.

    >>> from_bytes(to_bytes({"scores": np.array([[0.5]])}))["scores"].tolist()
    [[0.5]]
    >>> from_bytes(to_bytes(0.5))
    0.5
    """
    arrays = value if isinstance(value, dict) else {"": np.float64(value)}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{f"_{name}": arrays[name] for name in sorted(arrays)})
    return buffer.getvalue()


def from_bytes(data: bytes) -> Any:
    """What :func:`to_bytes` was given."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name[1:]: archive[name] for name in archive.files}
    return float(arrays[""]) if set(arrays) == {""} else arrays
