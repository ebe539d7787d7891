"""What every model gets: its last seconds only, one kind of error, and checked answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .. import spec
from ..core.errors import ModelError, ModelTimeout
from ..spec import kinds
from .base import Batch, LoadedModel, foreign, unmasked


class Checked:
    """A model whose answers can be relied on.

    Args:
        model: the model of an adapter
        entry: its catalog entry
        targets: all targets of the suite
        fingerprint: hash of everything that decides about its predictions
    """

    def __init__(
        self,
        model: LoadedModel,
        entry: spec.Model,
        targets: Mapping[str, spec.Target],
        fingerprint: str,
    ):
        self.model = model
        self.fingerprint = fingerprint
        self.targets = model.targets
        self.sampling_rate = model.sampling_rate
        self.needs_audio = model.needs_audio
        self.batch_size = model.batch_size
        self.equal_length = model.equal_length
        self.group_size = model.group_size
        self._name = f"model '{entry.id}'"
        self._targets = [targets[name] for name in model.targets]
        self._outputs = entry.outputs
        self._seconds = entry.max_signal_length
        timed = [t.id for t in self._targets if kinds.get(t.kind).keeps_time]
        if timed and self._seconds is not None:
            raise ModelError(
                f"{self._name}: max_signal_length: leave it out, as '{timed[0]}' needs whole"
                " recordings: times in the last part of one do not count from its beginning"
            )

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """As :meth:`common.models.base.LoadedModel.predict`; values are float64 and finite."""
        if self._seconds is not None and batch.signals:
            signals = [tail(s, self._seconds, batch.sampling_rate) for s in batch.signals]
            batch = replace(batch, signals=signals)
        try:
            with foreign("predict"):
                answer = self.model.predict(batch)
        except ModelError as error:
            # a model may raise a kind of its own, which other arguments belong to
            kind = ModelTimeout if isinstance(error, ModelTimeout) else ModelError
            raise kind(f"{self._name}: {error}") from error
        return {target.id: self._checked(target, answer, batch) for target in self._targets}

    def _checked(
        self, target: spec.Target, answer: Mapping[str, np.ndarray], batch: Batch
    ) -> np.ndarray:
        if target.id not in answer:
            names = ", ".join(map(str, answer)) or "nothing"
            raise ModelError(f"{self._name}: target '{target.id}': no values, found {names}")
        try:
            values = kinds.get(target.kind).encode(
                target,
                unmasked(answer[target.id]),
                n=len(batch),
                seconds=_seconds(batch),
                output=self._outputs.get(target.id),
            )
        except ModelError as error:
            raise ModelError(f"{self._name}: {error}") from None
        return values[:, 0] if kinds.of(target).is_number else values


def _seconds(batch: Batch) -> list[float] | None:
    """Lengths of the signals; None if the model does not hear them."""
    if not batch.signals:
        return None
    return [signal.shape[-1] / batch.sampling_rate for signal in batch.signals]


def tail(signal: np.ndarray, seconds: float, sampling_rate: int) -> np.ndarray:
    """Last part of a signal.

    Args:
        signal: shape (channels, samples)
        seconds: length of the part; the nearest number of samples, at least one
        sampling_rate: in Hz

    Returns:
        view of the last samples; the whole signal if it is not longer

    >>> tail(np.arange(8).reshape(1, 8), 0.3, 10)
    array([[5, 6, 7]])
    """
    samples = max(1, round(seconds * sampling_rate))
    return signal[..., -samples:]
