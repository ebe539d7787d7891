"""A model that computes for a while, and lets other threads compute meanwhile, as runtimes of networks do."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

#: bytes that are hashed in one go
BLOCK = bytes(1 << 18)


class Busy:
    """Dimension by level, for the ``python`` adapter.

    Args:
        target: target that is a number
        blocks: so many blocks are hashed for each signal
    """

    parameters = 1

    def __init__(self, target: str, blocks: int):
        self.targets = (target,)
        self._blocks = blocks

    def predict(self, signals: Sequence[np.ndarray], sampling_rate: int) -> dict[str, np.ndarray]:
        """Largest absolute values.

        Args:
            signals: arrays of shape (channels, samples)
            sampling_rate: in Hz
        """
        for _ in range(self._blocks * len(signals)):
            hashlib.blake2b(BLOCK)
        peaks = [min(float(np.abs(signal).max()), 1.0) for signal in signals]
        return {self.targets[0]: np.array(peaks)}


def load(target: str, blocks: int) -> Busy:
    """The model; arguments as of :class:`Busy`."""
    return Busy(target, blocks)
