"""Keys of result rows: one text that names a number and can be copied from a page to a shell.

``target/model/test/dataset/metric/label/condition``; a row without a label has ``-`` in its
place. The first four parts name a cell, all that a model did in one test on one dataset.
``model@version`` names an earlier version that was kept (:mod:`common.results.history`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = "/"
NO_LABEL = "-"
#: names of the parts of a key
PARTS = ("target", "model", "test", "dataset", "metric", "label", "condition")
#: so many parts name a cell
CELL = 4
#: the parts of a cell are names of files
LONGEST = 200
#: keys that are less alike are not offered
LIKE = 0.4


class CellKey(NamedTuple):
    """What a model did in one test on one dataset."""

    target: str
    model: str
    test: str
    dataset: str

    def __str__(self) -> str:
        return SEPARATOR.join(self)


def row_key(row: Mapping[Any, Any]) -> str:
    """Key of a result row.

    >>> row_key({"target": "arousal", "model": "m", "test": "t", "dataset": "d",
    ...          "metric": "ccc", "label": "", "condition": "female"})
    'arousal/m/t/d/ccc/-/female'
    """
    return SEPARATOR.join([str(row[part]) or NO_LABEL for part in PARTS])


def row_keys(rows: pd.DataFrame) -> pd.Series:
    """Keys of many result rows."""
    import pandas as pd
    import pyarrow
    from pyarrow import compute

    text = pyarrow.large_string()
    columns = (pyarrow.array(rows[part], text) for part in PARTS)
    empty, none, between = (pyarrow.scalar(each, text) for each in ("", NO_LABEL, SEPARATOR))
    parts = [compute.if_else(compute.equal(c, empty), none, c) for c in columns]
    keys = compute.binary_join_element_wise(*parts, between)
    return pd.Series(keys, index=rows.index, dtype="str")


def split(key: str) -> tuple[CellKey, str, str]:
    """A key as a cell, the version of the model if the key names one, and the whole key.

    The version is no part of the keys of rows, so it is taken out.

    Raises:
        ConfigError: if it has fewer than four parts

    >>> split("arousal/m@1.0/t/d/ccc")
    (CellKey(target='arousal', model='m', test='t', dataset='d'), '1.0', 'arousal/m/t/d/ccc')
    """
    parts = key.strip().strip(SEPARATOR).split(SEPARATOR)
    long = next((part for part in parts if len(part) > LONGEST or "\0" in part), None)
    if long is not None:
        raise ConfigError(f"key: '{long[:20]!s}...' cannot be the name of a file")
    if len(parts) < CELL or not all(parts[:CELL]):
        shape = SEPARATOR.join(PARTS[:CELL])
        rest = "".join(f"[{SEPARATOR}{part}" for part in PARTS[CELL:]) + "]" * (len(PARTS) - CELL)
        raise ConfigError(f"key '{key}': expected {shape}{rest}")
    model, _, version = parts[1].partition("@")
    parts = [parts[0], model, *parts[2:]]
    return CellKey(*parts[:CELL]), version, SEPARATOR.join(parts)


def matches(key: str, prefix: str) -> bool:
    """Whether a key is the wanted one or lies below it.

    >>> matches("a/m/t/d/ccc/-/x", "a/m/t/d/ccc"), matches("a/m/t/d/cccc/-/x", "a/m/t/d/ccc")
    (True, False)
    """
    return key == prefix or key.startswith(prefix + SEPARATOR)


def nearest(prefix: str, keys: Iterable[str], count: int = 3) -> list[str]:
    """Known keys, cut to as many parts as the wanted one has, that look most like it."""
    depth = prefix.count(SEPARATOR) + 1
    cut = {SEPARATOR.join(key.split(SEPARATOR)[:depth]) for key in keys}

    def likeness(key: str) -> tuple[float, int, str]:
        ratio = difflib.SequenceMatcher(None, key, prefix).ratio()
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(key, prefix, strict=False))
        )
        return -ratio, -same, key

    ranked = sorted(map(likeness, cut))[:count]
    return [key for ratio, _, key in ranked if -ratio >= LIKE]
