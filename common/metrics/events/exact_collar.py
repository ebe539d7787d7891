"""Event-based figures from frame scores, with every distinct score a threshold.

What fits is said in :mod:`common.metrics.events.fitting`; of the pairs that fit at a threshold as
many count as a maximum matching has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .component_tree import Tree
from .fitting import SLACK, Collar
from .frames import FrameScores
from .grouping import expand
from .lifetimes import lives, states, there, turns
from .lists import EventList
from .sed_eval_matching import maximum_matching
from .selection import ScoredFiles, checked_truth, selections
from .sweep import Changes, SweepCounts, SweepPool, output_changes


class ExactCollar(SweepPool):
    """Event-based evaluation of frame scores at all thresholds.

    Args:
        labels: labels of the scores, in the order of their columns
        collar: what fits
        decimals: decimals of a second to which differences less the collar are rounded before
            they are compared with 0, 6 in sed_scores_eval; None: not rounded

    >>> pool = ExactCollar(["dog"], Collar(0.2, 0.5))
    >>> truth = EventList([0], [0], [1.0], [2.0])
    >>> scores = FrameScores(np.array([[0.1], [0.9], [0.2]]), np.arange(4.0), [3])
    >>> pool.add(["a.wav"], truth, scores)
    >>> pool.best().macro
    1.0
    """

    def __init__(self, labels: Sequence[str], collar: Collar, *, decimals: int | None = 6):
        super().__init__(labels, collar=collar, decimals=decimals)
        self._collar = collar
        self._decimals = decimals

    def add(self, files: Sequence[str], truth: EventList, scores: FrameScores) -> None:
        """Count files.

        Args:
            files: names that the file codes of the events point into; the order of the files
                in ``scores``
            truth: annotated events
            scores: scores of these files

        Raises:
            DataError: with file and rule, for what is not allowed
        """
        truth = checked_truth(self.labels, truth, files, scores, "allow")
        truth = truth[truth.order()]
        collar = self._collar
        margin = np.maximum(
            collar.t_collar, collar.percentage_of_length * (truth.offset - truth.onset)
        )
        if not (collar.evaluate_onset and collar.evaluate_offset):
            margin = np.full(len(truth), np.inf)
        margin = margin + collar.tolerance + SLACK
        changes = [
            self._hits(part, truth)
            for part in selections(scores, truth, every_label=False, margin=margin)
        ]
        none = Changes.join([])
        self._append(
            files,
            SweepCounts(
                output_changes(scores),
                Changes.join(changes),
                none,
                none,
                np.bincount(truth.label, minlength=len(self.labels)),
                np.zeros((len(files), 0)),
                np.full(len(files), np.nan),
            ),
        )

    def _hits(self, part: ScoredFiles, truth: EventList) -> Changes:
        """Changes of the number of matched events."""
        tree = part.tree
        pair, node = expand(
            np.searchsorted(tree.element, part.first), np.searchsorted(tree.element, part.stop)
        )
        event = part.event[pair]
        fits = self._fits(tree, truth, node, event)
        node, event = node[fits], event[fits]
        if not len(event):
            return Changes.join([])
        group, single = _groups(event, node, len(truth), len(tree.level))
        lifetimes, levels = lives(tree, group, node)
        after = states(lifetimes, np.zeros(len(group)))
        size = (after.number > 0).astype(np.int64)
        many = np.flatnonzero(~single[after.group] & (after.number > 1))
        state, at = there(lifetimes, after.group[many], after.rank[many])
        size[many] = _matching_sizes(state, event[at], node[at], len(many))
        delta = turns(after.group, size)
        some = np.flatnonzero(delta)
        label = np.zeros(int(group.max()) + 1, dtype=np.int64)
        label[group] = truth.label[event]
        return Changes(
            label[after.group[some]],
            np.zeros(len(some), np.int64),
            levels[after.rank[some]],
            delta[some],
        )

    def _fits(
        self, tree: Tree, truth: EventList, node: np.ndarray, event: np.ndarray
    ) -> np.ndarray:
        collar = self._collar
        fits = np.ones(len(node), dtype=bool)
        length = (truth.offset - truth.onset)[event]
        limit = np.maximum(collar.t_collar, collar.percentage_of_length * length)
        for evaluated, ours, theirs, most in (
            (collar.evaluate_onset, tree.onset, truth.onset, np.array(collar.t_collar)),
            (collar.evaluate_offset, tree.offset, truth.offset, limit),
        ):
            if not evaluated:
                continue
            off = np.abs(ours[node] - theirs[event])
            if self._decimals is None:
                fits &= off <= most + collar.tolerance
            else:
                fits &= np.round(off - most - collar.tolerance, self._decimals) <= 0
        return fits


def _groups(
    event: np.ndarray, node: np.ndarray, n_events: int, n_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Groups of events that share detections; and whether a group has one event only."""
    size = n_events + n_nodes
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(event), np.int8), (event, n_events + node)), (size, size))
    component = connected_components(graph, directed=False)[1]
    number = np.bincount(component[np.unique(event)], minlength=size)
    return component[event], number == 1


def _matching_sizes(
    state: np.ndarray, event: np.ndarray, node: np.ndarray, n_states: int
) -> np.ndarray:
    """Size of a maximum matching in each state; only few events are that close together."""
    sizes = np.zeros(n_states, dtype=np.int64)
    bounds = np.searchsorted(state, np.arange(n_states + 1))
    for number in range(n_states):
        graph: dict[int, list[int]] = {}
        part = slice(bounds[number], bounds[number + 1])
        for one, other in zip(node[part].tolist(), event[part].tolist(), strict=True):
            graph.setdefault(one, []).append(other)
        sizes[number] = len(maximum_matching(graph))
    return sizes
