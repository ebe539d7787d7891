"""Mean F0 of segments, each computed once and kept in the cache."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure
from ...core.errors import DataError, MissingDependency
from ...core.provenance import digest
from ...models.base import Batch
from ...samples import datasets
from ...samples.base import Samples
from ...spec.view import ORIGINAL
from ..inputs import Request, Source
from ..predict import Predictor
from ..relatives import relatives
from ..store import PredictionStore
from . import f0
from .base import Context

#: rate of the signal that the pitch is taken from
RATE_HZ = 16000
#: column of the store; 0: no voiced frame
COLUMN = "f0_hz"
#: folder in the cache
FOLDER = "attributes"


def method(name: str) -> Autocorrelation:
    """Method by its name: autocorrelation or praat.

    Raises:
        MissingDependency: if Praat is wanted and not installed
    """
    return Praat() if name == "praat" else Autocorrelation()


class Autocorrelation:
    """The own method as a model that predicts the mean of the voiced frames."""

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


def store(model: Autocorrelation, samples: Samples, cache: Path) -> PredictionStore:
    """Where the F0 of the segments of a database is kept."""
    return _stored(_described(model, samples), cache)


def _described(model: Autocorrelation, samples: Samples) -> dict[str, Any]:
    """What decides about the F0 of the segments of a database."""
    dataset = samples.dataset
    return {
        "attribute": COLUMN,
        "method": model.fingerprint,
        "code": closure.code_of(type(model), datasets.module(dataset)),
        "sampling_rate": RATE_HZ,
        "database": dataset.database,
        "database_version": dataset.version,
        "data": samples.media_fingerprint,
    }


def _stored(described: Mapping[str, Any], cache: Path) -> PredictionStore:
    return PredictionStore(cache / FOLDER / COLUMN / folder_name(described), described)


def folder_name(described: Mapping[str, Any]) -> str:
    """Name of the folder of what is described."""
    return f"{described['database']}-{described['database_version']}-{digest(described)}"


def segment_f0(
    model: Autocorrelation, samples: Samples, chosen: np.ndarray, context: Context
) -> np.ndarray:
    """Mean F0 in Hz of chosen rows, 0 without a voiced frame; kept in the cache.

    Raises:
        DataError: if a file cannot be decoded
    """
    source = Source(samples)
    source.add(samples.dataset.id, samples.table, samples.kin)
    source.freeze()
    ids = source.ids(samples.dataset.id, samples.table.index)[chosen]
    mask = np.zeros(len(source.keys), dtype=bool)
    mask[ids] = True
    stored, described = partial(_stored, cache=context.cache), _described(model, samples)
    request = Request(
        lambda: model,
        COLUMN,
        ORIGINAL,
        [COLUMN],
        mask,
        stored(described),
        relatives=relatives(source.overlaps, described, stored),
    )
    Predictor(source, [request], workers=context.workers, progress=context.progress).run()
    if request.failed:
        count = f"{len(request.failed)} of {int(mask.sum())}"
        raise DataError(f"no pitch for {count} samples; first: {request.first_failure}")
    values: np.ndarray = request.values[ids, 0]
    return values
