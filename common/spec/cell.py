"""The unit of work: all scores of a model in one test on one dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import Dataset, Model, Target, Test


@dataclass(frozen=True)
class Cell:
    """One unit of work: all scores of a model in one test on one dataset.

    ``missing`` are conditions whose perturbation is not available here, with the reason;
    ``parts`` is what the hash is made of; ``conditions`` has the id of the perturbation of each
    condition, and ``remarks`` which recordings it draws from.
    """

    target: Target
    model: Model
    test: Test
    dataset: Dataset
    hash: str
    missing: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Key of the cell in the manifest of (target, model)."""
        return f"{self.test.id}/{self.dataset.id}"

    @property
    def name(self) -> str:
        """Name of the cell among those of all models and targets."""
        return f"{self.target.id}/{self.model.id}/{self.key}"
