"""The picture of the website for previews of links to it."""

from __future__ import annotations

import os
from pathlib import Path

from benchmark_site import field
from benchmark_site.content import Content
from benchmark_site.memory import Inputs, Memory, digest
from common.core import files
from common.figures.preview import Field, preview
from common.pages.identity import ADDRESS, PREVIEW

TITLE = "speechproof"
LEAD = "Speech models, tested for correctness, fairness and robustness"
CAPTION = "Percentage of cells that each model passes"


def write(content: Content, site: Path, memory: Memory, inputs: Inputs) -> None:
    """Draw the state of the field, if the website has an address by which previews find it.

    Args:
        content: what the pages show
        site: folder of the finished site
        memory: what the picture was made from last time
        inputs: what it is made from, besides shares
    """
    path = site / PREVIEW
    if not os.environ.get(ADDRESS):
        path.unlink(missing_ok=True)
        return
    shown = shares(content)
    key = digest([inputs.common, shown])
    if not (memory.recall(PREVIEW, key) and path.is_file()):
        files.write_bytes(path, preview(TITLE, LEAD, CAPTION, shown), only_changed=True)
        memory.keep(PREVIEW, key, True)


def shares(content: Content) -> Field:
    """The first heat map of the start page as numbers."""
    table = next(iter(field.tables(content)), None)
    if table is None:
        return Field([], [])
    columns = [
        (target["label"], [family.capitalize() for family in target["families"]])
        for target in table["targets"]
    ]
    lines = [
        (
            model["label"],
            [None if c["share"] is None else float(c["share"]) for c in model["cells"]],
        )
        for model in table["models"]
    ]
    return Field(columns, lines)
