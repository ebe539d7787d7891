"""Frames: pages as Sphinx writes them, beside what it remembers of a website."""

from __future__ import annotations

from pathlib import Path

from sphinx.builders.html import StandaloneHTMLBuilder


class FrameBuilder(StandaloneHTMLBuilder):
    """Writes frames of pages, which :mod:`site_frame.filling` fills."""

    def get_output_path(self, page_name: str, /) -> Path:
        """File of a frame; whether it is there and its time tell Sphinx whether to write it."""
        return Path(self.doctreedir).parent / "frames" / f"{page_name}.html"
