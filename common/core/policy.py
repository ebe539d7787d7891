"""What a page may load and run, stated in the page, so that every server and browser keeps it.

Pages show texts and figures of results that strangers may send. All of them are escaped; should one
slip through, a browser still runs no script and loads nothing but files of the website. A page that
is one file of its own loads nothing at all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping

#: files of the website; ``file:`` is for pages that are opened from a disk
OWN = "'self' file:"
#: directives of a page; bars of tables get their lengths from attributes ``style``
PAGE = {
    "default-src": "'none'",
    "script-src": OWN,
    "style-src": OWN,
    "style-src-attr": "'unsafe-inline'",
    "img-src": OWN,
    "media-src": OWN,
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
#: directives of a page that is one file and holds its images and its style
ALONE = {
    "default-src": "'none'",
    "style-src-attr": "'unsafe-inline'",
    "img-src": "data:",
    "media-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def element(directives: Mapping[str, str], *, script: str = "", style: str = "") -> str:
    """Element ``meta`` that states a policy.

    Args:
        directives: directive -> sources
        script: content of the only element ``script`` that may run besides those of files
        style: content of the only element ``style``

    >>> element({"img-src": "data:"})
    '<meta http-equiv="Content-Security-Policy" content="img-src data:">'
    """
    allowed = dict(directives)
    for directive, text in (("script-src", script), ("style-src", style)):
        if text:
            allowed[directive] = f"{allowed.get(directive, '')} '{_hash(text)}'".lstrip()
    content = "; ".join(f"{name} {sources}" for name, sources in allowed.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'


def _hash(text: str) -> str:
    """Source expression of an element with this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
