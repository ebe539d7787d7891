"""Detections that come and go as the threshold falls, and what they add up to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .component_tree import Tree
from .grouping import dense_rank, expand


class Lives(NamedTuple):
    """Which scores detections are there for, as ranks among the levels of a tree.

    Args:
        group: what a detection counts for, for example an annotated event, shape (P,)
        start: rank of the level of the detection: it is there for thresholds below
        end: rank of the level at which it is merged, less than ``start``; -1: never
    """

    group: np.ndarray
    start: np.ndarray
    end: np.ndarray


class States(NamedTuple):
    """Sums of what is there, after each change, by group and then from high to low scores.

    Args:
        group: the group, shape (T,)
        rank: rank of the level below which the threshold has fallen
        number: number of detections that are there
        amount: sum of their amounts
    """

    group: np.ndarray
    rank: np.ndarray
    number: np.ndarray
    amount: np.ndarray


def lives(tree: Tree, group: np.ndarray, node: np.ndarray) -> tuple[Lives, np.ndarray]:
    """Lives of detections in groups, and the levels that the ranks stand for.

    Args:
        tree: detections of all thresholds
        group: group of each detection, shape (P,)
        node: the detections, shape (P,)
    """
    rank = dense_rank(tree.level)
    levels = np.empty(int(rank.max(initial=-1)) + 1, dtype=tree.level.dtype)
    levels[rank] = tree.level
    parent = tree.parent[node]
    return Lives(group, rank[node], np.where(parent >= 0, rank[parent], -1)), levels


def states(lifetimes: Lives, amount: np.ndarray) -> States:
    """Follow the groups from high to low scores.

    Args:
        lifetimes: at least one detection
        amount: what each detection adds; sums of floats may err in the last digits
    """
    size = int(lifetimes.start.max()) + 2
    # one key for group and falling rank; the rank of what never ends comes last
    key = np.concatenate((lifetimes.group, lifetimes.group)) * size + (
        size - 2 - np.concatenate((lifetimes.start, lifetimes.end))
    )
    order = np.argsort(key)
    key = key[order]
    last = np.append(np.flatnonzero(np.diff(key)), len(key) - 1)
    total = np.cumsum(np.concatenate((amount, -amount))[order])[last]
    number = np.cumsum(np.repeat((1, -1), len(amount))[order])[last]
    rank = size - 2 - key[last] % size
    real = rank >= 0
    return States(key[last][real] // size, rank[real], number[real], total[real])


def there(lifetimes: Lives, group: np.ndarray, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Detections that are there in given states.

    Args:
        lifetimes: lives
        group: group of each state
        rank: rank of the level below which the threshold has fallen

    Returns:
        states and detections (indices into ``lifetimes``), by state, then in the order given
    """
    order = np.argsort(lifetimes.group, kind="stable")
    ordered = lifetimes.group[order]
    state, at = expand(
        np.searchsorted(ordered, group), np.searchsorted(ordered, group, side="right")
    )
    at = order[at]
    alive = (lifetimes.start[at] >= rank[state]) & (lifetimes.end[at] < rank[state])
    return state[alive], at[alive]


def turns(group: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Change of a value from state to state, from 0 in each group.

    >>> turns(np.array([0, 0, 1]), np.array([1, 0, 1])).tolist()
    [1, -1, 1]
    """
    before = np.zeros(len(value), dtype=np.int64)
    same = group[1:] == group[:-1]
    before[1:][same] = value[:-1][same]
    return value - before
