"""Audio files as float32 signals of shape (channels, samples).

A segment is cut at the sampling rate of its file, from sample ``round(start * rate)`` to
before sample ``round(end * rate)``, and resampled afterwards, so a segment does not depend on
the samples around it. All functions may be called from several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..core.errors import AudioError
from .decode import SLACK_S, Info, Reader, longest, open_audio, read_info, too_long

__all__ = ["Info", "info", "load", "load_many", "peak", "peaks", "read", "resample", "to_mono"]

NS = 1_000_000_000


def info(path: Path) -> Info:
    """Duration in seconds, sampling rate in Hz and number of channels.

    Only headers are read, where the format has one that tells the length.

    Raises:
        AudioError: if the file is missing, empty, truncated or no audio
    """
    return read_info(Path(path), str(path))


def read(path: Path, start_ns: int = 0, end_ns: int = -1) -> tuple[np.ndarray, int]:
    """One segment as it is in the file.

    Args:
        path: audio file of any format that libsndfile or FFmpeg know
        start_ns: start in ns
        end_ns: end in ns; -1: end of the file. It may lie up to 0.1 s behind the end of the
            file, as annotations are rounded; then the segment ends with the file

    Returns:
        float32 signal of shape (channels, samples), sampling rate in Hz

    Raises:
        AudioError: if the file is missing, empty, truncated or no audio, or if the segment
            holds no samples, ends behind the file, is longer than is read at once
            (:data:`common.samples.decode.LARGEST`), or holds NaN or infinite samples
    """
    with open_audio(Path(path), str(path)) as reader:
        return _segment(reader, str(path), start_ns, end_ns), reader.sampling_rate


def load(path: Path, start_ns: int, end_ns: int, sampling_rate: int) -> np.ndarray:
    """One segment as mono signal at a sampling rate.

    Args:
        path: audio file
        start_ns: start in ns
        end_ns: end in ns; -1: end of the file
        sampling_rate: wanted rate in Hz

    Returns:
        float32 signal of shape (1, samples) with at least one sample

    Raises:
        AudioError: as :func:`read`
    """
    with open_audio(Path(path), str(path)) as reader:
        return _mono(reader, str(path), start_ns, end_ns, sampling_rate)


def load_many(
    root: Any,
    file: str,
    segments: Sequence[tuple[int, int]],
    sampling_rate: int,
    heard: Callable[[int, float], None] | None = None,
) -> list[np.ndarray | AudioError]:
    """Segments of one file, which is opened and decoded once.

    A segment that cannot be used does not take others with it: its place holds the error.
    If the file itself cannot be used, all places do.

    Args:
        root: folder that ``file`` is relative to
        file: audio file; messages name it without ``root``
        segments: (start, end) in ns; end -1: end of the file
        sampling_rate: wanted rate in Hz
        heard: told the number of each segment and its :func:`peak` as it is in the file

    Returns:
        for each segment what :func:`load` returns, or the error that it would raise
    """

    def signal(reader: Reader, number: int) -> np.ndarray:
        note = None if heard is None else partial(heard, number)
        return _mono(reader, file, *segments[number], sampling_rate, note)

    return _each(root, file, segments, signal)


def peaks(root: Any, file: str, segments: Sequence[tuple[int, int]]) -> list[float | AudioError]:
    """Largest absolute value of each segment of one file, as in the file.

    Args:
        root: folder that ``file`` is relative to
        file: audio file
        segments: (start, end) in ns; end -1: end of the file

    Returns:
        for each segment its :func:`peak`, or the error that :func:`read` would raise
    """
    return _each(root, file, segments, lambda reader, n: peak(_segment(reader, file, *segments[n])))


def peak(signal: np.ndarray) -> float:
    """Largest absolute value of a signal in any channel, full scale being 1.

    Args:
        signal: shape (channels, samples), at least one sample

    >>> peak(np.array([[0.25, -0.5], [0.0, 0.125]]))
    0.5
    """
    return float(max(signal.max(), -signal.min()))


T = TypeVar("T")


def _each(
    root: Any,
    file: str,
    segments: Sequence[tuple[int, int]],
    value: Callable[[Reader, int], T],
) -> list[T | AudioError]:
    """Value of each segment of one file, or why there is none, in the order of their starts."""
    result: dict[int, T | AudioError] = {}
    try:
        with open_audio(Path(root) / file, file) as reader:
            for number in sorted(range(len(segments)), key=lambda n: segments[n][0]):
                try:
                    result[number] = value(reader, number)
                except AudioError as error:
                    result[number] = error
    except AudioError as error:
        return [error] * len(segments)
    return [result[number] for number in range(len(segments))]


def _mono(
    reader: Reader,
    name: str,
    start_ns: int,
    end_ns: int,
    target_rate: int,
    heard: Callable[[float], None] | None = None,
) -> np.ndarray:
    """As :func:`load`, of an open file whose segments are asked for in the order of their starts."""
    try:
        signal = _segment(reader, name, start_ns, end_ns)
        if heard is not None:
            heard(peak(signal))
        signal = to_mono(signal)
        if signal.shape[1] * target_rate > longest(1) * reader.sampling_rate:
            raise too_long(name, 1, target_rate)
        return resample(signal, reader.sampling_rate, target_rate)
    except MemoryError:
        segment = _times(start_ns, end_ns)
        raise AudioError(f"{name}: segment {segment} does not fit into memory") from None


def to_mono(signal: np.ndarray) -> np.ndarray:
    """Mean of the channels.

    Args:
        signal: shape (channels, samples)

    Returns:
        float32, shape (1, samples); ``signal`` itself if it has one channel

    >>> to_mono(np.array([[1.0, 0.0], [0.0, 0.5]], dtype="float32"))
    array([[0.5 , 0.25]], dtype=float32)
    """
    if signal.shape[0] == 1:
        return signal
    return signal.mean(axis=0, keepdims=True, dtype=np.float64).astype(np.float32)


def resample(signal: np.ndarray, original_rate: int, target_rate: int) -> np.ndarray:
    """Signal at another sampling rate, by audresample (band-limited, no delay).

    The result depends on the input only, not on threads or calls before. It has
    ``ceil(samples * target / original)`` samples, but at least one if the input has one.
    A NaN spreads to its neighbours; :func:`read` lets none pass.

    Args:
        signal: float32, shape (channels, samples)
        original_rate: its rate in Hz
        target_rate: wanted rate in Hz

    Returns:
        float32, shape (channels, samples); ``signal`` itself if the rates are equal
    """
    if original_rate == target_rate or signal.shape[1] == 0:
        return signal
    import audresample

    resampled = audresample.resample(signal, original_rate, target_rate)
    if resampled.shape[1]:
        return np.asarray(resampled)
    # fewer samples than one period of the target rate: audresample returns nothing
    padded = np.zeros((signal.shape[0], 2 * -(-original_rate // target_rate)), dtype=np.float32)
    padded[:, : signal.shape[1]] = signal
    return np.asarray(audresample.resample(padded, original_rate, target_rate)[:, :1])


def _sample(time_ns: int, rate: int) -> int:
    """Nearest sample, in integers: a float has too few digits for long files at high rates."""
    return (2 * time_ns * rate + NS) // (2 * NS)


def _segment(reader: Reader, name: str, start_ns: int, end_ns: int) -> np.ndarray:
    rate = reader.sampling_rate
    start = _sample(start_ns, rate)
    stop = None if end_ns < 0 else _sample(end_ns, rate)
    if stop is not None and stop <= start:
        raise AudioError(f"{name}: segment {_times(start_ns, end_ns)} holds no samples")
    reader.forget(start)
    signal = reader.read(start, stop)
    length = signal.shape[1]
    if length == 0:
        if start == 0:
            raise AudioError(f"{name}: holds no samples")
        whole = reader.length() / rate
        raise AudioError(
            f"{name}: segment {_times(start_ns, end_ns)} starts after the end"
            f" of the file ({whole:.2f} s)"
        )
    if stop is not None and stop - start - length > SLACK_S * rate:
        raise AudioError(
            f"{name}: segment {_times(start_ns, end_ns)} ends after the end"
            f" of the file ({(start + length) / rate:.2f} s)"
        )
    finite = np.isfinite(signal)
    if not finite.all():
        at = (start + int(np.argmin(finite.all(axis=0)))) / rate
        raise AudioError(f"{name}: holds NaN or infinite samples, the first at {at:.3f} s")
    return signal


def _times(start_ns: int, end_ns: int) -> str:
    end = "end" if end_ns < 0 else f"{end_ns / NS:.2f} s"
    return f"{start_ns / NS:.2f} s to {end}"
