"""Sums of each speaker, kept beside the rows: scores of other weights need no predictions.

A score is the value of the sums of all speakers; with other weights of speakers it is that of the
weighted sums. :doc:`/reference/result_files` says where the files are and what the columns mean.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import parquet
from ..core.documents import parse_json
from ..core.errors import DataError
from ..core.files import write_bytes
from ..metrics import METRICS
from ..metrics.sums import Key

if TYPE_CHECKING:
    import pandas as pd

#: columns of every file
COLUMNS = ("metric", "state", "speaker", "samples", "sums", "keys", "given")
#: what is said of speakers begins so
ABOUT = "speaker_"


class StateSums(NamedTuple):
    """Sums of a metric in one state.

    Args:
        metric: id of the metric
        state: condition or group
        sums: of each speaker, shape (speakers, k)
        samples: number of samples of each speaker, shape (speakers,)
        keys: group and label of each value
        given: parameters
    """

    metric: str
    state: str
    sums: np.ndarray
    samples: np.ndarray
    keys: tuple[Key, ...]
    given: dict[str, Any]


def table_of(state_sums: Iterable[StateSums], speakers: pd.DataFrame) -> pd.DataFrame:
    """All sums of a cell in one table, without speakers that have no sample in a state.

    Args:
        state_sums: sums
        speakers: what is known of each speaker, in their order; ``speaker`` is the name
    """
    import pandas as pd

    entries = list(state_sums)
    if not entries:
        return pd.DataFrame(columns=list(COLUMNS))
    there = [np.flatnonzero(entry.samples) for entry in entries]
    lengths = [len(places) for places in there]
    rows = list(zip(entries, there, strict=True))
    columns = {
        "metric": np.repeat([entry.metric for entry in entries], lengths).astype(object),
        "state": np.repeat([entry.state for entry in entries], lengths).astype(object),
        "samples": np.concatenate([entry.samples[places] for entry, places in rows]),
        "sums": [sums for entry, places in rows for sums in entry.sums[places].tolist()],
        "keys": np.repeat([json.dumps(entry.keys) for entry in entries], lengths).astype(object),
        "given": np.repeat([json.dumps(entry.given) for entry in entries], lengths).astype(object),
    }
    table = speakers.iloc[np.concatenate(there)].reset_index(drop=True)
    table = pd.concat([pd.DataFrame(columns), table], axis=1)
    return table[[*COLUMNS, *(name for name in table if name not in COLUMNS)]]


def write(path: Path, table: pd.DataFrame) -> str:
    """Write the sums of a cell, with equal bytes for equal sums; returns the SHA-256 of the bytes."""
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False, compression="zstd")
    write_bytes(path, buffer.getvalue(), only_changed=True)
    return hashlib.sha256(buffer.getbuffer()).hexdigest()


def read(path: Path) -> pd.DataFrame:
    """Read the sums of a cell.

    Raises:
        DataError: if the file cannot be read or lacks a column
    """
    try:
        table = parquet.frame(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as sums: {error}") from None
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise DataError(f"{path}: column '{missing[0]}' is missing; sums have {list(COLUMNS)}")
    return table


def scores(table: pd.DataFrame, weights: np.ndarray | None = None) -> dict[tuple[str, ...], float]:
    """Scores of weighted speakers.

    Args:
        table: sums as :func:`read` gives them
        weights: weight of each row, shape (rows,); None: each speaker as often as it is there

    Returns:
        (metric, state, group, label) -> score

    Raises:
        BenchmarkError: if a metric is unknown, has no sums, or cannot do with these
    """
    try:
        with np.errstate(over="raise"):
            return _scores(table, weights)
    # sums may be those of a stranger; what a metric makes of wrong ones is its own matter
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise DataError(f"the sums fit no metric: {error}") from None


def _scores(table: pd.DataFrame, weights: np.ndarray | None) -> dict[tuple[str, ...], float]:
    group_scores: dict[tuple[str, ...], float] = {}
    often = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    for (metric, state, _), rows in table.groupby(["metric", "state", "given"], sort=False):
        function = METRICS.get(str(metric)).sums
        if function is None:
            raise DataError(f"the metric '{metric!s:.60}' has no sums")
        places = table.index.get_indexer(rows.index)
        total = often[places] @ np.stack(rows["sums"].to_list())
        first = rows.iloc[0]
        values = function.of(total, total, parse_json(first["given"]))
        keys = parse_json(first["keys"])
        group_scores |= {
            (str(metric), str(state), group, label): float(value)
            for (group, label), value in zip(keys, values, strict=True)
        }
    return group_scores
