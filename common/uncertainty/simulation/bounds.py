"""Thresholds for the very numbers of samples and groups of a dataset, simulated once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...core import rng
from ...core.closure import code_of
from ...core.documents import parse_json
from ...core.errors import ConfigError
from ...core.files import keep, read_kept
from ...core.provenance import digest
from ...spec import MetricUse, Target
from .setup import FAMILY

#: thresholds of the paper are multiples of this
STEP = 0.025
#: digits of own bounds: multiples of 0.001
DIGITS = 3
#: folder in the cache
FOLDER = "simulated"


class SimulatedBound(NamedTuple):
    """A simulated threshold.

    Args:
        threshold: bound of the absolute score
        quantile: what chance exceeds with the probability ``tail``
        error: standard error of the quantile by the draws; 0 if it was computed
        tail: probability of a larger score in the group
        draws: number of draws; 0 if the quantile was computed
        groups: number of groups that share the false alarms
        null: absolute scores by chance at even steps of probability, ascending
    """

    threshold: float
    quantile: float
    error: float
    tail: float
    draws: int
    groups: int
    null: tuple[float, ...]

    @property
    def remark(self) -> str:
        """What the bound rests on, for the note of a row."""
        how = "computed"
        if self.draws:
            how = f"standard error {self.error:.4f}, {self.draws:,} draws"
        return (
            f"chance exceeds {self.quantile:.4f} in {self.tail:.2g} of cases, "
            f"{FAMILY:g} for {self.groups} groups ({how})"
        )


def next_step(value: float) -> float:
    """Next multiple of 0.025 above a value: the rule of the paper for its thresholds.

    >>> next_step(0.0738), next_step(0.1008), next_step(0.075)
    (0.075, 0.125, 0.1)
    """
    return round((math.floor(value / STEP + 1e-9) + 1) * STEP, 3)


def bound_above(value: float) -> float:
    """Next multiple of 0.001 above a quantile: so a score as large as the quantile passes.

    >>> bound_above(0.5), bound_above(0.46664)
    (0.501, 0.467)
    """
    scale = 10**DIGITS
    return round((math.floor(value * scale + 1e-6) + 1) / scale, DIGITS)


class Bounds:
    """Simulated bounds, kept in the cache.

    A bound depends on what is declared and on the numbers of samples alone, neither on the seed
    of a run nor on the code: the same samples have the same threshold.

    Args:
        cache: cache folder of the program
    """

    def __init__(self, cache: Path):
        self._folder = cache / FOLDER
        self._known: dict[str, SimulatedBound] = {}

    def bound(
        self, use: MetricUse, target: Target, sizes: Sequence[tuple[int, int]]
    ) -> SimulatedBound:
        """Threshold of a metric for the samples of a score.

        Args:
            use: metric and parameters
            target: its number of classes counts
            sizes: (samples, samples in the context) of each group, that of the score first

        Raises:
            ConfigError: if the metric cannot be simulated
        """
        if not sizes:
            raise ConfigError(f"metric '{use.metric}': no numbers of samples to simulate with")
        inputs = {
            "metric": use.metric,
            "params": dict(use.params),
            "classes": len(target.labels),
            "sizes": [sizes[0], *sorted(sizes[1:])],
        }
        # other code makes a bound anew, but from the same random numbers
        key = digest({**inputs, "code": code_of(type(self))})
        if key not in self._known:
            path = self._folder / f"{key}.json"
            bound = _read(path)
            if bound is None:
                bound = _simulated(inputs)
                keep(path, json.dumps({**inputs, **bound._asdict()}) + "\n")
            self._known[key] = bound
        return self._known[key]


def _simulated(inputs: dict[str, Any]) -> SimulatedBound:
    from .nulls import quantile
    from .setup import default_setup

    generator = rng.generator(rng.DEFAULT_SEED, "chance", digest(inputs))
    params = inputs["params"]
    more = {name: params[name] for name in ("bins", "min_count") if name in params}
    more |= {"classes": inputs["classes"]} if inputs["classes"] else {}
    limit = quantile(default_setup(inputs["metric"]), inputs["sizes"], generator, **more)
    groups = len(inputs["sizes"])
    return SimulatedBound(threshold=bound_above(limit.value), quantile=limit.value, error=limit.error,
                 tail=limit.tail, draws=limit.draws, groups=groups, null=limit.null)  # fmt: skip


def _read(path: Path) -> SimulatedBound | None:
    """Kept bound; None if there is none or it is damaged."""
    try:
        content = parse_json(read_kept(path) or "")
        return SimulatedBound(
            threshold=float(content["threshold"]),
            quantile=float(content["quantile"]),
            error=float(content["error"]),
            tail=float(content["tail"]),
            draws=int(content["draws"]),
            groups=int(content["groups"]),
            null=tuple(float(value) for value in content["null"]),
        )
    except (ValueError, KeyError, TypeError, ArithmeticError):
        return None
