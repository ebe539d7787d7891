"""Statistics of metrics that count: shares, recall, precision, histograms.

The sums are counts of cases that exclude each other. A ratio whose cases do not occur in a
resample is not defined there; one whose cases do not occur at all has the value that the metric
gives it, 0, in every resample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from common.metrics import METRICS, ranges
from common.metrics.bins import bin_codes, bin_labels
from common.metrics.classification import label_codes
from common.uncertainty.base import STATISTICS, Key, Sample, Sums, Support
from common.uncertainty.numbers import two_supports


def classes(sample: Sample, number: int) -> np.ndarray:
    """Class of each value, -1 for others."""
    return _codes(sample, number, lambda: label_codes(sample.arrays[number], sample.labels))


def bins(sample: Sample, number: int) -> np.ndarray:
    """Bin of each value."""
    values, m = np.asarray(sample.arrays[number], np.float64), sample.params["bins"]
    return _codes(sample, number, lambda: bin_codes(values, m))


def _codes(sample: Sample, number: int, make: Callable[[], np.ndarray]) -> np.ndarray:
    found: np.ndarray = sample.once(f"codes of {number}", make)
    return found


def class_keys(sample: Sample) -> tuple[Key, ...]:
    """One value per class."""
    return tuple(("", label) for label in sample.labels)


def bin_keys(sample: Sample) -> tuple[Key, ...]:
    """One value per bin."""
    return tuple(("", label) for label in bin_labels(sample.params["bins"]))


def ratio(part: np.ndarray, whole: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Part of a whole; NaN for a whole of 0, but 0 where the total is 0, too."""
    return np.where(total == 0, 0.0, np.where(whole > 0, part / whole, np.nan))


# -- hits per class or bin -------------------------------------------------------------------


def _hits(code: Callable[[Sample, int], np.ndarray], of: int, size: Callable[[Sample], int]) -> Any:
    """Sample -> hits of each class, then misses, among those that array ``of`` puts there."""

    def sums(sample: Sample) -> np.ndarray:
        codes = code(sample, 0), code(sample, 1)
        m = size(sample)
        cells = codes[of] + np.where(codes[0] == codes[1], 0, m)
        return sample.cells(of, np.where(codes[of] < 0, -1, cells), 2 * m)

    return sums


def _shares(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    m = sums.shape[1] // 2
    return ratio(sums[:, :m], sums[:, :m] + sums[:, m:], total[:m] + total[m:])


def _average(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    shares = _shares(sums, total, sample)
    known = ~np.isnan(shares)
    return (np.where(known, shares, 0).sum(1) / known.sum(1))[:, None]


def _per_class(
    code: Callable[[Sample, int], np.ndarray], of: int, size: Callable[[Sample], int]
) -> Callable[[Sample], Support]:
    return lambda sample: sample.support(of, code(sample, of), size(sample))


def _number_of_classes(sample: Sample) -> int:
    return len(sample.labels)


def _number_of_bins(sample: Sample) -> int:
    return int(sample.params["bins"])


for _name, _of in (("recall", 0), ("precision", 1)):
    for _what, _code, _size, _keys in (
        ("class", classes, _number_of_classes, class_keys),
        ("bin", bins, _number_of_bins, bin_keys),
    ):
        _cells, _support = _hits(_code, _of, _size), _per_class(_code, _of, _size)
        _sums = Sums(_cells, _shares, _support, _keys, counts=True, nature="share")
        STATISTICS.add(f"{_name}_per_{_what}", _sums)
    _cells = _hits(classes, _of, _number_of_classes)
    STATISTICS.add("uar" if _of == 0 else "uap", Sums(_cells, _average, counts=True))


# -- one share -------------------------------------------------------------------------------


def _share_of(test: Callable[[Sample], np.ndarray]) -> Sums:
    """Statistic of the share of samples that pass a test."""

    def sums(sample: Sample) -> np.ndarray:
        return sample.cells(0, np.where(test(sample), 0, 1), 2)

    return Sums(sums, _shares, counts=True, nature="share")


def _in_range(sample: Sample) -> np.ndarray:
    values = np.asarray(sample.arrays[0], dtype=np.float64)
    low, high = sample.params.get("low"), sample.params.get("high")
    above = values >= (-np.inf if low is None else low)
    inside: np.ndarray = above & (values <= (np.inf if high is None else high))
    return inside


def _unchanged(sample: Sample) -> np.ndarray:
    before, after = (np.asarray(values, dtype=np.float64) for values in sample.arrays)
    same: np.ndarray = np.abs(after - before) < sample.params["tolerance"]
    return same


def _equal(sample: Sample) -> np.ndarray:
    before, after = (np.asarray(values, dtype=object) for values in sample.arrays)
    return np.asarray(before == after, dtype=bool)


for _metric in METRICS:
    if _metric.function.__module__ == ranges.__name__:
        STATISTICS.add(_metric.id, _share_of(_in_range))
STATISTICS.add("percentage_unchanged", _share_of(_unchanged))
STATISTICS.add("percentage_unchanged_classes", _share_of(_equal))


# -- two histograms --------------------------------------------------------------------------


def _histograms(code: Callable[[Sample, int], np.ndarray], size: Callable[[Sample], int]) -> Any:
    """Sample -> counts of the first values per class or bin, then of the second."""

    def sums(sample: Sample) -> np.ndarray:
        parts = [sample.cells(n, code(sample, n), size(sample)) for n in (0, 1)]
        return np.concatenate(parts, axis=1)

    return sums


def _two_shares(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    m = sums.shape[1] // 2
    first, second = sums[:, :m], sums[:, m:]
    return first / first.sum(1, keepdims=True), second / second.sum(1, keepdims=True)


def _difference(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    first, second = _two_shares(sums)
    return second - first


def _distance(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    first, second = _two_shares(sums)
    middle = (first + second) / 2
    divergence = (_relative_entropy(first, middle) + _relative_entropy(second, middle)) / 2
    return np.sqrt(np.clip(divergence, 0, 1))[:, None]


def _relative_entropy(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    logs = np.log2(p / q, out=np.zeros_like(p), where=p != 0)
    return np.asarray((p * logs).sum(axis=1))


STATISTICS.add(
    "relative_difference_per_class",
    Sums(
        _histograms(classes, _number_of_classes), _difference, two_supports, class_keys, counts=True
    ),
)
STATISTICS.add(
    "relative_difference_per_bin",
    Sums(_histograms(bins, _number_of_bins), _difference, two_supports, bin_keys, counts=True),
)
STATISTICS.add(
    "jensen_shannon_distance",
    Sums(
        _histograms(bins, _number_of_bins),
        _distance,
        two_supports,
        nature="distance",
    ),
)
