"""Balancing: exact, random, and the whole row stays together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.core.rng import generator
from common.designs.balancing import balance_classes, balance_values, first_of_each, shuffled

LABELS = ("a", "b", "c")


def table(n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {"file": [f"{k % 7}/{k}.wav" for k in range(n)], "start": 0, "end": -1}
    ).astype({"file": object})


def slow_values(order, groups, values, n: int) -> list[list[int]]:
    """The definition, row by row in plain Python."""
    size = max(groups) + 1
    smallest = min(range(size), key=lambda g: sum(group == g for group in groups))
    drawn = [row for row in order if groups[row] == smallest][:n]
    rows = []
    for group in range(size):
        if group == smallest:
            rows.append(drawn)
            continue
        left = [row for row in order if groups[row] == group]
        chosen = []
        for row in drawn:
            nearest = min({values[k] for k in left}, key=lambda v: (abs(v - values[row]), v))
            # the first in random order of those with this value
            pick = next(k for k in left if values[k] == nearest)
            left.remove(pick)
            chosen.append(pick)
        rows.append(chosen)
    return rows


@given(st.data())
@settings(max_examples=60)
def test_closest_value_that_is_left(data) -> None:
    n = data.draw(st.integers(6, 30))
    # quarters, so that ties and equal values are frequent
    values = np.array(data.draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))) / 4
    groups = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    if len(set(groups.tolist())) < 3:
        groups[:3] = [0, 1, 2]
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(n)
    least = int(np.bincount(groups).min())
    wanted = data.draw(st.integers(1, least))
    found = balance_values(order, groups, values, wanted)
    assert found.rows.tolist() == slow_values(order.tolist(), groups.tolist(), values, wanted)
    assert found.exhausted == {}


@given(st.data())
@settings(max_examples=60)
def test_as_many_of_each_class(data) -> None:
    n = data.draw(st.integers(6, 40))
    classes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    groups = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    groups[:2] = [0, 1]
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(n)
    wanted = int(np.bincount(groups).min())
    found = balance_classes(order, groups, classes, LABELS, wanted)
    rows = found.rows
    assert len(set(rows.ravel().tolist())) == rows.size
    for group, own in enumerate(rows):
        assert (groups[own] == group).all()
    first, second = (Counter(classes[own].tolist()) for own in rows)
    assert first == second
    assert rows.shape[1] + sum(found.exhausted.values()) == wanted
    # a class is reduced only if some group has no more of it
    for label in found.exhausted:
        code = LABELS.index(label)
        least = min(int(((groups == g) & (classes == code)).sum()) for g in (0, 1))
        assert first[code] == least


def test_exhausted_class_shrinks_all_groups_and_is_named() -> None:
    groups = np.array([0] * 4 + [1] * 8)
    classes = np.array([0, 0, 0, 1] + [0] + [1] * 7)
    found = balance_classes(np.arange(12), groups, classes, LABELS, 4)
    assert found.exhausted == {"a": 2}
    assert classes[found.rows].tolist() == [[0, 1], [0, 1]]


def test_a1_rows_are_drawn_at_random_and_stay_whole() -> None:
    """The reference takes the key of the first candidate and the columns of another one."""
    groups = np.array([0] * 10 + [1] * 90)
    classes = np.zeros(100, dtype=int)
    samples = table(100).assign(speaker=[f"s{n}" for n in range(100)])
    order = shuffled(samples, generator(0, "balance"))
    drawn = balance_classes(order, groups, classes, LABELS, 10).rows[1]
    assert sorted(drawn.tolist()) != list(range(10, 20))  # the first rows in table order
    rows = samples.iloc[drawn]
    assert [name[1:] for name in rows.speaker] == [
        file.split("/")[1].removesuffix(".wav") for file in rows.file
    ]
    times = Counter()
    for seed in range(300):
        order = shuffled(samples, generator(seed, "balance"))
        times.update(balance_classes(order, groups, classes, LABELS, 10).rows[1].tolist())
    assert len(times) == 90 and max(times.values()) < 3 * min(times.values())


def test_a2_the_draw_depends_on_what_it_is_for_only() -> None:
    samples = table(50)
    first = shuffled(samples, generator(0, "fairness", "data", "balance"))
    np.random.seed(1)  # noqa: NPY002 (what the reference depends on)
    assert (shuffled(samples, generator(0, "fairness", "data", "balance")) == first).all()
    assert (shuffled(samples, generator(0, "fairness", "other", "balance")) != first).any()
    assert (shuffled(samples, generator(1, "fairness", "data", "balance")) != first).any()


def test_the_order_of_the_table_does_not_matter() -> None:
    samples = table(50)
    files = samples.file.to_numpy()[shuffled(samples, generator(0))]
    turned = samples.iloc[::-1].reset_index(drop=True)
    assert (turned.file.to_numpy()[shuffled(turned, generator(0))] == files).all()


def test_first_of_each_group() -> None:
    order = np.array([5, 4, 3, 2, 1, 0])
    codes = np.array([0, 0, 0, 1, -1, 1])
    assert first_of_each(order, codes, 2).tolist() == [1, 2, 3, 5]
    assert first_of_each(order, codes, 1).tolist() == [2, 5]


@pytest.mark.parametrize("kind", ["values", "classes"])
def test_a_thousand_out_of_many(kind: str) -> None:
    """Many rows; ``build.py bench fairness`` measures how long they take."""
    rng = np.random.default_rng(0)
    n = 200_000
    samples = table(n)
    groups, values = rng.integers(0, 3, n), rng.random(n)
    order = shuffled(samples, generator(0))
    if kind == "values":
        rows = balance_values(order, groups, values, 1000).rows
        assert np.abs(values[rows[0]] - values[rows[1]]).max() < 1e-3
    else:
        classes = rng.integers(0, 3, n)
        rows = balance_classes(order, groups, classes, LABELS, 1000).rows
    assert rows.shape == (3, 1000)
