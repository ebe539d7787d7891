"""How many pairs of events are near in time: some files together, and not too many in one.

The number of pairs grows with the square of the events that happen at the same moment. Files are
therefore looked at in bunches, so that memory does not grow with their number, and a file with
more pairs than anybody can mean is refused before they are made.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.errors import DataError

#: pairs of one bunch, if no file alone has more
PAIRS_AT_ONCE = 2_000_000
#: pairs of one file that are near in time
PAIRS_OF_FILE = 10_000_000

#: name of a file by its code, for messages
Naming = Callable[[int], str]


def by_number(code: int) -> str:
    """What a file is called whose name is not known.

    >>> by_number(0)
    'recording 1'
    """
    return f"recording {code + 1}"


def bunches(group: np.ndarray, partners: np.ndarray) -> list[slice]:
    """Places of events whose pairs fit into memory together; no group is cut.

    Args:
        group: file of each event, ascending, shape (N,)
        partners: most partners that an event can have, shape (N,)

    >>> bunches(np.array([0, 0, 1, 2]), np.array([10**6, 10**6, 5, 10**7]))
    [slice(0, 2, None), slice(2, 4, None)]
    """
    if not len(group):
        return []
    first = np.flatnonzero(np.diff(group, prepend=-1))
    pairs = np.add.reduceat(partners, first)
    number = (np.cumsum(pairs) - pairs) // PAIRS_AT_ONCE
    start = first[np.flatnonzero(np.diff(number, prepend=-1))]
    return [
        slice(int(low), int(high))
        for low, high in zip(start, [*start[1:], len(group)], strict=True)
    ]


def refuse_crowds(file: np.ndarray, pairs: np.ndarray, naming: Naming) -> None:
    """Raise DataError for the file whose events have too many pairs that are near in time.

    Args:
        file: file of each event, shape (N,)
        pairs: events of the other list that are near in time, shape (N,)
        naming: how files are called

    >>> refuse_crowds(np.array([0]), np.array([20_000_000]), by_number)
    Traceback (most recent call last):
        ...
    common.core.errors.DataError: recording 1: 20,000,000 pairs of an annotated and an estimated \
event are near in time; at most 10,000,000 are compared
    """
    if int(pairs.sum()) <= PAIRS_OF_FILE:
        return
    codes, place = np.unique(file, return_inverse=True)
    total = np.bincount(place, pairs)
    if total.max() > PAIRS_OF_FILE:
        raise DataError(
            f"{naming(int(codes[np.argmax(total)]))}: {int(total.max()):,} pairs of an annotated"
            f" and an estimated event are near in time; at most {PAIRS_OF_FILE:,} are compared"
        )
