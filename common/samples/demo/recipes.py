"""The recipes of the embedded corpora, the YAML files in ``recipes/``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from ... import spec
from ...core.errors import ConfigError
from ...core.registry import unknown
from . import accents, acted, devices, reading, scenes, sound_corpora  # noqa: F401 (registration)
from .corpus import KINDS, CorpusRecipe

FOLDER = Path(__file__).with_name("recipes")


def load(path: Path) -> CorpusRecipe:
    """Read and check a recipe.

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


def choose(names: Collection[str] | None = None) -> list[CorpusRecipe]:
    """Built-in recipes, in the order of their files.

    Args:
        names: names of databases; all if None

    Raises:
        ConfigError: for a name that no recipe has
    """
    every = {recipe.id: recipe for recipe in map(load, sorted(FOLDER.glob("*.yaml")))}
    for name in names or ():
        if name not in every:
            raise unknown("embedded database", name, every)
    return [recipe for name, recipe in every.items() if names is None or name in names]
