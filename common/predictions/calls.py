"""Calls of a model: which signals it is given together, and what it says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..models.base import Batch, LoadedModel, SampleKey

#: seconds that a group of calls may take for the next one to be larger
GROUP_S = 0.1


def in_order(numbers: Sequence[int], signals: Mapping[int, np.ndarray]) -> list[int]:
    """Numbers of signals in the order in which models get them: short ones first."""
    return sorted(numbers, key=lambda number: (signals[number].shape[-1], number))


def batches(
    model: LoadedModel, ready: list[int], signals: Mapping[int, np.ndarray]
) -> Iterator[list[int]]:
    """Samples that are given to a model together; each when the one before is settled.

    Args:
        model: the model
        ready: numbers of samples
        signals: number -> signal; not looked at if the model does not hear
    """
    if model.batch_size == 1 and model.group_size > 1:
        yield from _groups(ready, model.group_size)
        return
    batch: list[int] = []
    for number in ready:
        differs = (
            batch
            and model.needs_audio
            and model.equal_length
            and signals[number].shape[-1] != signals[batch[0]].shape[-1]
        )
        if batch and (differs or len(batch) >= model.batch_size):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _groups(ready: list[int], largest: int) -> Iterator[list[int]]:
    """Parts of a list that grow while they are settled soon, so that Ctrl-C need not wait."""
    start, count = 0, 1
    while start < len(ready):
        began = time.monotonic()
        yield ready[start : start + count]
        start += count
        if time.monotonic() - began < GROUP_S:
            count = min(2 * count, largest)


def predictions(model: LoadedModel, batch: Batch) -> np.ndarray:
    """One call of a model: columns of all its targets, shape (N, number of columns).

    Raises:
        ModelError: if the model fails
    """
    output = model.predict(batch)
    return np.column_stack([_columns(output[target]) for target in model.targets])


def all_predictions(
    model: LoadedModel,
    numbers: Sequence[int],
    signals: Mapping[int, np.ndarray],
    key_of: Callable[[int], SampleKey],
    sampling_rate: int,
) -> tuple[list[int], np.ndarray]:
    """Predictions of a model that hears, in as many calls as they take.

    Args:
        model: the model
        numbers: of samples, at least one
        signals: number -> signal
        key_of: number -> identity
        sampling_rate: in Hz

    Returns:
        numbers in another order, and their predictions, shape (N, number of columns)

    Raises:
        ModelError: if one call fails
    """
    ordered = in_order(numbers, signals)
    values = [
        predictions(
            model,
            Batch([key_of(n) for n in batch], [signals[n] for n in batch], sampling_rate),
        )
        for batch in batches(model, ordered, signals)
    ]
    return ordered, np.concatenate(values)


def _columns(values: np.ndarray) -> np.ndarray:
    return values[:, None] if values.ndim == 1 else values
