"""Frames: pages as Sphinx writes them, beside what it remembers of a website."""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment

from common.pages.framing import FRAMES
from site_frame.slots import PAGES

#: what is told while Sphinx reads texts and writes frames
READING, WRITING = "texts of the website", "frames of pages"


def folder(doctrees: str | Path) -> Path:
    """Folder of what Sphinx writes for the website, beside that of what it remembers."""
    return Path(doctrees).parent / FRAMES


class FrameBuilder(StandaloneHTMLBuilder):
    """Writes frames of pages, which :mod:`site_frame.filling` fills."""

    #: gets the number of written frames, and how many there are
    told: Callable[[int, int], None] | None = None
    _written, _total = 0, 0

    def get_output_path(self, page_name: str, /) -> Path:
        """File of a frame; whether it is there and its time tell Sphinx whether to write it."""
        return folder(self.doctreedir) / PAGES / f"{page_name}.html"

    def write_documents(self, docnames: AbstractSet[str]) -> None:
        """Write the frames of documents."""
        self._written, self._total = 0, len(docnames)
        super().write_documents(docnames)

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write one frame, and tell how many are written."""
        super().write_doc(docname, doctree)
        self._written += 1
        if self.told is not None:
            self.told(self._written, self._total)


def tell(app: Sphinx, progress: Callable[[str, int, int], None]) -> None:
    """Let somebody know how far a build is.

    Args:
        app: is about to build
        progress: gets a stage, how much of it is done, and how much there is
    """
    counts, process = {"read": 0, "all": 0}, os.getpid()

    def begin(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        counts["all"] = len(docnames)

    def read(app: Sphinx, doctree: nodes.document) -> None:
        counts["read"] += 1
        if os.getpid() == process:
            progress(READING, counts["read"], counts["all"])

    app.connect("env-before-read-docs", begin)
    app.connect("doctree-read", read)
    builder = cast(FrameBuilder, app.builder)
    builder.told = lambda done, total: progress(WRITING, done, total)
