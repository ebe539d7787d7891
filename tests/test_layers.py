"""Rules of the architecture: who may import whom, and what may stand in code."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from common.core import paths
from common.metrics import METRICS
from common.spec import KINDS, load_benchmark

#: rooms of ``common/`` and what they hold; a room imports only from rooms above it in this table
ROOMS = {
    "core": "errors, registry, random numbers, paths, atomic files, code closure, processes, advice",
    "metrics": "every metric and its citation; `events/` for sound events",
    "spec": "records of catalog, suite and cell; kinds; criteria",
    "samples": "tables of samples, audio, event lists, importers; `demo/`: the embedded corpora",
    "models": "the protocol, one adapter per runtime; `demo/`: baseline and detector, their training",
    "perturbations": "(signal, sampling rate, generator) → signal",
    "predictions": "what is to be predicted, shards and who computes them, the store, attributes computed from audio",
    "uncertainty": "bootstrap, intervals, tests; `simulation/`: scores by chance",
    "designs": "how predictions are compared; which samples, which belong together",
    "results": "verdicts, rows, result files, manifests, history, published results",
    "figures": "(arrays, axes) → axes; jobs that draw; `details/` of sound events",
    "engine": "plan, run, write, staleness, check, sweep",
    "reports": "explain, compare, summary, lists; scores and reports of event lists",
    "pages": "what pages show, listening, the Sphinx build",
    "cli": "arguments, messages, exit codes; `bench/`",
}
ORDER = tuple(ROOMS)
#: modules beside the rooms: doors that method pages and users of the library call
DOORS = {
    "events",
    "robustness_background_noise",
    "robustness_low_quality_phone",
    "robustness_simulated_recording_condition",
    "robustness_spectral_tilt",
}
#: folders of YAML, which hold no code
DATA = {"catalog", "suite"}
#: rooms that pages use: those that need no data, no model and no command line
SHOWN = {"core", "metrics", "spec", "uncertainty", "results", "figures", "reports", "pages"}
GUIDE = paths.REPOSITORY / "CONTRIBUTING.md"
BEGIN, END = "<!-- rooms: written by tests/test_layers.py -->\n", "<!-- end of rooms -->\n"
BARE = {paths.PACKAGE / "__init__.py", paths.PACKAGE / "__main__.py"}
MODULES = sorted(path for path in paths.PACKAGE.rglob("*.py") if path not in BARE)
DOCS = sorted(paths.DOCS.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    """Dotted names that a file imports, those inside functions included."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(path, node)
            names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return names


def _absolute(path: Path, node: ast.ImportFrom) -> str:
    """Dotted name of what an import, perhaps a relative one, imports from."""
    above: tuple[str, ...] = ()
    if node.level:
        package = path.relative_to(paths.REPOSITORY).parent.parts
        above = package[: len(package) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _room(name: str) -> str:
    """First part below ``common`` of a dotted name, empty for others."""
    parts = name.split(".")
    return parts[1] if parts[0] == "common" and len(parts) > 1 else ""


def _own(path: Path) -> str:
    return path.relative_to(paths.PACKAGE).parts[0].removesuffix(".py")


def _against(own: str, names: Iterable[str]) -> list[str]:
    """Those of the imported names that are of a room below the own one."""
    below = {*ORDER[ORDER.index(own) + 1 :], *DOORS}
    return sorted(name for name in names if _room(name) in below)


def table() -> str:
    """The rooms as CONTRIBUTING shows them."""
    rows = [f"| `{room}/` | {holds} |" for room, holds in ROOMS.items()]
    return "\n".join(["", "| room | holds |", "|---|---|", *rows, "", ""])


def test_rooms_are_all_that_there_is() -> None:
    there = {path.name.removesuffix(".py") for path in paths.PACKAGE.iterdir()}
    assert there - {"__init__", "__main__", "__pycache__"} == {*ROOMS, *DOORS, *DATA}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(paths.PACKAGE)))
