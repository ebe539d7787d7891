"""Signals, and recordings that lie in memory."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from common.perturbations.corpora import wrapped

RATE = 16000


def speechlike(seconds: float = 1.0, seed: int = 0, rate: int = RATE, channels: int = 1):
    """Modulated noise with room above its peak, float32, shape (channels, samples)."""
    rng = np.random.default_rng(seed)
    size = round(seconds * rate)
    slow = np.abs(np.sin(np.arange(size) / rate * 9)) + 0.05
    return (0.05 * slow * rng.standard_normal((channels, size))).astype(np.float32)


class InMemory:
    """Stands in for a corpus."""

    name = "memory"

    def __init__(self, *recordings: np.ndarray):
        self.recordings = [np.asarray(r, dtype=np.float32) for r in recordings]

    def __len__(self) -> int:
        return len(self.recordings)

    def whole(self, number: int, sampling_rate: int, channel: int | None = None) -> np.ndarray:
        return self.recordings[number]

    def excerpt(self, number: int, position: float, samples: int, sampling_rate: int):
        recording = self.recordings[number]
        return wrapped(recording, int(position * len(recording)), samples)


def snr_db(signal: np.ndarray, noise: np.ndarray) -> float:
    """Ratio of the RMS levels."""
    return float(10 * np.log10(np.mean(np.square(signal, dtype=float)) / np.mean(noise**2.0)))


def parts(mixed: np.ndarray, signal: np.ndarray, noise: np.ndarray) -> tuple[float, float]:
    """Factors of signal and noise in a mix of both, by least squares."""
    columns = np.stack([signal.ravel(), noise.ravel()], axis=1).astype(float)
    found, *_ = np.linalg.lstsq(columns, mixed.ravel().astype(float), rcond=None)
    return float(found[0]), float(found[1])


@pytest.fixture(scope="session")
def tools() -> SimpleNamespace:
    """What the tests share."""
    return SimpleNamespace(
        RATE=RATE,
        InMemory=InMemory,
        parts=parts,
        snr_db=snr_db,
        speechlike=speechlike,
        generator=lambda seed=0: np.random.default_rng(seed),
    )
