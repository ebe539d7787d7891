"""Figures of own runs and their text alternatives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchmark_site.content import Board, Content, Model
from benchmark_site.export import rows_file
from benchmark_site.page import Page
from benchmark_site.tables import Source
from common.pages.figure_files import shown

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
    if (target, model) not in content.illustrated:
        return {}
    folder = content.paths.figures(target, model, test)
    return _listing(folder, folder.stat().st_mtime_ns) if folder.is_dir() else {}


def title(name: str, named: Mapping[str, Source]) -> str:
    """Heading of a figure from its file name.

    Args:
        name: file name: data, and what of them is shown
        named: data -> dataset, in the words of a reader

    >>> sources = {"emodb-1.4.1-emotion": Source("EmoDB", "1.4.1-emotion", "")}
    >>> title("visualization_emodb-1.4.1-emotion_white-noise.png", sources)
    'EmoDB, white-noise'
    >>> title("visualization_emodb-1.4.1-emotion.png", sources | {"emodb-2": Source("EmoDB", "2", "")})
    'EmoDB, 1.4.1-emotion'
    """
    stem = name.removesuffix(".png").removeprefix(PREFIX)
    data = max((each for each in named if f"{stem}_".startswith(f"{each}_")), key=len, default="")
    words = [stem.removeprefix(data).replace("_", " ").strip()]
    if data:
        source = named[data]
        is_alone = sum(other.label == source.label for other in named.values()) == 1
        words = [source.label, "" if is_alone else source.part, *words]
    return ", ".join(filter(None, words))


def of_test(
    content: Content,
    page: Page,
    board: Board,
    models: list[Model],
    test: str,
    named: Mapping[str, Source],
) -> list[dict[str, Any]]:
    """Figures of a test: one group per figure, the models side by side; ``named`` as in :func:`title`."""
    groups: dict[str, list[dict[str, str]]] = {}
    for model in models:
        for name, alt in figures(content, board.target, model.id, test).items():
            figure = _figure(page, board.target, model, test, name, alt, named)
            numbers = _numbers(page, board.target, model)
            groups.setdefault(name, []).append(
                {**figure, "caption": model.label, "numbers": numbers}
            )
    return [
        {"title": title(name, named), "figures": entries, "numbers": ""}
        for name, entries in sorted(groups.items())
    ]


def of_model(
    content: Content,
    page: Page,
    target: str,
    model: Model,
    test: str,
    named: Mapping[str, Source],
) -> list[dict[str, Any]]:
    """Figures of a model in a test as one group; ``named`` as in :func:`title`."""
    entries = [
        {
            **_figure(page, target, model, test, name, alt, named),
            "caption": title(name, named),
            "numbers": "",
        }
        for name, alt in figures(content, target, model.id, test).items()
    ]
    numbers = _numbers(page, target, model)
    return [{"title": "Figures", "figures": entries, "numbers": numbers}] if entries else []


def _numbers(page: Page, target: str, model: Model) -> str:
    """Address of the rows that figures of a model show."""
    return page.file(f"data/{rows_file(target, model)}")


def _figure(
    page: Page,
    target: str,
    model: Model,
    test: str,
    name: str,
    alt: str,
    named: Mapping[str, Source],
) -> dict[str, str]:
    src = page.file(f"{FOLDER}/{target}/{model.id}/{test}/{shown(name)}")
    return {"src": src, "alt": alt or f"{title(name, named)}, {model.label}"}
