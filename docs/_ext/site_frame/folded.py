"""The directive ``dropdown``: content that a reader opens."""

from __future__ import annotations

from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive


class Folded(Directive):
    """A heading with content below it that is folded at first."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The content between two tags."""
        self.assert_has_content()
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        begin = f'<details class="folded"><summary>{escape(self.arguments[0])}</summary>'
        return [_html(begin), *inside.children, _html("</details>")]


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")
