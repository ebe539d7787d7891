"""A model that hardly costs anything and listens: how loud a signal is decides about its answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .scale_data import LOUD_DB, QUIET_DB

#: root mean square of silence
LEAST = 1e-6


class Loudness:
    """Dimension and category by level, for the ``python`` adapter.

    Args:
        number: target that is a number
        category: target that is a class
        classes: number of classes, from the quietest to the loudest
    """

    parameters = 2

    def __init__(self, number: str, category: str, classes: int):
        self.targets = number, category
        self._middles = (np.arange(classes) + 0.5) / classes

    def predict(self, signals: Sequence[np.ndarray], sampling_rate: int) -> dict[str, np.ndarray]:
        """Loudness in [0, 1], and for each class how near it is.

        Args:
            signals: arrays of shape (channels, samples)
            sampling_rate: in Hz
        """
        power = [float(np.vdot(signal, signal)) / signal.size for signal in signals]
        level_db = 20 * np.log10(np.maximum(np.sqrt(power), LEAST))
        loudness = np.clip((level_db - QUIET_DB) / (LOUD_DB - QUIET_DB), 0, 1)
        near = -np.abs(loudness[:, None] - self._middles)
        return dict(zip(self.targets, (loudness, near), strict=True))


def load(number: str, category: str, classes: int) -> Loudness:
    """The model; arguments as of :class:`Loudness`."""
    return Loudness(number, category, classes)
