"""The name of the package in texts, where it is installed under another one.

Method pages, extensions of Sphinx and catalogs say ``common``, as the folder is called in a clone. An
installed program answers to that name as well, with the same modules and never a second copy. Only
the command line does so: whoever imports the library may have a package ``common`` of their own.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from . import paths


class _Alias(MetaPathFinder, Loader):
    """Finds a module of the package by its name in texts."""

    def __init__(self) -> None:
        self._own: dict[str, tuple[ModuleSpec | None, Any]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        real = paths.imported(name)
        original = None if real == name else find_spec(real)
        if original is None:
            return None
        spec = ModuleSpec(name, self, origin=original.origin)
        spec.submodule_search_locations = original.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(paths.imported(spec.name))
        self._own[spec.name] = (module.__spec__, module.__loader__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        # importing has written the alias into the module, which ran already
        assert module.__spec__ is not None
        module.__spec__, module.__loader__ = self._own.pop(module.__spec__.name)


def install() -> None:
    """Let ``import common`` find this package; without effect where it has that name."""
    if paths.IMPORTED != paths.NAME and not any(isinstance(f, _Alias) for f in sys.meta_path):
        sys.meta_path.insert(0, _Alias())
