"""Directives that put numbers of the results on pages of prose."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from benchmark_site.render import ROOT

#: file in the source folder that holds the finished HTML of each directive
FILES = {
    "field-at-a-glance": f"{ROOT}/field.html",
    "paper-conclusions": f"{ROOT}/checked.html",
    "published-claims": f"{ROOT}/claims.html",
    "metric-uses": f"{ROOT}/metrics.html",
}


class Finished(SphinxDirective):
    """Insert HTML that was made from the results; read again when it changes.

    ``field-at-a-glance``: families, models and targets as one heat map. ``paper-conclusions``: what the
    paper concludes, and what this site finds. ``published-claims``: what a ranking by
    the share of passed cells hides in the published results. ``metric-uses``: which tests of the
    suite use which metric.
    """

    def run(self) -> list[nodes.Node]:
        """Nodes in place of the directive."""
        file = FILES[self.name]
        self.env.note_dependency(file)
        html = Path(self.env.srcdir, file).read_text("utf-8")
        up = "../" * self.env.docname.count("/")
        html = html.replace('href="', f'href="{up}')
        return [nodes.raw("", html, format="html", classes=["no-search"])]
