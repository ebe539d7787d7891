"""Python sources of a model: found and hashed without importing them."""

from __future__ import annotations

import ast
import importlib.util
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from ..core import paths, syntax
from ..core.closure import code_hash, code_of
from ..core.errors import BrokenFile, ModelError
from ..core.provenance import digest as digest_of


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Make the modules of a folder importable, for the time of the ``with`` block."""
    entry = str(folder)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


def find(module: str, folder: Path, where: str) -> Path:
    """File of a module: in ``folder``, else in a package that is installed.

    Modules of Python itself are no models, but some of their functions run any command.

    Args:
        module: dotted name
        folder: folder of the catalog file
        where: start of the message

    Raises:
        ModelError: if there is no such module, or it is part of Python
    """
    parts = module.split(".")
    path: list[str] | None = [str(folder), *sys.path]
    module_spec: ModuleSpec | None = None
    for n in range(1, len(parts) + 1):
        name = ".".join(parts[:n])
        module_spec = PathFinder.find_spec(name, path)
        if module_spec is None and n == 1:
            module_spec = _installed(name)
        if module_spec is None:
            raise ModelError(
                f"{where}: no module '{name}' in the folder of the catalog or on Python's path"
            )
        if n == 1 and _is_of_python(module_spec, folder):
            raise ModelError(
                f"{where}: module '{name}' is part of Python; name a module in the folder of the "
                "catalog, or of a package that is installed"
            )
        path = list(module_spec.submodule_search_locations or [])
    if module_spec is None or module_spec.origin is None or not module_spec.origin.endswith(".py"):
        raise ModelError(f"{where}: module '{module}' has no source file")
    return Path(module_spec.origin)


def _is_of_python(module_spec: ModuleSpec, folder: Path) -> bool:
    """Whether a module belongs to the standard library, and none of that name to ``folder``."""
    origin = Path(module_spec.origin or "").resolve()
    if module_spec.origin is not None and origin.is_relative_to(folder.resolve()):
        return False
    if module_spec.name in sys.stdlib_module_names or module_spec.origin in ("built-in", "frozen"):
        return True
    library = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    packages = {"site-packages", "dist-packages"}
    return module_spec.origin is not None and any(
        origin.is_relative_to(place) and not packages & set(origin.relative_to(place).parts)
        for place in library
    )


def _installed(name: str) -> ModuleSpec | None:
    """Packages of other finders, for example editable installations."""
    try:
        return importlib.util.find_spec(name)
    except ValueError:
        return None


def digest(module: str, folder: Path, where: str) -> str:
    """Hash of the code of a module and of what it imports from the same place.

    That is: modules in ``folder``, and modules of the package that it is part of. Comments,
    docstrings and formatting do not count.

    Raises:
        ModelError: if there is no such module
        BrokenFile: if a source cannot be read, or is no valid Python
    """
    try:
        source = find(module, folder, where)
        if source.is_relative_to(paths.PACKAGE):  # a model of this program
            return code_of(module)
        package = module if source.name == "__init__.py" else module.rpartition(".")[0]
        # the folder that holds the outermost package
        root = source.parents[package.count(".") + 1 if package else 0]
        # in the folder of the catalog all modules count, also if the package lies there
        sources = sorted(_closure(source, {root: package or module, folder: ""}))
        trees = (syntax.parse(path.read_text("utf-8"), str(path)) for path in sources)
        return digest_of(
            [[path.name, code_hash(tree)] for path, tree in zip(sources, trees, strict=True)]
        )
    except SyntaxError as error:
        name = Path(error.filename).name if error.filename else module
        raise BrokenFile(f"{where}: {name}, line {error.lineno}: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise BrokenFile(f"{where}: module '{module}' cannot be read: {error}") from None


def _closure(start: Path, roots: Mapping[Path, str]) -> set[Path]:
    """Sources that a source imports, itself included.

    Args:
        start: the first source
        roots: folder -> dotted name of the package of it that counts; empty: all modules
    """
    sources, todo = {start}, [start]
    while todo:
        path = todo.pop()
        root = next((folder for folder in roots if path.is_relative_to(folder)), path.parent)
        for name in _imports(path, path.relative_to(root).parent.parts):
            for folder, package in roots.items():
                if not package or f"{name}.".startswith(f"{package}."):
                    new = set(_files(name, folder)) - sources
                    sources |= new
                    todo += new
    return sources


def _imports(path: Path, package: tuple[str, ...]) -> Iterator[str]:
    """Dotted names that a source of a package may import; too many do no harm."""
    for node in ast.walk(syntax.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


def _files(name: str, folder: Path) -> Iterator[Path]:
    """Files below a folder that run when a name is imported."""
    parts = name.split(".") if name else []
    for n in range(1, len(parts) + 1):
        base = folder.joinpath(*parts[:n])
        for file in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if file.is_file():
                yield file
