"""Resampling of clusters: which sample belongs to which speaker, and how often each is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

import numpy as np

from ..core import rng

#: number of resamples
DRAWS = 1000
#: more clusters are merged at random into so many before they are resampled. The spread of
#: 1,000 resamples is known to 2 %; that of sums of 4,000 groups to 1 %
MOST = 4000
#: so many resamples are drawn at a time
BLOCK = 100


class Clusters:
    """Clusters of samples and their resamples.

    In each resample, as many clusters are drawn as there are, with replacement. The draws
    depend on the seed, the keys and the number of clusters alone: they are the same for all
    metrics, groups, conditions and models, so that differences are those of paired samples.

    With strata, the clusters of each group are drawn among themselves: a dataset has so many
    speakers of each group by design, and how far the groups lie apart is no chance.

    Args:
        codes: cluster of each sample, 0 to C - 1, shape (N,)
        seed: seed of the run
        keys: what the draws are for, for example the dataset
        draws: number of resamples
        groups: group of each sample, -1: none, for strata; None: there are no strata

    Attributes:
        count: number of clusters
        size: number of what is resampled: clusters, or groups of them if there are many
        places: which of these a cluster belongs to, shape (C,)
        strata: stratum of what is resampled, shape (size,); None: there are no strata
    """

    def __init__(
        self,
        codes: np.ndarray,
        *,
        seed: int,
        keys: tuple[str, ...] = (),
        draws: int = DRAWS,
        groups: np.ndarray | None = None,
    ):
        self.codes = np.asarray(codes, dtype=np.int64)
        self.count = int(self.codes.max(initial=-1)) + 1
        self.size = min(self.count, MOST)
        self.draws = draws
        self._seed, self._keys = seed, keys
        self.places = np.arange(self.count)
        self.strata = None if groups is None else strata_of(self.codes, groups)
        if self.count > MOST:
            order = _merging(seed, keys, self.count)
            self.places, self.strata = _merged(order, self.strata)
            self.size = int(self.places.max()) + 1

    @cached_property
    def weights(self) -> np.ndarray:
        """How often a cluster is in a resample, shape (draws, size); rows add up to size."""
        if self.strata is None:
            counts = _counts(self._seed, self._keys, self.size, self.draws)
        else:
            counts = _in_strata(self.strata, self.draws, self._seed, *self._keys)
        weights = counts.astype(np.float64)
        weights.flags.writeable = False
        return weights

    def half_counts(self, number: int, *names: str) -> np.ndarray:
        """Random parts of a count, with mean and variance one half, shape (draws, number).

        Added to a resampled count, they make its distribution that of an unknown rate of
        which so many cases were seen (Jeffreys): a count of zero becomes "few", not "never".
        """
        generator = rng.generator(self._seed, "half counts", *self._keys, *names)
        return generator.standard_gamma(0.5, (self.draws, number))

    def per_sample(self, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Weights of what is resampled -> weights of samples, shape (B, rows)."""
        spread: np.ndarray = weights[:, self.places[self.codes[rows]]]
        return spread


def codes_of(names: np.ndarray) -> np.ndarray:
    """Number of each name in alphabetical order, so that the order of samples has no effect.

    >>> codes_of(np.array(["b", "a", "b"], dtype=object)).tolist()
    [1, 0, 1]
    """
    _, codes = np.unique(np.asarray(names, dtype=object), return_inverse=True)
    return codes


def effective(counts: np.ndarray, base: np.ndarray | None = None) -> np.ndarray:
    r"""Effective number of clusters: fewer than there are if their sizes differ.

    With the variance :math:`v_c` that cluster :math:`c` contributes if samples are independent,
    :math:`(\sum_c v_c)^2 / \sum_c v_c^2`, after Satterthwaite (1946). For the mean of n samples
    that is Kish's :math:`(\sum_c n_c)^2 / \sum_c n_c^2`. For the difference of a group from all,
    a sample of the group weighs 1/a - 1/b, another one 1/b.

    Args:
        counts: samples of each cluster in the group, shape (C, V)
        base: as ``counts``, in what the group is compared with; None: no comparison,
            or one of the same samples

    Returns:
        shape (V,), at least 1

    >>> effective(np.array([[10], [10]])).tolist(), effective(np.array([[10], [0]])).tolist()
    ([2.0], [1.0])
    """
    return np.array([_effective(parts) for parts in _parts(counts, base)])


def _effective(parts: np.ndarray) -> float:
    squares = float(parts @ parts)
    return max(float(parts.sum()) ** 2 / squares, 1.0) if squares > 0 else 1.0


def _parts(counts: np.ndarray, base: np.ndarray | None) -> Iterator[np.ndarray]:
    """Variance that each cluster contributes if samples are independent, of each column."""
    columns = counts.T.astype(np.float64)
    others = [None] * len(columns) if base is None else base.T
    for group, everyone in zip(columns, others, strict=True):
        if everyone is None:
            yield group
            continue
        a, b = max(group.sum(), 1), max(everyone.sum(), 1)
        if (everyone >= group).all():
            yield group * (1 / a - 1 / b) ** 2 + (everyone - group) / b**2
        else:
            yield group / a**2 + everyone / b**2


