"""Levels of a perturbation: the same change, milder and more severe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..spec import Perturbation


class Level(NamedTuple):
    """A perturbation at one level of its axis.

    Args:
        name: by which a condition of a test names it; that of the perturbation where its own
            parameters are those of the level, so that what was predicted is not predicted again
        level: place on the axis
        entry: the perturbation with the parameters of the level. It keeps its id, so the draws
            are those of the perturbation itself: at all levels, a sample gets the same noise
    """

    name: str
    level: float
    entry: Perturbation


def levels(entry: Perturbation) -> list[Level]:
    """All levels of a perturbation, from mild to severe; none if it has no axis.

    >>> severity = {"axis": "Ratio", "levels": [20, 0], "params": "snr_db"}
    >>> base = {"id": "hum", "label": "Hum", "function": "hum", "params": {"snr_db": 20}}
    >>> steps = levels(Perturbation(**base, severity=severity))
    >>> [(level.name, level.entry.id, level.entry.params["snr_db"]) for level in steps]
    [('hum', 'hum', 20), ('hum--0', 'hum', 0)]
    """
    severity = entry.severity
    if severity is None:
        return []
    steps = []
    for place, level in enumerate(severity.levels):
        params = dict(entry.params)
        for name, value in severity.at(place).items():
            base = params.get(name)
            if isinstance(base, Mapping) and isinstance(value, Mapping):
                value = {**base, **value}
            params[name] = value
        variant = entry.model_copy(update={"params": params, "severity": None})
        same = params == dict(entry.params)
        steps.append(Level(entry.id if same else f"{entry.id}--{level:g}", level, variant))
    return steps
