"""Statistics of shifts: what changes from all samples of a group to those in a context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from common.metrics.bins import bin_labels
from common.uncertainty.base import STATISTICS, Key, Sample, Sums, Support
from common.uncertainty.counts import bins, classes


def _groups(sample: Sample) -> tuple[list[str], np.ndarray]:
    def make() -> tuple[list[str], np.ndarray]:
        import pandas as pd

        # hashing is many times faster than sorting objects
        codes, names = pd.factorize(np.asarray(sample.arrays[1], dtype=object), sort=True)
        return [str(name) for name in names], codes

    found: tuple[list[str], np.ndarray] = sample.once("groups", make)
    return found


def _inside(sample: Sample) -> np.ndarray:
    return np.asarray(sample.arrays[2], dtype=bool)


def _against_average(shifts: np.ndarray) -> np.ndarray:
    """Shifts, shape (B, groups, m), minus their mean over the groups that have one."""
    known = ~np.isnan(shifts)
    count = known.sum(axis=1, keepdims=True)
    average = np.where(known, shifts, 0).sum(axis=1, keepdims=True) / count
    return (shifts - average).reshape(len(shifts), -1)


def _keys(labels: Callable[[Sample], Sequence[str]]) -> Callable[[Sample], tuple[Key, ...]]:
    return lambda sample: tuple(
        (name, label) for name in _groups(sample)[0] for label in labels(sample)
    )


def _support(labels: Callable[[Sample], Sequence[str]]) -> Any:
    """Samples of the group in the context, compared with all samples of the group."""

    def support(sample: Sample) -> Support:
        names, codes = _groups(sample)
        inside, m = _inside(sample), len(labels(sample))
        base = sample.support(0, codes, len(names)).own
        found = sample.support(0, np.where(inside, codes, -1), len(names))
        own, clusters, base = (
            np.repeat(table, m, axis=-1) for table in (found.own, found.clusters, base)
        )
        return Support(own, clusters, base, found.strata)

    return support


def _one(sample: Sample) -> Sequence[str]:
    return ("",)


def _class_labels(sample: Sample) -> Sequence[str]:
    return sorted(sample.labels)


def _bin_labels(sample: Sample) -> Sequence[str]:
    return bin_labels(sample.params["bins"])


# -- means: number and sum outside and inside the context --------------------------------------


def _mean_sums(sample: Sample) -> np.ndarray:
    names, codes = _groups(sample)
    values = np.asarray(sample.arrays[0], dtype=np.float64)
    values = values - (values.mean() if len(values) else 0.0)
    cells = 2 * codes + _inside(sample)
    size = 2 * len(names)
    joint = sample.places[0] * size + cells
    sums = np.bincount(joint, weights=values, minlength=sample.size * size)
    numbers = sample.cells(0, cells, size)
    return np.concatenate([numbers, sums.reshape(sample.size, size)], axis=1)


def _mean_values(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
    numbers, totals = (part.reshape(len(sums), -1, 2) for part in np.split(sums, 2, axis=1))
    inside = totals[..., 1] / numbers[..., 1]
    return _against_average((inside - totals.sum(2) / numbers.sum(2))[..., None])


# -- shares of classes or bins: counts per group, class, and outside or inside the context -----


def _share_sums(
    code: Callable[[Sample, int], np.ndarray], labels: Callable[[Sample], Sequence[str]]
) -> Any:
    def sums(sample: Sample) -> np.ndarray:
        names, groups = _groups(sample)
        own, m = code(sample, 0), len(labels(sample))
        cells = (groups * m + own) * 2 + _inside(sample)
        return sample.cells(0, np.where(own < 0, -1, cells), len(names) * m * 2)

    return sums


def _share_values(labels: Callable[[Sample], Sequence[str]]) -> Any:
    def values(sums: np.ndarray, total: np.ndarray, sample: Sample) -> np.ndarray:
        table = sums.reshape(len(sums), -1, len(labels(sample)), 2)
        everything, inside = table.sum(axis=3), table[..., 1]
        shares = [part / part.sum(axis=2, keepdims=True) for part in (everything, inside)]
        return _against_average(shares[1] - shares[0])

    return values


def _sorted_classes(sample: Sample, number: int) -> np.ndarray:
    place = np.append(np.argsort(np.argsort(sample.labels)), -1)
    found: np.ndarray = place[classes(sample, number)]
    return found


def _shares(
    code: Callable[[Sample, int], np.ndarray], labels: Callable[[Sample], Sequence[str]]
) -> Sums:
    return Sums(
        _share_sums(code, labels), _share_values(labels), _support(labels), _keys(labels), True
    )


STATISTICS.add("mean_shift_difference", Sums(_mean_sums, _mean_values, _support(_one), _keys(_one)))
STATISTICS.add("class_proportion_shift_difference", _shares(_sorted_classes, _class_labels))
STATISTICS.add("bin_proportion_shift_difference", _shares(bins, _bin_labels))
