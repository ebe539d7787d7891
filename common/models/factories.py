"""What a factory in Python asks for, told from its source: nothing is imported or run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from ..core import syntax
from ..core.errors import ModelError
from ..core.registry import unknown

Function = ast.FunctionDef | ast.AsyncFunctionDef


def check(source: Path, factory: str, arguments: Collection[str], where: str) -> None:
    """Look for what would keep a factory from being called.

    Names that are made while the module runs (``from x import *``, ``globals()``) cannot be seen; a
    module with a star import is taken as it is.

    Args:
        source: file of the module
        factory: name of the factory
        arguments: names of the arguments that it will get
        where: start of the message

    Raises:
        ModelError: if the file is no Python, a package that it imports is not installed, or it
            has no such factory or one that takes other arguments
    """
    try:
        tree = syntax.parse(source.read_bytes(), source.name)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        message = error.msg if isinstance(error, SyntaxError) else error
        raise ModelError(f"{where}: {source.name}{line}: is not valid Python: {message}") from None
    _check_packages(tree, source, where)
    names = dict(_names(tree.body))
    if "*" in names:
        return
    if factory not in names:
        public = [name for name in names if not name.startswith("_")]
        raise unknown(f"name in {source.name}:", factory, public, where)
    _check_arguments(names[factory], factory, arguments, f"{where}: {source.name}")


def _check_packages(tree: ast.Module, source: Path, where: str) -> None:
    """Packages that a module imports in any case, when it is imported itself."""
    path = [str(source.parent), *sys.path]
    for node in tree.body:
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [node.module or ""]
        for name in {module.partition(".")[0] for module in modules}:
            here = name in sys.stdlib_module_names or name in sys.modules
            if not here and PathFinder.find_spec(name, path) is None:
                raise ModelError(
                    f"{where}: {source.name}, line {node.lineno}: the package '{name}' is not installed"
                )


def _names(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Names that the statements of a module define, with the statement; ``*`` for a star import."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((a.asname or a.name.partition(".")[0], node) for a in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                inner = [n for n in ast.walk(target) if isinstance(n, ast.Name)]
                yield from ((name.id, node) for name in inner)
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from _names(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from _names(handler.body)


def _check_arguments(node: ast.stmt, factory: str, arguments: Collection[str], where: str) -> None:
    """Compare what a factory takes with what it gets, where its source says that."""
    if isinstance(node, ast.ClassDef):
        makers = [n for n in node.body if isinstance(n, Function) and n.name == "__init__"]
        if node.decorator_list or (node.bases and not makers) or node.keywords:
            return
        takes = makers[-1] if makers else None
    elif isinstance(node, Function):
        takes = node
    else:
        return
    if takes is not None and takes.decorator_list:
        return
    accepted, required, anything = _parameters(takes, method=isinstance(node, ast.ClassDef))
    for name in arguments:
        if name not in accepted and not anything:
            raise unknown(f"argument of '{factory}':", name, accepted, where)
    lacking = [name for name in required if name not in arguments]
    if lacking:
        raise ModelError(
            f"{where}: '{factory}' needs the argument '{lacking[0]}', which 'params' of the entry may give"
        )


def _parameters(
    takes: ast.FunctionDef | ast.AsyncFunctionDef | None, *, method: bool
) -> tuple[list[str], list[str], bool]:
    """Names that may be given, names that must be, and whether any name may be."""
    if takes is None:
        return [], [], False
    declared = takes.args
    ordered = [*declared.posonlyargs, *declared.args][int(method) :]
    free = [a.arg for a in ordered[: len(ordered) - len(declared.defaults)]]
    free += [
        a.arg for a, d in zip(declared.kwonlyargs, declared.kw_defaults, strict=True) if d is None
    ]
    positional = [a.arg for a in declared.posonlyargs]
    names = [a.arg for a in [*ordered, *declared.kwonlyargs] if a.arg not in positional]
    return names, free, declared.kwarg is not None
