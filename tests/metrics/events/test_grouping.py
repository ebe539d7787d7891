from __future__ import annotations

import functools
import math
import operator

import numpy as np
import pytest

from common.metrics.events.grouping import (
    Index,
    dense_rank,
    expand,
    order_free_sum,
    reaches,
    running_maximum,
    sort_order,
)


@pytest.mark.parametrize("many", [5, 2**40])
def test_sort_order_as_lexsort(many: int) -> None:
    """Also where the key of integers has no room (large codes)."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 5, 200) * (many // 5)
    first, second = rng.integers(0, 4, (2, 200)) / 4
    order, expected = sort_order(group, first, second), np.lexsort((second, first, group))
    for values in (group, first, second):
        assert values[order].tolist() == values[expected].tolist()


def test_sorted_input_stays() -> None:
    values = np.zeros(3)
    assert sort_order(np.array([0, 0, 1]), values, values).tolist() == [0, 1, 2]
    assert len(sort_order(np.array([], int), values[:0], values[:0])) == 0


def test_dense_rank_and_running_maximum_of_nothing() -> None:
    assert len(dense_rank(np.empty(0))) == 0
    assert len(running_maximum(np.empty(0, int), np.empty(0))) == 0


def test_running_maximum_stays_in_its_group() -> None:
    group = np.array([0, 0, 0, 2, 2])
    values = np.array([1.0, 5.0, 3.0, 2.0, 4.0])
    assert running_maximum(group, values).tolist() == [0, 1, 1, 3, 4]


def test_index_never_mixes_groups(rng) -> None:
    group = np.sort(rng.integers(0, 6, 50))
    values = np.round(rng.random(50), 1)
    order = np.lexsort((values, group))
    group, values = group[order], values[order]
    wanted, limits = rng.integers(0, 7, 80), np.round(rng.random(80), 1)
    index = Index(group, values)
    above, at_least = index.first_above(wanted, limits), index.first_at_least(wanted, limits)
    for number, (one, limit) in enumerate(zip(wanted, limits, strict=True)):
        inside = np.flatnonzero(group == one)
        end = np.searchsorted(group, one, side="right")
        assert above[number] == next((i for i in inside if values[i] > limit), end)
        assert at_least[number] == next((i for i in inside if values[i] >= limit), end)


def test_expand_skips_empty_ranges() -> None:
    query, place = expand(np.array([3, 5, 0]), np.array([3, 7, 1]))
    assert query.tolist() == [1, 1, 2]
    assert place.tolist() == [5, 6, 0]


def test_a_whole_without_a_part_never_reaches() -> None:
    nothing = np.empty(0)
    found = reaches(np.empty(0, int), nothing, np.ones(2), 0.0, None)
    assert found.tolist() == [False, False]
    assert reaches(np.array([1]), np.array([0.0]), np.ones(2), 0.0, 6).tolist() == [False, True]


def test_many_parts_are_added_with_compensation() -> None:
    """Ten times 0.1 is 1 with compensation, 0.9999999999999999 without."""
    parts = np.full(10, 0.1)
    # sum() of Python 3.12 compensates, too
    assert functools.reduce(operator.add, parts.tolist()) < 1
    group = np.zeros(10, int)
    assert reaches(group, parts, np.ones(1), 1.0, None).tolist() == [True]
    assert reaches(group, parts[::-1], np.ones(1), np.nextafter(1.0, 2.0), None).tolist() == [False]


def test_decimals_forgive_the_last_digits() -> None:
    group, part, length = np.array([0]), np.array([2.2 - 2.0]), np.array([1.0])
    assert reaches(group, part, length, 0.2 + 1e-7, None).tolist() == [False]
    assert reaches(group, part, length, 0.2 + 1e-7, 6).tolist() == [True]


def test_order_free_sum(rng) -> None:
    values = rng.random((1000, 2)) * 10.0 ** rng.integers(-8, 8, (1000, 2))
    total = order_free_sum(values)
    assert total.tolist() == order_free_sum(values[::-1]).tolist()
    assert total[0] == pytest.approx(math.fsum(values[:, 0]), rel=1e-15)