def stratified(
    counts: np.ndarray, base: np.ndarray | None, strata: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""Degrees of freedom with strata, and by how much their resamples vary too little.

    With the variance :math:`V_h` that stratum :math:`h` contributes, and its effective number of
    clusters :math:`c_h` as in :func:`effective`, the degrees of freedom are
    :math:`(\sum V_h)^2 / \sum V_h^2 / (c_h - 1)`, after Satterthwaite (1946). Resampling
    :math:`c_h` clusters has :math:`(c_h - 1) / c_h` of the variance of new ones, so standard
    errors of resamples are too small by the root of
    :math:`\sum V_h / \sum V_h (c_h - 1) / c_h`.

    Args:
        counts: as in :func:`effective`, shape (C, V)
        base: as in :func:`effective`
        strata: stratum of each cluster, shape (C,)

    Returns:
        degrees of freedom, at least 1, and this root, each of shape (V,)

    >>> counts, strata = np.array([[8], [8], [8], [0], [0]]), np.array([0, 0, 0, 1, 1])
    >>> freedom, wider = stratified(counts, None, strata)
    >>> freedom.tolist(), (wider**2).round(3).tolist()
    ([2.0], [1.5])
    """
    freedom, wider = [], []
    for parts in _parts(counts, base):
        whole = np.bincount(strata, weights=parts)
        squares = np.bincount(strata, weights=parts**2)
        there = squares > 0
        whole, squares = whole[there], squares[there]
        least = np.maximum(whole**2 / squares, 2.0)  # effective clusters of each stratum
        lost = (whole / least).sum()
        some = len(whole) > 0
        freedom.append(max(whole.sum() ** 2 / (whole**2 / (least - 1)).sum(), 1) if some else 1.0)
        wider.append(np.sqrt(whole.sum() / (whole.sum() - lost)) if some else 1.0)
    return np.array(freedom), np.array(wider)


def strata_of(codes: np.ndarray, groups: np.ndarray) -> np.ndarray | None:
    """Stratum of each cluster: its group.

    Clusters with samples of several groups are a stratum together. So are those that are the
    only ones of their group, as nothing could be drawn there; a single one of these goes to the
    largest stratum.

    Args:
        codes: cluster of each sample, 0 to C - 1, shape (N,)
        groups: group of each sample, -1: none, shape (N,)

    Returns:
        0 to S - 1, shape (C,); None if there is a single stratum

    >>> groups = np.array([0, 0, 0, 1, 1, 2, 0, 1])
    >>> strata_of(np.array([0, 0, 1, 2, 3, 4, 5, 5]), groups).tolist()
    [1, 1, 2, 2, 0, 0]
    """
    count = int(codes.max(initial=-1)) + 1
    lowest, highest = np.full(count, np.iinfo(np.int64).max), np.full(count, -2)
    np.minimum.at(lowest, codes, groups)
    np.maximum.at(highest, codes, groups)
    stratum = np.where(lowest == highest, lowest, -2)
    _, place, sizes = np.unique(stratum, return_inverse=True, return_counts=True)
    alone = sizes[place] == 1
    if alone.sum() == 1 and count > 1:
        stratum[alone] = stratum[~alone][np.argmax(sizes[place][~alone])]
    else:
        stratum[alone] = -3
    names, strata = np.unique(stratum, return_inverse=True)
    return strata if len(names) > 1 else None


@lru_cache(maxsize=4)
def _counts(seed: int, keys: tuple[str, ...], size: int, draws: int) -> np.ndarray:
    """Weights in a quarter of the memory, as they are kept for the next cells of a dataset."""
    generator = rng.generator(seed, "resamples", *keys, size)
    return _counted(draws, size, lambda rows: generator.integers(0, max(size, 1), (rows, size)))


def _in_strata(strata: np.ndarray, draws: int, seed: int, *keys: str) -> np.ndarray:
    """As many clusters of each stratum as it has, shape (draws, size)."""
    order = np.argsort(strata, kind="stable")
    sizes = np.bincount(strata)[strata[order]]
    first = np.searchsorted(strata[order], strata[order])
    size = len(strata)
    generator = rng.generator(seed, "resamples in strata", *keys, size)

    def drawn(rows: int) -> np.ndarray:
        places = generator.random((rows, size))
        places *= sizes
        return np.asarray(order[places.astype(np.int64) + first])

    return _counted(draws, size, drawn)


def _counted(draws: int, size: int, drawn: Callable[[int], np.ndarray]) -> np.ndarray:
    """How often each cluster is drawn, shape (draws, size), a block of resamples at a time.

    Args:
        draws: number of resamples
        size: number of clusters
        drawn: number of resamples -> clusters that are in them, shape (resamples, size)
    """
    counts = np.empty((draws, size), dtype=np.uint16)
    for start in range(0, draws, BLOCK):
        rows = min(BLOCK, draws - start)
        cells = drawn(rows) + np.arange(rows)[:, None] * size
        block = np.bincount(cells.ravel(), minlength=rows * size)
        counts[start : start + rows] = block.reshape(rows, size)
    return counts


def _merged(order: np.ndarray, strata: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Which of at most about MOST places each cluster belongs to, and the strata of these."""
    if strata is None:
        return order % MOST, None
    sizes = np.bincount(strata)
    counts = np.clip(np.round(MOST * sizes / len(strata)).astype(np.int64), 2, sizes)
    # number of each cluster within its stratum, in the random order
    row = np.lexsort((order, strata))
    number = np.empty(len(strata), dtype=np.int64)
    number[row] = np.arange(len(strata)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = (np.cumsum(counts) - counts)[strata] + number % counts[strata]
    return places, np.repeat(np.arange(len(sizes)), counts)


@lru_cache(maxsize=4)
def _merging(seed: int, keys: tuple[str, ...], count: int) -> np.ndarray:
    order = rng.generator(seed, "merging", *keys, count).permutation(count)
    order.flags.writeable = False
    return order
