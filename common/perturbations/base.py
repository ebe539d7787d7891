"""What a perturbation is: a pure function of a signal, its sampling rate and a random generator.

A function takes float32 signals of shape (channels, samples) and returns a new one; what it is
to do, such as a signal-to-noise ratio, are keyword-only parameters without default, which come
from the catalog. A parameter that lists several values is drawn from them. All randomness
comes from the generator.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from ..core.errors import AudioError
from ..core.registry import Registry

Function = Callable[..., np.ndarray]
#: a single value, or several to draw from
Choice = float | Sequence[float]
T = TypeVar("T", int, float)

PERTURBATIONS: Registry[Function] = Registry("perturbation function")


class Recordings(Protocol):
    """Recordings to draw from; see :class:`common.perturbations.corpora.Corpus`."""

    name: str

    def __len__(self) -> int:
        """Number of recordings, at least one."""
        ...

    def whole(self, number: int, sampling_rate: int, channel: int | None = None) -> np.ndarray:
        """One recording, float32, shape (samples,); all channels' mean, or one of them."""
        ...

    def excerpt(self, number: int, position: float, samples: int, sampling_rate: int) -> np.ndarray:
        """Part from a relative position in [0, 1), float32, shape (samples,).

        It is wrapped around to the beginning of the recording as often as needed.
        """
        ...


def perturbation(name: str) -> Callable[[Function], Function]:
    """Decorator that registers a perturbation and keeps what all of them promise.

    The signal is checked before: shape (channels, samples), at least one sample, no NaN. The
    result is a new float32 array. Values beyond [-1, 1] are clipped, as an audio file would do;
    if the signal itself has a larger peak, that is the limit.
    """

    def add(function: Function) -> Function:
        @functools.wraps(function)
        def kept(
            signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, **params: Any
        ) -> np.ndarray:
            signal = checked(signal)
            changed = np.asarray(function(signal, sampling_rate, rng, **params), dtype=np.float32)
            peak = np.abs(changed).max()
            if peak > 1:
                limit = max(1.0, float(np.abs(signal).max()))
                return np.clip(changed, -limit, limit)
            return changed.copy() if np.may_share_memory(changed, signal) else changed

        return PERTURBATIONS.add(name, kept)

    return add


def checked(signal: np.ndarray) -> np.ndarray:
    """The signal as float32.

    Raises:
        AudioError: if it is no array of shape (channels, samples), is empty, or holds NaN or
            infinite values
    """
    signal = np.asarray(signal, dtype=np.float32)
    if signal.ndim != 2:
        raise AudioError(f"signal has the shape {signal.shape}, expected (channels, samples)")
    if signal.size == 0:
        raise AudioError("signal holds no samples")
    if not np.isfinite(signal).all():
        raise AudioError("signal holds NaN or infinite samples")
    return signal


def draw(rng: np.random.Generator, values: T | Sequence[T]) -> T:
    """One of several values, each with the same probability; a single value is itself.

    >>> draw(np.random.default_rng(0), 3.0)
    3.0
    """
    if isinstance(values, Sequence) and not isinstance(values, str):
        return values[int(rng.integers(len(values)))]
    return values


def samples_of(duration_ms: float, sampling_rate: int) -> int:
    """Number of samples of a duration.

    >>> samples_of(6.25, 16000)
    100
    """
    return round(duration_ms * sampling_rate / 1000)
