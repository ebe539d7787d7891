"""Resampling of clusters."""

from __future__ import annotations

import numpy as np
import pytest

from common.uncertainty import clusters as module
from common.uncertainty.clusters import Clusters, codes_of, effective, strata_of, stratified


def test_each_resample_draws_as_many_clusters_as_there_are() -> None:
    weights = Clusters(np.arange(20), seed=0).weights
    assert weights.shape == (1000, 20) and (weights.sum(axis=1) == 20).all()
    # multinomial: mean 1, variance 1 - 1/20
    assert weights.mean() == 1
    assert weights.var() == pytest.approx(0.95, abs=0.03)
    assert abs(np.corrcoef(weights[:, 0], weights[:, 1])[0, 1] + 1 / 19) < 0.1


def test_draws_depend_on_seed_keys_and_number_alone() -> None:
    first = Clusters(np.array([0, 1, 2, 2]), seed=0, keys=("d",)).weights
    assert np.array_equal(first, Clusters(np.array([2, 0, 1]), seed=0, keys=("d",)).weights)
    for other in (
        Clusters(np.arange(3), seed=1, keys=("d",)),
        Clusters(np.arange(3), seed=0, keys=("e",)),
        Clusters(np.arange(4), seed=0, keys=("d",)),
    ):
        assert other.weights.shape != first.shape or not np.array_equal(other.weights, first)


def test_draws_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Clusters(np.arange(3), seed=0).weights[0, 0] = 7


def test_names_are_numbered_without_regard_to_their_order() -> None:
    names = np.array(["s2", "s10", "s1", "s2"], dtype=object)
    assert codes_of(names).tolist() == [2, 1, 0, 2]
    assert codes_of(names[::-1]).tolist() == [2, 0, 1, 2]


def test_many_clusters_are_merged_without_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 4)
    clusters = Clusters(np.arange(10), seed=0)
    assert (clusters.count, clusters.size) == (10, 4)
    assert np.bincount(clusters.places).tolist() == [3, 3, 2, 2]
    # what is merged is drawn together
    spread = clusters.per_sample(clusters.weights, np.arange(10))
    for place in range(4):
        assert (spread[:, clusters.places == place] == clusters.weights[:, [place]]).all()


@pytest.mark.parametrize(
    ("own", "expected"),
    [([5, 5, 5, 5], 4), ([10, 0, 0, 0], 1), ([1, 1, 8, 0], 100 / 66), ([0, 0, 0, 0], 1)],
)
def test_effective_number_of_one_set_is_that_of_kish(own: list[int], expected: float) -> None:
    assert effective(np.array(own)[:, None])[0] == pytest.approx(expected)


def test_effective_number_of_a_difference() -> None:
    everyone = np.full((20, 1), 7)
    half = everyone * (np.arange(20) < 10)[:, None]
    assert effective(half, everyone)[0] == pytest.approx(20)
    # a small group decides alone: Satterthwaite with variances 1/4 - ... and 1/100
    all_of_them = np.full((1000, 1), 7)
    few = all_of_them * (np.arange(1000) < 4)[:, None]
    assert effective(few, all_of_them)[0] == pytest.approx(4, rel=0.02)
    # two sets that do not contain each other
    others = np.full((8, 1), 5) * (np.arange(8) >= 4)[:, None]
    own = np.full((8, 1), 5) * (np.arange(8) < 4)[:, None]
    assert effective(own, others)[0] == pytest.approx(8)


def test_each_group_is_drawn_among_itself() -> None:
    codes = np.arange(60) // 2
    groups = codes // 10
    clusters = Clusters(codes, seed=0, groups=groups)
    assert (
        clusters.strata is not None and clusters.strata.tolist() == [0] * 10 + [1] * 10 + [2] * 10
    )
    for group in range(3):
        assert (clusters.weights[:, clusters.strata == group].sum(axis=1) == 10).all()
    assert clusters.weights.var() == pytest.approx(0.9, abs=0.03)
    again = Clusters(codes[::-1], seed=0, groups=groups[::-1])
    assert np.array_equal(again.weights, clusters.weights)


def test_clusters_that_are_alone_or_of_several_groups_are_put_together() -> None:
    codes = np.array([0, 0, 1, 2, 3, 4, 5])
    # clusters 0 and 5 have two groups or none at all; 1 to 3 share one; 4 is the only one of its own
    assert strata_of(codes, np.array([0, 1, 7, 7, 7, 2, -1])) is not None
    found = strata_of(codes, np.array([0, 1, 7, 7, 7, 2, -1]))
    assert found.tolist() == [0, 1, 1, 1, 0, 0]
    # one that is alone goes to the largest stratum
    one = strata_of(np.arange(6), np.array([3, 1, 1, 2, 2, 2]))
    assert one.tolist() == [1, 0, 0, 1, 1, 1]
    # a single stratum is none
    assert strata_of(np.arange(4), np.zeros(4, int)) is None
    assert strata_of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) is None


def test_many_clusters_are_merged_within_their_strata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 12)
    codes = np.arange(100)
    groups = np.where(codes < 70, 0, np.where(codes < 97, 1, 2))
    clusters = Clusters(codes, seed=0, groups=groups)
    assert clusters.size <= 14 and clusters.weights.shape == (1000, clusters.size)
    assert (clusters.strata[clusters.places] == groups).all()
    sizes = np.bincount(clusters.places)
    assert sizes.min() > 0 and sizes.sum() == 100
    assert np.bincount(clusters.strata).tolist() == [8, 3, 2]


def test_freedom_of_strata() -> None:
    own = np.full((10, 1), 6.0)
    strata = np.repeat([0, 1], 5)
    freedom, wider = stratified(own, None, strata)
    assert freedom[0] == pytest.approx(8)  # two variances with 4 degrees of freedom each
    assert wider[0] ** 2 == pytest.approx(5 / 4)
    # a small group against many others: its own freedom and its own loss decide
    base = np.full((400, 1), 6.0)
    few = base * (np.arange(400) < 4)[:, None]
    freedom, wider = stratified(few, base, (np.arange(400) >= 4).astype(int))
    assert freedom[0] == pytest.approx(3, rel=0.05)
    assert wider[0] ** 2 == pytest.approx(4 / 3, rel=0.02)
