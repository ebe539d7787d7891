"""What a statistic is: a metric in a form in which it can be resampled fast."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.registry import Registry
from ..metrics import Metric
from ..metrics.shift import groups_of
from ..metrics.sums import WHOLE, Cells, Key, Nature, Sums, is_of_two_sets
from .clusters import Clusters
from .recipe import Term

#: if a smaller part of weights is not zero, only that part is multiplied
SPARSE = 0.1


class Support(NamedTuple):
    """Samples behind each value.

    Args:
        own: their number in each of what is resampled, shape (size, V), or (size, 1) if it is
            the same for all values
        clusters: number of clusters that they belong to, shape (V,) or (1,)
        base: as ``own``, of what they are compared with; None: of nothing or of themselves
        strata: stratum of what is resampled, shape (size,); None: there are no strata
    """

    own: np.ndarray
    clusters: np.ndarray
    base: np.ndarray | None = None
    strata: np.ndarray | None = None


@dataclass(frozen=True)
class Sample:
    """Arguments of a metric with the cluster of each value.

    Args:
        arrays: positional arguments
        codes: for each of them, the cluster of each value
        places: for each of them, to which of what is resampled a value belongs
        count: number of clusters
        size: number of what is resampled
        single: whether each cluster is one sample
        aligned: whether the arrays hold values of the same samples
        labels: classes
        params: parameters as in the YAML of the test
        strata: stratum of what is resampled; None: there are no strata
    """

    arrays: tuple[np.ndarray, ...]
    codes: tuple[np.ndarray, ...]
    places: tuple[np.ndarray, ...]
    count: int
    size: int
    single: bool
    aligned: bool
    labels: Sequence[str]
    params: Mapping[str, Any]
    strata: np.ndarray | None = None

    def cells(self, number: int, cells: np.ndarray, m: int) -> np.ndarray:
        """How often each cell occurs in each of what is resampled, shape (size, m).

        Args:
            number: which array the cells belong to
            cells: 0 to m - 1, or -1 for what does not count, shape (N,)
            m: number of cells
        """
        return _table(self.places[number], cells, self.size, m)

    def support(self, number: int = 0, cells: np.ndarray | None = None, m: int = 1) -> Support:
        """Samples in each cell as in :meth:`cells`; without cells, all samples of an array."""
        if cells is None:
            cells = np.zeros(len(self.codes[number]), dtype=np.int64)
        counts = self.cells(number, cells, m)
        if self.size == self.count:
            clusters = (counts > 0).sum(axis=0)
        elif self.single:
            clusters = counts.sum(axis=0).astype(np.int64)
        else:
            clusters = (_table(self.codes[number], cells, self.count, m) > 0).sum(axis=0)
        return Support(counts, clusters, strata=self.strata)


def _table(rows: np.ndarray, columns: np.ndarray, n: int, m: int) -> np.ndarray:
    used = columns >= 0
    joint = rows[used] * m + columns[used]
    return np.bincount(joint, minlength=n * m).reshape(n, m).astype(np.float64)


def sample_of(term: Term, clusters: Clusters) -> Sample:
    """The arguments of a term with their clusters."""
    codes = tuple(clusters.codes[rows] for rows in term.rows)
    return Sample(
        arrays=term.arrays,
        codes=codes,
        places=tuple(clusters.places[indices] for indices in codes),
        count=clusters.count,
        size=clusters.size,
        single=clusters.count == len(clusters.codes),
        aligned=term.is_aligned,
        labels=tuple(term.labels),
        params=term.params,
        strata=clusters.strata,
    )


class Bound(ABC):
    """A statistic with its data."""

    keys: tuple[Key, ...] = WHOLE
    nature: Nature = ""
    #: number of cases that a share is one of, shape (V,)
    cases: np.ndarray | None = None

    def __init__(self) -> None:
        self._kept: dict[str, np.ndarray] = {}

    def draws(self, name: str = "") -> np.ndarray:
        """Values in all resamples, shape (draws, V); NaN where one is not defined.

        Args:
            name: if not empty, unknown rates are drawn too, by random numbers of this name;
                see :meth:`~common.uncertainty.clusters.Clusters.half_counts`
        """
        if name not in self._kept:
            self._kept[name] = self._draw(name)
        return self._kept[name]

    @abstractmethod
    def _draw(self, name: str) -> np.ndarray:
        """What :meth:`draws` gives."""

    @abstractmethod
    def point(self) -> np.ndarray:
        """Values of the samples as they are, shape (V,)."""

    @abstractmethod
    def without_one(self) -> np.ndarray:
        """Values without one of the clusters, shape (clusters, V)."""

    @abstractmethod
    def weighted(self, weights: np.ndarray) -> np.ndarray:
        """Values with as many copies of each cluster as its weight says.

        Args:
            weights: shape (B, size)

        Returns:
            shape (B, V); NaN where a value is not defined
        """

    @property
    @abstractmethod
    def support(self) -> Support:
        """Samples behind each value."""


class Statistic(ABC):
    """How a metric is resampled."""

    @abstractmethod
    def bind(self, term: Term, clusters: Clusters) -> Bound:
        """The statistic of the data of a term."""


#: metric id -> statistic, for metrics that are no functions of sums and have a faster way of
#: being resampled than the one for all
STATISTICS: Registry[Statistic] = Registry("statistic")


class BoundSums(Bound):
    """A metric that is a function of sums: a resample is a weighted sum of clusters.

    Args:
        function: of sums
        sample: arguments with their clusters
        clusters: of the samples
        metric: what the function belongs to; None: to none of the registered ones
        term: what the metric is computed of

    Attributes:
        given: parameters of the function
        terms: what each sample adds
        sums: in each of what is resampled, shape (size, k)
    """

    def __init__(
        self,
        function: Sums,
        sample: Sample,
        clusters: Clusters,
        metric: Metric | None = None,
        term: Term | None = None,
    ):
        super().__init__()
        self._function, self._metric, self.term = function, metric, term
        self._sample, self._clusters = sample, clusters
        self.given = metric.given(sample.labels, sample.params) if metric else {}
        self.terms = self._function.terms(sample.arrays, self.given)
        parts = [part.within(sample.places[part.of], sample.size) for part in self.terms]
        self.sums = np.concatenate(parts, axis=1)
        self._total = self.sums.sum(axis=0)
        self.keys = self._function.keys(sample.arrays, self.given)
        self.nature = self._function.nature
        if self.nature == "share":
            self.cases = self._total.reshape(2, -1).sum(axis=0)

    def _values(self, sums: np.ndarray) -> np.ndarray:
        return self._function.of(sums, self._total, self.given)

    def _draw(self, name: str) -> np.ndarray:
        sums = self._clusters.weights @ self.sums
        if name and self._function.counted:
            sums += self._clusters.half_counts(sums.shape[1], name)
        return self._values(sums)

    def point(self) -> np.ndarray:
        return self._values(self._total[None])[0]

    def without_one(self) -> np.ndarray:
        return self._values(self._total - self.sums)

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        if np.count_nonzero(weights) < SPARSE * weights.size:
            from scipy.sparse import csr_array

            return self._values(csr_array(weights) @ self.sums)
        return self._values(weights @ self.sums)

    @cached_property
    def support(self) -> Support:
        sample, terms = self._sample, self.terms
        if self._metric is not None and self._metric.takes == "groups":
            return self._support_of_groups()
        if is_of_two_sets(terms):
            base = None if sample.aligned else sample.support(0).own
            return sample.support(1)._replace(base=base)
        part = terms[0]
        each = self._metric is not None and self._metric.counts
        if each and isinstance(part, Cells):  # a value for each class or bin
            m = len(self.keys)
            return sample.support(part.of, np.where(part.codes < 0, -1, part.codes % m), m)
        return sample.support()

    def _support_of_groups(self) -> Support:
        """Samples of each group in the context, against all of the group."""
        sample = self._sample
        names, codes = groups_of(sample.arrays[1])
        inside = np.asarray(sample.arrays[2], dtype=bool)
        base = sample.support(0, codes, len(names)).own
        support = sample.support(0, np.where(inside, codes, -1), len(names))
        m = len(self.keys) // max(len(names), 1)
        tables = (support.own, support.clusters, base)
        counts, clusters, base = (np.repeat(table, m, axis=-1) for table in tables)
        return Support(counts, clusters, base, support.strata)


class BoundWeights(Bound):
    """A statistic of weighted samples, with as little memory as blocks of resamples allow.

    Args:
        values: weights, shape (B, N) -> values, shape (B, V)
        rows: sample of each value, shape (N,)
        clusters: of the samples
        keys: of the values
        nature: see :data:`~common.metrics.sums.Nature`
    """

    #: most numbers in a block of weights
    BLOCK = 4_000_000

    def __init__(
        self,
        values: Callable[[np.ndarray], np.ndarray],
        rows: np.ndarray,
        clusters: Clusters,
        keys: tuple[Key, ...] = WHOLE,
        nature: Nature = "",
    ):
        super().__init__()
        self._values, self._rows, self._clusters = values, rows, clusters
        self.keys, self.nature = keys, nature

    def _draw(self, name: str) -> np.ndarray:
        return self._blocks(self._clusters.weights)

    def _blocks(self, weights: np.ndarray) -> np.ndarray:
        step = max(1, self.BLOCK // max(1, len(self._rows)))
        spread = self._clusters.per_sample
        parts = [
            self._values(spread(weights[start : start + step], self._rows))
            for start in range(0, len(weights), step)
        ]
        return np.concatenate(parts)

    def point(self) -> np.ndarray:
        return self._values(np.ones((1, len(self._rows))))[0]

    def without_one(self) -> np.ndarray:
        return self._blocks(1 - np.eye(self._clusters.size))

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        return self._blocks(weights)

    @cached_property
    def support(self) -> Support:
        codes = self._clusters.codes[self._rows]
        counts = np.bincount(self._clusters.places[codes], minlength=self._clusters.size)
        number = np.array([len(np.unique(codes))])
        return Support(counts[:, None].astype(np.float64), number, strata=self._clusters.strata)


class Difference(Bound):
    """One statistic minus another one of the same clusters.

    Args:
        first: minuend
        second: subtrahend, with the same keys
    """

    def __init__(self, first: Bound, second: Bound):
        super().__init__()
        self._first, self._second = self.parts = first, second
        self.keys = first.keys
        columns = {key: number for number, key in enumerate(second.keys)}
        self._columns = [columns[key] for key in first.keys]

    def _draw(self, name: str) -> np.ndarray:
        # the two sets of cases are counted apart, so their unknown rates are drawn apart
        second = self._second.draws(f"{name}, subtracted" if name else "")
        return self._first.draws(name) - second[:, self._columns]

    def point(self) -> np.ndarray:
        return self._first.point() - self._second.point()[self._columns]

    def without_one(self) -> np.ndarray:
        return self._first.without_one() - self._second.without_one()[:, self._columns]

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        return self._first.weighted(weights) - self._second.weighted(weights)[:, self._columns]

    @property
    def support(self) -> Support:
        support, base = self._first.support, self._second.support.own
        if base.shape[1] > 1:
            base = base[:, self._columns]
        return support._replace(base=None if np.array_equal(support.own, base) else base)
