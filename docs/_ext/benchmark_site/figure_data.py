"""Figures of own runs as scripts, with which the comparison shows those of several models side by side.

``figures/<target>/<test>.js`` names the figures of a test: title, file name, and for each model the
text alternative and the size. A page loads it only when a reader opens the figures of a test.
``docs/reference/result_files.rst`` describes the layout.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from site_frame import pictures

from benchmark_site import datasetpages, media
from benchmark_site.cell_data import as_script
from benchmark_site.content import Content
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.page import Page, slug
from benchmark_site.render import ROOT
from common.core import files
from common.pages.figure_files import shown

FOLDER = "figures"


def folder_of(target: str) -> str:
    """Folder with the scripts of a target, below the top of the site."""
    return f"{FOLDER}/{slug(target)}"


def file_of(target: str, test: str) -> str:
    """Script with the figures of a test, below the top of the site."""
    return f"{folder_of(target)}/{slug(test)}.js"


def drawn(content: Content, inputs: Inputs, target: str) -> dict[str, list[list[Any]]]:
    """Tests with figures of own models -> what lies in the folders of these."""
    tests: dict[str, list[list[Any]]] = {}
    for entry in inputs.media_of(target):
        parts = str(entry[0]).split("/")
        if len(parts) == 4:
            tests.setdefault(parts[2], []).append(entry)
    shown = {test for b in content.boards[target] if not b.published for test in b.tests}
    return {
        test: entries
        for test, entries in tests.items()
        if test in shown and any(str(entry[0]).endswith(".png") for entry in entries)
    }


def write(content: Content, target: str, site: Path, memory: Memory, inputs: Inputs) -> None:
    """Write the scripts of a target where something in them changed.

    Args:
        content: what the pages show
        target: the target
        site: folder of the finished site
        memory: what the scripts were made from last time
        inputs: what they are made from
    """
    names = set()
    models = [m.id for board in content.boards[target] if not board.published for m in board.models]
    for test, entries in drawn(content, inputs, target).items():
        file = file_of(target, test)
        # the name of a figure has the data of its rows, so rows alone change nothing here
        key = digest([inputs.common, models, entries])
        if not (memory.recall(file, key) and (site / file).exists()):
            text = as_script("figuresOfTest", f"{target}/{test}", of_test(content, target, test))
            files.write_text(site / file, text, only_changed=True)
        memory.keep(file, key, True)
        names.add(file)
    for path in sorted((site / folder_of(target)).glob("*.js")):
        if path.relative_to(site).as_posix() not in names:
            path.unlink()


def remove_others(content: Content, site: Path) -> None:
    """Remove scripts of targets that are not there any more."""
    folders = {site / folder_of(target) for target in content.boards}
    for path in sorted((site / FOLDER).glob("*/*.js")):
        if path.parent not in folders:
            path.unlink()


def of_test(content: Content, target: str, test: str) -> list[list[Any]]:
    """Title, file name, and text alternative, width and height by model, of the figures of a test."""
    page = Page(f"{ROOT}/compare", "")
    boards = [board for board in content.boards[target] if not board.published]
    pairs = {
        pair
        for board in boards
        for pair in board.table.loc[board.table["test"] == test, ["data", "dataset"]].itertuples(
            index=False, name=None
        )
    }
    named = datasetpages.sources(content, page, sorted(pairs))
    groups: dict[str, dict[str, list[Any]]] = {}
    for model in {model.id: model for board in boards for model in board.models}.values():
        folder = content.paths.figures(target, model.id, test)
        for name, alt in media.figures(content, target, model.id, test).items():
            groups.setdefault(name, {})[model.id] = [alt, *pictures.size(folder / name)]
    return [
        [media.title(name, named), shown(name), group] for name, group in sorted(groups.items())
    ]
