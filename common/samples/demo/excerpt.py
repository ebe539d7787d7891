"""Recipes of kind ``excerpt``: some files of another recipe, as a database of its own.

The files are those of the whole, byte for byte: each depends on its own item only. The database has
another name, so that nothing that was computed from one is ever taken for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from ...core.errors import ConfigError
from ...core.registry import unknown
from . import corpus
from .corpus import KINDS, CorpusRecipe

#: what an excerpt says like its whole unless it says something else
INHERITED = ("version", "label", "license", "source", "seed", "synthesiser")


@KINDS.register("excerpt")
class Excerpt(CorpusRecipe):
    """The recipe.

    Args:
        of: recipe of the whole, a file beside this one
        whole: that recipe; read from its file
        keep: each says column -> values; files that fit one of these are kept. Columns are the
            labels, and of speech ``speaker`` and ``split``
    """

    of: str
    whole: pydantic.SerializeAsAny[CorpusRecipe] = pydantic.Field(exclude=True)
    keep: tuple[Mapping[str, tuple[str, ...]], ...] = pydantic.Field(min_length=1)

    @pydantic.model_validator(mode="before")
    @classmethod
    def _like_the_whole(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        path = Path(content.get("origin", ""))
        if not isinstance(content.get("of"), str):
            raise ConfigError(f"{path}: of: missing; expected the name of another recipe's file")
        whole = corpus.load(path.with_name(content["of"]))
        inherited = {name: getattr(whole, name) for name in INHERITED}
        text = f"{whole.description} This is a part of {whole.id}."
        return {**inherited, "description": text, **content, "whole": whole}

    def items(self) -> Sequence[Any]:
        """Those of the whole that fit, in its order.

        Raises:
            ConfigError: for a column or a value that does not occur in the whole
        """
        items = self.whole.items()
        every = [_facts(item) for item in items]
        for n, one in enumerate(self.keep):
            for column, values in one.items():
                self._check(f"keep[{n}]", every, column, values)
        return [item for item, facts in zip(items, every, strict=True) if self._is_kept(facts)]

    def _check(
        self, place: str, every: Sequence[Mapping[str, Any]], column: str, values: Sequence[str]
    ) -> None:
        if column not in every[0]:
            raise unknown("column", column, every[0], f"{self.origin}: {place}")
        present = {str(facts[column]) for facts in every}
        for value in values:
            if value not in present:
                raise unknown("value", value, present, f"{self.origin}: {place}.{column}")

    def _is_kept(self, facts: Mapping[str, Any]) -> bool:
        return any(
            all(facts[column] in values for column, values in one.items()) for one in self.keep
        )

    def rendered(self, items: Iterable[Any]) -> Iterator[tuple[str, np.ndarray]]:
        """As the whole renders them."""
        return self.whole.rendered(items)

    def database(self, items: Sequence[Any]) -> Any:
        """That of the whole with these items only, under the name of the excerpt."""
        db = self.whole.database(items)
        db.name = self.id
        return db

    def content(self) -> Any:
        """What the excerpt says, and all that the whole says."""
        return [super().content(), self.whole.content()]

    def makers(self) -> tuple[type[CorpusRecipe], ...]:
        """Excerpt and whole."""
        return (type(self), *self.whole.makers())


def _facts(item: Any) -> dict[str, Any]:
    """Columns of an item that files are chosen by."""
    speech = {}
    if hasattr(item, "speaker"):
        speech = {"speaker": item.speaker.id, "split": item.split}
    return {**item.labels, **speech}
