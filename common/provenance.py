"""Hashes that tell whether a result still belongs to what it was made from.

A hash covers meaning, not form: comments, docstrings and formatting of code do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

LENGTH = 16


def digest(content: Any) -> str:
    """Short SHA-256 of something that JSON can hold; keys are sorted.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def file_digest(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _module_digest(path: Path, stamp: int, size: int) -> str:
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            body[0] = ast.Expr(ast.Constant(None))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:LENGTH]


def code_digest(paths: Iterable[Path]) -> str:
    """Hash of Python source files that ignores comments, docstrings and formatting.

    Args:
        paths: modules, or folders that stand for all modules in them
    """
    modules: list[Path] = []
    for path in paths:
        modules += sorted(path.glob("*.py")) if path.is_dir() else [path]
    return digest(
        [[m.name, _module_digest(m, m.stat().st_mtime_ns, m.stat().st_size)] for m in modules]
    )