def test_imports_inside_the_package_are_relative(path: Path) -> None:
    """The package has another name where it is installed."""
    tree = ast.parse(path.read_text("utf-8"))
    absolute = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
        if name.partition(".")[0] in (paths.PACKAGE.name, "speechproof")
    }
    assert not absolute


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(paths.PACKAGE)))
def test_imports_only_from_rooms_above(path: Path) -> None:
    own = _own(path)
    if own not in DOORS:  # they are called by pages only
        assert not _against(own, _imports(path)), "imports from a room below its own"


def test_an_import_against_the_order_is_seen() -> None:
    assert _against("metrics", {"common.spec", "common.core.errors", "numpy"}) == ["common.spec"]
    assert _against("cli", {f"common.{room}.x" for room in ORDER}) == []
    assert _against("pages", {"common.robustness_spectral_tilt"})


def test_guide_shows_the_rooms() -> None:
    text = GUIDE.read_text("utf-8")
    shown = text.partition(BEGIN)[2].partition(END)[0]
    assert shown == table(), "run: python -m tests.test_layers"


def test_parquet_is_read_without_threads_that_outlive_python() -> None:
    """See common/core/parquet.py: the default reader aborts processes that end."""
    callers = [
        f"{path.relative_to(paths.PACKAGE)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            (node.func.attr == "read_parquet" and ast.unparse(node.func.value) in ("pd", "pandas"))
            or (node.func.attr == "read_table" and "parquet" in ast.unparse(node.func.value))
        )
    ]
    assert not callers


def test_metrics_know_numpy_and_scipy_only() -> None:
    for path in MODULES:
        if _own(path) != "metrics":
            continue
        allowed = {"numpy", "scipy", "common", "__future__", "typing", "collections"}
        allowed |= {"dataclasses", "math", "functools", "inspect", "itertools"}
        allowed |= {"pandas"} if path.name == "shift.py" else set()  # codes of names
        used = {name.split(".")[0] for name in _imports(path)}
        assert used <= allowed, f"{path.name}: {sorted(used - allowed)}"
        inside = {name for name in _imports(path) if name.startswith("common.core")}
        known = {"common.core", "common.core.errors", "common.core.registry"}
        inside = {".".join(name.split(".")[:3]) for name in inside}
        assert inside <= known, f"{path.name}: {sorted(inside)}"


@pytest.mark.parametrize("path", DOCS, ids=lambda p: p.name)
def test_pages_need_no_data_and_no_model(path: Path) -> None:
    rooms = {_room(name) for name in _imports(path)} - {""}
    assert rooms <= SHOWN, f"imports {sorted(rooms - SHOWN)}"


def _strings(path: Path) -> list[tuple[int, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def test_no_declared_name_stands_in_code() -> None:
    """Targets, classes, datasets and models come from YAML."""
    benchmark = load_benchmark()
    names = {*benchmark.targets, *benchmark.datasets, *benchmark.models}
    names |= {label for target in benchmark.targets.values() for label in target.labels}
    found = [
        f"{path.relative_to(paths.REPOSITORY)}:{line}: {text!r}"
        for path in [*MODULES, *DOCS]
        for line, text in _strings(path)
        if text in names
    ]
    assert not found, "\n".join(found)


def _is_of_kind(node: ast.AST) -> bool:
    """Whether code asks for the name of a kind: a comparison, or a table with several names."""
    constants = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
    names = [value for value in constants if value in KINDS]
    if isinstance(node, ast.Compare):
        words = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        words |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return bool(names) and "kind" in words
    if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
        parts = node.keys if isinstance(node, ast.Dict) else node.elts
        own = {part.value for part in parts if isinstance(part, ast.Constant)}
        return len(own & {*KINDS}) > 1
    return isinstance(node, ast.MatchValue) and bool(names)


def _kinds_asked(tree: ast.AST) -> list[int]:
    return [getattr(node, "lineno", 0) for node in ast.walk(tree) if _is_of_kind(node)]


def test_kinds_answer_for_themselves() -> None:
    """Who wants to know something of a kind asks :mod:`common.spec.kinds`, not for its name."""
    own = paths.PACKAGE / "spec" / "kinds"
    found = [
        f"{path.relative_to(paths.REPOSITORY)}:{line}"
        for path in [*MODULES, *DOCS]
        if own not in path.parents
        for line in _kinds_asked(ast.parse(path.read_text("utf-8")))
    ]
    assert len(found) <= 5, "\n".join(found)


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('target.kind == "events"', 1),
        ('kind not in ("regression", "classification")', 2),
        ('{"regression": 1, "classification": 2}[kind]', 1),
        ('match kind:\n    case "events":\n        1', 1),
        ('"events" in parts', 0),
        ('kinds.of(target).is_number and {"events": []}', 0),
    ],
)
def test_names_of_kinds_are_seen(code: str, count: int) -> None:
    assert len(_kinds_asked(ast.parse(code))) == count


