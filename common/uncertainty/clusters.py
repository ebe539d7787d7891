"""Resampling of clusters: which sample belongs to which speaker, and how often each is drawn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from common import rng

#: number of resamples
DRAWS = 1000
#: more clusters are merged at random into so many before they are resampled. The spread of
#: 1,000 resamples is known to 2 %; that of sums of 4,000 groups to 1 %
MOST = 4000


class Clusters:
    """Clusters of samples and their resamples.

    In each resample, as many clusters are drawn as there are, with replacement. The draws
    depend on the seed, the keys and the number of clusters alone: they are the same for all
    metrics, groups, conditions and models, so that differences are those of paired samples.

    Args:
        codes: cluster of each sample, 0 to C - 1, shape (N,)
        seed: seed of the run
        keys: what the draws are for, for example the dataset
        draws: number of resamples

    Attributes:
        count: number of clusters
        size: number of what is resampled: clusters, or groups of them if there are many
        places: which of these a cluster belongs to, shape (C,)
    """

    def __init__(
        self, codes: np.ndarray, *, seed: int, keys: tuple[str, ...] = (), draws: int = DRAWS
    ):
        self.codes = np.asarray(codes, dtype=np.int64)
        self.count = int(self.codes.max(initial=-1)) + 1
        self.size = min(self.count, MOST)
        self.draws = draws
        self._seed, self._keys = seed, keys
        self.places = np.arange(self.count)
        if self.count > MOST:
            self.places = _merging(seed, keys, self.count) % MOST

    @property
    def weights(self) -> np.ndarray:
        """How often a cluster is in a resample, shape (draws, size); rows add up to size."""
        return _weights(self._seed, self._keys, self.size, self.draws)

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


def effective(own: np.ndarray, base: np.ndarray | None = None) -> np.ndarray:
    r"""Effective number of clusters: fewer than there are if their sizes differ.

    With the variance :math:`v_c` that cluster :math:`c` contributes if samples are independent,
    :math:`(\sum_c v_c)^2 / \sum_c v_c^2`, after Satterthwaite (1946). For the mean of n samples
    that is Kish's :math:`(\sum_c n_c)^2 / \sum_c n_c^2`. For the difference of a group from all,
    a sample of the group weighs 1/a - 1/b, another one 1/b.

    Args:
        own: samples of each cluster in the group, shape (C, V)
        base: as ``own``, in what the group is compared with; None: no comparison,
            or one of the same samples

    Returns:
        shape (V,), at least 1

    >>> effective(np.array([[10], [10]])).tolist(), effective(np.array([[10], [0]])).tolist()
    ([2.0], [1.0])
    """
    columns = own.T.astype(np.float64)
    others = [None] * len(columns) if base is None else base.T
    return np.array([_effective(*pair) for pair in zip(columns, others, strict=True)])


def _effective(own: np.ndarray, base: np.ndarray | None) -> float:
    parts = own
    if base is not None:
        a, b = max(own.sum(), 1), max(base.sum(), 1)
        if (base >= own).all():
            parts = own * (1 / a - 1 / b) ** 2 + (base - own) / b**2
        else:
            parts = own / a**2 + base / b**2
    squares = float(parts @ parts)
    return max(float(parts.sum()) ** 2 / squares, 1.0) if squares > 0 else 1.0


@lru_cache(maxsize=4)
def _weights(seed: int, keys: tuple[str, ...], size: int, draws: int) -> np.ndarray:
    generator = rng.generator(seed, "resamples", *keys, size)
    drawn = generator.integers(0, max(size, 1), (draws, size))
    drawn += np.arange(draws)[:, None] * size
    weights = np.bincount(drawn.ravel(), minlength=draws * size).reshape(draws, size)
    weights = weights.astype(np.float64)
    weights.flags.writeable = False
    return weights


@lru_cache(maxsize=4)
def _merging(seed: int, keys: tuple[str, ...], count: int) -> np.ndarray:
    order = rng.generator(seed, "merging", *keys, count).permutation(count)
    order.flags.writeable = False
    return order
