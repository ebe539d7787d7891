"""A small corpus: the built-in recipe with four speakers and few utterances."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from common.samples.demo import acted, recipes, synthesis

SPOKEN = pytest.mark.skipif(
    importlib.util.find_spec(synthesis.PACKAGE) is None,
    reason="the optional synthesiser is not installed: pip install espeakng-loader",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``spoken`` need the synthesiser."""
    for item in items:
        if item.get_closest_marker("spoken"):
            item.add_marker(SPOKEN)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spoken: needs the synthesiser espeak-ng")


@pytest.fixture(scope="session")
def load() -> Callable[[str], dict[str, Any]]:
    """Function that gives the built-in recipe of a name as YAML, anew each time."""

    def load(name: str) -> dict[str, Any]:
        text = (recipes.FOLDER / f"{name}.yaml").read_text("utf-8")
        content: dict[str, Any] = yaml.safe_load(text)
        return content

    return load


@pytest.fixture(scope="session")
def content() -> dict[str, Any]:
    """The built-in recipe as YAML gives it; not to be changed."""
    loaded: dict[str, Any] = yaml.safe_load(acted.RECIPE.read_text("utf-8"))
    return loaded


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    """Function that writes a recipe to a file."""

    def write(content: Any) -> Path:
        path = tmp_path / "recipe.yaml"
        path.write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def reduced(content: dict[str, Any]) -> Callable[[int, int], dict[str, Any]]:
    """Function that gives the recipe with fewer utterances.

    Its arguments are the utterances of each category per speaker and the speakers per split.
    """

    def reduced(fixed: int, speakers: int) -> dict[str, Any]:
        counts = {
            split: {
                "fixed": dict.fromkeys(content["categories"], fixed),
                "drawn": {**part["drawn"], "number": 0},
            }
            for split, part in content["counts"].items()
        }
        by_split = [[s for s in content["speakers"] if s["split"] == split] for split in counts]
        step = len(by_split[0]) // speakers
        chosen = [s for part in by_split for s in part[::step][:speakers]]
        return {**content, "counts": counts, "speakers": chosen}

    return reduced
