"""The embedded baseline model: linear functions of a few acoustic features.

It shows what a model entry looks like and gives the tests something to judge. It was trained on
the synthetic training speakers of the embedded corpus (:mod:`common.models.demo.train_baseline`)
and says nothing about people. ``baseline.json`` holds targets, labels and weights; only numpy is
needed to use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import ModelError
from . import features

WEIGHTS = Path(__file__).with_name("baseline.json")
FORMAT = 1
LIMIT = 5.0  # standardised features are cut here, so that odd signals give ordinary values


class Baseline:
    """Linear regression of the dimensions and logistic regression of the category.

    Args:
        content: as :func:`common.models.demo.train_baseline.train` returns it

    Attributes:
        targets: names of the targets
        labels: classification target -> labels in the order of its scores
        sampling_rate: in Hz
        batch_size: signals of one call; each is handled by itself

    Raises:
        ModelError: if the weights do not belong to the features of this version
    """

    batch_size = 16

    def __init__(self, content: Mapping[str, Any]):
        if content.get("format") != FORMAT or content.get("features") != list(features.NAMES):
            raise ModelError(
                "the weights of the baseline model belong to other features; make new ones with:"
                " python -m common.models.demo.train_baseline"
            )
        self.sampling_rate = features.SAMPLING_RATE
        self.labels = {name: list(part["labels"]) for name, part in content["category"].items()}
        self.targets = [*content["dimensions"], *self.labels]
        self._mean = np.array(content["mean"])
        self._scale = np.array(content["scale"])
        parts = {**content["dimensions"], **content["category"]}
        self._weights = {name: np.atleast_2d(part["weights"]) for name, part in parts.items()}
        self._bias = {name: np.atleast_1d(part["bias"]) for name, part in parts.items()}

    def predict(self, signals: Sequence[np.ndarray], sampling_rate: int) -> dict[str, np.ndarray]:
        """Predictions of all targets.

        Each signal is handled by itself: its values do not depend on the other signals.

        Args:
            signals: arrays of shape (channels, samples), full scale 1, at least one sample each
            sampling_rate: in Hz; must be that of the model

        Returns:
            target -> values: shape (N,) in [0, 1] for a dimension, and probabilities of shape
            (N, labels) for the category

        Raises:
            ModelError: if the rate is another one, or a signal is empty or not finite
        """
        if sampling_rate != self.sampling_rate:
            raise ModelError(f"expected {self.sampling_rate} Hz, found {sampling_rate} Hz")
        for place, signal in enumerate(signals):
            _check(signal, place)
        return self.from_features(np.array([features.extract(signal) for signal in signals]))

    def from_features(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """As :meth:`predict`, from features of shape (N, features)."""
        rows = standardise(values.reshape(-1, len(self._mean)), self._mean, self._scale)
        predictions = {}
        for name in self.targets:
            # a sum for each row and without BLAS: the values must not depend on the batch
            sums = (rows[:, None, :] * self._weights[name]).sum(axis=2) + self._bias[name]
            if name in self.labels:
                predictions[name] = _softmax(sums)
            else:
                predictions[name] = np.clip(sums[:, 0], 0, 1)
        return predictions


def standardise(values: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Features in standard deviations from the training mean; missing ones are at the mean.

    >>> standardise(np.array([2.0, np.nan, 99.0]), np.ones(3), np.ones(3))
    array([1., 0., 5.])
    """
    return np.clip(np.nan_to_num((values - mean) / scale, nan=0.0), -LIMIT, LIMIT)


def _check(signal: np.ndarray, place: int) -> None:
    if signal.ndim != 2 or signal.size == 0:
        raise ModelError(f"signal {place}: expected (channels, samples), found {signal.shape}")
    if not np.isfinite(signal).all():
        raise ModelError(f"signal {place}: holds values that are not finite")


def _softmax(scores: np.ndarray) -> np.ndarray:
    """Probabilities, row by row."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def load(path: str = str(WEIGHTS)) -> Baseline:
    """The model, for the ``python`` adapter (``common.models.demo.baseline:load``).

    Args:
        path: JSON file with the weights

    Raises:
        ModelError: if it cannot be read
    """
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read as weights: {error}") from None
    return Baseline(content)
