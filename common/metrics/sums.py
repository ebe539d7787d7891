"""A score as a function of sums: what a sample adds, and what follows from any sum of it.

Nearly every metric is ``value(sum of terms)``. A metric declares its terms and its value once;
the score of given samples, resamples of speakers, scores by chance, groups and levels of a
perturbation all use the same two functions, and sums of parts can be added up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

#: (group, label) of a value; both empty for a metric with one value
Key = tuple[str, str]
#: key of a metric with one value
WHOLE: tuple[Key, ...] = (("", ""),)
#: parameters of a metric, its ``labels`` among them
Given = Mapping[str, Any]
#: what is special about resamples of a score: those of a "distance" are too far away, as noise
#: can only increase it; those of "ranks" have ties that samples do not have; those of a "share"
#: or of a mean "error" cannot leave its range, so the arms of an interval are not equal
Nature = Literal["", "distance", "ranks", "share", "error"]


@dataclass(frozen=True)
class Cells:
    """Terms that count: each sample falls into one cell, or into none.

    Args:
        codes: cell of each sample, 0 to ``number`` - 1, or -1, shape (N,)
        number: number of cells
        of: which argument of the metric the samples are those of
        weights: what is added up in place of the samples, shape (N,)
    """

    codes: np.ndarray
    number: int
    of: int = 0
    weights: np.ndarray | None = None

    def total(self) -> np.ndarray:
        """Number of samples in each cell, or the sum of their weights, shape (number,)."""
        return self.within(np.zeros(len(self.codes), dtype=np.int64), 1)[0]

    def within(self, places: np.ndarray, size: int) -> np.ndarray:
        """Sums of parts, shape (size, number).

        Args:
            places: part of each sample, shape (N,)
            size: number of parts
        """
        used = self.codes >= 0
        joint = places[used] * self.number + self.codes[used]
        weights = None if self.weights is None else self.weights[used]
        counts = np.bincount(joint, weights=weights, minlength=size * self.number)
        return counts.reshape(size, self.number).astype(np.float64)

    def each(self) -> np.ndarray:
        """What each sample adds, shape (N, number)."""
        return (self.codes[:, None] == np.arange(self.number)).astype(np.float64)


@dataclass(frozen=True)
class Columns:
    """Terms that add up: each sample has a number in each column.

    Args:
        factors: of each column, one or two arrays whose product it is, shape (..., N)
        of: which argument of the metric the samples are those of
    """

    factors: tuple[tuple[np.ndarray, ...], ...]
    of: int = 0

    def total(self) -> np.ndarray:
        """Sum of each column over the last axis, shape (..., columns)."""
        return np.stack([_sum(column) for column in self.factors], axis=-1)

    def within(self, places: np.ndarray, size: int) -> np.ndarray:
        """Sums of parts, shape (size, columns); see :meth:`Cells.within`."""
        columns = [
            column[0] if len(column) == 1 else column[0] * column[1] for column in self.factors
        ]
        sums = [np.bincount(places, weights=column, minlength=size) for column in columns]
        return np.stack(sums, axis=1)


def _sum(column: tuple[np.ndarray, ...]) -> np.ndarray:
    if len(column) == 1:
        return np.asarray(column[0].sum(axis=-1))
    first, second = column
    if first.ndim == 1:
        return np.asarray(first @ second)
    return np.einsum("...n,...n->...", first, second)


#: terms of the samples of one or two arguments
Terms = tuple[Cells | Columns, ...]


def is_of_two_sets(terms: Terms) -> bool:
    """Whether a metric compares two sets of values, each with terms of its own."""
    return len(terms) > 1 and terms[-1].of > 0


@dataclass(frozen=True)
class Sums:
    """A metric as a function of sums.

    Args:
        terms: (arguments of the metric, parameters) -> what each sample adds
        value: (sums, shape (..., k); sums of all samples, broadcast to that; parameters) ->
            values, shape (..., V); what a resample lacks is NaN, what all lack has the value
            that the metric gives it
        keys: (arguments, parameters) -> keys of the values
        counted: whether the sums are counts of cases that exclude each other, so that what was
            never seen is drawn as "few", not as "never"
        nature: see :data:`Nature`. The sums of a share are its hits, then its misses
    """

    terms: Callable[[Sequence[np.ndarray], Given], Terms]
    value: Callable[[np.ndarray, np.ndarray, Given], np.ndarray]
    keys: Callable[[Sequence[np.ndarray], Given], tuple[Key, ...]] = lambda arrays, params: WHOLE
    counted: bool = False
    nature: Nature = ""

    def total(self, *arrays: np.ndarray, **params: Any) -> np.ndarray:
        """Sums of samples, shape (..., k)."""
        return np.concatenate([part.total() for part in self.terms(arrays, params)], axis=-1)

    def point(self, *arrays: np.ndarray, **params: Any) -> np.ndarray:
        """Values of samples, shape (V,)."""
        total = self.total(*arrays, **params)
        return self.of(total, total, params)

    def number(self, *arrays: np.ndarray, **params: Any) -> float:
        """The value of a metric that has one."""
        return float(self.point(*arrays, **params)[0])

    def of(self, sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
        """Values of sums, without warnings about what is not defined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.value(sums, total, params)


