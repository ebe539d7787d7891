"""Samples that only one of two models gets right, or that one of them gets much less right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...spec import kinds
from ...spec.view import ORIGINAL
from ...uncertainty import mcnemar
from ..explain import distance, sample_id
from .pairs import Comparison

#: numbers that differ by less are the same to a reader, as rounding of the last digit makes such differences
LAST_DIGIT = 1e-6


@dataclass(frozen=True)
class Flipped:
    """One sample, with what both models say.

    Args:
        sample: its name
        truth: annotation
        before: prediction of the baseline
        after: prediction of the candidate
        change: by how much the candidate is nearer to the annotation; 1 or -1 for labels
    """

    sample: str
    truth: Any
    before: Any
    after: Any
    change: float


@dataclass(frozen=True)
class Flips:
    """Samples of one target and dataset on unchanged input.

    Args:
        target: id of the target
        dataset: id of the dataset
        n: number of samples
        won: samples that the candidate gets right and the baseline does not; of numbers, those
            that it comes nearer to; the largest change first
        lost: the other way round
        p: McNemar test (mid-p) of won against lost, as if samples were independent; None for
            numbers, which are not right or wrong
    """

    target: str
    dataset: str
    n: int
    won: tuple[Flipped, ...]
    lost: tuple[Flipped, ...]
    p: float | None


def flips(comparison: Comparison) -> list[Flips]:
    """Flipped samples of all targets and datasets that have annotations."""
    entries = []
    for (target, dataset), cells in comparison.rebuilt.items():
        samples: dict[tuple[str, int, int], Flipped] = {}
        labels = False
        for old, new in cells:
            view = old.view
            if view.target.id not in view.samples or kinds.of(view.target).is_ragged:
                continue
            if ORIGINAL not in view.predictions or ORIGINAL not in new.view.predictions:
                continue
            labels = not kinds.of(view.target).is_number
            samples |= _of(old.view, new.view)
        if samples:
            entries.append(_flips(target, dataset, list(samples.values()), labels=labels))
    return entries


def _of(before: Any, after: Any) -> dict[tuple[str, int, int], Flipped]:
    """All samples of a view with a truth that an answer can meet: a number, or a class of the target."""
    table, target = before.samples, before.target
    places = zip(table["file"], table["start"].tolist(), table["end"].tolist(), strict=True)
    samples = {}
    for number, (file, start, end) in enumerate(places):
        truth = _plain(before.truth[number])
        if truth is None or (not kinds.of(target).is_number and truth not in target.labels):
            continue
        old, new = _plain(before.prediction[number]), _plain(after.prediction[number])
        change = distance(truth, old) - distance(truth, new)
        name = sample_id(file, start, end)
        samples[file, start, end] = Flipped(name, truth, old, new, change)
    return samples


def _plain(value: Any) -> Any:
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _flips(target: str, dataset: str, samples: list[Flipped], *, labels: bool) -> Flips:
    order = sorted(samples, key=lambda sample: (-abs(sample.change), sample.sample))
    p = None
    if labels:
        before = np.array([distance(s.truth, s.before) == 0 for s in samples])
        after = np.array([distance(s.truth, s.after) == 0 for s in samples])
        p = mcnemar(before, after).p
    return Flips(
        target,
        dataset,
        len(samples),
        tuple(sample for sample in order if sample.change > LAST_DIGIT),
        tuple(sample for sample in order if sample.change < -LAST_DIGIT),
        p,
    )
