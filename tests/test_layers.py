"""Rules of the architecture: who may import whom, and what may stand in code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from common import paths
from common.spec import load_benchmark

#: layer of each module or package; a module imports only from its own layer or a lower one
LAYERS = {
    "cli": 2,
    "options": 2,
    "cli_results": 2,
    "cli_tools": 2,
    "exits": 7,
    "closure": 7,
    "cell": 6,
    "identity": 3,
    "heap": 7,
    "bench": 2,
    "bench_fairness": 2,
    "bench_events": 2,
    "bench_event_peers": 2,
    "bench_paper": 2,
    "bench_otherwise": 2,
    "bench_perturb": 2,
    "bench_ranking": 2,
    "bench_perturb_peer": 2,
    "bench_site": 2,
    "bench_suite": 2,
    "bench_uncertainty": 2,
    "listing": 3,
    "check": 3,
    "engine": 3,
    "listening": 3,
    "human": 3,
    "publish": 3,
    "drawing": 3,
    "severity": 3,
    "dose": 5,
    "plan": 3,
    "criteria": 3,
    "rows": 3,
    "scoring": 3,
    "rebuild": 3,
    "staleness": 3,
    "explain": 3,
    "explain_text": 3,
    "compare": 3,
    "summary": 3,
    "site": 3,
    "importing": 3,
    "events_command": 3,
    "events_report": 3,
    "event_details": 3,
    "certainty": 4,
    "designs": 4,
    "predict": 4,
    "perturbing": 4,
    "robustness_background_noise": 4,
    "robustness_low_quality_phone": 4,
    "robustness_simulated_recording_condition": 4,
    "robustness_spectral_tilt": 4,
    "inputs": 4,
    "attributes": 4,
    "selecting": 4,
    "simulation": 4,
    "datasets": 5,
    "embedded": 5,
    "models": 5,
    "perturbations": 5,
    "metrics": 6,
    "figures": 5,
    "judge": 5,
    "published": 5,
    "events_io": 5,
    "store": 5,
    "array_store": 5,
    "uncertainty": 5,
    "kinds": 6,
    "spec": 6,
    "axis": 6,
    "records": 6,
    "criterion": 6,
    "ratings": 6,
    "results": 6,
    "manifest": 6,
    "view": 6,
    "keys": 6,
    "history": 6,
    "advice": 7,
    "display": 7,
    "registry": 7,
    "rng": 7,
    "paths": 7,
    "errors": 7,
    "documents": 7,
    "names": 7,
    "leftovers": 7,
    "terminal": 7,
    "files": 7,
    "processes": 7,
    "mirror": 7,
    "provenance": 7,
}
MODULES = sorted(p for p in paths.PACKAGE.rglob("*.py") if p != paths.PACKAGE / "__init__.py")
DOCS = sorted(paths.DOCS.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    """Dotted names that a file imports, those inside functions included."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _package(name: str) -> str:
    """First part below ``common`` of a dotted name, empty for others."""
    parts = name.split(".")
    return parts[1] if parts[0] == "common" and len(parts) > 1 else ""


def _own(path: Path) -> str:
    return path.relative_to(paths.PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(paths.PACKAGE)))
def test_imports_only_from_below(path: Path) -> None:
    own = _own(path)
    assert own in LAYERS, f"give {own} a layer in {__file__}"
    wrong = sorted(
        name
        for name in _imports(path)
        if (other := _package(name)) in LAYERS and LAYERS[other] < LAYERS[own]
    )
    assert not wrong, f"{path.name} (layer {LAYERS[own]}) imports from above: {wrong}"


def test_metrics_know_numpy_and_scipy_only() -> None:
    for path in MODULES:
        if _own(path) != "metrics":
            continue
        allowed = {"numpy", "scipy", "common", "__future__", "typing", "collections"}
        allowed |= {"dataclasses", "math", "functools", "inspect", "itertools"}
        used = {name.split(".")[0] for name in _imports(path)}
        assert used <= allowed, f"{path.name}: {sorted(used - allowed)}"
        inside = {_package(name) for name in _imports(path)} - {""}
        assert inside <= {"metrics", "registry", "errors"}, f"{path.name}: {sorted(inside)}"


@pytest.mark.parametrize("path", [*DOCS, paths.PACKAGE / "site.py"], ids=lambda p: p.name)
def test_site_needs_no_model_runtime(path: Path) -> None:
    forbidden = {"engine", "predict", "models", "store", "publish"}
    assert not {_package(name) for name in _imports(path)} & forbidden


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


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(paths.PACKAGE)))
def test_modules_stay_readable(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= 400, f"{path.name} has {lines} lines; split it"
