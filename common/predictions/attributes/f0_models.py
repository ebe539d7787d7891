"""Methods that find the mean F0 of a signal, each as a model that any process may load."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np

from ...core.errors import MissingDependency
from ...models.base import Batch
from . import f0

#: rate of the signal that the pitch is taken from
RATE_HZ = 16000
#: column of predictions; 0: no voiced frame
COLUMN = "f0_hz"


class Autocorrelation:
    """The own method as a model that predicts the mean of the voiced frames."""

    name: ClassVar[str] = "F0 by autocorrelation"
    targets: tuple[str, ...] = (COLUMN,)
    sampling_rate = RATE_HZ
    needs_audio = True
    batch_size = 16
    equal_length = False
    group_size = 1
    fingerprint = f"autocorrelation {f0.VERSION}"

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """Mean F0 of each signal, 0 if it has no voiced frame."""
        values = [self.mean(signal[0], batch.sampling_rate) for signal in batch.signals]
        return {COLUMN: np.array(values, dtype=np.float64)}

    def mean(self, signal: np.ndarray, sampling_rate: int) -> float:
        """Mean of the voiced frames of one signal."""
        return f0.mean_f0(signal, sampling_rate)


class Praat(Autocorrelation):
    """Praat's own *To Pitch*."""

    name = "F0 by praat"

    def __init__(self) -> None:
        try:
            import parselmouth
        except ImportError:
            raise MissingDependency(
                "F0 by Praat needs praat-parselmouth", "pip install praat-parselmouth"
            ) from None
        self._praat = parselmouth
        package = importlib.metadata.version("praat-parselmouth")
        self.fingerprint = f"Praat {parselmouth.PRAAT_VERSION} (parselmouth {package})"

    def mean(self, signal: np.ndarray, sampling_rate: int) -> float:
        """Mean of the voiced frames of one signal; a signal too short for Praat has none."""
        if len(signal) < 3 * sampling_rate / f0.DEFAULT.floor_hz:
            return 0.0
        sound = self._praat.Sound(signal.astype(np.float64), sampling_rate)
        values = sound.to_pitch().selected_array["frequency"]
        voiced = values[values > 0]
        return float(voiced.mean()) if len(voiced) else 0.0


#: name, which no model of a catalog can have -> loads the method
METHODS: Mapping[str, Callable[[], Autocorrelation]] = {
    Autocorrelation.name: Autocorrelation,
    Praat.name: Praat,
}


def method(name: str) -> Autocorrelation:
    """Method by its name: autocorrelation or praat.

    Raises:
        MissingDependency: if Praat is wanted and not installed
    """
    return METHODS[f"F0 by {name}"]()
