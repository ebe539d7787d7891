"""Background noise, for method pages: a thin door to :mod:`common.perturbations`."""

from __future__ import annotations

import numpy as np

from .perturbations.examples import example, named


def noise_transform(
    signal: np.ndarray, sampling_rate: int, noise_type: str, *, demo: bool = False
) -> np.ndarray:
    """Signal with background noise, as in the test.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        noise_type: ``babble``, ``coughing``, ``environmental``, ``music``, ``sneezing`` or
            ``white``
        demo: whether to draw from recordings that the program makes itself

    Returns:
        float32, shape (channels, samples); the same for every call

    Raises:
        ConfigError: for an unknown type
        DatasetUnavailable: if the recordings are not on this machine

    >>> signal = np.sin(np.arange(16000, dtype="float32") / 20)[None, :] / 10
    >>> noise_transform(signal, 16000, "white").shape
    (1, 16000)
    """
    return example(named(noise_type), signal, sampling_rate, demo=demo)
