"""What a computed attribute is: a column of the sample table that comes from the audio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pydantic

from ...core.registry import Registry
from ...samples.base import Samples
from ...spec import Record, fault

if TYPE_CHECKING:  # a plan starts no processes
    from ..perturbing import Perturbing

#: (done, total) -> None
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Context:
    """What computing an attribute may use.

    Args:
        cache: cache folder of the program
        workers: number of threads
        progress: told how far it is
        perturbing: gives out processes that may be asked; none: threads of this one
    """

    cache: Path
    workers: int = 1
    progress: Progress = lambda done, total: None
    perturbing: Perturbing | None = None


@dataclass(frozen=True)
class Computed:
    """A computed column.

    Args:
        values: labels (str), missing None, aligned with the sample table, shape (N,)
        note: how it was computed, for every score that depends on it
        missing: how many samples have no value and why; empty if all have one
    """

    values: np.ndarray
    note: str
    missing: str = ""


class Compute(Protocol):
    """Computes the values of an attribute for all rows of a sample table."""

    def __call__(self, options: Any, samples: Samples, context: Context) -> Computed:
        """Values for all rows.

        Raises:
            DatasetUnavailable: if the audio is not here and may not be fetched
            DataError: if audio cannot be used
            MissingDependency: if the options want a package that is not installed
        """
        ...


@dataclass(frozen=True)
class Attribute:
    """One way to compute a column.

    Args:
        name: name in YAML
        options: record of its options
        needs: options -> columns that the dataset must have
        compute: the function
    """

    name: str
    options: type[Record]
    needs: Callable[[Any], Sequence[str]]
    compute: Compute


ATTRIBUTES: Registry[Attribute] = Registry("computed attribute")


@dataclass(frozen=True)
class ComputedColumn:
    """An attribute with its options, as a test asks for it."""

    attribute: Attribute
    options: Record

    @property
    def needs(self) -> Sequence[str]:
        """Columns that the dataset must have."""
        return self.attribute.needs(self.options)

    @property
    def origin(self) -> str:
        """Dotted name of the module that defines it."""
        return ATTRIBUTES.origin(self.attribute.name)

    @property
    def key(self) -> tuple[str, str]:
        """Recipes with the same key compute the same."""
        return self.attribute.name, self.options.model_dump_json()

    def __call__(self, samples: Samples, context: Context) -> Computed:
        """Values for all rows of a sample table; raises as :class:`Compute` says."""
        return self.attribute.compute(self.options, samples, context)


def recipe(content: Mapping[str, Mapping[str, Any]]) -> ComputedColumn:
    """Recipe from ``{name: options}``.

    Raises:
        ValueError: for an unknown name or a wrong option, in one line
    """
    if len(content) != 1:
        raise ValueError("needs exactly one way to compute it")
    name, options = next(iter(content.items()))
    if name not in ATTRIBUTES:
        names = ", ".join(ATTRIBUTES.names())
        raise ValueError(f"unknown computed attribute '{name}'. Known: {names}")
    attribute = ATTRIBUTES.get(name)
    try:
        return ComputedColumn(attribute, attribute.options.model_validate(dict(options or {})))
    except pydantic.ValidationError as error:
        raise ValueError(fault(attribute.options, name, error)) from None
