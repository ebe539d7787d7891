"""Which samples belong together, and which of them come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from ...core.rng import digest
from ...designs import design_of
from ...designs.context_shift import ContextShift
from ...designs.groups import GroupDesign, group_codes
from ...samples.base import KEYS
from ...spec import Test
from ...spec.view import View
from .sounds import Key

if TYPE_CHECKING:
    import pandas as pd


class SampleKeys(Sequence[Key]):
    """File, start and end of each sample, made when one is asked for.

    Args:
        table: N rows with ``file``, ``start``, ``end``
    """

    def __init__(self, table: pd.DataFrame):
        import pandas as pd

        self._files, names = pd.factorize(table[KEYS[0]])
        self._names = names.tolist()
        self._start, self._end = (table[name].to_numpy() for name in KEYS[1:])

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, row: int) -> Key: ...

    @overload
    def __getitem__(self, row: slice) -> list[Key]: ...

    def __getitem__(self, row: int | slice) -> Key | list[Key]:
        if isinstance(row, slice):
            return [self[n] for n in range(*row.indices(len(self)))]
        return self._names[self._files[row]], int(self._start[row]), int(self._end[row])

    def hashes(self) -> np.ndarray:
        """Hash of each sample as four numbers, in whose order they are that of its bytes; (N, 4)."""
        content = bytearray()
        for key in self:
            content += digest(*key)
        return np.frombuffer(content, dtype=">u8").reshape(-1, 4)


def groups(test: Test, view: View) -> list[tuple[str, str, np.ndarray]]:
    """Condition, end of the name of the data, and rows of each group of a test."""
    design = design_of(test)
    if not isinstance(design, GroupDesign):
        return []
    names, codes = group_codes(design, view.samples)
    result = []
    for number, group in enumerate(names):
        tail = design.part(group).rpartition("{table}")[2]
        inside = codes == number
        if not isinstance(design, ContextShift):
            result.append((design.name(group), tail, np.flatnonzero(inside)))
            continue
        contexts = view.samples[design.context].to_numpy(dtype=object)
        for context in design.contexts:
            rows = np.flatnonzero(inside & (contexts == context))
            result.append((design.condition_of(context), tail, rows))
    return [each for each in result if len(each[2])]


def of_line(
    parts: Sequence[tuple[str, str, np.ndarray]], data: str, condition: str
) -> np.ndarray | None:
    """Samples of the group that a line is about; None: it is about all of them."""
    fitting = [part for part in parts if part[0] == condition and data.endswith(part[1])]
    return max(fitting, key=lambda part: len(part[1]))[2] if fitting else None


def ranked(loss: np.ndarray, *, changed: bool = False) -> np.ndarray:
    """Places of samples, the largest loss first; equal ones in the order of the table.

    Args:
        loss: per sample; those with NaN are left out
        changed: whether those without any loss are left out, too

    >>> ranked(np.array([0.0, 2.0, np.nan, 1.0, 2.0])).tolist()
    [1, 4, 3, 0]
    """
    order = np.argsort(-loss, kind="stable").astype(np.int32)
    order = order[~np.isnan(loss[order])]
    return order[loss[order] > 0] if changed else order
