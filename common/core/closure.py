"""The code that decides about a result: all modules that a function reaches by its imports.

A number belongs to the code that made it. Which code that is follows from the sources, never from
a list kept by hand: a module counts if it is imported, at the top of a file or inside a function,
and if the imported name is used. These rules keep the closure from being the whole program:

* ``from package import name``, and ``package.name``, lead to the module that defines it. What an ``__init__``
  imports besides, to register it or for others, is not used by it and does not count.
* Annotations do not count, as nothing evaluates them; those of class bodies do, as records are
  made of them. Neither do imports for type checkers only.
* A module that is started as a process of its own counts where a string holds its dotted name.
* What is looked up by name at run time (a metric, a design, an adapter) is named by the
  declarations: it belongs to the functions that the caller starts from.

Modules of :data:`STOPS` decide about messages, files and processes, never about a number.
``tests/test_closure.py`` runs cells under a tracer: no module that works on them is missing here.

Hashes cover meaning: comments, docstrings and formatting do not count, nor does the version of
Python. A file that a module names and that lies beside it, such as a table of colours, counts.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from . import files, paths, syntax
from .errors import OutputError
from .provenance import LENGTH, digest

#: modules that change no number, and that nothing is reached through
STOPS = frozenset(
    {
        "common.core.advice",  # what messages recommend
        "common.core.closure",
        "common.core.errors",
        "common.core.files",  # atomic writing
        "common.core.heap",  # how memory is given back
        "common.core.leftovers",  # shared memory of killed runs
        "common.core.machine",  # what is said of processor and memory
        "common.core.mirror",
        "common.core.names",  # which names are refused
        "common.core.paths",
        "common.core.processes",  # how processes are started
        "common.core.provenance",
        "common.core.registry",  # names and messages about unknown ones
        "common.core.stages",  # what parts of a run took
        "common.core.syntax",  # how sources are read
        "common.pages.identity",  # which code counts, as here
    }
)
#: kinds of files that belong to the module that names them
BESIDE = (".csv", ".json", ".yaml")
#: file in the cache
MEMO = "code.json"
#: sources that are remembered; beyond, all are forgotten
MOST = 5000

#: where an imported name comes from: module, and name in it (empty: the module itself)
Origin = tuple[str, str]
Start = Callable[..., Any] | ModuleType | str


class Facts(NamedTuple):
    """What is to be known about one source.

    Args:
        code: hash of its meaning
        uses: origins of the imported names that it uses
        names: imported name -> its origin, also of those that are not used
        words: strings that may name files beside it, or modules
    """

    code: str
    uses: tuple[Origin, ...]
    names: Mapping[str, Origin]
    words: tuple[str, ...]


class Sources:
    """Sources of packages and what follows from them.

    Args:
        packages: folders of packages, or single files; their names are those in imports
        stops: modules that do not count
    """

    def __init__(self, *packages: Path, stops: Iterable[str] = STOPS):
        self._roots = {
            paths.NAME if package == paths.PACKAGE else package.stem: package.with_suffix("")
            for package in packages
        }
        self._stops = frozenset(stops)
        self._memo: dict[str, Facts] = {}
        self._kept: Path | None = None
        self._read: dict[str, Facts | None] = {}
        self._paths: dict[str, Path | None] = {}
        self._reached: dict[frozenset[str], tuple[str, ...]] = {}
        self._digests: dict[frozenset[str], str] = {}

    def keep_in(self, folder: Path) -> None:
        """Remember what follows from sources in a cache folder, so that they are parsed once."""
        self._kept = folder / MEMO
        try:
            content = json.loads(self._kept.read_text("utf-8"))
            self._memo |= {key: _restored(facts) for key, facts in content.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return  # sources are parsed again

    def modules(self, *starts: Start) -> tuple[str, ...]:
        """Dotted names of the modules that functions, classes or modules reach, sorted.

        Args:
            starts: of the packages; what belongs to others is passed over
        """
        key = frozenset(map(_module_of, starts))
        if key not in self._reached:
            self._reached[key] = tuple(sorted(self._reach(key)))
        return self._reached[key]

    def _reach(self, names: Iterable[str]) -> set[str]:
        todo = [name for name in names if self._own(name)]
        modules: set[str] = set()
        while todo:
            name = todo.pop()
            if name in modules or name in self._stops:
                continue
            modules.add(name)
            facts = self._facts(name)
            assert facts is not None, name
            todo += [module for use in facts.uses if (module := self._resolved(*use))]
            todo += [word for word in facts.words if self._own(word) and self._path(word)]
        return modules

    def code(self, *starts: Start) -> str:
        """Hash of the code that functions, classes or modules reach.

        >>> SOURCES.code(Sources) == SOURCES.code("common.core.closure")
        True
        """
        key = frozenset(map(_module_of, starts))
        if key not in self._digests:
            before = len(self._memo)
            parts = []
            for name in self.modules(*starts):
                facts = self._facts(name)
                assert facts is not None
                parts.append([name, facts.code, self._beside(name, facts)])
            self._digests[key] = digest(parts)
            if len(self._memo) > before:
                self._write()
        return self._digests[key]

    def forget(self) -> None:
        """Look at all sources again."""
        self._read.clear()
        self._paths.clear()
        self._reached.clear()
        self._digests.clear()

    def used_by(self, source: str) -> tuple[str, ...]:
        """Modules that a piece of Python uses which is no module, sorted.

        Raises:
            SyntaxError: if it is no Python
        """
        uses = facts_of(source, "", self._roots).uses
        return tuple(sorted({module for use in uses if (module := self._resolved(*use))}))

    def _own(self, name: str) -> bool:
        return name.partition(".")[0] in self._roots

    def _path(self, name: str) -> Path | None:
        if name not in self._paths:
            root, *parts = name.split(".")
            base = self._roots[root].joinpath(*parts)
            places = (base.with_suffix(".py"), base / "__init__.py")
            self._paths[name] = next((place for place in places if place.is_file()), None)
        return self._paths[name]

    def _facts(self, name: str) -> Facts | None:
        """Facts about a module; None if there is none of that name."""
        if name not in self._read:
            path = self._path(name)
            self._read[name] = None if path is None else self._looked_up(path, name)
        return self._read[name]

    def _looked_up(self, path: Path, name: str) -> Facts:
        text = path.read_bytes()
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        context = ",".join([package, *self._roots])
        key = hashlib.sha256(context.encode() + b"\0" + text).hexdigest()[:32]
        if key not in self._memo:
            self._memo[key] = facts_of(text, package, self._roots)
        return self._memo[key]

    def _resolved(self, module: str, name: str) -> str:
        """Module that an imported name leads to; empty if it is of another package."""
        if not self._own(module):
            return ""
        if name and self._path(f"{module}.{name}") is not None:
            return f"{module}.{name}"
        facts = self._facts(module)
        if facts is None:
            return ""
        if name in facts.names and (origin := facts.names[name]) != (module, name):
            return self._resolved(*origin)
        return module

    def _beside(self, name: str, facts: Facts) -> list[list[str]]:
        """Files beside a module that it names, with the hash of their content."""
        path = self._path(name)
        assert path is not None
        beside = (path.with_name(word) for word in facts.words)
        return [[p.name, hashlib.sha256(p.read_bytes()).hexdigest()] for p in beside if p.is_file()]

    def _write(self) -> None:
        if self._kept is None:
            return
        if len(self._memo) > MOST:
            self._memo.clear()
        try:
            files.keep(self._kept, json.dumps(self._memo))
        except (OSError, OutputError):
            self._kept = None  # a memory that cannot be written costs time only


#: those of the program and of the extensions that make its website
SOURCES = Sources(paths.PACKAGE, *paths.extensions())


def code_of(*starts: Start) -> str:
    """Hash of the code of the program that functions, classes or modules reach."""
    return SOURCES.code(*starts)


def facts_of(source: str | bytes, package: str, roots: Collection[str]) -> Facts:
    """What is to be known about a source.

    Args:
        source: Python
        package: dotted name of the package that it is part of, for relative imports
        roots: names of the packages that may count

    Raises:
        SyntaxError: if it is no Python
    """
    tree = syntax.parse(source)
    code, attributes, strings = _told(tree)
    names = dict(_imports(_running(tree), package))
    used: set[str] = set()
    _note_names(tree, used, in_class=False)
    origins = {origin for name, origin in names.items() if name in used}
    origins |= {
        (".".join(filter(None, names[node.value.id])), node.attr)  # a name of a package
        for node in attributes
        if isinstance(node.value, ast.Name)
        and names.get(node.value.id, ("",))[0].partition(".")[0] in roots
    }
    words = {
        text
        for text in strings
        if (text.endswith(BESIDE) or ("." in text and text.split(".")[0] in roots))
        and not set("/ \n") & set(text)
    }
    exported = dict(_imports(tree.body, package))
    return Facts(code, tuple(sorted(origins)), exported, tuple(sorted(words)))


def code_hash(tree: ast.AST) -> str:
    """Hash of what a syntax tree means: without comments, docstrings and positions.

    Empty fields are left out, so that versions of Python that know more of them agree.

    >>> code_hash(ast.parse("x = 1  # one")) == code_hash(ast.parse("x=(1)"))
    True
    """
    return _told(tree)[0]


def _told(tree: ast.AST) -> tuple[str, list[ast.Attribute], list[str]]:
    """Hash of what a tree means, and its attributes and strings, in one walk: lists, as generators take twice as long."""
    parts: list[str] = []
    attributes: list[ast.Attribute] = []
    strings: list[str] = []

    def write(node: Any) -> None:
        if isinstance(node, ast.AST):
            parts.append(f"({type(node).__name__}")
            for name in node._fields:
                value = getattr(node, name, None)
                if value is None or value == [] or name in ("kind", "type_comment"):
                    continue
                if name == "body" and isinstance(value, list) and _documented(node):
                    value = value[1:]
                parts.append(f" {name}=")
                write(value)
            parts.append(")")
            if isinstance(node, ast.Attribute):
                attributes.append(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.append(node.value)
        elif isinstance(node, list):
            parts.append("[")
            for item in node:
                write(item)
                parts.append(",")
            parts.append("]")
        else:
            parts.append(repr(node))

    write(tree)
    code = hashlib.sha256("".join(parts).encode()).hexdigest()[:LENGTH]
    return code, attributes, strings


def _documented(node: ast.AST) -> bool:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All statements, in order, besides those for type checkers only."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and _is_type_checking(child.test):
            for other in child.orelse:
                yield from _running(other)
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _running(child)


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _imports(nodes: Iterable[ast.AST], package: str) -> Iterator[tuple[str, Origin]]:
    """Names that imports bind, with their origin."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield bound, (alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield alias.asname or alias.name, (base, alias.name)


def _note_names(node: ast.AST, names: set[str], *, in_class: bool) -> None:
    """Add names that code uses; annotations of functions and of local variables do not run."""
    if isinstance(node, ast.Name):
        names.add(node.id)
        return
    skipped: list[ast.AST | None] = []
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        skipped = [node.returns]
    elif isinstance(node, ast.arg) or (isinstance(node, ast.AnnAssign) and not in_class):
        skipped = [node.annotation]
    elif isinstance(node, ast.If) and _is_type_checking(node.test):
        skipped = list(node.body)
    is_class = isinstance(node, ast.ClassDef)
    for child in ast.iter_child_nodes(node):
        if not skipped or not any(child is part for part in skipped):
            _note_names(child, names, in_class=is_class)


def _module_of(start: Start) -> str:
    if isinstance(start, ModuleType):
        start = start.__name__
    return paths.named(start if isinstance(start, str) else inspect.unwrap(start).__module__)


def _restored(content: Any) -> Facts:
    code, uses, names, words = content
    return Facts(
        str(code),
        tuple((str(module), str(name)) for module, name in uses),
        {str(key): (str(module), str(name)) for key, (module, name) in names.items()},
        tuple(map(str, words)),
    )
