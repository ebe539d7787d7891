"""What the recipes of all embedded corpora share, of speech and of other sounds.

A recipe is data, a YAML file in ``recipes/``; its ``kind`` says which class reads it
(:mod:`common.samples.demo.recipes`). From it follows a list of items, one for each file, with their
labels; no item depends on the others.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import spec
from ...core.errors import ConfigError
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

    def makers(self) -> tuple[type[CorpusRecipe], ...]:
        """Classes whose code decides about the files."""
        return (type(self),)


#: ``kind`` of a recipe -> class that reads it
KINDS: Registry[type[CorpusRecipe]] = Registry("kind of recipe")


def load(path: Path) -> CorpusRecipe:
    """Read and check a recipe of a registered kind.

    Raises:
        ConfigError: for the first fault, with file, place and nearest valid name
    """
    content = spec.read_yaml(path)
    if not isinstance(content, Mapping) or "kind" not in content:
        raise ConfigError(
            f"{path}: kind: missing; expected one of: {', '.join(sorted(KINDS.names()))}"
        )
    record = KINDS.get(str(content["kind"]), f"{path}: kind")
    recipe = spec.parse(record, content, path, "", builtin=True)
    recipe.check()
    return recipe
