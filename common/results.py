"""Result rows, manifests and how they are written.

One row is one cell of the benchmark: a number (or the reason why there is none), how many
samples it rests on, the criterion, and the verdict, which is computed once and stored here.
Files are written atomically, so an interrupted run leaves whole files only.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from common.errors import DataError, OutputError

FORMAT = "1"
STATUSES = ("pass", "fail", "skip", "error")

#: column -> meaning; the order is the order in the files
COLUMNS = {
    "target": "what is predicted",
    "model": "id of the model",
    "model_version": "version of the model",
    "test": "id of the test",
    "dataset": "id of the dataset in the catalog",
    "dataset_version": "version of the dataset",
    "data": "dataset, version and table",
    "condition": "state of the input or part of the data",
    "reference": "what the condition is compared with; empty: the annotation",
    "metric": "id of the metric",
    "label": "class or bin, empty for the whole",
    "value": "the score, full precision",
    "reference_value": "value of the metric in the reference",
    "n": "number of samples behind the value",
    "ci_low": "lower end of the 95 % interval",
    "ci_high": "upper end of the 95 % interval",
    "criterion": "rule with its operator",
    "status": "pass, fail, skip or error",
    "reason": "why there is no value or verdict",
    "note": "remark shown with the value",
}
NUMBERS = ("value", "reference_value", "ci_low", "ci_high")


def frame(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Rows as a table with all columns of :data:`COLUMNS` in their types."""
    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    return _typed(table)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    for column in COLUMNS:
        if column in NUMBERS:
            table[column] = pd.to_numeric(table[column]).astype("float64")
        elif column == "n":
            table[column] = pd.to_numeric(table[column]).astype("Int64")
        else:
            table[column] = table[column].fillna("").astype("str")
    return table


def to_csv(table: pd.DataFrame) -> str:
    """Rows as CSV text; floats in the shortest form that reads back exactly."""
    out = table.copy()
    for column in NUMBERS:
        out[column] = [
            "" if np.isnan(value) else repr(float(value)) for value in table[column].to_numpy()
        ]
    return str(out.to_csv(index=False, lineterminator="\n"))


def read_csv(path: Path) -> pd.DataFrame:
    """Rows of one file.

    Raises:
        DataError: if the file is not a result file
    """
    try:
        table = pd.read_csv(
            path, dtype=str, keep_default_na=False, encoding="utf-8", float_precision="round_trip"
        )
        missing = [column for column in COLUMNS if column not in table]
        if missing:
            raise DataError(f"{path}: not a result file, column missing: {', '.join(missing)}")
        for column in (*NUMBERS, "n"):
            table[column] = table[column].replace("", None)
        return _typed(table[list(COLUMNS)].copy())
    except (ValueError, OSError) as error:
        raise DataError(f"{path}: cannot be read as result rows: {error}") from None


def read_all(method_tests: Path) -> pd.DataFrame:
    """Rows of all models below ``method-tests/``, sorted by file name."""
    tables = [read_csv(path) for path in sorted(method_tests.glob("*/*/*.csv"))]
    return pd.concat(tables, ignore_index=True) if tables else frame([])


def write_text(path: Path, text: str, *, only_changed: bool = False) -> bool:
    """Write a file atomically: temporary file in the same folder, then rename.

    Args:
        path: file to write
        text: its content, written as UTF-8 with ``\\n`` line ends
        only_changed: leave the file (and its time) alone if the content is the same

    Returns:
        whether the file was written

    Raises:
        OutputError: if it cannot be written
    """
    return write_bytes(path, text.encode("utf-8"), only_changed=only_changed)


def write_bytes(path: Path, data: bytes, *, only_changed: bool = False) -> bool:
    """As :func:`write_text`, for bytes."""
    if only_changed and path.exists() and path.read_bytes() == data:
        return False
    handle = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        handle = Path(name)
        with os.fdopen(number, "wb") as file:
            file.write(data)
        handle.chmod(0o644)
        handle.replace(path)
    except OSError as error:
        if handle is not None:
            handle.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return True


@dataclass
class Manifest:
    """What the rows of one (target, model) were made from.

    Args:
        target: id of the target
        model: id and version, fingerprint, label and facts of the model
        cells: ``test/dataset`` -> hash of all that the rows depend on, and details
        not_run: ``test/dataset`` -> reason
        environment: versions of the packages that decide about numbers
        seed: seed of the run
    """

    target: str
    model: dict[str, Any]
    seed: int = 0
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    format: str = FORMAT

    def to_json(self) -> str:
        """Deterministic text form."""
        content = {
            "format": self.format,
            "target": self.target,
            "model": self.model,
            "seed": self.seed,
            "environment": self.environment,
            "cells": dict(sorted(self.cells.items())),
            "not_run": dict(sorted(self.not_run.items())),
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Manifest | None:
        """Manifest of a file; None if there is none or it is of another format or broken."""
        try:
            content = json.loads(path.read_text("utf-8"))
            if content.pop("format") != FORMAT:
                return None
            return cls(**content)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
