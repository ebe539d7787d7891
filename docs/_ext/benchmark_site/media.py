"""Figures of own runs and their text alternatives."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from benchmark_site.content import Board, Content, Model
from benchmark_site.export import rows_file
from benchmark_site.page import Page

#: place of figures in the site
FOLDER = "extra/media"
PREFIX = "visualization_"


@cache
def _listing(folder: Path, stamp: int) -> dict[str, str]:
    """Figures of a folder and their text alternatives."""
    names = sorted(path.name for path in folder.glob("*.png"))
    try:
        texts = json.loads((folder / "alt.json").read_text("utf-8"))
    except (OSError, ValueError):
        texts = {}
    return {name: str(texts.get(name, "")) for name in names}


def figures(content: Content, target: str, model: str, test: str) -> dict[str, str]:
    """File name -> text alternative of the figures of a model in a test."""
    folder = content.paths.figures(target, model, test)
    return _listing(folder, folder.stat().st_mtime_ns) if folder.is_dir() else {}


def title(name: str) -> str:
    """Heading of a figure from its file name.

    >>> title("visualization_emodb-1.4.1-emotion.png")
    'emodb-1.4.1-emotion'
    """
    return name.removesuffix(".png").removeprefix(PREFIX).replace("_", " ")


def of_test(
    content: Content, page: Page, board: Board, models: list[Model], test: str
) -> list[dict[str, Any]]:
    """Figures of a test: one group per figure, the models side by side."""
    groups: dict[str, list[dict[str, str]]] = {}
    for model in models:
        for name, alt in figures(content, board.target, model.id, test).items():
            figure = _figure(page, board.target, model, test, name, alt)
            numbers = _numbers(page, board.target, model)
            groups.setdefault(name, []).append(
                {**figure, "caption": model.label, "numbers": numbers}
            )
    return [
        {"title": title(name), "figures": entries, "numbers": ""}
        for name, entries in sorted(groups.items())
    ]


def of_model(
    content: Content, page: Page, target: str, model: Model, test: str
) -> list[dict[str, Any]]:
    """Figures of a model in a test as one group."""
    entries = [
        {**_figure(page, target, model, test, name, alt), "caption": title(name), "numbers": ""}
        for name, alt in figures(content, target, model.id, test).items()
    ]
    numbers = _numbers(page, target, model)
    return [{"title": "Figures", "figures": entries, "numbers": numbers}] if entries else []


def _numbers(page: Page, target: str, model: Model) -> str:
    """Address of the rows that figures of a model show."""
    return page.file(f"data/{rows_file(target, model)}")


def _figure(
    page: Page, target: str, model: Model, test: str, name: str, alt: str
) -> dict[str, str]:
    src = page.file(f"{FOLDER}/{target}/{model.id}/{test}/{name}")
    return {"src": src, "alt": alt or f"{title(name)}, {model.label}"}
