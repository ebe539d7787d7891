"""Changes that a listener hardly notices; applied directly, the level is not matched.

Frequencies, ratios and lengths are those of Derington et al. (2025), where lengths are in
samples at 16 kHz: here in milliseconds, so that they mean the same at any sampling rate.
"""

from __future__ import annotations

import numpy as np

from ..core.errors import AudioError
from .base import Choice, draw, perturbation, samples_of
from .basics import butterworth, padded, white
from .levels import factor, noise_gain, power


@perturbation("additive_tone")
def additive_tone(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    lowest_hz: int,
    highest_hz: int,
    snr_db: Choice,
) -> np.ndarray:
    """Add a sine that starts with phase 0.

    The ratio is peak based: ``20 log10(max|signal| / amplitude)``, per channel. A tone that the
    sampling rate cannot hold (at half of it or above) is not there: nothing is added.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws an integer frequency, ends included, and the ratio
        lowest_hz: lowest frequency
        highest_hz: highest frequency
        snr_db: ratio in dB
    """
    frequency_hz = int(rng.integers(lowest_hz, highest_hz, endpoint=True))
    ratio_db = draw(rng, snr_db)
    if 2 * frequency_hz >= sampling_rate:
        return signal
    phase = 2 * np.pi * frequency_hz / sampling_rate * np.arange(signal.shape[1])
    amplitude = np.abs(signal).max(axis=1, keepdims=True) / factor(ratio_db)
    return signal + amplitude * np.sin(phase)


@perturbation("append_zeros")
def append_zeros(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, duration_ms: Choice
) -> np.ndarray:
    """Put silence behind the signal.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws the duration
        duration_ms: how long
    """
    return padded(signal, 0, samples_of(draw(rng, duration_ms), sampling_rate))


@perturbation("prepend_zeros")
def prepend_zeros(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, duration_ms: Choice
) -> np.ndarray:
    """Put silence before the signal; parameters as :func:`append_zeros`."""
    return padded(signal, samples_of(draw(rng, duration_ms), sampling_rate), 0)


def _crop(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, duration_ms: Choice
) -> int:
    """Number of samples to remove: drawn among the durations that leave a sample."""
    length = signal.shape[1]
    durations = np.atleast_1d(np.asarray(duration_ms, dtype=float)).tolist()
    sizes = [samples_of(duration, sampling_rate) for duration in durations]
    possible = [size for size in sizes if size < length]
    if not possible:
        raise AudioError(
            f"signal has {length} samples, too few to remove {min(sizes)} "
            f"({min(durations):g} ms at {sampling_rate} Hz)"
        )
    return draw(rng, possible)


@perturbation("crop_beginning")
def crop_beginning(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, duration_ms: Choice
) -> np.ndarray:
    """Remove the beginning.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws the duration, among those that leave at least one sample
        duration_ms: how much

    Raises:
        AudioError: if the signal is not longer than the shortest duration
    """
    return signal[:, _crop(signal, sampling_rate, rng, duration_ms) :]


@perturbation("crop_end")
def crop_end(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, duration_ms: Choice
) -> np.ndarray:
    """Remove the end; parameters and errors as :func:`crop_beginning`."""
    return signal[:, : signal.shape[1] - _crop(signal, sampling_rate, rng, duration_ms)]


@perturbation("clip")
def clip(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, share: Choice
) -> np.ndarray:
    """Clip a share of the samples: those with the largest absolute values.

    With k = floor(share x N), all values are limited to the (k + 1)-th largest absolute value,
    per channel; nothing changes if that is 0.

    Args:
        signal: shape (channels, N)
        sampling_rate: in Hz
        rng: draws the share
        share: of the samples, 0 to 1
    """
    size = np.abs(signal)
    count = int(draw(rng, share) * signal.shape[1])
    last = max(signal.shape[1] - 1 - count, 0)
    limit = np.partition(size, last, axis=1)[:, last : last + 1]
    limit = np.where(limit > 0, limit, np.inf)
    return np.clip(signal, -limit, limit)


@perturbation("gain")
def gain(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, gain_db: Choice
) -> np.ndarray:
    """Change the level.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws the gain
        gain_db: in dB
    """
    return signal * np.float32(factor(draw(rng, gain_db)))


@perturbation("highpass")
def highpass(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    cutoff_hz: Choice,
    order: int,
) -> np.ndarray:
    """Butterworth high pass, causal, from a state of rest.

    At a cutoff that the sampling rate cannot hold (half of it or above) nothing would be left:
    that is an error.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws the cutoff
        cutoff_hz: where the power is halved
        order: of the filter; the slope is 6 dB per octave and order

    Raises:
        AudioError: if the cutoff is not below half of the sampling rate
    """
    cutoff = draw(rng, cutoff_hz)
    if 2 * cutoff >= sampling_rate:
        raise AudioError(f"high pass at {cutoff:g} Hz: nothing is left at {sampling_rate} Hz")
    return butterworth(signal, sampling_rate, "highpass", cutoff, order)


@perturbation("lowpass")
def lowpass(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    cutoff_hz: Choice,
    order: int,
) -> np.ndarray:
    """Butterworth low pass, causal, from a state of rest.

    At a cutoff that the sampling rate cannot hold (half of it or above) there is nothing to
    remove: the signal stays as it is. Parameters as :func:`highpass`.
    """
    cutoff = draw(rng, cutoff_hz)
    if 2 * cutoff >= sampling_rate:
        return signal
    return butterworth(signal, sampling_rate, "lowpass", cutoff, order)


@perturbation("white_noise")
def white_noise(
    signal: np.ndarray, sampling_rate: int, rng: np.random.Generator, *, snr_db: Choice
) -> np.ndarray:
    """Add Gaussian white noise, each channel its own.

    Levels are RMS levels of the whole signal. Noise is not added to a silent channel.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws ratio and noise
        snr_db: ratio in dB
    """
    ratio_db = draw(rng, snr_db)
    noise = white(rng, signal.shape)
    gain = noise_gain(power(signal), power(noise), ratio_db)
    return signal + gain.astype(np.float32) * noise
