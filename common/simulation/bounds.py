"""Thresholds for the very numbers of samples and groups of a dataset, simulated once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from common import rng
from common.errors import ConfigError
from common.files import write_text
from common.provenance import code_digest, digest
from common.spec import MetricUse, Target

#: thresholds are multiples of this
STEP = 0.025
#: folder in the cache
FOLDER = "simulated"


class Bound(NamedTuple):
    """A simulated threshold.

    Args:
        threshold: bound of the absolute score
        maximum: largest absolute score by chance
        percentile: score that 99 % of the repetitions do not exceed
        null: absolute scores by chance, ascending
    """

    threshold: float
    maximum: float
    percentile: float
    null: tuple[float, ...]


def next_step(value: float) -> float:
    """Next multiple of 0.025 above a value: the rule of the paper for its thresholds.

    >>> next_step(0.0738), next_step(0.1008), next_step(0.075)
    (0.075, 0.125, 0.1)
    """
    return round((math.floor(value / STEP + 1e-9) + 1) * STEP, 3)


class Bounds:
    """Simulated bounds, kept in the cache.

    A bound does not depend on the seed of a run: the same samples have the same threshold.

    Args:
        cache: cache folder of the program
    """

    def __init__(self, cache: Path):
        self._folder = cache / FOLDER
        self._known: dict[str, Bound] = {}

    def bound(self, use: MetricUse, target: Target, sizes: Sequence[tuple[int, int]]) -> Bound:
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
        asked = {
            "metric": use.metric,
            "params": dict(use.params),
            "classes": len(target.labels),
            "sizes": [sizes[0], *sorted(sizes[1:])],
            "code": code_digest([Path(__file__).parent]),
        }
        key = digest(asked)
        if key not in self._known:
            path = self._folder / f"{key}.json"
            found = _read(path)
            if found is None:
                found = _simulated(asked, key)
                write_text(path, json.dumps({**asked, **found._asdict()}) + "\n")
            self._known[key] = found
        return self._known[key]


def _simulated(asked: dict[str, Any], key: str) -> Bound:
    from common.simulation.chance import simulate
    from common.simulation.setup import default_setup

    generator = rng.generator(rng.DEFAULT_SEED, "chance", key)
    params = asked["params"]
    more = {name: params[name] for name in ("bins", "min_count") if name in params}
    more |= {"classes": asked["classes"]} if asked["classes"] else {}
    null = simulate(default_setup(asked["metric"]), asked["sizes"], generator, **more)
    values = tuple(sorted(float(value) for value in null.values))
    return Bound(next_step(null.maximum), null.maximum, null.percentile, values)


def _read(path: Path) -> Bound | None:
    """Kept bound; None if there is none or it is damaged."""
    try:
        content = json.loads(path.read_text("utf-8"))
        return Bound(
            float(content["threshold"]),
            float(content["maximum"]),
            float(content["percentile"]),
            tuple(float(value) for value in content["null"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
