"""Figures rely on what matplotlib promises."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from common import figures

FOLDER = Path(figures.__file__).parent


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_nothing_private_of_others_is_used(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            assert own or node.attr.startswith("__"), f"line {node.lineno}: {node.attr}"