def ones(like: np.ndarray) -> tuple[np.ndarray]:
    """The column that counts samples."""
    return (np.broadcast_to(1.0, like.shape),)


def ratio(part: np.ndarray, whole: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Part of a whole; NaN for a whole of 0, but 0 where the total is 0, whatever was drawn.

    >>> ratio(np.array([1.0, 0.0, 0.5]), np.array([2.0, 0.0, 0.5]), np.array([2, 2, 0])).tolist()
    [0.5, nan, 0.0]
    """
    shares = np.broadcast_to(np.where(total == 0, 0.0, np.nan), part.shape).copy()
    return np.divide(part, whole, out=shares, where=(whole > 0) & (total != 0))


def hits(codes: Sequence[np.ndarray], of: int, number: int) -> Terms:
    """Hits of each class, then misses, among the samples that one of two arrays puts there.

    Args:
        codes: class of each sample in the truth and in the prediction, -1 for none
        of: 0 for recall, 1 for precision
        number: number of classes
    """
    classes = codes[of]
    cells = classes + np.where(codes[0] == codes[1], 0, number)
    return (Cells(np.where(classes < 0, -1, cells), 2 * number, of),)


def share_of_hits(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    """Hits of each class as a share of hits and misses; see :func:`ratio`."""
    m = sums.shape[-1] // 2
    whole = sums[..., :m] + sums[..., m:]
    return ratio(sums[..., :m], whole, whole if total is sums else total[..., :m] + total[..., m:])


def mean_of_shares(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    """Mean of the shares of hits that are defined."""
    shares = share_of_hits(sums, total, params)
    mask = ~np.isnan(shares)
    if not mask.all():
        return np.asarray(np.where(mask, shares, 0).sum(-1) / mask.sum(-1))[..., None]
    return np.asarray(shares.sum(-1) / shares.shape[-1])[..., None]


def one_share(passed: np.ndarray) -> Terms:
    """Samples that pass a test, then those that do not."""
    return (Cells(np.where(passed, 0, 1), 2),)


def share_value(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    """Share of the samples that pass; NaN of none."""
    return sums[..., :1] / sums.sum(axis=-1, keepdims=True)


def two_shares(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the classes in the first samples, and in the second."""
    m = sums.shape[-1] // 2
    first, second = sums[..., :m], sums[..., m:]
    return first / first.sum(-1, keepdims=True), second / second.sum(-1, keepdims=True)


def difference_of_shares(sums: np.ndarray, total: np.ndarray, params: Given) -> np.ndarray:
    """Share of each class in the second samples minus that in the first."""
    first, second = two_shares(sums)
    return second - first
