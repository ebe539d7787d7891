"""Chance models of sound events: frame scores that never depend on what is heard.

* ``silent``: nothing is ever detected;
* ``always``: every class all the time;
* ``poisson``: events at random times, by a Poisson process for each class, of exponential
  length. An event has one score, drawn evenly; about ``per_minute`` of them are above the
  threshold of the target.

Only the length of the signals is looked at. Each class of each recording has random numbers of
its own, keyed as in :mod:`common.models.chance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ConfigError
from ..core.registry import unknown
from ..core.rng import generator
from .base import Batch, SampleKey, place

DISTRIBUTIONS = ("silent", "always", "poisson")
_POISSON = ("per_minute", "mean_s")


class EventChance:
    """Random or constant frame scores.

    Args:
        entry: catalog entry
        targets: the targets that it serves
        seed: seed of the run
    """

    needs_audio = True
    batch_size = 64
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(self, entry: spec.Model, targets: list[spec.Target], seed: int):
        self.sampling_rate = entry.sampling_rate
        self.targets = tuple(target.id for target in targets)
        self._id, self._seed = entry.id, int(seed)
        self._kind = str(entry.params["distribution"])
        self._params = parameters(entry)
        self._targets = targets

    def predict(self, batch: Batch) -> dict[str, Any]:
        """Scores of all signals of a batch."""
        answer = {}
        for target in self._targets:
            scores = np.empty(len(batch), dtype=object)
            for number, (key, signal) in enumerate(zip(batch.keys, batch.signals, strict=True)):
                seconds = signal.shape[-1] / batch.sampling_rate
                scores[number] = self._scores(target, key, seconds)
            answer[target.id] = scores
        return answer

    def _scores(self, target: spec.Target, key: SampleKey, seconds: float) -> np.ndarray:
        assert target.detection is not None
        hop, rule = target.detection.hop_s, target.detection.threshold
        frames = max(1, int(np.ceil(seconds / hop - 1e-9)))
        scores = np.empty((frames, len(target.labels)))
        for number, label in enumerate(target.labels):
            threshold = float(rule[label] if isinstance(rule, Mapping) else rule)
            if self._kind == "poisson":
                scores[:, number] = threshold - 1
                self._draw(scores[:, number], key, target.id, label, hop, threshold)
            else:
                scores[:, number] = threshold + (1 if self._kind == "always" else -1)
        return scores

    def _draw(
        self,
        scores: np.ndarray,
        key: SampleKey,
        target: str,
        label: str,
        hop: float,
        threshold: float,
    ) -> None:
        """Events of one class, in place."""
        where = (key.database, key.file, int(key.start), int(key.end), key.condition)
        random = generator(self._seed, self._id, *where, target, label)
        # half of the events have a score above the threshold
        count = random.poisson(2 * self._params["per_minute"] * len(scores) * hop / 60)
        onsets = random.uniform(0, len(scores), count)
        lengths = random.exponential(self._params["mean_s"] / hop, count)
        levels = threshold + random.uniform(-0.5, 0.5, count)
        for onset, length, level in zip(onsets, lengths, levels, strict=True):
            part = scores[int(onset) : int(onset + length) + 1]
            np.maximum(part, level, out=part)


def parameters(entry: spec.Model) -> dict[str, float]:
    """Checked parameters of the random model; empty for the constant ones.

    Raises:
        ConfigError: for an unknown or missing one, or one that is no positive number
    """
    names = _POISSON if entry.params["distribution"] == "poisson" else ()
    for name in entry.params:
        if name not in ("distribution", *names):
            raise unknown("parameter", name, ["distribution", *names], place(entry, "params"))
    for name in names:
        value = entry.params.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            where = place(entry, f"params.{name}")
            raise ConfigError(f"{where}: expected a number above 0, found {value!r}")
    return {name: float(entry.params[name]) for name in names}
