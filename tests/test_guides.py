"""What texts name exists: modules, arguments, files, words, options, decisions and faults.

Texts are the pages, guides and decisions, and in Python files docstrings and comments.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from common.cli import main
from common.core import paths
from common.metrics import METRICS
from common.spec import load_benchmark

ROOT, DOCS = paths.REPOSITORY, paths.DOCS
DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef
ROLE = re.compile(
    r":(?:mod|func|class|meth|data|attr|exc|obj):`(?:[^`<]*<)?~?([^`<>]+?)(?:\(\))?>?`"
)
DOTTED = re.compile(r"(?<![\w/.-])common(?:\.[A-Za-z_]\w*)+")
IMPORT = re.compile(r"\bfrom (common[\w.]*) import (\w+(?:, \w+)*)")
FOLDERS = r"common|docs|tests|extra/published|\.ci|\.github"  # the others hold what runners write
FILE = re.compile(rf"(?<![\w/.~-])((?:{FOLDERS})/[\w./*<>-]*[\w*/])(?![{{(])")
BUILD = re.compile(r"`(?:\$ )?(?:python )?build\.py +([a-z]+)")
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])\b")
DECISION = re.compile(
    r"\b[Dd]ecisions?\s+(\d+)(?:\s+and\s+(\d+))?\b|\bby (00\d\d)\b|\bof (00\d\d)\b"
)
FAULT = re.compile(r"\b(?:test_)?([AaB]\d{1,2})(?=_|\b)(?!:)")
FAULTS = DOCS / "reference" / "faults.rst"

#: literals of texts that name nothing of this program: other tools, files of others, examples
FOREIGN = """
best_fscore collar_based compute_macro_f_score evaluators reset results_class_wise_average_metrics
results_class_wise_metrics results_overall_metrics sound_event_eval
binary c47ce cff compand csv-table e-6 english-english malloc pipx proto3 raises
dog main-results nvidia rater1 rater2 votes_anger _1 _rater2
"""
#: options of other programs
OTHERS = {"body-file", "create-if-none", "edit-last", "spec"}
OTHERS |= {"gres", "host", "name", "nthreads", "nworkers", "port", "resources"}  # of SLURM and dask


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _files(*endings: str) -> list[Path]:
    """Files of the repository that runners and Python itself do not write."""
    found = [*ROOT.glob("*"), ROOT / "method-tests" / "README.md"]
    for folder in ("common", "docs", "tests", "extra/published", ".github", ".ci"):
        found += (ROOT / folder).rglob("*")
    return sorted(p for p in found if p.suffix in endings and p.is_file())


PYTHON = _files(".py")
PROSE = [p for p in _files(".rst", ".md") if p.name != "CHANGELOG.md"]  # which tells the past
DATA = [p for p in _files(".yaml", ".yml", ".j2") if p.parent != ROOT]


@cache
def passages(path: Path) -> list[str]:
    """Texts of a file; of Python its docstrings and comments."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        return [text]
    kinds = (ast.Module, ast.ClassDef, DEFINITION)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = "\n".join(t.string for t in tokens if t.type == tokenize.COMMENT)
    return [comments, *(text for n in nodes if (text := ast.get_docstring(n, clean=False)))]


def found_in(pattern: re.Pattern[str], files: list[Path]) -> Iterator[tuple[str, re.Match[str]]]:
    for path in files:
        for text in passages(path):
            yield from ((name(path), match) for match in pattern.finditer(text))


# -- modules and what is in them ---------------------------------------------------------------


