"""What a model is to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class SampleKey:
    """Identity of one input: never an absolute path.

    Args:
        database: name of the database that holds the audio
        version: its version
        file: path in the database, with forward slashes
        start: start in ns
        end: end in ns; -1: end of the file
        condition: id of the perturbation; empty: the original
    """

    database: str
    version: str
    file: str
    start: int
    end: int
    condition: str = ""


@dataclass(frozen=True)
class Batch:
    """Inputs of one call of a model.

    Args:
        keys: identity of each input
        signals: float32 arrays of shape (channels, samples), in [-1, 1], at the model's rate;
            empty if the model does not need audio
        sampling_rate: in Hz
    """

    keys: Sequence[SampleKey]
    signals: Sequence[np.ndarray]
    sampling_rate: int

    def __len__(self) -> int:
        return len(self.keys)


class Model(Protocol):
    """A loaded model.

    Attributes:
        targets: ids of the targets that it predicts
        sampling_rate: in Hz
        needs_audio: whether ``predict`` looks at signals; else only at keys
        batch_size: largest number of signals per call
        equal_length: whether the signals of a call must have the same length
        fingerprint: hash of everything that decides about its predictions
    """

    targets: tuple[str, ...]
    sampling_rate: int
    needs_audio: bool
    batch_size: int
    equal_length: bool
    fingerprint: str

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """Predictions of all targets in one pass.

        Returns:
            target -> array; shape (N,) for regression,
            (N, number of labels) scores in the order of the target's labels for classification

        Raises:
            ModelError: if the model fails or returns something else
        """
        ...
