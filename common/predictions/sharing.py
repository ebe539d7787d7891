"""What is missing, and which of it is this run's to compute: what others compute or have stored is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .claims import Group, WorkClaims
from .inputs import Request, Source


class Sharing:
    """Missing predictions of a source, among the runs that share a cache.

    Args:
        source: distinct segments
        requests: what is wanted
        missing: of each request which segments are missing, boolean, shape (K,); what others have stored is
            no longer marked
        claims: of this run
        cache: folder of the cache
    """

    def __init__(
        self,
        source: Source,
        requests: Sequence[Request],
        missing: Sequence[np.ndarray],
        claims: WorkClaims,
        cache: Path | None,
    ):
        self._source = source
        self._requests = requests
        self._missing = missing
        self._claims = claims
        self._names = [_name(request, cache) for request in requests]
        #: number of a claim -> its segments, and which of them each request is to get
        self._own: dict[int, tuple[np.ndarray, dict[int, np.ndarray]]] = {}
        self._next = 0
        #: number of predictions that others have stored meanwhile
        self.taken_over = 0

    def turn(self, ids: np.ndarray) -> dict[int, np.ndarray]:
        """Claim what is missing of some segments.

        Args:
            ids: numbers of the segments, shape (M,)

        Returns:
            number of a request -> which of the segments this run is to compute for it, boolean, shape (M,)

        Raises:
            OutputError: if the cache cannot be written
        """
        masks = self._of(ids)
        if not masks:
            return {}
        files = [self._source.files[code] for code in self._source.file_codes[ids].tolist()]
        busy = self._claims.take(self._next, self._groups(masks, files))
        for n, mask in masks.items():
            theirs = busy.get(self._names[n])
            if theirs:
                masks[n] = mask & np.fromiter((f not in theirs for f in files), bool, len(files))
        # after the claim: what was computed before it is stored by now
        if self._claims.has_news():
            self._look()
            masks = {n: mask & self._missing[n][ids] for n, mask in masks.items()}
        self._own[self._next] = ids, masks
        self._next += 1
        return {n: mask for n, mask in masks.items() if mask.any()}

    def stored(self) -> None:
        """Everything that was computed is stored: let go of it.

        Raises:
            OutputError: if the cache cannot be written
        """
        settled = [
            number
            for number, (ids, masks) in self._own.items()
            if not any(self._missing[n][ids[mask]].any() for n, mask in masks.items())
        ]
        for number in settled:
            del self._own[number]
        self._claims.release(settled)

    def _of(self, ids: np.ndarray) -> dict[int, np.ndarray]:
        """Number of a request -> which of some segments are missing, where any is."""
        masks = {n: mask[ids] for n, mask in enumerate(self._missing)}
        return {n: mask for n, mask in masks.items() if mask.any()}

    def _groups(self, masks: dict[int, np.ndarray], files: Sequence[str]) -> list[Group]:
        """Stores that miss the same segments together."""
        stores: dict[bytes, list[str]] = {}
        for n, mask in masks.items():
            stores.setdefault(mask.tobytes(), []).append(self._names[n])
        places = {key: np.flatnonzero(np.frombuffer(key, bool)).tolist() for key in stores}
        return [(stores[key], frozenset(files[i] for i in places[key])) for key in stores]

    def _look(self) -> None:
        """Take over what other runs have stored."""
        for request, missing in zip(self._requests, self._missing, strict=True):
            if request.has_news():
                self.taken_over += request.fill(self._source, missing)


def _name(request: Request, cache: Path | None) -> str:
    """Name of a store, the same for all who share it."""
    folder = request.store.folder
    return folder.relative_to(cache).as_posix() if cache else folder.name
