r"""Slices of the samples in which a model is worse than elsewhere: found, then confirmed.

A slice is a value of one property (a class, a sex, the highest quarter of the pitch) or of two
together. Many slices are tried, so some look bad by chance. Speakers are therefore divided into two
halves. On one half slices are *found*: one-sided t tests, corrected by Benjamini and Hochberg over
all slices tried. That suits a search, as it keeps its power among hundreds of slices, but it is
proven only for slices that depend on each other positively, and a slice and its complement do not.
The promise is therefore made by the other half, whose speakers had no part in the search: the few
slices found are tested there once more and corrected by Benjamini and Yekutieli, which holds
however slices overlap. A slice with q at or below the level there is *confirmed*.

There are ten times as many slices of two properties as of one. So that they do not drown these, p
values of the search are weighted (Genovese, Roeder and Wasserman 2006): each of the two kinds has
half of the weight.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core import rng
from .clusters import codes_of
from .multiple import benjamini_hochberg, benjamini_yekutieli
from .student import student, two_sided

#: share of false slices among those confirmed
LEVEL = 0.05
#: share of false slices among those found, of which the other half sorts out the false ones
SEARCH_LEVEL = 0.1
#: a slice, and what lies outside of it, needs so many samples in each half
LEAST_SAMPLES = 20
#: and so many speakers
LEAST_SPEAKERS = 3
#: p values are not smaller than this, so that none is 0
SMALLEST = 1e-300
#: a spread or difference below this is rounding
ZERO = 1e-12


class Property(NamedTuple):
    """What divides the samples.

    Args:
        name: name of the property
        values: names of its values
        codes: value of each sample, -1: not known, shape (N,)
    """

    name: str
    values: tuple[str, ...]
    codes: np.ndarray


class Contrast(NamedTuple):
    """Mean losses in slices and elsewhere; arrays of shape (S,).

    Args:
        n: number of samples in the slice
        speakers: number of their speakers
        error: mean loss in the slice
        elsewhere: mean loss of all other samples
        low: lower end of the 95 % interval of the difference
        high: its upper end
        p: one-sided p value of "the slice is not worse"; NaN: too small to be tested
    """

    n: np.ndarray
    speakers: np.ndarray
    error: np.ndarray
    elsewhere: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray


#: contrasts of slices, and p values against the rest of their parts
_Tested = tuple[Contrast, np.ndarray]


class SliceFinding(NamedTuple):
    """A slice that was tried.

    Args:
        parts: place of each property among the properties, and of its value among the values
        found: contrast on the half that searches, numbers
        held_out: contrast on the other half
        q_found: q value of the search, among all slices tried
        q: q value on the other half, among those found; NaN: it was not found
    """

    parts: tuple[tuple[int, int], ...]
    found: Contrast
    held_out: Contrast
    q_found: float
    q: float

    def is_confirmed(self, level: float = LEVEL) -> bool:
        """Whether the slice is worse on speakers that had no part in finding it, too."""
        return self.q <= level


def quantile_bins(name: str, values: np.ndarray, bins: int, unit: str = "") -> Property:
    """Numbers in bins with about as many samples each; equal numbers stay together.

    Args:
        name: name of the property
        values: shape (N,); NaN: not known
        bins: number of bins
        unit: written behind the limits

    >>> quantile_bins("length", np.array([1.0, 2, 3, 4, np.nan]), 2, "s")[1:]
    (('< 2.5 s', '>= 2.5 s'), array([ 0,  0,  1,  1, -1]))
    """
    there = np.isfinite(values)
    if not there.any():
        return Property(name, (), np.full(len(values), -1))
    limits = np.quantile(values[there], np.arange(1, bins) / bins)
    limits = np.array(sorted({float(f"{limit:.3g}") for limit in limits}))
    codes = np.where(there, np.searchsorted(limits, np.nan_to_num(values), side="right"), -1)
    texts = [f"{limit:g}" for limit in limits]
    behind = f" {unit}" if unit else ""
    names = [f"{a} to {b}{behind}" for a, b in itertools.pairwise(texts)]
    if texts:
        names = [f"< {texts[0]}{behind}", *names, f">= {texts[-1]}{behind}"]
    return Property(name, tuple(names or ("any",)), codes)


def labels(name: str, values: np.ndarray) -> Property:
    """Names as a property, in alphabetical order; None: not known.

    >>> labels("sex", np.array(["m", None, "f"], dtype=object))[1:]
    (('f', 'm'), array([ 1, -1,  0]))
    """
    names = tuple(sorted({str(value) for value in values if value is not None}))
    place = {value: number for number, value in enumerate(names)}
    codes = [-1 if value is None else place[str(value)] for value in values]
    return Property(name, names, np.array(codes, dtype=np.int64))


def halves(
    speakers: np.ndarray, properties: Sequence[Property], *, seed: int, keys: tuple[str, ...]
) -> np.ndarray:
    """Which samples search; the others confirm. Speakers are never divided.

    Speakers are sorted by the value that most of their samples have in each property that hardly
    varies within speakers, so that each half gets about as many of each sex and language; among
    equals a draw that depends on the names, seed and keys alone decides.

    Args:
        speakers: name of the speaker of each sample, shape (N,)
        properties: of the samples
        seed: seed of the run
        keys: what the draw is for, for example the dataset

    Returns:
        boolean, shape (N,)
    """
    codes = codes_of(speakers)
    count = int(codes.max(initial=-1)) + 1
    draw = rng.generator(seed, "halves of speakers", *keys, count).random(count)
    traits = [trait for part in properties if (trait := _trait(part, codes, count)) is not None]
    order = np.lexsort((draw, *reversed(traits)))
    searching = np.zeros(count, dtype=bool)
    searching[order[::2]] = True
    return np.asarray(searching[codes])


def _trait(part: Property, codes: np.ndarray, count: int) -> np.ndarray | None:
    """Value of each speaker, if a property is the same in nearly all samples of a speaker."""
    there = part.codes >= 0
    table = np.zeros((count, len(part.values) + 1))
    np.add.at(table, (codes[there], part.codes[there]), 1)
    same = table.max(axis=1).sum() / max(table.sum(), 1)
    return np.asarray(table.argmax(axis=1)) if same > 0.99 and len(part.values) > 1 else None


def contrast(
    sums: np.ndarray, counts: np.ndarray, other_sums: np.ndarray, other_counts: np.ndarray
) -> Contrast:
    r"""Is the mean loss in slices larger than elsewhere? Each speaker left out once.

    With the difference of means :math:`d` and the same without speaker :math:`c`, :math:`d_{-c}`,
    the standard error is :math:`\sqrt{\frac{C - 1}{C} \sum_c (d_{-c} - d)^2}` (the jackknife of
    clusters, CR3 of Bell and McCaffrey 2002), which is not too small with few speakers. The
    degrees of freedom are one less than the effective number of speakers in the slice or
    elsewhere, whichever is smaller: Kish's :math:`(\sum_c n_c)^2 / \sum_c n_c^2`.

    Args:
        sums: losses of each speaker in each slice, shape (C, S)
        counts: numbers of samples, same shape
        other_sums: as ``sums``, of the samples that the slice is compared with
        other_counts: their numbers

    Returns:
        p is NaN for slices with fewer than :data:`LEAST_SPEAKERS` speakers or
        :data:`LEAST_SAMPLES` samples inside or outside

    >>> sums, counts = np.array([[18.0], [17], [19]]), np.full((3, 1), 20)
    >>> result = contrast(sums, counts, np.array([[4.0], [2], [3]]), counts)
    >>> result.error.round(2).tolist(), result.elsewhere.round(2).tolist(), result.p.round(4).tolist()
    ([0.9], [0.15], [0.0007])
    """
    inside, outside = (counts > 0).sum(axis=0), (other_counts > 0).sum(axis=0)
    n, other_n = counts.sum(axis=0), other_counts.sum(axis=0)
    tested = (np.minimum(inside, outside) >= LEAST_SPEAKERS) & (
        np.minimum(n, other_n) >= LEAST_SAMPLES
    )
    total, other_total = sums.sum(axis=0), other_sums.sum(axis=0)
    error, elsewhere = total / np.maximum(n, 1), other_total / np.maximum(other_n, 1)
    difference = error - elsewhere
    without = (total - sums) / np.maximum(n - counts, 1)
    without -= (other_total - other_sums) / np.maximum(other_n - other_counts, 1)
    clusters = ((counts + other_counts) > 0).sum(axis=0)
    squares = ((without - difference) ** 2).sum(axis=0)
    spread = np.sqrt((clusters - 1) / np.maximum(clusters, 1) * squares)
    freedom = np.maximum(np.minimum(_kish(counts), _kish(other_counts)) - 1, 1)
    varies = spread > ZERO
    t = difference / np.where(varies, spread, 1)
    tail = np.where(varies, two_sided(t, freedom), np.minimum(1, 2.0**-freedom)) / 2
    p = np.where(difference > ZERO, tail, np.where(varies, 1 - tail, 1))
    arm = student(freedom) * spread
    return Contrast(
        n,
        inside,
        np.where(n > 0, error, np.nan),
        np.where(other_n > 0, elsewhere, np.nan),
        np.where(tested, difference - arm, np.nan),
        np.where(tested, difference + arm, np.nan),
        np.where(tested, np.clip(p, SMALLEST, 1), np.nan),
    )


def search(
    loss: np.ndarray,
    speakers: np.ndarray,
    properties: Sequence[Property],
    *,
    seed: int,
    keys: tuple[str, ...],
    level: float = LEVEL,
) -> list[SliceFinding]:
    """All slices that are large enough in both halves, the worst confirmed one first.

    A slice of two properties counts as found only if it is worse than the rest of each of its two
    parts, too (one-sided p at most :data:`LEVEL`): what one property explains is told once.

    Args:
        loss: of each sample, the larger the worse; NaN: not known, shape (N,)
        speakers: name of the speaker of each sample, shape (N,)
        properties: what divides the samples
        seed: seed of the run
        keys: what the halves are drawn for, for example the dataset
        level: share of false slices that is allowed among those confirmed; among those found, it
            is :data:`SEARCH_LEVEL`

    Returns:
        confirmed ones, then those only found, then the others, each by falling difference
    """
    there = ~np.isnan(loss)
    loss, speakers = loss[there], speakers[there]
    properties = [part._replace(codes=part.codes[there]) for part in properties]
    searching = halves(speakers, properties, seed=seed, keys=keys)
    tables = [_Tables(loss, speakers, properties, rows) for rows in (searching, ~searching)]
    names = range(len(properties))
    sides: tuple[list[_Tested], list[_Tested]] = ([], [])
    places: list[tuple[tuple[int, int], ...]] = []
    for parts in (*((a,) for a in names), *itertools.combinations(names, 2)):
        for side, table in zip(sides, tables, strict=True):
            side.append(table.contrasts(parts))
        sizes = [len(properties[part].values) for part in parts]
        places += [tuple(zip(parts, v, strict=True)) for v in itertools.product(*map(range, sizes))]
    if not places:
        return []
    first, second = (_joined(side) for side in sides)
    tried = ~np.isnan(first[0].p) & ~np.isnan(second[0].p)
    single = np.array([len(parts) == 1 for parts in places])
    q_found = benjamini_hochberg(_weighted(np.where(tried, first[0].p, np.nan), single))
    candidates = (q_found <= SEARCH_LEVEL) & (first[1] <= LEVEL)
    q = benjamini_yekutieli(np.where(candidates, second[0].p, np.nan))
    findings = [
        SliceFinding(places[s], _at(first[0], s), _at(second[0], s), float(q_found[s]), float(q[s]))
        for s in np.flatnonzero(tried).tolist()
    ]
    findings.sort(key=lambda finding: _rank(finding, level))
    return findings


def _weighted(p: np.ndarray, single: np.ndarray) -> np.ndarray:
    """p values divided by weights with mean 1, of which slices of each kind share half."""
    tested = ~np.isnan(p)
    kinds = [tested & single, tested & ~single]
    if not all(kind.any() for kind in kinds):
        return p
    weights = np.ones(len(p))
    for kind in kinds:
        weights[kind] = tested.sum() / (2 * kind.sum())
    return np.minimum(1, p / weights)


def _rank(finding: SliceFinding, level: float) -> tuple[object, ...]:
    gap = float(finding.held_out.error - finding.held_out.elsewhere)
    return not finding.is_confirmed(level), np.isnan(finding.q), -gap, finding.parts


def _kish(counts: np.ndarray) -> np.ndarray:
    """Effective number of speakers, at least 1, shape (S,)."""
    n = counts.astype(np.float64)
    return np.asarray(n.sum(axis=0) ** 2 / np.maximum((n**2).sum(axis=0), 1))


class _Tables:
    """Sums of losses per speaker of one half, in the cells of tables of properties."""

    def __init__(
        self,
        loss: np.ndarray,
        speakers: np.ndarray,
        properties: Sequence[Property],
        rows: np.ndarray,
    ):
        self._loss = loss[rows]
        self._codes = codes_of(speakers[rows])
        self._count = int(self._codes.max(initial=-1)) + 1
        self._properties = [part._replace(codes=part.codes[rows]) for part in properties]

    def contrasts(self, parts: Sequence[int]) -> _Tested:
        """Contrasts of all slices of one or two properties, and p against the rest of a part.

        The second is the largest of the p values of a slice against what remains of each of its
        parts without it; 0 for single properties.
        """
        chosen = [self._properties[part] for part in parts]
        shape = tuple(len(part.values) for part in chosen)
        sums, counts = self._cells(chosen, shape)
        # samples without a value of a property are in no slice of it, nor elsewhere
        everything = [table.sum(axis=tuple(range(1, table.ndim))) for table in (sums, counts)]
        flat = [table.reshape(self._count, -1) for table in (sums, counts)]
        others = [whole[:, None] - part for whole, part in zip(everything, flat, strict=True)]
        result = contrast(flat[0], flat[1], others[0], others[1])
        beside = np.zeros(flat[0].shape[1])
        for axis in range(1, len(shape) + 1) if len(shape) > 1 else ():
            rest = [
                np.broadcast_to(table.sum(axis=axis, keepdims=True), table.shape) - table
                for table in (sums, counts)
            ]
            outside = [table.reshape(self._count, -1) for table in rest]
            p = contrast(flat[0], flat[1], outside[0], outside[1]).p
            beside = np.maximum(beside, np.where(np.isnan(p), 1, p))
        return result, beside

    def _cells(
        self, chosen: Sequence[Property], shape: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sum of losses and number of samples, shape (C, values of the properties ...)."""
        there = np.logical_and.reduce([part.codes >= 0 for part in chosen])
        places = (self._codes[there], *(part.codes[there] for part in chosen))
        shape = (self._count, *shape)
        flat, size = np.ravel_multi_index(places, shape), int(np.prod(shape))
        sums = np.bincount(flat, weights=self._loss[there], minlength=size)
        return sums.reshape(shape), np.bincount(flat, minlength=size).reshape(shape)


def _joined(side: Sequence[_Tested]) -> _Tested:
    contrasts, beside = zip(*side, strict=True)
    return Contrast(*map(np.concatenate, zip(*contrasts, strict=True))), np.concatenate(beside)


def _at(contrasts: Contrast, place: int) -> Contrast:
    return Contrast(*(column[place].item() for column in contrasts))
