"""The intersection criteria for the detections of all thresholds at once.

Each detection is judged as in :mod:`common.metrics.events.criteria`; what counts changes where a
detection appears, and where it is merged into another one.
"""

from __future__ import annotations

import numpy as np

from .component_tree import Tree, touching
from .criteria import Criteria
from .grouping import reaches
from .lifetimes import lives, states, there, turns
from .lists import EventList
from .selection import ScoredFiles
from .sweep import Changes

#: how near in s coverage must be to its limit for it to be added up again, one by one
NEAR_S = 2e-6


def judge(
    part: ScoredFiles, truth: EventList, slot: np.ndarray, criteria: Criteria
) -> tuple[Changes, Changes, Changes]:
    """Changes of true positives, of relevant detections and of cross triggers.

    Args:
        part: sequences with all their detections, and the events that they may touch
        truth: annotated events
        slot: number of the label of each event within its file
        criteria: limits
    """
    tree = part.tree
    pair, node = touching(tree, part.first, part.stop)
    event, label = part.event[pair], part.label[part.sequence[pair]]
    overlap = np.minimum(tree.offset[node], truth.offset[event]) - np.maximum(
        tree.onset[node], truth.onset[event]
    )
    length = tree.offset - tree.onset
    same = truth.label[event] == label
    relevant = reaches(node[same], overlap[same], length, criteria.dtc, criteria.decimals)
    counts = same & relevant[node]
    hits = _found(tree, truth, event[counts], node[counts], overlap[counts], criteria)
    labels = np.zeros(len(length), dtype=np.int64)
    labels[node] = label
    at, delta = _net(tree, relevant)
    changed = Changes(labels[at], np.zeros(len(at), np.int64), tree.level[at], delta)
    if criteria.cttc is None:
        return hits, changed, Changes.join([])
    parts = []
    for number in range(int(slot.max(initial=-1)) + 1):
        here = ~same & (slot[event] == number)
        others = np.zeros(len(length), dtype=np.int64)
        others[node[here]] = truth.label[event[here]]
        here &= ~relevant[node]
        status = reaches(node[here], overlap[here], length, criteria.cttc, criteria.decimals)
        at, delta = _net(tree, status)
        parts.append(Changes(labels[at], others[at], tree.level[at], delta))
    return hits, changed, Changes.join(parts)


def slots(truth: EventList) -> np.ndarray:
    """Number of an event's label among the labels in its file, from 0.

    Few files have events of many labels, so labels can be gone through by these numbers.

    >>> slots(EventList([0, 0, 1], [3, 5, 5], [0.0] * 3, [1.0] * 3)).tolist()
    [0, 1, 0]
    """
    if not len(truth):
        return np.empty(0, dtype=np.int64)
    key, rank = np.unique(
        truth.file * (int(truth.label.max()) + 1) + truth.label, return_inverse=True
    )
    file = key // (int(truth.label.max()) + 1)
    return np.asarray(rank - np.searchsorted(file, file)[rank])


def _net(tree: Tree, status: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Detections at whose level the number of those with a status changes, and by how much.

    When a detection takes the place of others, theirs end.
    """
    ends = np.flatnonzero(status & (tree.parent >= 0))
    delta = status.astype(np.int64) - np.bincount(tree.parent[ends], minlength=len(status))
    some = np.flatnonzero(delta)
    return some, delta[some]


def _found(
    tree: Tree,
    truth: EventList,
    event: np.ndarray,
    node: np.ndarray,
    overlap: np.ndarray,
    criteria: Criteria,
) -> Changes:
    """Changes of the number of events that are found.

    Coverage of an event is followed from high to low scores: a relevant detection adds its
    overlap at its level and takes it back where it is merged. Such sums may err in the last
    digits; where the limit is near, the overlaps at this score are added up anew.
    """
    if not len(event):
        return Changes.join([])
    lifetimes, levels = lives(tree, event, node)
    after = states(lifetimes, overlap)
    length = (truth.offset - truth.onset)[after.group]
    limit = criteria.gtc * length
    covered = (after.number > 0) & (after.amount >= limit)
    near = np.flatnonzero((after.number > 0) & (np.abs(after.amount - limit) < NEAR_S))
    if len(near):
        state, at = there(lifetimes, after.group[near], after.rank[near])
        # detections of one threshold follow each other in time as their numbers do
        order = np.lexsort((node[at], state))
        state, part = state[order], overlap[at[order]]
        covered[near] = reaches(state, part, length[near], criteria.gtc, criteria.decimals)
    delta = turns(after.group, covered)
    some = np.flatnonzero(delta)
    label = truth.label[after.group[some]]
    return Changes(label, np.zeros_like(label), levels[after.rank[some]], delta[some])
