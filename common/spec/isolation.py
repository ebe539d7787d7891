"""How far a model is kept apart from the run."""

from __future__ import annotations

import pydantic

from .criterion import Record


class Isolation(Record):
    """Whether a model gets a process of its own, and how long it may be silent there.

    Args:
        isolate: whether it gets one; None: as its adapter asks for
        timeout_s: seconds that a call may take in that process; None: 600
    """

    isolate: bool | None = None
    timeout_s: float | None = pydantic.Field(default=None, gt=0, allow_inf_nan=False)
