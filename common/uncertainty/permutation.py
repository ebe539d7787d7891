r"""Do groups differ by more than their speakers do? A permutation test with max-T over groups.

If a model is fair, a speaker could as well stand in another group: nothing changes but the name.
So speakers are permuted over the groups, all scores are computed again from the sums of the
speakers, and the largest of them says how far apart groups lie by chance. Samples of one speaker
stay together, whatever they share.

What is exchanged is a *block*, the samples of one speaker in one group:

* speakers of one group each are permuted over all groups,
* blocks of a speaker who occurs in several groups are permuted among themselves, so that what is
  special about the speaker cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core import rng
from .base import Bound
from .clusters import Clusters
from .recipe import Recipe, Term
from .statistics import bind

#: number of permutations; with the groups as they are, p is at least 1 / 1,000
PERMUTATIONS = 999
#: more blocks are merged at random within their groups
MOST_BLOCKS = 1000
#: numbers that are held at once
BLOCK = 4_000_000
#: two statistics closer than this are the same
TIE = 1e-9
NAN = math.nan


class Permuted(NamedTuple):
    """Outcome of a permutation test for one score.

    Args:
        p_value: probability of so large a score anywhere in the family, adjusted by max-T
        smallest: smallest p value that these blocks allow
    """

    p_value: float
    smallest: float


class Blocks(NamedTuple):
    """What is exchanged.

    Args:
        of_sample: block of each sample, -1: takes no part, shape (N,)
        groups: group of each block, shape (K,)
        strata: blocks of one stratum are exchanged for each other, shape (K,)
    """

    of_sample: np.ndarray
    groups: np.ndarray
    strata: np.ndarray


class _Own(Clusters):
    """Clusters that are never merged: a weight is that of one block."""

    def __init__(self, codes: np.ndarray, count: int):
        super().__init__(codes, seed=0)
        self.count = self.size = count
        self.places = np.arange(count)


def permuted(
    scores: Sequence[tuple[Recipe, str]],
    codes: np.ndarray,
    *,
    seed: int,
    keys: tuple[str, ...] = (),
    permutations: int = PERMUTATIONS,
) -> list[Permuted | None]:
    r"""Adjusted p values of the scores of groups.

    With the score :math:`s_{0v}` of a group (and class, bin or context) and the same score
    :math:`s_{bv}` in permutation :math:`b` of :math:`B`,

    .. math:: t_{bv} = \frac{|s_{bv}|}{\sqrt{\frac{1}{B + 1} \sum_{c=0}^{B} s_{cv}^2}}, \quad
       p_v = \frac{|\{b : \max_w t_{bw} \ge t_{0v}\}|}{B + 1}

    after Westfall and Young (1993), single step. If speakers are exchangeable, any p below a
    level occurs in at most this share of the tests, however many groups there are. A score that
    is not defined in a permutation counts as 0.

    Args:
        scores: (recipe, label) of all scores of one metric, a family
        codes: cluster, such as the speaker, of each sample, shape (N,)
        seed: seed of the run
        keys: what the permutations are for, for example the dataset
        permutations: number of permutations

    Returns:
        for each score its outcome; None for one that does not compare a group with all
    """
    forms = [_form(recipe, label) for recipe, label in scores]
    group_forms = [form for form in forms if form is not None]
    if not group_forms:
        return [None] * len(scores)
    names, members = _groups(group_forms, len(codes))
    blocks = merged(blocks_of(codes, members), MOST_BLOCKS, seed=seed, keys=keys)
    drawn = assignments(blocks, permutations, rng.generator(seed, "permutations", *keys))
    values = _values(group_forms, names, blocks, drawn)
    outcomes = iter(_adjusted(values))
    return [None if form is None else next(outcomes) for form in forms]


def blocks_of(codes: np.ndarray, groups: np.ndarray) -> Blocks:
    """Blocks of samples: one cluster in one group.

    Args:
        codes: cluster of each sample, shape (N,)
        groups: group of each sample, -1: takes no part, shape (N,)

    >>> found = blocks_of(np.array([0, 0, 1, 2, 2]), np.array([0, 0, 1, 0, 1]))
    >>> [part.tolist() for part in found]
    [[0, 0, 1, 2, 3], [0, 1, 0, 1], [0, 0, 3, 3]]
    """
    size = int(groups.max(initial=0)) + 1
    there = groups >= 0
    pairs, of = np.unique(codes[there] * size + groups[there], return_inverse=True)
    of_sample = np.full(len(codes), -1)
    of_sample[there] = of
    clusters = pairs // size
    several = np.bincount(clusters)[clusters] > 1
    return Blocks(of_sample, pairs % size, np.where(several, clusters + 1, 0))


def merged(blocks: Blocks, most: int, *, seed: int, keys: tuple[str, ...]) -> Blocks:
    """Blocks of the first stratum, put together at random within each group if there are many.

    What is exchanged are sets of as many clusters then, which are as exchangeable as these. Only
    the last set of a group may hold fewer; with so many clusters this decides about nothing.
    """
    single = np.flatnonzero(blocks.strata == 0)
    step = -(-len(single) // most)
    if step <= 1:
        return blocks
    generator = rng.generator(seed, "merged blocks", *keys, len(single))
    order = generator.permutation(single)
    order = order[np.argsort(blocks.groups[order], kind="stable")]
    groups = blocks.groups[order]
    first = np.searchsorted(groups, groups)  # where the group of each block begins
    place = np.arange(len(blocks.groups)) + len(single)
    place[order] = first + (np.arange(len(order)) - first) // step
    _, indices, new = np.unique(place, return_index=True, return_inverse=True)
    of_sample = np.where(blocks.of_sample >= 0, new[blocks.of_sample], -1)
    return Blocks(of_sample, blocks.groups[indices], blocks.strata[indices])


def assignments(blocks: Blocks, count: int, generator: np.random.Generator) -> np.ndarray:
    """Group of each block, first as it is, then in each permutation, shape (count + 1, K)."""
    keys = blocks.strata + generator.random((count, len(blocks.strata)))
    slots = blocks.groups[np.argsort(blocks.strata, kind="stable")]
    groups = np.empty((count + 1, len(slots)), dtype=np.int64)
    groups[0] = blocks.groups
    np.put_along_axis(groups[1:], np.argsort(keys, axis=1), slots[None], axis=1)
    return groups


# -- scores of groups in other arrangements ----------------------------------------------------


class _Form(NamedTuple):
    """A score of a group: the terms that it is computed from, and whose it is.

    Args:
        recipe: of the score
        key: of the value in its statistic
        rows: samples of the group; None: the term names the groups itself
    """

    recipe: Recipe
    key: tuple[str, str]
    rows: np.ndarray | None


def _form(recipe: Recipe, label: str) -> _Form | None:
    key = (recipe.group, label if recipe.label is None else recipe.label)
    if recipe.units is not None:
        return None
    if recipe.group:
        return _Form(recipe, key, None)
    if recipe.minus is not None:
        return _Form(recipe, key, recipe.term.rows[0])
    if len(recipe.term.arrays) == 2 and not recipe.term.is_aligned:
        return _Form(recipe, key, recipe.term.rows[1])
    return None


def _groups(forms: Sequence[_Form], count: int) -> tuple[list[object], np.ndarray]:
    """Names of the groups, and the number of each sample's group.

    What no score is about, though it belongs to all, is one more group.
    """
    codes = np.full(count, -1)
    first = forms[0].recipe
    if forms[0].rows is None:
        import pandas as pd

        values = np.asarray(first.term.arrays[1], dtype=object)
        codes[first.term.rows[0]], names = pd.factorize(values, sort=True)
        return list(names), codes
    members = {_first(form.rows): form.rows for form in forms if form.rows is not None}
    everyone = first.minus.rows[0] if first.minus is not None else first.term.rows[0]
    codes[everyone] = len(members)
    for number, rows in enumerate(members.values()):
        codes[rows] = number
    return list(members), codes


def _first(rows: np.ndarray) -> int:
    """Name of a group: its first sample, which stands in no other group."""
    return int(rows[0])


def _values(
    forms: Sequence[_Form], names: list[object], blocks: Blocks, drawn: np.ndarray
) -> np.ndarray:
    """Scores in all arrangements, shape (B + 1, number of forms)."""
    values = np.empty((len(drawn), len(forms)))
    place = {name: number for number, name in enumerate(names)}
    tables: dict[tuple[int, int], tuple[np.ndarray, Bound]] = {}
    bounds: dict[int, Bound] = {}
    for column, form in enumerate(forms):
        term, minus = form.recipe.term, form.recipe.minus
        source = term if form.rows is None else minus if minus is not None else term
        # one evaluation holds all classes or bins of a group, or all groups of a context
        group = -1 if form.rows is None else place[_first(form.rows)]
        # terms of a group and of all share what they compare it with
        shared = id(source.arrays[0]) if source is term and form.rows is not None else id(source)
        if (shared, group) not in tables:
            if shared not in bounds:
                bounds[shared] = _bound(form, source, names, blocks)
            bound = bounds[shared]
            tables[shared, group] = _drawn(form, bound, group, len(names), drawn), bound
        table, bound = tables[shared, group]
        values[:, column] = table[:, bound.keys.index(form.key)]
    return values


def _bound(form: _Form, source: Term, names: list[object], blocks: Blocks) -> Bound:
    """Statistic whose weights say which blocks stand in a group.

    Where a term takes all samples beside those of a group, or names the groups, each sample
    stands there several times, and the weights choose one of them.
    """
    count = len(blocks.groups)
    codes = np.maximum(blocks.of_sample, 0)
    if form.recipe.minus is not None:
        return bind(source, _Own(codes, count))
    rows, n = source.rows[0], len(codes)
    if form.rows is not None:
        copies = _Own(np.concatenate([codes, codes + count]), 2 * count)
        values = source.arrays[0]
        return bind(replace(source, arrays=(values, values), rows=(rows, rows + n)), copies)
    groups = len(names)
    values, _, *others = source.arrays
    arrays = (
        np.tile(values, groups),
        np.repeat(np.array(names, dtype=object), len(rows)),
        *(np.tile(other, groups) for other in others),
    )
    every = (rows + n * np.arange(groups)[:, None]).ravel()
    shifted = codes + count * np.arange(groups)[:, None]
    return bind(
        replace(source, arrays=arrays, rows=(every,)), _Own(shifted.ravel(), groups * count)
    )


def _drawn(form: _Form, bound: Bound, group: int, groups: int, drawn: np.ndarray) -> np.ndarray:
    """Values of a statistic in all arrangements, shape (B + 1, V)."""
    parts = []
    for labels in _parts(drawn, groups if form.rows is None else 2):
        if form.rows is None:
            chosen = labels[:, None, :] == np.arange(groups)[:, None]
            parts.append(bound.weighted(chosen.reshape(len(labels), -1).astype(np.float64)))
            continue
        weights = (labels == group).astype(np.float64)
        if form.recipe.minus is not None:
            parts.append(bound.weighted(weights) - bound.point())
        else:
            parts.append(bound.weighted(np.concatenate([np.ones_like(weights), weights], axis=1)))
    return np.concatenate(parts)


def _parts(drawn: np.ndarray, copies: int) -> Iterator[np.ndarray]:
    step = max(1, BLOCK // max(1, copies * drawn.shape[1]))
    return (drawn[start : start + step] for start in range(0, len(drawn), step))


def _adjusted(values: np.ndarray) -> list[Permuted]:
    """p values of the first row of scores among all rows, adjusted for all columns."""
    values = np.abs(np.nan_to_num(values))
    spread = np.sqrt((values**2).mean(axis=0))
    there = spread > TIE
    size = values / np.where(there, spread, 1) * there
    largest = size.max(axis=1)
    smallest = float((largest >= largest.max() - TIE).mean())
    p = (largest[:, None] >= size[0] - TIE).mean(axis=0)
    return [Permuted(float(p_value), smallest) for p_value in p]
