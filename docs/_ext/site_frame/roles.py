"""Roles of assistive technology that docutils writes and that are no longer in use."""

from __future__ import annotations

#: what docutils writes -> what stands for it today
ROLES = {'role="doc-biblioentry"': 'role="listitem"', 'role="doc-endnote"': 'role="listitem"'}


def mended(html: str) -> str:
    """HTML with roles that are in use.

    >>> mended('<div class="citation" role="doc-biblioentry">')
    '<div class="citation" role="listitem">'
    """
    for old, new in ROLES.items():
        html = html.replace(old, new)
    return html
