"""Spectral tilt, for method pages: a thin door to :mod:`common.perturbations`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .perturbations.base import checked
from .perturbations.filters import filtered
from .samples import audio


def spectral_tilt_transform(
    signal: np.ndarray, sampling_rate: int, ir_file: str | Path
) -> np.ndarray:
    """Signal behind a filter that is read from a file, without delay, at the level of the signal.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        ir_file: audio file with the impulse response of a linear phase filter, centre at half
            of its length; it is resampled if its rate is another one

    Returns:
        float32, shape (channels, samples)

    Raises:
        AudioError: if the file cannot be decoded
    """
    taps = audio.load(Path(ir_file), 0, -1, sampling_rate)[0]
    return filtered(checked(signal), taps, len(taps) // 2)
