"""Random parts of a sample table that do not depend on the order of its rows.

Balancing makes groups comparable: every group gets as many samples, with the same labels. All
draws are uniform, come from a generator that the caller keys by what they are for, and keep
the whole row: its key, its label and all its other columns belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


class Balanced(NamedTuple):
    """Outcome of balancing.

    Args:
        rows: positions of the drawn rows, shape (groups, n); in a column are those that were
            paired with each other
        exhausted: classes of which some group had too few, with the number that is missing
    """

    rows: np.ndarray
    exhausted: dict[str, int]


def shuffled(samples: pd.DataFrame, generator: np.random.Generator) -> np.ndarray:
    """Positions of all rows in a random order that depends on the rows, not on their order.

    The rows are put into the order of a 64-bit hash of (file, start, end) and then shuffled.

    Args:
        samples: columns ``file``, ``start``, ``end``; N rows
        generator: source of the draw

    Returns:
        shape (N,)
    """
    import pandas as pd

    keys = samples[["file", "start", "end"]].copy()
    keys["file"] = keys["file"].to_numpy(dtype=object)
    codes = pd.util.hash_pandas_object(keys, index=False, categorize=False).to_numpy()
    order: np.ndarray = np.argsort(codes, kind="stable")[generator.permutation(len(codes))]
    return order


def first_of_each(order: np.ndarray, codes: np.ndarray, n: int) -> np.ndarray:
    """The first ``n`` rows of every group in an order of all rows.

    Args:
        order: positions of rows
        codes: group of each row, negative for none, shape (N,)
        n: number of rows per group; a smaller group is taken as it is

    Returns:
        positions, ascending

    >>> first_of_each(np.array([3, 1, 0, 2]), np.array([0, 0, 1, 0]), 2).tolist()
    [1, 2, 3]
    """
    rows = order[codes[order] >= 0]
    rows = rows[np.argsort(codes[rows], kind="stable")]
    counts = np.bincount(codes[rows])
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(rows[rank < n])


def balance_classes(
    order: np.ndarray, groups: np.ndarray, classes: np.ndarray, labels: Sequence[str], n: int
) -> Balanced:
    """As many samples of each class in every group.

    From the smallest group, the first one on ties, ``n`` rows are drawn; every other group
    gives as many of each class. If one has fewer of a class, all groups are reduced to that.

    Args:
        order: positions of all rows in random order, shape (N,)
        groups: group of each row, 0 to G - 1, shape (N,)
        classes: position of each row's class in ``labels``, shape (N,)
        labels: the classes
        n: number of rows per group; not more than the smallest group has

    Returns:
        rows, grouped by class
    """
    size = int(groups.max()) + 1
    smallest = int(np.argmin(np.bincount(groups, minlength=size)))
    drawn = order[groups[order] == smallest][:n]
    counts = np.bincount(classes[drawn], minlength=len(labels))
    table = np.zeros((size, len(labels)), dtype=np.int64)
    np.add.at(table, (groups, classes), 1)
    table[smallest] = counts
    quotas = np.minimum(table.min(axis=0), counts)
    exhausted = {
        label: int(lost) for label, lost in zip(labels, counts - quotas, strict=True) if lost
    }
    rows = []
    for group in range(size):
        pool = drawn if group == smallest else order[groups[order] == group]
        codes = classes[pool]
        parts = [pool[codes == code][:count] for code, count in enumerate(quotas)]
        rows.append(np.concatenate(parts))
    return Balanced(np.stack(rows), exhausted)


def balance_values(order: np.ndarray, groups: np.ndarray, values: np.ndarray, n: int) -> Balanced:
    """As many samples with nearly the same values in every group.

    From the smallest group, the first one on ties, ``n`` rows are drawn. For each of them, in
    the order of the draw, every other group gives a row with the closest value that is left,
    the smaller one on ties, drawn from all of its rows with this value.

    Args:
        order: positions of all rows in random order, shape (N,)
        groups: group of each row, 0 to G - 1, shape (N,)
        values: shape (N,)
        n: number of rows per group; not more than the smallest group has

    Returns:
        rows in the order of the draw; no class can be exhausted
    """
    size = int(groups.max()) + 1
    smallest = int(np.argmin(np.bincount(groups, minlength=size)))
    drawn = order[groups[order] == smallest][:n]
    rows = [
        drawn
        if group == smallest
        else _closest(order[groups[order] == group], values, values[drawn])
        for group in range(size)
    ]
    return Balanced(np.stack(rows), {})


def _closest(pool: np.ndarray, values: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """For each wanted value the row with the closest value that is left, each row once.

    Args:
        pool: positions of rows in random order, at least as many as values are wanted
        values: value of each row
        targets: shape (n,)
    """
    pool = pool[np.argsort(values[pool], kind="stable")]  # equal values stay in random order
    distinct, first = np.unique(values[pool], return_index=True)
    ends = np.append(first[1:], len(pool)).tolist()
    heads = first.tolist()
    size = len(distinct)
    # which value is the next that is left, in both directions; found by path compression.
    # places are shifted by one, 0 and size + 1 stand for "none"
    up, down = list(range(size + 2)), list(range(size + 2))
    levels = [-np.inf, *distinct.tolist(), np.inf]
    above = np.searchsorted(distinct, targets, side="left").tolist()
    chosen = np.empty(len(targets), dtype=np.int64)
    for number, (value, place) in enumerate(zip(targets.tolist(), above, strict=True)):
        high, low = _find(up, place + 1), _find(down, place)
        at = low if value - levels[low] <= levels[high] - value else high
        chosen[number] = heads[at - 1]
        heads[at - 1] += 1
        if heads[at - 1] == ends[at - 1]:
            up[at], down[at] = at + 1, at - 1
    return pool[chosen]


def _find(links: list[int], place: int) -> int:
    """End of the chain of links that starts at a place; shortens the chain."""
    end = place
    while links[end] != end:
        end = links[end]
    while links[place] != end:
        links[place], place = end, links[place]
    return end
