"""Which of the pairs that fit are counted, each event at most once."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from .fitting import Pairs
from .sed_eval_matching import maximum_matching

Matching = Literal["optimal", "greedy", "sed_eval"]

#: references and estimates of components that are solved together
BATCH = 2000
#: rounds in which pairs are chosen together before references are gone through one by one
ROUNDS = 8


class Matched(NamedTuple):
    """Pairs that are counted; no event is in two of them.

    Args:
        correct: pairs with equal labels
        substituted: pairs with different labels
    """

    correct: Pairs
    substituted: Pairs


def optimal(pairs: Pairs, n_truth: int, n_prediction: int) -> Matched:
    """As many correct pairs as possible, and then as many substitutions as possible.

    A maximum matching is often not the only one; the events that it leaves over, and hence
    substitutions and error rates of sed_eval, depend on the order of the lists. Here they do
    not: among the maximum matchings the one counts that leaves most substitutions, found as an
    assignment of maximum weight in which a correct pair outweighs all substitutions.

    Args:
        pairs: all pairs that fit
        n_truth: number of reference events
        n_prediction: number of estimated events

    >>> pairs = Pairs(np.array([0, 1]), np.array([0, 0]), np.array([False, True]))
    >>> [len(part.truth) for part in optimal(pairs, 2, 1)]
    [1, 0]
    """
    alone = (np.bincount(pairs.truth, minlength=n_truth)[pairs.truth] == 1) & (
        np.bincount(pairs.prediction, minlength=n_prediction)[pairs.prediction] == 1
    )
    chosen = [np.flatnonzero(alone)]
    rest = np.flatnonzero(~alone)
    if len(rest):
        chosen += _of_components(pairs, rest, n_truth, n_prediction)
    return _matched(pairs, np.sort(np.concatenate(chosen)))


def _of_components(
    pairs: Pairs, rest: np.ndarray, n_truth: int, n_prediction: int
) -> list[np.ndarray]:
    """Chosen pairs among those that share an event with others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    part = pairs.take(rest)
    size = n_truth + n_prediction
    graph = coo_array(
        (np.ones(len(rest), dtype=np.int8), (part.truth, n_truth + part.prediction)), (size, size)
    )
    component = connected_components(graph, directed=False)[1]
    n_refs = np.bincount(component[:n_truth][np.unique(part.truth)], minlength=size)
    n_sys = np.bincount(component[n_truth:][np.unique(part.prediction)], minlength=size)
    of_pair = component[part.truth]
    star = (n_refs[of_pair] == 1) | (n_sys[of_pair] == 1)
    # one event with all others: one pair, a correct one if there is any
    stars = np.flatnonzero(star)
    best = stars[np.lexsort((stars, ~part.right[stars], of_pair[stars]))]
    first = np.unique(of_pair[best], return_index=True)[1]
    chosen = [rest[best[first]]]
    others = np.flatnonzero(~star)
    others = others[np.argsort(of_pair[others], kind="stable")]
    start = np.flatnonzero(np.diff(of_pair[others], prepend=-1))
    events = np.add.accumulate((n_refs + n_sys)[of_pair[others[start]]]) // BATCH
    for batch in np.split(others, start[np.flatnonzero(np.diff(events)) + 1]):
        if len(batch):
            chosen.append(rest[batch[_assign(part.take(batch))]])
    return chosen


def _assign(pairs: Pairs) -> np.ndarray:
    """Chosen pairs of some components, as an assignment of least cost.

    Each reference may also go to a place of its own, which costs more than a substitution; a
    correct pair saves more than all substitutions together.
    """
    # scipy takes half a second to load, which a plan of a run need not wait for
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, row = np.unique(pairs.truth, return_inverse=True)
    columns, column = np.unique(pairs.prediction, return_inverse=True)
    weight = len(rows) + 1.0
    cost = np.where(pairs.right, 1.0, weight)
    places = np.arange(len(rows))
    matrix = csr_array(
        (
            np.concatenate((cost, np.full(len(rows), weight + 1))),
            (np.concatenate((row, places)), np.concatenate((column, len(columns) + places))),
        ),
        (len(rows), len(columns) + len(rows)),
    )
    assigned = min_weight_full_bipartite_matching(matrix)
    partner = np.full(len(rows), -1)
    partner[assigned[0]] = assigned[1]
    return np.flatnonzero(partner[row] == column)


