"""A telephone call of low quality: compressor, speech codec, hiss."""

from __future__ import annotations

import numpy as np

from ..samples.audio import resample
from . import amr
from .base import perturbation
from .basics import butterworth, padded, pink
from .compander import compress
from .levels import factor, is_silent, level_as, peak_normalised, power


@perturbation("low_quality_phone")
def low_quality_phone(
    signal: np.ndarray,
    sampling_rate: int,
    rng: np.random.Generator,
    *,
    bit_rate: int,
    attack_s: float,
    release_s: float,
    threshold_db: float,
    output_db: float,
    knee_db: float,
    noise_db: float,
    noise_cutoff_hz: float,
) -> np.ndarray:
    """The signal at the other end of a line.

    Resampled to 8 kHz, normalised to a peak of 1, compressed, coded and decoded by AMR narrow
    band without its delay, resampled back, normalised to a peak of 1; then pink noise, high
    passed, is added and the level of the signal restored. A silent signal stays as it is.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
        rng: draws the noise
        bit_rate: of the codec, in bit/s
        attack_s: time constant of the compressor when the level rises
        release_s: time constant of the compressor when the level falls
        threshold_db: level from which on it compresses
        output_db: level that comes out there
        knee_db: reach of the rounding of its curve
        noise_db: peak of the noise before its high pass, in dB
        noise_cutoff_hz: cutoff of its high pass, a Butterworth filter of order 2

    Raises:
        MissingDependency: if there is no encoder
    """
    signal_power = power(signal)
    if is_silent(signal_power):
        return signal
    narrow = peak_normalised(resample(signal, sampling_rate, amr.RATE))
    narrow = compress(
        narrow,
        amr.RATE,
        attack_s=attack_s,
        release_s=release_s,
        threshold_db=threshold_db,
        output_db=output_db,
        knee_db=knee_db,
    )
    narrow = amr.round_trip(narrow, bit_rate).astype(np.float32)
    speech = peak_normalised(_fitted(resample(narrow, amr.RATE, sampling_rate), signal.shape[1]))
    noise = pink(rng, signal.shape) * factor(noise_db)
    if 2 * noise_cutoff_hz < sampling_rate:
        noise = butterworth(noise, sampling_rate, "highpass", noise_cutoff_hz, 2)
        speech = speech + noise
    return level_as(speech, signal_power)


def _fitted(signal: np.ndarray, length: int) -> np.ndarray:
    """Signal of a length, cut or with zeros at its end."""
    signal = signal[:, :length]
    return padded(signal, 0, length - signal.shape[1])
