"""Faults of factories that a check finds in their source, and that no line of it was run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from common import models
from common.core.errors import BenchmarkError
from common.models import factories

SOURCE = """
import json, os.path
raise SystemExit("the module was run")
def load(path, factor=1.0): ...
def positional(a, /, b): ...
def free(**options): ...
@free
def decorated(x): ...
class Model:
    def __init__(self, weights): ...
class Plain: ...
class Child(Model): ...
try:
    from fast_package import quick
except ImportError:
    quick = None
a, (b, c) = 1, (2, 3)
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "factory_module.py"
    path.write_text(SOURCE, "utf-8")
    return path


@pytest.mark.parametrize(
    ("factory", "arguments"),
    [
        ("load", ("path",)),
        ("load", ("path", "factor")),
        ("free", ("anything",)),
        ("decorated", ()),
        ("Model", ("weights",)),
        ("Plain", ()),
        ("Child", ("whatever",)),
        ("quick", ()),
        ("c", ()),
        ("json", ()),
    ],
)
def test_factories_that_may_be_called(
    module: Path, factory: str, arguments: tuple[str, ...]
) -> None:
    factories.check(module, factory, arguments, "here")


@pytest.mark.parametrize(
    ("factory", "arguments", "message"),
    [
        ("laod", (), r"here: unknown name in factory_module\.py: 'laod'\. Did you mean 'load'\?"),
        ("load", (), r"'load' needs the argument 'path', which 'params' of the entry may give"),
        ("load", ("path", "facto"), r"unknown argument of 'load': 'facto'\. Did you mean 'factor'"),
        ("positional", ("a", "b"), r"unknown argument of 'positional': 'a'"),
        ("Model", (), r"'Model' needs the argument 'weights'"),
        ("Plain", ("x",), r"unknown argument of 'Plain': 'x'"),
    ],
)
def test_factories_that_cannot(
    module: Path, factory: str, arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(BenchmarkError, match=message) as caught:
        factories.check(module, factory, arguments, "here")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def load(:\n", r"factory_module\.py, line 1: is not valid Python: "),
        ("\0", r"factory_module\.py.*: is not valid Python: "),
        (
            "import json\nimport no_such_package.part\n",
            r"line 2: the package 'no_such_package' is not",
        ),
        (
            "from no_such_package import x\n",
            r"line 1: the package 'no_such_package' is not installed",
        ),
    ],
)
def test_modules_that_cannot_be_imported(module: Path, text: str, message: str) -> None:
    module.write_text(text, "utf-8")
    with pytest.raises(BenchmarkError, match=message):
        factories.check(module, "load", (), "here")


def test_a_star_import_hides_names(module: Path) -> None:
    module.write_text("from json import *\n", "utf-8")
    factories.check(module, "load", ("x",), "here")


def test_a_check_of_an_entry_runs_nothing_of_it(entry, targets, module: Path) -> None:
    mine = entry(adapter="python", entry="factory_module:load", path="factory_module.py")
    models.check(mine, targets)
    wrong = entry(adapter="python", entry="factory_module:lod", path="factory_module.py")
    with pytest.raises(BenchmarkError, match=r"model 'mine': entry: unknown name .* 'load'\?"):
        models.check(wrong, targets)
    assert "factory_module" not in sys.modules
