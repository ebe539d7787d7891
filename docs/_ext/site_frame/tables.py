"""Tables of prose scroll by themselves where the page is narrow."""

from __future__ import annotations

import re

TABLE = re.compile(r'<table class="(?:[^"]* )?docutils[ "].*?</table>', re.S)


def boxed(html: str) -> str:
    """HTML whose tables of prose stand in boxes that scroll.

    >>> boxed('<table class="docutils align-default"><tr></tr></table>')
    '<div class="table-scroll"><table class="docutils align-default"><tr></tr></table></div>'
    """
    return TABLE.sub(lambda match: f'<div class="table-scroll">{match[0]}</div>', html)
