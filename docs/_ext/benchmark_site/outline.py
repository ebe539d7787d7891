"""What Sphinx reads of a generated page: its title, and a slot for everything else.

The parser builds the document tree directly, so no text of a title can be taken for markup, and the
slow reading of tables is spared. Trees are small, as the rest comes into the page when Sphinx is done.
"""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from site_frame.filling import SLOT_OF_PAGE
from sphinx import addnodes
from sphinx.parsers import Parser


class OutlineParser(Parser):
    """Docutils parser of ``*.outline`` files."""

    supported = ("outline",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Build the document tree of one page."""
        content: dict[str, Any] = json.loads(inputstring)
        title = nodes.title("", "", nodes.Text(heading(content["title"])))
        section = nodes.section("", title, ids=["page-top"], classes=["result-page"])
        section += nodes.raw("", SLOT_OF_PAGE, format="html")
        document += section
        if content["children"]:
            section += _toctree(content["doc"], content["children"])


def heading(text: str) -> str:
    """Text of a heading without brackets of HTML tags.

    Sphinx's search shows headings as HTML, so a name in angle brackets would become a tag.

    >>> heading("a <b>")
    'a ‹b›'
    """
    return text.translate({ord("<"): "‹", ord(">"): "›"})


def _toctree(parent: str, children: list[str]) -> nodes.Element:
    tree = addnodes.toctree(
        parent=parent,
        entries=[(None, child) for child in children],
        includefiles=list(children),
        maxdepth=1,
        caption=None,
        rawentries=[],
        rawcaption="",
        glob=False,
        hidden=True,
        includehidden=False,
        numbered=0,
        titlesonly=True,
    )
    return nodes.compound("", tree, classes=["toctree-wrapper"])
