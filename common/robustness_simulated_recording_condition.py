"""Positions and rooms, for method pages: a thin door to :mod:`common.perturbations`."""

from __future__ import annotations

import numpy as np

from .core.registry import unknown
from .perturbations.examples import example

#: type -> ids of the perturbations: reference, and what is compared with it
TYPES = {
    "position": ("base-position", "simulated-position"),
    "location": ("base-room", "simulated-room"),
}


def ir_transform(
    signal: np.ndarray, sampling_rate: int, *, ir_type: str, reference: bool, demo: bool = False
) -> np.ndarray:
    """Signal at a place in a room, as in the test.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        ir_type: ``position`` (places in one room) or ``location`` (rooms)
        reference: whether to take the place that others are compared with
        demo: whether to draw from impulse responses that the program makes itself

    Returns:
        float32, shape (channels, samples); the same for every call

    Raises:
        ConfigError: for an unknown type
        DatasetUnavailable: if the impulse responses are not on this machine
    """
    if ir_type not in TYPES:
        raise unknown("ir_type", ir_type, TYPES)
    base, other = TYPES[ir_type]
    return example(base if reference else other, signal, sampling_rate, demo=demo)
