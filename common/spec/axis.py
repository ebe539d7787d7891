"""The axis of a perturbation: what makes it milder or more severe."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pydantic

from ..core.wording import counted
from .criterion import Record


class Severity(Record):
    """The axis along which a perturbation gets worse.

    Args:
        axis: what is changed, for people
        unit: its unit; empty: none
        levels: from mild to severe, rising or falling
        params: parameter -> its value at each level; a single name: the levels themselves.
            Of a parameter with keys, such as a corpus, those given replace those of the entry
    """

    axis: str
    unit: str = ""
    levels: tuple[float, ...]
    params: str | Mapping[str, tuple[Any, ...]]

    @pydantic.field_validator("levels")
    @classmethod
    def _ordered(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if len(value) < 2:
            raise ValueError("needs two levels or more")
        rising = value[1] > value[0]
        steps = [after - before for before, after in itertools.pairwise(value)]
        if not all(step > 0 if rising else step < 0 for step in steps):
            raise ValueError("levels neither rise nor fall from the first to the last")
        return value

    @pydantic.model_validator(mode="after")
    def _aligned(self) -> Severity:
        if isinstance(self.params, str):
            return self
        if not self.params:
            raise ValueError("params: names no parameter")
        for name, values in self.params.items():
            if len(values) != len(self.levels):
                count, level_count = len(values), len(self.levels)
                raise ValueError(
                    f"params.{name}: {counted(count, 'value')} for {level_count} levels"
                )
        return self

    def at(self, place: int) -> dict[str, Any]:
        """Parameters at a level, by its place."""
        if isinstance(self.params, str):
            level = self.levels[place]
            return {self.params: int(level) if level == int(level) else level}
        return {name: values[place] for name, values in self.params.items()}
