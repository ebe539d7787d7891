"""Mean F0 of segments, each computed once and kept in the cache."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure
from ...core.errors import DataError
from ...core.provenance import digest
from ...samples import datasets
from ...samples.base import Samples
from ...spec.view import ORIGINAL
from ..inputs import Request, Source
from ..predict import Predictor
from ..relatives import relatives
from ..store import PredictionStore
from .base import Context
from .f0_models import COLUMN, RATE_HZ, Autocorrelation

#: folder in the cache
FOLDER = "attributes"


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
        model.name,
        ORIGINAL,
        [COLUMN],
        mask,
        stored(described),
        relatives=relatives(source.overlaps, described, stored),
    )
    Predictor(
        source,
        [request],
        workers=context.workers,
        perturbing=context.perturbing,
        progress=context.progress,
        cache=context.cache,
    ).run()
    if request.failed:
        count = f"{len(request.failed)} of {int(mask.sum())}"
        raise DataError(f"no pitch for {count} samples; first: {request.first_failure}")
    values: np.ndarray = request.values[ids, 0]
    return values
