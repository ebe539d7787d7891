"""Sorting, searching and adding up within groups, without a loop over groups."""

from __future__ import annotations

import numpy as np

#: how near a sum must be to a limit for the order of summation to matter
NEAR = 1e-9


def sort_order(group: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Indices that sort by group, then ``first``, then ``second``; equal rows in any order.

    Args:
        group: integers of 0 or more, shape (N,)
        first: floats, shape (N,)
        second: floats, shape (N,)

    >>> sort_order(np.array([1, 0, 0]), np.array([0.0, 2.0, 1.0]), np.zeros(3)).tolist()
    [2, 1, 0]
    """
    if len(group) == 0:
        return np.empty(0, dtype=np.int64)
    steps = [np.diff(values) for values in (group, first, second)]
    if (
        (steps[0] > 0) | (steps[0] == 0) & ((steps[1] > 0) | (steps[1] == 0) & (steps[2] >= 0))
    ).all():
        return np.arange(len(group))
    # one sort of integers is several times faster than lexsort, as long as the key has room
    ranks = [dense_rank(first), dense_rank(second)]
    sizes = [int(rank.max()) + 1 for rank in ranks]
    if (int(group.max()) + 1) * sizes[0] * sizes[1] >= 2**63:
        return np.lexsort((second, first, group))
    return np.argsort((group * sizes[0] + ranks[0]) * sizes[1] + ranks[1])


def dense_rank(values: np.ndarray) -> np.ndarray:
    """Rank of each value among the distinct values, from 0.

    >>> dense_rank(np.array([0.5, 0.1, 0.5])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(values)
    rank = np.empty(len(values), dtype=np.int64)
    ordered = values[order]
    rank[order] = (
        np.concatenate(([0], np.cumsum(ordered[1:] != ordered[:-1]))) if len(values) else 0
    )
    return rank


def running_maximum(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Index of the largest value so far within the group, for each place.

    Args:
        group: shape (N,), equal groups side by side
        values: shape (N,)

    >>> running_maximum(np.array([0, 0, 0, 1]), np.array([3.0, 5.0, 4.0, 1.0])).tolist()
    [0, 1, 1, 3]
    """
    count = len(values)
    if count == 0:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(values, kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    segment = np.concatenate(([0], np.cumsum(group[1:] != group[:-1])))
    best = np.maximum.accumulate(segment * count + rank)
    return order[best % count]


class Index:
    """Search in values that are sorted within groups.

    Exact: times are compared as they are and never mixed with the number of the group.

    Args:
        group: integers of 0 or more, ascending, shape (N,)
        values: ascending within each group, shape (N,)

    >>> index = Index(np.array([0, 0, 1]), np.array([0.1, 0.5, 0.2]))
    >>> index.first_above(np.array([0, 1]), np.array([0.1, 0.1])).tolist()
    [1, 2]
    >>> index.first_at_least(np.array([0, 1]), np.array([0.1, 0.3])).tolist()
    [0, 3]
    """

    def __init__(self, group: np.ndarray, values: np.ndarray):
        self._distinct = np.unique(values)
        self._span = len(self._distinct) + 1
        self._key = group * self._span + np.searchsorted(self._distinct, values)

    def first_at_least(self, group: np.ndarray, limit: np.ndarray) -> np.ndarray:
        """First place of the group with a value of ``limit`` or more, else the place behind it."""
        return self._first(group, limit, "left")

    def first_above(self, group: np.ndarray, limit: np.ndarray) -> np.ndarray:
        """First place of the group with a value above ``limit``, else the place behind it."""
        return self._first(group, limit, "right")

    def _first(self, group: np.ndarray, limit: np.ndarray, side: str) -> np.ndarray:
        key = group * self._span + np.searchsorted(self._distinct, limit, side=side)  # type: ignore[call-overload]
        return np.asarray(np.searchsorted(self._key, key))


def expand(start: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (query, place) with ``start[query] <= place < stop[query]``, by query.

    >>> [part.tolist() for part in expand(np.array([0, 5]), np.array([2, 6]))]
    [[0, 0, 1], [0, 1, 5]]
    """
    count = np.maximum(stop - start, 0)
    query = np.repeat(np.arange(len(count)), count)
    before = np.cumsum(count) - count
    return query, np.arange(len(query)) + (start - before)[query]


def reaches(
    group: np.ndarray,
    overlap: np.ndarray,
    length: np.ndarray,
    limit: float,
    decimals: int | None,
) -> np.ndarray:
    r"""Whether parts of a whole add up to a share, for each whole that has a part.

    .. math:: \sum_p \frac{\text{overlap}_p}{\text{length}} \ge \text{limit}

    compared as doubles; parts are added in the order given, three or more near the limit with
    compensation, as pandas and hence psds_eval do. With ``decimals``, as sed_scores_eval, sum
    and :math:`\text{limit} \cdot \text{length}` are rounded and then compared.

    Args:
        group: number of the whole that a part belongs to, shape (P,)
        overlap: length of the part in s, shape (P,), > 0
        length: length of each whole in s, shape (N,)
        limit: share in [0, 1]
        decimals: decimals of a second to round to; None: no rounding

    Returns:
        bool, shape (N,); False for a whole without a part

    >>> part, share = np.array([0, 0, 1]), np.array([0.2, 0.3, 0.4])
    >>> reaches(part, share, np.ones(3), 0.5, None).tolist()
    [True, False, False]
    """
    parts = np.bincount(group, minlength=len(length))
    if decimals is not None:
        total = np.bincount(group, overlap, minlength=len(length))
        enough = parts > 0
        some = np.flatnonzero(enough)
        enough[some] = np.round(total[some], decimals) >= np.round(limit * length[some], decimals)
        return enough
    share = overlap / length[group]
    total = np.bincount(group, share, minlength=len(length))
    enough = (total >= limit) & (parts > 0)
    near = np.flatnonzero((parts > 2) & (np.abs(total - limit) < NEAR))
    if len(near):
        order = np.argsort(group, kind="stable")
        start, stop = np.searchsorted(group[order], near), np.searchsorted(group[order], near + 1)
        for whole, low, high in zip(near, start, stop, strict=True):
            enough[whole] = _compensated(share[order[low:high]].tolist()) >= limit
    return enough


def _compensated(values: list[float]) -> float:
    """Sum after Kahan (1965)."""
    total = lost = 0.0
    for value in values:
        value -= lost
        larger = total + value
        lost = (larger - total) - value
        total = larger
    return total


def order_free_sum(values: np.ndarray) -> np.ndarray:
    """Sum over the first axis that does not depend on the order, not even in the last digit."""
    return np.asarray(np.sort(values, axis=0).sum(axis=0))
