"""Adapter for chance models: random numbers that never look at the audio.

Every value is drawn on its own. SHA-256 of (seed, model id, database, file, start, end,
condition, prediction column) gives 64 bits, of which 53 make a uniform number in (0, 1).
So a value depends on what it is for and on nothing else: not on the order of samples, on
batches, on other samples or targets, and a changed signal is a new draw. The version of
the database is no part of the key: the same segment of two versions has the same values.

* ``gaussian``: truncated normal distribution by its inverse distribution function; serves
  all regression targets. Parameters ``mean``, ``sigma``, ``low``, ``high``.
* ``categorical``: one uniform score per class, so that each class has the largest one with
  the same probability; serves all classification targets.
* ``silent``, ``always``, ``poisson``: sound events, see :mod:`common.models.chance_events`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

import numpy as np

from .. import spec
from ..core.errors import ConfigError
from ..core.registry import unknown
from ..core.rng import digest
from ..spec import kinds
from . import chance_events
from .base import Batch, LoadedModel, LoadOptions, SampleKey, place
from .outputs import wanted

#: distribution -> whether it serves the targets of a kind
_SERVES: dict[str, Callable[[kinds.Kind], bool]] = {
    "gaussian": attrgetter("is_number"),
    "categorical": attrgetter("has_classes"),
    **dict.fromkeys(chance_events.DISTRIBUTIONS, attrgetter("is_ragged")),
}
#: the models never look at signals
DEAF = True
#: parameters of the gaussian model and their values if not given
_GAUSSIAN = {"mean": 0.5, "sigma": 1 / 6, "low": 0.0, "high": 1.0}


def content(entry: spec.Model, cache: Path | None) -> str:
    """Draws depend on the id of the model; the seed is a key of its own in every cache."""
    _parameters(entry)
    return entry.id


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """All targets of the kind that the distribution serves."""
    serves = _SERVES[_distribution(entry)]
    outputs = wanted(entry, targets).items()
    return tuple(name for name, (target, _) in outputs if serves(kinds.of(target)))


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> LoadedModel:
    """The model; nothing is read."""
    if _distribution(entry) in chance_events.DISTRIBUTIONS:
        served = [targets[name] for name in offered(entry, targets, None)]
        return chance_events.EventChance(entry, served, options.seed)
    return ChanceModel(entry, targets, options.seed)


class ChanceModel:
    """Random predictions.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        seed: seed of the run
    """

    needs_audio = False
    batch_size = 65536
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(self, entry: spec.Model, targets: Mapping[str, spec.Target], seed: int):
        self.sampling_rate = entry.sampling_rate
        self.targets = offered(entry, targets, None)
        self._id = entry.id
        self._seed = int(seed)
        self._parameters = _parameters(entry)
        self._columns = {name: targets[name].columns for name in self.targets}

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """Draws for all samples of a batch."""
        answer = {}
        for name, columns in self._columns.items():
            draws = np.stack([self._uniform(batch.keys, column) for column in columns], axis=1)
            if self._parameters:
                answer[name] = truncated_normal(draws[:, 0], **self._parameters)
            else:
                answer[name] = draws
        return answer

    def _uniform(self, keys: Sequence[SampleKey], column: str) -> np.ndarray:
        data = b"".join(
            digest(
                *(self._seed, self._id, key.database, key.file),
                *(int(key.start), int(key.end), key.condition, column),
            )[:8]
            for key in keys
        )
        return (np.frombuffer(data, dtype="<u8") >> np.uint64(11)).astype(float) * 2**-53 + 2**-54


def truncated_normal(
    uniform: np.ndarray, *, mean: float, sigma: float, low: float, high: float
) -> np.ndarray:
    """Values of a normal distribution that is cut off at both ends.

    Args:
        uniform: numbers in (0, 1), shape (N,)
        mean: mean of the normal distribution before it is cut
        sigma: its standard deviation
        low: smallest value
        high: largest value

    Returns:
        values between ``low`` and ``high``, shape (N,)

    >>> truncated_normal(np.array([0.5]), mean=0.5, sigma=1 / 6, low=0, high=1)
    array([0.5])
    """
    from scipy.special import ndtr, ndtri

    first, last = ndtr((low - mean) / sigma), ndtr((high - mean) / sigma)
    values = mean + sigma * ndtri(first + uniform * (last - first))
    return np.asarray(np.clip(values, low, high), dtype=np.float64)


def _distribution(entry: spec.Model) -> str:
    name = str(entry.params.get("distribution", ""))
    if name not in _SERVES:
        raise unknown("distribution", name, _SERVES, place(entry, "params.distribution"))
    return name


def _parameters(entry: spec.Model) -> dict[str, float]:
    """Checked parameters; empty for a model without."""
    if _distribution(entry) in chance_events.DISTRIBUTIONS:
        return chance_events.parameters(entry)
    defaults = _GAUSSIAN if _distribution(entry) == "gaussian" else {}
    values = dict(defaults)
    for name, value in entry.params.items():
        if name == "distribution":
            continue
        if name not in defaults:
            raise unknown("parameter", name, ["distribution", *defaults], place(entry, "params"))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigError(
                f"{place(entry, f'params.{name}')}: expected a number, found {value!r}"
            )
        values[name] = float(value)
    if defaults and not (values["sigma"] > 0 and values["low"] < values["high"]):
        raise ConfigError(f"{place(entry, 'params')}: needs sigma > 0 and low < high")
    return values
