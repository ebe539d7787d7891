"""Formulas as MathML, converted on the spot.

Sphinx's own renderers load a script from a third party or need LaTeX. Docutils brings a
converter from LaTeX to MathML, which every current browser draws by itself, offline.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

LOGGER = logging.getLogger(__name__)


def mathml(tex: str, *, block: bool) -> str:
    r"""LaTeX formula as MathML on one line.

    The source stays inside as an annotation: readers copy it and search engines find it.

    Raises:
        MathError: if the converter does not know a command

    >>> mathml("x^2", block=False)[:48]
    '<math xmlns="http://www.w3.org/1998/Math/MathML"'
    """
    text = re.sub(r"\n\s*", "", tex2mathml(tex, as_block=block))
    start = text.index(">") + 1
    body = text[start:].removesuffix("</math>")
    note = f'<annotation encoding="application/x-tex">{escape(tex)}</annotation>'
    return f"{text[:start]}<semantics><mrow>{body}</mrow>{note}</semantics></math>"


def _converted(tex: str, node: nodes.Element, *, block: bool) -> str:
    try:
        return mathml(tex.strip(), block=block)
    except MathError as error:
        LOGGER.warning("formula cannot be converted: %s", error, location=node)
        return ""


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write an inline formula."""
    self.body.append(_converted(node.astext(), node, block=False))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a displayed formula; parts separated by empty lines stand below each other."""
    self.body.append(self.starttag(node, "div", CLASS="math-block", tabindex="0"))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    for part in re.split(r"\n\s*\n", node.astext().strip()):
        self.body.append(_converted(part, node, block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer as ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
