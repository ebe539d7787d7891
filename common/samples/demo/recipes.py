"""The recipes of the embedded corpora, the YAML files in ``recipes/``."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path

from ...core.registry import unknown
from . import (  # noqa: F401 (registration)
    accents,
    acted,
    devices,
    excerpt,
    reading,
    scenes,
    sound_corpora,
)
from .corpus import CorpusRecipe, load

__all__ = ["FOLDER", "choose", "load"]

FOLDER = Path(__file__).with_name("recipes")


def choose(names: Collection[str] | None = None) -> list[CorpusRecipe]:
    """Built-in recipes, in the order of their files.

    Args:
        names: names of databases; all if None

    Raises:
        ConfigError: for a name that no recipe has
    """
    every = _builtin()
    for name in names or ():
        if name not in every:
            raise unknown("embedded database", name, every)
    return [recipe for name, recipe in every.items() if names is None or name in names]


@cache
def _builtin() -> dict[str, CorpusRecipe]:
    """All of them by name; they do not change while the program runs."""
    return {recipe.id: recipe for recipe in map(load, sorted(FOLDER.glob("*.yaml")))}