def greedy(pairs: Pairs, n_truth: int, n_prediction: int) -> Matched:
    """References in list order; each takes the first estimate of its label that is left.

    References that are left over then take the first estimate left over that fits, whatever its
    label. The outcome depends on the order of the lists.

    Args:
        pairs: all pairs that fit, sorted by reference, then estimate, in list order
        n_truth: number of reference events
        n_prediction: number of estimated events
    """
    correct = np.flatnonzero(pairs.right)
    correct = correct[_first_come(pairs.take(correct), n_truth, n_prediction)]
    return _with_leftovers(pairs, correct, n_truth, n_prediction)


def as_sed_eval(pairs: Pairs, n_truth: int, n_prediction: int) -> Matched:
    """The maximum matching that sed_eval 0.2.1 finds, and its substitutions in list order.

    Args:
        pairs: all pairs that fit, sorted by reference, then estimate, in list order
        n_truth: number of reference events
        n_prediction: number of estimated events
    """
    right = np.flatnonzero(pairs.right)
    graph: dict[int, dict[int, int]] = {}
    for at, ref, sys in zip(
        right.tolist(), pairs.truth[right].tolist(), pairs.prediction[right].tolist(), strict=True
    ):
        graph.setdefault(sys, {})[ref] = at
    partners = maximum_matching({sys: list(refs) for sys, refs in graph.items()})
    correct = np.array(sorted(graph[sys][ref] for ref, sys in partners.items()), dtype=np.int64)
    return _with_leftovers(pairs, correct, n_truth, n_prediction)


def _with_leftovers(pairs: Pairs, correct: np.ndarray, n_truth: int, n_prediction: int) -> Matched:
    free_truth, free_prediction = np.ones(n_truth, bool), np.ones(n_prediction, bool)
    free_truth[pairs.truth[correct]] = False
    free_prediction[pairs.prediction[correct]] = False
    left = pairs.take(free_truth[pairs.truth] & free_prediction[pairs.prediction])
    substituted = left.take(_first_come(left, n_truth, n_prediction))
    return Matched(pairs.take(correct), substituted)


def _first_come(pairs: Pairs, n_truth: int, n_prediction: int) -> np.ndarray:
    """Indices of the pairs taken if pairs are gone through in order and a used event is gone.

    Each round takes all pairs that come first for both of their events. Where many events are
    at the same moment a round takes one pair of them, so what is left after some rounds is gone
    through reference by reference.
    """
    chosen = []
    at = np.arange(len(pairs.truth))
    for _ in range(ROUNDS):
        if not len(at):
            break
        first_truth, first_prediction = (
            np.empty(n_truth, np.int64),
            np.empty(n_prediction, np.int64),
        )
        # of several assignments to one place the last one, which is the first pair, stays
        first_truth[pairs.truth[at[::-1]]] = at[::-1]
        first_prediction[pairs.prediction[at[::-1]]] = at[::-1]
        now = at[
            (first_truth[pairs.truth[at]] == at) & (first_prediction[pairs.prediction[at]] == at)
        ]
        chosen.append(now)
        used_truth, used_prediction = np.zeros(n_truth, bool), np.zeros(n_prediction, bool)
        used_truth[pairs.truth[now]] = True
        used_prediction[pairs.prediction[now]] = True
        at = at[~(used_truth[pairs.truth[at]] | used_prediction[pairs.prediction[at]])]
    chosen.append(_one_by_one(pairs, at, n_prediction))
    return np.sort(np.concatenate(chosen))


def _one_by_one(pairs: Pairs, at: np.ndarray, n_prediction: int) -> np.ndarray:
    """As :func:`_first_come`, of some of the pairs: the first estimate left of each reference."""
    free = np.ones(n_prediction, dtype=bool)
    start = np.flatnonzero(np.diff(pairs.truth[at], prepend=-1))
    chosen = []
    for part in np.split(at, start[1:]):
        left = free[pairs.prediction[part]]
        if left.any():
            chosen.append(int(part[np.argmax(left)]))
            free[pairs.prediction[chosen[-1]]] = False
    return np.array(chosen, dtype=np.int64)


def _matched(pairs: Pairs, chosen: np.ndarray) -> Matched:
    right = pairs.right[chosen]
    return Matched(pairs.take(chosen[right]), pairs.take(chosen[~right]))


#: name -> function
MATCHINGS = {"optimal": optimal, "greedy": greedy, "sed_eval": as_sed_eval}
