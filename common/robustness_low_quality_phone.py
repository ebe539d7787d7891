"""A telephone call of low quality, for method pages: a thin door to :mod:`common.perturbations`."""

from __future__ import annotations

import numpy as np

from .perturbations.examples import example

#: id of the perturbation
PHONE = "low-quality-phone"


def low_quality_phone_transform(signal: np.ndarray, sampling_rate: int) -> np.ndarray:
    """Signal at the other end of a bad line, as in the test.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz

    Returns:
        float32, shape (channels, samples); the same for every call

    Raises:
        MissingDependency: if there is no encoder
    """
    return example(PHONE, signal, sampling_rate)