@cache
def exists(dotted: str) -> bool:
    """Whether a dotted name can be imported, or be found in what can be."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            item = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if part in getattr(item, "__annotations__", {}):
                return True  # a field
            if not hasattr(item, part):
                return False
            item = getattr(item, part)
        return True
    return False


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[2:] if parts[:2] == ("docs", "_ext") else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture
def extensions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))


def test_dotted_names_in_texts_exist(extensions: None) -> None:
    inside = [p for p in PYTHON if p.parts[-2:-1] != ("tests",)]
    named = {(file, m[0]) for file, m in found_in(DOTTED, [*PROSE, *DATA, *inside])}
    for file, match in found_in(IMPORT, PROSE):
        named |= {(file, f"{match[1]}.{item}") for item in match[2].split(", ")}
    assert not sorted(pair for pair in named if not exists(pair[1]))
    assert len(named) > 100


def test_roles_in_docstrings_lead_somewhere(extensions: None) -> None:
    missing, count = [], 0
    for path in PYTHON:
        classes = re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE)
        inside = [module_of(path), *(f"{module_of(path)}.{c}" for c in classes)]
        for file, match in found_in(ROLE, [path]):
            dotted, count = "".join(match[1].split()), count + 1
            if not exists(dotted) and not any(exists(f"{p}.{dotted}") for p in inside):
                missing.append((file, dotted))
    assert not missing
    assert count > 200


def parameters(node: ast.AST) -> set[str]:
    """What the section of arguments or attributes of a docstring may name."""
    if isinstance(node, DEFINITION):
        own = node.args
        every = [*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg]
        return {item.arg for item in every if item}
    assert isinstance(node, ast.ClassDef)
    given = [t for n in node.body if isinstance(n, ast.Assign) for t in n.targets]
    given += [n.target for n in node.body if isinstance(n, ast.AnnAssign)]
    fields = {ast.unparse(target) for target in given}
    for method in (n for n in node.body if isinstance(n, DEFINITION)):
        fields |= {method.name} | (parameters(method) if method.name == "__init__" else set())
        attributes = (n for n in ast.walk(method) if isinstance(n, ast.Attribute))
        fields |= {n.attr for n in attributes if ast.unparse(n.value) == "self"}
    return fields


def test_arguments_in_docstrings_exist() -> None:
    section = re.compile(r"^(?:Args|Attributes):\n((?:    .*\n|\n)*)", re.MULTILINE)
    entry = re.compile(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \(.*\))?:", re.MULTILINE)
    missing, count = [], 0
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, DEFINITION | ast.ClassDef):
                continue
            for text in section.findall((ast.get_docstring(node) or "") + "\n"):
                named = {n.strip("* ") for names in entry.findall(text) for n in names.split(",")}
                missing += [(name(path), node.name, n) for n in named - parameters(node)]
                count += len(named)
    assert not missing
    assert count > 1000


# -- files, words, commands --------------------------------------------------------------------


def test_files_that_texts_name_exist() -> None:
    named = {(file, m[1]) for file, m in found_in(FILE, [*PROSE, *DATA, *PYTHON])}
    named = {(file, re.sub(r"<\w+>", "*", path)) for file, path in named if "extra/pub" not in file}
    assert not sorted(pair for pair in named if not any(ROOT.glob(pair[1])))
    assert len(named) > 50


@cache
def vocabulary() -> frozenset[str]:
    """Words of code and declarations, without docstrings and comments, and names of files."""
    known = {*dir(builtins), *sys.stdlib_module_names, *METRICS.names(), *FOREIGN.split()}
    known |= {metric.id for metric in METRICS} | set(load_benchmark().tests)
    for path in _files(".yaml", ".yml", ".j2", ".toml", ".in", ".txt", ".css", ".js", ".csv"):
        known |= {*_words(path.read_text("utf-8")), path.stem}
    for path in (p for p in PYTHON if "tests" not in p.parts):
        prose = {text.strip() for text in passages(path) if len(text) > 20}
        for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
            if token.type in TEXTS and any(text in token.string for text in prose):
                continue
            if token.type in (tokenize.NAME, *TEXTS):
                known |= _words(token.string)
    return frozenset(known | {p.stem for p in [*PYTHON, *PROSE]} | options())


#: tokens of texts; from Python 3.12 on, formatted ones come in pieces
TEXTS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))


def _words(text: str) -> set[str]:
    return {*re.findall(r"[\w-]+", text), *re.findall(r"\w+", text)}


@cache
def options() -> frozenset[str]:
    """Long options of all commands, without their dashes."""
    (sub,) = [a for a in main.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    every = [a for p in sub.choices.values() for a in p._actions]
    return frozenset(o.lstrip("-") for a in every for o in a.option_strings)


BLOCK = re.compile(
    r"^ *(?:\.\. (?:code-block|plot)::|(?!\.\. ).*::$).*\n(?: +:.*\n)*\n(?:   .*\n|\n)+|^```[\s\S]*?^```",
    re.MULTILINE,
)


@pytest.mark.parametrize("path", PROSE, ids=name)
def test_words_in_literals_are_words_of_the_program(path: Path) -> None:
    text = path.read_text("utf-8") + "\n"
    examples = {word for match in BLOCK.finditer(text) for word in _words(match[0])}
    marks = "``" if path.suffix == ".rst" else "`"
    for literal in re.findall(rf"(?<!`){marks}([^`\n]+){marks}(?!`)", BLOCK.sub("", text)):
        literal = literal.partition("::")[0]
        if FILE.fullmatch(literal):
            continue  # looked up above
        for word in re.findall(r"[A-Za-z_]\w*(?:-\w+)*", literal):
            fill_in = word.isupper() or word.startswith(("my-", "_"))
            assert fill_in or word in vocabulary() or word in examples, f"{word} in {literal}"


def test_literals_in_docstrings_are_words_of_the_program() -> None:
    literals = found_in(re.compile(r"``([^`\n]+)``"), [p for p in PYTHON if "tests" not in p.parts])
    named = {(f, w) for f, m in literals for w in re.findall(r"[A-Za-z_]\w*(?:-\w+)*", m[1])}
    assert not sorted(pair for pair in named if pair[1] not in vocabulary())


def test_commands_and_options_that_texts_name_exist() -> None:
    (sub,) = [a for a in main.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    commands = {(file, m[1]) for file, m in found_in(BUILD, [*PROSE, *PYTHON])}
    assert not sorted(pair for pair in commands if pair[1] not in sub.choices)
    named = {(file, m[1]) for file, m in found_in(OPTION, [*PROSE, *PYTHON])}
    known = options() | OTHERS | {word[2:] for word in vocabulary() if word.startswith("--")}
    assert not sorted(pair for pair in named if pair[1] not in known)
    assert len(commands) > 5 < len(named)


# -- decisions and faults ----------------------------------------------------------------------


def test_decisions_that_texts_name_exist() -> None:
    count = len(list((DOCS / "decisions").glob("[0-9]*.md")))
    named = set()
    for file, match in found_in(DECISION, [*PROSE, *PYTHON]):
        named |= {(file, int(number)) for number in match.groups() if number}
    assert not sorted(pair for pair in named if not 1 <= pair[1] <= count)
    assert len(named) > 3


@pytest.mark.parametrize("path", sorted((DOCS / "decisions").glob("[0-9]*.md")), ids=name)
def test_decisions_say_when_their_numbers_were_measured(path: Path) -> None:
    assert re.search(r"^Status: \w+ on 20\d\d-\d\d-\d\d\b", path.read_text("utf-8"), re.MULTILINE)


def entries() -> dict[str, str]:
    """Faults of the page by their ids."""
    text = re.split(r"^   (A\d+)$", FAULTS.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(text[1::2], text[2::2], strict=True))


def test_every_fault_of_the_reference_has_its_entry() -> None:
    assert sorted(entries(), key=lambda i: int(i[1:])) == [f"A{n}" for n in range(1, 42)]


def test_faults_that_texts_and_tests_name_have_an_entry() -> None:
    tests = [p for p in PYTHON if "tests" in p.parts]
    named = {(file, m[1].upper()) for file, m in found_in(FAULT, [*PROSE, *tests])}
    for path in tests:
        for number in re.findall(r"def test_(a\d+)_", path.read_text("utf-8")):
            named.add((name(path), number.upper()))
    assert not sorted(pair for pair in named if pair[1] not in entries())
    assert len(named) > 50


@pytest.mark.parametrize("fault", list(entries()))
def test_the_test_of_a_fault_exists(fault: str) -> None:
    assert ":There:" in entries()[fault] and ":Here:" in entries()[fault]
    named = re.findall(r"``(tests/[\w/.]+)::([\w:]+)``", entries()[fault])
    assert named or "No test is needed" in entries()[fault]
    for file, place in named:
        inside: ast.AST = ast.parse((ROOT / file).read_text("utf-8"))
        for part in place.split("::"):
            kinds = (ast.ClassDef, ast.FunctionDef)
            nodes = [n for n in ast.walk(inside) if isinstance(n, kinds) and n.name == part]
            assert nodes, f"{file}::{place}"
            inside = nodes[0]
