"""Whether a model that fails is worth more questions: a few samples decide, whoever computes what first.

Shards stop asking a model that fails several times in a row, which saves hours where a model always
fails. But which calls come in a row depends on the number of workers, on the order in which they end,
and on what an earlier run has left. So what was not asked is settled here, by samples that are spread
over all that are wanted: if the model fails with each of them, it is given up for the database and
the condition; if it answers one, it is asked about everything.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .inputs import Request
from .shards import GIVE_UP, NOT_TRIED


class DecidingSamples:
    """The samples that decide about one request.

    Args:
        request: what is wanted, before segments are added that others want
    """

    def __init__(self, request: Request):
        self.request = request
        self.wanted = request.wanted.copy()
        ids = np.flatnonzero(self.wanted)
        places = np.linspace(0, len(ids) - 1, min(GIVE_UP, len(ids))).round().astype(int)
        #: numbers of the deciding samples
        self.ids: list[int] = ids[places].tolist()

    @property
    def has_failed(self) -> bool:
        """Whether the model has failed with all of them; not if one cannot be heard by anybody."""
        request = self.request
        failed = all(i in request.failed and i not in request.unheard for i in self.ids)
        return request.listens and bool(self.ids) and failed

    def not_tried(self) -> np.ndarray:
        """Which wanted samples nobody has asked about, boolean, shape (K,); no longer noted as failed."""
        return self._take_back(self.wanted)

    def undecided(self) -> np.ndarray:
        """The same, of those that decide."""
        mask = np.zeros(len(self.wanted), dtype=bool)
        mask[self.ids] = True
        return self._take_back(mask)

    def conclude(self) -> None:
        """Leave failures out that only others wanted, and give the model up if it has failed."""
        request = self.request
        for i in [i for i in request.failed if not self.wanted[i]]:
            del request.failed[i]
            request.unheard.discard(i)
            request.wanted[i] = False
        if self.has_failed:
            reasons = [request.failed[i] for i in self.ids]
            why = given_up(request.name, reasons)
            others = set(np.flatnonzero(self.wanted).tolist()).difference(self.ids, request.unheard)
            request.failed.update(dict.fromkeys(sorted(others), why))

    def _take_back(self, mask: np.ndarray) -> np.ndarray:
        failed = self.request.failed
        missing = np.zeros(len(mask), dtype=bool)
        for i in [i for i, why in failed.items() if mask[i] and why.startswith(NOT_TRIED)]:
            del failed[i]
            missing[i] = True
        self.request.again = True
        return missing


def given_up(model: str, reasons: Iterable[str]) -> str:
    """Why there is no prediction of a model that has failed with the samples that decide.

    >>> given_up("loud", ["a.wav: model 'loud': out of luck"])
    "not tried: model 'loud' failed with each of 1 samples from all over the data; first: a.wav: model 'loud': out of luck"
    """
    reasons = list(reasons)
    first = next((r for r in reasons if not r.startswith(NOT_TRIED)), reasons[0])
    count = len(reasons)
    return f"{NOT_TRIED}: model '{model}' failed with each of {count} samples from all over the data; first: {first}"
