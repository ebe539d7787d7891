"""What the recipes of all embedded corpora share, of speech and of other sounds.

A recipe is data, a YAML file in ``recipes/``; its ``kind`` says which class reads it
(:mod:`common.samples.demo.recipes`). From it follows a list of items, one for each file, with their
labels; no item depends on the others.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import spec
from ...core.registry import Registry

#: sampling rate of all embedded audio in Hz
SAMPLING_RATE = 16000


class CorpusRecipe(spec.Entry, abc.ABC):
    """What every recipe says."""

    kind: str
    version: str
    label: str
    license: str
    source: str
    description: str
    seed: int
    synthesiser: str = ""  # what pip has to install to make the audio; nothing if empty

    @abc.abstractmethod
    def items(self) -> Sequence[Any]:
        """One object for each file, with its path ``file`` and the name of its ``archive``."""

    @abc.abstractmethod
    def rendered(self, items: Iterable[Any]) -> Iterator[tuple[str, np.ndarray]]:
        """File and audio of some items, float64, shape (samples,), full scale 1."""

    @abc.abstractmethod
    def database(self, items: Sequence[Any]) -> Any:
        """``audformat.Database`` of all items, without audio."""

    def check(self) -> None:
        """Raise ConfigError for the first fault that a single field cannot show."""

    def content(self) -> Any:
        """All that the recipe says, for its hash."""
        return self.model_dump(mode="json")


#: ``kind`` of a recipe -> class that reads it
KINDS: Registry[type[CorpusRecipe]] = Registry("kind of recipe")
