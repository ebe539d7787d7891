"""The page on which readers score predictions of their own, in the browser."""

from __future__ import annotations

import json
from typing import Any

from benchmark_site.cell_data import file_of
from benchmark_site.content import Content
from benchmark_site.page import Page
from benchmark_site.render import ROOT, render
from common.core.documents import parse_json
from common.pages.own import FOLDER, FORMAT, INDEX

DOC = f"{ROOT}/own"
#: how a reader gets what needs signals, too
TRY_IT = "howto/test_your_own_model"


def page(content: Content) -> Page:
    """Page with the datasets that predictions can be scored on, and a place for the script."""
    page = Page(DOC, "Score your predictions")
    truths = [_truth(content, page, entry) for entry in _index(content)["files"]]
    targets = {truth["target"]: content.benchmark.targets[truth["target"]] for truth in truths}
    page.html = render(
        "own.j2",
        truths=truths,
        closed=[
            {"label": content.dataset(name), "reason": reason}
            for name, reason in _index(content)["closed"].items()
        ],
        columns=[
            {"label": each.label, "texts": _columns(each), "listed": bool(each.detection)}
            for each in targets.values()
        ],
        targets=_dump(
            [
                {
                    "id": target.id,
                    "label": target.label,
                    "kind": target.kind,
                    "labels": list(target.labels),
                    "cells": file_of(target.id),
                }
                for target in targets.values()
            ]
        ),
        files=_dump([{key: truth[key] for key in ("target", "src", "id")} for truth in truths]),
        example=_example(truths, targets),
        try_it=page.href(TRY_IT) if TRY_IT in content.method_pages else "",
    )
    return page


def link(content: Content, page: Page, target: str) -> str:
    """Address of the page, if it has truths of a target."""
    there = any(entry["target"] == target for entry in _index(content)["files"])
    return page.href(DOC) if there else ""


def _index(content: Content) -> dict[str, Any]:
    """Which truths the last run has left; see :mod:`common.pages.own`."""
    nothing: dict[str, Any] = {"files": [], "closed": {}}
    try:
        index = parse_json((content.paths.media / FOLDER / INDEX).read_text("utf-8"))
    except (OSError, ValueError):
        return nothing
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        return nothing
    entries = [e for e in index["files"] if e["target"] in content.benchmark.targets]
    return {"files": entries, "closed": index["closed"]}


def _truth(content: Content, page: Page, entry: dict[str, Any]) -> dict[str, Any]:
    titles = {name: test.title for name, test in content.benchmark.tests.items()}
    return {
        "id": f"{entry['target']}/{entry['dataset']}",
        "target": entry["target"],
        "title": content.label(entry["target"]),
        "dataset": content.dataset(entry["dataset"]),
        "name": entry["dataset"],
        "samples": entry["samples"],
        "timed": entry["timed"],
        "file": entry["example"][0] if entry["example"] else "",
        "src": f"extra/media/{entry['src']}",
        "tests": [titles.get(name, name) for name in entry["tests"]],
        "elsewhere": [titles.get(name, name) for name in entry["elsewhere"]],
    }


def _columns(target: Any) -> list[str]:
    """Columns that a file may have for a target."""
    if target.detection:
        return ["file,onset,offset,label"]
    if not target.labels:
        return [target.id]
    return [target.id, ", ".join(f"{target.id}/{label}" for label in target.labels)]


def _example(truths: list[dict[str, Any]], targets: dict[str, Any]) -> str:
    """First lines of a file, with the names of samples that there are."""
    if not truths:
        return ""
    target = targets[truths[0]["target"]]
    if target.detection:
        return f"{_columns(target)[0]}\n{truths[0]['file']},0.50,1.50,{target.labels[0]}\n"
    value = target.labels[0] if target.labels else "0.62"
    return f"file,{target.id}\n{truths[0]['file']},{value}\n"


def _dump(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)
