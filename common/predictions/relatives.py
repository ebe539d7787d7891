"""The same audio in another version of a database: what was predicted there need not be predicted again.

A prediction belongs to one version, in its description and in its folder, so each store is complete in
itself. What a model that listens says of a signal does not depend on the version, nor do the draws of
perturbations. So a store takes what the store of another version has of segments that are the same audio
there: the same file, which has the same checksum, and the same start and end.
Decision 31 says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .store import PredictionStore


@dataclass(frozen=True)
class Overlap:
    """What another version of a database holds of the same audio.

    Args:
        version: the other version
        data: fingerprint of its media
        segments: which segments of a source it holds, boolean, shape (K,)
    """

    version: str
    data: str
    segments: np.ndarray


@dataclass(frozen=True)
class Relative:
    """Where the same predictions on another version of a database are kept.

    Args:
        store: predictions of the same model in the same condition by the same code
        segments: which segments of the source are the same audio there, boolean, shape (K,)
    """

    store: PredictionStore
    segments: np.ndarray


def relatives(
    overlaps: Iterable[Overlap],
    described: Mapping[str, Any],
    store_of: Callable[[dict[str, Any]], PredictionStore],
) -> tuple[Relative, ...]:
    """Stores of other versions of a database that hold some of the same audio.

    Only for what depends on the signal and on nothing else, least of all on the version.

    Args:
        overlaps: other versions and what they hold
        described: what decides about the predictions
        store_of: store of what is described
    """
    return tuple(
        Relative(
            store_of({**described, "database_version": overlap.version, "data": overlap.data}),
            overlap.segments,
        )
        for overlap in overlaps
    )