#: modules beside the metrics that hold the word of a metric's id, and why
NAME_METRICS = {
    "cli/bench/otherwise.py": "has the metrics of other packages, to compare each with its own",
    "results/paper.py": "names what a table of the paper averages",
    "figures/details/curves.py": "a field of what pages show",
    "figures/details/drawings.py": "a field of what pages show",
    "reports/events/answer.py": "a field of the answer of build.py events",
    "reports/events/settings.py": "a field of the answer of build.py events",
    "_ext/benchmark_site/event_details.py": "a field of what pages show",
    "uncertainty/coverage.py": "simulates intervals of metrics of every nature",
    "uncertainty/findings.py": "simulates p values of metrics of every nature",
    "uncertainty/populations.py": "says which metrics a simulated population is for",
    "uncertainty/verdicts.py": "simulates verdicts of metrics of every nature",
    "uncertainty/ranks.py": "registers how what is no function of sums is resampled",
    "uncertainty/sound_events.py": "registers how what is no function of sums is resampled",
    "uncertainty/simulation/table.py": "has the names that the published table gives metrics",
}


def test_metrics_answer_for_themselves() -> None:
    """No id of a metric stands in code, but in the module that defines it."""
    ids = {metric.id for metric in METRICS}
    found: dict[str, set[str]] = {}
    for path in [*MODULES, *DOCS]:
        base = paths.PACKAGE if paths.PACKAGE in path.parents else paths.DOCS
        name = path.relative_to(base).as_posix()
        words = {text for _, text in _strings(path)} & ids
        if words and name.partition("/")[0] != "metrics":
            found[name] = words
    others = {name: words for name, words in found.items() if name not in NAME_METRICS}
    assert not others, others
    assert found.keys() == NAME_METRICS.keys(), "one of the exceptions is needed no more"


def test_a_public_class_has_a_name_of_its_own() -> None:
    """Who reads a name of a class knows which one is meant, without the imports."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(paths.PACKAGE)))
    repeated = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert len(places) > 100
    assert not repeated, repeated


#: what was done to a value says nothing of what it is
ACTS = frozenset(
    {"asked", "found", "given", "kept", "known", "made", "own", "taken", "told", "wanted"}
)


@pytest.mark.parametrize("path", [*MODULES, *DOCS], ids=lambda p: p.name)
def test_a_variable_is_named_for_what_it_holds(path: Path) -> None:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    names.add(inner.id)
                elif isinstance(inner, ast.arg):
                    names.add(inner.arg)
    assert not names & ACTS, f"{path}: {sorted(names & ACTS)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(paths.PACKAGE)))
def test_modules_stay_readable(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= 400, f"{path.name} has {lines} lines; split it"


if __name__ == "__main__":  # writes the table of CONTRIBUTING
    before, _, rest = GUIDE.read_text("utf-8").partition(BEGIN)
    GUIDE.write_text(f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}", "utf-8")
