"""How far a model is kept apart from the run."""

from __future__ import annotations

from typing import Self

import pydantic

from .criterion import Record


class Isolation(Record):
    """Whether a model gets a process of its own, and how long it may be silent there.

    Args:
        isolate: whether it gets one; None: as its adapter asks for
        timeout_s: seconds that a call may take in that process; None: 600
        processes: so many such processes, each with the model, so that calls are made at the same time
    """

    isolate: bool | None = None
    timeout_s: float | None = pydantic.Field(default=None, gt=0, allow_inf_nan=False)
    processes: int = pydantic.Field(default=1, ge=1, le=64)

    @pydantic.model_validator(mode="after")
    def _several_are_apart(self) -> Self:
        if self.isolate is False and self.processes > 1:
            raise ValueError(f"processes: {self.processes}, but isolate: false allows none")
        return self
