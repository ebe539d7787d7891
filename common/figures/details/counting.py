"""Settings of the ways to count, from the parameters of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...metrics.events.fitting import Collar


def collar(params: Mapping[str, Any]) -> Collar:
    """What fits in the event-based metrics of the suite: onset and offset."""
    return Collar(params["t_collar"], params["percentage_of_length"], True, True, 0.0)
