from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from common.metrics.events import matching
from common.metrics.events.fitting import Pairs
from common.metrics.events.matching import as_sed_eval, greedy, optimal
from common.metrics.events.sed_eval_matching import maximum_matching


def _random(rng: np.random.Generator, size: int = 4, density: float = 0.5) -> Pairs:
    truth, prediction = np.nonzero(rng.random((size, size)) < density)
    return Pairs(truth, prediction, rng.random(len(truth)) < 0.5)


def _best(pairs: Pairs) -> tuple[int, int]:
    """Most correct pairs, and most substitutions among those, by trying all choices."""
    edges = list(zip(*(part.tolist() for part in pairs), strict=True))
    best = (0, 0)
    for number in range(len(edges) + 1):
        for chosen in itertools.combinations(edges, number):
            one = {a for a, _, _ in chosen}
            other = {b for _, b, _ in chosen}
            if len(one) == len(other) == number:
                right = sum(r for _, _, r in chosen)
                best = max(best, (right, number - right))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_optimal_is_the_best_of_all(seed: int) -> None:
    pairs = _random(np.random.default_rng(seed), 4, 0.45)
    found = optimal(pairs, 4, 4)
    assert (len(found.correct.truth), len(found.substituted.truth)) == _best(pairs)
    for part in (
        np.concatenate((found.correct.truth, found.substituted.truth)),
        np.concatenate((found.correct.prediction, found.substituted.prediction)),
    ):
        assert len(set(part.tolist())) == len(part)
    assert found.correct.right.all()
    assert not found.substituted.right.any()


@pytest.mark.parametrize("batch", [1, 7, 10_000])
def test_components_are_solved_in_batches(monkeypatch, batch: int) -> None:
    monkeypatch.setattr(matching, "BATCH", batch)
    rng = np.random.default_rng(3)
    parts = [_random(rng, 4, 0.45) for _ in range(30)]
    joined = Pairs(
        np.concatenate([part.truth + 4 * at for at, part in enumerate(parts)]),
        np.concatenate([part.prediction + 4 * at for at, part in enumerate(parts)]),
        np.concatenate([part.right for part in parts]),
    )
    found = optimal(joined, 120, 120)
    expected = np.sum([_best(part) for part in parts], axis=0)
    assert [len(found.correct.truth), len(found.substituted.truth)] == expected.tolist()


def _first_come(edges, used_truth: set, used_prediction: set) -> int:
    count = 0
    for truth, prediction in edges:
        if truth not in used_truth and prediction not in used_prediction:
            used_truth.add(truth)
            used_prediction.add(prediction)
            count += 1
    return count


@pytest.mark.parametrize("seed", range(30))
def test_greedy_goes_through_the_list(seed: int) -> None:
    pairs = _random(np.random.default_rng(seed), 12, 0.3)
    edges = list(zip(*(part.tolist() for part in pairs), strict=True))
    used: tuple[set, set] = (set(), set())
    right = _first_come([(a, b) for a, b, r in edges if r], *used)
    wrong = _first_come([(a, b) for a, b, _ in edges], *used)
    found = greedy(pairs, 12, 12)
    assert (len(found.correct.truth), len(found.substituted.truth)) == (right, wrong)


@pytest.mark.parametrize("seed", range(30))
def test_all_maximum_matchings_are_equally_large(seed: int) -> None:
    pairs = _random(np.random.default_rng(seed), 12, 0.25)
    ours, theirs = optimal(pairs, 12, 12), as_sed_eval(pairs, 12, 12)
    assert len(ours.correct.truth) == len(theirs.correct.truth)
    assert len(ours.substituted.truth) >= len(theirs.substituted.truth)


def test_choice_of_sed_eval() -> None:
    """Estimate 1 takes reference 0; to free it for 0, it moves on to reference 1."""
    assert maximum_matching({1: [0, 1], 0: [0]}) == {0: 0, 1: 1}
    # a path through three estimates
    assert maximum_matching({0: [0, 1], 1: [1, 2], 2: [0]}) == {0: 2, 1: 0, 2: 1}
    assert maximum_matching({}) == {}


def test_choice_of_sed_eval_after_a_dead_end() -> None:
    """As sed_eval.util.bipartite_match of version 0.2.1 answers."""
    graph = {
        **{9: [2, 6, 8, 9], 0: [0, 1, 2, 8, 10], 5: [3, 5, 6], 7: [2, 4, 8, 9]},
        **{3: [1, 2, 4, 5, 6, 7, 8, 10], 6: [3, 4, 5, 7], 8: [0, 1, 3, 4], 2: [0, 1, 9]},
        **{10: [2, 3, 4, 9], 1: [2, 6], 4: [9]},
    }
    expected = {0: 8, 1: 2, 2: 10, 3: 5, 4: 7, 5: 6, 6: 1, 7: 3, 8: 9, 9: 4, 10: 0}
    assert maximum_matching(graph) == expected


def test_long_alternating_paths_need_no_recursion() -> None:
    size = 5000
    graph = {at: [at, at + 1] for at in range(size)} | {size: [0]}
    assert len(maximum_matching(graph)) == size + 1


@pytest.mark.parametrize("seed", range(200))
def test_choice_of_sed_eval_is_a_maximum_matching(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 30))
    edges = rng.random((size, size)) < rng.uniform(0.03, 0.3)
    graph = {int(at): np.flatnonzero(edges[at]).tolist() for at in rng.permutation(size)}
    found = maximum_matching(graph)
    assert len(set(found.values())) == len(found)
    assert all(edges[estimate, reference] for reference, estimate in found.items())
    largest = maximum_bipartite_matching(csr_array(edges), perm_type="column")
    assert len(found) == (largest >= 0).sum()
