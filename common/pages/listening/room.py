"""How much room sounds have on the website."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...core.errors import ConfigError

#: variable with the room, in MB, of the sounds and pictures of a dataset for a target
SOUNDS_MB = "SPEECHPROOF_SOUNDS_MB"


def stated_mb(environment: Mapping[str, str]) -> float | None:
    """Room of the sounds of a dataset for a target, in MB; None: what is usual for answers of their kind.

    Args:
        environment: variables of the environment

    Raises:
        ConfigError: if the variable is set to something else than a positive number

    >>> stated_mb({"SPEECHPROOF_SOUNDS_MB": "50"})
    50.0
    """
    text = environment.get(SOUNDS_MB, "")
    if not text:
        return None
    try:
        room = float(text)
    except ValueError:
        room = math.nan
    if not 0 < room < math.inf:
        raise ConfigError(f"{SOUNDS_MB}: expected a positive number of MB, found '{text}'")
    return room
