"""Directive ``best-models``: the best models of every target on a page of prose."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from benchmark_site.render import ROOT

#: file in the source folder that holds the finished HTML
FILE = f"{ROOT}/best.html"


class BestModels(SphinxDirective):
    """Insert the targets with their best models; read again when they change."""

    def run(self) -> list[nodes.Node]:
        """Nodes in place of the directive."""
        self.env.note_dependency(FILE)
        html = Path(self.env.srcdir, FILE).read_text("utf-8")
        up = "../" * self.env.docname.count("/")
        html = html.replace('href="', f'href="{up}')
        return [nodes.raw("", html, format="html", classes=["no-search"])]
