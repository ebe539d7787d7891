r"""All detections of all thresholds at once.

The detections of a score sequence at a threshold are its runs of frames above. As the threshold
falls, runs appear at local maxima, grow, and merge at local minima; each distinct run is there
for thresholds below its lowest score and not below the larger of the two scores beside it. These
runs form a tree (the component tree, or max-tree, of the sequence), which has at most as many
nodes as there are frames, however many thresholds there are. After the idea of Ebbers et al.
(2022) to follow the changes that a falling threshold makes.

All sequences are worked on together; nothing here loops over frames.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .grouping import expand


class Sequences(NamedTuple):
    """Score sequences, one after the other, equal neighbours joined to one element.

    Before, between and behind the sequences lie elements of value minus infinity.

    Args:
        value: score, shape (E,)
        onset: start of the element in s, shape (E,)
        offset: end of the element in s, shape (E,)
        first: index of the first element of each sequence, shape (S,)
        element: element of each frame, shape (frames,)
    """

    value: np.ndarray
    onset: np.ndarray
    offset: np.ndarray
    first: np.ndarray
    element: np.ndarray


class Tree(NamedTuple):
    """Detections of all thresholds, sorted by sequence and the element that stands for them.

    Args:
        element: an element with the lowest score of the detection, shape (N,)
        first: first element of the detection
        level: its lowest score: it is there for thresholds below
        onset: its start in s
        offset: its end in s
        parent: the detection that takes its place at ``until``; -1: none
        until: largest score beside it: it is there for thresholds of at least this
        node: detection that an element stands for or belongs to at its score, shape (E,); -1:
            none, as the score is minus infinity
    """

    element: np.ndarray
    first: np.ndarray
    level: np.ndarray
    onset: np.ndarray
    offset: np.ndarray
    parent: np.ndarray
    until: np.ndarray
    node: np.ndarray


def sequences(
    values: np.ndarray, onset: np.ndarray, offset: np.ndarray, frames: np.ndarray
) -> Sequences:
    """Join equal neighbours and put separators between sequences.

    Args:
        values: scores of all sequences, one after the other, shape (frames,)
        onset: start of each frame in s
        offset: end of each frame in s
        frames: number of frames of each sequence, all above 0, shape (S,)
    """
    start = np.cumsum(frames) - frames
    new = np.concatenate(([True], values[1:] != values[:-1]))
    new[start] = True
    head = np.flatnonzero(new)
    tail = np.append(head[1:] - 1, len(values) - 1)
    sequence = np.repeat(np.arange(len(frames)), np.add.reduceat(new, start, dtype=np.int64))
    place = np.arange(len(head)) + sequence + 1
    value, start_s, end_s = (
        np.full(len(head) + len(frames) + 1, -np.inf, dtype=source.dtype)
        for source in (values, onset, offset)
    )
    value[place], start_s[place], end_s[place] = values[head], onset[head], offset[tail]
    element = place[np.cumsum(new) - 1]
    return Sequences(value, start_s, end_s, element[start], element)


def component_tree(elements: Sequences) -> Tree:
    """Detections of all thresholds of all sequences."""
    value = elements.value
    size = len(value)
    before = _nearest_lower(value, or_equal=True)
    after = size - 1 - _nearest_lower(value[::-1], or_equal=False)[::-1]
    real = ~np.isneginf(value)
    # of several equal elements of a detection the first one stands for it
    heads = real & (value[before] < value)
    element = np.flatnonzero(heads)
    node = np.full(size, -1)
    node[element] = np.arange(len(element))
    double = np.flatnonzero(real & ~heads)
    leader = before.copy()
    while len(double):
        node[double] = node[leader[double]]
        double = double[node[double] < 0]
        leader[double] = leader[leader[double]]
    first, behind = before[element] + 1, after[element]
    left, right = value[first - 1], value[behind]
    parent = node[np.where(left >= right, first - 1, behind)]
    return Tree(
        element,
        first,
        value[element],
        elements.onset[first],
        elements.offset[behind - 1],
        parent,
        np.maximum(left, right),
        node,
    )


def _nearest_lower(value: np.ndarray, *, or_equal: bool) -> np.ndarray:
    """Nearest place to the left with a lower (or equal) value; 0 for the first place.

    Windows of doubling length are stepped over while their minimum is higher; then the steps
    are halved. ``value[0]`` is minus infinity.
    """
    higher = np.greater if or_equal else np.greater_equal
    place = np.arange(-1, len(value) - 1)
    place[0] = 0
    lowest = [value]
    going = np.flatnonzero(~np.isneginf(value))
    stopped: list[np.ndarray] = []
    while len(going):
        level = len(stopped)
        if level == len(lowest):
            half = 2 ** (level - 1)
            window = lowest[-1].copy()
            np.minimum(window[half:], lowest[-1][:-half], out=window[half:])
            window[:half] = -np.inf
            lowest.append(window)
        further = higher(lowest[level][place[going]], value[going])
        stopped.append(going[~further])
        going = going[further]
        place[going] -= 2**level
    going = np.empty(0, dtype=np.int64)
    for level in range(len(stopped) - 2, -1, -1):
        going = np.concatenate((going, stopped[level + 1]))
        further = going[higher(lowest[level][place[going]], value[going])]
        place[further] -= 2**level
    return place


def touching(tree: Tree, first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Detections that hold at least one of the elements of a span, for several spans.

    Args:
        tree: the detections
        first: first element of each span
        stop: element behind its last one, of the same sequence

    Returns:
        spans and detections, each pair once, sorted by span
    """
    span, node = expand(np.searchsorted(tree.element, first), np.searchsorted(tree.element, stop))
    spans, nodes = [span], [node]
    # those that reach in from outside are ancestors of what stands at the ends of the span
    for ends, other in ((first, None), (stop - 1, first)):
        span = np.flatnonzero(stop > first)
        node = tree.node[ends[span]]
        while len(span):
            inside = node >= 0
            span, node = span[inside], node[inside]
            if other is not None:
                # what reaches the first element was met there
                inside = tree.first[node] > other[span]
                span, node = span[inside], node[inside]
            at = tree.element[node]
            outside = (at < first[span]) | (at >= stop[span])
            spans.append(span[outside])
            nodes.append(node[outside])
            node = tree.parent[node]
    joined, detections = np.concatenate(spans), np.concatenate(nodes)
    order = np.argsort(joined, kind="stable")
    return joined[order], detections[order]
