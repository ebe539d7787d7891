"""Sources are read in one thread after another, as some versions of Python cannot do it in two at a time."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common.core import paths, syntax


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Another thread goes on at each collection of garbage, as with dask, which measures collections."""

    def let_others_go_on(*_: object) -> None:
        Path().stat()

    before = gc.get_threshold()
    gc.callbacks.append(let_others_go_on)
    gc.set_threshold(10)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(let_others_go_on)


def test_threads_read_sources_at_the_same_time(interrupted) -> None:
    source = (paths.PACKAGE / "core" / "closure.py").read_text("utf-8")
    with ThreadPoolExecutor(4) as pool:
        trees = [pool.submit(syntax.parse, source) for _ in range(20)]
    assert len({ast.dump(tree.result()) for tree in trees}) == 1


def test_nobody_reads_sources_in_another_way() -> None:
    readers = [
        path.relative_to(paths.PACKAGE).as_posix()
        for path in paths.PACKAGE.rglob("*.py")
        if any(
            isinstance(node, ast.Attribute) and ast.unparse(node) == "ast.parse"
            for node in ast.walk(syntax.parse(path.read_bytes(), path.name))
        )
    ]
    assert readers == ["core/syntax.py"]
