"""The embedded baseline detector of sound events: a small network on energy and spectrum.

For every frame it looks at the levels of some frequency bands, how they differ from the usual
level of the recording and from a moment before, and at the same around the frame. It was trained
on scenes of the embedded recipe (:mod:`common.models.demo.train_detector`) that no test uses, and
says nothing about real sounds. ``detector.json`` holds labels and weights; only numpy is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import ModelError

WEIGHTS = Path(__file__).with_name("detector.json")
FORMAT = 1
SAMPLING_RATE = 16000
HOP_S = 0.04
HOP, WINDOW, SIZE = 640, 1024, 1024
BANDS, LOWEST_HZ, HIGHEST_HZ = 28, 80.0, 7600.0
FLOOR = 1e-9
#: frames that are transformed together: few enough to stay in the cache of the processor
BLOCK = 64
#: numbers that any processor adds up side by side divide it
ALIGNED = 32
#: distance in frames of the other frames that are looked at
AROUND = (-12, -6, -3, -1, 1, 3, 6, 12)
#: share of the frames whose level is the usual one of a recording
USUAL = 30.0
#: standardised features are cut here, so that odd signals give ordinary values
LIMIT = 5.0


@lru_cache(maxsize=1)
def _bank() -> np.ndarray:
    """Triangular filters, evenly spaced on the mel scale, shape (bands, bins)."""
    low, high = (2595 * np.log10(1 + hz / 700) for hz in (LOWEST_HZ, HIGHEST_HZ))
    mel = np.linspace(low, high, BANDS + 2)
    hz = 700 * (10 ** (mel / 2595) - 1)
    frequency = np.fft.rfftfreq(SIZE, 1 / SAMPLING_RATE)
    rising = (frequency - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    falling = (hz[2:, None] - frequency) / (hz[2:] - hz[1:-1])[:, None]
    return np.maximum(np.minimum(rising, falling), 0)


@lru_cache(maxsize=1)
def _filters() -> list[tuple[slice, np.ndarray]]:
    """Bins of each filter and their weights, without most of its zeros.

    The slices begin and end at multiples of :data:`ALIGNED`: whatever the processor adds up at
    once, the sums are those over all bins to the last bit.
    """
    filters = []
    for weights in _bank():
        inside = np.flatnonzero(weights)
        stop = inside[-1] // ALIGNED * ALIGNED + ALIGNED
        bins = slice(inside[0] // ALIGNED * ALIGNED, stop if stop < SIZE // 2 else None)
        filters.append((bins, weights[bins]))
    return filters


@lru_cache(maxsize=1)
def _window() -> np.ndarray:
    return np.hanning(WINDOW)


def levels(signal: np.ndarray) -> np.ndarray:
    """Level of each band in dB, one frame of :data:`HOP_S` after the other.

    Args:
        signal: shape (channels, samples), full scale 1; channels are averaged

    Returns:
        shape (frames, bands); as many frames as begin within the signal
    """
    mono = np.asarray(signal, dtype=np.float64).mean(axis=0)
    frames = max(1, -(-len(mono) // HOP))
    # the window is centred on the frame
    before = (WINDOW - HOP) // 2
    padded = np.pad(mono, (before, frames * HOP + WINDOW - len(mono)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:frames]
    energy = np.empty((frames, BANDS))
    for i in range(0, frames, BLOCK):
        part = slice(i, i + BLOCK)
        power = np.abs(np.fft.rfft(windows[part] * _window(), SIZE))
        power *= power
        for band, (bins, weights) in enumerate(_filters()):
            # no BLAS: its last digits may depend on the machine's number of cores
            np.einsum("fb,b->f", power[:, bins], weights, out=energy[part, band])
    return 10 * np.log10(energy / WINDOW + FLOOR)


def features(signal: np.ndarray) -> np.ndarray:
    """What the network sees of each frame, shape (frames, features)."""
    decibels = levels(signal)
    usual = np.percentile(decibels, USUAL, axis=0)
    above = decibels - usual
    loudness = np.sort(above, axis=1)[:, -6:].mean(axis=1, keepdims=True)
    frame_values = np.concatenate([above, above - loudness, loudness], axis=1)
    last = len(decibels) - 1
    parts = [frame_values]
    coarse = above.reshape(len(decibels), -1, 4).mean(axis=2)
    for step in AROUND:
        parts.append(coarse[np.clip(np.arange(len(decibels)) + step, 0, last)])
    return np.concatenate(parts, axis=1)


class Detector:
    """Scores of frames by a network with one hidden layer.

    Args:
        content: as :func:`common.models.demo.train_detector.train` returns it

    Attributes:
        targets: name of the target
        labels: target -> labels in the order of the scores
        batch_size: signals of one call; each is handled by itself

    Raises:
        ModelError: if the weights do not belong to this version
    """

    batch_size = 16

    def __init__(self, content: Mapping[str, Any]):
        if content.get("format") != FORMAT:
            raise ModelError(
                "the weights of the detector are of another version; make new ones with:"
                " python -m common.models.demo.train_detector"
            )
        self.target = str(content["target"])
        self.targets = [self.target]
        self.labels = {self.target: list(content["labels"])}
        self._mean, self._scale = np.array(content["mean"]), np.array(content["scale"])
        self._layers = [
            (np.array(layer["weights"]), np.array(layer["bias"])) for layer in content["layers"]
        ]

    def predict(self, signals: Sequence[np.ndarray], sampling_rate: int) -> dict[str, Any]:
        """Scores in [0, 1] of each frame of each signal.

        Args:
            signals: arrays of shape (channels, samples), at least one sample each
            sampling_rate: in Hz; must be that of the model

        Raises:
            ModelError: if the rate is another one
        """
        if sampling_rate != SAMPLING_RATE:
            raise ModelError(f"expected {SAMPLING_RATE} Hz, found {sampling_rate} Hz")
        return {self.target: [self.scores(features(signal)) for signal in signals]}

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Scores from features, float32, shape (frames, labels)."""
        state = np.clip((values - self._mean) / self._scale, -LIMIT, LIMIT)
        for number, (weights, bias) in enumerate(self._layers):
            state = np.einsum("fi,io->fo", state, weights) + bias
            if number < len(self._layers) - 1:
                state = np.maximum(state, 0)
        return (1 / (1 + np.exp(-np.clip(state, -30, 30)))).astype(np.float32)


def load(path: str = str(WEIGHTS)) -> Detector:
    """The model, for the ``python`` adapter (``common.models.demo.detector:load``).

    Raises:
        ModelError: if the weights cannot be read
    """
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read as weights: {error}") from None
    return Detector(content)
