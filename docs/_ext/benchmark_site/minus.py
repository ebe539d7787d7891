"""Numbers of prose pages: a minus sign in place of a hyphen, and no sign of zero.

Pages of results write their numbers themselves, see :mod:`common.core.display`. Authors of prose
type a hyphen, and the tables of criteria hold raw numbers.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.transforms import Transform

from common.core.display import tidy

#: what stands there letter by letter
EXACT = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.math_block, nodes.raw)


class Minus(Transform):
    """Writes the numbers of a page as people read them; code and formulas stay as they are."""

    default_priority: ClassVar[int] = 880

    def apply(self, **kwargs: Any) -> None:
        """Rewrite the texts of the document."""
        for text in list(self.document.findall(nodes.Text)):
            if not _is_exact(text) and (shown := tidy(text)) != text:
                text.parent.replace(text, nodes.Text(shown))


def _is_exact(node: nodes.Node) -> bool:
    while node is not None:
        if isinstance(node, EXACT):
            return True
        node = node.parent
    return False
