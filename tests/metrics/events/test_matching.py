from __future__ import annotations

import itertools

import numpy as np
import pytest

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


def test_long_alternating_paths_need_no_recursion() -> None:
    size = 5000
    graph = {at: [at, at + 1] for at in range(size)} | {size: [0]}
    assert len(maximum_matching(graph)) == size + 1
