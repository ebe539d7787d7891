"""Syntax trees of Python sources, in one thread after another.

CPython 3.11 counts the depth of the tree that is being built once for the whole interpreter. Where a Python
function is called at a collection of garbage, another thread may build a tree meanwhile, and :func:`ast.parse`
ends in a SystemError (seen with 3.11.7; related: https://github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import threading

_alone = threading.Lock()


def parse(source: str | bytes, name: str = "<unknown>") -> ast.Module:
    """Syntax tree of a source.

    Args:
        source: Python
        name: of its file, for messages

    Raises:
        SyntaxError: if it is no Python
        ValueError: if it holds a null character
    """
    with _alone:
        return ast.parse(source, name)
