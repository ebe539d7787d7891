"""One page per target and own model: what each of its cells was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmark_site.content import Board, Content
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import model_doc, provenance_doc, render, test_doc
from benchmark_site.sources import Model
from common.results.keys import CellKey
from common.results.manifest import Manifest

#: page of prose about the commands, which a small site may lack
HOWTO = "howto/explain_a_number"
#: parts of a cell -> their names on the page
PARTS = {
    "test": "Test",
    "target": "Target",
    "dataset": "Entry of the dataset",
    "data": "Content of the dataset",
    "code": "Code that scores",
    "fingerprint": "Model",
}


def place(test: str, dataset: str) -> str:
    """Anchor of a cell."""
    return anchor("cell", test, dataset)


def origin(page: Page, board: Board, model: Model, test: str) -> str:
    """Address of the cells of a model in a test but for the dataset; empty without one."""
    if model.published or test not in model.traced:
        return ""
    return page.href(provenance_doc(board.target, model), anchor("cell", test))


def linked(content: Content, manifest: Manifest) -> list[str]:
    """Tests of a model that have a page, which one that it has no rows of has because of another model."""
    return sorted({name.partition("/")[0] for name in manifest.cells} & content.tests.keys())


def page(content: Content, target: str, model: Model, manifest: Manifest) -> Page:
    """Provenance of all cells of a model for a target."""
    label = content.label(target).lower()
    page = Page(provenance_doc(target, model), f"Provenance: {model.label}, {label}")
    stale = [key for key in content.stale if (key.target, key.model) == (target, model.id)]
    page.html = render(
        "provenance.j2",
        model={"label": model.label, "href": page.href(model_doc(target, model))},
        facts=[
            ("Model", f"{manifest.model.get('id', model.id)} {manifest.model.get('version', '')}"),
            ("Fingerprint of the model", manifest.model.get("fingerprint", "")),
            ("Seed", str(manifest.seed)),
            ("Packages", ", ".join(f"{n} {v}" for n, v in manifest.environment.items())),
        ],
        howto=page.href(HOWTO) if HOWTO in content.method_pages else "",
        cells=len(manifest.cells),
        stale=len(stale),
    )
    tests: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for name, noted in manifest.cells.items():
        test, _, dataset = name.partition("/")
        tests.setdefault(test, []).append((dataset, noted))
    for test, cells in sorted(tests.items()):
        title = content.tests[test].title if test in content.tests else test
        html = render(
            "provenance_test.j2",
            cells=[_cell(content, target, model, test, *cell) for cell in cells],
            side_by_side=page.href(test_doc(target, test)) if test in content.tests else "",
        )
        page.sections.append(Section(anchor("test", test), title, html))
    return page


def _cell(
    content: Content,
    target: str,
    model: Model,
    test: str,
    dataset: str,
    noted: Mapping[str, Any],
) -> dict[str, Any]:
    key = CellKey(target, model.id, test, dataset)
    parts: Mapping[str, Any] = noted.get("made_of") or {}
    why = content.stale.get(key)
    facts = [(title, str(parts[name])) for name, title in PARTS.items() if parts.get(name)]
    facts += [(f"Perturbation of {n}", v) for n, v in parts.get("perturbations", {}).items()]
    return {
        "anchor": place(test, dataset),
        "dataset": dataset,
        "version": parts.get("dataset_version", ""),
        "command": f"python build.py explain {key}",
        "hash": noted.get("hash", ""),
        "error": noted.get("status") == "error",
        "stale": [] if why is None else list(why["reasons"]),
        "seed": parts.get("seed", ""),
        "model_version": parts.get("model_version", ""),
        "facts": facts,
    }
